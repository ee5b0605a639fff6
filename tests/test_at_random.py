"""Two thousand small test sets with random options: a message of ours, or numbers that agree."""

import numpy as np
import pytest

from tests.made_at_random import complaints, questions

_IN_A_BLOCK = 100


@pytest.mark.parametrize("block", range(20))
def test_every_answer_is_a_message_or_numbers_that_agree(block):
    wrong = []
    for seed in range(block * _IN_A_BLOCK, (block + 1) * _IN_A_BLOCK):
        wrong += [f"seed {seed}, {what}" for what in complaints_of(seed)]
    assert wrong == []


def complaints_of(seed: int) -> list[str]:
    try:
        asked = questions(np.random.default_rng(seed))
    except ValueError as error:
        # Test sets are refused too.
        return [] if str(error).endswith(".") else [str(error)]
    return [f"{name}: {wrong}" for name, ask in asked for wrong in complaints(ask)]
