"""Figures of the studies, and of ranks over several test sets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from modelcompare.report.numbers import format_percent
from modelcompare.report.shapes import (
    AgreementShape,
    SampleSizeShape,
    SensitivityShape,
    UndefinedShape,
    VarianceShape,
)
from modelcompare.report.style import (
    LEADING,
    LINE_STYLES,
    MODEL_COLOURS,
    MUTED,
    figure_style,
    figure_title,
    legend_below,
    line_key,
    new_figure,
    plain_axes,
    ratio_axis,
)
from modelcompare.words import is_missing, label_name, value_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AGREE, DISAGREE = MODEL_COLOURS[0], MODEL_COLOURS[1]
MAX_CLASSES = 6
# With more models than colours, the range of all models is drawn in their place.
MAX_LINES = len(MODEL_COLOURS)


def plot_variances(
    study: VarianceShape, pair: tuple[str, str], *, n_columns: int | None = None
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


def plot_intervals(study: VarianceShape, pair: tuple[str, str]) -> Figure:
    """Values with bands against the part of the test set, the two metrics side by side.

    A row of panels for each class, on one scale, and a colour for each model.
    """
    labels = drawn_labels(study.distribution, pair[0])
    level = format_percent(study.confidence_level)
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
    return part if is_missing(label) else part[part["label"] == label]


def _label_panel(axes: Axes, label: Any, name: str, *, metric: str | None = None) -> None:
    plain_axes(axes, grid="both")
    title = label_name(label) or name
    axes.set_title(title if metric is None else value_name(metric, label))


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


def _frame(figure: Figure, study: VarianceShape, pair: tuple[str, str] | None, title: str) -> None:
    """Write the title, the key and the signature."""
    many = len(study.models) > MAX_LINES
    keys: list[Any] = []
    if not many:
        keys = [
            line_key(colour, model)
            for model, colour in zip(study.models, MODEL_COLOURS, strict=False)
        ]
    if pair is not None:
        keys += [
            line_key(colour if many else MUTED, name, style=style)
            for name, style, colour in zip(pair, LINE_STYLES, MODEL_COLOURS[:2], strict=True)
        ]
    figure_title(figure, title)
    note = f"median and range of 90 % of {len(study.models)} models\n" if many else ""
    legend_below(figure, keys, note + study.signature)


def plot_agreement(study: AgreementShape) -> Figure:
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
                of_label = part if is_missing(label) else part[part["label"] == label]
                _scatter(axes, of_label)
                axes.set_title(label_name(label))
                axes.set_xlabel(f"difference in {name_a}")
            row[0].set_ylabel(f"difference in {name_b}")
        n_pairs = len(frame) // len(study.table)
        figure_title(figure, f"Do both metrics prefer the same model? {n_pairs:,} pairs of models")
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


def plot_population(study: AgreementShape, population: pd.DataFrame) -> Figure:
    """Agreement with the order of the whole test set, against the part of it."""
    names = population["label"].map(label_name)
    lines = population.assign(line=names, share=population["pct_agree"])
    with figure_style():
        figure, grid = _shares(lines, study.metric_pairs.pairs, legend="lower right")
        grid[0].set_ylabel("% of pairs ordered alike")
        figure_title(figure, "Same order of models as on the whole test set")
        legend_below(figure, [], "thick: mean over classes; thin: each class\n" + study.signature)
    return figure


def plot_undefined(study: UndefinedShape) -> Figure:
    """Share of undefined values against the size, the soft twin beside its metric."""
    lines = study.table.assign(line=study.table["model"], share=study.table["pct_undefined"])
    with figure_style():
        figure, grid = _shares(lines, study.metric_pairs.pairs, legend="upper right")
        # The panels share their axis: its limits follow the widest of them.
        grid[0].set_ylim(bottom=0)
        grid[0].set_ylabel("% of resamples undefined")
        figure_title(figure, "How often a metric has no value, mean over classes")
        legend_below(figure, [], "thick: mean over models; thin: each model\n" + study.signature)
    return figure


def _shares(
    frame: pd.DataFrame, pairs: Sequence[tuple[str, str]], *, legend: str
) -> tuple[Figure, Any]:
    """Draw shares against the ratio: a panel for each pair of metrics."""
    figure = new_figure(max(2.6 * len(pairs), 4.6), 4.0)
    grid = figure.subplots(1, len(pairs), squeeze=False, sharey=True)[0]
    for axes, pair in zip(grid, pairs, strict=True):
        plain_axes(axes, grid="both")
        for name, style, colour in zip(pair, LINE_STYLES, (DISAGREE, AGREE), strict=True):
            part = frame[frame["metric"] == name]
            table = part.pivot_table(index="ratio", columns="line", values="share")
            axes.plot(table.index, table.to_numpy(), color=colour, linewidth=0.7, alpha=0.4)
            axes.plot(table.index, table.mean(axis=1), linestyle=style, color=colour, linewidth=2,
                      marker=".", label=name)  # fmt: skip
        axes.set_title(pair[0])
        axes.legend(loc=legend, frameon=True, framealpha=0.85, edgecolor="none")
        ratio_axis(axes, sorted({*frame["ratio"]}, reverse=True))
    return figure, grid


def plot_sensitivity(study: SensitivityShape) -> Figure:
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
        figure_title(figure, "Same decisions, other confidences")
        keys = [line_key(c, m) for m, c in zip(models[:MAX_LINES], MODEL_COLOURS, strict=False)]
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


def plot_sample_size(size: SampleSizeShape) -> Figure:
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
        what = value_name(size.metric, size.label)
        figure_title(figure, f"{what}: {size.model_a} against {size.model_b}")
    return figure


def _dot(colour: str, label: str) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, marker="o", linestyle="", markersize=4, label=label)


def plot_critical_difference(ranks: pd.DataFrame, metric: str) -> Figure:
    """Draw mean ranks on an axis, with bars over models closer than the critical difference."""
    critical = ranks.attrs["critical_difference"]
    places, names = ranks["mean_rank"].tolist(), ranks["model"].tolist()
    n = len(places)
    bars = _bars(places, critical)
    with figure_style():
        figure = new_figure(7.0, 1.3 + 0.17 * len(bars) + 0.26 * ((n + 1) // 2))
        axes = figure.subplots()
        axes.set_xlim(n + 0.5, 0.5)
        top = 0.4 + 0.3 * len(bars)
        axes.set_ylim(-(top + 0.55 * ((n + 1) // 2)), 0.9)
        axes.spines[["left", "right", "bottom"]].set_visible(False)
        axes.spines["top"].set_position(("data", 0))
        axes.xaxis.tick_top()
        axes.set_xticks(range(1, n + 1))
        axes.set_yticks([])
        for level, (first, last) in enumerate(bars):
            y = -0.25 - 0.3 * level
            axes.hlines(y, places[first] - 0.04, places[last] + 0.04, color=LEADING, linewidth=3.5)
        for i, (place, name) in enumerate(zip(places, names, strict=True)):
            left = i >= (n + 1) // 2
            row = n - 1 - i if left else i
            y = -(top + 0.55 * row)
            edge = n + 0.45 if left else 0.55
            axes.plot([place, place, edge], [0, y, y], color=MUTED, linewidth=0.9)
            axes.annotate(
                f"{name} ({place:.2f})", (edge, y), xytext=(0, 2), textcoords="offset points",
                ha="left" if left else "right", va="bottom", fontsize=9,
            )  # fmt: skip
        axes.hlines(0.6, 1, 1 + critical, color="black", linewidth=1.5)
        axes.annotate(f"CD = {critical:.2f}", (1 + critical / 2, 0.62), ha="center", va="bottom",
                      fontsize=8)  # fmt: skip
        figure_title(figure, f"Mean rank by {metric} over {ranks.attrs['n_sets']} test sets")
        legend_below(
            figure, [], f"Friedman p = {ranks.attrs['p_value']:.2g}; bars: not told apart (Nemenyi)"
        )
    return figure


def _bars(places: list[float], critical: float) -> list[tuple[int, int]]:
    """Longest runs of ranks within the critical difference; runs of one model are none."""
    bars: list[tuple[int, int]] = []
    for first in range(len(places)):
        last = max(i for i in range(len(places)) if places[i] - places[first] < critical)
        if last > first and not any(b[0] <= first and last <= b[1] for b in bars):
            bars.append((first, last))
    return bars
