"""Figures of the studies of two metrics: their variances, their values, and their agreement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.report.figures import style
from modelcompare.report.figures.layout import Caption, figure_of, sheet
from modelcompare.report.figures.selection import one_label, telling_labels
from modelcompare.report.figures.style import Key, Look
from modelcompare.report.figures.types import Axes, Drawable, Figure
from modelcompare.report.numbers import interval_title
from modelcompare.report.tables import rows_at
from modelcompare.words import label_name, value_name

# Classes with a panel each, and with several.
MAX_PANELS, MAX_ROWS = 12, 6
AGREE, DISAGREE, NEITHER = Look(style.LEADING, "o"), Look(style.OTHER, "X"), Look("#999999", ".")


@dataclass(frozen=True)
class Distributions(Drawable):
    """Distributions of pairs of metrics at several sizes of the test set."""

    distribution: pd.DataFrame
    pairs: Sequence[tuple[str, str]]
    models: Sequence[str]
    ratios: Sequence[float]
    n_samples: int
    n_resamples: int
    confidence_level: float
    signature: str


def plot_variances(
    study: Distributions, pair: tuple[str, str], *, label: Any = None,
    n_columns: int | None = None, ax: Axes | None = None,
) -> Figure:  # fmt: skip
    """Variances of both metrics of a pair against the part of the test set.

    A panel for each class; a colour for each model, solid for the first metric and dashed for the
    second. With more than twelve models the median and the range of 90 % of them are drawn. Where
    a variance is 0 the scale goes down to 0.
    """
    labels, shown = _labels(study, pair, label, ax, MAX_PANELS)
    n_columns = min(n_columns or 3, len(labels))
    n_rows = -(-len(labels) // n_columns)
    title = (
        f"Variance of {pair[0]} and {pair[1]}: {study.n_samples:,} samples, "
        f"{study.n_resamples:,} resamples"
    )
    keys = [*_model_keys(study.models), *_metric_keys(pair, study.models)]
    caption = Caption(title, study.signature, shown, style.range_note(study.models), keys)
    size = (max(2.7 * n_columns, 5.0), 2.5 * n_rows)
    rows = rows_at(study.distribution, metric=pair[0]), rows_at(study.distribution, metric=pair[1])
    smallest = _smallest([part[part["label"].isin(labels)] if labels[0] is not None else part
                          for part in rows])  # fmt: skip
    with sheet(caption, size, (n_rows, n_columns), ax=ax, sharex=True, sharey=True) as grid:
        for place, (axes, name) in enumerate(zip(grid.flat, labels, strict=False)):
            for part, line in zip(rows, style.LINE_STYLES, strict=True):
                table = _by_ratio(rows_at(part, label=name), "variance")
                style.draw_lines(axes, table, study.models, line)
            style.plain_axes(axes, label_name(name) or pair[0])
            style.ratio_axis(axes, study.ratios, last=place + n_columns >= len(labels))
        _log_with_zero(grid[0, 0], *smallest)
        style.hide_unused(grid, len(labels))
        for axes in grid[:, 0]:
            axes.set_ylabel("variance")
    return figure_of(grid)


def _smallest(parts: Sequence[pd.DataFrame]) -> tuple[float, bool]:
    """The smallest variance above 0, and whether any is 0."""
    values = pd.concat([part["variance"] for part in parts]).dropna().to_numpy()
    # Rounding leaves some that are 0 a trifle above it.
    positive = values[values > 1e-20]
    return float(positive.min(initial=np.inf)), len(positive) < len(values)


def _log_with_zero(axes: Axes, smallest: float, has_zero: bool) -> None:
    """Make the scale logarithmic, and linear from the smallest value down to 0 if there is a 0."""
    if not np.isfinite(smallest):
        axes.set_ylim(-0.05, 1)
    elif has_zero:
        least = 10.0 ** np.floor(np.log10(smallest))
        axes.set_yscale("symlog", linthresh=least, linscale=0.6)
        axes.set_ylim(bottom=-0.25 * least)
    else:
        axes.set_yscale("log")
    if np.isfinite(smallest):
        style.plain_log(axes.yaxis)


def plot_intervals(
    study: Distributions, pair: tuple[str, str], *, label: Any = None, ax: Axes | None = None
) -> Figure:
    """Values with bands against the part of the test set, the two metrics side by side.

    A row of panels for each class, on one scale, and a colour for each model. Into an `ax` goes the
    first metric.
    """
    labels, shown = _labels(study, pair, label, ax, MAX_ROWS)
    names = pair if ax is None else pair[:1]
    title = (
        f"{' and '.join(names)}: {study.n_samples:,} samples, mean and "
        f"{interval_title(study.confidence_level)} of {study.n_resamples:,} resamples"
    )
    keys = _model_keys(study.models)
    caption = Caption(title, study.signature, shown, style.range_note(study.models), keys)
    size, shape = (7.0, 2.3 * len(labels)), (len(labels), len(names))
    with sheet(caption, size, shape, ax=ax, sharex=True, sharey="row") as grid:
        for place, (row, of) in enumerate(zip(grid, labels, strict=True)):
            for axes, name in zip(row, names, strict=True):
                part = rows_at(study.distribution, metric=name, label=of)
                _draw_bands(axes, part, study.models)
                style.plain_axes(axes, value_name(name, of))
                style.ratio_axis(axes, study.ratios, last=place == len(labels) - 1)
    return figure_of(grid)


def _labels(
    study: Distributions, pair: tuple[str, str], label: Any, ax: Axes | None, most: int
) -> tuple[list[Any], str]:
    """Classes that get a panel, and a remark where others are left out."""
    part = rows_at(study.distribution, metric=pair[0])
    if label is not None:
        return one_label(part, label), ""
    whole = part[part["ratio"] == part["ratio"].max()]
    return telling_labels(whole, "estimate", most if ax is None else 1)


def _by_ratio(part: pd.DataFrame, column: str) -> pd.DataFrame:
    """A row for each ratio and a column for each model, also where there is no value."""
    return part.pivot(index="ratio", columns="model", values=column).sort_index()


def _draw_bands(axes: Axes, part: pd.DataFrame, models: Sequence[str]) -> None:
    if len(models) > style.MAX_LINES:
        style.draw_lines(axes, _by_ratio(part, "mean"), models)
        return
    for model, look in style.looks(models):
        rows = rows_at(part, model=model).sort_values("ratio")
        style.draw_band(axes, rows, "ratio", "mean", look)


def _model_keys(models: Sequence[str]) -> list[Key]:
    return style.model_keys(models) if len(models) <= style.MAX_LINES else []


def _metric_keys(pair: Sequence[str], models: Sequence[str]) -> list[Key]:
    """The lines of both metrics; in colours where these do not mean models."""
    many = len(models) > style.MAX_LINES
    return [
        Key(name, Look(colour if many else style.MUTED, line=line))
        for name, line, colour in zip(pair, style.LINE_STYLES, style.MODEL_COLOURS, strict=False)
    ]


@dataclass(frozen=True)
class Agreements(Drawable):
    """Differences of pairs of models under pairs of metrics.

    `senses` tells of each pair of metrics whether both point the same way (1) or not (-1).
    """

    pairs: pd.DataFrame
    senses: Mapping[tuple[str, str], int]
    n_samples: int
    alpha: float
    usable_ratios: Callable[[], Sequence[float]]
    population: Callable[..., pd.DataFrame]
    signature: str


def plot_agreement(
    study: Agreements, *, pair: tuple[str, str] | None = None, label: Any = None,
    ax: Axes | None = None,
) -> Figure:  # fmt: skip
    """Differences of all pairs of models under both metrics; quadrants of agreement shaded."""
    pairs = list(study.senses) if pair is None else [pair]
    if ax is not None:
        pairs = pairs[:1]
    part = rows_at(study.pairs, metric_a=pairs[0][0], metric_b=pairs[0][1])
    labels, shown = telling_labels(part, "difference_a", MAX_ROWS if ax is None else 1)
    if label is not None:
        labels, shown = one_label(part, label), ""
    panels = [(names, of) for names in pairs for of in labels]
    n_columns = min(3, len(panels))
    n_rows = -(-len(panels) // n_columns)
    n_pairs = len(part) // part["label"].nunique(dropna=False)
    title = (
        f"Do both metrics prefer the same model? {study.n_samples:,} samples, {n_pairs:,} "
        f"pair{'s' * (n_pairs != 1)} of models, tests at {study.alpha:g}"
    )
    keys = [
        Key(f"p < {study.alpha:g} under both, same model", _point(AGREE)),
        Key(f"p < {study.alpha:g} under both, other model", _point(DISAGREE)),
        Key("not significant under both", _point(NEITHER)),
    ]
    caption = Caption(title, study.signature, shown, "shaded: both prefer the same model", keys)
    size = (max(2.5 * n_columns, 5.0), 2.5 * n_rows)
    with sheet(caption, size, (n_rows, n_columns), ax=ax) as grid:
        for axes, (names, of) in zip(grid.flat, panels, strict=False):
            rows = rows_at(study.pairs, metric_a=names[0], metric_b=names[1], label=of)
            _scatter(axes, rows, label_name(of) or names[0], study.senses[names])
            axes.set_xlabel(f"difference in {names[0]}")
            axes.set_ylabel(f"difference in {names[1]}")
        style.hide_unused(grid, len(panels))
    return figure_of(grid)


def _point(look: Look) -> Look:
    """The same look without a line, for entries of points."""
    return Look(look.colour, look.marker, "")


def _scatter(axes: Axes, part: pd.DataFrame, name: str, sense: int) -> None:
    """Draw differences, and shade where `sense` has both metrics prefer the same model."""
    shown, agree = part["significant"], part["agree"]
    share = f"{100 * (shown & agree).sum() / shown.sum():.1f} % agree" if shown.any() else None
    style.plain_axes(axes, f"{name}\n{share or 'no pair significant'}")
    axes.axhline(0, color="black", linewidth=0.7, zorder=1)
    axes.axvline(0, color="black", linewidth=0.7, zorder=1)
    size = 16 if len(part) < 200 else 4
    groups = ((~shown, NEITHER), (shown & agree, AGREE), (shown & ~agree, DISAGREE))
    for chosen, look in groups:
        axes.scatter(
            part.loc[chosen, "difference_a"], part.loc[chosen, "difference_b"], s=size,
            color=look.colour, marker=look.marker, linewidth=0, alpha=0.7, zorder=2,
            rasterized=len(part) > 500,
        )  # fmt: skip
    furthest = part[["difference_a", "difference_b"]].abs().max().fillna(0.0)
    x, y = 1.08 * furthest.clip(lower=1e-12)
    axes.set(xlim=(-x, x), ylim=(-y, y))
    for left, low in ((0, 0), (-x, -y)) if sense > 0 else ((0, -y), (-x, 0)):
        axes.fill_between(
            [left, left + x], low, low + y, color=AGREE.colour, alpha=0.06, linewidth=0
        )
    axes.locator_params(nbins=4)
