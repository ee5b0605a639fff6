"""ROC and precision-recall curves of all models for one class, and their figure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.data.sizes import n_seen
from modelcompare.metrics.base import divide
from modelcompare.plugins.curves.one_class import OneClass, areas_under, share_of_all
from modelcompare.report.document import Document
from modelcompare.report.fields import Field, frame
from modelcompare.report.figures.layout import Caption, draw_panels
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.selection import first_models
from modelcompare.report.figures.style import CHANCE, MAX_LINES, Look, look_of_each, plain_axes
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import format_interval, format_percent
from modelcompare.report.result import Result
from modelcompare.report.tables import Table, column, interval_column, rows_at
from modelcompare.words import CurveKind, label_name, signature

# A curve has too many points for a marker at each.
_MARKS = 9


def plot_banded_curve(result: CurveResult, ax: Axes | None = None) -> Figure:
    """Plot all models' curves in one panel, with their bands."""
    return plot_curve(result, result.signature, ax=ax)


def plot_roc(result: CurveResult, ax: Axes | None = None) -> Figure:
    """Plot the ROC curves with their bands and areas."""
    return _plot_only("roc", result, ax)


def plot_pr(result: CurveResult, ax: Axes | None = None) -> Figure:
    """Plot precision against recall, with bands and areas."""
    return _plot_only("precision-recall", result, ax)


def _plot_only(kind: CurveKind, result: CurveResult, ax: Axes | None) -> Figure:
    if result.kind != kind:
        raise ValueError(
            f"these are {result.kind} curves; ask for the others by curve(..., {kind!r})."
        )
    return plot_banded_curve(result, ax)


@dataclass(frozen=True, kw_only=True)
class CurveResult(Result, stem="curve"):
    """Curves of all models for one class.

    Attributes
    ----------
    points : DataFrame
        The empirical curves, a row for each distinct score: model, threshold, recall,
        false_positive_rate, precision. Samples with scores at or above the threshold are predicted
        positive.
    band : DataFrame
        The curve on a grid, with pointwise intervals, if they were asked for: model, x, y, ci_low,
        ci_high; x is the false positive rate and y recall, or x recall and y precision.
    kind : {"roc", "precision-recall"}
        Type of the curves.
    areas : DataFrame
        The area under each curve (ROC AUC, or average precision), with percentile intervals if
        there is a band: model, area, ci_low, ci_high.
    label
        The positive class.
    share : float
        Share of the positive class, which is the precision of a random classifier.
    n_samples : int
        Size of the test set.
    confidence_level : float
        Level of the intervals.
    """

    points: pd.DataFrame = field(repr=False, metadata=frame(
        "model", Field("threshold", "estimate"), Field("recall", "estimate"),
        Field("false_positive_rate", "estimate"), Field("precision", "estimate"),
    ))  # fmt: skip
    band: pd.DataFrame = field(repr=False, metadata=frame(
        "model", Field("x", "setting"), Field("y", "estimate"), "ci_low", "ci_high",
    ))  # fmt: skip
    areas: pd.DataFrame = field(repr=False, metadata=frame(
        "model", Field("area", "estimate"), "ci_low", "ci_high",
    ))  # fmt: skip
    kind: CurveKind
    label: Any
    share: float
    n_samples: int
    confidence_level: float

    plot = Plots(curve=plot_banded_curve, roc=plot_roc, pr=plot_pr)

    @property
    def signature(self) -> str:
        level = self.confidence_level
        return signature("curve", kind=self.kind, label=str(self.label), level=level)

    def document(self) -> Document:
        x, y = ("false positive rate", "recall") if self.kind == "roc" else ("recall", "precision")
        tenths = (self.band["x"] * 10).round(6)
        title = f"{x[0].upper()}{x[1:]} and {y}, positive class {self.label}"
        table = Table.of(
            title, self.band[tenths % 1 == 0], "model", column(x, "x", kind="setting"),
            column(y, "y", kind="estimate"),
            interval_column(self.confidence_level), decimals=3,
        )  # fmt: skip
        return self._document({"curve": table})


