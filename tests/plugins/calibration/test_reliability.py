"""Reliability against statsmodels and loops."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

import modelcompare as mc

RNG = np.random.default_rng(0)
N = 120
Y = RNG.integers(0, 2, N)
SCORES = {
    name: np.round(np.clip(0.5 + 0.2 * (Y - 0.5) * skill + RNG.normal(0, 0.15, N), 0.01, 0.99), 2)
    for name, skill in (("good", 2.0), ("poor", 1.0))
}
PREDS = mc.Predictions(Y, SCORES)


def test_reliability_by_a_loop():
    table = mc.diagnostics.reliability(PREDS, n_bins=5, label=1).table
    for row in table[table.model == "good"].itertuples():
        last = row.bin == 4
        inside = (SCORES["good"] >= row.low) & ((SCORES["good"] < row.high) | last)
        assert row.n == inside.sum()
        assert row.confidence == pytest.approx(SCORES["good"][inside].mean())
        assert row.accuracy == pytest.approx(Y[inside].mean())
        low, high = proportion_confint(Y[inside].sum(), inside.sum(), method="wilson")
        assert (row.ci_low, row.ci_high) == pytest.approx((low, high))
    gaps = table.assign(share=table.n * table.gap.abs()).groupby("model")["share"].sum() / N
    ece = mc.bootstrap(mc.Predictions(Y, SCORES), "ece_classwise_5", n_resamples=2).estimate
    # Of two classes, each has the error of the other.
    np.testing.assert_allclose(gaps[["good", "poor"]], ece.to_numpy(), atol=0.02)


def test_reliability_of_weighted_or_clustered_samples_is_resampled():
    groups = np.arange(N) // 6
    clustered = mc.diagnostics.reliability(
        mc.Predictions(Y, SCORES, groups=groups), n_bins=3, strategy="mass"
    )
    plain = mc.diagnostics.reliability(PREDS, n_bins=3, strategy="mass")
    np.testing.assert_allclose(clustered.table.accuracy, plain.table.accuracy)
    assert not np.allclose(clustered.table.ci_low, plain.table.ci_low)
    assert (clustered.table.ci_low <= clustered.table.accuracy).all()
    assert len(plain.plot().axes) == 4


@pytest.mark.parametrize("n", [3, 10, 13])
def test_a_bin_that_is_all_right_or_all_wrong_can_be_drawn(n):
    preds = mc.Predictions([0, 1] * n, {"a": [[0.1, 0.9], [0.9, 0.1]] * n, "b": [0.1, 0.9] * n})
    result = mc.diagnostics.reliability(preds)
    assert (result.table.ci_low <= result.table.accuracy).all()
    assert (result.table.ci_high >= result.table.accuracy).all()
    sure = mc.Predictions([0, 1] * n, {"a": [0.0, 1.0] * n}, kind="probabilities")
    of_sure = mc.diagnostics.reliability(sure, strategy="mass")
    assert (of_sure.table.ci_high >= of_sure.table.accuracy).all()
    # Bars of a length below 0 cannot be drawn; the message names a figure that can be.
    if n == 3:
        assert result.plot() is not None
        assert of_sure.plot() is not None


def test_a_figure_states_how_many_models_it_shows():
    many = mc.Predictions(Y, {f"m{i}": SCORES["good"] for i in range(13)})
    figure = mc.diagnostics.reliability(many).plot()
    texts = [t.get_text() for t in figure.findobj() if hasattr(t, "get_text")]
    assert any("12 of 13 models" in text for text in texts)


def test_a_class_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="`label`: there is no class 3; the"):
        mc.diagnostics.reliability(PREDS, label=3)
