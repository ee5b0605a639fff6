"""Two hundred small test sets with random options: a message of ours, or numbers that agree.

``python -m tests.made_at_random 20000`` asks a hundred times as many.
"""

import pytest

from tests.made_at_random import complaints_of
from tests.plugged import needs

# Some of the test sets have runs.
pytestmark = needs("runs")

_IN_A_BLOCK = 10


@pytest.mark.parametrize(
    "block", [pytest.param(k, marks=pytest.mark.slow if k >= 5 else ()) for k in range(10)]
)
def test_every_answer_is_a_message_or_numbers_that_agree(block):
    wrong = []
    for seed in range(block * _IN_A_BLOCK, (block + 1) * _IN_A_BLOCK):
        wrong += [f"seed {seed}, {what}" for what in complaints_of(seed)]
    assert wrong == []


@pytest.mark.parametrize("seed", [5117, 5352, 7180, 7316])
def test_what_twenty_thousand_sets_found_is_mended(seed):
    assert complaints_of(seed) == []
