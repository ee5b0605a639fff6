"""Differences of pairs of models, against a loop over the pairs."""

import numpy as np
import pytest

from modelcompare.engine.pairs import differences, strips_of
from modelcompare.significance.pairwise import all_pairs


@pytest.mark.parametrize(
    "pairs",
    [
        [(0, 1)],
        [(3, 0)],
        [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)],
        [(1, 0), (2, 0), (3, 0), (2, 1), (3, 1)],
        [(0, 3), (0, 2), (0, 1)],
        [(0, 1), (0, 1), (1, 1), (2, 1), (2, 2), (2, 3), (3, 3)],
        [(0, 0), (1, 1), (2, 2)],
        [(2, 3), (0, 1), (4, 2)],
        [],
    ],
)
def test_differences_are_those_of_each_pair(pairs):
    rng = np.random.default_rng(0)
    numbers = rng.random((5, 3, 4))
    found = differences(strips_of(*np.array(pairs, dtype=np.intp).reshape(-1, 2).T), numbers)
    expected = [numbers[first] - numbers[second] for first, second in pairs]
    np.testing.assert_array_equal(found, np.reshape(expected, (-1, 3, 4)))


def test_all_pairs_of_many_models_are_few_strips():
    a, b = all_pairs(50)
    assert len(strips_of(a, b)) == len(strips_of(b, a)) == 49
