"""Figures of the agreement, undefined, sensitivity and sample-size studies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pandas as pd

from modelcompare.report.study_figures import MAX_LINES, drawn_labels
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

    from modelcompare.questions.sample_size import SampleSize
    from modelcompare.studies.agreement import AgreementStudy
    from modelcompare.studies.sensitivity import SensitivityStudy
    from modelcompare.studies.undefined import UndefinedStudy

AGREE, DISAGREE = MODEL_COLOURS[0], MODEL_COLOURS[1]


def plot_agreement(study: AgreementStudy) -> Figure:
    """Differences of all pairs of models under both metrics; quadrants of agreement shaded."""
    pairs = study.metric_pairs.pairs
    frame = study.pairs
    labels = drawn_labels(frame.rename(columns={"metric_a": "metric"}), pairs[0][0])
    # Averages alone stand side by side.
    shape = (1, len(pairs)) if len(labels) == 1 else (len(pairs), len(labels))
    with figure_style():
        figure = new_figure(max(2.5 * shape[1] + 0.4, 4.8), 2.4 * shape[0] + 1.1)
        grid = figure.subplots(*shape, squeeze=False).reshape(len(pairs), len(labels))
        for row, (name_a, name_b) in zip(grid, pairs, strict=True):
            part = frame[(frame["metric_a"] == name_a) & (frame["metric_b"] == name_b)]
            for axes, label in zip(row, labels, strict=True):
                of_label = part if label is None or label != label else part[part["label"] == label]
                _scatter(axes, of_label)
                axes.set_title("" if label is None or label != label else str(label))
                axes.set_xlabel(f"difference in {name_a}")
            row[0].set_ylabel(f"difference in {name_b}")
        figure.suptitle(
            f"Do both metrics prefer the same model? {len(frame) // len(study.table):,} pairs of "
            "models", x=0.01, ha="left", fontsize=10.5, fontweight="bold",
        )  # fmt: skip
        keys = [
            _dot(AGREE, f"significant under both (p < {study.alpha:g}), same model"),
            _dot(DISAGREE, "significant under both, other model"),
            _dot("#BBBBBB", "not significant"),
        ]
        legend_below(figure, keys, study.signature)
    return figure


def _scatter(axes: Axes, part: pd.DataFrame) -> None:
    plain_axes(axes, grid="both")
    axes.axhline(0, color="black", linewidth=0.7, zorder=1)
    axes.axvline(0, color="black", linewidth=0.7, zorder=1)
    shown, agree = part["significant"], part["agree"]
    size = 14 if len(part) < 200 else 3
    for chosen, colour in (
        (~shown, "#BBBBBB"), (shown & agree, AGREE), (shown & ~agree, DISAGREE),
    ):  # fmt: skip
        axes.scatter(
            part.loc[chosen, "difference_a"], part.loc[chosen, "difference_b"], s=size,
            color=colour, linewidth=0, alpha=0.7, zorder=2, rasterized=len(part) > 500,
        )  # fmt: skip
    x, y = (
        1.08 * max(part[c].abs().fillna(0.0).max(), 1e-12) for c in ("difference_a", "difference_b")
    )
    axes.set_xlim(-x, x)
    axes.set_ylim(-y, y)
    for left, low in ((0, 0), (-x, -y)):
        axes.fill_between([left, left + x], low, low + y, color=AGREE, alpha=0.06, linewidth=0)
    axes.locator_params(nbins=4)
    share = (shown & agree).sum() / shown.sum() if shown.any() else math.nan
    text = "no pair significant" if math.isnan(share) else f"{100 * share:.1f} % agree"
    axes.text(0.97, 0.04, text, transform=axes.transAxes, ha="right", fontsize=8)


def plot_population(study: AgreementStudy, population: pd.DataFrame) -> Figure:
    """Agreement with the order of the whole test set, against the part of it."""
    pairs = study.metric_pairs.pairs
    ratios = tuple(dict.fromkeys(population["ratio"]))
    with figure_style():
        figure = new_figure(max(2.6 * len(pairs), 4.6), 4.0)
        grid = figure.subplots(1, len(pairs), squeeze=False, sharey=True)[0]
        for axes, pair in zip(grid, pairs, strict=True):
            plain_axes(axes, grid="both")
            for name, style, colour in zip(pair, LINE_STYLES, (DISAGREE, AGREE), strict=True):
                part = population[population["metric"] == name]
                labels = part["label"].astype(object).fillna("").astype(str)
                table = part.pivot_table(index="ratio", columns=labels, values="pct_agree")
                axes.plot(table.index, table.to_numpy(), color=colour, linewidth=0.7, alpha=0.4)
                mean = table.mean(axis=1)
                _thick(axes, mean, style, colour, name)
            axes.set_title(pair[0])
            axes.legend(loc="lower right")
            ratio_axis(axes, ratios)
        grid[0].set_ylabel("% of pairs ordered alike")
        figure.suptitle(
            "Order of models on a part of the test set, against the whole",
            x=0.01, ha="left", fontsize=10.5, fontweight="bold",
        )  # fmt: skip
        legend_below(figure, [], "thick: mean over classes; thin: each class\n" + study.signature)
    return figure


def _thick(axes: Axes, mean: pd.Series[float], style: Any, colour: str, name: str) -> None:
    axes.plot(mean.index, mean, linestyle=style, color=colour, linewidth=2, marker=".", label=name)


def plot_undefined(study: UndefinedStudy) -> Figure:
    """Share of undefined values against the size, the soft twin beside its metric."""
    pairs = study.metric_pairs.pairs
    with figure_style():
        figure = new_figure(max(2.6 * len(pairs), 4.6), 3.9)
        grid = figure.subplots(1, len(pairs), squeeze=False, sharey=True)[0]
        for axes, pair in zip(grid, pairs, strict=True):
            plain_axes(axes, grid="both")
            for name, style, colour in zip(pair, LINE_STYLES, (DISAGREE, AGREE), strict=True):
                part = study.table[study.table["metric"] == name]
                table = part.groupby(["ratio", "model"])["pct_undefined"].mean().unstack()
                axes.plot(table.index, table.to_numpy(), color=colour, linewidth=0.6, alpha=0.35)
                mean = table.mean(axis=1)
                _thick(axes, mean, style, colour, name)
            axes.set_title(pair[0])
            axes.legend(loc="upper right", frameon=True, framealpha=0.85, edgecolor="none")
            ratio_axis(axes, study.ratios)
        # The panels share their axis: its limits follow the widest of them.
        grid[0].set_ylim(bottom=0)
        grid[0].set_ylabel("% of resamples undefined")
        figure.suptitle(
            "How often a metric has no value, mean over classes",
            x=0.01, ha="left", fontsize=10.5, fontweight="bold",
        )  # fmt: skip
        legend_below(figure, [], "thick: mean over models; thin: each model\n" + study.signature)
    return figure


def plot_sensitivity(study: SensitivityStudy) -> Figure:
    """Change of each metric against temperature and noise, a line for each model."""
    frame = study.table[study.table["label"].isna()]
    metrics = list(dict.fromkeys(frame["metric"]))
    changes = list(dict.fromkeys(frame["change"]))
    models = list(dict.fromkeys(frame["model"]))
    if not metrics:
        raise ValueError("there is no averaged metric to draw; study f1_macro, cf1_macro, say.")
    with figure_style():
        figure = new_figure(max(2.2 * len(metrics), 4.6), 2.4 * len(changes) + 1.1)
        grid = figure.subplots(len(changes), len(metrics), squeeze=False, sharex="row")
        for row, change in zip(grid, changes, strict=True):
            for axes, metric in zip(row, metrics, strict=True):
                plain_axes(axes, grid="both")
                axes.axhline(0, color="black", linewidth=0.7)
                part = frame[(frame["change"] == change) & (frame["metric"] == metric)]
                for model, colour in zip(models[:MAX_LINES], MODEL_COLOURS, strict=False):
                    _draw_change(axes, part[part["model"] == model], colour)
                axes.set_title(metric)
                axes.set_xscale("log", base=2)
                ticks = sorted({*part["level"]})[:: 2 if part["level"].nunique() > 4 else 1]
                axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks], minor=False)
                axes.minorticks_off()
                axes.set_xlabel(change if change == "temperature" else "noise (sd of log-prob.)")
                _keep_zero_readable(axes)
            row[0].set_ylabel("change")
        figure.suptitle(
            "Same decisions, other confidences", x=0.01, ha="left", fontsize=10.5,
            fontweight="bold",
        )  # fmt: skip
        keys = [_line(c, m) for m, c in zip(models[:MAX_LINES], MODEL_COLOURS, strict=False)]
        legend_below(figure, keys, study.signature)
    return figure


def _draw_change(axes: Axes, rows: pd.DataFrame, colour: str) -> None:
    rows = rows.sort_values("level")
    axes.fill_between(rows["level"], rows["ci_low"], rows["ci_high"], color=colour, alpha=0.16,
                      linewidth=0)  # fmt: skip
    axes.plot(rows["level"], rows["difference"], color=colour, marker=".", linewidth=1.4)


def _keep_zero_readable(axes: Axes) -> None:
    """Keep a metric that does not move at all from being drawn on a scale of rounding errors."""
    low, high = axes.get_ylim()
    if high - low < 1e-3:
        axes.set_ylim(-0.01, 0.01)
    axes.locator_params(axis="y", nbins=5)


def plot_sample_size(size: SampleSize) -> Figure:
    """Smallest difference that shows, and power for the observed one, by number of samples."""
    curve = size.curve()
    with figure_style():
        figure = new_figure(7.0, 3.3)
        left, right = figure.subplots(1, 2)
        left.plot(curve["n_samples"], curve["detectable"], color=AGREE, linewidth=1.8)
        left.set_yscale("log")
        left.set_title("smallest difference that shows")
        right.plot(curve["n_samples"], curve["power"], color=AGREE, linewidth=1.8)
        right.set_ylim(0, 1.02)
        right.set_title(f"power for {abs(size.difference):.3g}")
        if size.difference:
            left.axhline(abs(size.difference), color=MUTED, linestyle=":", linewidth=1.2)
            left.annotate(
                "observed", (curve["n_samples"].iloc[-1], abs(size.difference)), ha="right",
                va="bottom", fontsize=8, color=MUTED,
            )  # fmt: skip
        right.axhline(size.power, color=MUTED, linestyle=":", linewidth=1.2)
        for axes in (left, right):
            plain_axes(axes, grid="both")
            axes.set_xscale("log")
            axes.axvline(size.n_samples, color=DISAGREE, linewidth=1.2)
            axes.set_xlabel(f"{size.unit} (line: this test set)")
        what = size.metric if size.label is None else f"{size.metric} of {size.label}"
        figure.suptitle(
            f"{what}: {size.model_a} against {size.model_b}", x=0.01, ha="left", fontsize=10.5,
            fontweight="bold",
        )  # fmt: skip
    return figure


def _dot(colour: str, label: str) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, marker="o", linestyle="", markersize=4, label=label)


def _line(colour: str, label: str) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, linewidth=2, label=label)
