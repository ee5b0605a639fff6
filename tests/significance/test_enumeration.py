"""All swaps of few samples: the same p-values however many pairs there are."""

import numpy as np
import pytest

import modelcompare as mc

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


@pytest.mark.parametrize("metric", ["cf1", "log_loss", "cf1_macro", "accuracy", "f1_macro"])
def test_pairs_that_share_their_swaps_have_the_p_values_of_each_alone(metric: str):
    preds = soft()[MODELS[:4]]
    together = mc.compare(preds, metric, n_resamples=2100, correction="none").differences
    for pair, rows in together.groupby(["model_a", "model_b"], sort=False):
        alone = mc.compare(preds[list(pair)], metric, n_resamples=2100, correction="none")
        assert [*alone.differences["label"]] == [*rows["label"]]
        np.testing.assert_allclose(rows["p_value"], alone.differences["p_value"], rtol=1e-12)


def test_p_values_of_twelve_samples_are_shares_of_their_swaps():
    """Twelve samples of each pair, and others of each pair."""
    few, many = (
        mc.compare(nearly_alike(), "cf1", n_resamples=n, correction="none") for n in (99, 4999)
    )
    p = few.differences["p_value"]
    assert (p * 2**12 % 1 < 1e-9).all()
    assert p.tolist() == many.differences["p_value"].tolist()
