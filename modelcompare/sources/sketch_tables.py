"""The table of a sketch: a row for each bucket, statistic, model and class.

The columns are bucket, statistic, model (empty where all models share the statistic), label and
said (the classes a number belongs to; `said` where there are two), place (of several numbers of a
class) and value. Numbers that are 0 are left out. One row, of the statistic "about", says in its
label as JSON what the others are.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data.scores import Direction, Ranges
from modelcompare.data.sums import COLUMNS, EVERY_MODEL
from modelcompare.paths import write_bytes
from modelcompare.words import Kind, optional

VERSION = 1
MOST_BUCKETS = 2**20
ABOUT = "about"

Numbers = Mapping[tuple[str, str], FloatArray]


@dataclass(frozen=True)
class Summed:
    """A statistic of which a sketch keeps sums.

    `width` is how many numbers it has in each cell of its class axes; the rest is of `Statistic`.
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
        What the names of items were hashed with.
    models, kinds : tuple of str
        The models, and what each gave.
    labels : tuple, optional
        The classes.
    metrics : tuple of str
        What it was made for.
    statistics : tuple of Summed
        What was summed.
    judged : tuple of str
        Statistics of scores that are all 0 or 1.
    soft_truth : bool
        Whether the truth is a distribution over classes.
    runs : tuple of str
        Two runs of the models, or the only one, whose samples are in it: of two, answers are for
        these runs.
    weighted, missing_mass : bool
        Whether samples have weights, and whether probabilities may sum to less than 1; true where
        an older file does not say.
    score_names, greater_is_better, bounds
        As in Predictions; the direction None where only the scores' names may tell it.
    name : str, optional
        Heading in tables.
    """

    salt: str
    models: tuple[str, ...]
    kinds: tuple[Kind, ...]
    labels: tuple[Any, ...] | None
    metrics: tuple[str, ...]
    statistics: tuple[Summed, ...]
    judged: tuple[str, ...] = ()
    soft_truth: bool = False
    runs: tuple[str, ...] = ()
    weighted: bool = True
    missing_mass: bool = True
    score_names: tuple[str, ...] = ()
    greater_is_better: Direction | None = None
    bounds: Ranges | None = None
    name: str | None = None
    version: int = VERSION

    @property
    def summed(self) -> list[tuple[Summed, str]]:
        """Each statistic with each model that has sums of it, or `EVERY_MODEL`."""
        shared = (EVERY_MODEL,)
        return [(s, m) for s in self.statistics for m in (shared if s.shared else self.models)]

    def to_json(self, n_buckets: int) -> str:
        """Write all of it, and the number of buckets."""
        return json.dumps({**asdict(self), "buckets": n_buckets}, ensure_ascii=False, default=dict)


# The number of samples, which weights do not change, beside the statistics.
SAMPLES = Summed("samples", shared=True)


def write(table: pd.DataFrame, path: Path) -> Path:
    """Write the table of a sketch as Parquet, whole or not at all."""
    pq = optional("pyarrow.parquet", "sketches are written as Parquet", "parquet")
    import pyarrow as pa

    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(table, preserve_index=False), buffer)
    return write_bytes(path, buffer.getvalue())


def table_of(about: About, counts: IntArray, numbers: Numbers) -> pd.DataFrame:
    """Put the numbers of a sketch, and what they are, into one table.

    Parameters
    ----------
    about : About
        What the numbers are.
    counts : ndarray of int of shape (n_buckets,)
        Samples in each bucket.
    numbers : mapping of (str, str) to ndarray of shape (n_buckets, n_columns)
        Sums by the names of the statistic and of the model.
    """
    told = about.to_json(len(counts))
    labels = np.array([str(label) for label in about.labels or ()], dtype=object)
    parts = [
        pd.DataFrame([(0, ABOUT, EVERY_MODEL, told, "", 0, 0.0)], columns=list(COLUMNS)),
        _rows(SAMPLES, EVERY_MODEL, counts[:, None].astype(np.float64), labels),
    ]
    parts += [_rows(s, model, numbers[s.name, model], labels) for s, model in about.summed]
    return pd.concat(parts, ignore_index=True)


def _rows(summed: Summed, model: str, numbers: FloatArray, labels: AnyArray) -> pd.DataFrame:
    """The numbers of one statistic and model that are not 0."""
    cells = numbers.reshape(len(numbers), *(len(labels),) * summed.class_axes, summed.width)
    bucket, *classes, place = np.nonzero(cells)
    named = [labels[codes] for codes in classes] + [""] * (2 - len(classes))
    return pd.DataFrame(
        {
            "bucket": bucket, "statistic": summed.name, "model": model, "label": named[0],
            "said": named[1], "place": place, "value": cells[(bucket, *classes, place)],
        }
    )  # fmt: skip
