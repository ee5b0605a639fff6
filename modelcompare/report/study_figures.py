"""Figures of the studies, and of ranks over several test sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from modelcompare.report import escape, shapes, style
from modelcompare.report.numbers import format_percent
from modelcompare.report.tables import rows_at
from modelcompare.words import label_name, value_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AGREE, DISAGREE = style.MODEL_COLOURS[0], style.MODEL_COLOURS[1]
MAX_CLASSES = 6
# With more models than colours, the range of all models is drawn in their place.
MAX_LINES = len(style.MODEL_COLOURS)
_MARKERS = "os^Dv<>PXd*h"
_GREY = "#BBBBBB"


def plot_variances(
    study: shapes.VarianceShape, pair: tuple[str, str], *, n_columns: int | None = None
) -> Figure:
    """Variances of both metrics of a pair against the part of the test set.

    A panel for each class; a colour for each model, solid for the first metric and dashed for the
    second. With more than twelve models the median and the range of 90 % of them are drawn.
    """
    labels = _drawn_labels(study.distribution, pair[0])
    n_columns = min(n_columns or 3, len(labels))
    n_rows = -(-len(labels) // n_columns)
    size = (max(2.7 * n_columns, 4.6), 2.7 * n_rows + 1.3)
    with style.drawn(*size, f"Variance of {pair[0]} and {pair[1]}", *_key(study, pair)) as figure:
        grid = figure.subplots(n_rows, n_columns, squeeze=False, sharex=True, sharey=True)
        for axes, label in zip(grid.flat, labels, strict=False):
            for name, line in zip(pair, style.LINE_STYLES, strict=True):
                part = rows_at(study.distribution, metric=name, label=label)
                _draw_lines(axes, part, "variance", study.models, line)
            axes.set_yscale("log")
            style.plain_axes(axes, label_name(label) or pair[0])
            style.ratio_axis(axes, study.ratios)
        style.hide_unused(grid, len(labels))
        for axes in grid[:, 0]:
            axes.set_ylabel("variance")
    return figure


def plot_intervals(study: shapes.VarianceShape, pair: tuple[str, str]) -> Figure:
    """Values with bands against the part of the test set, the two metrics side by side.

    A row of panels for each class, on one scale, and a colour for each model.
    """
    labels = _drawn_labels(study.distribution, pair[0])
    level = format_percent(study.confidence_level)
    what = f"mean and {level} interval of {study.n_resamples:,} resamples"
    title = f"{pair[0]} and {pair[1]}, {what}"
    with style.drawn(7.0, 2.3 * len(labels) + 1.2, title, *_key(study, ())) as figure:
        grid = figure.subplots(len(labels), 2, squeeze=False, sharex=True, sharey="row")
        for row, label in zip(grid, labels, strict=True):
            for axes, name in zip(row, pair, strict=True):
                part = rows_at(study.distribution, metric=name, label=label)
                _draw_bands(axes, part, study.models)
                style.plain_axes(axes, value_name(name, label))
                style.ratio_axis(axes, study.ratios, last=row is grid[-1])
    return figure


def _drawn_labels(frame: pd.DataFrame, metric: str, column: str = "metric") -> list[Any]:
    """Classes that get a panel: all, or the first six."""
    return list(dict.fromkeys(rows_at(frame, **{column: metric})["label"]))[:MAX_CLASSES]


def _draw_lines(
    axes: Axes, part: pd.DataFrame, column: str, models: Sequence[str], line: str
) -> None:
    """Draw a line for each model, or the median and range of many."""
    table = part.pivot(index="ratio", columns="model", values=column).sort_index()
    if len(models) <= MAX_LINES:
        for model, colour in style.in_colours(models):
            axes.plot(table.index, table[model], line, color=colour, linewidth=1.5, marker=".")
        return
    low, middle, high = np.nanquantile(table.to_numpy(), [0.05, 0.5, 0.95], axis=1)
    colour = style.MODEL_COLOURS[style.LINE_STYLES.index(line)]
    axes.fill_between(table.index, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.plot(table.index, middle, line, color=colour, linewidth=1.5, marker=".")


def _draw_bands(axes: Axes, part: pd.DataFrame, models: Sequence[str]) -> None:
    if len(models) > MAX_LINES:
        _draw_lines(axes, part, "mean", models, style.LINE_STYLES[0])
        return
    for (model, colour), marker in zip(style.in_colours(models), _MARKERS, strict=False):
        rows = rows_at(part, model=model).sort_values("ratio")
        look = {"linewidth": 1.5, "marker": marker, "markersize": 3.5}
        style.draw_band(axes, rows, "ratio", "mean", colour, **look)


def _key(study: shapes.VarianceShape, pair: Sequence[str]) -> tuple[str, list[Any]]:
    """The small print, and the key of models and of the metrics of a pair."""
    many = len(study.models) > MAX_LINES
    keys = [] if many else style.model_keys(study.models)
    keys += [
        style.line_key(colour if many else style.MUTED, name, line=line)
        for name, line, colour in zip(pair, style.LINE_STYLES, style.MODEL_COLOURS, strict=False)
    ]
    note = f"median and range of 90 % of {len(study.models)} models\n" if many else ""
    return note + study.signature, keys


def plot_agreement(study: shapes.AgreementShape) -> Figure:
    """Differences of all pairs of models under both metrics; quadrants of agreement shaded."""
    pairs = study.metric_pairs.pairs
    labels = _drawn_labels(study.pairs, pairs[0][0], "metric_a")
    # Averages alone stand side by side.
    shape = (1, len(pairs)) if len(labels) == 1 else (len(pairs), len(labels))
    size = (max(2.5 * shape[1] + 0.4, 4.8), 2.4 * shape[0] + 1.1)
    n_pairs = len(study.pairs) // len(study.table)
    title = f"Do both metrics prefer the same model? {n_pairs:,} pairs of models"
    meanings = {
        AGREE: f"significant under both (p < {study.alpha:g}), same model",
        DISAGREE: "significant under both, other model",
        _GREY: "not significant",
    }
    keys = [style.line_key(colour, text, line="", marker="o") for colour, text in meanings.items()]
    with style.drawn(*size, title, study.signature, keys) as figure:
        grid = figure.subplots(*shape, squeeze=False).reshape(len(pairs), len(labels))
        for row, (name_a, name_b) in zip(grid, pairs, strict=True):
            for axes, label in zip(row, labels, strict=True):
                style.plain_axes(axes, label_name(label))
                _scatter(axes, rows_at(study.pairs, metric_a=name_a, metric_b=name_b, label=label))
                axes.set_xlabel(f"difference in {name_a}")
            row[0].set_ylabel(f"difference in {name_b}")
    return figure


def _scatter(axes: Axes, part: pd.DataFrame) -> None:
    axes.axhline(0, color="black", linewidth=0.7, zorder=1)
    axes.axvline(0, color="black", linewidth=0.7, zorder=1)
    shown, agree = part["significant"], part["agree"]
    size = 14 if len(part) < 200 else 3
    groups = ((~shown, _GREY), (shown & agree, AGREE), (shown & ~agree, DISAGREE))
    for chosen, colour in groups:
        axes.scatter(
            part.loc[chosen, "difference_a"], part.loc[chosen, "difference_b"], s=size,
            color=colour, linewidth=0, alpha=0.7, zorder=2, rasterized=len(part) > 500,
        )  # fmt: skip
    furthest = part[["difference_a", "difference_b"]].abs().max().fillna(0.0)
    x, y = 1.08 * furthest.clip(lower=1e-12)
    axes.set(xlim=(-x, x), ylim=(-y, y))
    for left, low in ((0, 0), (-x, -y)):
        axes.fill_between([left, left + x], low, low + y, color=AGREE, alpha=0.06, linewidth=0)
    axes.locator_params(nbins=4)
    share = f"{100 * (shown & agree).sum() / shown.sum():.1f} % agree" if shown.any() else None
    text = share or "no pair significant"
    axes.text(0.97, 0.04, text, transform=axes.transAxes, ha="right", fontsize=8)


def plot_population(study: shapes.AgreementShape, population: pd.DataFrame) -> Figure:
    """Agreement with the order of the whole test set, against the part of it."""
    names = population["label"].map(label_name)
    lines = population.assign(line=names, share=population["pct_agree"])
    title = "Same order of models as on the whole test set"
    note = f"thick: mean over classes; thin: each class\n{study.signature}"
    pairs = study.metric_pairs.pairs
    return _plot_shares(lines, pairs, title, note, "% of pairs ordered alike", "lower right")


def plot_undefined(study: shapes.UndefinedShape) -> Figure:
    """Share of undefined values against the size, the soft twin beside its metric."""
    lines = study.table.assign(line=study.table["model"], share=study.table["pct_undefined"])
    title = "How often a metric has no value, mean over classes"
    note = f"thick: mean over models; thin: each model\n{study.signature}"
    pairs = study.metric_pairs.pairs
    figure = _plot_shares(lines, pairs, title, note, "% of resamples undefined", "upper right")
    # The panels share their axis: its limits follow the widest of them.
    figure.axes[0].set_ylim(bottom=0)
    return figure


def _plot_shares(
    frame: pd.DataFrame, pairs: Sequence[tuple[str, str]], title: str, note: str,
    scale: str, legend: str,
) -> Figure:  # fmt: skip
    """Draw shares against the ratio: a panel for each pair of metrics."""
    with style.drawn(max(2.6 * len(pairs), 4.6), 4.0, title, note) as figure:
        grid = figure.subplots(1, len(pairs), squeeze=False, sharey=True)[0]
        for axes, pair in zip(grid, pairs, strict=True):
            style.plain_axes(axes, pair[0])
            for name, line, colour in zip(pair, style.LINE_STYLES, (DISAGREE, AGREE), strict=True):
                part = rows_at(frame, metric=name)
                table = part.pivot_table(index="ratio", columns="line", values="share")
                axes.plot(table.index, table.to_numpy(), color=colour, linewidth=0.7, alpha=0.4)
                axes.plot(table.index, table.mean(axis=1), linestyle=line, color=colour,
                          linewidth=2, marker=".", label=name)  # fmt: skip
            axes.legend(loc=legend, frameon=True, framealpha=0.85, edgecolor="none")
            style.ratio_axis(axes, sorted({*frame["ratio"]}, reverse=True))
        grid[0].set_ylabel(scale)
    return figure


def plot_sensitivity(study: shapes.SensitivityShape) -> Figure:
    """Change of each metric against temperature and noise, a line for each model."""
    frame = rows_at(study.table, label=None)
    metrics, changes, models = (
        list(dict.fromkeys(frame[name])) for name in ("metric", "change", "model")
    )
    if not metrics:
        raise ValueError("there is no averaged metric to draw; study f1_macro, cf1_macro, say.")
    size = (max(2.2 * len(metrics), 4.6), 2.4 * len(changes) + 1.1)
    keys = style.model_keys(models)
    with style.drawn(*size, "Same decisions, other confidences", study.signature, keys) as figure:
        grid = figure.subplots(len(changes), len(metrics), squeeze=False, sharex="row")
        for row, change in zip(grid, changes, strict=True):
            for axes, metric in zip(row, metrics, strict=True):
                style.plain_axes(axes, metric)
                axes.axhline(0, color="black", linewidth=0.7)
                part = rows_at(frame, change=change, metric=metric)
                for model, colour in style.in_colours(models):
                    rows = rows_at(part, model=model).sort_values("level")
                    look = {"linewidth": 1.4, "marker": "."}
                    style.draw_band(axes, rows, "level", "difference", colour, **look)
                axes.set_xscale("log", base=2)
                ticks = sorted({*part["level"]})[:: 2 if part["level"].nunique() > 4 else 1]
                axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks], minor=False)
                axes.minorticks_off()
                axes.set_xlabel(change if change == "temperature" else "noise (sd of log-prob.)")
                _keep_zero_readable(axes)
            row[0].set_ylabel("change")
    return figure


def _keep_zero_readable(axes: Axes) -> None:
    """Keep a metric that does not move at all from being drawn on a scale of rounding errors."""
    low, high = axes.get_ylim()
    if high - low < 1e-3:
        axes.set_ylim(-0.01, 0.01)
    axes.locator_params(axis="y", nbins=5)


def plot_sample_size(size: shapes.SampleSizeShape) -> Figure:
    """Smallest difference that shows, and power for the observed one, by number of samples."""
    curve = size.curve()
    what = value_name(size.metric, size.label)
    with style.drawn(7.0, 3.3, f"{what}: {size.model_a} against {size.model_b}") as figure:
        left, right = figure.subplots(1, 2)
        left.plot(curve["n_samples"], curve["detectable"], color=AGREE, linewidth=1.8)
        left.set_yscale("log")
        right.plot(curve["n_samples"], curve["power"], color=AGREE, linewidth=1.8)
        right.set_ylim(0, 1.02)
        if size.difference:
            left.axhline(abs(size.difference), color=style.MUTED, linestyle=":", linewidth=1.2)
            left.annotate(
                "observed", (curve["n_samples"].iloc[-1], abs(size.difference)), ha="right",
                va="bottom", fontsize=8, color=style.MUTED,
            )  # fmt: skip
        right.axhline(size.power, color=style.MUTED, linestyle=":", linewidth=1.2)
        titles = ("smallest difference that shows", f"power for {abs(size.difference):.3g}")
        for axes, title in zip((left, right), titles, strict=True):
            style.plain_axes(axes, title)
            axes.set_xscale("log")
            axes.axvline(size.n_samples, color=DISAGREE, linewidth=1.2)
            axes.set_xlabel(f"{size.unit} (line: this test set)")
    return figure


def plot_critical_difference(ranks: pd.DataFrame, metric: str) -> Figure:
    """Draw mean ranks on an axis, with bars over models that no test tells apart.

    The attributes of `ranks`, best first, say how many sets and which test there were, Friedman's
    p-value, which models are not told apart, and the critical difference (NaN where there is none).
    """
    critical, together = ranks.attrs["critical_difference"], np.array(ranks.attrs["together"])
    places, names = ranks["mean_rank"].tolist(), ranks["model"].tolist()
    n, n_right = len(places), (len(places) + 1) // 2
    bars = _bars(together)
    top = 0.4 + 0.3 * len(bars)
    title = f"Mean rank by {metric} over {ranks.attrs['n_sets']} test sets"
    test = ranks.attrs["test"]
    note = f"Friedman p = {ranks.attrs['p_value']:.2g}; bars: not told apart ({test})"
    with style.drawn(7.0, 1.3 + 0.17 * len(bars) + 0.26 * n_right, title, note) as figure:
        axes = figure.subplots()
        axes.set(xlim=(n + 0.5, 0.5), ylim=(-(top + 0.55 * n_right), 0.9))
        axes.spines[["left", "right", "bottom"]].set_visible(False)
        axes.spines["top"].set_position(("data", 0))
        axes.xaxis.tick_top()
        axes.set_xticks(range(1, n + 1))
        axes.set_yticks([])
        for level, (first, last) in enumerate(bars):
            y = -0.25 - 0.3 * level
            axes.hlines(
                y, places[first] - 0.04, places[last] + 0.04, color=style.LEADING, linewidth=3.5
            )
        for i, (place, name) in enumerate(zip(places, names, strict=True)):
            left = i >= n_right
            y = -(top + 0.55 * (n - 1 - i if left else i))
            edge = n + 0.45 if left else 0.55
            axes.plot([place, place, edge], [0, y, y], color=style.MUTED, linewidth=0.9)
            axes.annotate(
                escape.figure(f"{name} ({place:.2f})"), (edge, y), xytext=(0, 2),
                textcoords="offset points", ha="left" if left else "right", va="bottom", fontsize=9,
            )  # fmt: skip
        if np.isfinite(critical):
            axes.hlines(0.6, 1, 1 + critical, color="black", linewidth=1.5)
            middle = (1 + critical / 2, 0.62)
            axes.annotate(f"CD = {critical:.2f}", middle, ha="center", va="bottom", fontsize=8)
    return figure


def _bars(together: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Longest runs of models of which no two are told apart; runs of one model are none."""
    bars: list[tuple[int, int]] = []
    for first in range(len(together)):
        last = first
        while last + 1 < len(together) and together[last + 1, first : last + 1].all():
            last += 1
        if last > first and not any(b[0] <= first and last <= b[1] for b in bars):
            bars.append((first, last))
    return bars
