"""The forest plot of a comparison: scores on the left, paired differences on the right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import pandas as pd

from modelcompare.report import escape
from modelcompare.report.comparison_contents import Block, foremost, metric_blocks
from modelcompare.report.numbers import interval_title
from modelcompare.report.screen import fold
from modelcompare.report.shapes import ComparisonShape
from modelcompare.report.style import LEADING, MUTED, drawn, plain_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_CLASSES = 12
MAX_ROWS = 48
# Up to so many models all pairs are drawn; with more, the leader against each.
_ALL_PAIRS = 4
_LINE_HEIGHT = 0.215
_NAME_WIDTH = 26
_MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class _Row:
    """One interval under its name, or a heading; an undefined estimate is NaN."""

    text: str
    estimate: float = math.nan
    low: float = math.nan
    high: float = math.nan
    strong: bool = False
    heading: bool = False

    @property
    def lines(self) -> int:
        """Height in lines of text."""
        return self.text.count("\n") + 1


@dataclass(frozen=True)
class _Panel:
    """The rows of one metric, and what a panel says about them."""

    rows: list[_Row]
    title: str
    label: str


def plot_comparison(
    result: ComparisonShape, *, metrics: Sequence[str] | None = None, max_models: int | None = None
) -> Figure:
    """Draw the forest plot of a comparison.

    One row of panels per metric: on the left the scores, models sorted by rank, filled where the
    range of ranks includes the first; on the right the differences with a line at zero, filled
    where the adjusted p-value is below alpha. Up to four models show all pairs; more show the
    best model minus each other. Of many classes those are drawn where the models differ most.
    """
    if max_models is not None and max_models < 1:
        raise ValueError(f"`max_models` must be at least 1, got {max_models}.")
    panels = [
        _panels(result, blocks, max_models) for blocks in metric_blocks(result, metrics).values()
    ]
    n_columns = max(map(len, panels))
    n_lines = [max(sum(row.lines for row in panel.rows) for panel in pair) for pair in panels]
    heights = [_LINE_HEIGHT * n + 0.75 for n in n_lines]
    filled = f"ranks include the first (left), adjusted p < {result.alpha:g} (right)"
    note = f"filled: {filled}\n{result.signature}"
    size = (4.8 * n_columns, sum(heights) + 0.75)
    with drawn(*size, result.headline, note, sizes=(11, 8)) as figure:
        grid = figure.subplots(len(panels), n_columns, squeeze=False, height_ratios=heights)
        for row, pair in zip(grid, panels, strict=True):
            for axes, panel in zip(row, pair, strict=True):
                _draw(axes, panel)
            for axes in row[1:]:
                _draw_zero(axes)
    return figure


def _panels(result: ComparisonShape, blocks: list[Block], max_models: int | None) -> list[_Panel]:
    """Choose the rows of one metric: its scores, and the differences where there are any."""
    chosen, remark = _chosen(blocks, max_models)
    first = chosen[0]
    scores = [row for block in chosen for row in _score_rows(block)]
    label = f"{interval_title(result.confidence_level)}, {first.direction}"
    panels = [_Panel(scores, f"{first.metric}{remark}", label)]
    if len(first.scores) == 1:
        return panels
    all_pairs = len(first.scores) <= _ALL_PAIRS
    a, b = ("a", "b") if all_pairs else ("best", "this model")
    better = "right" if first.greater_is_better else "left"
    differences = [row for block in chosen for row in _difference_rows(block, all_pairs)]
    label = f"{a} {_MINUS} {b}; {a} is better on the {better}"
    return [*panels, _Panel(differences, "differences", label)]


def _chosen(blocks: Sequence[Block], max_models: int | None) -> tuple[list[Block], str]:
    """Keep the models and classes that fit, and say which."""
    n_models = len(blocks[0].scores)
    classes = _telling_classes(blocks)
    fitting = n_models if blocks[0].label is None else max(MAX_ROWS // len(classes) - 1, 2)
    kept = min(n_models, fitting if max_models is None else max_models)
    models = _best_models(blocks, kept)
    remarks = []
    if kept < n_models:
        remarks.append(f"best {kept} of {n_models} models")
    if len(classes) < len(blocks):
        remarks.append(f"{len(classes)} of {len(blocks)} classes, where models differ most")
    chosen = [_only_models(block, models) for block in classes]
    return chosen, f" ({'; '.join(remarks)})" if remarks else ""


def _telling_classes(blocks: Sequence[Block]) -> list[Block]:
    """Keep the classes where models differ most, in their own order."""
    telling = {block.label for block in foremost(blocks, MAX_CLASSES)}
    return [block for block in blocks if block.label in telling]


def _best_models(blocks: Sequence[Block], count: int) -> set[str]:
    """Models with the best median place over the classes."""
    places = pd.concat([block.scores["model"].reset_index() for block in blocks])
    medians = places.groupby("model", sort=False)["index"].median()
    return set(medians.sort_values(kind="stable").index[:count])


def _only_models(block: Block, models: set[str]) -> Block:
    pairs = block.differences
    return replace(
        block,
        scores=block.scores[block.scores["model"].isin(models)],
        differences=pairs[pairs["model_a"].isin(models) & pairs["model_b"].isin(models)],
    )


def _score_rows(block: Block) -> list[_Row]:
    return _heading(block) + [
        _Row(_folded(str(row.model)), row.estimate, row.ci_low, row.ci_high, row.rank_low == 1)
        for row in block.scores.itertuples()
    ]


def _difference_rows(block: Block, all_pairs: bool) -> list[_Row]:
    """Turn the differences of a block into rows: all pairs, or the leader minus each other."""
    if all_pairs:
        return _heading(block) + [
            _difference_row(_pair(row.model_a, row.model_b), row)
            for row in block.pairs.itertuples()
        ]
    leader, *others = block.scores["model"]
    of_leader = {
        (row.model_b if row.model_a == leader else row.model_a): row
        for row in block.differences.itertuples()
        if leader in (row.model_a, row.model_b)
    }
    rows = [*_heading(block), _Row(_folded(f"best: {leader}"), heading=True)]
    for model in others:
        row = of_leader[model]
        rows.append(_difference_row(_folded(f"{_MINUS} {model}"), row, row.model_a != leader))
    return rows


def _difference_row(text: str, row: Any, turned: bool = False) -> _Row:
    """Write one difference, or its negative."""
    ends = (row.difference, row.ci_low, row.ci_high)
    if turned:
        ends = (-row.difference, -row.ci_high, -row.ci_low)
    return _Row(text, *ends, strong=row.better in (row.model_a, row.model_b))


def _heading(block: Block) -> list[_Row]:
    return (
        [] if block.label is None else [_Row(escape.figure(f"class {block.label}"), heading=True)]
    )


def _folded(*names: str) -> str:
    return "\n".join(line for name in names for line in fold(escape.visible(name), _NAME_WIDTH))


def _pair(model_a: str, model_b: str) -> str:
    """Name a pair, in two lines if it is long."""
    short = escape.visible(f"{model_a} {_MINUS} {model_b}")
    return short if len(short) <= _NAME_WIDTH else _folded(model_a, f"{_MINUS} {model_b}")


def _draw(axes: Axes, panel: _Panel) -> None:
    """Draw the rows from top to bottom, each as high as its name."""
    plain_axes(axes, panel.title, grid="x")
    axes.set_xlabel(panel.label)
    edges = [0, *accumulate(row.lines for row in panel.rows)]
    positions = [(top + bottom) / 2 for top, bottom in pairwise(edges)]
    axes.set_yticks(positions, [row.text for row in panel.rows])
    axes.set_ylim(edges[-1], 0)
    for tick, position, row in zip(axes.get_yticklabels(), positions, panel.rows, strict=True):
        if row.heading:
            tick.set_fontweight("bold")
        else:
            _draw_row(axes, position, row)
    axes.margins(x=0.06)
    axes.locator_params(axis="x", nbins=6)


def _draw_row(axes: Axes, position: float, row: _Row) -> None:
    if math.isnan(row.estimate):
        axes.text(0.02, position, "undefined", transform=axes.get_yaxis_transform(), va="center")
        return
    colour = LEADING if row.strong else MUTED
    axes.hlines(position, row.low, row.high, color=colour, linewidth=1.6)
    face = colour if row.strong else "white"
    axes.plot(row.estimate, position, marker="o", markersize=5.5, color=colour,
              markerfacecolor=face, markeredgewidth=1.4)  # fmt: skip


def _draw_zero(axes: Axes) -> None:
    """Mark the place where two models are equal, and write signs on the scale."""
    from matplotlib.ticker import FuncFormatter

    axes.axvline(0, color="black", linewidth=0.9, zorder=1)
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _: "0" if value == 0 else f"{value:+.6g}".replace("-", _MINUS))
    )
