"""A constant added to all scores changes no test and no width; equal differences are found."""

import warnings

import numpy as np
import pytest
from scipy.stats import binomtest

import modelcompare as mc

RNG = np.random.default_rng(3)
# Multiples of 2^-10, so that adding 2^27 rounds nothing.
A = np.round(RNG.normal(size=40) * 2**10) / 2**10
B = np.round((A + RNG.normal(0.3, 0.7, 40)) * 2**10) / 2**10
OFFSET = 2.0**27
DESIGNS = {
    "samples": {}, "clusters": {"groups": np.arange(40) // 2},
    "weights": {"sample_weight": np.arange(1.0, 41.0)}, "strata": {"strata": np.arange(40) % 2},
}  # fmt: skip
ENDS = ["ci_low", "ci_high"]


def compared(a, b, **options):
    preds = mc.Predictions.from_scores({"a": a, "b": b}, greater_is_better=True, **options)
    return mc.compare(preds, n_resamples=999)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("bounded", [False, True])
def test_a_constant_added_to_all_scores_changes_nothing_but_the_values(design, bounded):
    plain, moved = (
        compared(A + c, B + c, **DESIGNS[design], **({"bounds": (c - 9, c + 9)} if bounded else {}))
        for c in (0.0, OFFSET)
    )

    of = ["difference", *ENDS, "p_value", "p_adjusted"]
    assert moved.differences[of].to_numpy() == pytest.approx(
        plain.differences[of].to_numpy(), abs=1e-6
    )
    values = ["estimate", *ENDS]
    away = moved.scores[values].to_numpy() - OFFSET
    assert away == pytest.approx(plain.scores[values].to_numpy(), abs=1e-5)


def test_a_constant_added_to_predictions_leaves_the_explained_variance():
    y = RNG.normal(size=60)
    outputs = {"a": y + RNG.normal(0, 0.3, 60), "b": y + RNG.normal(0, 0.5, 60)}
    plain, moved = (
        mc.compare(
            mc.Predictions(y, {m: p + c for m, p in outputs.items()}, kind="values"),
            "explained_variance", n_resamples=999,
        ).differences[["difference", *ENDS, "p_value"]].to_numpy()
        for c in (0.0, OFFSET)
    )  # fmt: skip

    assert moved == pytest.approx(plain, rel=1e-5)


@pytest.mark.parametrize("base", ["constant", "far", "whole numbers", "texture"])
def test_scores_that_differ_by_exactly_one_on_all_items_differ(base):
    a = {"constant": np.full(40, 5.0), "far": np.full(40, OFFSET), "whole numbers": np.arange(40.0),
         "texture": A}[base]  # fmt: skip

    with warnings.catch_warnings():
        # Intervals of the two constants themselves have no ends.
        warnings.simplefilter("ignore", mc.SparseDataWarning)
        row = compared(a + 1, a).differences.iloc[0]

    assert row["p_value"] == pytest.approx(2 / 2**40, rel=0.01)
    assert row["difference"] == 1
    assert 0 < row["ci_low"] < 1 < row["ci_high"] < 2


def test_swaps_of_equal_differences_are_counted_exactly_where_they_are_few():
    with pytest.warns(mc.SparseDataWarning):
        row = compared(np.full(8, 6.0), np.full(8, 5.0)).differences.iloc[0]

    assert row["p_value"] == pytest.approx(binomtest(8, 8).pvalue)  # 2^-7


@pytest.mark.parametrize("n", range(2, 12))
def test_the_interval_of_equal_differences_excludes_0_where_the_sign_test_rejects(n):
    with pytest.warns(mc.SparseDataWarning):
        row = compared(np.full(n, 6.0), np.full(n, 5.0)).differences.iloc[0]

    assert (row["ci_low"] > 0) == (binomtest(n, n).pvalue < 0.05)
