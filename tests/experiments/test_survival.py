"""The study of survival: its worlds, and what its table promises."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from experiments.validity import survival as study
from experiments.validity import two_models


@pytest.mark.parametrize("outputs", ["risks", "curves"])
@pytest.mark.parametrize("censored", study.RATES)
def test_patients_are_censored_and_models_differ_as_a_cell_states(outputs, censored):
    cell = {"outputs": outputs, "n": 0, "censored": censored, "gap": 0.5}
    preds = study.draw(np.random.default_rng(0), cell, 20_000)
    assert 1 - preds.y_true[:, 1].mean() == pytest.approx(censored, abs=0.05)
    metric = study.RISKS[0] if outputs == "risks" else study.CURVES[0]
    a, b = mc.bootstrap(preds, metric, n_resamples=2).estimate.to_numpy().ravel()
    assert a > b if outputs == "risks" else a < b


def test_the_table_keeps_its_promise():
    table = pd.read_csv(study.RESULTS)
    assert table["covered"].min() > two_models.WANTED
    for what, limit in (
        ("difference", 1 - two_models.WANTED),
        ("gate", two_models.LARGEST),
        ("size", two_models.LARGEST),
    ):
        error = 1 - table[what] if what == "difference" else table[what]
        spread = np.sqrt(limit * (1 - limit) / table["trials"])
        assert (error.isna() | (error <= limit + 2 * spread)).all(), what
