"""The cells of contradictions: none is left, and what p-values alone would announce is counted."""

import pytest

from experiments.validity import agreement

pytestmark = pytest.mark.experiments


def test_no_contradiction_is_left_and_the_power_that_this_costs_is_counted():
    params = {"n": 100, "models": 3, "rare": 0.05, "baseline": 0}
    found = agreement.run_cell(params, n_trials=30, seed=0)

    assert {key.split()[0] for key in found} == {*agreement.METRICS}
    assert all(measures["contradicted"] == 0 for measures in found.values())
    assert any(measures["contradicted before"] > 0 for measures in found.values())
    for measures in found.values():
        lost = measures["announced before"] - measures["announced"]
        assert measures["power lost"] == pytest.approx(lost)
        assert lost >= 0
