"""Documents of objects by id, ``{"q1": {"label": 1, "prob": 0.8}, ...}`` -> tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from modelcompare.readers import names
from modelcompare.readers.content import File
from modelcompare.readers.formats import format_of
from modelcompare.readers.profile import FEW_ROWS
from modelcompare.readers.tables import rows_of

_ID = "id"
_OUTPUTS = (*names.TRUE, *names.PRED, *names.PROBABILITIES)


def with_keyed_rows(file: File) -> File:
    """Return a document of many results by id as a table; other files unchanged.

    Results have the same fields, with a truth or an output among them. Where they are nested, as by
    user and item, ids are the keys on the way, joined by a slash.

    Examples
    --------
    >>> from pathlib import Path
    >>> results = {f"q{n}": {"label": 1, "prob": 0.5} for n in range(12)}
    >>> table = with_keyed_rows(File(Path("a.json"), kind="json", payload=results)).payload
    >>> table.to_dict("records")[0]
    {'id': 'q0', 'label': 1, 'prob': 0.5}
    """
    if not isinstance(file.payload, Mapping) or format_of(file) is not None:
        return file
    rows = [*_results(file.payload)]
    fields = [*rows[0][1]] if rows else []
    alike = all([*row] == fields for _, row in rows)
    if len(rows) < FEW_ROWS or not alike or not names.named(fields, _OUTPUTS) or _ID in fields:
        return file
    return replace(file, payload=rows_of([{_ID: key, **row} for key, row in rows], file.name))


def _results(held: Mapping[str, Any], key: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the innermost objects with their keys, joined by slashes."""
    inside = {name: each for name, each in held.items() if isinstance(each, Mapping)}
    if not inside and key:
        yield key, held
    elif len(inside) == len(held):
        for name, each in inside.items():
            yield from _results(each, f"{key}/{name}" if key else name)
    else:
        yield key, {}
