"""Intervals in rows: scores, paired differences, and the ranks that tests leave open."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence, Sized
from functools import partial
from itertools import accumulate, combinations, pairwise
from typing import Literal, NamedTuple

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


class _Row(NamedTuple):
    """One interval under its name."""

    text: str
    ends: tuple[float, ...] | None = None  # estimate, low, high; none of a heading or without value
    strong: bool = False
    told: str = ""  # the same in words and rounded numbers


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
    drawn, heights = [], []
    for blocks, _ in found.values():
        rows = {kind: _rows(result, kind, blocks) for kind in _possible(kinds, blocks)}
        n_lines = max(sum(1 + row.text.count("\n") for row in each) for each in rows.values())
        heights.append(_LINE_HEIGHT * n_lines + 0.75)
        drawn.append([
            partial(_draw, kind, each, *_titles(result, kind, blocks[0]))
            for kind, each in rows.items()
        ])  # fmt: skip
    remarks = [f"{metric}: {shown}" for metric, (_, shown) in found.items() if shown]
    note = _note(result, kinds, groups)
    caption = Caption(_title(result, kinds), result.signature, "\n".join(remarks), note)
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
    if "differences" in kinds and (n_tests := result.corrected_for(metrics)):
        notes.append(f"intervals of differences and p are corrected for {n_tests}")
    return "; ".join(notes)


def _titles(result: Compared, kind: Kind, block: Block) -> tuple[str, str]:
    """Title of a panel, and what is said below its axis."""
    if kind == "scores":
        return block.metric, f"{interval_title(result.confidence_level)}, {block.direction}"
    if kind == "ranks":
        return block.metric, "rank, 1 is best"
    a, b = ("a", "b") if _has_all_pairs(block) else (_leading(result.baseline), "this model")
    better = "right" if block.greater_is_better else "left"
    label = f"{a} {_MINUS} {b}; {a} is better on the {better}"
    return f"{block.metric}, differences", label


def _has_all_pairs(block: Block) -> bool:
    return len(block.scores) <= _ALL_PAIRS


def _leading(baseline: str | None) -> str:
    return "best" if baseline is None else "baseline"


def _rows(result: Compared, kind: Kind, blocks: Sequence[Block]) -> list[_Row]:
    """Collect the rows of one metric: models, all pairs of few, or the leader minus each other."""
    rows: list[_Row] = []
    for block in blocks:
        if block.label is not None:
            rows.append(_Row(folded_name(f"class {block.label}")))
        if kind == "differences":
            rows += _difference_rows(block, result.baseline)
        else:
            rows += _model_rows(block, kind)
    return rows


def _model_rows(block: Block, kind: Kind) -> Iterator[_Row]:
    """Yield the score of each model, or its range of ranks."""
    for row in block.scores.itertuples():
        if kind == "ranks":
            ends = (row.rank, row.rank_low, row.rank_high)
            told = f"{row.model}: {format_ranks(*ends[1:])}"
        else:
            ends = (row.estimate, row.ci_low, row.ci_high)
            told = _told(row.model, block, ends)
        yield _Row(folded_name(str(row.model)), _defined(ends), row.rank_low == 1, told)


def _defined(ends: tuple[float, ...]) -> tuple[float, ...]:
    return () if math.isnan(ends[0]) else ends


def _told(
    name: str, block: Block, ends: tuple[float, float, float], *, signed: bool = False
) -> str:
    """An interval in words: the class if there is one, the name, and rounded numbers."""
    estimate = format_number(ends[0], block.decimals, signed=signed)
    interval = format_interval(*ends[1:], block.decimals)
    of_class = "" if block.label is None else f"{label_name(block.label)}, "
    return f"{of_class}{name}: {estimate} ({interval})"


def _difference_rows(block: Block, baseline: str | None) -> Iterator[_Row]:
    """Yield the better model of each pair minus the other, or the leader minus each other.

    The leader is the baseline where there is one.
    """
    models = list(block.scores["model"])
    leader = models[0] if baseline is None else baseline
    if _has_all_pairs(block):
        sides = [*combinations(models, 2)]
    else:
        yield _Row(folded_name(f"{_leading(baseline)}: {leader}"))
        sides = [(leader, model) for model in models if model != leader]
    pairs = {frozenset((row.model_a, row.model_b)): row for row in block.differences.itertuples()}
    for first, second in sides:
        # With a baseline there are its pairs alone.
        row = pairs.get(frozenset((first, second)))
        if row is None:
            continue
        name = [first, f"{_MINUS} {second}"] if _has_all_pairs(block) else [f"{_MINUS} {second}"]
        if len(escape.visible(" ".join(name))) <= _NAME_WIDTH:
            name = [" ".join(name)]
        ends = (row.difference, row.ci_low, row.ci_high)
        if first != row.model_a:
            ends = (-row.difference, -row.ci_high, -row.ci_low)
        told = _told(f"{first} {_MINUS} {second}", block, ends, signed=True)
        yield _Row(folded_name(*name), _defined(ends), row.better in (first, second), told)


def folded_name(*names: str) -> str:
    """Break long names into lines."""
    return "\n".join(line for name in names for line in fold(escape.visible(name), _NAME_WIDTH))


def _draw(kind: Kind, rows: Sequence[_Row], title: str, label: str, axes: Axes) -> None:
    """Draw the rows from top to bottom, each as high as its name."""
    plain_axes(axes, title, grid="x")
    axes.set_xlabel(label)
    positions = name_rows(axes, [(row.text, row.ends) for row in rows])
    for strong in (True, False):
        placed = [*zip(positions, rows, strict=True)]
        _draw_rows(axes, [(y, r) for y, r in placed if r.ends and r.strong == strong], strong)
    axes.margins(x=0.06)
    axes.locator_params(axis="x", nbins=6, integer=kind == "ranks")
    if kind == "differences":
        _draw_zero(axes)


def name_rows(axes: Axes, rows: Sequence[tuple[str, Sized | None]]) -> list[float]:
    """Name rows from top to bottom, each as high as its lines of text; return their middles.

    Beside its name a row has what it draws: None under a heading, which is bold, and nothing where
    there is no value, which is said.
    """
    edges = [0, *accumulate(name.count("\n") + 1 for name, _ in rows)]
    positions = [(top + bottom) / 2 for top, bottom in pairwise(edges)]
    axes.set_yticks(positions, [name for name, _ in rows])
    axes.set_ylim(edges[-1], 0)
    for tick, position, (_, drawn) in zip(axes.get_yticklabels(), positions, rows, strict=True):
        if drawn is None:
            tick.set_fontweight("bold")
        elif not len(drawn):
            axes.text(0.02, position, "undefined", transform=axes.get_yaxis_transform(),
                      va="center")  # fmt: skip
    return positions


def _draw_rows(axes: Axes, placed: Sequence[tuple[float, _Row]], strong: bool) -> None:
    """Draw the intervals of rows that look alike."""
    if not placed:
        return
    y, rows = zip(*placed, strict=True)
    colour = LEADING if strong else MUTED
    estimate, low, high = zip(*(row.ends or () for row in rows), strict=True)
    lines = axes.hlines(y, low, high, color=colour, linewidth=1.6)
    points = axes.plot(
        estimate, y, linestyle="", marker="o", markersize=5.5, color=colour,
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
