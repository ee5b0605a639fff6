"""Margins, slices, components of variance, and the self-check."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

import modelcompare as mc
from tests.made_up import made_up
from tests.plugged import needs

PREDS = made_up(400, (1.6, 1.5, 0.3))


def test_equivalence_is_statsmodels_tost_for_means():
    rng = np.random.default_rng(0)
    scores = {"a": rng.normal(0, 1, 200), "b": rng.normal(0.05, 1, 200)}
    preds = mc.Predictions.from_scores(scores, greater_is_better=True)
    paired = DescrStatsW(scores["b"] - scores["a"])
    for margin in (0.1, 0.2, 0.25, 0.3, 0.4):
        ours = mc.decide(preds, "a", "b", "mean_score", kind="equivalent", margin=margin,
                         method="normal")  # fmt: skip
        p = paired.ttost_mean(-margin, margin)[0]
        if abs(p - 0.05) > 0.005:
            assert ours.passed == (p < 0.05)
    low, high = paired.tconfint_mean(alpha=0.1)
    assert (ours.ci_low, ours.ci_high) == pytest.approx((low, high), abs=0.002)


def test_decisions_and_their_direction():
    worse = mc.decide(PREDS, "m0", "m2", "f1_macro", margin=0.02, n_resamples=499)
    assert not worse.passed
    assert worse.gain < 0
    better = mc.decide(PREDS, "m2", "m0", "f1_macro", kind="superior", n_resamples=499)
    assert better.passed
    assert "m0 is better than m2 in f1_macro" in better.sentence()
    loss = mc.decide(PREDS, "m2", "m0", "log_loss", kind="superior", n_resamples=499)
    assert loss.passed
    assert loss.gain > 0
    wide = mc.decide(PREDS, "m0", "m1", "f1_macro", margin=0.5, n_resamples=499)
    assert wide.passed
    assert mc.decide(PREDS, "m0", "m1", "f1[2]", margin=0.5, n_resamples=99).label == 2


def test_three_answers_and_a_p_value_that_agrees_with_the_bound():
    rng = np.random.default_rng(3)
    scores = {"a": rng.normal(0, 1, 400), "b": rng.normal(0, 1, 400)}
    preds = mc.Predictions.from_scores(scores, greater_is_better=True)
    difference = scores["b"] - scores["a"]
    error = difference.std(ddof=1) / 20
    for margin, kind in (
        (0.02, "non-inferior"),
        (0.4, "non-inferior"),
        (0.3, "superior"),
        (0.0, "superior"),
    ):
        found = mc.decide(preds, "a", "b", "mean_score", kind=kind, margin=margin, method="normal")
        threshold = -margin if kind == "non-inferior" else margin
        z = (difference.mean() - threshold) / error
        assert found.p_value == pytest.approx(stats.norm.sf(z), abs=1e-6)
        assert found.passed == (found.p_value < 0.05)
        assert (found.answer == "shown otherwise") == (found.p_value > 0.95)
        if found.answer == "not enough data":
            needed = 400 * ((stats.norm.isf(0.05) + stats.norm.isf(0.2)) / z) ** 2
            assert found.n_needed == pytest.approx(needed, abs=2)


@pytest.mark.parametrize(
    "columns", [{}, {"groups": np.arange(400) // 3}], ids=["samples", "clusters"]
)
@pytest.mark.parametrize("metric", ["f1_macro", "log_loss", "accuracy"])
def test_the_p_value_is_the_level_whose_bound_is_the_margin(metric, columns):
    preds = made_up(400, (1.6, 1.5), **columns)
    found = mc.decide(preds, "m0", "m1", metric, margin=0.08)
    assert 0 < found.p_value < 0.5
    asked_at_once = mc.decide(preds, "m0", "m1", metric, margin=0.08, alpha=found.p_value)
    assert asked_at_once.ci_low == pytest.approx(-0.08, abs=1e-9)
    assert found.ci_low != asked_at_once.ci_low


def test_a_gate_opens_where_every_rule_is_shown():
    found = mc.gate(PREDS, "m2", "m0", ["accuracy:-0.02", "recall[1]:-0.2"], n_resamples=499)
    assert found.passed
    assert [decision.label for decision in found.decisions] == [None, 1]
    shut = mc.gate(PREDS, "m0", "m2", ["accuracy:-0.9", "accuracy:-0.01"], n_resamples=499)
    assert shut.answer == "shown otherwise"
    with pytest.raises(ValueError, match="`rules` is empty"):
        mc.gate(PREDS, "m0", "m1", [])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "`margin` must be above 0 to ask for non-inferior, got 0"),
        ({"margin": -1.0, "kind": "superior"}, "`margin` must be finite and at least 0, got -1"),
        ({"margin": 0.1, "alpha": 0.7}, r"`alpha` must be in \(0, 0.5\), got 0.7"),
        ({"margin": 0.1, "kind": "better"}, "`kind` must be one of non-inferior, superior"),
    ],
)
def test_margins_must_fit_the_question(options, message):
    with pytest.raises(ValueError, match=message):
        mc.decide(PREDS, "m0", "m1", **options)


def test_slices_are_compared_one_by_one_and_corrected_together():
    rng = np.random.default_rng(0)
    lang = rng.choice(["de", "en", "fr"], 400, p=[0.5, 0.45, 0.05])
    preds = made_up(400, (1.6, 1.5, 0.3), slices={"lang": lang, "half": np.arange(400) // 200})
    result = mc.compare_groups(preds, ["accuracy", "f1_macro"], n_resamples=999)
    assert result.left_out[["slice", "value"]].to_numpy().tolist() == [["lang", "fr"]]
    german = preds.subset(lang == "de")
    expected = mc.bootstrap(german, "accuracy", n_resamples=2).point[:, 0]
    rows = result.scores.query("slice == 'lang' and value == 'de' and metric == 'accuracy'")
    np.testing.assert_allclose(rows.estimate, expected)
    assert (rows.n_samples == len(german)).all()
    from statsmodels.stats.multitest import multipletests

    for _, family in result.differences.groupby("metric"):
        np.testing.assert_allclose(
            family.p_adjusted, multipletests(family.p_value, method="holm")[1]
        )
    best = result.scores.query("metric == 'accuracy'").groupby("model")["rank"].mean().idxmin()
    order = result.scores.query(f"metric == 'accuracy' and model == '{best}'").estimate
    assert order.is_monotonic_increasing
    only = mc.compare_groups(preds, "log_loss", by=["half"], n_resamples=99)
    first = only.scores[only.scores.model == "m0"].estimate
    assert first.is_monotonic_decreasing


def test_slices_that_do_not_fit():
    with pytest.raises(ValueError, match="the predictions have no `slices`"):
        mc.compare_groups(PREDS)
    preds = made_up(40, (1.0, 0.5), slices={"lang": ["en"] * 40})
    with pytest.raises(ValueError, match="`by` names no slice variable: 'year'; there are lang"):
        mc.compare_groups(preds, by=["year"])
    with pytest.raises(ValueError, match="no subgroup has 100 samples"):
        mc.compare_groups(preds, min_size=100)


@needs("runs")
def test_components_of_variance_are_recovered():
    rng = np.random.default_rng(0)
    n_items, n_runs = 200, 8
    item, run = (x.ravel() for x in np.meshgrid(np.arange(n_items), np.arange(n_runs)))
    scores = rng.normal(0, 1, n_items)[item] + rng.normal(0, 0.3, n_runs)[run]
    preds = mc.Predictions.from_scores({"a": scores}, groups=item, runs=run, greater_is_better=True)
    row = mc.diagnostics.variance_components(preds, "mean_score", n_resamples=4000).iloc[0]
    table = pd.Series(scores)
    items, runs = (table.groupby(c).mean().std(ddof=1) / np.sqrt(n) for c, n in
                   ((item, n_items), (run, n_runs)))  # fmt: skip
    assert row.se_items == pytest.approx(items, rel=0.05)
    assert row.se_runs == pytest.approx(runs, rel=0.05)
    assert row.se_both == pytest.approx(np.hypot(items, runs), rel=0.05)
    with pytest.raises(ValueError, match="need `groups`"):
        mc.diagnostics.variance_components(PREDS, "accuracy")


@needs("runs")
@pytest.mark.parametrize(("n_items", "n_runs"), [(40, 2), (30, 3)])
def test_components_of_variance_are_those_of_the_analysis_of_variance(n_items, n_runs):
    rng = np.random.default_rng(1)
    y = rng.normal(size=(n_items, 1)) + rng.normal(size=n_runs) + rng.normal(size=(n_items, n_runs))
    item, run = (x.ravel() for x in np.indices(y.shape))
    preds = mc.Predictions.from_scores(
        {"a": y.ravel()}, groups=item, runs=run, greater_is_better=True
    )
    row = mc.diagnostics.variance_components(preds, "mean_score", n_resamples=20_000).iloc[0]
    of_items, of_runs = y.mean(axis=1), y.mean(axis=0)
    rest = y - of_items[:, None] - of_runs + y.mean()
    squares = (
        n_runs * of_items.var(ddof=1),
        n_items * of_runs.var(ddof=1),
        (rest**2).sum() / (n_items - 1) / (n_runs - 1),
    )
    assert row.se_items == pytest.approx(np.sqrt(squares[0] / y.size), rel=0.03)
    assert row.se_runs == pytest.approx(np.sqrt(squares[1] / y.size), rel=0.03)
    both = (squares[0] + squares[1] - squares[2]) / y.size
    assert row.se_both == pytest.approx(np.sqrt(both), rel=0.03)


@needs("gaps")
@pytest.mark.parametrize("margin", [1, 2])
def test_a_margin_of_the_whole_range_is_refused_as_a_slip_of_percent(margin):
    truth, right = np.resize([0, 1], 60), np.resize([0, 1, 1], 60)
    preds = mc.Predictions(truth, {"a": right, "b": truth}, slices={"g": np.resize(["u", "v"], 60)})
    text = rf"`margin` \(--margin\) {margin} is not below the range of accuracy, which is 1"
    asked = (
        lambda: mc.decide(preds, "a", "b", "accuracy", margin=margin, n_resamples=99),
        lambda: mc.gate(preds, "a", "b", f"accuracy:-{margin}", n_resamples=99),
        lambda: mc.gate(preds, "a", "b", f"accuracy:+{margin}", n_resamples=99),
        lambda: mc.sample_size(preds, "a", "b", "accuracy", margin=margin),
        lambda: mc.diagnostics.gaps(preds, "accuracy", margin=margin, min_size=10),
    )
    for ask in asked:
        with pytest.raises(ValueError, match=f"{text}.*for {margin} % write 0.0{margin}"):
            ask()
    # Scores from 0 to 100 may have a margin of 1.
    scores = mc.Predictions.from_scores(
        {"a": 100.0 * right, "b": 100.0 * truth}, greater_is_better=True, bounds=(0, 100)
    )
    assert mc.decide(scores, "a", "b", "mean_score", margin=margin, n_resamples=99).margin == margin


@needs("calibration")
def test_a_calibration_error_of_clusters_has_the_interval_that_is_asked_for_and_no_other():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    p = {
        m: 1 / (1 + np.exp(-(y - 0.5) * s - rng.normal(size=80)))
        for m, s in {"a": 2, "b": 1}.items()
    }
    preds = mc.Predictions(
        y, {m: np.c_[1 - each, each] for m, each in p.items()}, groups=np.arange(80) // 2
    )
    asked = {"margin": 0.1, "n_resamples": 99}
    with pytest.raises(ValueError, match=r"of equal weight .* but these have clusters, so none"):
        mc.decide(preds, "a", "b", "ece", **asked)
    found = mc.decide(preds, "a", "b", "ece", **asked, method="percentile")
    assert found.ci_low < found.gain < found.ci_high
