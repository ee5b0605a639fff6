"""The cells of what p-values announce, and of what the intervals beside them do."""

import numpy as np
import pytest

from experiments.validity import agreement


def found(better, models=3, rare=0.5):
    params = {"n": 100, "models": models, "rare": rare, "better": better}
    return agreement.run_cell(params, n_trials=40, seed=0)


def test_shares_of_what_is_announced_are_those_of_the_frames():
    cells = found(better=1)
    assert {key.split()[0] for key in cells} == {*agreement.METRICS, "roc_auc"}
    for measures in cells.values():
        one_alone = measures["announced"] + measures["by intervals"] - 2 * measures["by both"]
        assert measures["part"] == pytest.approx(one_alone)
        assert "false finding" not in measures
    assert any(measures["part"] > 0 for measures in cells.values())


def test_better_models_are_found_and_equal_ones_seldom():
    equal, better = found(better=0), found(better=1)
    for key, measures in equal.items():
        assert measures["false finding"] <= 0.15
        assert measures["announced"] <= measures["false finding"]
        assert better[key]["announced"] > measures["announced"] + 0.05
    assert np.mean([measures["announced"] for measures in better.values()]) > 0.2
