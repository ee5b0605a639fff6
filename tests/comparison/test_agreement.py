"""P-values and intervals beside each other agree, wherever both are given."""

from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

import modelcompare as mc
from modelcompare.comparison import compare as comparing
from modelcompare.comparison.agreement import agreed
from modelcompare.comparison.correction import corrected_errors

pytestmark = pytest.mark.filterwarnings("ignore")

CORRECTIONS = [
    "none",
    "bonferroni",
    "sidak",
    "holm",
    "hochberg",
    "hommel",
    "fdr_bh",
    "fdr_by",
    "max-t",
    "min-p",
]
TESTS = ["studentized-permutation", "permutation", "sign-flip", "bootstrap", "wald"]


def made(seed=0, n=90, n_models=4):
    """Models of which some differ a little, with probabilities of three classes, one of them rare."""
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=[0.7, 0.24, 0.06])
    y[:3] = 0, 1, 2
    outputs = {}
    for model in range(n_models):
        odds = rng.standard_normal((n, 3))
        odds[np.arange(n), y] += 1.0 + 0.3 * model
        outputs[f"m{model}"] = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    slices = {"part": np.arange(n) % 2}
    return mc.Predictions(y, outputs, labels=range(3), slices=slices)


def compared(seed=0, **options):
    asked = {"metrics": ["accuracy", "f1_macro", "recall"], "n_resamples": 199} | options
    return mc.compare(made(seed), **asked)


def untouched(seed=0, **options):
    """The same comparison before p-values and intervals are made to agree."""
    with patch.object(comparing, "agreed", lambda evidence: evidence):
        return compared(seed, **options)


def n_apart(frame, p_value, level=0.05):
    known = frame[["ci_low", "ci_high", p_value]].notna().all(axis=1)
    excluded = (frame["ci_low"] > 0) | (frame["ci_high"] < 0)
    return int((known & (excluded != (frame[p_value] < level))).sum())


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(CORRECTIONS), st.sampled_from(TESTS),
       st.sampled_from(["auto", "normal", "BCa"]))  # fmt: skip
def test_no_interval_contradicts_its_p_value(seed, correction, test, method):
    test = TESTS[0] if correction == "min-p" else test
    result = compared(seed, correction=correction, test=test, method=method)

    assert n_apart(result.differences, "p_value") == 0
    assert n_apart(result.leads(every=True), "p_adjusted") == 0
    assert result.differences["better"].notna().equals(result.differences["p_adjusted"] < 0.05)


def test_they_would_contradict_each_other():
    results = [untouched(seed) for seed in range(8)]

    assert sum(n_apart(result.differences, "p_value") for result in results) > 3


@pytest.mark.parametrize("correction", ["holm", "fdr_bh", "max-t"])
def test_no_p_value_falls_and_no_interval_is_shortened(correction):
    raised = extended = 0
    for seed in range(16):
        before, after = (
            each(seed, correction=correction).differences for each in (untouched, compared)
        )
        for name in ("p_value", "p_adjusted"):
            assert (after[name].fillna(1) >= before[name].fillna(1)).all()
        assert (after["ci_low"].fillna(0) <= before["ci_low"].fillna(0)).all()
        assert (after["ci_high"].fillna(0) >= before["ci_high"].fillna(0)).all()
        raised += (after["p_value"] > before["p_value"]).sum()
        extended += (
            after["ci_high"] - after["ci_low"] > before["ci_high"] - before["ci_low"]
        ).sum()

    assert raised
    assert extended


def _nearer_end(error, result, row):
    """The end of an interval that is nearer to 0, positive where 0 is outside."""
    a, b = (side[[row]] for side in result.evidence.pairs)
    found = result.bootstrap.difference_interval(a, b, "auto", 1 - error)
    return found.low[0, 0] if result.evidence.difference[row, 0] > 0 else -found.high[0, 0]


def test_a_raised_p_value_is_the_error_at_which_the_interval_ends_at_0():
    checked = 0
    for seed in range(25):
        result, before = compared(seed, metrics="f1_macro"), untouched(seed, metrics="f1_macro")
        p = result.differences["p_value"].to_numpy()
        for row in np.flatnonzero(p > before.differences["p_value"].to_numpy()):
            assert p[row] == pytest.approx(
                brentq(_nearer_end, 1e-6, 0.999, (result, row)), rel=0.01
            )
            checked += 1

    assert checked > 2


def test_evidence_that_agrees_stays_as_it_is():
    evidence = compared(3).evidence
    again = agreed(evidence)

    for name in ("p_values", "p_adjusted"):
        np.testing.assert_array_equal(getattr(again, name), getattr(evidence, name))
    for name in ("low", "high"):
        ends = (getattr(each.difference_interval, name) for each in (again, evidence))
        np.testing.assert_array_equal(*ends)


def test_holms_intervals_are_at_the_level_of_its_last_step():
    """With r of m differences found, the last of them was compared with alpha / (m - r + 1)."""
    for seed in range(4):
        evidence = compared(seed, metrics="accuracy").evidence
        n_found = max(1, (evidence.p_adjusted < 0.05).sum())
        np.testing.assert_allclose(corrected_errors(evidence), 0.05 / (6 - n_found + 1))


def test_corrections_over_groups_and_slices_agree_too():
    for seed in range(4):
        result = mc.compare_groups(made(seed, n=200), "f1_macro", n_resamples=199)
        assert n_apart(result.differences, "p_value") == 0
        for each in result.results.values():
            assert n_apart(each.leads(every=True), "p_adjusted") == 0


@pytest.mark.parametrize("test", ["corrected-t", "5x2cv-t", "5x2cv-f"])
def test_tests_of_folds_agree_with_their_intervals(test):
    rng = np.random.default_rng(0)
    seen = 0
    for _ in range(15):
        folds = [
            {"repeat": repeat, "fold": fold, "model": model, "score": score}
            for repeat in range(5)
            for fold in range(2)
            for model, score in zip("ab", rng.normal([0.5, 0.58], 0.05), strict=True)
        ]
        sizes = {"n_train": 50, "n_test": 50, "greater_is_better": True}
        found = mc.crossval.compare_folds(pd.DataFrame(folds), test=test, **sizes).differences
        assert n_apart(found, "p_value") == 0
        seen += int(found["p_value"].iloc[0] < 0.05)

    assert 0 < seen < 15
