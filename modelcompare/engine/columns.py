"""Where each statistic of each model stands among the columns of the one matrix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modelcompare.metrics.base import AnyMetric, Metric, Outcomes, Statistic
from modelcompare.predictions import Predictions

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class ValueKey:
    """One column of the results: a metric, and a class where it is per class."""

    metric: str
    label: Any = None


@dataclass(frozen=True)
class Column:
    """Place of a statistic: `width` columns for each model, or once if shared."""

    statistic: Statistic
    start: int
    width: int
    n_models: int

    @property
    def stop(self) -> int:
        return self.start + self.width * (1 if self.statistic.shared else self.n_models)

    def of(self, totals: FloatArray) -> FloatArray:
        """The statistic's totals, of shape (..., n_models or 1, width)."""
        block = totals[..., self.start : self.stop]
        return block.reshape(*totals.shape[:-1], -1, self.width)


class KeptNumbers:
    """Numbers of the statistics that are worth keeping: texts are compared once."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], FloatArray] = {}

    def of(self, statistic: Statistic, model: str, outcomes: Outcomes, rows: slice) -> FloatArray:
        """Numbers of a model's samples; `rows` are the places of `outcomes` among all."""
        if not statistic.costly:
            return statistic.compute(outcomes)
        key = (statistic.name, model)
        if key not in self._numbers:
            self._numbers[key] = statistic.compute(outcomes.whole)
        return self._numbers[key][rows]


def lay_out(
    metrics: Iterable[Metric], widths: Mapping[Statistic, int], n_models: int
) -> list[Column]:
    """Columns of all statistics that some metrics need, each once."""
    needed = dict.fromkeys(statistic for metric in metrics for statistic in metric.statistics)
    columns: list[Column] = []
    for statistic in needed:
        start = columns[-1].stop if columns else 0
        columns.append(Column(statistic, start, widths[statistic], n_models))
    return columns


def value_keys(metrics: Sequence[AnyMetric], predictions: Predictions) -> Iterator[ValueKey]:
    """The axis of values: every metric, per class where it is."""
    for metric in metrics:
        if metric.per_class and predictions.labels is not None:
            yield from (ValueKey(metric.name, label) for label in predictions.labels.tolist())
        else:
            yield ValueKey(metric.name)
