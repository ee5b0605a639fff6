"""Row blocks of test sets that are read block by block, and steps within blocks of units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from modelcompare.arrays import ROW_BLOCK
from modelcompare.data.test_set import TestSet


class Blocks:
    """The rows of a test set that are in memory: all, or the row block that was read last.

    Blocks are read in order, once per iteration.
    """

    def __init__(self, predictions: TestSet) -> None:
        self._predictions = predictions
        # Number and content of the last block; iterator of further ones, number of its first.
        self._block: tuple[int, TestSet] = 0, predictions.access.head
        self._ahead: dict[int, Iterator[TestSet]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        # An open iterator cannot be pickled; a copy starts to read again.
        return Blocks, (self._predictions,)

    def part(self, rows: slice) -> tuple[TestSet, slice]:
        """Return a test set in memory that contains some samples, and their rows in it."""
        whole = self._predictions
        if whole.access.head is whole:
            return whole, rows
        first, last, _ = rows.indices(len(whole))
        number, start = divmod(first, ROW_BLOCK)
        if start + last - first > ROW_BLOCK:
            whole.access.refuse("the statistics of all rows")
        here = slice(start, start + last - first)
        if number == 0:
            return whole.access.head, here
        known, block = self._block
        if number != known:
            # Restart reading if another block than the next is wanted, or if reading it failed.
            ahead = self._ahead.pop(number, None) or whole.access.blocks(number)
            block = next(ahead)
            self._block, self._ahead = (number, block), {number + 1: ahead}
        return block, here


def in_steps(blocks: Sequence[slice], step: int) -> Iterator[slice]:
    """Yield steps of at most `step` units within blocks of units."""
    for block in blocks:
        for start in range(block.start, block.stop, step):
            yield slice(start, min(start + step, block.stop))
