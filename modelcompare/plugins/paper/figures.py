"""Figures over the part of the test set that is used."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.report.figures.layout import Caption, Panel, draw_panels, wrapped
from modelcompare.report.figures.selection import among, shown_classes
from modelcompare.report.figures.style import (
    COLOURS,
    LEADING,
    MAX_LINES,
    MODEL_COLOURS,
    OTHER,
    LineStyle,
    Look,
    look_of_each,
    plain_axes,
    plain_log,
)
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.tables import rows_at
from modelcompare.words import is_missing

# The first metric of a pair, and its counterpart.
LINE_STYLES: tuple[LineStyle, LineStyle] = ("-", "--")
# Looks of a metric, of the agreement between it and its counterpart, and of the counterpart.
_METRIC, _BOTH, _COUNTERPART = (
    Look(OTHER, "o", "-"),
    Look(COLOURS[2], "^", ":"),
    Look(LEADING, "s", "--"),
)
_SERIES = {2: (_METRIC, _COUNTERPART), 3: (_METRIC, _BOTH, _COUNTERPART)}
# Single lines, drawn behind their mean.
_THIN: dict[str, Any] = {"linewidth": 0.6, "alpha": 0.35}


def plot_shares(
    frame: pd.DataFrame, panels: Mapping[str, Sequence[Hashable]], words: Sequence[str],
    caption: Caption, *, finish: Panel | None = None, ax: Axes | None = None,
) -> Figure:  # fmt: skip
    """Plot shares against the ratio, with a panel for each pair of metrics.

    `panels` maps a panel's title to its values of the column `series`, whose names in the legend
    are `words`.
    """
    keys = list(zip(words, _SERIES[len(words)], strict=True))
    ratios = sorted({*frame["ratio"]}, reverse=True)

    def draw(title: str, axes: Axes) -> None:
        plain_axes(axes, title)
        for name, (_, look) in zip(panels[title], keys, strict=True):
            table = frame[[entry == name for entry in frame["series"]]].pivot_table(
                index="ratio", columns="line", values="share"
            )
            axes.plot(table.index, table.to_numpy(), color=look.colour, **_THIN)
            axes.plot(table.index, table.mean(axis=1), **look.options(linewidth=2))
        ratio_axis(axes, ratios)

    return draw_panels(
        replace(caption, keys=keys), wrapped([partial(draw, title) for title in panels]),
        (2.6, 2.8), ax=ax, least_width=5.0, finish=finish, sharey=True,
    )  # fmt: skip


def ratio_axis(axes: Axes, ratios: Sequence[float], *, last: bool = True) -> None:
    """Make the horizontal axis that of the part of the test set, on a logarithmic scale."""
    ticked_log(axes, ratios, "part of the test set" if last else "")


def ticked_log(axes: Axes, places: Sequence[float], label: str, *, base: int = 10) -> None:
    """Make the horizontal axis logarithmic, with a tick and a number at each place."""
    axes.set_xscale("log", base=base)
    axes.set_xticks(places, [f"{place:g}" for place in places])
    axes.minorticks_off()
    axes.set_xlabel(label)


def draw_lines(
    axes: Axes, part: pd.DataFrame, column: str, models: Sequence[str], line: LineStyle = "-"
) -> None:
    """Plot a column against the ratio: a line for each model, or the median and range of many."""
    # A row for each ratio and a column for each model, also if a value is missing.
    table = part.pivot(index="ratio", columns="model", values=column).sort_index()
    if len(models) <= MAX_LINES:
        for model, look in look_of_each(models):
            axes.plot(table.index, table[model], **look.options(linestyle=line))
        return
    low, middle, high = np.nanquantile(table.to_numpy(), [0.05, 0.5, 0.95], axis=1)
    look = Look(MODEL_COLOURS[LINE_STYLES.index(line)], "o", line)
    axes.fill_between(table.index, low, high, color=look.colour, alpha=0.2, linewidth=0)
    axes.plot(table.index, middle, **look.options())


def model_keys(models: Sequence[str]) -> list[tuple[str, Look]]:
    """Return the entries of the legend for `draw_lines`; none for more models than colours."""
    return look_of_each(models) if len(models) <= MAX_LINES else []


def range_note(models: Sequence[str]) -> str:
    """Explain what `draw_lines` draws for many models."""
    many = len(models) > MAX_LINES
    return f"median and range of 90 % of {len(models)} models" if many else ""


def log_with_zero(variances: pd.Series[float], axes: Axes) -> None:
    """Make the scale logarithmic, and linear from the smallest value down to 0 if there is a 0."""
    values = variances.dropna().to_numpy()
    # Because of rounding some zeros are slightly above 0.
    positive = values[values > 1e-20]
    if not len(positive):
        axes.set_ylim(-0.05, 1)
        return
    if len(positive) < len(values):
        least = 10.0 ** np.floor(np.log10(positive.min()))
        axes.set_yscale("symlog", linthresh=least, linscale=0.6)
        axes.set_ylim(bottom=-0.25 * least)
    else:
        axes.set_yscale("log")
    plain_log(axes.yaxis)


def differing_labels(
    frame: pd.DataFrame, column: str, label: object, most: int
) -> tuple[list[Any], str]:
    """Classes over which a column ranges furthest, in their own order, and a remark.

    Or the class that was asked for, alone.
    """
    labels = list(dict.fromkeys(None if is_missing(each) else each for each in frame["label"]))
    if label is not None:
        return [among("label", label, [each for each in labels if each is not None])], ""
    of_labels = frame.groupby("label", sort=False, dropna=False)[column]
    order = np.argsort(-(of_labels.max() - of_labels.min()).to_numpy(), kind="stable")
    places, shown = shown_classes(order.tolist(), most)
    return [labels[place] for place in places], shown


def draw_bands(axes: Axes, frame: pd.DataFrame, x: str, y: str, models: Sequence[str]) -> None:
    """Draw values over their intervals, a line for each model."""
    for model, look in look_of_each(models):
        rows = rows_at(frame, model=model).sort_values(x)
        ends = rows["ci_low"], rows["ci_high"]
        axes.fill_between(rows[x], *ends, color=look.colour, alpha=0.16, linewidth=0)
        axes.plot(rows[x], rows[y], **look.options())
