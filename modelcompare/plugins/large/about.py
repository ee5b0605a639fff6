"""Description of a sketch: statistics of samples, summed in buckets."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from modelcompare.arrays import ROW_BLOCK
from modelcompare.data.scores import Direction, Ranges
from modelcompare.data.sums import EVERY_MODEL

# Headings of a sketch in a table.
COLUMNS = ("bucket", "statistic", "model", "label", "predicted", "place", "value")
# Heading of the strata, where there are any.
STRATUM = "stratum"

VERSION = 1
ABOUT = "about"


@dataclass(frozen=True)
class Summed:
    """A statistic of which a sketch keeps sums.

    `width` is the number of its values in each cell of the class axes; the rest is as in
    `Statistic`.
    """

    name: str
    shared: bool = False
    class_axes: int = 0
    width: int = 1


@dataclass(frozen=True, kw_only=True)
class About:
    """Description of the numbers of a sketch.

    Attributes
    ----------
    salt : str
        Salt with which the names of items were hashed.
    models, kinds : tuple of str
        The models, and the output type of each.
    labels, positive : tuple, object, optional
        The classes, and the positive one of two if it is known.
    metrics : tuple of str
        Metrics that the sketch was made for.
    statistics : tuple of Summed
        Statistics that were summed.
    binary : tuple of str
        Statistics of scores that are all 0 or 1.
    soft_truth : bool
        Whether the truth is a distribution over classes.
    runs : tuple of str
        Up to two runs of the models whose samples are summed; if there are two, answers are for
        these runs only.
    weighted, missing_mass : bool
        Whether samples have weights, and whether probabilities may sum to less than 1; true if an
        older file does not declare it.
    score_names, greater_is_better, bounds
        As in Predictions; the direction is None if only the scores' names may determine it.
    name : str, optional
        Heading in tables.
    strata : tuple of str
        Names of the strata, sorted, each of which has all buckets; empty without strata.
    """

    salt: str
    models: tuple[str, ...]
    kinds: tuple[str, ...]
    labels: tuple[Any, ...] | None
    metrics: tuple[str, ...]
    statistics: tuple[Summed, ...]
    binary: tuple[str, ...] = ()
    soft_truth: bool = False
    runs: tuple[str, ...] = ()
    weighted: bool = True
    missing_mass: bool = True
    score_names: tuple[str, ...] = ()
    greater_is_better: Direction | None = None
    bounds: Ranges | None = None
    name: str | None = None
    strata: tuple[str, ...] = ()
    positive: Any = None
    version: int = VERSION

    @property
    def summed(self) -> list[tuple[Summed, str]]:
        """Each statistic with each model that has its own sums of it, or `EVERY_MODEL`."""
        shared = (EVERY_MODEL,)
        return [(s, m) for s in self.statistics for m in (shared if s.shared else self.models)]

    def n_units(self, n_buckets: int) -> int:
        """Return the number of buckets of all strata; refuse too many."""
        n_units = max(1, len(self.strata)) * n_buckets
        if self.strata and n_units > ROW_BLOCK:
            raise ValueError(
                f"a sketch of {n_buckets:,} buckets keeps at most {ROW_BLOCK // n_buckets:,} "
                f"strata, not {len(self.strata):,}; merge strata, take fewer buckets (--buckets), "
                "or leave strata (--read strata) out: intervals are then somewhat wider."
            )
        return n_units

    def to_json(self, n_buckets: int) -> str:
        """Write all of it, and the number of buckets."""
        return json.dumps({**asdict(self), "buckets": n_buckets}, ensure_ascii=False, default=dict)


SAMPLES = Summed("samples", shared=True)
"""The number of samples, which weights do not change."""


def is_sketch(columns: Iterable[object]) -> bool:
    """Return whether headings are those of a sketch, in any case."""
    return {*COLUMNS} <= {str(column).lower() for column in columns}


def refuse_sketch(frame: Any, columns: Any, where: str) -> None:  # noqa: ARG001
    """Refuse a sketch where predictions are read."""
    if is_sketch(frame.columns):
        raise ValueError(f"{where} is a sketch; read it with modelcompare.io.read_sketch.")


REFUSALS = (refuse_sketch,)
