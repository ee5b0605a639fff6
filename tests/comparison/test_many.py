"""Families of models: letters, tiers, simultaneous intervals, several test sets."""

import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

import modelcompare as mc
from modelcompare.comparison.standings import compact_letters, share_of_best, tiers
from tests.made_up import made_up
from tests.plugged import needs

PREDS = made_up(300, (1.6, 1.5, 0.9, 0.2))
RIGHT = np.array([PREDS.predicted(m) == PREDS.access.codes for m in PREDS.models]).T.astype(float)


def test_letters_are_shared_exactly_where_nothing_is_shown():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = rng.integers(2, 8)
        apart = np.triu(rng.random((n, n)) < 0.5, 1)
        apart = apart | apart.T
        letters = compact_letters(apart, np.arange(n))
        for i in range(n):
            for j in range(n):
                if i != j:
                    assert bool(set(letters[i]) & set(letters[j])) != apart[i, j]


def test_tiers_and_letters_of_a_comparison():
    result = mc.compare(PREDS, ["accuracy", "log_loss"], n_resamples=999)
    standings = result.standings[result.standings.metric == "accuracy"].set_index("model")
    assert standings.loc["m3", "tier"] > standings.loc["m0", "tier"]
    assert standings.index[-1] == "m3"
    assert standings["p_best"].sum() == pytest.approx(1)
    assert standings.p_best.idxmax() in ("m0", "m1")
    assert not set(standings.loc["m0", "letters"]) & set(standings.loc["m3", "letters"])
    loss = result.standings[result.standings.metric == "log_loss"].set_index("model")
    assert loss.index[-1] == "m3"
    assert tiers(np.zeros((3, 3), dtype=bool), np.arange(3)).tolist() == [1, 1, 1]
    assert share_of_best(np.array([[1.0, 1.0], [np.nan, 0.0]])).tolist() == [0.25, 0.75]


def test_simultaneous_intervals_are_wider_and_agree_with_max_t():
    result = mc.compare(PREDS, "f1", correction="max-t", n_resamples=1999, method="normal")
    wide = result.simultaneous_intervals()
    single = result.differences
    assert ((wide.ci_high - wide.ci_low) > (single.ci_high - single.ci_low)).all()
    shown = (wide.ci_low > 0) | (wide.ci_high < 0)
    # Step-down rejects at least what the simultaneous intervals do.
    assert (single.p_adjusted[shown] <= 0.0505).all()
    draws = result.bootstrap.draws
    d = draws[:, 0] - draws[:, 1] - (result.bootstrap.point[0] - result.bootstrap.point[1])
    assert ((wide.ci_high - wide.ci_low)[:3] / 2 > d.std(axis=0)).all()


@pytest.fixture(scope="module")
def sets():
    return mc.compare_groups(
        {f"s{i}": made_up(200, (1.5, 1.2, 0.5), seed=i) for i in range(6)},
        ["f1_macro", "log_loss"], n_resamples=299,
    )  # fmt: skip


@needs("suites")
def test_several_sets_one_by_one_and_pooled(sets):
    scores = sets.scores
    assert scores.set.unique().tolist() == [f"s{i}" for i in range(6)]
    alone = mc.compare(made_up(200, (1.5, 1.2, 0.5), seed=2), ["f1_macro", "log_loss"],
                       n_resamples=299)  # fmt: skip
    np.testing.assert_allclose(scores[scores.set == "s2"].estimate, alone.scores.estimate)
    means = scores.groupby(["model", "metric"]).estimate.mean()
    pooled = sets.pooled_scores.set_index(["model", "metric"]).estimate
    np.testing.assert_allclose(pooled.sort_index(), means.sort_index())
    width = (sets.pooled_scores.ci_high - sets.pooled_scores.ci_low)[0]
    assert width == pytest.approx((scores.ci_high - scores.ci_low)[:6].mean() / np.sqrt(6), rel=0.3)
    frame = sets.pooled_differences.set_index(["model_a", "model_b", "metric"])
    assert frame.loc[("m0", "m2", "f1_macro"), "p_adjusted"] < 0.02
    assert (frame.p_adjusted >= frame.p_value).all()


