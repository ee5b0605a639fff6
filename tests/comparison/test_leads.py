"""The rows that people read: the winner first, interval and p-value with the same correction."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import modelcompare as mc
from tests.report.written import screen_text

METRICS = ["accuracy", "log_loss"]


def made(seed=0, n=120, n_models=4):
    """Models from weak to strong, with probabilities of two classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    sure = 0.4 * rng.random(n_models)
    p = np.clip(0.5 + (2 * y - 1)[:, None] * sure + rng.normal(0, 0.3, (n, n_models)), 0.02, 0.98)
    outputs = {f"m{i}": np.column_stack([1 - p[:, i], p[:, i]]) for i in range(n_models)}
    return mc.Predictions(y, outputs)


def compared(seed=0, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mc.compare(made(seed), METRICS, **{"n_resamples": 199} | options)


def test_the_leader_is_ahead_of_every_other_model_whichever_way_the_metric_points():
    result = compared()
    scores = result.scores.set_index(["metric", "model"])["estimate"]
    for metric, best in (("accuracy", max), ("log_loss", min)):
        of_metric = result.leads()[result.leads().metric == metric]
        assert of_metric.model.unique().tolist() == [
            best(result.evidence.models, key=scores[metric].get)
        ]
        assert (of_metric.lead >= 0).all()
        assert of_metric.lead.is_monotonic_increasing
        for row in of_metric.itertuples():
            gap = scores[metric, row.model] - scores[metric, row.other]
            assert abs(gap) == pytest.approx(row.lead, abs=1e-12)
            assert row.ci_low <= row.lead <= row.ci_high


def test_without_correction_the_bounds_are_those_of_the_differences():
    result = compared(correction="none")
    rows = result.differences.set_index(["metric", "model_a", "model_b"])
    for row in result.leads(every=True).itertuples():
        turned = (row.metric, row.model, row.other) not in rows.index
        pair = (row.other, row.model) if turned else (row.model, row.other)
        ends = rows.loc[(row.metric, *pair), ["ci_low", "ci_high"]].to_numpy()
        worse = turned != (row.metric == "log_loss")
        expected = -ends[::-1] if worse else ends
        assert [row.ci_low, row.ci_high] == pytest.approx(expected.tolist())


def test_all_pairs_are_there_once_the_better_model_first():
    result = compared()
    assert len(result.leads(every=True)) == len(result.differences)
    assert (result.leads(every=True).lead >= 0).all()
    pairs = {
        (row.metric, *sorted([row.model, row.other]))
        for row in result.leads(every=True).itertuples()
    }
    assert len(pairs) == len(result.differences)


def test_with_a_baseline_each_row_says_how_much_better_than_it_a_model_is():
    result = compared(baseline="m1")
    scores = result.scores.set_index(["metric", "model"])["estimate"]
    assert (result.leads().other == "m1").all()
    for row in result.leads().itertuples():
        gap = scores[row.metric, row.model] - scores[row.metric, "m1"]
        assert row.lead == pytest.approx(-gap if row.metric == "log_loss" else gap, abs=1e-12)
    assert re.search(r"^ model +better by  95 % CI", screen_text(result), re.MULTILINE)
    title = "accuracy, differences from the baseline (+: better than the baseline)"
    assert title in screen_text(result, show_all=True)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["none", "bonferroni", "holm", "fdr_bh", "fdr_by"]))
def test_the_interval_is_of_the_level_at_which_the_correction_decides(seed, correction):
    result = compared(seed, correction=correction, test="wald", method="normal")
    plain = compared(seed, correction="none", test="wald", method="normal").leads(every=True)
    leads = result.leads(every=True)
    for metric in METRICS:
        rows = leads[leads.metric == metric]
        m, shown = len(rows), max((rows.p_adjusted < 0.05).sum(), 1)
        error = {
            "none": 0.05, "bonferroni": 0.05 / m, "holm": 0.05 / m, "fdr_bh": 0.05 * shown / m,
            "fdr_by": 0.05 * shown / m / sum(1 / k for k in range(1, m + 1)),
        }[correction]  # fmt: skip
        p = _single_p_values(result, rows)
        step = (correction == "holm") & (rows.p_adjusted < 0.05) & (p >= error)
        errors = np.where(step, 0.05 / (m - shown + 1), error)
        single = plain.loc[rows.index]
        # Normal intervals are as wide as their quantile, unless they are extended to 0.
        apart = (rows.ci_low * rows.ci_high * single.ci_low * single.ci_high) != 0
        wider = (rows.ci_high - rows.ci_low) / (single.ci_high - single.ci_low)
        expected = norm.isf(errors / 2) / norm.isf(0.025)
        assert wider[apart].to_numpy() == pytest.approx(expected[apart])
        # A test at this level by itself decides as the correction does.
        assert (p < errors).tolist() == (rows.p_adjusted < 0.05).tolist()


