"""The critical-difference diagram: mean ranks, and bars over models that do not differ."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from modelcompare.report.figures.interval_rows import wrapped_name
from modelcompare.report.figures.layout import Caption, draw_panels
from modelcompare.report.figures.selection import part_shown
from modelcompare.report.figures.style import LEADING, MUTED
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import p_clause

MAX_MODELS = 30
_BAR = 0.3
_ROW = 0.62


def plot_critical_difference(
    ranks: pd.DataFrame, name: str, signature: str, *, ax: Axes | None = None
) -> Figure:
    """Draw mean ranks by `name`, best first; bars over models without a significant difference.

    The attributes of the ranks give the number of sets, the test and its level, Friedman's
    p-value, the pairs without a significant difference, and the critical difference (NaN if there
    is none).
    """
    found = ranks.attrs
    n_models, ranks = len(ranks), ranks[:MAX_MODELS]
    together = np.array(found["together"])[: len(ranks), : len(ranks)]
    places = ranks["mean_rank"].tolist()
    names = [wrapped_name(f"{row.model} ({row.mean_rank:.2f})") for row in ranks.itertuples()]
    bars = _bars(together)
    caption = Caption(
        f"Mean rank by {name}: {n_models} models over {found['n_sets']} test sets, tests at "
        f"{found['alpha']:g}",
        signature, part_shown(len(ranks), n_models, "model", "the best"),
        note=f"Friedman {p_clause(found['p_value'])}; bars: no significant difference "
        f"({found['test']})",
    )  # fmt: skip
    # Names are outside the axis, where no connector comes.
    n_lines = max(name.count("\n") + 1 for name in names)
    top = 0.5 + _BAR * len(bars)
    levels = [top + _ROW * n_lines * (k + 0.5) for k in range((len(names) + 1) // 2)]
    draw = partial(_draw, places, names, bars, levels, found["critical_difference"])
    return draw_panels(caption, [[draw]], (7.6, 0.9 + 0.36 * (levels[-1] + 1)), ax=ax)


def _draw(
    places: list[float], names: list[str], bars: list[tuple[int, int]], levels: list[float],
    critical: float, axes: Axes,
) -> None:  # fmt: skip
    low, high = _rank_limits(places, critical)
    n_right, bottom = len(levels), levels[-1] + 1
    axes.set(xlim=(high, low), ylim=(bottom, 0))
    axes.spines[["left", "right", "bottom"]].set_visible(False)
    axes.xaxis.tick_top()
    axes.locator_params(axis="x", integer=True, nbins=9)
    for k, (first, last) in enumerate(bars):
        ends = (places[first] - 0.03, places[last] + 0.03)
        axes.hlines(0.35 + _BAR * k, *ends, color=LEADING, linewidth=3.2)
    left = list(range(len(places) - 1, n_right - 1, -1))
    for side, models in ((low, range(n_right)), (high, left)):
        for level, model in zip(levels, models, strict=False):
            place = places[model]
            axes.plot([place, place, side], [0, level, level], color=MUTED, linewidth=0.8, zorder=1)
    other = axes.twinx()
    other.set_ylim(axes.get_ylim())
    other.spines[:].set_visible(False)
    for side_axes, models in ((axes, left), (other, range(n_right))):
        # Names are at the ends of their connectors.
        side_axes.set_yticks(levels[: len(models)], [names[model] for model in models])
        side_axes.tick_params(axis="y", length=0)
    if np.isfinite(critical):
        axes.set_xlabel(
            f"CD = {critical:.2f}, the critical difference: the length of the black line"
        )
        axes.hlines(bottom - 0.3, low, low + critical, color="black", linewidth=2)


def _rank_limits(places: list[float], critical: float) -> tuple[float, float]:
    """Whole ranks around all mean ranks, and room for the critical difference."""
    low, high = np.floor(min(places)), np.ceil(max(places))
    reach = critical if np.isfinite(critical) else 0.0
    return float(low), float(max(high, low + 1, low + reach))


def _bars(together: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Longest runs of models of which no two differ significantly; runs of one model are none."""
    bars: list[tuple[int, int]] = []
    for first in range(len(together)):
        last = first
        while last + 1 < len(together) and together[last + 1, first : last + 1].all():
            last += 1
        if last > first and not any(b[0] <= first and last <= b[1] for b in bars):
            bars.append((first, last))
    return bars
