"""Values of the truth that all occur equally often: ids are asked for."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.data.sizes import times_repeated


@pytest.mark.parametrize("times", [2, 3])
def test_values_that_all_repeat_are_no_independent_samples_unless_they_are_named(times):
    values = np.tile(np.random.default_rng(0).normal(size=60), times)
    frame = pd.DataFrame({"y_true": values, "a": values + 0.1, "b": values - 0.2})
    with pytest.raises(
        ValueError,
        match=rf"of column 'y_true' is in {times} rows, .* {60 * times} rows would count",
    ):
        mc.read_predictions(frame)
    assert len(mc.read_predictions(frame.assign(id=np.arange(60 * times)))) == 60 * times


def test_times_are_those_of_the_greatest_common_divisor():
    values = np.linspace(0.05, 0.95, 12)
    assert times_repeated(np.repeat(values, 4)) == 4
    assert times_repeated(np.r_[np.repeat(values, 4), np.tile(values[:3], 4)]) == 4
    assert times_repeated(np.r_[np.repeat(values, 4), values[:3]]) == 1
    assert times_repeated(np.repeat(values, 13)) == 1
    # Nine real grades.
    assert times_repeated(np.repeat(values[:9], 4)) == 1
    assert times_repeated(np.repeat(np.arange(40.0), 2)) == 1
    assert times_repeated(np.repeat(np.arange(40), 2)) == 1


LEVELS = {
    "grades": lambda k: np.arange(k) / 4, "ranks": np.arange, "values": lambda k: np.linspace(0, 1, k)
}  # fmt: skip


@pytest.mark.parametrize("levels", LEVELS)
def test_ties_of_chance_are_no_repeats(levels):
    rng = np.random.default_rng(1)
    for n in (10, 20, 30, 60, 100, 300):
        for k in (2, 3, 5, 9, 12, 20, 40, 100):
            # Equally likely levels, and levels of which the first are likelier.
            for p in (None, np.arange(k, 0, -1) / (k * (k + 1) / 2)):
                held = LEVELS[levels](k)
                assert all(times_repeated(rng.choice(held, n, p=p)) == 1 for _ in range(20))
