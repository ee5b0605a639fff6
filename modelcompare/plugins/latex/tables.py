"""Tables as LaTeX: rules by booktabs, and numbers in columns of siunitx, point below point."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from modelcompare.escape import ORDER_AT_START, visible
from modelcompare.report.document import Document
from modelcompare.report.fields import RIGHT, Kind
from modelcompare.report.numbers import BETWEEN, MISSING
from modelcompare.report.tables import Column, Table

_PREAMBLE = "% Preamble: " + r"\usepackage{booktabs,longtable,siunitx} (siunitx 3 or later)"
# A longer table does not fit a page, and is broken.
_LONGEST = 40
_SETUP = (
    r"\footnotesize\setlength{\tabcolsep}{3pt}\sisetup{group-digits=integer,group-minimum-digits=4,"
    r"group-separator={,},retain-explicit-plus,table-align-text-before=false,"
    r"table-align-text-after=false,text-series-to-math,propagate-math-font,reset-text-series=false}"
)
_NUMBER = re.compile(r"(?P<sign>[<+-]?)(?P<whole>\d+)(?:\.(?P<part>\d+))?(?P<after> %)?")
_AFTER = {" %": r"{\,\%}", None: ""}
_INFINITE = {"inf": r"{$\infty$}", "+inf": r"{$+\infty$}", "-inf": r"{$-\infty$}"}
_NUMBERS: frozenset[Kind] = RIGHT | {"p-value"}

_LATEX = {mark: f"\\{mark}" for mark in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",
    "*": "{*}",
    "\u2013": "--",
    "\u2020": r"$\dagger$",
}

# A column as LaTeX has it: its places, its title, its cells, and how many columns it takes.
_Printed: TypeAlias = tuple[str, str, Sequence[str], int]


def writer() -> Callable[[Document], str]:
    """Return the function that writes a document."""
    return lambda made: latex(made.printed(), made.signature, stem=made.stem)


def latex(tables: Iterable[Table], signature: str, *, stem: str = "table") -> str:
    """Write each table with a caption and a label, and the signature below it."""
    parts = [_PREAMBLE]
    for place, table in enumerate(tables, start=1):
        label = f"tab:{stem}" if place == 1 else f"tab:{stem}-{place}"
        parts.append(_table(table, label, signature))
    return "\n\n".join(parts) + "\n"


def _table(table: Table, label: str, signature: str) -> str:
    printed = [_PRINTED.get(column.kind, _texts)(table, column) for column in table.columns]
    places, titles, cells, widths = zip(*printed, strict=True)
    place = "".join(places)
    title = f"{table.title} ({table.subtitle})" if table.subtitle else table.title
    ended = title if title.endswith("?") else f"{title}."
    caption = rf"\caption{{{_escape(' '.join([ended, *table.notes]))}}}"
    named = rf"{caption}\label{{{label}}}"
    head = [r"\toprule", _row(_heads(titles, widths)), r"\midrule"]
    body = [_row(row) for row in zip(*cells, strict=True)]
    below = _signed(signature)
    if len(body) > _LONGEST:
        lines = [
            rf"\begingroup{_SETUP}", rf"\begin{{longtable}}{{{place}}}", rf"{named}\\", *head,
            r"\endfirsthead", *head, r"\endhead", *body, r"\bottomrule", r"\end{longtable}", below,
            r"\endgroup",
        ]  # fmt: skip
    else:
        lines = [
            r"\begin{table}", r"\centering", rf"{named}\par\smallskip", _SETUP,
            rf"\begin{{tabular}}{{{place}}}", *head, *body, r"\bottomrule",
            r"\end{tabular}", below, r"\end{table}",
        ]  # fmt: skip
    return "\n".join(lines)


def _heads(titles: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Write the titles; a column without a title shares that of the column before it."""
    heads: list[tuple[str, int]] = []
    for title, width in zip(titles, widths, strict=True):
        if heads and not title:
            title, width = heads[-1][0], heads.pop()[1] + width
        heads.append((title, width))
    return [
        rf"\multicolumn{{{width}}}{{c}}{{{title}}}" if width > 1 else title
        for title, width in heads
    ]


def _row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _signed(signature: str) -> str:
    """Set the signature in small print; its lines break after bars."""
    text = _escape(signature).replace(r"\textbar{}", r"\textbar\allowbreak{}")
    return rf"\par\smallskip{{\scriptsize\raggedright {text}\par}}"


