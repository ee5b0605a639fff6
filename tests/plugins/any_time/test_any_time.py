"""Bounds of a gain that hold at any time, without a ledger."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import modelcompare as mc
from modelcompare.plugins.any_time.mixture import level_at_any_time
from tests import candidates as sets
from tests.plugged import needs
from tests.plugins.any_time.test_betting import wealth

RULE = "accuracy:+0"


def differences(n, candidate):
    found = sets.columns(n)
    right = {name: (found[name] == found["y_true"]) * 1 for name in ("old", candidate)}
    return (right[candidate] - right["old"]).astype(float)


@pytest.mark.parametrize(("n", "candidate"), [(60, "close"), (300, "bad"), (300, "best")])
def test_bounds_at_any_time_are_where_the_loop_of_players_wins(n, candidate):
    """The wealth of bets against each bound is 1 / alpha, by a loop over samples."""
    found = mc.decide(
        sets.of(n), "old", candidate, "accuracy", kind="superior", method="any-time"
    )  # fmt: skip
    gains = differences(n, candidate)
    assert found.gain == pytest.approx(gains.mean())
    assert wealth(gains, found.ci_low, -1.0) == pytest.approx(20, rel=1e-3)
    assert wealth(-gains, -found.ci_high, -1.0) == pytest.approx(20, rel=1e-3)
    one_look = mc.decide(sets.of(n), "old", candidate, "accuracy", kind="superior")
    assert found.ci_low < one_look.ci_low < one_look.ci_high < found.ci_high
    if found.p_value < 0.5:
        assert found.p_value == pytest.approx(1 / wealth(gains, 0.0, -1.0), rel=1e-6)
    assert found.passed == (found.p_value < 0.05) == (found.ci_low > 0)


@pytest.mark.parametrize(("kind", "margin"), [("superior", 0.1), ("non-inferior", 0.05)])
def test_p_values_at_any_time_agree_with_the_bounds(kind, margin):
    for alpha in (0.2, 0.05, 0.001):
        for candidate in ("close", "good", "best", "bad"):
            found = mc.decide(sets.of(), "old", candidate, "accuracy", kind=kind, margin=margin,
                              alpha=alpha, method="any-time")  # fmt: skip
            bar = margin if kind == "superior" else -margin
            assert found.passed == (found.ci_low > bar) == (found.p_value < alpha)
            opposite = found.answer == "shown otherwise"
            assert opposite == (found.ci_high < bar) == (1 - found.p_value < alpha)


def test_scores_with_a_range_are_bounded_by_betting_in_both_directions():
    rng = np.random.default_rng(1)
    old, new = rng.uniform(2, 8, 200), rng.uniform(5, 9, 200)
    for up in (True, False):
        preds = mc.Predictions.from_scores(
            {"old": old, "new": new}, bounds=(0, 10), greater_is_better=up
        )
        found = mc.decide(preds, "old", "new", "mean_score", kind="superior", method="any-time")
        gains = (new - old) * (1 if up else -1)
        assert found.gain == pytest.approx(gains.mean())
        assert wealth(gains, found.ci_low, -10.0) == pytest.approx(20, rel=1e-3)
        assert found.answer == ("shown" if up else "shown otherwise")


@pytest.mark.parametrize("metric", ["f1_macro", "mcc"])
def test_other_metrics_have_the_level_of_the_asymptotic_boundary(metric):
    preds, options = sets.of(300), {"kind": "superior"}
    found = mc.decide(preds, "old", "good", metric, method="any-time", **options)
    level = level_at_any_time(300, 0.05)
    fixed = mc.decide(preds, "old", "good", metric, alpha=level, **options)
    assert (found.ci_low, found.ci_high) == (fixed.ci_low, fixed.ci_high)
    assert found.answer == fixed.answer == "shown"


def with_disagreements(n, worse, better=20):
    """Return a set where the candidate alone is wrong on some samples, and right on others."""
    truth = np.arange(n) % 2
    both = np.arange(n) % 7 == 0
    old, new = (np.where(both, 1 - truth, truth) for _ in range(2))
    new[:worse], old[-better:] = 1 - truth[:worse], 1 - truth[-better:]
    old[:worse], new[-better:] = truth[:worse], truth[-better:]
    return mc.Predictions(truth, {"old": old, "new": new})


def test_asymptotic_p_values_are_where_bounds_exclude_the_threshold():
    def asked(alpha):
        return mc.decide(
            sets.of(), "old", "good", "mcc", kind="superior", method="any-time", alpha=alpha
        )

    found = asked(0.05)
    assert 0 < found.p_value < 0.05
    assert not asked(found.p_value * 0.99).passed
    assert asked(found.p_value * 1.01).passed
    # At levels of one look below 1e-12 an interval cannot be computed, and nothing is shown.
    assert level_at_any_time(300, 1e-11) < 1e-12
    assert asked(1e-11).ci_low == -math.inf


@pytest.mark.parametrize("metric", ["mcc", "f1_macro", "f1_weighted"])
@pytest.mark.parametrize(("n", "worse"), [(49, 20), (300, 9), (300, 0), (5000, 9)])
def test_asymptotic_bounds_need_samples_in_favour_of_each_model(metric, n, worse):
    options = {"kind": "superior", "method": "any-time"}
    found = mc.decide(with_disagreements(n, worse), "old", "new", metric, **options)
    assert (found.answer, found.ci_low, found.ci_high) == ("not enough data", -math.inf, math.inf)
    assert "Bounds at any time need 50 samples, and 10 in favour of each model." in (
        found.sentence()
    )
    enough = mc.decide(with_disagreements(max(n, 50), 10), "old", "new", metric, **options)
    assert math.isfinite(enough.ci_low)
    assert not any("Bounds at any time" in note for note in enough.notes)


@needs("judges", "runs", "suites")
def test_any_time_is_of_samples_of_one_test_set():
    found = sets.columns()
    truth = np.where(np.arange(sets.N) < 100, found["y_true"], np.nan)
    judged = mc.Predictions(
        truth, {name: found[name] for name in ("old", "good")}, judge=found["best"]
    )
    names = {"runs": np.arange(sets.N) % 3, "ids": np.arange(sets.N) // 3}
    runs = mc.Predictions(found.pop("y_true"), found, **names)
    for preds, rule, more, instead in (
        ({"a": sets.of(), "b": sets.of(200)}, "mean(accuracy):+0", {}, "several .*`looks`"),
        (judged, RULE, {}, r"beside a judge; ask once, .*predictions\.access\.labelled"),
        (
            runs,
            RULE,
            {"generalize_to": "items+runs"},
            "new runs; .*generalize_to='items' .*`looks`",
        ),
    ):
        part = rf"method='any-time' \(--looks any\) is for samples that are .*{instead}"
        with pytest.raises(ValueError, match=part):
            mc.gate(preds, "old", "good", [rule], method="any-time", **more)
    assert mc.gate(runs, "old", "good", [RULE], method="any-time", generalize_to="items").decisions


@pytest.mark.slow
def test_an_answer_at_every_sample_errs_in_less_than_alpha_and_a_plain_gate_does_not():
    """Two models without a difference, asked after every ten of 400 samples."""
    rng, trials, errs = np.random.default_rng(5), 60, {"any": 0, "plain": 0}
    for _ in range(trials):
        truth = np.zeros(400, int)
        a, b = (rng.random((2, 400)) < 0.2).astype(int)
        gains = (a - b).astype(float)
        sums, squares = gains.cumsum(), (gains**2).cumsum()
        n = np.arange(20, 401, 10)
        z = sums[n - 1] / np.sqrt(np.maximum(squares[n - 1], 1))
        errs["plain"] += bool((z > norm.isf(0.05)).any())
        # Times at which the difference is large decide.
        worst = n[np.argsort(-z)[:2]]
        for size in worst:
            preds = mc.Predictions(truth[:size], {"old": a[:size], "new": b[:size]}, labels=[0, 1])
            decided = mc.decide(preds, "old", "new", "accuracy", kind="superior", method="any-time")
            if decided.passed:
                errs["any"] += 1
                break
    assert errs["any"] <= 0.05 * trials
    assert errs["plain"] > 0.15 * trials
