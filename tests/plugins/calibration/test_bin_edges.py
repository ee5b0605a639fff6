"""Forecasts on the edge of a bin: one rule, in exact arithmetic, for any type that stores them."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modelcompare as mc
from modelcompare.plugins.calibration.metrics import bin_edges, in_bins
from tests.plugged import needs

N_BINS = 10
HUNDREDTHS = np.random.default_rng(1).integers(0, 101, 1000)
Y = (np.random.default_rng(2).random(1000) < HUNDREDTHS / 100).astype(int)
EXACT = HUNDREDTHS / 100
# One and the same forecasts: as numbers of half the size, and as what remains of the other class.
STORED = {
    "double": np.column_stack([(100 - HUNDREDTHS) / 100, EXACT]),
    "single": np.column_stack([(100 - HUNDREDTHS) / 100, EXACT]).astype(np.float32),
    "subtracted": np.column_stack([1 - EXACT, EXACT]),
    "subtracted from the other": np.column_stack([EXACT, 1 - EXACT])[:, ::-1],
}


def error_by_fractions(hundredths, right):
    """Expected calibration error of half-open bins [k / m, (k + 1) / m), without rounding."""
    gaps = {}
    for stated, came in zip(hundredths.tolist(), right.tolist(), strict=True):
        confidence = Fraction(stated, 100)
        place = min(int(confidence * N_BINS), N_BINS - 1)
        gaps[place] = gaps.get(place, 0) + came - confidence
    return float(sum(map(abs, gaps.values())) / len(right))


TOP = error_by_fractions(
    np.maximum(HUNDREDTHS, 100 - HUNDREDTHS), np.where(HUNDREDTHS > 50, Y == 1, Y == 0)
)
EACH = (error_by_fractions(HUNDREDTHS, Y) + error_by_fractions(100 - HUNDREDTHS, 1 - Y)) / 2


@pytest.mark.parametrize("stored", STORED)
def test_forecasts_of_two_decimals_are_binned_as_fractions_are(stored):
    p = STORED[stored]
    assert mc.metrics.ece(Y, p, n_bins=N_BINS) == pytest.approx(TOP, abs=1e-7)
    found = mc.metrics.ece(Y, p, n_bins=N_BINS, classwise=True)
    assert found == pytest.approx(EACH, abs=1e-7)


@needs("calibration")
@pytest.mark.parametrize("stored", STORED)
def test_curves_and_tests_bin_as_the_metric_does(stored):
    preds = mc.Predictions(Y, {"a": STORED[stored]}, labels=[0, 1])
    table = mc.diagnostics.reliability(preds, n_bins=N_BINS, label=1).table
    counts = np.bincount(np.minimum(HUNDREDTHS // 10, 9), minlength=N_BINS)
    assert table["n"].tolist() == counts[counts > 0].tolist()
    test = mc.inference.calibration_test(preds, n_bins=N_BINS, n_resamples=9)
    assert test.statistic == pytest.approx(TOP, abs=1e-7)


@needs("large")
def test_a_scan_in_single_precision_bins_as_memory_does(tmp_path):
    path = tmp_path / "p.parquet"
    pytest.importorskip("pyarrow")
    p = STORED["single"]
    frame = pd.DataFrame({"y_true": Y, "a:0": p[:, 0], "a:1": p[:, 1]})
    frame.to_parquet(path)
    scanned = mc.bootstrap(mc.io.scan_predictions(path), "ece_10", n_resamples=2).estimate.iloc[0]
    assert scanned == pytest.approx(TOP, abs=1e-7)


@given(
    n_bins=st.integers(1, 100),
    share=st.floats(0, 1),
    dtype=st.sampled_from([np.float64, np.float32]),
    turned=st.booleans(),
)
def test_whatever_is_written_k_over_m_is_in_bin_k(n_bins, share, dtype, turned):
    k = int(share * n_bins)
    value = dtype(1) - dtype((n_bins - k) / n_bins) if turned else dtype(k / n_bins)
    edges = bin_edges(np.zeros(1), n_bins, "width")
    assert in_bins(np.array([value]), edges)[0] == min(k, n_bins - 1)
    # A number that is clearly below an edge is not on it.
    assert k == 0 or in_bins(np.array([k / n_bins - 1e-6]), edges)[0] == k - 1