def empirical_curves(
    one: OneClass, kind: CurveKind, weights: FloatArray, confidence_level: float
) -> CurveResult:
    """Return curves of all models without a band, and their areas without intervals.

    Points are at each distinct score; weights of the samples have the shape (1, n_samples).
    """
    points, areas = [], []
    for model, ordered, scores in one.models:
        hits, alarms = ordered.counts(weights)
        points.append(pd.DataFrame({
            "model": model, "threshold": scores, "recall": share_of_all(hits)[0],
            "false_positive_rate": share_of_all(alarms)[0],
            "precision": divide(hits, hits + alarms)[0],
        }))  # fmt: skip
        areas.append((model, areas_under(kind, ordered, weights)[0], np.nan, np.nan))
    share = float(weights[0] @ one.positive / weights[0].sum())
    return CurveResult(
        points=pd.concat(points, ignore_index=True),
        band=pd.DataFrame({"model": [], "x": [], "y": [], "ci_low": [], "ci_high": []}),
        areas=pd.DataFrame(areas, columns=["model", "area", "ci_low", "ci_high"]), kind=kind,
        label=one.label, share=share, n_samples=n_seen(one.predictions),
        confidence_level=confidence_level,
    )  # fmt: skip


def plot_curve(result: CurveResult, signature: str, *, ax: Axes | None = None) -> Figure:
    """Draw all models' curves in one square, with pointwise bands if any."""
    roc = result.kind == "roc"
    order = result.areas.sort_values("area", ascending=False, kind="stable", ignore_index=True)
    models, shown = first_models(order["model"].tolist(), MAX_LINES, "those of the largest area")
    level = format_percent(result.confidence_level)
    banded = len(result.band) > 0
    title = (
        f"{'ROC' if roc else 'Precision and recall'}, positive class {label_name(result.label)}: "
        f"{result.n_samples:,} samples{f', {level} bands' if banded else ''}"
    )
    areas = order.set_index("model")
    keys = [
        (f"{model}  {_area(areas.loc[model], 'AUC' if roc else 'AP')}", look)
        for model, look in look_of_each(models)
    ]
    note = f"bands: {level} at each x by itself; " if banded else ""
    caption = Caption(title, signature, shown, f"{note}dotted: chance", [*keys, ("chance", CHANCE)])

    def draw(axes: Axes) -> None:
        plain_axes(axes)
        x, y = ([0, 1], [0, 1]) if roc else ([0, 1], [result.share, result.share])
        axes.plot(x, y, **CHANCE.options(linewidth=1))
        for model, look in look_of_each(models):
            _draw_curve(axes, result, model, look)
        axes.set(xlim=(0, 1), ylim=(0, 1.01), aspect="equal")
        axes.set_xlabel("false positive rate" if roc else "recall")
        axes.set_ylabel("recall" if roc else "precision")

    return draw_panels(caption, [[draw]], (4.8, 4.6), ax=ax)


def _area(row: Any, name: str) -> str:
    """Return the area, with its interval if it has one."""
    known = not np.isnan(row["ci_low"])
    interval = f" ({format_interval(row['ci_low'], row['ci_high'], 3)})" if known else ""
    return f"{name} {row['area']:.3f}{interval}"


def _draw_curve(axes: Axes, result: CurveResult, model: str, look: Look) -> None:
    band = rows_at(result.band, model=model)
    if len(band):
        ends = (band["ci_low"], band["ci_high"])
        axes.fill_between(band["x"], *ends, color=look.colour, alpha=0.18, linewidth=0)
    points = rows_at(result.points, model=model)
    if result.kind == "roc":
        x, y = (np.r_[0.0, points[name]] for name in ("false_positive_rate", "recall"))
        way = "default"
    else:
        x, y = points["recall"].to_numpy(), points["precision"].to_numpy()
        way = "steps-pre"
    step = max(1, len(x) // _MARKS)
    axes.plot(x, y, drawstyle=way, **look.options(markevery=step))
