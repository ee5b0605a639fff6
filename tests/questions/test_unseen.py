"""Gates on means where failures are rare and bad: the level, what it costs, and its text."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import modelcompare as mc
from modelcompare.questions.unseen import unseen_units
from tests.plugged import needs
from tests.report.written import as_json

FEW = {"n_resamples": 99}


def scored(n, share, loss, rng, **options):
    """A baseline, and a candidate that loses much on a share of the samples."""
    baseline = rng.uniform(0.85, 0.95, n)
    candidate = baseline + rng.normal(0, 0.02, n)
    candidate = np.where(rng.random(n) < share, baseline - loss, candidate)
    return mc.Predictions.from_scores(
        {"old": baseline, "new": np.clip(candidate, 0, 1)}, **options, greater_is_better=True
    )


def passes(predictions, margin, **options):
    return mc.decide(predictions, "old", "new", "mean_score", margin=margin, **options).passed


# The rates are 0.000, 0.000, 0.000 and 0.025 (4,000 draws): of 150 draws more than 9 pass five times
# in 1,000. The former rule's were 0.355, 0.125, 0.12 and 0.08 (400 draws): of 60 draws it let at most
# two pass, in the third cell, with a probability of 0.02.
CELLS = [(50, 0.02, 0.8, 60, 2), (100, 0.02, 0.8, 60, 2), (40, 0.05, 0.85, 60, 2),
         (200, 0.05, 0.85, 150, 9)]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("n", "share", "loss", "draws", "most"), CELLS)
def test_rare_and_bad_failures_pass_no_more_often_than_promised(n, share, loss, draws, most):
    rng = np.random.default_rng(n)
    passed = sum(passes(scored(n, share, loss, rng), share * loss, **FEW) for _ in range(draws))
    assert passed <= most


@pytest.mark.parametrize("n", [30, 60, 150, 400, 1000])
@pytest.mark.parametrize("kind", ["labels", "scores"])
def test_no_margin_lets_samples_that_lose_everything_through(n, kind):
    """Exact: with k of n lost it passes for margins above a bound; the worst one is just there."""
    worst = 0.0
    for k in range(8):
        right = np.ones(n, dtype=int)
        lost = np.where(np.arange(n) < k, 0, right)
        preds = (
            mc.Predictions.from_scores({"old": right, "new": lost}, greater_is_better=True)
            if kind == "scores"
            else mc.Predictions(right, {"old": right, "new": lost}, labels=[0, 1])
        )
        metric = "mean_score" if kind == "scores" else "accuracy"
        low = mc.decide(preds, "old", "new", metric, margin=0.5, **FEW).ci_low
        worst = max(worst, stats.binom.cdf(k, n, -low))
    assert worst <= 0.055


@pytest.mark.parametrize("alpha", [0.01, 0.025, 0.05, 0.1])
def test_the_bound_without_failures_is_that_of_the_binomial_but_for_a_tenth(alpha):
    same = mc.Predictions.from_scores(
        {"old": [0.5] * 400, "new": [0.5] * 400}, bounds=(0, 1), greater_is_better=True
    )
    found = mc.decide(same, "old", "new", "mean_score", margin=0.5, alpha=alpha, **FEW)
    exact = 1 - alpha ** (1 / 400)
    assert exact < -found.ci_low < 1.1 * exact
    assert found.ci_high == -found.ci_low


@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.0, 10.0), (-1.0, 1.0)])
@pytest.mark.parametrize("n", [60, 400])
def test_below_three_ranges_there_are_not_enough_data_and_above_it_passes(ends, n):
    extent = ends[1] - ends[0]
    rng = np.random.default_rng(0)
    baseline = rng.uniform(ends[0] + 0.4 * extent, ends[0] + 0.6 * extent, n)
    candidate = baseline + rng.normal(0, 1e-4 * extent, n)
    preds = mc.Predictions.from_scores(
        {"old": baseline, "new": candidate}, bounds=ends, greater_is_better=True
    )
    below = mc.decide(preds, "old", "new", "mean_score", margin=2.8 * extent / n, **FEW)
    assert below.answer == "not enough data"
    assert n < below.n_needed < 1.25 * n
    assert passes(preds, 3.4 * extent / n, **FEW)


def test_both_ends_and_all_three_questions_count_it_and_a_lower_score_is_turned():
    rng = np.random.default_rng(1)
    old = rng.uniform(0.4, 0.5, 100)
    up = mc.Predictions.from_scores({"old": old, "new": old + 0.05}, greater_is_better=True)
    down = mc.Predictions.from_scores({"old": old + 0.05, "new": old}, greater_is_better=False)
    for preds in (up, down):
        found = mc.decide(preds, "old", "new", "mean_score", kind="superior", margin=0.03, **FEW)
        assert found.gain == pytest.approx(0.05)
        # The same number on all samples has no error; what was not seen has.
        assert found.answer == "not enough data"
        assert found.gain - found.ci_low > 3 / 100
        assert found.ci_high - found.gain > 2.7 / 100
        worse = mc.decide(preds, "new", "old", "mean_score", margin=0.03, **FEW)
        assert worse.answer == "not enough data"
        equal = mc.decide(preds, "old", "new", "mean_score", kind="equivalent", margin=0.07, **FEW)
        assert equal.answer == "not enough data"


def test_the_bound_is_that_of_the_data_with_more_samples_at_the_worst():
    rng = np.random.default_rng(2)
    preds = scored(80, 0.1, 0.8, rng)
    found = mc.decide(preds, "old", "new", "mean_score", margin=0.1, method="normal", **FEW)
    difference = preds.output("new").array - preds.output("old").array
    added = unseen_units(0.05)
    weight = np.append(np.ones(80), added)
    data = np.append(difference, -1.0)
    mean = np.average(data, weights=weight)
    error = np.sqrt((weight * (data - mean) ** 2).sum()) / weight.sum()
    assert found.ci_low == pytest.approx(mean - stats.t.ppf(0.95, 80) * error, rel=0.01)


def test_of_clusters_and_weights_the_effective_number_counts():
    rng = np.random.default_rng(3)
    sizes = [1] * 30 + [20]
    cluster = np.repeat(np.arange(31), sizes)
    old = rng.uniform(0.4, 0.6, 50)
    scores = {"old": old, "new": old + rng.normal(0, 1e-4, 50)}
    effective = 50**2 / (30 + 20**2)
    weighted = mc.Predictions.from_scores(
        {name: array[:31] for name, array in scores.items()},
        sample_weight=sizes,
        greater_is_better=True,
    )
    for preds in (
        mc.Predictions.from_scores(scores, groups=cluster, greater_is_better=True),
        weighted,
    ):
        found = mc.decide(preds, "old", "new", "mean_score", margin=0.5, **FEW)
        added = unseen_units(0.05)
        share = added / (effective + added)
        quantile = stats.t.ppf(0.95, effective)
        assert found.ci_low == pytest.approx(-share * (1 + quantile / np.sqrt(added)), rel=0.01)


def failing_clusters(rng, n=40, share=0.05):
    sizes = np.maximum(1, rng.lognormal(1.5, 0.8, n)).astype(int)
    cluster = np.repeat(np.arange(n), sizes)
    old = rng.uniform(0.85, 0.95, len(cluster))
    new = np.where(
        (rng.random(n) < share)[cluster], old - 0.85, old + rng.normal(0, 0.02, len(old))
    )
    return mc.Predictions.from_scores(
        {"old": old, "new": np.clip(new, 0, 1)}, groups=cluster, greater_is_better=True
    )


def test_clusters_that_fail_as_a_whole_do_not_pass():
    # The former rule let 0.19 through (600 draws); 0.055 gives more than 14 in 120 in 3 of 1,000.
    rng = np.random.default_rng(4)
    assert sum(passes(failing_clusters(rng), 0.05 * 0.85, **FEW) for _ in range(120)) <= 14


def test_every_mean_of_numbers_with_a_range_counts_it_and_so_do_counts_of_classes():
    rng = np.random.default_rng(5)
    truth = np.arange(60) % 3
    probability = rng.dirichlet([1, 1, 1], 60) * 0.2 + 0.8 * np.eye(3)[truth]
    same = mc.Predictions(truth, {"old": probability, "new": probability})
    reach = {
        metric: -mc.decide(same, "old", "new", metric, margin=0.9, **FEW).ci_low
        for metric in (
            "accuracy",
            "caccuracy",
            "zero_one_loss",
            "mean_reciprocal_rank",
            "brier_score",
            "f1_macro",
            "balanced_accuracy",
            "precision_weighted",
        )
    }
    expected = (unseen_units(0.05) + stats.t.ppf(0.95, 60) * np.sqrt(unseen_units(0.05))) / (
        60 + unseen_units(0.05)
    )
    assert reach.pop("brier_score") == pytest.approx(2 * expected, rel=0.01)
    assert list(reach.values()) == pytest.approx([expected] * 7, rel=0.05)
    two = mc.Predictions(truth % 2, {m: np.full(60, 0.5) + (truth % 2) * 0.4 for m in ("old", "new")},
                         labels=[0, 1])  # fmt: skip
    brier = mc.decide(two, "old", "new", "brier_score", margin=0.9, **FEW)
    assert -brier.ci_low == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("metric", ["f1_macro", "precision_weighted", "cohen_kappa"])
def test_failures_that_were_not_seen_count_in_metrics_of_classes(metric):
    """200 samples that are all right say no more of F1 than of accuracy: 3 of 200 may fail.

    With the half sample in each cell that an interval adds, a gate passes at a margin of 2.5 of
    200, and so many stay unseen in 0.08 of the test sets.
    """
    truth = np.arange(200) % 2
    preds = mc.Predictions(truth, {"old": truth, "new": truth})
    scale = 2 if metric == "cohen_kappa" else 1
    found, accuracy = (
        mc.decide(preds, "old", "new", each, margin=2.5 * times / 200, **FEW)
        for each, times in ((metric, scale), ("accuracy", 1))
    )
    assert found.ci_low == pytest.approx(scale * accuracy.ci_low, rel=0.05)
    assert not found.passed


def test_failures_that_were_not_seen_count_in_log_loss():
    """The bound is that of the data with more samples on which the newer model loses 1 nat."""
    n, truth = 200, np.arange(200) % 2
    p = np.where(np.arange(n) % 50 == 7, 0.3, np.linspace(0.999, 0.99, n))
    worse = np.where(np.arange(n) % 50 == 8, 0.3, np.linspace(0.99, 0.999, n))
    preds = mc.Predictions(truth, {
        model: np.where(np.eye(2)[truth] == 1, of_true[:, None], 1 - of_true[:, None])
        for model, of_true in {"old": p, "new": worse}.items()
    })  # fmt: skip
    found = mc.decide(preds, "old", "new", "log_loss", margin=0.1, **FEW)

    gains, added = np.log(worse / p), unseen_units(0.05)
    share = added / (n + added)
    squared = (1 - share) ** 2 * gains.var(ddof=1) / n + (share * (1 + gains.mean())) ** 2 / added
    bound = gains.mean() - share * (1 + gains.mean()) - stats.t.ppf(0.95, n) * np.sqrt(squared)
    interval = mc.bootstrap(preds, "log_loss", n_resamples=2).difference_interval(
        np.array([1]), np.array([0]), "auto", 0.9
    )
    assert found.ci_low == pytest.approx(min(bound, -interval.high[0, 0]), rel=1e-3)
    assert found.ci_low < -interval.high[0, 0] - 0.001
    assert "No level is promised" in found.caveat


# -- texts -----------------------------------------------------------------------------------


def test_the_range_is_declared_or_assumed_aloud():
    rng = np.random.default_rng(6)
    unit = rng.uniform(0.3, 0.6, 300)
    for options in ({}, {"bounds": (0, 1)}):
        preds = mc.Predictions.from_scores(
            {"old": unit, "new": unit + 0.001}, **options, greater_is_better=True
        )
        found = mc.decide(preds, "old", "new", "mean_score", margin=0.02, **FEW)
        assert found.passed
        assert "assuming scores lie within 0 and 1" in found.sentence()
        assert not found.caveat
    wide = mc.Predictions.from_scores(
        {"old": unit, "new": unit + 0.001}, bounds=(-5, 5), greater_is_better=True
    )
    found = mc.decide(wide, "old", "new", "mean_score", margin=0.02, **FEW)
    assert found.answer == "not enough data"
    assert "assuming scores lie within -5 and 5" in found.sentence()


def test_without_a_range_no_level_is_promised():
    rng = np.random.default_rng(7)
    old = rng.normal(0, 1, 60)
    preds = mc.Predictions.from_scores(
        {"old": old, "new": old + rng.normal(0, 0.01, 60)}, greater_is_better=True
    )
    found = mc.decide(preds, "old", "new", "mean_score", margin=0.1, **FEW)
    assert found.sentence().endswith(
        " No level is promised, as mean_score has no known range (declare it with bounds= or --read range="
        "LOW,HIGH): losses on fewer than 5 % of the samples would not have been seen."
    )
    values = mc.Predictions(old, {"old": old + 0.1, "new": old + 0.1}, kind="values")
    assert "as mae has no known range: losses" in (
        mc.decide(values, "old", "new", "mae", margin=0.1, **FEW).sentence()
    )
    labels = mc.Predictions(np.arange(60) % 2, {m: np.arange(60) % 2 for m in ("old", "new")})
    for metric in ("accuracy", "f1_macro"):
        assert not mc.decide(labels, "old", "new", metric, margin=0.2, **FEW).caveat


def test_a_score_outside_the_declared_range_is_an_error_that_names_the_row():
    with pytest.raises(
        ValueError, match=r"'b' has scores outside the declared range 0 to 1 in 1 ro"
    ):
        mc.Predictions.from_scores(
            {"a": [0, 1, 1], "b": [1, 1.5, 0]}, bounds=(0, 1), greater_is_better=True
        )
    with pytest.raises(ValueError, match=r"model 'b' has scores of 'x' outside the declared range"):
        mc.Predictions.from_scores(
            {"a": {"x": [0, 1], "y": [5, 5]}, "b": {"x": [0, 2], "y": [5, 5]}},
            bounds={"x": (0, 1)},
            greater_is_better=True,
        )
    with pytest.raises(ValueError, match="`bounds` is the range of per-example scores; leave it"):
        mc.Predictions([0, 1], {"a": [0, 1]}, bounds=(0, 1))
    with pytest.raises(ValueError, match="`bounds` names a score 'z'; there are x, y"):
        mc.Predictions.from_scores(
            {"a": {"x": [0, 1], "y": [5, 5]}}, bounds={"z": (0, 1)}, greater_is_better=True
        )


@needs("large")
def test_the_range_travels():
    rng = np.random.default_rng(8)
    preds = mc.Predictions.from_scores(
        {m: rng.uniform(0, 3, 40) for m in "abc"},
        bounds=(0, 4),
        slices={"half": [0, 1] * 20},
        greater_is_better=True,
    )
    sketched = mc.io.sketch(preds, "mean_score")
    parts = (
        preds[["a", "b"]], preds.subset(np.arange(20)), pickle.loads(pickle.dumps(preds)),
        copy.deepcopy(preds), preds.with_columns(groups=np.arange(40) // 2), sketched,
        sketched[["a", "b"]], mc.io.read_sketch(sketched.to_frame()),
    )  # fmt: skip
    for part in parts:
        assert part.access.scores.bounds == (0.0, 4.0)
        found = mc.decide(part, "a", "b", "mean_score", margin=1.0, **FEW)
        assert "assuming scores lie within 0 and 4" in found.sentence()
    frame = pd.DataFrame({m: preds.output(m).array for m in "abc"})
    assert mc.read_predictions(frame, bounds=(0, 4)).access.scores.bounds == (0.0, 4.0)
    scan = mc.io.scan_predictions(_arrow(frame), bounds=(0, 4))
    assert scan.access.scores.bounds == scan.load().access.scores.bounds == (0.0, 4.0)
    interval = mc.compare(preds, n_resamples=99).scores
    assert ((interval.ci_low >= 0) & (interval.ci_high <= 4)).all()
    with pytest.raises(ValueError, match="model 'a' has scores outside the declared range 0 to 2"):
        mc.io.scan_predictions(_arrow(frame), bounds=(0, 2)).load()
    named = {m: {"x": rng.random(40), "y": rng.normal(size=40)} for m in "ab"}
    two = mc.Predictions.from_scores(named, bounds={"x": (0, 1)}, greater_is_better=True)
    again = mc.io.read_sketch(mc.io.sketch(two, ["x", "y"]).to_frame())
    assert again.access.scores.bounds == {"x": (0.0, 1.0)}
    assert mc.io.sketch(two, ["x", "y"]).about == again.about


def _arrow(frame):
    pa = pytest.importorskip("pyarrow")
    return pa.Table.from_pandas(frame, preserve_index=False)


def test_a_gate_says_what_it_assumes_in_json_and_its_sentence():
    rng = np.random.default_rng(9)
    preds = scored(100, 0.0, 0.5, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = mc.gate(preds, "old", "new", ["mean_score:-0.1"], **FEW)
    assert '"assumption": "assuming scores lie within 0 and 1' in as_json(found)
    assert found.decisions[0].assumption in found.decisions[0].sentence()


def test_bounds_of_a_gain_are_possible_gains():
    two = mc.Predictions(["x", "x"], {"a": ["x", "x"], "b": ["x", "y"]}, labels=["x", "y"])
    scores = mc.Predictions.from_scores(
        {"a": [3.0, 4.0], "b": [3.0, 1.0]}, bounds=(1.0, 5.0), greater_is_better=True
    )
    for preds, metric, most in ((two, "accuracy", 1.0), (scores, "mean_score", 4.0)):
        found = mc.decide(preds, "b", "a", metric, margin=0.1)
        assert (found.ci_low, found.ci_high) == (-most, most)
        assert found.answer == "not enough data"
        with pytest.raises(ValueError, match="is not below the range"):
            mc.decide(preds, "b", "a", metric, margin=1.01 * most)
