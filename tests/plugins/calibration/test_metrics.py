"""Calibration errors, and terms of the Brier score, by loops."""

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.plugins.calibration.metrics import bin_edges, in_bins
from tests.metrics.test_values import CALIBRATED, CODES, PROBS, check

RNG = np.random.default_rng(0)


def ece_loop(confidence, right, reducer):
    gaps, shares = [], []
    # Tenths were divided by sums that are 1 but for rounding: 0.6 is on the edge 9/15 all the same.
    guess, edges = confidence.round(8), (np.arange(16) / 15).round(8)
    for k in range(15):
        inside = (guess >= edges[k]) & ((guess < edges[k + 1]) | (k == 14))
        if inside.any():
            gaps.append(abs(confidence[inside].mean() - right[inside].mean()))
            shares.append(inside.mean())
    return reducer(np.array(gaps), np.array(shares))


def test_calibration_errors_by_a_loop():
    top, right = PROBS.max(axis=1), (PROBS.argmax(axis=1) == CODES).astype(float)

    def mean(gaps, shares):
        return (gaps * shares).sum()

    check(CALIBRATED, "ece", lambda rows: ece_loop(top[rows], right[rows], mean))
    check(
        CALIBRATED, "mce", lambda rows: ece_loop(top[rows], right[rows], lambda gaps, _: gaps.max())
    )
    check(
        CALIBRATED, "ece_classwise",
        lambda rows: np.mean([ece_loop(PROBS[rows, j], (CODES[rows] == j).astype(float), mean)
                              for j in range(4)]),
    )  # fmt: skip


def test_edges_of_bins_belong_to_the_bin_above():
    edges = bin_edges(np.zeros(1), 15, "width")
    assert in_bins(np.arange(16) / 15, edges).tolist() == [*range(15), 14]


def equal_mass_loop(confidence, right, edges):
    bins = [sum(c >= edge for edge in edges) for c in confidence]
    groups = [[i for i, b in enumerate(bins) if b == k] for k in range(len(edges) + 1)]
    return sum(abs(confidence[g].sum() - right[g].sum()) for g in groups if g) / len(right)


def test_equal_mass_edges_come_from_the_whole_test_set():
    top, right = PROBS.max(axis=1), (PROBS.argmax(axis=1) == CODES).astype(float)
    edges = np.sort(top)[[16, 32, 48, 64]]
    check(CALIBRATED, "ece_mass_5", lambda rows: equal_mass_loop(top[rows], right[rows], edges))
    sizes = np.bincount(in_bins(RNG.random(1000), bin_edges(RNG.random(1000), 10, "mass"), "mass"))
    assert sizes.min() > 50
    values = RNG.random(30)
    thirds = in_bins(values, bin_edges(values, 3, "mass"), "mass")
    assert np.bincount(thirds).tolist() == [10, 10, 10]
    with pytest.raises(ValueError, match="`strategy` must be one of width, mass"):
        mc.get_metric("ece", strategy="quantile")
    classwise = [np.sort(PROBS[:, j])[[16, 32, 48, 64]] for j in range(4)]
    check(
        CALIBRATED, "ece_classwise_mass_5",
        lambda rows: np.mean([equal_mass_loop(PROBS[rows, j], (CODES[rows] == j) * 1.0, classwise[j])
                              for j in range(4)]),
    )  # fmt: skip


@pytest.mark.parametrize("n_classes", [2, 4])
def test_murphy_decomposes_the_brier_score(n_classes):
    codes = RNG.integers(0, n_classes, 90)
    p = np.round(RNG.dirichlet(np.ones(n_classes), 90), 2)
    preds = mc.Predictions(codes, {"a": p}, labels=range(n_classes), normalize=True)
    names = ["brier_reliability", "brier_resolution", "brier_uncertainty", "brier_score"]
    draws = mc.bootstrap(preds, names, n_resamples=20).draws[:, 0]
    np.testing.assert_allclose(draws[:, 0] - draws[:, 1] + draws[:, 2], draws[:, 3], atol=1e-12)


def test_murphys_own_terms_for_binned_forecasts():
    # Forecasts of 0.1, 0.5 and 0.9 stand alone in their bins: the classic decomposition.
    p, y = np.repeat([0.1, 0.5, 0.9], [5, 4, 6]), np.array([0, 0, 0, 0, 1] + [0, 1, 1, 0] + [1] * 6)
    found = mc.bootstrap(
        mc.Predictions(y, {"a": p}), ["brier_reliability", "brier_resolution", "brier_uncertainty"],
        n_resamples=2,
    ).point[0]  # fmt: skip
    rates, sizes, base = np.array([0.2, 0.5, 1]), np.array([5, 4, 6]), y.mean()
    reliability = (sizes * (np.array([0.1, 0.5, 0.9]) - rates) ** 2).sum() / 15
    resolution = (sizes * (rates - base) ** 2).sum() / 15
    assert found == pytest.approx([reliability, resolution, base * (1 - base)])
