"""Documents on a terminal: columns of text within a page width, and intervals drawn in characters.

Long names are folded, never cut, and nothing is left out silently: rows that are not shown are
counted below their table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import StringIO
from itertools import zip_longest
from textwrap import wrap
from typing import Literal

from rich.cells import cell_len, chop_cells
from rich.console import Console, Group
from rich.text import Text

from modelcompare.escape import at_line_start, terminal
from modelcompare.report.document import Document
from modelcompare.report.fields import HEADING, RIGHT, Kind
from modelcompare.report.numbers import BETWEEN, format_percent, more
from modelcompare.report.tables import MAX_SENTENCES, Column, Table, without_shared_notes
from modelcompare.report.writers.character_axis import ASCII, GRADES, UNICODE, CharacterAxis

MAX_NOTES, MAX_TABLES = 5, 4
_INTERVAL_WIDTHS = (16, 40)
_WIDEST_NAME, _NARROWEST_NAME = 30, 8
# Least width of folded names that make room for drawn intervals.
_FOLDED_NAME = 24
_NAMES = ("text", "label", "value", "given")
# Intervals in ASCII, in Unicode, or with lower levels of confidence in colour.
Drawing = Literal["ascii", "unicode", "graded"]


def screen_text(
    document: Document, *, width: int = 80, show_all: bool = False, brief: bool = False
) -> str:
    """Write a document as plain text, lines of at most `width` characters."""
    page = StringIO()
    console = Console(file=page, width=width, color_system=None, force_terminal=False)
    console.print(screen(document, width=width, show_all=show_all, brief=brief))
    return page.getvalue()


def screen(
    document: Document, *, width: int = 80, show_all: bool = False, brief: bool = False,
    drawing: Drawing = "unicode",
) -> Group:  # fmt: skip
    """Lay a document out for a terminal; `brief` leaves particulars out, and options unsaid.

    Lines are broken here, so that none of them is an order to a runner.
    """
    lines = [Text(terminal(document.headline), style="bold"), Text()] if document.headline else []
    findings = document.sentences
    if findings:
        shown = findings if show_all else document.top_sentences(MAX_SENTENCES)
        left_out = more(sentence=len(findings) - len(shown))
        lines += [*map(_finding, shown), *_hidden(left_out, brief), Text()]
    tables = document.all_tables if show_all else document.tables
    shown_tables = [table for table in tables.values() if not (brief and table.detail)]
    lines += _tables(shown_tables, width, drawing, show_all=show_all, brief=brief)
    # A narrow terminal has no room for intervals.
    if any(span.style == GRADES[0] for line in lines for span in line.spans):
        lines += _key(shown_tables)
    lines += signature_lines(terminal(document.signature), width)
    console = Console(file=StringIO(), width=width)
    # Most lines are short, and breaking a text takes a while.
    broken = (
        [text] if cell_len(text.plain) <= width else text.wrap(console, width) for text in lines
    )
    return Group(*(_safe(line) for parts in broken for line in parts))


def _safe(line: Text) -> Text:
    line.rstrip()
    safe = at_line_start(line.plain)
    return line if safe == line.plain else Text(safe)


def signature_lines(signature: str, width: int) -> list[Text]:
    """Break a signature between its parts where it is wider than the page."""
    first, *parts = signature.split("|")
    lines = [first]
    for part in parts:
        longer = f"{lines[-1]}|{part}"
        lines[-1:] = [longer] if len(longer) < width else [f"{lines[-1]}|", f"  {part}"]
    return [Text(line, style="dim") for line in lines]


def _finding(sentence: str) -> Text:
    """Write a sentence, what it is about in bold."""
    about, colon, rest = terminal(sentence).partition(":")
    return Text.assemble((about, "bold" if colon else ""), colon + rest)


def _tables(
    tables: Sequence[Table], width: int, drawing: Drawing, *, show_all: bool, brief: bool
) -> Iterator[Text]:
    """Yield tables, with what several have in common below the last.

    A table that belongs to the one before follows without a title, unless all rows are shown; of
    more than `MAX_TABLES` these are shown with all rows only, as sentences have what they decide.
    """
    many = sum(not table.on_request for table in tables) > MAX_TABLES
    fitting = [x for x in tables if show_all or not (x.on_request or (x.detail and many))]
    given, shared = without_shared_notes(fitting)
    left_out, n_compact = Counter(table=len(tables) - len(given)), 0
    for place, table in enumerate(given):
        compact = table.detail and not show_all
        n_compact += compact
        shown = table if show_all else table.shortened()
        if not compact:
            subtitle = f" ({terminal(table.subtitle)})" if table.subtitle else ""
            yield from [Text()] if place else []
            yield Text.assemble((terminal(table.title), "bold"), (subtitle, "dim"))
        yield from _rows(shown, width, drawing, compact=compact)
        hidden = table.hidden(shown)
        left_out += hidden if compact else Counter()
        yield from _hidden("" if compact else more(**hidden), brief)
        yield from _notes(shown.notes, width, show_all=show_all, brief=brief)
    of_all = more(**left_out)
    yield from [Text()] if n_compact > 1 and (shared or of_all) else []
    yield from _hidden(of_all, brief)
    yield from _notes(shared, width, show_all=show_all, brief=brief)
    yield from [Text()] if given else []


def _rows(table: Table, width: int, drawing: Drawing, *, compact: bool) -> Iterator[Text]:
    """Yield header and rows of a table; if it is compact, the header names a single leader."""
    headed = len(table.columns) > 2
    kept = [column for column in table.columns if not headed or column.kind not in HEADING]
    headings = _headings(table) if headed else None
    led = [each for each in table.columns if each.kind == "leader"]
    if compact and kept[0].continues and headings and headings[1:].count(None) == len(headings) - 1:
        name = terminal(table.texts(led[0])[0])
        kept[0], headings = replace(kept[0], title=f"{name} {kept[0].title}"), None
    columns = [_text_column(table, each) for each in kept]
    if table.drawn is not None and any(each.is_folded for each in columns):
        columns = _narrowed(columns, width - GAP - _INTERVAL_WIDTHS[0], _FOLDED_NAME)
    columns = _stacked(_narrowed(columns, width), width)
    columns = _with_wrapped_headers(columns, width)
    columns += _drawn_intervals(table, width - total_width(columns) - GAP, drawing)
    yield from table_lines(columns, headings)


def _notes(texts: Sequence[str], width: int, *, show_all: bool, brief: bool) -> Iterator[Text]:
    """Yield notes below a table, and the number of those that are left out."""
    most = len(texts) if show_all else MAX_NOTES
    for text in texts[:most]:
        yield from (Text(f" {line}", style="dim") for line in wrap(terminal(text), width - 2))
    yield from _hidden(more(note=len(texts[most:])), brief)


def _text_column(table: Table, column: Column) -> TextColumn:
    """Write the cells of a column as a terminal has room for them."""
    texts = list(map(terminal, table.texts(column)))
    texts = aligned(texts) if column.kind == "interval" else texts
    return TextColumn(terminal(column.title), texts, column.kind)


def aligned(intervals: Sequence[str]) -> list[str]:
    """Pad a column of intervals so that their decimal points are aligned.

    >>> aligned(["0.10 to 0.20", "-0.10 to 0.30"])
    [' 0.10 to 0.20', '-0.10 to 0.30']
    """
    ends = [text.partition(BETWEEN) for text in intervals]
    low = max((len(first) for first, between, _ in ends if between), default=0)
    high = max((len(last) for _, _, last in ends), default=0)
    return [
        f"{first:>{low}}{between}{last:>{high}}" if between else first
        for first, between, last in ends
    ]


def _narrowed(
    columns: Sequence[TextColumn], width: int, narrowest: int = _NARROWEST_NAME
) -> list[TextColumn]:
    """Fold the widest names until the page is wide enough, or all are narrow."""
    fitted = list(columns)
    while total_width(fitted) > width:
        names = [
            place
            for place, column in enumerate(fitted)
            if column.kind in _NAMES and column.needed > narrowest
        ]
        if not names:
            break
        widest = max(names, key=lambda place: fitted[place].needed)
        fitted[widest] = replace(fitted[widest], width=fitted[widest].needed - 1)
    return fitted


def _with_wrapped_headers(columns: Sequence[TextColumn], width: int) -> list[TextColumn]:
    """Fold headers of several words that are wider than their cells, the last ones first."""
    fitted = list(columns)
    for place in reversed(range(len(fitted))):
        column = fitted[place]
        if total_width(fitted) > width and column.kind not in _NAMES:
            parts = map(str, (*column.header.split(), *column.cells))
            fitted[place] = replace(column, width=max(map(cell_len, parts), default=1))
    return fitted


def _stacked(columns: list[TextColumn], width: int) -> list[TextColumn]:
    """Put the two sides of a difference into one column of two lines if the width is too small."""
    kinds = [column.kind for column in columns]
    if total_width(columns) <= width or "model_a" not in kinds:
        return columns
    place = kinds.index("model_a")
    first, second, *rest = columns[place:]
    pairs = [f"{a}\n- {b}" for a, b in zip(first.cells, second.cells, strict=True)]
    title = f"{first.header} - {second.header}"
    widest = max((len(line) for pair in pairs for line in pair.split("\n")), default=0)
    if max(widest, len(title)) >= first.needed + GAP + second.needed:
        return columns
    room = width - total_width([*columns[:place], *rest]) - GAP
    pair = TextColumn(title, pairs, "model_a", width=max(min(widest, room), len(title)))
    return [*columns[:place], pair, *rest]


def _headings(table: Table) -> list[str | None]:
    """Put each class, and each leader, above the first of its rows."""
    columns = [column for column in table.columns if column.kind in HEADING]
    titled = [[f"{c.title} {terminal(text)}" for text in table.texts(c)] for c in columns]
    headings = [", ".join(parts) for parts in zip(*titled, strict=True)]
    return [
        heading if heading != before else None
        for before, heading in zip(["", *headings], headings, strict=False)
    ]


def _drawn_intervals(table: Table, room: int, drawing: Drawing) -> list[TextColumn]:
    """Draw all intervals on one axis; no column if the width is too small."""
    narrowest, widest = _INTERVAL_WIDTHS
    if table.drawn is None or room < narrowest:
        return []
    ends = [table.frame[name].tolist() for name in table.drawn]
    axis = CharacterAxis.over([value for end in ends for value in end], width=min(room, widest))
    drawn: Sequence[str | Text]
    if drawing == "graded" and table.graded is not None:
        nested = [*zip(*table.graded().values(), strict=True)]
        drawn = [axis.draw_graded(nested[row], estimate)
                 for row, estimate in zip(table.frame.index, ends[1], strict=True)]  # fmt: skip
    else:
        glyphs = ASCII if drawing == "ascii" else UNICODE
        drawn = [axis.draw(*cell, glyphs=glyphs) for cell in zip(*ends, strict=True)]
    return [TextColumn(axis.header(), drawn, "interval", style="cyan", width=axis.width)]


def _key(tables: Iterable[Table]) -> Iterator[Text]:
    """Yield the meaning of graded intervals, if there are any."""
    graded = next((table.graded for table in tables if table.graded is not None), None)
    if graded is not None:
        parts = [Text("intervals:", style="dim")]
        for level, style, line in zip(graded(), GRADES, "\u2500\u2501\u2501", strict=False):
            parts += [Text(2 * line, style=style), Text(format_percent(level), style="dim")]
        yield Text(" ").join(parts)


def _hidden(what: str, brief: bool) -> Iterator[Text]:
    """Note what is not shown, and unless `brief` the option that shows it."""
    if what:
        yield Text(f" and {what}" + (": --all shows them" if not brief else ""), style="dim")


GAP = 2
_INDENT = 1
_BREAKS = "_-/.: "


@dataclass(frozen=True)
class TextColumn:
    """One column of a text table."""

    header: str
    cells: Sequence[str | Text]  # a text with styles is as wide as the column
    kind: Kind
    style: str = ""  # of the cells, in rich's words
    width: int | None = None  # by default what cells need, or a long name

    @cached_property
    def needed(self) -> int:
        """Characters per line."""
        longest = max(cell_len(str(text)) for text in (self.header, *self.cells))
        return self.width or (min(longest, _WIDEST_NAME) if self.kind in _NAMES else longest)

    @property
    def is_folded(self) -> bool:
        """True if some cells have several lines."""
        return any(cell_len(str(text)) > self.needed for text in self.cells)

    def lines(self, text: str | Text) -> Sequence[str | Text]:
        """Fold a cell into lines of the column's width, and pad them."""
        if isinstance(text, Text):
            return [text]
        lines = [part for line in text.split("\n") for part in break_name(line, self.needed)]
        spaces = [" " * (self.needed - cell_len(line)) for line in lines]
        right = self.kind in RIGHT
        return [s + line if right else line + s for s, line in zip(spaces, lines, strict=True)]


