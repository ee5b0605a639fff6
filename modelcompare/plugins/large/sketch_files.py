"""Sketches read from tables (see `sketches` for their layout) and checked.

The query that ``modelcompare sketch --sql`` prints makes the same table; the rows then name the
classes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import IntArray
from modelcompare.data.columns import check_plugins
from modelcompare.data.kinds import all_kinds
from modelcompare.data.positive import check_needed
from modelcompare.data.sums import EVERY_MODEL
from modelcompare.plugins.large.about import (
    ABOUT,
    COLUMNS,
    SAMPLES,
    STRATUM,
    VERSION,
    About,
    Summed,
    is_sketch,
)
from modelcompare.plugins.large.possible import check_possible
from modelcompare.plugins.large.query_faults import check_known, classes, without_findings
from modelcompare.plugins.large.sketches import Sketch
from modelcompare.plugins.large.words import MOST_BUCKETS
from modelcompare.readers.opening import read_table
from modelcompare.readers.tables import as_frame
from modelcompare.words import shown

# Errors of invalid rows: no JSON, missing fields, texts instead of numbers.
_DAMAGED = (
    AttributeError, KeyError, OverflowError, TypeError, UnicodeDecodeError, json.JSONDecodeError,
)  # fmt: skip
# Larger floats may not be exact integers.
_MOST_SAMPLES = 2**53


@checked()
def read_sketch(source: str | os.PathLike[str] | Any, *, positive: Any = None) -> Sketch:
    """Read a sketch that `Sketch.save`, or a query of ``modelcompare sketch --sql``, wrote.

    Parameters
    ----------
    source : path or DataFrame
        Parquet, or any other table that `read_predictions` reads; frames of pandas, polars,
        pyarrow, DuckDB. Rows of several sketches of one kind, one after the other, add up.
    positive : optional
        The positive one of two classes, if the sketch does not name it, as for `Predictions`.

    Returns
    -------
    Sketch

    Raises
    ------
    ValueError
        If it is no sketch, or one of another version.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.Predictions([0, 1, 1, 0], {"a": [0, 1, 1, 0], "b": [0, 0, 1, 1]})
    >>> path = getfixture("tmp_path") / "day1.sketch.parquet"
    >>> same = mc.io.read_sketch(mc.io.sketch(preds, "accuracy").save(path))
    >>> same
    Sketch: 4 samples in 1,024 buckets, 2 classes, 2 models (a, b)
      for accuracy
    """
    if isinstance(source, str | os.PathLike):
        name = Path(source).name
        frame = read_table(Path(source))
    else:
        name, frame = "the table", as_frame(source)
    # Some databases return unquoted names in capitals.
    frame = frame.rename(columns=lambda column: str(column).lower())
    if not is_sketch(frame.columns):
        raise ValueError(
            f"{name} is no sketch; it needs the columns {', '.join(COLUMNS)}, as "
            "modelcompare.io.sketch(...).save writes them."
        )
    saying = frame["statistic"] == ABOUT
    if not saying.any():
        raise ValueError(f"{name} lacks the row that describes its numbers.")
    try:
        declared = [json.loads(text) for text in frame["label"][saying].unique()]
        found = _from_rows(frame[~saying], declared, name)
    except _DAMAGED as error:
        reason = " ".join(str(error).split())
        raise _damage(name, f"is no complete sketch ({reason})") from error
    check_plugins({"runs": found.about.runs[1:] or None})
    if positive is None:
        return found
    if found.access.n_classes != 1:
        check_needed(positive, found.labels)
    return Sketch(replace(found.about, positive=positive), found.counts, found.numbers)


def holds_sketch(path: Path) -> bool:
    """Return whether a file is a sketch in Parquet."""
    if path.suffix.lower() != ".parquet" or not path.is_file():
        return False
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return is_sketch(pq.read_schema(path).names)
    except pa.ArrowInvalid:
        return False  # The reader of the file reports the error.


def _damage(name: str, what: str) -> ValueError:
    """Return the error about a table that no longer is a sketch."""
    return ValueError(f"{name} {what}; sketch the predictions again.")


def _from_rows(frame: pd.DataFrame, declared: Sequence[Mapping[str, Any]], name: str) -> Sketch:
    rows = frame.assign(
        **{
            column: frame.get(column, pd.Series("", frame.index)).fillna("").astype(str)
            for column in (*COLUMNS[1:5], STRATUM)
        },
    )
    rows = without_findings(rows, name)
    cells = {column: _numbers(rows[column], name) for column in ("bucket", "place", "value")}
    for column in ("bucket", "place"):
        if not (cells[column] % 1 == 0).all():
            raise ValueError(f"{name} has fractions in column {column!r}; sketch again.")
    rows = rows.assign(**cells).astype({"bucket": np.int64, "place": np.int64})
    # Sketches of other samples may have other classes.
    first, *others = (_blank(each, rows, name) for each in declared)
    blank = sum(others, first)
    about, numbers = blank.about, dict(blank.numbers)
    numbers[SAMPLES.name, EVERY_MODEL] = np.zeros((len(blank.counts), 1))
    summed = {each.name: each for each in (*about.statistics, SAMPLES)}
    for key, part in rows.groupby(["statistic", "model"], sort=False):
        if key not in numbers:
            raise _damage(name, f"has {key[0]!r} of {key[1]!r}, which it does not describe")
        if key == ("support", EVERY_MODEL):
            check_known(part, about.labels or ())
        places = _places(part, summed[key[0]], about, blank.n_buckets, name)
        np.add.at(numbers[key], places, part["value"].to_numpy())
    counts = numbers.pop((SAMPLES.name, EVERY_MODEL))[:, 0]
    bad = ~((counts >= 0) & (counts < _MOST_SAMPLES) & (counts % 1 == 0))
    if bad.any():
        raise ValueError(f"{name} counts {counts[bad][0]:g} samples in a bucket.")
    sketch = Sketch(about, counts.astype(np.intp), numbers)
    check_possible(sketch, name)
    return sketch


def _numbers(column: pd.Series[Any], name: str) -> pd.Series[Any]:
    found = pd.to_numeric(column, errors="coerce").astype(np.float64)
    if not np.isfinite(found).all():
        raise _damage(name, f"has cells in column {column.name!r} that are no numbers")
    return found


def _places(
    rows: pd.DataFrame, summed: Summed, about: About, n_buckets: int, name: str
) -> tuple[IntArray, IntArray]:
    """Return the bucket of each row, and which of its numbers it is: by classes, then by place."""
    labels, strata = [str(label) for label in about.labels or ()], about.strata or ("",)
    cell = np.zeros(len(rows), dtype=np.intp)
    for column in ("label", "predicted")[: summed.class_axes]:
        cell = cell * len(labels) + _codes_of(rows[column], labels, "classes")
    bucket, place = (rows[column].to_numpy(dtype=np.intp) for column in ("bucket", "place"))
    # Numpy would accept negative indices.
    bad = (bucket < 0) | (bucket >= n_buckets) | (place < 0) | (place >= summed.width)
    if bad.any():
        row = rows[bad].iloc[0]
        where = f"place {row['place']} of bucket {row['bucket']}"
        what = f"which a sketch of {n_buckets:,} buckets does not have"
        raise _damage(name, f"has {row['value']:g} at {where}, {what}")
    bucket = bucket + n_buckets * _codes_of(rows[STRATUM], strata, "strata")
    return bucket, cell * summed.width + place


def _codes_of(column: pd.Series[Any], names: Sequence[str], what: str) -> IntArray:
    named = column.to_numpy(dtype=object)
    found = pd.Index(names, dtype=object).get_indexer(named)
    if (found < 0).any():
        unknown = named[found < 0][0]
        raise ValueError(f"{unknown!r} is none of the {what} of the sketch; sketch again.")
    return found


def _is_count(number: Any, most: int) -> bool:
    return type(number) is int and 1 <= number <= most


def _are_texts(found: Any) -> bool:
    return isinstance(found, tuple) and all(isinstance(x, str) for x in found)


def _are_distinct(names: Any) -> bool:
    """Return whether names are distinct, non-empty texts."""
    return _are_texts(names) and all(map(str.strip, names)) and 0 < len(names) == len({*names})


def _are_classes(labels: Any) -> bool:
    plain = isinstance(labels, tuple) and all(isinstance(x, str | int | float) for x in labels)
    return labels is None or (plain and len({*map(str, labels)}) == len(labels))


def _are_statistics(found: tuple[Summed, ...]) -> bool:
    return _are_distinct(tuple(each.name for each in found)) and all(
        type(each.shared) is bool and each.class_axes in (0, 1, 2) and _is_count(each.width, 2**16)
        for each in found
    )


# Checks of the description in a file.
_FITS: dict[str, Callable[[Any], bool]] = {
    "salt": lambda salt: isinstance(salt, str), "models": _are_distinct,
    "kinds": lambda kinds: isinstance(kinds, tuple) and {*kinds} <= {*all_kinds()},
    "labels": _are_classes, "metrics": _are_distinct, "statistics": _are_statistics,
    **dict.fromkeys(("binary", "runs"), _are_texts),
    "strata": lambda names: _are_texts(names) and len({*names}) == len(names),
    **dict.fromkeys(("soft_truth", "weighted", "missing_mass"), lambda x: x is True or x is False),
}  # fmt: skip


def _blank(declared: Mapping[str, Any], rows: pd.DataFrame, name: str) -> Sketch:
    """Return an empty sketch of the description in a table."""
    if declared.get("version") != VERSION:
        what = f"is a sketch of version {shown(declared.get('version'))}"
        raise _damage(name, f"{what}, and this program reads version {VERSION}")
    about, size = _about(declared, rows), declared["buckets"]
    wrong = next((field for field, fits in _FITS.items() if not fits(getattr(about, field))), None)
    if wrong is None and len(about.kinds) != len(about.models):
        wrong = "kinds"
    if wrong is not None or not _is_count(size, MOST_BUCKETS):
        raise _damage(name, f"is no complete sketch: its {wrong or 'buckets'} cannot be right")
    k, n_units = len(about.labels or ()), about.n_units(size)
    numbers = {
        (each.name, model): np.zeros((n_units, k**each.class_axes * each.width))
        for each, model in about.summed
    }
    return Sketch(about, np.zeros(n_units, dtype=np.intp), numbers)


def _about(declared: Mapping[str, Any], rows: pd.DataFrame) -> About:
    """Return the description of a table; the rows of a query name the classes."""
    known = {field.name for field in fields(About)}
    # Older files call it otherwise.
    declared = {"binary": declared.get("judged", ()), **declared}
    found: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in declared.items()
        if key in known
    }
    if isinstance(found.get("bounds"), Mapping):
        found["bounds"] = {name: tuple(ends) for name, ends in found["bounds"].items()}
    found["statistics"] = tuple(Summed(**each) for each in declared["statistics"])
    if found["labels"] is None and any(each.class_axes for each in found["statistics"]):
        found["labels"] = classes({*rows["label"], *rows["predicted"]})
    return About(**found)
