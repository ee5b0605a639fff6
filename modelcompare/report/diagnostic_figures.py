"""Figures of curves and of reliability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from modelcompare.report.style import (
    LEADING,
    MODEL_COLOURS,
    MUTED,
    figure_style,
    legend_below,
    new_figure,
    plain_axes,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from modelcompare.diagnostics.curves import CurveResult
    from modelcompare.diagnostics.reliability import Reliability

_MOST_LINES = 12


def plot_curve(result: CurveResult) -> Figure:
    """All models' curves for one class in one square, with pointwise bands."""
    roc = result.kind == "roc"
    everyone = list(dict.fromkeys(result.band["model"]))
    models = everyone[:_MOST_LINES]
    with figure_style():
        from matplotlib.lines import Line2D

        figure = new_figure(4.6, 5.0)
        axes = figure.subplots()
        plain_axes(axes, grid="both")
        if roc:
            axes.plot([0, 1], [0, 1], color=MUTED, linewidth=0.8, linestyle=":")
        else:
            axes.axhline(result.share, color=MUTED, linewidth=0.8, linestyle=":")
        keys = []
        for model, colour in zip(models, MODEL_COLOURS, strict=False):
            band = result.band[result.band["model"] == model]
            points = result.points[result.points["model"] == model]
            axes.fill_between(
                band["x"], band["ci_low"], band["ci_high"], color=colour, alpha=0.18, linewidth=0
            )
            if roc:
                x = np.r_[0.0, points["false_positive_rate"]]
                axes.plot(x, np.r_[0.0, points["recall"]], color=colour, linewidth=1.4)
            else:
                axes.step(
                    points["recall"], points["precision"], color=colour, linewidth=1.4, where="pre"
                )
            keys.append(Line2D([], [], color=colour, linewidth=2, label=model))
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1.01)
        axes.set_aspect("equal")
        axes.set_xlabel("false positive rate" if roc else "recall")
        axes.set_ylabel("recall" if roc else "precision")
        name = "ROC" if roc else "Precision and recall"
        figure.suptitle(
            f"{name}, positive class {result.label}", x=0.01, ha="left", fontsize=10.5,
            fontweight="bold",
        )  # fmt: skip
        note = f"bands: {100 * result.confidence_level:g} % at each x by itself; dotted: chance"
        note += _left_out(models, everyone)
        legend_below(figure, keys, note)
    return figure


def plot_reliability(result: Reliability) -> Figure:
    """Accuracy against confidence, a panel for each model, over the confidences' histogram."""
    frame = result.table
    everyone = list(dict.fromkeys(frame["model"]))
    models = everyone[:_MOST_LINES]
    n_columns = min(len(models), 4)
    n_rows = -(-len(models) // n_columns)
    with figure_style():
        figure = new_figure(max(2.3 * n_columns, 3.4), 3.3 * n_rows + 0.5)
        grid = figure.subplots(
            2 * n_rows, n_columns, squeeze=False, sharex=True,
            gridspec_kw={"height_ratios": [3, 1] * n_rows},
        )  # fmt: skip
        for place in range(n_rows * n_columns):
            row, column = divmod(place, n_columns)
            axes, below = grid[2 * row, column], grid[2 * row + 1, column]
            if place >= len(models):
                axes.set_visible(False)
                below.set_visible(False)
                continue
            part = frame[frame["model"] == models[place]]
            plain_axes(axes, grid="both")
            axes.plot([0, 1], [0, 1], color=MUTED, linewidth=0.8, linestyle=":")
            to_low, to_high = part["accuracy"] - part["ci_low"], part["ci_high"] - part["accuracy"]
            axes.errorbar(
                part["confidence"], part["accuracy"],
                yerr=[to_low.clip(lower=0), to_high.clip(lower=0)],
                color=LEADING, marker="o", markersize=3.5, linewidth=1.3, elinewidth=1.0,
            )  # fmt: skip
            axes.set_xlim(0, 1)
            axes.set_ylim(0, 1.02)
            axes.set_title(models[place])
            plain_axes(below, grid="y")
            # Bins of equally many samples may have no width at all.
            width = (part["high"] - part["low"]).clip(lower=0.01)
            below.bar(part["low"], part["n"] / width / part["n"].sum(), width, align="edge",
                      color=LEADING, alpha=0.35, linewidth=0.5, edgecolor="white")  # fmt: skip
            below.set_yticks([])
            below.set_xlabel("confidence")
        grid[0, 0].set_ylabel("share that came true")
        grid[1, 0].set_ylabel("samples")
        of = "the predicted class" if result.label is None else str(result.label)
        figure.suptitle(
            f"Reliability of the confidence in {of}", x=0.01, ha="left", fontsize=10.5,
            fontweight="bold",
        )  # fmt: skip
        note = f"bars: {100 * result.confidence_level:g} % interval of each bin; dotted: calibrated"
        note += _left_out(models, everyone)
        legend_below(figure, [], note)
    return figure


def _left_out(drawn: list[str], everyone: list[str]) -> str:
    """Remark on models that did not fit."""
    return f"; {len(drawn)} of {len(everyone)} models" if len(everyone) > len(drawn) else ""
