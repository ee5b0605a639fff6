"""The query that makes the table of a sketch, for DuckDB and Spark.

One pass over the predictions counts every bucket by true class, and by true and predicted class of
each model; the rest of the query reads that small table. Buckets are those of `sources.hashing`.
Some rows are no sums: `query_faults` uses them to refuse the same input as for samples in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import get_args

import numpy as np

from modelcompare.arguments import checked
from modelcompare.data import checks
from modelcompare.plugins.large.about import COLUMNS, About, Summed
from modelcompare.plugins.large.query_faults import FAULTS, PAIRS, Fault
from modelcompare.plugins.large.words import BUCKETS, SALT, Dialect, check_buckets
from modelcompare.words import check_names, check_text

_HARD = ("hits", "predicted")
_SOFT = ("soft_hits", "soft_predicted")
_TEXT: dict[Dialect, str] = {"duckdb": "VARCHAR", "spark": "STRING"}
_QUOTE: dict[Dialect, str] = {"duckdb": '"', "spark": "`"}
# The value of a text of hexadecimal digits.
_NUMBER: dict[Dialect, str] = {
    "duckdb": "CAST(CONCAT('0x', {}) AS BIGINT)", "spark": "CAST(CONV({}, 16, 10) AS BIGINT)",
}  # fmt: skip


@dataclass(frozen=True)
class DatabaseTable:
    """A table of predictions in a database.

    Parameters
    ----------
    sql : {"duckdb", "spark"}
        The database.
    table : str
        The table, as a query may name it; it is the one text that is not quoted.
    classes : sequence of str
        The classes, where models gave probabilities.
    """

    sql: Dialect
    table: str
    classes: Sequence[str] = ()


@checked(buckets=check_buckets, salt=check_text)
def sketch_query(
    source: DatabaseTable, *, true: str, models: Sequence[str], id: str, buckets: int = BUCKETS,
    salt: str = SALT,
) -> str:  # fmt: skip
    """Write the query whose result `read_sketch` reads: the sketch of a table of predictions.

    Parameters
    ----------
    source : DatabaseTable
        The table.
    true, id : str
        Columns of the true labels, and of the samples' (or clusters') names: rows of one name stay
        together.
    models : sequence of str
        Columns of the predicted labels; with `classes` each model has a column ``model:class`` of
        probabilities for each class instead.
    buckets, salt
        As for `sketch`.

    Examples
    --------
    >>> source = DatabaseTable("duckdb", "preds")
    >>> query = sketch_query(source, true="y", models=["a"], id="id")
    >>> print(next(line.strip() for line in query.splitlines() if "GROUPING SETS" in line))
    GROUP BY GROUPING SETS ((bucket, truth), (bucket, truth, predicted_0))
    """
    dialect, classes, names = source.sql, source.classes, check_names("models", models)
    if not names:
        raise ValueError("`models` is empty; name the models' columns (--model).")
    checks.check_model_names(names)
    if check_names("classes", classes):
        checks.classes(np.array(classes, dtype=object), np.empty(0))
    columns = [[f"{model}:{each}" for each in classes] or [model] for model in names]
    _check_distinct([true, *chain(*columns)], dialect)
    about = _about(tuple(model.strip() for model in names), tuple(classes), buckets, salt)
    item = ",\n    ".join(_item(dialect, true, id, columns, classes, buckets, salt))
    cell = ",\n    ".join(_cell(len(names), len(classes)))
    faults = [f", fault_{place}" * bool(classes) for place in range(len(names))]
    sets = [f"(bucket, truth, predicted_{place}{fault})" for place, fault in enumerate(faults)]
    rows = "\nUNION ALL ".join(_rows(dialect, names, classes, about))
    return (
        f"WITH item AS (\n  SELECT {item}\n  FROM {source.table}\n), cell AS (\n  SELECT {cell}\n"
        f"  FROM item\n  GROUP BY GROUPING SETS ({', '.join(['(bucket, truth)', *sets])})\n)\n"
        f"{rows}\n"
    )


def _check_distinct(columns: Sequence[str], dialect: Dialect) -> None:
    """Refuse a column of two roles, and two that a database does not distinguish."""
    written = [column.lower() for column in columns]
    for place, column in enumerate(written):
        first = columns[written.index(column)]
        if written.index(column) < place and first == columns[place]:
            raise ValueError(f"column {first!r} is named for the truth and for a model; name one.")
        if written.index(column) < place:
            raise ValueError(
                f"columns {first!r} and {columns[place]!r} differ only in case, which {dialect} "
                "ignores; rename one in the table."
            )


def _about(models: tuple[str, ...], classes: tuple[str, ...], buckets: int, salt: str) -> str:
    """Return the description of the rows as JSON; without `classes` the rows name them."""
    of_class = _HARD + (_SOFT if classes else ())
    statistics = [Summed("count", shared=True), Summed("support", shared=True, class_axes=1)]
    statistics += [Summed(name, class_axes=1) for name in of_class]
    return About(
        salt=salt, models=models, labels=classes or None, statistics=tuple(statistics),
        kinds=("probabilities" if classes else "labels",) * len(models),
        metrics=("accuracy", "f1_macro", *(["cf1_macro"] if classes else [])),
        weighted=False, missing_mass=False,
    ).to_json(buckets)  # fmt: skip


def _item(
    dialect: Dialect, true: str, id: str, columns: Sequence[Sequence[str]], classes: Sequence[str],
    buckets: int, salt: str,
) -> Iterator[str]:  # fmt: skip
    """Yield the columns of each sample: its bucket, its truth, each model's output."""
    name, text = _name(dialect, id), _TEXT[dialect]
    digits = f"SUBSTR(MD5(CONCAT({_literal(dialect, f'{salt}:')}, CAST({name} AS {text}))), 1, 8)"
    bucket = f"MOD({_NUMBER[dialect].format(digits)}, {buckets})"
    yield f"CASE WHEN {name} IS NOT NULL THEN {bucket} END AS bucket"
    yield f"CAST({_name(dialect, true)} AS {text}) AS truth"
    labels = [_literal(dialect, each) for each in classes]
    for place, headings in enumerate(columns):
        quoted = [_name(dialect, heading) for heading in headings]
        if not classes:
            yield f"CAST({quoted[0]} AS {text}) AS predicted_{place}"
            continue
        numbers = [_real(column) for column in quoted]
        yield f"{_likeliest(numbers, labels)} AS predicted_{place}"
        yield f"{_fault(numbers)} AS fault_{place}"
        yield from (f"{column} AS p_{place}_{k}" for k, column in enumerate(numbers))


