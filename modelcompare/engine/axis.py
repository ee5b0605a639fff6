"""Axes: statistics as columns of one matrix, values as rows of a frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import HELD_BYTES, AnyArray, FloatArray, IntArray
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.base import AnyMetric, Metric, Statistic

# Columns of equal length, or one entry for all rows.
LongColumns = dict[str, Any]


@dataclass(frozen=True)
class ValueKey:
    """One column of the results: a metric, and a class if it is per class."""

    metric: str
    label: Any = None


@dataclass(frozen=True)
class Column:
    """Columns of a statistic: `width` columns for each model, or once if shared."""

    statistic: Statistic
    start: int
    width: int
    n_models: int

    @property
    def stop(self) -> int:
        return self.start + self.width * (1 if self.statistic.shared else self.n_models)

    def of(self, totals: FloatArray) -> FloatArray:
        """Return the statistic's totals, of shape (..., n_models or 1, width)."""
        block = totals[..., self.start : self.stop]
        return block.reshape(*totals.shape[:-1], -1, self.width)


def lay_out(
    metrics: Iterable[Metric], widths: Mapping[Statistic, int], n_models: int
) -> list[Column]:
    """Return the columns of all statistics that some metrics need, each once."""
    needed = dict.fromkeys(statistic for metric in metrics for statistic in metric.statistics)
    columns: list[Column] = []
    for statistic in needed:
        start = columns[-1].stop if columns else 0
        columns.append(Column(statistic, start, widths[statistic], n_models))
    return columns


def check_width(metrics: Iterable[Metric], widths: Mapping[Statistic, int], n_rows: int) -> None:
    """Refuse metrics whose numbers of a single model would fill the memory.

    Raises
    ------
    ValueError
        If a metric needs more than `HELD_BYTES`, such as a metric of bins of each of many classes.
    """
    for metric in metrics:
        needed = 8 * n_rows * sum(widths[statistic] for statistic in metric.statistics)
        if needed > HELD_BYTES:
            raise ValueError(
                f"{metric.name} stores {needed / n_rows / 8:,.0f} numbers for each of {n_rows:,} "
                f"samples, {needed / 2**30:.1f} GiB; take fewer samples or classes, or a metric "
                "that does not treat every class separately."
            )


def value_keys(metrics: Sequence[AnyMetric], predictions: TestSet) -> Iterator[ValueKey]:
    """Yield the axis of values: every metric, with its classes if it is per class."""
    for metric in metrics:
        if metric.per_class and predictions.labels is not None:
            yield from (ValueKey(metric.name, label) for label in predictions.labels.tolist())
        else:
            yield ValueKey(metric.name)


def long_columns(rows: Mapping[str, Any], keys: Sequence[ValueKey], **columns: Any) -> LongColumns:
    """Return columns with an entry for each row and value: `rows`, metric, label, others.

    Parameters
    ----------
    rows : mapping of str to array-like of shape (n_rows,), or to one entry for all
        Keys of each row, such as a model; at least one of them has n_rows entries.
    keys : sequence of ValueKey
        The axis of values.
    **columns : ndarray of shape (n_rows, n_values), or one entry for all
        Numbers of each value.
    """
    n_rows = next(len(entries) for entries in rows.values() if np.ndim(entries))
    named = np.empty((2, len(keys)), dtype=object)
    named[:] = [key.metric for key in keys], [key.label for key in keys]
    metrics, labels = np.tile(named, n_rows)
    return {
        **{n: np.repeat(e, len(keys)) if np.ndim(e) else e for n, e in rows.items()},
        "metric": metrics,
        "label": labels,
        **{n: e.ravel() if np.ndim(e) else e for n, e in columns.items()},
    }


def joined_frame(parts: Iterable[LongColumns]) -> pd.DataFrame:
    """Return a long frame of the rows of all parts, which have the same columns."""
    columns = list(parts)
    joined = {
        name: np.concatenate([np.broadcast_to(part[name], len(part["label"])) for part in columns])
        for name in columns[0]
    }
    return _frame(joined)


def _frame(columns: LongColumns) -> pd.DataFrame:
    # pandas converts integers to floats if a label is missing.
    return pd.DataFrame(columns | {"label": pd.Series(columns["label"], dtype=object)})


def score_frame(models: Sequence[str], keys: Sequence[ValueKey], **columns: Any) -> pd.DataFrame:
    """Return a long frame with a row for each model: model, metric, label, and the columns."""
    return _frame(long_columns({"model": np.array(models, dtype=object)}, keys, **columns))


def pair_frame(
    models: Sequence[str],
    model_a: IntArray,
    model_b: IntArray,
    keys: Sequence[ValueKey],
    **columns: Any,
) -> pd.DataFrame:
    """Return a long frame of pairs: model_a, model_b, metric, label, and the columns."""
    return _frame(long_columns(pair_rows(models, model_a, model_b), keys, **columns))


def pair_rows(models: Sequence[str], model_a: IntArray, model_b: IntArray) -> dict[str, AnyArray]:
    """Return the names of the models of each pair, as rows of `long_columns`."""
    names = np.array(models, dtype=object)
    return {"model_a": names[model_a], "model_b": names[model_b]}
