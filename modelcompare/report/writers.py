"""Tables as Markdown, LaTeX, CSV and JSON: one writer each, for all results."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from modelcompare.report import escape
from modelcompare.report.numbers import BETWEEN, MISSING
from modelcompare.report.tables import RIGHT, Column, Kind, Table

# The columns that name a row stand first, whichever table they come from.
_KEYS = "table", "metric", "label", "model", "model_a", "model_b", "estimate", "difference"
# A longer table does not fit a page of LaTeX, and is broken.
_LONGEST = 40


def markdown(tables: Iterable[Table], signature: str, findings: Sequence[str] = ()) -> str:
    """Write pipe tables, as GitHub and Pandoc read them, with the signature below."""
    parts = ["\n".join(f"- {escape.markdown(line)}" for line in findings)] if findings else []
    for table in tables:
        parts += _markdown_parts(table)
    return "\n\n".join([*parts, escape.markdown_code(signature)]) + "\n"


def _markdown_parts(table: Table) -> Iterator[str]:
    if not table.detail:
        yield f"### {escape.markdown(table.title)}"
        if table.subtitle:
            yield escape.markdown(f"{table.subtitle[0].upper()}{table.subtitle[1:]}.")
    lines = [
        list(map(escape.markdown, table.header)),
        ["---:" if column.kind in RIGHT else "---" for column in table.columns],
        *[list(map(escape.markdown, row)) for row in table.rows],
    ]
    yield "\n".join(f"| {' | '.join(line)} |" for line in lines)
    yield from map(escape.markdown, table.notes)


def latex(tables: Iterable[Table], signature: str) -> str:
    r"""Write LaTeX tables (packages ``booktabs`` and, beyond 40 rows, ``longtable``)."""
    return "\n\n".join(_latex_table(table, signature) for table in tables) + "\n"


def _latex_table(table: Table, signature: str) -> str:
    places = "".join("r" if column.kind in RIGHT else "l" for column in table.columns)
    title = f"{table.title} ({table.subtitle})" if table.subtitle else table.title
    caption = escape.latex(" ".join([f"{title}.", *table.notes, signature]))
    cells = [_latex_cells(table, column) for column in table.columns]
    head = [r"\toprule", _latex_row(map(_latex_title, table.columns)), r"\midrule"]
    body = [_latex_row(row) for row in zip(*cells, strict=True)]
    if len(body) > _LONGEST:
        lines = [
            rf"\begin{{longtable}}{{{places}}}", rf"\caption{{{caption}}}\\", *head, r"\endhead",
            *body, r"\bottomrule", r"\end{longtable}",
        ]  # fmt: skip
    else:
        lines = [
            r"\begin{table}", r"\centering", rf"\caption{{{caption}}}",
            rf"\begin{{tabular}}{{{places}}}", *head, *body, r"\bottomrule", r"\end{tabular}",
            r"\end{table}",
        ]  # fmt: skip
    return "\n".join(lines)


def _latex_row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _latex_title(column: Column) -> str:
    arrow = {"up": r" $\uparrow$", "down": r" $\downarrow$", None: ""}[column.direction]
    title = escape.latex(column.title)
    if column.kind in ("difference", "p-value"):
        # Variables in mathematics; what follows p in brackets is a name.
        variable, space, name = title.partition(" (")
        title = f"${variable}${space}{name}" if variable in ("a - b", "p") else title
    return title + arrow


def _latex_cells(table: Table, column: Column) -> list[str]:
    write = _LATEX_WRITERS.get(column.kind, escape.latex)
    cells = [write(text) for text in table.texts(column)]
    if column.strong is None:
        return cells
    strong = table.frame[column.strong]
    return [_bold(cell) if best else cell for cell, best in zip(cells, strong, strict=True)]


def _bold(cell: str) -> str:
    r"""Set a cell in bold, without the interval that follows its estimate."""
    estimate, small, interval = cell.partition(r" {\small")
    return rf"\textbf{{{estimate}}}{small}{interval}"


def _latex_number(text: str) -> str:
    """Write a number in mathematics, for the true minus sign."""
    if text == MISSING:
        return "--"
    return f"${text}$" if text[0] in "+-" else text


def _latex_interval(text: str) -> str:
    ends = ", ".join(map(_latex_number, text.split(BETWEEN)))
    return ends if text == MISSING else f"[{ends}]"


def _latex_scored(text: str) -> str:
    estimate, _, interval = text.removesuffix(")").partition(" (")
    small = rf" {{\small {_latex_interval(interval)}}}" if interval else ""
    return _latex_number(estimate) + small


_LATEX_WRITERS: dict[Kind, Callable[[str], str]] = {
    "estimate": _latex_number,
    "difference": _latex_number,
    "scored": _latex_scored,
    "interval": _latex_interval,
    "p-value": lambda text: "--" if text == MISSING else f"${text}$",
}


def csv(frames: Mapping[str, pd.DataFrame]) -> str:
    """Write frames as one CSV, unrounded."""
    whole = {
        name: frame.astype(dict.fromkeys(frame.select_dtypes("integer"), "Int64"))
        for name, frame in frames.items()
        if len(frame)
    }
    if not whole:
        return ",".join(["table", *next(iter(frames.values()))]) + "\n"
    both = pd.concat(whole, names=["table", None]).reset_index(level="table")
    return frame_csv(both[[name for name in dict.fromkeys([*_KEYS, *both]) if name in both]])


def frame_csv(frame: pd.DataFrame, *, float_format: str | None = None) -> str:
    """Write a frame as CSV; no text in it is a formula to a spreadsheet."""
    texts = {
        name: [escape.csv(cell) if isinstance(cell, str) else cell for cell in frame[name]]
        for name in frame.select_dtypes(exclude="number")
    }
    titles = [escape.csv(str(name)) for name in frame]
    return str(frame.assign(**texts).to_csv(index=False, header=titles, float_format=float_format))


def as_json(
    schema: str,
    settings: Mapping[str, object],
    frames: Mapping[str, pd.DataFrame],
    signature: str,
) -> str:
    """Write settings and frames as JSON, unrounded; `schema` is a name of ``schema.json``."""
    records = {name: frame.to_dict("records") for name, frame in frames.items()}
    return json_document({"schema": schema, **settings, "signature": signature, **records})


def json_document(document: Mapping[str, object]) -> str:
    """Write a document as JSON, which has no NaN; what is neither number nor text becomes one."""
    text = json.dumps(_plain(document), indent=2, ensure_ascii=False, allow_nan=False, default=str)
    return f"{escape.json(text)}\n"


def _plain(value: Any) -> Any:
    """Turn numpy's scalars into Python's, and what is missing into None."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
