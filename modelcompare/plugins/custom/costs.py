"""Mean cost of decisions, from a table of the cost of each mistake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import AnyArray
from modelcompare.metrics.base import BaseMetric, Metric, Statistic
from modelcompare.metrics.chance import decided_costs, expected_costs
from modelcompare.metrics.counts import soft_twin, with_twin
from modelcompare.metrics.scoring import COUNT, mean_ratio
from modelcompare.words import shown


@dataclass(frozen=True, kw_only=True)
class CostMetric(Metric):
    """Mean cost of decisions.

    Parameters
    ----------
    costs : DataFrame
        Cost of each predicted class (columns) for each true class (rows). The other parameters are
        those of `Metric`, made by `cost`.
    of_pairs : bool
        Whether they were given as pairs of classes, of which others cost nothing: a misspelt class
        would make its mistakes free.
    """

    __hash__ = BaseMetric.__hash__
    costs: pd.DataFrame = field(compare=False, repr=False)
    of_pairs: bool = field(default=False, repr=False)

    def _of_labels(self, labels: AnyArray | None) -> CostMetric:
        """Return the metric with the costs in the order of the classes of a test set."""
        names = [] if labels is None else [str(label) for label in labels.tolist()]
        lacking = [each for each in names if each not in self.costs.index]
        unknown = [each for each in self.costs.index if each not in names]
        if names and unknown and self.of_pairs:
            raise ValueError(
                f"`costs` has pairs of the class {unknown[0]!r}, and the classes are "
                f"{', '.join(names)}; correct it, or pass all classes as `labels` (--read "
                "labels=A --read labels=B)."
            )
        if not names or lacking:
            raise ValueError(
                f"`costs` has no class {lacking[0]!r}; it has {', '.join(self.costs.index)}."
                if names else f"metric {self.name!r} needs classes, and there are none."
            )  # fmt: skip
        statistics = _statistics(self.costs.loc[names, names])
        if self.kind.soft:
            return replace(self, statistics=tuple(each.soft or each for each in statistics))
        made = replace(self, statistics=statistics)
        return replace(made, soft=soft_twin(made))


@checked()
def cost(costs: Any, *, name: str = "cost") -> Metric:
    """Return the metric of the mean cost of decisions, with its soft twin.

    Parameters
    ----------
    costs : DataFrame, mapping, or path
        A table with the true classes as rows and the predicted ones as columns; a mapping of
        (true, predicted) to a cost, where other pairs cost nothing; or a CSV file of such a table,
        whose first column has the true classes. A gain is a negative cost.
    name : str
        Name of the metric.

    Returns
    -------
    Metric
        Lower is better. Its range is that of the costs, so that gates allow for costly mistakes
        that a test set does not contain. Its soft twin is the cost expected by the probabilities.

    Raises
    ------
    ValueError
        If rows and columns name different classes, or a cost is not a number; where it is used,
        if a test set has other classes than a table, or not all classes of a mapping.

    Examples
    --------
    >>> import modelcompare as mc
    >>> missed = mc.metrics.cost({("ill", "well"): 10, ("well", "ill"): 1})
    >>> truth = ["ill", "ill", "well", "well"]
    >>> preds = mc.Predictions(truth, {"a": ["ill", "well", "ill", "well"]})
    >>> mc.bootstrap(preds, missed).estimate.tolist()
    [2.75]
    """
    table = _table(costs)
    numbers = table.to_numpy()
    return with_twin(CostMetric(
        name=name, ratio=mean_ratio, greater_is_better=False, costs=table,
        of_pairs=isinstance(costs, Mapping),
        bounds=(float(numbers.min()), float(numbers.max())), statistics=_statistics(table),
        description="""Mean cost of decisions.

        Weighs each mistake by its cost. The costs must be those of the application: with others the
        order of the models may be another one.""",
    ))  # fmt: skip


def _table(costs: Any) -> pd.DataFrame:
    """Check a table of costs: the same classes in rows and columns, by their texts."""
    if isinstance(costs, str | Path):
        costs = pd.read_csv(costs, index_col=0)
    elif isinstance(costs, Mapping) and all(isinstance(k, tuple) and len(k) == 2 for k in costs):
        classes = dict.fromkeys(str(each) for pair in costs for each in pair)
        frame = pd.DataFrame(0.0, index=[*classes], columns=[*classes])
        for (true, predicted), number in costs.items():
            frame.loc[str(true), str(predicted)] = number
        costs = frame
    if not isinstance(costs, pd.DataFrame):
        raise TypeError(
            "`costs` must be a table of true by predicted classes, a mapping of (true, predicted) "
            f"to a cost, or a file; got {shown(costs)}."
        )
    table = costs.rename(index=str, columns=str)
    once = table.index.is_unique and table.columns.is_unique
    if {*table.index} != {*table.columns} or not (once and len(table) > 1):
        raise ValueError(
            "`costs` must have the same classes in rows (true) and columns (predicted), each once; "
            f"got {', '.join(table.index)} and {', '.join(table.columns)}."
        )
    table = table[[*table.index]].apply(pd.to_numeric, errors="coerce").astype(float)
    if not np.isfinite(table.to_numpy()).all() or np.ptp(table.to_numpy()) == 0:
        raise ValueError("`costs` must be numbers that are not all equal.")
    return table


def _statistics(table: pd.DataFrame) -> tuple[Statistic, Statistic]:
    """Return the statistics of costs in the order of their table."""
    matrix = table.to_numpy()
    key = ",".join(f"{number:.17g}" for number in matrix.ravel())
    soft = Statistic(f"soft_costs {key}", partial(expected_costs, matrix=matrix))
    decided = partial(decided_costs, matrix=matrix)
    return Statistic(f"costs {key}", decided, discrete=True, soft=soft), COUNT
