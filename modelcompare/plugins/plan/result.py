"""`ComparisonPlan`: intervals, tests, time and memory of a comparison, without computing it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from modelcompare.comparison.method import INTERVALS
from modelcompare.comparison.notes import design_in_words
from modelcompare.comparison.plan import Plan
from modelcompare.engine.contrasts import Contrasts, Sample
from modelcompare.engine.memory import bytes_of_pairs
from modelcompare.intervals import intervals_around
from modelcompare.intervals.resampled import is_resampled
from modelcompare.metrics.base import AnyMetric
from modelcompare.plugins.plan.duration import seconds_of
from modelcompare.report.document import Document
from modelcompare.report.fields import Field, frame
from modelcompare.report.result import Result
from modelcompare.significance.studentized import NAME, Algorithm, algorithm_of
from modelcompare.words import IntervalMethod, signature

# Access to the test set, by the first of these that it has.
_ACCESS = {
    "rows": "all rows are in memory", "units": "sums of the units are in memory",
    "sums": "rows are read block by block",
}  # fmt: skip
# Swaps of each algorithm, in words, and their way.
_LAW = "by the law of a sum of signs where it holds, else swaps are counted, integrated or drawn,"
_HOW: Mapping[Algorithm, tuple[str, str]] = {
    "exact": ("all swaps", "all swaps are counted, in closed form"),
    "mean": ("means", f"{_LAW}; of a skewed mean less its skewness"),
    "quotient": ("quotients", f"{_LAW} of the sums of a quotient"),
    "form": ("slopes", f"{_LAW} of slopes of the value at its sums"),
    "contrast": ("contrasts", "swaps are drawn, of a quantity without bias"),
    "area": ("areas", "swaps are drawn, of areas under curves"),
    "raw": ("differences", "swaps are drawn, of the difference itself, which is not studentized"),
    "output": ("outputs", "the function is evaluated after each swap"),
    "flip": ("signs", "signs of influences, by the law of their sum, as there are no sums to swap"),
}


@dataclass(frozen=True, kw_only=True)
class ComparisonPlan(Result, stem="plan", title="Plan", version=2):
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
        Expected seconds of the comparison, within a factor of about two.
    n_bytes : int
        Memory of the differences and covariances.
    table : DataFrame
        A row for each metric, and group where there are several: group, metric, n_values, interval
        of scores, interval of differences, test, what its swaps are of, correction, and expected
        seconds.
    """

    models: tuple[str, ...]
    n_samples: int
    n_pairs: int
    design: str
    access: str
    seconds: float
    n_bytes: int
    table: pd.DataFrame = field(repr=False, metadata=frame(
        Field("group", "text", optional=True), "metric", Field("n_values", "count"),
        Field("interval", "text", "score"),
        Field("interval_of_differences", "text", "difference"), "test",
        Field("swaps", "text"), "correction", Field("seconds", "estimate"),
        name="plan",
    ))  # fmt: skip

    @property
    def signature(self) -> str:
        return signature("plan", n=self.n_samples, models=len(self.models), pairs=self.n_pairs)

    def document(self) -> Document:
        title = f"{len(self.models):,} models, {self.n_pairs:,} pair{'s' * (self.n_pairs != 1)}"
        shown = [name for name in self.table if name not in ("test", "correction")]
        table = self._table(title, self.table, *shown)
        names = dict.fromkeys(
            name for column in ("interval", "interval_of_differences")
            for cell in self.table[column] for name in cell.split(", ")
        )  # fmt: skip
        ways = {short: text for short, text in _HOW.values() if short in {*self.table["swaps"]}}
        tests = ", ".join(dict.fromkeys(self.table["test"]))
        corrected = ", ".join(dict.fromkeys(self.table["correction"]))
        time = "less than a second" if self.seconds < 1 else f"about {self.seconds:,.0f} s"
        findings = [
            f"{self.design} {self.access}.",
            *([f"Test: {tests}, corrected by {corrected}."] if tests else []),
            f"Expected are {time} and {max(self.n_bytes / 2**20, 1):,.0f} MiB for the tests.",
            *(f"{name}: {INTERVALS[name][0]}." for name in names if name in INTERVALS),
            *(f"{short}: {text}." for short, text in ways.items()),
        ]
        return self._document({self._stem: table}, findings=findings)


def plan_of_comparisons(plans: Mapping[str, Plan], n_samples: int) -> ComparisonPlan:
    """Show the plans of a comparison, or of those in groups, by their names."""
    rows = [
        ({"group": name} if name else {}) | _row(made, metric)
        for name, made in plans.items() for metric in made.bootstrap.evaluation.metrics
    ]  # fmt: skip
    (name, first), *_ = plans.items()
    found = shown(first.bootstrap, len(first.pairs[0]), rows)
    design = f"In {name}: {found.design}" if name else found.design
    return replace(found, n_samples=n_samples, design=design)


def shown(sample: Sample, n_pairs: int, rows: Sequence[Mapping[str, object]]) -> ComparisonPlan:
    """Show the rows of a plan, with what varies, expected time and memory."""
    evaluation, found = sample.evaluation, pd.DataFrame(rows)
    predictions = evaluation.predictions
    varies = " ".join(filter(None, [design_in_words(evaluation), *sample.scope.notes]))
    abilities = predictions.access.abilities
    access = next((text for ability, text in _ACCESS.items() if ability in abilities), "")
    return ComparisonPlan(
        models=evaluation.models, n_samples=len(predictions), n_pairs=n_pairs,
        design=varies or f"{sample.design.written_size()} vary.",
        access=access[:1].upper() + access[1:], seconds=float(found["seconds"].sum()),
        n_bytes=bytes_of_pairs(n_pairs, len(evaluation.models), len(evaluation.keys)), table=found,
    )  # fmt: skip


def _row(made: Plan, metric: AnyMetric) -> dict[str, object]:
    """Return what is computed of one metric."""
    evaluation, test, n_pairs = made.bootstrap.evaluation, made.procedure.test, len(made.pairs[0])
    where, swaps, n_resamples = evaluation.metric_slice(metric.name), "", made.settings.n_resamples
    seconds = 0.0
    if test == NAME:
        swaps, _ = _HOW[algorithm_of(evaluation, metric)]
        seconds = seconds_of(evaluation, metric, n_pairs, n_resamples, made.procedure)
    return {
        "metric": metric.name, "n_values": where.stop - where.start,
        "interval": _interval(made, metric, of_pairs=False),
        "interval_of_differences": _interval(made, metric, of_pairs=True) if n_pairs else "",
        "test": test if n_pairs else "", "swaps": swaps if n_pairs else "",
        "correction": made.procedure.correction if n_pairs else "", "seconds": seconds,
    }  # fmt: skip


def _interval(made: Plan, metric: AnyMetric, *, of_pairs: bool) -> str:
    view, level = made.view.of_metrics([metric]), made.settings.confidence_level
    return name_intervals(view if of_pairs else Contrasts(view.sample, None), made.method, level)


def name_intervals(
    rows: Contrasts, method: IntervalMethod, level: float, place: int | None = None
) -> str:
    """Name the interval methods of one metric's values, or of one value, without resamples."""
    if method != "auto" or is_resampled(rows.evaluation.metrics[0]):
        return method if method != "auto" else "of resamples"
    found = intervals_around(rows, method, level).method
    names = (found if place is None else found[:, place]).ravel()
    return ", ".join(dict.fromkeys(str(name) for name in names if name is not None))
