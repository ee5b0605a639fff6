"""Critical-difference diagram of models on several test sets (Demsar 2006)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from modelcompare.report.style import LEADING, MUTED, figure_style, legend_below, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_critical_difference(ranks: pd.DataFrame, metric: str) -> Figure:
    """Draw mean ranks on an axis, with bars over models closer than the critical difference.

    Parameters
    ----------
    ranks : DataFrame
        What ``SetComparison.friedman`` returned.
    metric : str
        Its metric, for the title.
    """
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
        figure.suptitle(
            f"Mean rank by {metric} over {ranks.attrs['n_sets']} test sets", x=0.01, ha="left",
            fontsize=10.5, fontweight="bold",
        )  # fmt: skip
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
