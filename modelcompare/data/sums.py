"""Names in a sketch, which has the statistics of samples summed in buckets."""

from __future__ import annotations

from collections.abc import Iterable

# Name of the model in the place of all, whose statistics are one.
EVERY_MODEL = ""
# Headings of a sketch in a table.
COLUMNS = ("bucket", "statistic", "model", "label", "said", "place", "value")


def is_sketch(columns: Iterable[object]) -> bool:
    """Return whether headings are those of a sketch; some databases give them in capitals."""
    return {*COLUMNS} <= {str(column).lower() for column in columns}
