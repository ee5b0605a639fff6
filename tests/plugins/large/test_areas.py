"""The ROC AUC of a scan that does not fit is had from bins, and off by next to nothing."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

import modelcompare as mc
from modelcompare.engine import areas
from modelcompare.plugins.large import planning
from modelcompare.resampling.weights import Units
from tests.small_blocks import ROW_BLOCK

N = 4 * ROW_BLOCK + 500
pytestmark = pytest.mark.usefixtures("small_blocks")


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    true = rng.random(N) < 0.2
    score = true + rng.normal(size=N)
    skewed = 1 / (1 + np.exp(-8 * score))  # most of them next to 0 or 1
    coarse = np.round(1 / (1 + np.exp(-score + rng.normal(size=N))), 2)
    columns = {"y_true": np.where(true, "yes", "no")}
    for model, p in {"skewed": skewed, "coarse": coarse}.items():
        columns |= {f"{model}:no": 1 - p, f"{model}:yes": p}
    return pd.DataFrame(columns | {"w": rng.integers(1, 4, N)})


@pytest.fixture(autouse=True)
def _never_loaded(monkeypatch):
    monkeypatch.setattr(planning, "free_memory", lambda: 1_000)


@pytest.mark.parametrize("weight", [None, "w"])
def test_the_area_is_off_by_a_tiny_part_of_its_standard_error(weight, frame):
    kept = frame if weight else frame.drop(columns="w")
    scan = mc.io.scan_predictions(kept, columns={"weight": weight})
    found = mc.bootstrap(scan, "roc_auc", n_resamples=20)
    errors = found.moments.standard_error()[:, 0]
    for model, area, error in zip(scan.models, found.point[:, 0], errors, strict=True):
        weights = frame["w"] if weight else None
        exact = roc_auc_score(
            frame["y_true"] == "yes", frame[f"{model}:yes"], sample_weight=weights
        )
        assert abs(area - exact) < 1e-3 * error
    # Ties are ties in bins too.
    assert found.point[1, 0] == pytest.approx(exact, abs=1e-13)


def test_areas_of_few_distinct_scores_are_exact(frame, monkeypatch):
    monkeypatch.setattr(areas, "N_BINS", 128)
    rounded = frame.drop(columns="w")
    for column in rounded.columns[1:]:
        rounded[column] = np.round(rounded[column] * 127) / 127
    plain = rounded.iloc[:, [0, 3, 4, 1, 2]]
    memory = mc.bootstrap(mc.read_predictions(plain, normalize=True), "roc_auc", n_resamples=20)
    scan = mc.bootstrap(mc.io.scan_predictions(plain, normalize=True), "roc_auc", n_resamples=20)
    np.testing.assert_allclose(scan.point, memory.point, atol=1e-13)
    np.testing.assert_allclose(scan.draws, memory.draws, atol=1e-13)
    found = mc.compare(mc.io.scan_predictions(plain, normalize=True), "roc_auc")
    assert "roc_auc:[a bin for each score]" in found.signature


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 40)), min_size=4), st.integers(3, 60))
def test_the_area_is_off_by_at_most_half_of_the_pairs_in_one_bin(rows, n_bins):
    true, score = np.array([(False, 0), (True, 1), *rows]).T
    p = score / 40
    scan = mc.io.scan_predictions(
        pd.DataFrame({"y_true": true == 1, "a:False": 1 - p, "a:True": p})
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(areas, "N_BINS", n_bins)
        patched.setattr(planning, "free_memory", lambda: 0)
        binned = areas.BinnedAreas(scan, Units(len(true)))
        negative, positive = binned._total[0]
        (area,) = areas._area(binned._total)
    bound = (negative * positive).sum() / (2 * negative.sum() * positive.sum())
    exact = roc_auc_score(true == 1, score)
    # Ties in one bin are exact.
    assert abs(area - exact) <= bound + 1e-12
    if len(np.unique(score)) <= n_bins:
        assert area == pytest.approx(exact, abs=1e-12)


def test_replicates_and_errors_are_those_of_memory_but_for_the_bins(frame):
    asked = {"metrics": ["roc_auc", "log_loss"], "n_resamples": 40}
    plain = frame.drop(columns="w").iloc[:, [0, 3, 4, 1, 2]]
    memory = mc.bootstrap(mc.read_predictions(plain), **asked)
    scan = mc.bootstrap(mc.io.scan_predictions(plain), **asked)
    np.testing.assert_allclose(scan.draws[..., 0], memory.draws[..., 0], atol=6e-6)
    np.testing.assert_array_equal(scan.draws[..., 1], memory.draws[..., 1])
    errors = scan.moments.standard_error(), memory.moments.standard_error()
    np.testing.assert_allclose(*errors, rtol=1e-4)


def test_the_signature_names_the_bins(frame):
    plain = frame.drop(columns="w")
    found = mc.compare(mc.io.scan_predictions(plain), "roc_auc")
    assert "|ci:normal|test:wald|" in found.signature
    assert "roc_auc:[4096 bins]" in found.signature
    memory = mc.compare(
        mc.read_predictions(plain), "roc_auc", method="normal", test="wald", n_resamples=20
    )
    assert "bins" not in memory.signature
    columns = ["difference", "standard_error", "ci_low", "ci_high"]
    np.testing.assert_allclose(
        found.differences[columns].to_numpy(float), memory.differences[columns].to_numpy(float),
        atol=2e-6,
    )  # fmt: skip


def test_neither_jobs_nor_row_groups_change_a_bit_of_an_area(frame):
    plain = frame.drop(columns="w")
    one = mc.bootstrap(mc.io.scan_predictions(plain), "roc_auc", n_resamples=130)
    with mc.config_context(n_jobs=2):
        two = mc.bootstrap(mc.io.scan_predictions(plain), "roc_auc", n_resamples=130)
    np.testing.assert_array_equal(one.draws, two.draws)


def test_what_fits_into_memory_is_exact(frame, monkeypatch):
    monkeypatch.undo()
    plain = frame.drop(columns="w").iloc[:9_000]
    scan = mc.bootstrap(mc.io.scan_predictions(plain), "roc_auc", n_resamples=20)
    memory = mc.bootstrap(mc.read_predictions(plain), "roc_auc", n_resamples=20)
    np.testing.assert_array_equal(scan.draws, memory.draws)
