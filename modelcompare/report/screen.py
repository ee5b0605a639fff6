"""A comparison on the terminal: verdict, leaderboards, differences, signature.

Everything is laid out for a given width, 80 columns by default, and nothing is cut silently: rows
that are not shown are counted below their table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.text import Text

from modelcompare.report.columns import GAP, Column, table_lines, total_width
from modelcompare.report.comparison_contents import Block, headline, metric_blocks
from modelcompare.report.intervals import ASCII, UNICODE, CharacterAxis, Glyphs
from modelcompare.report.numbers import (
    format_intervals,
    format_number,
    format_p_value,
    format_percent,
    format_ranks,
)

if TYPE_CHECKING:
    from modelcompare.comparison.result import Comparison

MAX_SENTENCES = 9
MAX_SCORES = 20
MAX_DIFFERENCES = 12
MAX_CLASSES = 5
_INTERVAL_WIDTHS = (16, 40)
_WIDEST_NAME = 30


def comparison_text(result: Comparison, *, width: int = 80, show_all: bool = False) -> str:
    """Write a comparison as plain text.

    Parameters
    ----------
    result : Comparison
        What ``compare`` returned.
    width : int
        Columns of the page.
    show_all : bool
        Show every row, however many there are.

    Returns
    -------
    str
        Lines of at most `width` characters.
    """
    page = StringIO()
    console = Console(file=page, width=width, color_system=None, force_terminal=False)
    console.print(comparison_screen(result, width=width, show_all=show_all))
    return "".join(f"{line.rstrip()}\n" for line in page.getvalue().splitlines())


def comparison_screen(
    result: Comparison, *, width: int = 80, show_all: bool = False, ascii_only: bool = False
) -> Group:
    """Lay a comparison out for a terminal.

    Parameters
    ----------
    result : Comparison
        What ``compare`` returned.
    width : int
        Columns of the terminal.
    show_all : bool
        Show every row, however many there are.
    ascii_only : bool
        Draw with ASCII characters, for terminals that know no others.

    Returns
    -------
    Group
        For ``rich.console.Console.print``.
    """
    glyphs = ASCII if ascii_only else UNICODE
    lines = [Text(headline(result), style="bold"), Text(), _verdict(result, show_all=show_all)]
    for blocks in metric_blocks(result).values():
        shown = blocks if show_all else _limited(blocks)
        lines += [Text(), *_leaderboard(result, shown, width, glyphs)]
        if any(len(block.differences) for block in shown):
            lines += [Text(), *_differences(result, shown, width)]
    return Group(*lines, Text(), *signature_lines(result.signature, width))


def signature_lines(signature: str, width: int) -> list[Text]:
    """Break a signature between its parts where it is wider than the page."""
    lines = [""]
    for part in signature.split("|"):
        longer = f"{lines[-1]}|{part}" if lines[-1] else part
        if len(longer) < width or not lines[-1]:
            lines[-1] = longer
        else:
            lines[-1] += "|"
            lines.append(f"  {part}")
    return [Text(line, style="dim") for line in lines]


def _verdict(result: Comparison, *, show_all: bool) -> Text:
    """Write the verdict with each metric's name in bold."""
    sentences = result.verdict().splitlines()
    shown = sentences if show_all else sentences[:MAX_SENTENCES]
    lines = []
    for sentence in shown:
        metric, colon, rest = sentence.partition(":")
        lines.append(Text.assemble((metric, "bold" if colon else ""), colon + rest))
    lines += _hidden(len(sentences) - len(shown), "sentence")
    return Text("\n").join(lines)


