"""Sums of statistics of units whose samples are not available."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from modelcompare.arrays import FloatArray

# Model name of statistics that all models share.
EVERY_MODEL = ""

Numbers = Mapping[tuple[str, str], FloatArray]
"""Sums by the names of the statistic and of the model, of shape (n_units, n_columns)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Sums:
    """Statistics of a test set that has no samples, summed by unit.

    Attributes
    ----------
    numbers : mapping of (str, str) to ndarray of shape (n_units, n_columns)
        Sums by the names of the statistic and of the model, `EVERY_MODEL` where all share one;
        "count" is the samples' weight, and "support" their weight by true class.
    metrics : tuple of str
        Metrics that they were summed for.
    binary : tuple of str
        Statistics of scores that are all 0 or 1.
    hard : bool
        Whether "support" counts samples of known classes.
    parts : tuple of str
        Up to two parts, such as runs, whose rows were summed together.
    sizes : ndarray of shape (n_units,), optional
        Samples in each unit, if the design fixes their sums by stratum.
    """

    numbers: Numbers
    metrics: tuple[str, ...]
    binary: tuple[str, ...] = ()
    hard: bool = False
    parts: tuple[str, ...] = ()
    sizes: FloatArray | None = None
