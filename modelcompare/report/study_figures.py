"""Figures of the variance study: spread and value against the size of the test set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from modelcompare.report.style import (
    LINE_STYLES,
    MODEL_COLOURS,
    MUTED,
    figure_style,
    legend_below,
    new_figure,
    plain_axes,
    ratio_axis,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from modelcompare.studies.variance import VarianceStudy

MAX_CLASSES = 6
# With more models than colours, the range of all models is drawn in their place.
MAX_LINES = len(MODEL_COLOURS)


def plot_variances(
    study: VarianceStudy, pair: tuple[str, str], *, n_columns: int | None = None
) -> Figure:
    """Variances of both metrics of a pair against the part of the test set.

    A panel for each class; a colour for each model, solid for the first metric and dashed for the
    second. With more than twelve models the median and the range of 90 % of them are drawn.
    """
    labels = drawn_labels(study.distribution, pair[0])
    columns = min(n_columns or 3, len(labels))
    n_rows = -(-len(labels) // columns)
    with figure_style():
        figure = new_figure(max(2.7 * columns, 4.6), 2.7 * n_rows + 1.3)
        grid = figure.subplots(n_rows, columns, squeeze=False, sharex=True, sharey=True)
        for axes, label in zip(grid.flat, labels, strict=False):
            for name, style in zip(pair, LINE_STYLES, strict=True):
                part = of_metric(study.distribution, name, label)
                _draw_lines(axes, part, "variance", study.models, style)
            axes.set_yscale("log")
            _label_panel(axes, label, pair[0])
            ratio_axis(axes, study.ratios)
        for axes in list(grid.flat)[len(labels) :]:
            axes.set_visible(False)
        for axes in grid[:, 0]:
            axes.set_ylabel("variance")
        _frame(figure, study, pair, f"Variance of {pair[0]} and {pair[1]}")
    return figure


def plot_intervals(study: VarianceStudy, pair: tuple[str, str]) -> Figure:
    """Values with bands against the part of the test set, the two metrics side by side.

    A row of panels for each class, on one scale, and a colour for each model.
    """
    labels = drawn_labels(study.distribution, pair[0])
    level = f"{100 * study.confidence_level:g} %"
    with figure_style():
        figure = new_figure(7.0, 2.3 * len(labels) + 1.2)
        grid = figure.subplots(len(labels), 2, squeeze=False, sharex=True, sharey="row")
        for row, label in zip(grid, labels, strict=True):
            for axes, name in zip(row, pair, strict=True):
                part = of_metric(study.distribution, name, label)
                _draw_bands(axes, part, study.models)
                _label_panel(axes, label, name, metric=name)
                ratio_axis(axes, study.ratios, last=row is grid[-1])
        title = (
            f"{pair[0]} and {pair[1]}, mean and {level} interval of {study.n_resamples:,} resamples"
        )
        _frame(figure, study, None, title)
    return figure


def drawn_labels(frame: pd.DataFrame, metric: str) -> list[Any]:
    """Classes that get a panel: all, or the first six."""
    return list(dict.fromkeys(frame.loc[frame["metric"] == metric, "label"]))[:MAX_CLASSES]


def of_metric(frame: pd.DataFrame, metric: str, label: Any) -> pd.DataFrame:
    """Rows of one metric and class."""
    part = frame[frame["metric"] == metric]
    return part if _is_missing(label) else part[part["label"] == label]


def _is_missing(label: Any) -> bool:
    return label is None or label != label


def _label_panel(axes: Axes, label: Any, name: str, *, metric: str | None = None) -> None:
    plain_axes(axes, grid="both")
    title = name if _is_missing(label) else str(label)
    axes.set_title(title if metric is None or _is_missing(label) else f"{metric} of {label}")


def _draw_lines(
    axes: Axes, part: pd.DataFrame, column: str, models: Sequence[str], style: str
) -> None:
    """Draw a line for each model, or the median and range of many."""
    table = part.pivot(index="ratio", columns="model", values=column).sort_index()
    if len(models) <= MAX_LINES:
        for model, colour in zip(models, MODEL_COLOURS, strict=False):
            axes.plot(table.index, table[model], style, color=colour, linewidth=1.5, marker=".")
        return
    low, middle, high = np.nanquantile(table.to_numpy(), [0.05, 0.5, 0.95], axis=1)
    colour = MODEL_COLOURS[0] if style == LINE_STYLES[0] else MODEL_COLOURS[1]
    axes.fill_between(table.index, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.plot(table.index, middle, style, color=colour, linewidth=1.5, marker=".")


def _draw_bands(axes: Axes, part: pd.DataFrame, models: Sequence[str]) -> None:
    if len(models) > MAX_LINES:
        _draw_lines(axes, part, "mean", models, LINE_STYLES[0])
        return
    for (model, colour), marker in zip(
        zip(models, MODEL_COLOURS, strict=False), _markers(), strict=False
    ):
        rows = part[part["model"] == model].sort_values("ratio")
        axes.fill_between(
            rows["ratio"], rows["ci_low"], rows["ci_high"], color=colour, alpha=0.16, linewidth=0
        )
        axes.plot(rows["ratio"], rows["mean"], color=colour, linewidth=1.5, marker=marker,
                  markersize=3.5)  # fmt: skip


def _markers() -> Iterator[str]:
    yield from "os^Dv<>PXd*h"


def _frame(figure: Figure, study: VarianceStudy, pair: tuple[str, str] | None, title: str) -> None:
    """Write the title, the key and the signature."""
    from matplotlib.lines import Line2D

    many = len(study.models) > MAX_LINES
    keys: list[Any] = []
    if not many:
        keys = [
            Line2D([], [], color=colour, linewidth=2, label=model)
            for model, colour in zip(study.models, MODEL_COLOURS, strict=False)
        ]
    if pair is not None:
        keys += [
            Line2D([], [], color=colour if many else MUTED, ls=style, label=name)
            for name, style, colour in zip(pair, LINE_STYLES, MODEL_COLOURS[:2], strict=True)
        ]
    figure.suptitle(title, x=0.01, ha="left", fontsize=10.5, fontweight="bold")
    note = f"median and range of 90 % of {len(study.models)} models\n" if many else ""
    legend_below(figure, keys, note + study.signature)