def break_name(text: str, width: int) -> list[str]:
    """Break a name into lines, after a separator where one is near the end of the line.

    An earlier one is used where the part after it then fits into a line.

    >>> break_name("roberta_large_mnli_2", 12), break_name("not enough data", 9)
    (['roberta_', 'large_mnli_2'], ['not ', 'enough ', 'data'])
    """
    lines = []
    while cell_len(text) > width:
        line = chop_cells(text, width)[0]
        cut = max(line.rfind(mark) + 1 for mark in _BREAKS)
        ends = [end + 1 for mark in _BREAKS if (end := text.find(mark, cut)) >= 0]
        if cut < len(line) // 2 and cell_len(text[cut : min(ends, default=None)]) > width:
            cut = 0
        cut = cut or len(line)
        lines.append(text[:cut])
        text = text[cut:]
    return [*lines, text]


def total_width(columns: Iterable[TextColumn]) -> int:
    """Characters that a table takes up."""
    return _INDENT + sum(column.needed + GAP for column in columns) - GAP


def table_lines(
    columns: Sequence[TextColumn], headings: Sequence[str | None] | None = None
) -> Iterator[Text]:
    """Yield the lines of a table, header first."""
    yield from _lines_of(columns, [column.header for column in columns], ["dim"] * len(columns))
    for place in range(len(columns[0].cells)):
        if headings and headings[place] is not None:
            yield Text(f"{' ' * _INDENT}{headings[place]}", style="italic")
        cells = [column.cells[place] for column in columns]
        yield from _lines_of(columns, cells, [column.style for column in columns])


def _lines_of(
    columns: Sequence[TextColumn], cells: Sequence[str | Text], styles: Sequence[str]
) -> Iterator[Text]:
    """Yield the lines of one row, as many as its longest cell needs."""
    parts = [column.lines(cell) for column, cell in zip(columns, cells, strict=True)]
    for texts in zip_longest(*parts):
        filled = [text or " " * column.needed for column, text in zip(columns, texts, strict=True)]
        yield _line(zip(filled, styles, strict=True))


def _line(parts: Iterable[tuple[str | Text, str]]) -> Text:
    texts = (text if isinstance(text, Text) else Text(text, style=style) for text, style in parts)
    line = Text(" " * GAP).join(texts)
    line.pad_left(_INDENT)
    line.rstrip()
    return line
