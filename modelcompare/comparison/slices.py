"""Comparisons by subgroup, corrected across subgroups, the worst first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import IntArray
from modelcompare.comparison.compare import compare
from modelcompare.comparison.grouped import Grouped, compare_each, correct_together
from modelcompare.comparison.result import Comparison
from modelcompare.comparison.tables import pair_table
from modelcompare.data.predictions import Predictions
from modelcompare.engine.units import THESE_RUNS, for_these_runs
from modelcompare.metrics.registry import MetricLike
from modelcompare.report.document import Document
from modelcompare.report.tables import VALUE, Table, column, interval_column
from modelcompare.resampling.seeds import RngLike, rng_label
from modelcompare.words import Correction, check_sequence, signature

# Of smaller subgroups little can be said.
MIN_SIZE = 30


@dataclass(frozen=True)
class SliceComparison(Grouped):
    """Scores and differences in each subgroup.

    Attributes
    ----------
    results : dict of (str, object) to Comparison
        One comparison for each slice and value, corrected over all pairs, classes and slices of a
        metric.
    scores : DataFrame
        The columns of `Comparison.scores` behind slice, value and n_samples; slices on which the
        best model is worst come first.
    differences : DataFrame
        The columns of `Comparison.differences` behind slice, value and n_samples.
    left_out : DataFrame
        Slices with fewer than `min_size` samples, and samples whose slice is missing (value None):
        slice, value, n_samples.
    confidence_level, n_resamples, method, test, correction
        As given to `compare_slices`.
    n_samples : int
        Size of the whole test set.
    notes : tuple of str
        What the answer is for: the runs at hand, where there are several.
    """

    left_out: pd.DataFrame = field(repr=False)
    n_samples: int
    notes: tuple[str, ...] = field(default=(), repr=False)

    _types: ClassVar[Mapping[str, type]] = {"slice": str, "n_samples": int}
    stem: ClassVar[str] = "slices"
    page_title: ClassVar[str] = "Subgroups"
    _members: ClassVar[str] = """
        confidence_level n_samples n_resamples method test correction rng_label signature
        scores: slice value n_samples model metric label estimate standard_error ci_low ci_high
          n_undefined rank rank_low rank_high method
        differences: slice value n_samples model_a model_b metric label difference standard_error
          ci_low ci_high p_value p_adjusted better method test
        left_out: slice value n_samples
    """

    @cached_property
    def scores(self) -> pd.DataFrame:
        upwards = self._first.metric_info[self._first.metrics[0]].greater_is_better
        return _worst_first(super().scores, greater_is_better=upwards)

    def _named(self, key: tuple[str, Any], result: Comparison) -> Mapping[str, object]:
        return {"slice": key[0], "value": key[1], "n_samples": result.n_samples}

    @property
    def signature(self) -> str:
        return signature(
            "compare_slices", n=self.n_samples, B=self.n_resamples, ci=self.method, test=self.test,
            adjust=self.correction, rng=self.rng_label, **{THESE_RUNS: bool(self.notes)},
        )  # fmt: skip

    def document(self) -> Document:
        level = self.confidence_level
        subgroup = column("subgroup", "slice", "value", kind="slice")
        tables = {
            "scores": Table.of(
                "Subgroups, the worst first", self.scores, subgroup, "n_samples", VALUE, "model",
                "estimate", interval_column(level), decimals=None,
            )
        }  # fmt: skip
        if len(self.differences):
            tables["differences"] = pair_table(
                "Differences", [subgroup, VALUE], self.differences, level, self.correction
            )
        if len(self.left_out):
            tables["left_out"] = Table.of("Left out", self.left_out, subgroup, "n_samples")
        return self._document(tables, findings=self.notes)


@checked(compare)
def compare_slices(
    predictions: Predictions, metrics: MetricLike | Sequence[MetricLike] | None = None, *,
    by: Sequence[str] | None = None, min_size: int = MIN_SIZE, correction: Correction = "holm",
    alpha: float = 0.05, rng: RngLike = 0, **options: Any,
) -> SliceComparison:  # fmt: skip
    """Compare models in every subgroup of the test set.

    Parameters
    ----------
    predictions : Predictions
        With `slices`: the variables that define subgroups.
    metrics : str, metric, callable, or sequence of these, optional
        As in `compare`.
    by : sequence of str, optional
        Variables to look at; all by default.
    min_size : int
        Smaller subgroups are left out, and named in `left_out`.
    correction, alpha, rng, **options
        As in `compare`, except "max-t" and "min-p"; the family of a correction is all pairs,
        classes and slices of a metric.

    Raises
    ------
    ValueError
        If there are no slices, a variable is unknown, or no subgroup is large enough.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.Predictions([0, 1] * 60, {"a": [0, 1] * 40 + [0, 0] * 20, "b": [0, 1] * 60},
    ...                        slices={"year": ["old"] * 80 + ["new"] * 40})
    >>> mc.compare_slices(preds, "accuracy", n_resamples=99).scores[
    ...     ["value", "model", "estimate"]].head(2)
      value model  estimate
    0   new     a       0.5
    1   new     b       1.0
    """
    if correction in ("max-t", "min-p"):
        raise ValueError(f"{correction} needs one set of resamples; across slices use 'holm'.")
    frame = predictions.slices
    if frame is None:
        raise ValueError("the predictions have no `slices`; give them, e.g. slices={'lang': lang}.")
    chosen: list[Any] = list(frame.columns) if by is None else [by]
    if not isinstance(by, str | None):
        chosen = [*check_sequence("by", by, "names")]
    unknown = [name for name in chosen if name not in frame.columns.tolist()]
    if unknown:
        raise ValueError(
            f"`by` names no slice variable: {unknown[0]!r}; there are {', '.join(frame.columns)}."
        )
    groups, left_out = _subgroups(frame, chosen, min_size)
    if not groups:
        raise ValueError(f"no subgroup has {min_size} samples; lower `min_size`.")
    found = compare_each(
        (((name, value), f"{name} = {value}", predictions.subset(rows))
         for name, value, rows in groups),
        metrics, what="subgroups", rng=rng, correction="none", alpha=alpha, **options,
    )  # fmt: skip
    return SliceComparison(
        correct_together(found, correction), rng_label(rng),
        pd.DataFrame(left_out, columns=["slice", "value", "n_samples"]), len(predictions),
        for_these_runs(predictions),
    )  # fmt: skip


def _subgroups(
    slices: pd.DataFrame, names: Sequence[str], min_size: int
) -> tuple[list[tuple[str, Any, IntArray]], list[tuple[str, Any, int]]]:
    """Variable, value and rows of each subgroup, and the sizes of those that are left out."""
    groups: list[tuple[str, Any, IntArray]] = []
    left_out: list[tuple[str, Any, int]] = []
    for name in names:
        n_missing = int(slices[name].isna().sum())
        if n_missing:
            left_out.append((name, None, n_missing))
        for value, rows in slices.groupby(name, sort=True).indices.items():
            if len(rows) < min_size:
                left_out.append((name, value, len(rows)))
            else:
                plain = value.item() if isinstance(value, np.generic) else value
                groups.append((name, plain, np.asarray(rows)))
    return groups, left_out


def _worst_first(scores: pd.DataFrame, *, greater_is_better: bool) -> pd.DataFrame:
    """Order slices by the score of the model that ranks best over them, by the first metric."""
    first = scores[scores["metric"] == scores["metric"].iloc[0]]
    leader = first.groupby("model", sort=False)["rank"].mean().idxmin()
    of_leader = first[first["model"] == leader].groupby(["slice", "value"], sort=False)
    estimates = of_leader["estimate"].mean()
    order = estimates.sort_values(ascending=greater_is_better, kind="stable").index
    position = {key: place for place, key in enumerate(order)}
    places = [position[key] for key in zip(scores["slice"], scores["value"], strict=True)]
    return scores.iloc[np.argsort(places, kind="stable")].reset_index(drop=True)