@needs("suites")
def test_pooled_differences_step_down_by_max_t(sets):
    frame = mc.compare_groups(
        {f"s{i}": made_up(200, (1.5, 1.2, 0.5), seed=i) for i in range(6)},
        ["f1_macro", "log_loss"], n_resamples=299, correction="max-t",
    ).pooled_differences  # fmt: skip
    plain = sets.pooled_differences
    np.testing.assert_array_equal(frame.p_value, plain.p_value)
    pairs = [(0, 1), (0, 2), (1, 2)]
    parts = [result.bootstrap for result in sets.results.values()]
    point, draws = (np.mean([getattr(p, k) for p in parts], axis=0) for k in ("point", "draws"))
    observed = np.array([point[a, 0] - point[b, 0] for a, b in pairs])
    spread = np.stack([draws[:, a, 0] - draws[:, b, 0] for a, b in pairs], axis=1)
    covariance = sum(p.moments.covariance()[0] for p in parts) / 36
    errors = [np.sqrt(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]) for a, b in pairs]
    largest = (np.abs(spread - observed) / errors).max(axis=1)
    first = np.abs(observed / errors).argmax()
    expected = (1 + (largest >= np.abs(observed / errors)[first]).sum()) / 300
    found = frame[frame.metric == "f1_macro"].p_adjusted.to_numpy()
    assert found[first] == pytest.approx(expected)
    assert (found >= plain[plain.metric == "f1_macro"].p_value - 0.01).all()


@needs("suites", "published")
def test_ranks_over_sets(sets):
    found = sets.friedman("f1_macro")
    table = np.array([r.bootstrap.point[:, 0] for r in sets.results.values()])
    expected = stats.friedmanchisquare(*table.T)
    assert found.p_value == pytest.approx(expected.pvalue)
    ranks = stats.rankdata(-table, axis=1).mean(axis=0)
    mean_ranks = found.ranks.set_index("model")["mean_rank"]
    np.testing.assert_allclose(mean_ranks[["m0", "m1", "m2"]], ranks)
    assert sets.friedman("log_loss").ranks.model.iloc[0] == "m0"
    assert sets.plot.critical_difference("f1_macro").axes


@needs("suites")
def test_sets_must_fit_together():
    with pytest.raises(ValueError, match="`source` holds one test set"):
        mc.compare_groups({"a": PREDS})
    with pytest.raises(ValueError, match="set 'b' has no predictions of 'm3'"):
        mc.compare_groups({"a": PREDS, "b": PREDS[["m0", "m1", "m2"]]})


def equal_models(n: int, n_models: int) -> mc.Predictions:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n)
    outputs = {f"m{i}": np.where(rng.random(n) < 0.8, y, 1 - y) for i in range(n_models)}
    return mc.Predictions(y, outputs, labels=[0, 1])


def warned_by(preds: mc.Predictions, **options: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mc.compare(preds, n_resamples=199, **options)
    return [str(each.message) for each in caught if each.category is mc.SparseDataWarning]


def test_resamples_of_few_samples_that_differ_are_no_ground_for_max_t():
    few = equal_models(50, 10)
    (text,) = warned_by(few, metrics="accuracy", correction="max-t")
    right = np.array([few.predicted(m) == few.y_true for m in few.models])
    # A sample carries a difference where one of the two models alone is right.
    apart = np.median([(a != b).sum() for a, b in combinations(right, 2)])
    assert text.startswith(f"accuracy: about {apart:.0f} samples carry a difference, too few for")
    assert text.endswith("Use correction='min-p' (--correction min-p).")
    assert not warned_by(few, metrics="accuracy", correction="min-p")
    # Fewer tests need fewer samples.
    assert not warned_by(equal_models(100, 3), metrics="accuracy", correction="max-t")
    assert not warned_by(equal_models(200, 10), metrics="accuracy", correction="max-t")


def test_of_all_metrics_together_holm_is_named_in_place_of_max_t():
    asked = {"metrics": ["accuracy", "f1_macro"], "family": "all"}
    texts = warned_by(equal_models(50, 10), **asked, correction="max-t")
    assert len(texts) == 2
    for text in texts:
        assert "Use correction='holm'" in text
    mc.compare(equal_models(50, 10), **asked, correction="holm")
