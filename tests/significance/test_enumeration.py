"""All swaps of few samples: the same p-values however many pairs share them, and no more work."""

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.significance import studentized
from modelcompare.significance.swaps.statistic import Swapped
from modelcompare.significance.swaps.sums import SwappedSums

MODELS = [f"m{i}" for i in range(12)]


def soft(n: int = 11) -> mc.Predictions:
    rng = np.random.default_rng(0)
    p = {m: rng.random(n) for m in MODELS}
    y = np.arange(n) % 2
    return mc.Predictions(y, {m: np.c_[1 - x, x] for m, x in p.items()}, labels=[0, 1])


def nearly_alike(n: int = 200, differ: int = 6) -> mc.Predictions:
    """Each model differs from a common one on separate samples."""
    rng = np.random.default_rng(1)
    y, base = rng.integers(0, 2, n), rng.random(n)
    outputs = {}
    for place, m in enumerate(MODELS):
        x = base.copy()
        own = slice(place * differ, (place + 1) * differ)
        x[own] = rng.random(differ)
        outputs[m] = np.c_[1 - x, x]
    return mc.Predictions(y, outputs, labels=[0, 1])


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sums of all models that statistics were made of."""
    counted: list[int] = []
    sum_up = SwappedSums.sum_up

    def counting(self: SwappedSums, swapped: Swapped) -> None:
        sum_up(self, swapped)
        counted.append(swapped.n_masks * self.columns.n_columns)

    monkeypatch.setattr(SwappedSums, "sum_up", counting)
    return counted


@pytest.mark.parametrize("metric", ["cf1", "log_loss", "cprecision"])
def test_all_swaps_are_never_more_work_than_as_many_drawn_ones(work: list[int], metric: str):
    """With 105 models of 11 samples 2,040 drawn swaps took seconds, all 2,048 minutes."""
    preds = soft()
    mc.compare(preds, metric, n_resamples=2047, correction="none")
    drawn, work[:] = sum(work), []
    mc.compare(preds, metric, n_resamples=2100, correction="none")
    assert sum(work) <= 1.1 * drawn


@pytest.mark.parametrize("metric", ["cf1", "log_loss", "cf1_macro", "accuracy", "f1_macro"])
def test_pairs_that_share_their_swaps_have_the_p_values_of_each_alone(metric: str):
    preds = soft()[MODELS[:4]]
    together = mc.compare(preds, metric, n_resamples=2100, correction="none").differences
    for pair, rows in together.groupby(["model_a", "model_b"], sort=False):
        alone = mc.compare(preds[list(pair)], metric, n_resamples=2100, correction="none")
        assert [*alone.differences["label"]] == [*rows["label"]]
        np.testing.assert_allclose(rows["p_value"], alone.differences["p_value"], rtol=1e-12)


def test_swaps_of_other_samples_are_counted_as_far_as_that_is_no_more_work(
    work: list[int], monkeypatch: pytest.MonkeyPatch
):
    """Twelve samples of a pair, and others of each: one sum of all models' numbers a pair."""
    preds = nearly_alike()
    exact = mc.compare(preds, "cf1", n_resamples=4999, correction="none").differences
    # Few numbers: all is counted, as ever.
    assert len(work) >= 66
    assert (exact["p_value"] * 2**12 % 1 < 1e-9).all()

    monkeypatch.setattr(studentized, "_MOST_SUMS", 0)
    mc.compare(preds, "cf1", n_resamples=4095, correction="none")
    drawn, work[:] = sum(work[-20:]), []
    some = mc.compare(preds, "cf1", n_resamples=4999, correction="none").differences
    columns = 12 * 4 * 4
    assert sum(work) <= 2.2 * 4999 * columns
    # What is drawn instead errs by its Monte-Carlo error.
    np.testing.assert_allclose(some["p_value"], exact["p_value"], atol=0.035)
    assert drawn > 0