def _texts(table: Table, column: Column) -> _Printed:
    cells = [_escape(text) for text in table.texts(column)]
    strong = zip(cells, _beside(table, column.strong), strict=True)
    return "l", _title(column), [rf"\textbf{{{c}}}" if s else c for c, s in strong], 1


def _ranks(table: Table, column: Column) -> _Printed:
    cells = [_escape(text.replace("-", "\u2013")) for text in table.texts(column)]
    return "c", _title(column), cells, 1


def _numbers(table: Table, column: Column) -> _Printed:
    """Put numbers into one column of siunitx, bold if they are strong, with their marks."""
    texts, marks = table.texts(column), _beside(table, column.marks)
    cells = [
        (r"\bfseries " if strong else "") + _number(text) + _superscript(mark)
        for text, mark, strong in zip(texts, marks, _beside(table, column.strong), strict=True)
    ]
    # No letter is wider than an m, nor as wide in bold.
    widest = re.sub("[a-z]", "m", max(marks, key=len, default=""))
    place = _place(texts, after=_superscript(widest))
    return place, f"{{{_title(column)}}}", cells, 1


def _interval(table: Table, column: Column) -> _Printed:
    """Put the ends of intervals into two columns, each by its own decimal points."""
    ends = [text.split(BETWEEN) for text in table.texts(column)]
    known = [pair for pair in ends if len(pair) == 2]
    places = [
        _place([low for low, _ in known], before="{[}"),
        _place([high for _, high in known], after="{]}"),
    ]
    cells = [
        f"{{[}}{_number(pair[0])} & {_number(pair[1])}{{]}}"
        if len(pair) == 2
        else rf"\multicolumn{{2}}{{c}}{{{_open_interval(*pair)}}}"
        for pair in ends
    ]
    return "@{,\\,}".join(places), _title(column), cells, 2


def _open_interval(text: str) -> str:
    """Write an interval without two ends, "0.5 or more"."""
    return "--" if text == MISSING else _escape(text)


_PRINTED: dict[Kind, Callable[[Table, Column], _Printed]] = {
    **dict.fromkeys(_NUMBERS, _numbers),
    "interval": _interval,
    "ranks": _ranks,
}


def _title(column: Column) -> str:
    arrow = {"up": r" $\uparrow$", "down": r" $\downarrow$", None: ""}[column.direction]
    title = _escape(column.title)
    if column.kind in ("difference", "p-value"):
        # Variables in mathematics; what follows p in brackets is a name.
        variable, space, name = title.partition(" (")
        title = f"${variable}${space}{name}" if variable in ("a - b", "p") else title
    return title + arrow


def _beside(table: Table, name: str | None) -> list[Any]:
    """Return the cells of a column of the frame, if it exists."""
    return [""] * len(table.frame) if name is None else list(table.frame[name])


def _superscript(mark: str) -> str:
    return rf"{{\textsuperscript{{{_escape(mark)}}}}}" if mark else ""


def _number(text: str) -> str:
    """Write one number as siunitx reads it; in braces it stays as it is."""
    found = _NUMBER.fullmatch(text.replace(",", ""))
    if found is not None:
        return text.replace(",", "").removesuffix(found["after"] or "") + _AFTER[found["after"]]
    if text == MISSING:
        return "{--}"
    if "e" in text and text[-1].isdigit():
        return rf"{{\num{{{text}}}}}"
    return _INFINITE.get(text, f"{{{_escape(text)}}}")


def _place(texts: Sequence[str], *, before: str = "", after: str = "") -> str:
    """Reserve the width of a column's longest number, with its sign and surroundings."""
    found = [_NUMBER.fullmatch(text.replace(",", "")) for text in texts]
    numbers = [number for number in found if number is not None]
    if not numbers:
        return "c"
    sign = max(number["sign"] for number in numbers)
    whole, part = (max(len(n[side] or "") for n in numbers) for side in ("whole", "part"))
    closing = max((_AFTER[number["after"]] for number in numbers), key=len) + after
    fraction = f".{part}" if part else ""
    return f"S[table-format={{{before}{sign}{whole}{fraction}{closing}}}]"


def _escape(text: str) -> str:
    """Escape the characters that LaTeX reserves."""
    text = "".join(_LATEX.get(character, character) for character in visible(text))
    return ORDER_AT_START.sub(r"\1{:}", text)