def _likeliest(columns: Sequence[str], labels: Sequence[str]) -> str:
    """Return an expression for the class of the largest probability, the first of ties."""
    cases = [
        f"WHEN {' AND '.join(f'{column} >= {other}' for other in columns[k + 1 :])} "
        f"THEN {labels[k]}"
        for k, column in enumerate(columns[:-1])
    ]
    return f"CASE {' '.join(cases)} ELSE {labels[-1]} END"


def _fault(columns: Sequence[str]) -> str:
    """Return the fault of a row of probabilities, by its place among the faults, or 0.

    Comparisons are negated, as NaN is greater than all numbers in some databases, and not
    comparable in others.
    """
    whole = " + ".join(columns)
    rules: dict[Fault, str] = {
        "missing": " OR ".join(f"{column} IS NULL" for column in columns),
        "odd": " OR ".join(f"NOT (ABS({column}) <= 1e300)" for column in columns),
        "negative": " OR ".join(f"{column} < 0" for column in columns),
        "per cent": f"ABS({whole} - 100) <= {100 * checks.SUM_TOLERANCE}",
        "sum": f"NOT (ABS({whole} - 1) <= {checks.SUM_TOLERANCE})",
    }
    # Nearly all rows match the first case; NaN is not within the sum's bounds.
    right = " AND ".join(f"{column} >= 0" for column in columns)
    right = f"ABS({whole} - 1) <= {checks.SUM_TOLERANCE} AND {right}"
    cases = " ".join(f"WHEN {rules[each]} THEN {n}" for n, each in enumerate(get_args(Fault), 1))
    return f"CASE WHEN {right} THEN 0 {cases} ELSE 0 END"


