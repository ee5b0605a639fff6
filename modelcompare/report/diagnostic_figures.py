"""Figures of curves and of reliability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from modelcompare.report import style
from modelcompare.report.numbers import format_percent
from modelcompare.report.shapes import CurveShape, ReliabilityShape
from modelcompare.report.tables import rows_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_curve(result: CurveShape) -> Figure:
    """All models' curves for one class in one square, with pointwise bands."""
    roc = result.kind == "roc"
    models, left_out = _fitting(result.band)
    title = f"{'ROC' if roc else 'Precision and recall'}, positive class {result.label}"
    level = format_percent(result.confidence_level)
    note = f"bands: {level} at each x by itself; dotted: chance{left_out}"
    keys = style.model_keys(models)
    with style.drawn(4.6, 5.0, title, note, keys) as figure:
        axes = figure.subplots()
        style.plain_axes(axes)
        if roc:
            _draw_diagonal(axes)
        else:
            axes.axhline(result.share, color=style.MUTED, linewidth=0.8, linestyle=":")
        for model, colour in style.in_colours(models):
            band = rows_at(result.band, model=model).set_index("x")
            points = rows_at(result.points, model=model)
            ends = (band["ci_low"], band["ci_high"])
            axes.fill_between(band.index, *ends, color=colour, alpha=0.18, linewidth=0)
            if roc:
                x, y = (np.r_[0.0, points[name]] for name in ("false_positive_rate", "recall"))
                axes.plot(x, y, color=colour, linewidth=1.4)
            else:
                x, y = points["recall"], points["precision"]
                axes.step(x, y, color=colour, linewidth=1.4, where="pre")
        axes.set(xlim=(0, 1), ylim=(0, 1.01), aspect="equal")
        axes.set_xlabel("false positive rate" if roc else "recall")
        axes.set_ylabel("recall" if roc else "precision")
    return figure


def plot_reliability(result: ReliabilityShape) -> Figure:
    """Accuracy against confidence, a panel for each model, over the confidences' histogram."""
    models, left_out = _fitting(result.table)
    n_columns = min(len(models), 4)
    n_rows = -(-len(models) // n_columns)
    of = "the predicted class" if result.label is None else str(result.label)
    level = format_percent(result.confidence_level)
    note = f"bars: {level} interval of each bin; dotted: calibrated{left_out}"
    width, height = max(2.3 * n_columns, 3.4), 3.3 * n_rows + 0.5
    with style.drawn(width, height, f"Reliability of the confidence in {of}", note) as figure:
        grid = figure.subplots(
            2 * n_rows, n_columns, squeeze=False, sharex=True, height_ratios=[3, 1] * n_rows
        )
        upper, lower = grid[::2], grid[1::2]
        for axes, below, model in zip(upper.flat, lower.flat, models, strict=False):
            style.plain_axes(axes, model)
            _draw_reliability(axes, below, rows_at(result.table, model=model))
        for panels in (upper, lower):
            style.hide_unused(panels, len(models))
        upper[0, 0].set_ylabel("share that came true")
        lower[0, 0].set_ylabel("samples")
    return figure


def _draw_reliability(axes: Axes, below: Axes, bins: pd.DataFrame) -> None:
    _draw_diagonal(axes)
    to_low, to_high = bins["accuracy"] - bins["ci_low"], bins["ci_high"] - bins["accuracy"]
    axes.errorbar(
        bins["confidence"], bins["accuracy"], yerr=[to_low.clip(lower=0), to_high.clip(lower=0)],
        color=style.LEADING, marker="o", markersize=3.5, linewidth=1.3, elinewidth=1.0,
    )  # fmt: skip
    axes.set(xlim=(0, 1), ylim=(0, 1.02))
    style.plain_axes(below, grid="y")
    # Bins of equally many samples may have no width at all.
    width = (bins["high"] - bins["low"]).clip(lower=0.01)
    below.bar(bins["low"], bins["n"] / width / bins["n"].sum(), width, align="edge",
              color=style.LEADING, alpha=0.35, linewidth=0.5, edgecolor="white")  # fmt: skip
    below.set_yticks([])
    below.set_xlabel("confidence")


def _draw_diagonal(axes: Axes) -> None:
    axes.plot([0, 1], [0, 1], color=style.MUTED, linewidth=0.8, linestyle=":")


def _fitting(frame: pd.DataFrame) -> tuple[list[str], str]:
    """Models that there are colours for, and a remark where others are left out."""
    everyone = list(dict.fromkeys(frame["model"]))
    models = everyone[: len(style.MODEL_COLOURS)]
    left_out = len(everyone) > len(models)
    return models, f"; {len(models)} of {len(everyone)} models" if left_out else ""