def _limited(blocks: Sequence[Block]) -> list[Block]:
    """Share the rows of a page between the classes; classes that find no room keep none."""
    classes = min(len(blocks), MAX_CLASSES)
    scores, differences = max(MAX_SCORES // classes, 2), max(MAX_DIFFERENCES // classes, 1)
    return [block.limit(scores=scores, differences=differences) for block in blocks[:classes]] + [
        block.limit(scores=0, differences=0) for block in blocks[classes:]
    ]


def _leaderboard(
    result: Comparison, blocks: Sequence[Block], width: int, glyphs: Glyphs
) -> Iterator[Text]:
    """Yield a metric's title, its table of scores and the notes below."""
    rows = [row for block in blocks for row in block.scores.itertuples()]
    decimals = blocks[0].decimals
    columns = [
        Column("rank", [format_ranks(row.rank_low, row.rank_high) for row in rows]),
        _narrowed(Column("model", [str(row.model) for row in rows]), _WIDEST_NAME),
        Column("estimate", [format_number(row.estimate, decimals) for row in rows], right=True),
        Column(
            f"{format_percent(result.confidence_level)} CI",
            format_intervals([(row.ci_low, row.ci_high) for row in rows], decimals),
        ),
    ]
    columns += _drawn_intervals(blocks, width - total_width(columns) - GAP, glyphs)
    yield Text.assemble((blocks[0].metric, "bold"), (f" ({blocks[0].direction})", "dim"))
    yield from table_lines(columns, _headings(blocks, [len(block.scores) for block in blocks]))
    yield from _hidden(sum(block.hidden_scores for block in blocks))
    yield from _undefined(blocks)


def _narrowed(column: Column, most: int) -> Column:
    """Bound the width of a column of names."""
    return replace(column, width=min(column.needed, most))


def _drawn_intervals(blocks: Sequence[Block], room: int, glyphs: Glyphs) -> list[Column]:
    """Draw all intervals on one axis; no column where there is no room for it."""
    narrowest, widest = _INTERVAL_WIDTHS
    if room < narrowest:
        return []
    bounds = ("ci_low", "estimate", "ci_high")
    values = [value for block in blocks for name in bounds for value in block.scores[name]]
    axis = CharacterAxis.over(values, width=min(room, widest))
    drawn = [
        axis.draw(row.ci_low, row.estimate, row.ci_high, glyphs=glyphs)
        for block in blocks
        for row in block.scores.itertuples()
    ]
    return [Column(axis.header(), drawn, style="cyan", width=axis.width)]


def _differences(result: Comparison, blocks: Sequence[Block], width: int) -> Iterator[Text]:
    """Yield the table of the pairs of one metric."""
    rows = [row for block in blocks for row in block.differences.itertuples()]
    decimals = blocks[0].decimals
    numbers = [
        Column(
            "difference",
            [format_number(row.difference, decimals, signed=True) for row in rows],
            right=True,
        ),
        Column(
            f"{format_percent(result.confidence_level)} CI",
            format_intervals([(row.ci_low, row.ci_high) for row in rows], decimals),
        ),
        Column("p", [format_p_value(row.p_value) for row in rows]),
    ]
    if result.correction != "none":
        adjusted = [format_p_value(row.p_adjusted) for row in rows]
        numbers.append(Column(f"p ({result.correction})", adjusted))
    sides = [{row.model_a: "a", row.model_b: "b"}.get(row.better, "-") for row in rows]
    numbers.append(Column("better", sides))
    pairs = [(str(row.model_a), str(row.model_b)) for row in rows]
    names = _pair_columns(pairs, width - total_width(numbers) - GAP)
    yield Text.assemble(
        (f"{blocks[0].metric}, differences", "bold"), (" (model a - model b)", "dim")
    )
    headings = _headings(blocks, [len(block.differences) for block in blocks])
    yield from table_lines([*names, *numbers], headings)
    yield from _hidden(sum(block.hidden_differences for block in blocks))


def _pair_columns(pairs: Sequence[tuple[str, str]], room: int) -> list[Column]:
    """Name the pairs in two columns, or in two lines where those are too wide."""
    first, second = ([pair[side] for pair in pairs] for side in (0, 1))
    columns = [Column("model a", first), Column("model b", second)]
    if total_width(columns) <= room + 1:
        return columns
    stacked = Column("model a - model b", [f"{a}\n- {b}" for a, b in pairs], width=0)
    widest = max(len(line) for cell in stacked.cells for line in cell.split("\n"))
    return [replace(stacked, width=max(min(widest, room), len(stacked.header)))]


def _headings(blocks: Sequence[Block], rows: Sequence[int]) -> list[str | None]:
    """Put each class above the first of its rows."""
    headings: list[str | None] = []
    for block, count in zip(blocks, rows, strict=True):
        first = None if block.label is None else f"class {block.label}"
        headings += [first, *[None] * (count - 1)] if count else []
    return headings


def _undefined(blocks: Sequence[Block]) -> Iterator[Text]:
    """Yield one note for each score that some resamples leave undefined."""
    for block in blocks:
        for row in block.scores[block.scores["n_undefined"] > 0].itertuples():
            yield Text(
                f" {block.title}: undefined in {row.n_undefined:,} resamples of {row.model}; "
                "its interval uses the others.",
                style="yellow",
            )


def _hidden(count: int, unit: str = "row") -> Iterator[Text]:
    """Say how much is not shown."""
    if count:
        yield Text(f" and {count:,} more {unit}{'s' * (count != 1)}: --all shows them", style="dim")
