"""The simulation of sketches sees the spread that their docstring promises."""

import numpy as np
import pytest

from experiments.validity import sketched


def test_the_standard_error_of_a_sketch_spreads_as_promised():
    found = sketched.run_cell({"n": 4000, "buckets": 128}, n_trials=40, seed=0)
    assert found.keys() == {f"{m} {q}" for m in sketched.METRICS for q in ("score", "difference")}
    promised = 1 / np.sqrt(256)
    for numbers in found.values():
        # Four standard errors of a spread of 40 trials.
        assert numbers["spread of it"] == pytest.approx(promised, rel=4 / np.sqrt(80))
        assert numbers["error over that of all"] == pytest.approx(1, abs=4 * promised / np.sqrt(40))
