"""Intervals in rows: scores, paired differences, and the ranks that tests leave open."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, Literal

from modelcompare.report import escape
from modelcompare.report.compared import Block, Compared, metric_blocks
from modelcompare.report.figures.layout import Caption, draw_panels
from modelcompare.report.figures.selection import select_blocks
from modelcompare.report.figures.style import LEADING, MUTED, plain_axes, tell
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import (
    format_interval,
    format_number,
    format_ranks,
    interval_title,
)
from modelcompare.report.writers.terminal import fold
from modelcompare.words import label_name

Kind = Literal["scores", "differences", "ranks"]
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
    told: str = ""  # the same in words and rounded numbers

    @property
    def is_drawn(self) -> bool:
        """True where there is an estimate."""
        return not math.isnan(self.estimate)

    @property
    def lines(self) -> int:
        """Height in lines of text."""
        return self.text.count("\n") + 1


@dataclass(frozen=True)
class _Panel:
    """The rows of one metric, and what a panel says about them."""

    kind: Kind
    rows: list[_Row]
    title: str
    label: str


def plot_comparison(
    result: Compared, kinds: Sequence[Kind] = ("scores", "differences"), *,
    metrics: Sequence[str] | None = None, max_models: int | None = None, ax: Axes | None = None,
) -> Figure:  # fmt: skip
    """Draw intervals of a comparison, a row of panels for each metric and a panel for each kind.

    Scores are sorted by rank and filled where the range of ranks includes the first; differences
    have a line at zero, intervals corrected like their p-values, and are filled where the adjusted
    p-value is below alpha. Up to four models show all pairs; more show the best model, or the
    baseline, minus each other. Of many classes those are drawn where the models differ most. Into
    an `ax` goes the first metric alone.
    """
    if max_models is not None and max_models < 1:
        raise ValueError(f"`max_models` must be at least 1, got {max_models}.")
    groups = metric_blocks(result, metrics, corrected="differences" in kinds)
    found = {
        metric: select_blocks(blocks, baseline=result.baseline, max_models=max_models)
        for metric, blocks in groups.items()
    }
    panels = [
        [_panel(result, kind, blocks) for kind in _possible(kinds, blocks)]
        for blocks, _ in found.values()
    ]
    n_lines = [max(sum(row.lines for row in panel.rows) for panel in row) for row in panels]
    heights = [_LINE_HEIGHT * n + 0.75 for n in n_lines]
    remarks = [f"{metric}: {shown}" for metric, (_, shown) in found.items() if shown]
    note = _note(result, kinds, groups)
    caption = Caption(_title(result, kinds), result.signature, "\n".join(remarks), note)
    drawn = [[partial(_draw, panel) for panel in row] for row in panels]
    return draw_panels(caption, drawn, (4.8, heights), ax=ax)


def _possible(kinds: Sequence[Kind], blocks: Sequence[Block]) -> list[Kind]:
    """A single model has no differences."""
    if len(blocks[0].scores) > 1:
        return list(kinds)
    if "scores" not in kinds:
        raise ValueError(f"there is one model; {kinds[0]} are of two and more.")
    return ["scores"]


def _title(result: Compared, kinds: Sequence[Kind]) -> str:
    level = f"{interval_title(result.confidence_level)}"
    tested = f"tests at {result.alpha:g}"
    ways = {"scores": f"scores with {level}", "differences": f"differences with {level}",
            "ranks": f"ranks, {tested}"}  # fmt: skip
    both = f"scores and differences, {level}"
    return f"{result.headline}; {both if len(kinds) > 1 else ways[kinds[0]]}"


def _note(result: Compared, kinds: Sequence[Kind], metrics: Iterable[str]) -> str:
    said = {
        "scores": "ranks include the first",
        "differences": f"adjusted p < {result.alpha:g}",
        "ranks": "the range that tests leave open includes the first",
    }
    filled = [said[kind] for kind in kinds]
    if len(kinds) > 1:
        filled = [f"{each} ({side})" for each, side in zip(filled, ("left", "right"), strict=True)]
    notes = [f"filled: {', '.join(filled)}"]
    sizes = dict.fromkeys(result.n_tests[metric] for metric in metrics)
    if "differences" in kinds and max(sizes) > 1:
        n_tests = " or ".join(f"{size:,}" for size in sizes)
        notes.append(f"intervals of differences and p are corrected for {n_tests} tests")
    return "; ".join(notes)


def _panel(result: Compared, kind: Kind, blocks: Sequence[Block]) -> _Panel:
    """Collect the rows of one metric: models, all pairs of few, or the leader minus each other."""
    first = blocks[0]
    all_pairs = len(first.scores) <= _ALL_PAIRS
    rows: list[_Row] = []
    for block in blocks:
        if block.label is not None:
            rows.append(_Row(folded_name(f"class {block.label}"), heading=True))
        if kind != "differences":
            rows += _model_rows(block, kind)
        else:
            rows += _pair_rows(block) if all_pairs else _lead_rows(block, result.baseline)
    if kind == "scores":
        label = f"{interval_title(result.confidence_level)}, {first.direction}"
        return _Panel(kind, rows, first.metric, label)
    if kind == "ranks":
        return _Panel(kind, rows, first.metric, "rank, 1 is best")
    a, b = ("a", "b") if all_pairs else (_leading(result.baseline), "this model")
    better = "right" if first.greater_is_better else "left"
    label = f"{a} {_MINUS} {b}; {a} is better on the {better}"
    return _Panel(kind, rows, f"{first.metric}, differences", label)


def _leading(baseline: str | None) -> str:
    return "best" if baseline is None else "baseline"


def _model_rows(block: Block, kind: Kind) -> Iterator[_Row]:
    """Yield the score of each model, or its range of ranks."""
    for row in block.scores.itertuples():
        if kind == "ranks":
            ends = (row.rank, row.rank_low, row.rank_high)
            told = f"{row.model}: {format_ranks(*ends[1:])}"
        else:
            ends = (row.estimate, row.ci_low, row.ci_high)
            told = _told(row.model, block, ends)
        yield _Row(folded_name(str(row.model)), *ends, strong=row.rank_low == 1, told=told)


def _told(
    name: str, block: Block, ends: tuple[float, float, float], *, signed: bool = False
) -> str:
    """An interval in words: the class if there is one, the name, and rounded numbers."""
    estimate = format_number(ends[0], block.decimals, signed=signed)
    interval = format_interval(*ends[1:], block.decimals)
    of_class = "" if block.label is None else f"{label_name(block.label)}, "
    return f"{of_class}{name}: {estimate} ({interval})"


def _pair_rows(block: Block) -> Iterator[_Row]:
    """Yield the better model of each pair minus the other, so that all lie on one side of 0."""
    place = {model: place for place, model in enumerate(block.scores["model"])}
    for row in block.pairs.itertuples():
        better, worse = sorted((row.model_a, row.model_b), key=place.__getitem__)
        name = escape.visible(f"{better} {_MINUS} {worse}")
        if len(name) > _NAME_WIDTH:
            name = folded_name(better, f"{_MINUS} {worse}")
        yield _difference_row(name, row, block, better)


def _lead_rows(block: Block, baseline: str | None) -> Iterator[_Row]:
    """Yield the leader, or the baseline, minus each other."""
    leader = block.scores["model"].iloc[0] if baseline is None else baseline
    of_leader = {
        (row.model_b if row.model_a == leader else row.model_a): row
        for row in block.differences.itertuples()
        if leader in (row.model_a, row.model_b)
    }
    yield _Row(folded_name(f"{_leading(baseline)}: {leader}"), heading=True)
    for model in block.scores["model"]:
        if model != leader:
            name = folded_name(f"{_MINUS} {model}")
            yield _difference_row(name, of_leader[model], block, leader)


def _difference_row(text: str, row: Any, block: Block, first: str) -> _Row:
    """Write `first` minus the other model of a pair."""
    ends, sides = (row.difference, row.ci_low, row.ci_high), [row.model_a, row.model_b]
    if first != row.model_a:
        ends, sides = (-row.difference, -row.ci_high, -row.ci_low), sides[::-1]
    told = _told(f" {_MINUS} ".join(sides), block, ends, signed=True)
    return _Row(text, *ends, strong=row.better in sides, told=told)


def folded_name(*names: str) -> str:
    """Break long names into lines."""
    return "\n".join(line for name in names for line in fold(escape.visible(name), _NAME_WIDTH))


def _draw(panel: _Panel, axes: Axes) -> None:
    """Draw the rows from top to bottom, each as high as its name."""
    plain_axes(axes, panel.title, grid="x")
    axes.set_xlabel(panel.label)
    undefined = [not (row.is_drawn or row.heading) for row in panel.rows]
    names, headings = [row.text for row in panel.rows], [row.heading for row in panel.rows]
    placed = [*zip(name_rows(axes, names, headings, undefined), panel.rows, strict=True)]
    for strong in (True, False):
        _draw_rows(axes, [(y, r) for y, r in placed if r.is_drawn and r.strong == strong], strong)
    axes.margins(x=0.06)
    axes.locator_params(axis="x", nbins=6, integer=panel.kind == "ranks")
    if panel.kind == "differences":
        _draw_zero(axes)


def name_rows(
    axes: Axes, names: Sequence[str], headings: Sequence[bool], undefined: Sequence[bool]
) -> list[float]:
    """Name rows from top to bottom, each as high as its lines of text; return their middles.

    Headings are bold, and what is undefined is said to be.
    """
    edges = [0, *accumulate(name.count("\n") + 1 for name in names)]
    positions = [(top + bottom) / 2 for top, bottom in pairwise(edges)]
    axes.set_yticks(positions, list(names))
    axes.set_ylim(edges[-1], 0)
    rows = zip(axes.get_yticklabels(), positions, headings, undefined, strict=True)
    for tick, position, heading, missing in rows:
        if heading:
            tick.set_fontweight("bold")
        if missing:
            axes.text(0.02, position, "undefined", transform=axes.get_yaxis_transform(),
                      va="center")  # fmt: skip
    return positions


def _draw_rows(axes: Axes, placed: Sequence[tuple[float, _Row]], strong: bool) -> None:
    """Draw the intervals of rows that look alike."""
    if not placed:
        return
    y, rows = zip(*placed, strict=True)
    colour = LEADING if strong else MUTED
    low, high = [row.low for row in rows], [row.high for row in rows]
    lines = axes.hlines(y, low, high, color=colour, linewidth=1.6)
    points = axes.plot(
        [row.estimate for row in rows], y, linestyle="", marker="o", markersize=5.5, color=colour,
        markerfacecolor=colour if strong else "white", markeredgewidth=1.4,
    )  # fmt: skip
    for artist in (lines, *points):
        tell(artist, [row.told for row in rows])


def _draw_zero(axes: Axes) -> None:
    """Mark the place where two models are equal, and write signs on the scale."""
    from matplotlib.ticker import FuncFormatter

    axes.axvline(0, color="black", linewidth=0.9, zorder=1)
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _: "0" if value == 0 else f"{value:+.6g}".replace("-", _MINUS))
    )
