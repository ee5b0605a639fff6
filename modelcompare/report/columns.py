"""Columns of text under their headers, within a page width; long names are folded, never cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, chop_cells
from rich.text import Text

GAP = 2
_INDENT = 1
_BREAKS = "_-/.: "


@dataclass(frozen=True)
class Column:
    """One column of a text table.

    Parameters
    ----------
    header : str
        Its title.
    cells : sequence of str
        One text per row.
    right : bool
        Align to the right.
    style : str
        Style of the cells, in rich's words.
    width : int, optional
        Characters per line; what the longest cell needs, by default.
    """

    header: str
    cells: Sequence[str]
    right: bool = False
    style: str = ""
    width: int | None = None

    @property
    def needed(self) -> int:
        """Characters that show every cell in one line."""
        return self.width or max(cell_len(text) for text in (self.header, *self.cells))

    def lines(self, text: str) -> list[str]:
        """Fold a cell into lines of the column's width, and pad them."""
        folded = [part for line in text.split("\n") for part in fold(line, self.needed)]
        return [self._padded(line) for line in folded]

    def _padded(self, line: str) -> str:
        """Fill a line up with spaces."""
        spaces = " " * (self.needed - cell_len(line))
        return spaces + line if self.right else line + spaces


def fold(text: str, width: int) -> list[str]:
    """Break a name into lines, after a separator where one is near the end of the line.

    Examples
    --------
    >>> fold("roberta_large_mnli_2", 12)
    ['roberta_', 'large_mnli_2']
    """
    lines = []
    while cell_len(text) > width:
        line = chop_cells(text, width)[0]
        cut = max(line.rfind(mark, len(line) // 2) + 1 for mark in _BREAKS) or len(line)
        lines.append(text[:cut])
        text = text[cut:]
    return [*lines, text]


def total_width(columns: Iterable[Column]) -> int:
    """Characters that a table takes up."""
    return _INDENT + sum(column.needed + GAP for column in columns) - GAP


def table_lines(
    columns: Sequence[Column], headings: Sequence[str | None] | None = None
) -> Iterator[Text]:
    """Yield the lines of a table, header first.

    Parameters
    ----------
    columns : sequence of Column
        All with the same number of cells.
    headings : sequence of (str or None), optional
        A line of its own above each row; None for no line.

    Yields
    ------
    Text
        One line, without trailing spaces.
    """
    yield _line([(column.lines(column.header)[0], "dim") for column in columns])
    for place in range(len(columns[0].cells)):
        if headings and headings[place] is not None:
            yield Text(f"{' ' * _INDENT}{headings[place]}", style="italic")
        yield from _row_lines(columns, place)


def _row_lines(columns: Sequence[Column], place: int) -> Iterator[Text]:
    """Yield one row, as many lines as its longest cell needs."""
    cells = [column.lines(column.cells[place]) for column in columns]
    for number in range(max(map(len, cells))):
        yield _line(
            [
                (lines[number] if number < len(lines) else " " * column.needed, column.style)
                for column, lines in zip(columns, cells, strict=True)
            ]
        )


def _line(parts: Iterable[tuple[str, str]]) -> Text:
    """Join the parts of one line."""
    line = Text(" " * _INDENT)
    for number, (text, style) in enumerate(parts):
        line.append(" " * GAP if number else "")
        line.append(text, style=style)
    line.rstrip()
    return line
