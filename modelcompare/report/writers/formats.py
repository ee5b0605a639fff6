"""Documents as text: one row in `WRITERS` for each form, for all results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from modelcompare import escape, plugs
from modelcompare.report.document import Document
from modelcompare.report.fields import RIGHT
from modelcompare.report.json_text import json_document
from modelcompare.report.tables import Table, without_shared_notes
from modelcompare.report.writers.files import FIGURE_FORMATS, figure_bytes
from modelcompare.report.writers.terminal import screen_text

# Columns that name a row come first, in any table.
_KEYS = "table", "metric", "label", "model", "model_a", "model_b", "estimate", "difference"


def markdown(tables: Iterable[Table], signature: str, findings: Sequence[str] = ()) -> str:
    """Write pipe tables, as GitHub and Pandoc read them, with the signature below."""
    parts = ["\n".join(f"- {escape.markdown(line)}" for line in findings)] if findings else []
    own, shared = without_shared_notes(tables)
    for table in own:
        parts += _markdown_parts(table)
    parts += map(escape.markdown, shared)
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


def as_json(document: Document) -> str:
    """Write settings, frames and messages as JSON, unrounded, by the schema of the document."""
    records = {name: frame.to_dict("records") for name, frame in document.frames().items()}
    made = {"schema": document.schema, **document.settings, **records}
    if document.messages:
        made["messages"] = document.messages
    return json_document(made)


WRITERS: Mapping[str, Callable[[Document], str]] = {
    "table": screen_text,
    "markdown": lambda made: markdown(made.tables.values(), made.signature, made.sentences),
    "csv": lambda made: csv(made.frames()),
    "json": as_json,
}
_SUFFIXES = {"": "table", ".csv": "csv", ".json": "json", ".md": "markdown", ".txt": "table"}


def writer(form: str) -> Callable[..., str]:
    """Return the function that writes documents in a form, of the core or of a plugin."""
    if form in WRITERS:
        return WRITERS[form]
    made: Callable[..., str] = plugs.writer(form)()
    return made


def suffixes() -> dict[str, str]:
    """Return the forms by the suffixes of files that imply them."""
    return dict(sorted({**_SUFFIXES, **plugs.merged("suffixes")}.items()))


def form_of(path: Path, *, otherwise: str = "") -> str:
    """Read the form of a text from its file's name.

    Raises
    ------
    ValueError
        If the name has another suffix; `otherwise` ends the message with an alternative.
    """
    suffix = path.suffix.lower()
    forms = suffixes()
    if suffix not in forms:
        known = ", ".join(filter(None, forms))
        absent = plugs.needed(f"a {suffix} file")
        raise ValueError(absent or f"{path}: {suffix} names no form; write {known}{otherwise}.")
    return forms[suffix]


def contents(document: Document) -> dict[str, bytes]:
    """Return all forms of a result by the names of their files."""
    texts = {
        f"{document.stem}{suffix}": writer(form)(document)
        for suffix, form in suffixes().items() if form in ("markdown", "latex")
    }  # fmt: skip
    for name, frame in document.frames().items():
        texts[f"{name}.csv"] = frame_csv(frame, float_format="%.10g")
    made = {name: text.encode() for name, text in texts.items()}
    for name, draw in document.figures.items():
        figure = draw()
        for form in FIGURE_FORMATS:
            made[f"{name}.{form}"] = figure_bytes(figure, form, dpi=200)
    return made
