"""Figures of curves and of reliability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.report.figures.layout import Caption, figure_of, sheet
from modelcompare.report.figures.selection import among, first_models
from modelcompare.report.figures.style import (
    LEADING,
    MAX_LINES,
    MUTED,
    Key,
    Look,
    hide_unused,
    looks,
    plain_axes,
    tell,
)
from modelcompare.report.figures.types import Axes, Drawable, Figure
from modelcompare.report.numbers import BETWEEN, format_percent, interval_title
from modelcompare.report.tables import rows_at
from modelcompare.words import CurveKind, label_name

_CHANCE = Look(MUTED, line=":")
# A curve has too many points for a marker at each.
_MARKS = 9


@dataclass(frozen=True)
class Curves(Drawable):
    """Curves of all models for one class, as `modelcompare.curve` holds them."""

    points: pd.DataFrame
    band: pd.DataFrame
    areas: pd.DataFrame
    kind: CurveKind
    label: Any
    share: float
    n_samples: int
    confidence_level: float
    signature: str


def plot_curve(result: Curves, *, ax: Axes | None = None) -> Figure:
    """Draw all models' curves for one class in one square, with pointwise bands where there are."""
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
        Key(f"{model}  {_area(areas.loc[model], 'AUC' if roc else 'AP')}", look)
        for model, look in looks(models)
    ]
    note = f"bands: {level} at each x by itself; " if banded else ""
    caption = Caption(
        title, result.signature, shown, f"{note}dotted: chance", [*keys, Key("chance", _CHANCE)]
    )
    with sheet(caption, (4.8, 4.6), ax=ax) as grid:
        axes = grid[0, 0]
        plain_axes(axes)
        x, y = ([0, 1], [0, 1]) if roc else ([0, 1], [result.share, result.share])
        axes.plot(x, y, **_CHANCE.options(linewidth=1))
        for model, look in looks(models):
            _draw_curve(axes, result, model, look)
        axes.set(xlim=(0, 1), ylim=(0, 1.01), aspect="equal")
        axes.set_xlabel("false positive rate" if roc else "recall")
        axes.set_ylabel("recall" if roc else "precision")
    return figure_of(grid)


def _area(row: Any, name: str) -> str:
    """The area, with its interval where there is one."""
    interval = (
        "" if np.isnan(row["ci_low"]) else f" ({row['ci_low']:.3f}{BETWEEN}{row['ci_high']:.3f})"
    )
    return f"{name} {row['area']:.3f}{interval}"


def _draw_curve(axes: Axes, result: Curves, model: str, look: Look) -> None:
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


@dataclass(frozen=True)
class Bins(Drawable):
    """Confidence and frequency in bins, as `modelcompare.reliability` holds them."""

    table: pd.DataFrame
    errors: pd.DataFrame
    label: Any
    n_samples: int
    confidence_level: float
    signature: str


def plot_reliability(result: Bins, *, model: str | None = None, ax: Axes | None = None) -> Figure:
    """Draw accuracy against confidence, a panel for each model, over the confidences' histogram.

    Into an `ax` goes the diagram of one model without its histogram.
    """
    everyone = list(dict.fromkeys(result.table["model"]))
    asked = everyone if model is None else [among("model", model, everyone)]
    most = MAX_LINES if ax is None else 1
    models, shown = first_models(asked, most, "in the order given")
    of = "the predicted class" if result.label is None else label_name(result.label)
    caption = Caption(
        f"Reliability of the confidence in {of}: {result.n_samples:,} samples, "
        f"{interval_title(result.confidence_level)}",
        result.signature, shown,
        note="bars: interval of each bin; dotted: calibrated; below: how many samples\n"
        "ECE: expected calibration error without what chance adds to it",
    )  # fmt: skip
    n_columns = min(len(models), 3)
    n_rows = -(-len(models) // n_columns)
    if ax is not None:
        with sheet(caption, (3.4, 3.0), ax=ax) as grid:
            _draw_reliability(grid[0, 0], result, models[0])
            grid[0, 0].set_xlabel("confidence")
        return figure_of(grid)
    size, shape = (max(3.0 * n_columns, 4.4), 3.2 * n_rows), (2 * n_rows, n_columns)
    with sheet(caption, size, shape, sharex=True, height_ratios=[3, 1] * n_rows) as grid:
        upper, lower = grid[::2], grid[1::2]
        for axes, below, name in zip(upper.flat, lower.flat, models, strict=False):
            _draw_reliability(axes, result, name)
            _draw_histogram(below, rows_at(result.table, model=name))
        for panels in (upper, lower):
            hide_unused(panels, len(models))
        for axes in upper[:, 0]:
            axes.set_ylabel("share that came true")
    return figure_of(grid)


def _draw_reliability(axes: Axes, result: Bins, model: str) -> None:
    bins = rows_at(result.table, model=model)
    plain_axes(axes, f"{model}\n{_error(rows_at(result.errors, model=model))}")
    axes.plot([0, 1], [0, 1], **_CHANCE.options(linewidth=1))
    to_low, to_high = bins["accuracy"] - bins["ci_low"], bins["ci_high"] - bins["accuracy"]
    drawn = axes.errorbar(
        bins["confidence"], bins["accuracy"], yerr=[to_low.clip(lower=0), to_high.clip(lower=0)],
        color=LEADING, marker="o", markersize=3.5, linewidth=1.3, elinewidth=1.0,
    )  # fmt: skip
    tell(drawn[0], [_bin(row) for row in bins.itertuples()])
    axes.set(xlim=(0, 1), ylim=(0, 1.02))


def _bin(row: Any) -> str:
    """A bin in words."""
    interval = f"{row.ci_low:.3f}{BETWEEN}{row.ci_high:.3f}"
    return (
        f"{row.model}: confidence {row.confidence:.3f}, came true {row.accuracy:.3f} ({interval}), "
        f"n {row.n:,.0f}"
    )


def _error(rows: pd.DataFrame) -> str:
    """The debiased calibration error with its interval; none where samples are not plain."""
    if not len(rows) or rows["debiased_ece"].isna().all():
        return "no ECE: samples are weighted or clustered"
    row = rows.iloc[0]
    return f"ECE {row['debiased_ece']:.3f} ({row['ci_low']:.3f}{BETWEEN}{row['ci_high']:.3f})"


def _draw_histogram(axes: Axes, bins: pd.DataFrame) -> None:
    plain_axes(axes, grid="y")
    # Bins of equally many samples may have no width at all.
    width = (bins["high"] - bins["low"]).clip(lower=0.01)
    axes.bar(bins["low"], bins["n"] / width / bins["n"].sum(), width, align="edge",
             color=LEADING, alpha=0.35, linewidth=0.5, edgecolor="white")  # fmt: skip
    axes.set_yticks([])
    axes.set_xlabel("confidence")
