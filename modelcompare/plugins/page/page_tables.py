"""Tables of a page: their first rows, intervals as bars, and all pairs as data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, cycle
from typing import Any

from modelcompare.escape import json as escape_json
from modelcompare.escape import visible
from modelcompare.plugins.page.bars import bars_of, key_of
from modelcompare.report.fields import RIGHT
from modelcompare.report.figures.selection import part_shown
from modelcompare.report.tables import Column, Table

# Rows of pairs in a page for other baselines, over all classes and metrics.
ROOM = 12_000
_MOST_ROWS = 300
_FEWEST_CLASSES = 3
# No more rows of all pairs than this are made.
_MOST_PAIRS = 200_000
_NUMBERS = RIGHT | {"ranks", "interval", "p-value"}


def page_tables(
    tables: Mapping[str, Table], every: Mapping[str, Table], prefix: str
) -> dict[str, dict[str, Any]]:
    """Make the template's input for each table, within the limits of size.

    `every` contains tables with the rows of all pairs. Metrics of classes share the room for pairs,
    and so do all others.
    """
    found = {}
    left = {"classes": ROOM, "others": ROOM}
    n_by_class = len({table.metric for table in tables.values() if table.classes})
    for place, (name, table) in enumerate(tables.items()):
        # Tables of one metric show the same classes.
        together = [t for t in tables.values() if t is table or t.metric == table.metric != ""]
        n_classes = _classes_kept(together, ROOM // max(n_by_class, 1))
        shown, left_out = _shortened(table, n_classes)
        pairs = None
        if name in every and len(every[name].frame) > len(table.frame):
            pairs, _ = _shortened(every[name], n_classes)
            kind = "classes" if table.classes else "others"
            left[kind] -= len(pairs.frame)
            pairs = pairs if left[kind] >= 0 else None
        found[name] = _page_table(f"{prefix}{place}", shown, left_out, pairs)
    return found


def pairs_fit(tables: Iterable[Table]) -> bool:
    """Return whether all pairs are few enough for a page."""
    n_rows = sum(table.n_every * max(len({*table.classes}), 1) for table in tables)
    return n_rows <= _MOST_PAIRS


def _page_table(key: str, table: Table, left_out: str, pairs: Table | None) -> dict[str, Any]:
    """Add to a table bars of its intervals; ids of what belongs to it begin with `key`."""
    bars = bars_of(table, [] if pairs is None else _both_ways(pairs))
    # Notes that hold only where another baseline is chosen.
    of_others = [note for note in (pairs.notes if pairs else ()) if note not in table.notes]
    return {
        "key": key, "shown": table, "left_out": left_out, "kinds": list(map(_kind, table.columns)),
        "bars": bars, "notes_of_others": of_others,
        "legend": key_of(table.tested) if bars and table.tested else [],
        "pairs": "" if pairs is None else _as_data(pairs),
    }  # fmt: skip


def _both_ways(pairs: Table) -> list[float]:
    """Return all ends of the intervals of pairs, a - b and b - a."""
    sources = [c.sources for c in pairs.columns if c.kind in ("difference", "interval")]
    ends = pairs.frame[[*chain(*sources)]].to_numpy(dtype=float).ravel().tolist()
    return [*ends, *(-end for end in ends)]


def _as_data(pairs: Table) -> str:
    """Write all pairs as JSON: names once, then a list for each row."""
    first, second = (column for column in pairs.columns if column.kind == "text")
    numbers = [column for column in pairs.columns if column.kind not in ("text", "class")]
    names = list(dict.fromkeys([*pairs.texts(first), *pairs.texts(second)]))
    classes = pairs.classes or [""] * len(pairs.frame)
    place = {name: i for i, name in enumerate(names)}
    sides = [[place[name] for name in pairs.texts(side)] for side in (first, second)]
    of_class = {name: i for i, name in enumerate(dict.fromkeys(classes))}
    texts = map(pairs.texts, numbers)
    flags = (
        pairs.frame[pairs.tested[0]].astype(int).tolist() if pairs.tested else [0] * len(classes)
    )
    rows = zip([of_class[c] for c in classes], *sides, *texts, flags, strict=True)
    data = {"models": list(map(visible, names)), "classes": list(map(visible, of_class)),
            "rows": list(rows)}  # fmt: skip
    return escape_json(json.dumps(data, separators=(",", ":"))).replace("<", "\\u003c")


def _classes_kept(tables: Sequence[Table], room: int) -> int:
    """Count the classes of a metric that fit into so many rows of pairs."""
    rows = [max(len(t.frame) / max(len({*t.classes}), 1), t.n_every, 1) for t in tables]
    return max(int(room / max(rows)), _FEWEST_CLASSES)


def _shortened(table: Table, n_classes: int) -> tuple[Table, str]:
    """Keep the rows that fit, by class if the table has classes, and name the rest."""
    n_every = len({*table.classes})
    if n_every or table.metric:
        shown = table.of_classes(n_classes)
    else:
        shown = table.take(_first_rows(table))
    if n_every:
        return shown, part_shown(n_classes, n_every, "class", "where models differ most")
    return shown, part_shown(len(shown.frame), len(table.frame), table.unit, "the first")


def _first_rows(table: Table) -> list[int]:
    """Return the places of the first rows, as many of each metric: a page shows one at a time."""
    n_rows = len(table.frame)
    if n_rows <= _MOST_ROWS:
        return [*range(n_rows)]
    metrics = next((table.texts(each) for each in table.columns if each.kind == "value"), [""])
    places: dict[str, list[int]] = {}
    for place, metric in zip(range(n_rows), cycle(metrics), strict=False):
        places.setdefault(metric, []).append(place)
    most = _MOST_ROWS // len(places)
    return sorted(place for found in places.values() for place in found[:most])


def _kind(column: Column) -> str:
    """Return the class of a column's cells for the style sheet."""
    if column.kind in RIGHT:
        return "number right"
    return "number" if column.kind in _NUMBERS else "text"
