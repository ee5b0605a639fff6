"""Blocks by the column that a command names."""

from __future__ import annotations

from modelcompare.cli.reading import Reading
from modelcompare.cli.streams import say
from modelcompare.data.predictions import Predictions
from modelcompare.plugins.time.blocks import in_time_blocks
from modelcompare.readers.options import Columns


def in_blocks(predictions: Predictions, reading: Reading, _: Columns) -> Predictions:
    """Return the predictions in blocks of time."""
    frame = predictions.slices
    assert frame is not None  # noqa: S101  the column was read as one
    found = in_time_blocks(predictions, frame[reading.time])
    n_blocks = int(found.access.unit_of.max()) + 1
    say(f"modelcompare: {n_blocks:,} blocks of consecutive samples, by {reading.time}")
    return found
