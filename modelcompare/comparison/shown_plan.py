"""`plan`: intervals, tests, time and memory of a comparison, without computing it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from inspect import signature as parameters_of
from typing import Any

import pandas as pd

from modelcompare.arguments import checked
from modelcompare.comparison.compare import compare
from modelcompare.comparison.duration import seconds_of
from modelcompare.comparison.method import INTERVALS
from modelcompare.comparison.notes import design_in_words
from modelcompare.comparison.plan import ComparisonSettings, Plan, planned
from modelcompare.data.given_arrays import takes_arrays
from modelcompare.data.test_set import TestSet
from modelcompare.engine.contrasts import Contrasts
from modelcompare.engine.memory import bytes_of_pairs
from modelcompare.intervals import intervals_around
from modelcompare.intervals.resampled import is_resampled
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.registry import MetricLike
from modelcompare.report.document import Document
from modelcompare.report.fields import Field, frame
from modelcompare.report.result import Result
from modelcompare.significance.studentized import HOW, NAME, algorithm_of
from modelcompare.words import giving, signature

# Access to the test set, by the first of these that it has.
_ACCESS = {
    "rows": "all rows are in memory", "units": "sums of the units are in memory",
    "sums": "rows are read block by block",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ComparisonPlan(Result, stem="plan", title="Plan"):
    """Intervals, tests, design, time and memory of a comparison that was not computed.

    Attributes
    ----------
    models : tuple of str
        The models.
    n_samples, n_pairs : int
        Numbers of samples, and of pairs of models.
    design : str
        What varies.
    access : str
        How the test set is read.
    seconds : float
        Expected seconds of the swaps, within a factor of about three.
    n_bytes : int
        Memory of the differences and covariances.
    table : DataFrame
        A row for each metric: n_values, interval of scores, interval of differences, test, what
        its swaps are of, correction, and expected seconds.
    """

    models: tuple[str, ...]
    n_samples: int
    n_pairs: int
    design: str
    access: str
    seconds: float
    n_bytes: int
    table: pd.DataFrame = field(repr=False, metadata=frame(
        "metric", Field("n_values", "count"), Field("interval", "text", "score"),
        Field("interval_of_differences", "text", "difference"), "test",
        Field("swaps", "text"), "correction", Field("seconds", "estimate"),
        name="plan",
    ))  # fmt: skip

    @property
    def signature(self) -> str:
        return signature("plan", n=self.n_samples, models=len(self.models), pairs=self.n_pairs)

    def document(self) -> Document:
        title = f"{len(self.models):,} models, {self.n_pairs:,} pairs"
        shown = [name for name in self.table if name not in ("test", "correction")]
        table = self._table(title, self.table, *shown)
        names = dict.fromkeys(
            name for column in ("interval", "interval_of_differences")
            for cell in self.table[column] for name in cell.split(", ")
        )  # fmt: skip
        ways = {short: text for short, text in HOW.values() if short in {*self.table["swaps"]}}
        tests = ", ".join(dict.fromkeys(self.table["test"]))
        corrected = ", ".join(dict.fromkeys(self.table["correction"]))
        time = "less than a second" if self.seconds < 1 else f"about {self.seconds:,.0f} s"
        findings = [
            f"{self.design} {self.access}.",
            *([f"Test: {tests}, corrected by {corrected}."] if self.n_pairs else []),
            f"Expected are {time} and {max(self.n_bytes / 2**20, 1):,.0f} MiB for the tests.",
            *(f"{name}: {INTERVALS[name][0]}." for name in names if name in INTERVALS),
            *(f"{short}: {text}." for short, text in ways.items()),
        ]
        return self._document({self._stem: table}, findings=findings)


@takes_arrays
@checked(compare, predictions=giving("sums", by_design=True))
def plan(
    predictions: TestSet, metrics: MetricLike | Sequence[MetricLike] | None = None, **options: Any
) -> ComparisonPlan:
    """Show what `compare` would compute, and how: intervals, tests, design, time and memory.

    Nothing is drawn; what `compare` refuses is refused here, with the same errors.

    Parameters
    ----------
    predictions, metrics
        As of `compare`.
    **options
        Other options of `compare`.

    Returns
    -------
    ComparisonPlan
        The intervals and tests of each metric are in its `table`.

    Raises
    ------
    ValueError
        As of `compare`; and for ``missing="bounds"``, whose ends are two comparisons.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> mc.plan(preds, ["accuracy", "log_loss"]).table[["metric", "interval", "swaps"]]
         metric interval      swaps
    0  accuracy   wilson  all swaps
    1  log_loss    log-t      means
    """
    asked = parameters_of(compare).bind(predictions, metrics, **options)
    asked.apply_defaults()
    settings = dict(asked.arguments)
    if settings.pop("missing") == "bounds":
        raise ValueError("missing='bounds' makes two comparisons; plan one, with missing='worst'.")
    known = ComparisonSettings.__dataclass_fields__
    settings = {name: value for name, value in settings.items() if name in known}
    return _shown(planned(predictions, metrics, ComparisonSettings(**settings)))


def _shown(made: Plan) -> ComparisonPlan:
    evaluation, n_pairs = made.bootstrap.evaluation, len(made.pairs[0])
    found = pd.DataFrame([_row(made, metric) for metric in evaluation.metrics])
    predictions = evaluation.predictions
    varies = " ".join(filter(None, [design_in_words(evaluation), *made.bootstrap.scope.notes]))
    abilities = predictions.access.abilities
    access = next((text for ability, text in _ACCESS.items() if ability in abilities), "")
    return ComparisonPlan(
        models=evaluation.models, n_samples=len(predictions), n_pairs=n_pairs,
        design=varies or f"{made.bootstrap.design.written_size()} vary.",
        access=access[:1].upper() + access[1:], seconds=float(found["seconds"].sum()),
        n_bytes=bytes_of_pairs(n_pairs, len(evaluation.models), len(evaluation.keys)), table=found,
    )  # fmt: skip


def _row(made: Plan, metric: AnyMetric) -> dict[str, object]:
    """Return what is computed of one metric."""
    evaluation, test, n_pairs = made.bootstrap.evaluation, made.procedure.test, len(made.pairs[0])
    where, swaps, n_resamples = evaluation.metric_slice(metric.name), "", made.settings.n_resamples
    seconds = 0.0
    if test == NAME:
        swaps, _ = HOW[algorithm_of(evaluation, metric)]
        seconds = seconds_of(evaluation, metric, n_pairs, n_resamples, made.procedure)
    return {
        "metric": metric.name, "n_values": where.stop - where.start,
        "interval": _interval(made, metric, of_pairs=False),
        "interval_of_differences": _interval(made, metric, of_pairs=True) if n_pairs else "",
        "test": test if n_pairs else "", "swaps": swaps if n_pairs else "",
        "correction": made.procedure.correction if n_pairs else "", "seconds": seconds,
    }  # fmt: skip


def _interval(made: Plan, metric: AnyMetric, *, of_pairs: bool) -> str:
    """Name the interval methods of a metric's values, which do not need resamples."""
    if made.method != "auto" or is_resampled(metric):
        return made.method if made.method != "auto" else "of resamples"
    view = made.view.of_metrics([metric])
    rows = view if of_pairs else Contrasts(view.sample, None)
    found = intervals_around(rows, made.method, made.settings.confidence_level).method
    return ", ".join(dict.fromkeys(str(name) for name in found.ravel() if name is not None))