def _single_p_values(result, rows):
    of_pair = result.differences.set_index(["metric", "model_a", "model_b"])["p_value"]
    pairs = [(row.metric, *sorted([row.model, row.other])) for row in rows.itertuples()]
    return of_pair.loc[pairs].to_numpy()


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 10**6))
def test_max_t_intervals_go_with_max_t_p_values(seed):
    result = compared(seed, correction="max-t", n_resamples=999)
    together = result.simultaneous_intervals().set_index(["metric", "model_a", "model_b"])
    for row in result.leads().itertuples():
        pair = sorted([row.model, row.other])
        width = (
            together.loc[(row.metric, *pair), "ci_high"]
            - together.loc[(row.metric, *pair), "ci_low"]
        )
        assert row.ci_high - row.ci_low == pytest.approx(width)


def test_models_that_are_level_are_named_alone():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    weak = {f"weak{i}": np.where(rng.random(40) < 0.2, y, 1 - y) for i in range(3)}
    outputs = {**{f"right{i}": y for i in range(15)}, **weak}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = mc.compare(mc.Predictions(y, outputs), "accuracy", n_resamples=199)
    assert "right3 and 11 more have the same value, 1.00" in result.verdict()
    few = mc.Predictions(y[:6], {name: array[:6] for name, array in outputs.items()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdict = mc.compare(few, "accuracy", n_resamples=199).verdict()
    assert "right3 and 11 more have the same value, 1.0" in verdict
    assert "and not significantly different from weak0" in verdict


def test_resamples_that_hold_p_values_up_are_reported_with_the_remedy():
    rng = np.random.default_rng(0)
    y = rng.normal(size=400)
    outputs = {f"m{i:02d}": y + rng.normal(0, 0.2 + 0.3 * (i > 3), 400) for i in range(14)}
    result = mc.compare(mc.Predictions(y, outputs), "r2", n_resamples=1999)
    text = " ".join(screen_text(result).split())
    assert "1,999 resamples and 91 tests: no p-value can be below" in text
    assert (
        "More resamples (91,000), a baseline (13 pairs) or the correction max-t make it smaller."
        in text
    )
    enough = mc.compare(mc.Predictions(y, outputs), "r2", n_resamples=1999, baseline="m00",
                        test="wald")  # fmt: skip
    assert "no p-value can be below" not in screen_text(enough)


def test_a_correction_that_leaves_nothing_is_reported_with_the_remedy():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    outputs = {f"m{i:02d}": np.where(rng.random(300) < 0.75, y, 1 - y) for i in range(30)}
    result = mc.compare(mc.Predictions(y, outputs), "accuracy", n_resamples=199)
    assert not result.differences.better.notna().any()
    n_found = (result.differences.p_value < 0.05).sum()
    note = (
        f"{n_found} of 435 differences have p below 0.05 alone, none after the correction for so many "
        "tests: a larger test set, a baseline (29 pairs) or the correction max-t can show more."
    )
    assert note in " ".join(screen_text(result).split())


def test_a_default_metric_that_one_model_cannot_have_is_named():
    preds = made()
    mixed = mc.Predictions(
        preds.y_true, {"soft": preds.probabilities("m0"), "hard": preds.predicted("m1")}
    )
    result = mc.compare(mixed, n_resamples=99)
    note = "log_loss is left out: 'hard' gave labels, and it needs probabilities of all."
    assert note in " ".join(screen_text(result).split())
    assert note not in " ".join(screen_text(mc.compare(mixed, METRICS[:1], n_resamples=99)).split())