def _cell(n_models: int, n_classes: int) -> Iterator[str]:
    """Yield the columns of each bucket by true class, and by one model's predicted class."""
    yield "bucket, truth"
    for place in range(n_models):
        yield f"predicted_{place}, GROUPING(predicted_{place}) AS of_{place}"
        if n_classes:
            yield f"fault_{place}"
    yield "COUNT(*) AS n"
    for place in range(n_models):
        yield from (f"SUM(p_{place}_{k}) AS s_{place}_{k}" for k in range(n_classes))


def _rows(
    dialect: Dialect, models: Sequence[str], classes: Sequence[str], about: str
) -> Iterator[str]:
    """Yield the rows of the sketch: its description, its numbers, and possible faults."""
    first = ("0", "'about'", "''", _literal(dialect, about), "''", "0", _real("0"))
    named = (f"{value} AS {column}" for value, column in zip(first, COLUMNS, strict=True))
    yield f"SELECT {', '.join(named)}"
    alone = " AND ".join(f"of_{place} = 1" for place in range(len(models)))
    for name in ("samples", "count"):
        yield _row(name, "''", "''", "SUM(n)", alone, "bucket")
    yield _row("support", "''", "truth", "SUM(n)", alone, "bucket, truth")
    for place, model in enumerate(models):
        whose, predicted, here = (
            _literal(dialect, model.strip()),
            f"predicted_{place}",
            f"of_{place} = 0",
        )
        right = f"{here} AND {predicted} = truth"
        yield _row("hits", whose, "truth", "SUM(n)", right, "bucket, truth")
        yield _row("predicted", whose, predicted, "SUM(n)", here, f"bucket, {predicted}")
        for k, label in enumerate(_literal(dialect, each) for each in classes):
            total = f"SUM(s_{place}_{k})"
            of_class = f"{alone} AND truth = {label}"
            yield _row("soft_hits", whose, label, total, of_class, "bucket")
            yield _row("soft_predicted", whose, label, total, alone, "bucket")
        if classes:
            fault = f"fault_{place}"
            cases = (f"WHEN {n} THEN '{each}'" for n, each in enumerate(get_args(Fault), 1))
            what, wrong = f"CASE {fault} {' '.join(cases)} END", f"{here} AND {fault} <> 0"
            yield _row(FAULTS, whose, what, "SUM(n)", wrong, fault)
        else:
            yield _row(PAIRS, whose, "truth", "SUM(n)", here, f"truth, {predicted}", predicted)


def _row(
    statistic: str, whose: str, label: str, value: str, where: str, by: str, predicted: str = "''"
) -> str:
    bucket = "bucket" if by.startswith("bucket") else "0"
    return (
        f"SELECT {bucket}, '{statistic}', {whose}, {label}, {predicted}, 0, {_real(value)} "
        f"FROM cell WHERE {where} GROUP BY {by}"
    )


def _name(dialect: Dialect, column: str) -> str:
    """Quote a column's name, so that no name is a keyword."""
    quote = _QUOTE[dialect]
    return f"{quote}{column.replace(quote, 2 * quote)}{quote}"


def _literal(dialect: Dialect, text: str) -> str:
    """Quote a text; Spark escapes with backslashes, DuckDB doubles quotes."""
    if dialect != "spark":
        return "'" + text.replace("'", "''") + "'"
    text = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    return "'" + text.replace("'", "\\'") + "'"


def _real(value: str) -> str:
    return f"CAST({value} AS DOUBLE)"
