"""Rainclouds of bootstrap replicates: density, box and points of each model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modelcompare.engine.contrasts import Sample
from modelcompare.report.figures.interval_rows import name_rows, wrapped_name
from modelcompare.report.figures.layout import Caption, draw_panels
from modelcompare.report.figures.selection import (
    among,
    first_models,
    models_by_class,
    part_shown,
)
from modelcompare.report.figures.style import LEADING, MUTED, plain_axes
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import format_percent
from modelcompare.words import label_name

MAX_CLASSES = 6
MAX_ROWS = 30
MAX_MODELS = 30
_POINTS = 80
_ROW_HEIGHT = 0.42
_GRID = 120
# Steps of the golden ratio spread any number of points evenly.
_GOLDEN = 0.6180339887498949

# Replicates of a model, metric and class.
ValuesOf = Callable[[str, str, Any], NDArray[np.float64]]
# Classes (None without classes), and the models drawn below each; and a remark on
# those that are left out.
Heaps = tuple[Sequence[tuple[Any, Sequence[str]]], str]


def plot_replicates(result: Sample, ax: Axes | None = None, *, metric: str | None = None) -> Figure:
    """Draw the replicates: a cloud, a box and points for each model."""
    labels: dict[str, list[Any]] = {}
    for key in result.evaluation.keys:
        labels.setdefault(key.metric, []).append(key.label)
    heaps = {}
    for name in [*labels] if metric is None else [among("metric", metric, list(labels))]:
        kept, most = labels[name][:MAX_CLASSES], MAX_MODELS
        if kept[0] is not None:
            most = models_by_class(len(kept), MAX_ROWS)
        models, left_out = first_models(result.models, most)
        remarks = [left_out, part_shown(len(kept), len(labels[name]), "class")]
        heaps[name] = [(label, models) for label in kept], "; ".join(filter(None, remarks))
    title = f"{result.design.written_size()}, {result.n_resamples:,} resamples"
    return plot_raincloud(result.values_of, heaps, title, result.signature, 0.95, ax)


def plot_raincloud(
    values_of: ValuesOf, heaps: Mapping[str, Heaps], title: str, signature: str,
    confidence_level: float, ax: Axes | None = None,
) -> Figure:  # fmt: skip
    """Draw the replicates of each metric in a panel: a cloud, a box and points for each model."""
    heights, panels = [], []
    for metric, (part, _) in heaps.items():
        n_rows = sum(len(models) + (label is not None) for label, models in part)
        heights.append(_ROW_HEIGHT * n_rows + 0.75)
        panels.append([partial(_draw_metric, values_of, metric, part, confidence_level)])
    remarks = [f"{metric}: {remark}" for metric, (_, remark) in heaps.items() if remark]
    note = (
        f"cloud: density of the resampled values; box: middle half and median; line: middle "
        f"{format_percent(confidence_level)}; points: up to {_POINTS} of them"
    )
    caption = Caption(title, signature, "\n".join(remarks), note)
    return draw_panels(caption, panels, (6.4, heights), ax=ax)


def _draw_metric(
    values_of: ValuesOf, metric: str, heaps: Sequence[tuple[Any, Sequence[str]]], level: float,
    axes: Axes,
) -> None:  # fmt: skip
    plain_axes(axes, metric, grid="x")
    rows: list[tuple[str, NDArray[np.float64] | None]] = []
    for label, models in heaps:
        if label is not None:
            rows.append((wrapped_name(f"class {label_name(label)}"), None))
        for model in models:
            values = values_of(model, metric, label)
            rows.append((wrapped_name(model), values[~np.isnan(values)]))
    for position, (_, drawn) in zip(name_rows(axes, rows), rows, strict=True):
        if drawn is not None and len(drawn):
            _draw_cloud(axes, position, drawn, level)
    axes.set_xlabel("value on a resample")
    axes.locator_params(axis="x", nbins=6)


def _draw_cloud(axes: Axes, y: float, values: NDArray[np.float64], level: float) -> None:
    """The cloud above the row's middle, the box in it, the points below; y grows downwards."""
    _draw_density(axes, y - 0.08, values)
    tail = (1 - level) / 2
    low, q1, middle, q3, high = np.quantile(values, [tail, 0.25, 0.5, 0.75, 1 - tail])
    axes.hlines(y + 0.04, low, high, color="black", linewidth=1.0)
    axes.hlines(y + 0.04, q1, q3, color="black", linewidth=4.5)
    axes.plot(middle, y + 0.04, marker="o", markersize=3.2, color="white", zorder=4)
    points = values[np.linspace(0, len(values) - 1, min(_POINTS, len(values))).astype(int)]
    spread = np.arange(len(points)) * _GOLDEN % 1
    axes.scatter(points, y + 0.18 + 0.2 * spread, s=3, color=MUTED, alpha=0.6, linewidth=0,
                 rasterized=True)  # fmt: skip


def _draw_density(axes: Axes, base: float, values: NDArray[np.float64]) -> None:
    from matplotlib.mlab import GaussianKDE

    if np.ptp(values) <= 1e-12 * np.abs(values).max():
        return
    places = np.linspace(values.min(), values.max(), _GRID)
    density = GaussianKDE(values).evaluate(places)
    axes.fill_between(
        places, base, base - 0.36 * density / density.max(), color=LEADING, alpha=0.55, linewidth=0
    )


REPLICATES = (("raincloud", plot_replicates),)
