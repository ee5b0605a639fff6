"""Figures over the size of the test set, or of a change: shares, changes and power."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from modelcompare.report.figures import style
from modelcompare.report.figures.layout import Caption, figure_of, sheet
from modelcompare.report.figures.selection import among, first_models
from modelcompare.report.figures.studies import Agreements
from modelcompare.report.figures.style import Key, Look
from modelcompare.report.figures.types import Axes, Drawable, Figure
from modelcompare.report.numbers import format_digits, interval_title
from modelcompare.report.tables import rows_at
from modelcompare.words import label_name, value_name

_HERE, _NEEDED, _OBSERVED = (
    Look(style.OTHER),
    Look(style.LEADING, line="--"),
    Look("black", line=":"),
)
# A metric and its counterpart; between them what the one says of the other.
_METRIC, _BOTH, _COUNTERPART = (
    Look(style.OTHER, "o", "-"),
    Look(style.COLOURS[2], "^", ":"),
    Look(style.LEADING, "s", "--"),
)
_SERIES = {2: (_METRIC, _COUNTERPART), 3: (_METRIC, _BOTH, _COUNTERPART)}
# Each by itself, beside their mean.
_THIN = {"linewidth": 0.6, "alpha": 0.35}


def plot_population(
    study: Agreements, population: pd.DataFrame, *, ax: Axes | None = None
) -> Figure:
    """Agreement with the order of the whole test set, against the part of it."""
    small, whole = population["metric_small"], population["metric_whole"]
    lines = population.assign(
        line=population["label"].map(label_name), share=population["pct_agree"],
        series=list(zip(small, whole, strict=True)),
    )  # fmt: skip
    title = f"Same order of models as on the whole test set: {study.n_samples:,} samples"
    note = "thick: mean over classes; thin: each class"
    caption = Caption(title, study.signature, note=note)
    pairs = list(study.senses)
    words = ["metric: its own order", "counterpart: the metric's", "counterpart: its own"]
    if len(pairs) == 1:
        a, b = pairs[0]
        words = [f"{a}: its own order", f"{b}: the order by {a}", f"{b}: its own order"]
    panels = {" and ".join(p): [(p[0], p[0]), (p[1], p[0]), (p[1], p[1])] for p in pairs}
    return _plot_shares(lines, panels, words, caption, "% of pairs ordered alike", ax)


@dataclass(frozen=True)
class UndefinedShares(Drawable):
    """Shares of undefined values at several sizes of the test set, and the pairs of metrics."""

    table: pd.DataFrame
    metric_pairs: Sequence[tuple[str, str]]
    n_samples: int
    n_resamples: int
    signature: str


def plot_undefined(study: UndefinedShares, *, ax: Axes | None = None) -> Figure:
    """Share of undefined values against the size, the soft twin beside its metric."""
    table = study.table
    lines = table.assign(line=table["model"], share=table["pct_undefined"], series=table["metric"])
    title = (
        f"How often a metric has no value, mean over classes: {study.n_samples:,} samples, "
        f"{study.n_resamples:,} resamples"
    )
    note = "thick: mean over models; thin: each model"
    caption = Caption(title, study.signature, note=note)
    pairs = study.metric_pairs
    words = pairs[0] if len(pairs) == 1 else ("the metric", "its counterpart")
    panels = {" and ".join(pair): pair for pair in pairs}
    figure = _plot_shares(lines, panels, words, caption, "% of resamples undefined", ax)
    # The panels share their axis: its limits follow the widest of them.
    (figure.axes[0] if ax is None else ax).set_ylim(bottom=0)
    return figure


def _plot_shares(
    frame: pd.DataFrame, panels: Mapping[str, Sequence[Hashable]], words: Sequence[str],
    caption: Caption, scale: str, ax: Axes | None,
) -> Figure:  # fmt: skip
    """Draw shares against the ratio: a panel for each pair of metrics, by its title.

    A panel has its entries of the column `series`, called `words`.
    """
    chosen = list(panels.items())[: None if ax is None else 1]
    looks = _SERIES[len(words)]
    keys = [Key(word, look) for word, look in zip(words, looks, strict=True)]
    caption = Caption(caption.title, caption.signature, note=caption.note, keys=keys)
    n_columns = min(len(chosen), 3)
    n_rows = -(-len(chosen) // n_columns)
    size = (max(2.6 * n_columns, 5.0), 2.8 * n_rows)
    with sheet(caption, size, (n_rows, n_columns), ax=ax, sharey=True) as grid:
        for axes, (title, series) in zip(grid.flat, chosen, strict=False):
            style.plain_axes(axes, title)
            for name, look in zip(series, looks, strict=True):
                table = frame[[entry == name for entry in frame["series"]]].pivot_table(
                    index="ratio", columns="line", values="share"
                )
                axes.plot(table.index, table.to_numpy(), color=look.colour, **_THIN)
                axes.plot(table.index, table.mean(axis=1), **look.options(linewidth=2))
            style.ratio_axis(axes, sorted({*frame["ratio"]}, reverse=True))
        style.hide_unused(grid, len(chosen))
        for axes in grid[:, 0]:
            axes.set_ylabel(scale)
    return figure_of(grid)


@dataclass(frozen=True)
class Changes(Drawable):
    """Changes of metrics under other confidences."""

    table: pd.DataFrame
    n_samples: int
    confidence_level: float
    signature: str


def plot_sensitivity(
    study: Changes, *, metric: str | None = None, change: str | None = None,
    ax: Axes | None = None,
) -> Figure:  # fmt: skip
    """Change of each metric against temperature and noise, a line for each model."""
    frame = rows_at(study.table, label=None)
    metrics, changes, everyone = (
        list(dict.fromkeys(frame[name])) for name in ("metric", "change", "model")
    )
    if not metrics:
        raise ValueError("there is no averaged metric to draw; study f1_macro, cf1_macro, say.")
    metrics = metrics if metric is None else [among("metric", metric, metrics)]
    changes = changes if change is None else [among("change", change, changes)]
    if ax is not None:
        metrics, changes = metrics[:1], changes[:1]
    models, shown = first_models(everyone, style.MAX_LINES, "in the order given")
    title = (
        f"Same decisions, other confidences: {study.n_samples:,} samples, "
        f"{interval_title(study.confidence_level)}"
    )
    caption = Caption(title, study.signature, shown, keys=style.model_keys(models))
    size, shape = (max(2.3 * len(metrics), 5.0), 2.3 * len(changes)), (len(changes), len(metrics))
    with sheet(caption, size, shape, ax=ax, sharex="row") as grid:
        for row, what in zip(grid, changes, strict=True):
            for axes, name in zip(row, metrics, strict=True):
                style.plain_axes(axes, name)
                axes.axhline(0, color="black", linewidth=0.7)
                part = rows_at(frame, change=what, metric=name)
                for model, look in style.looks(models):
                    rows = rows_at(part, model=model).sort_values("level")
                    style.draw_band(axes, rows, "level", "difference", look)
                _level_axis(axes, part["level"], what)
                _keep_zero_readable(axes)
            row[0].set_ylabel("change")
    return figure_of(grid)


def _level_axis(axes: Axes, levels: pd.Series[float], change: str) -> None:
    """Put the levels on a logarithmic axis, each with its tick and its number."""
    axes.set_xscale("log", base=2)
    ticks = sorted({*levels})
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel(change if change == "temperature" else "noise (sd of log-prob.)")


def _keep_zero_readable(axes: Axes) -> None:
    """Keep a metric that does not move at all from being drawn on a scale of rounding errors."""
    low, high = axes.get_ylim()
    if high - low < 1e-3:
        axes.set_ylim(-0.01, 0.01)
    axes.locator_params(axis="y", nbins=5)


@dataclass(frozen=True)
class Power(Drawable):
    """What a paired comparison of two models needs, as `modelcompare.sample_size` tells it."""

    model_a: str
    model_b: str
    metric: str
    label: Any
    n_samples: int
    unit: str
    difference: float
    n_needed: float
    alpha: float
    power: float
    curve: Callable[[], pd.DataFrame]
    detectable: Callable[[float], NDArray[np.float64]]
    signature: str


def plot_power(size: Power, *, ax: Axes | None = None) -> Figure:
    """Smallest difference that shows, and power for the observed one, by number of samples.

    Into an `ax` goes the first of the two. The curves reach past the size that the observed
    difference needs.
    """
    curve = size.curve()
    what = value_name(size.metric, size.label)
    title = (
        f"{what}: {size.model_a} against {size.model_b}, {size.n_samples:,} {size.unit}, "
        f"alpha {size.alpha:g}, power {size.power:g}"
    )
    caption = Caption(title, size.signature, keys=_power_keys(size))
    with sheet(caption, (7.0, 3.0), (1, 1 if ax is not None else 2), ax=ax) as grid:
        for axes, column in zip(grid[0], ("detectable", "power"), strict=False):
            style.plain_axes(axes)
            axes.plot(curve["n_samples"], curve[column], color=style.LEADING, linewidth=1.8)
            axes.set_xscale("log")
            style.plain_log(axes.xaxis)
            axes.axvline(size.n_samples, **_HERE.options())
            if np.isfinite(size.n_needed):
                axes.axvline(size.n_needed, **_NEEDED.options())
            axes.set_xlabel(size.unit)
        left, *others = grid[0]
        left.set_yscale("log")
        style.plain_log(left.yaxis)
        left.set_title("smallest difference that shows")
        if size.difference:
            left.axhline(abs(size.difference), **_OBSERVED.options())
        for right in others:
            right.set_title(f"power for {abs(size.difference):.3g}")
            right.set_ylim(0, 1.02)
            right.axhline(size.power, **_OBSERVED.options())
    return figure_of(grid)


def _power_keys(size: Power) -> list[Key]:
    """What the lines mean, with their numbers."""
    here = format_digits(float(size.detectable(size.n_samples)))
    keys = [Key(f"this test set: shows {here} and more", _HERE)]
    if size.difference and np.isfinite(size.n_needed):
        needed = f"{size.n_needed:,.0f} {size.unit}"
        keys.append(Key(f"what the observed difference needs: {needed}", _NEEDED))
        observed = format_digits(abs(size.difference))
        keys.append(Key(f"observed difference {observed}; power asked for", _OBSERVED))
    return keys
