"""What all reports share: which rows belong together, in which order, and how many fit."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pandas as pd

from modelcompare.report.numbers import decimals_for

if TYPE_CHECKING:
    from modelcompare.comparison.result import Comparison


@dataclass(frozen=True)
class Block:
    """The rows of one metric, or of one class of a metric: models best first.

    Attributes
    ----------
    metric : str
        Name of the metric.
    label : hashable or None
        The class; None for a metric that has one value per model.
    scores, differences : DataFrame
        Rows of ``Comparison.scores`` and ``Comparison.differences``.
    greater_is_better : bool
        Direction of the metric.
    decimals : int
        Digits after the point, alike for all blocks of the metric.
    hidden_scores, hidden_differences : int
        Rows that `limit` has left out.
    """

    metric: str
    label: Hashable | None
    scores: pd.DataFrame
    differences: pd.DataFrame
    greater_is_better: bool
    decimals: int
    hidden_scores: int = 0
    hidden_differences: int = 0

    @property
    def title(self) -> str:
        """The metric and, if there is one, the class."""
        return self.metric if self.label is None else f"{self.metric}, class {self.label}"

    @property
    def direction(self) -> str:
        """Say which way is better."""
        return "higher is better" if self.greater_is_better else "lower is better"

    def limit(self, *, scores: int, differences: int) -> Block:
        """Keep the first rows and count the others."""
        return replace(
            self,
            scores=self.scores.head(scores),
            differences=self.differences.head(differences),
            hidden_scores=max(len(self.scores) - scores, 0),
            hidden_differences=max(len(self.differences) - differences, 0),
        )


def headline(result: Comparison) -> str:
    """Say in one line what was compared."""
    models = f"{len(result.models):,} model{'s' * (len(result.models) != 1)}"
    name = f"{result.name}: " if result.name else ""
    return f"{name}{models}, {result.n_samples:,} samples"


def metric_blocks(
    result: Comparison, metrics: Sequence[str] | None = None
) -> dict[str, list[Block]]:
    """Cut a comparison's frames into blocks, by metric.

    Parameters
    ----------
    result : Comparison
        What ``compare`` returned.
    metrics : sequence of str, optional
        The metrics to keep, in this order; all by default.

    Returns
    -------
    dict of str to list of Block
        One block for an average, one per class for a metric of classes.

    Raises
    ------
    ValueError
        If `metrics` names one that was not compared.
    """
    available = list(dict.fromkeys(result.scores["metric"]))
    names = available if metrics is None else list(metrics)
    if unknown := [name for name in names if name not in available]:
        raise ValueError(
            f"`metrics` names {', '.join(unknown)}, not compared here; "
            f"compared were {', '.join(available)}."
        )
    return {name: list(_blocks_of(result, name)) for name in names}


def _blocks_of(result: Comparison, metric: str) -> Iterator[Block]:
    """Yield the blocks of one metric."""
    scores = result.scores[result.scores["metric"] == metric]
    differences = result.differences[result.differences["metric"] == metric]
    decimals = decimals_for(scores["standard_error"])
    for label in dict.fromkeys(_label(value) for value in scores["label"]):
        ranked = _rows_of(scores, label).sort_values("rank", kind="stable", na_position="last")
        yield Block(
            metric=metric,
            label=label,
            scores=ranked.reset_index(drop=True),
            differences=_by_rank(_rows_of(differences, label), list(ranked["model"])),
            greater_is_better=result.metric_info[metric].greater_is_better,
            decimals=decimals,
        )


def _label(value: Hashable) -> Hashable | None:
    """Turn a missing label into None, and an integer that pandas made a float back into one."""
    if value is None or value != value:
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _rows_of(frame: pd.DataFrame, label: Hashable | None) -> pd.DataFrame:
    """Take the rows of one class, or those without."""
    column = frame["label"]
    return frame[column.isna() if label is None else column == label]


def _by_rank(differences: pd.DataFrame, models: list[str]) -> pd.DataFrame:
    """Sort pairs: the leader against all others first."""
    place = {model: position for position, model in enumerate(models)}
    first, second = (differences[side].map(place) for side in ("model_a", "model_b"))
    order = differences.assign(_best=first.where(first < second, second), _sum=first + second)
    order = order.sort_values(["_best", "_sum"], kind="stable")
    return order.drop(columns=["_best", "_sum"]).reset_index(drop=True)
