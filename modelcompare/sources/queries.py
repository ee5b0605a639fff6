"""The query that makes the table of a sketch, for DuckDB and Spark.

One pass over the predictions counts every bucket by true class, and by true and named class of each
model; what follows reads that small table. Buckets are those of `sources.hashing`. Some rows are no
sums: `sources.found` refuses by them what memory refuses when it reads the samples.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import get_args

import numpy as np

from modelcompare.data import checks
from modelcompare.sources.found import FAULTS, PAIRS, Fault
from modelcompare.sources.sketch_tables import MOST_BUCKETS, About, Summed
from modelcompare.sources.summing import BUCKETS, SALT
from modelcompare.words import Dialect, check_choice, check_count, check_names, check_text

_HARD = ("hits", "predicted")
_SOFT = ("soft_hits", "soft_predicted")


@dataclass(frozen=True)
class Words:
    """What differs between databases in the one query.

    Attributes
    ----------
    text : str
        Type of texts.
    quote : str
        Quote of names, doubled within a name.
    number : str
        Expression for the number that a text of hexadecimal digits stands for.
    escapes : bool
        Whether backslashes escape in texts, quotes included; elsewhere a quote is doubled.
    """

    text: str
    quote: str
    number: str
    escapes: bool

    def name(self, column: str) -> str:
        """A column's name, quoted, so that no name is a word of the language."""
        return f"{self.quote}{column.replace(self.quote, 2 * self.quote)}{self.quote}"

    def literal(self, text: str) -> str:
        """A text in quotes."""
        if not self.escapes:
            return "'" + text.replace("'", "''") + "'"
        text = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
        return "'" + text.replace("'", "\\'") + "'"


WORDS: dict[Dialect, Words] = {
    "duckdb": Words("VARCHAR", '"', "CAST(CONCAT('0x', {}) AS BIGINT)", escapes=False),
    "spark": Words("STRING", "`", "CAST(CONV({}, 16, 10) AS BIGINT)", escapes=True),
}


def sketch_query(
    dialect: Dialect, *, table: str, true: str, models: Sequence[str], id: str,
    classes: Sequence[str] = (), buckets: int = BUCKETS, salt: str = SALT,
) -> str:  # fmt: skip
    """Write the query whose result `read_sketch` reads: the sketch of a table of predictions.

    Parameters
    ----------
    dialect : {"duckdb", "spark"}
        The database that runs it.
    table : str
        The table, as the query may name it; it is the one text that is not quoted.
    true, id : str
        Columns of the true labels, and of the samples' (or clusters') names: rows of one name stay
        together.
    models : sequence of str
        Columns of the predicted labels; with `classes` each model has a column ``model:class`` of
        probabilities for each class instead.
    classes : sequence of str
        The classes, where models gave probabilities.
    buckets, salt
        As for `sketch`.

    Examples
    --------
    >>> query = sketch_query("duckdb", table="preds", true="y", models=["a", "b"], id="id")
    >>> print(next(line.strip() for line in query.splitlines() if "GROUPING SETS" in line))
    GROUP BY GROUPING SETS ((bucket, truth), (bucket, truth, said_0), (bucket, truth, said_1))
    """
    check_choice("dialect", dialect, Dialect)
    check_count("buckets", buckets, at_most=MOST_BUCKETS)
    check_text("salt", salt)
    names = check_names("models", models)
    if not names:
        raise ValueError("`models` is empty; name the models' columns (--model).")
    checks.model_arrays(dict.fromkeys(names, ()))
    if len({*names}) < len(names):
        repeated = Counter(names).most_common(1)[0][0]
        raise ValueError(f"model name {repeated!r} occurs twice; names must be distinct.")
    if check_names("classes", classes):
        checks.classes(np.array(classes, dtype=object), np.empty(0))
    query = _Query(WORDS[dialect], table, true, names, id, tuple(classes), buckets, salt)
    _check_distinct(query, dialect)
    return query.text()


def _check_distinct(query: _Query, dialect: Dialect) -> None:
    """Refuse a column of two roles, and two that a database takes for one."""
    columns = [query.true, *query.columns]
    written = [column.lower() for column in columns]
    for place, column in enumerate(written):
        first = columns[written.index(column)]
        if written.index(column) < place and first == columns[place]:
            raise ValueError(f"column {first!r} is named for the truth and for a model; name one.")
        if written.index(column) < place:
            raise ValueError(
                f"columns {first!r} and {columns[place]!r} differ in case alone, and {dialect} "
                "takes them for one; rename one in the table."
            )


@dataclass(frozen=True)
class _Query:
    words: Words
    table: str
    true: str
    models: tuple[str, ...]
    id: str
    classes: tuple[str, ...]
    buckets: int
    salt: str

    def text(self) -> str:
        """The whole query."""
        item = ",\n    ".join(self._item())
        cell = ",\n    ".join(self._cell())
        faults = [f", fault_{place}" * bool(self.classes) for place in range(len(self.models))]
        of_models = zip(self._said, faults, strict=True)
        sets = ", ".join(["(bucket, truth)", *(f"(bucket, truth, {s}{f})" for s, f in of_models)])
        rows = "\nUNION ALL ".join(self._rows())
        return (
            f"WITH item AS (\n  SELECT {item}\n  FROM {self.table}\n), cell AS (\n  SELECT {cell}\n"
            f"  FROM item\n  GROUP BY GROUPING SETS ({sets})\n)\n{rows}\n"
        )

    @property
    def columns(self) -> list[str]:
        """Columns of what the models gave."""
        if not self.classes:
            return [*self.models]
        return [f"{model}:{name}" for model in self.models for name in self.classes]

    @property
    def _said(self) -> list[str]:
        return [f"said_{place}" for place in range(len(self.models))]

    @property
    def _alone(self) -> str:
        """Which cells are of a true class alone."""
        return " AND ".join(f"of_{place} = 1" for place in range(len(self.models)))

    def _item(self) -> Iterator[str]:
        """Columns of each sample: its bucket, its truth, what each model said."""
        words = self.words
        name, literal = words.name(self.id), words.literal
        text = f"CONCAT({literal(f'{self.salt}:')}, CAST({name} AS {words.text}))"
        digits = f"SUBSTR(MD5({text}), 1, 8)"
        bucket = f"MOD({words.number.format(digits)}, {self.buckets})"
        yield f"CASE WHEN {name} IS NOT NULL THEN {bucket} END AS bucket"
        yield f"CAST({words.name(self.true)} AS {words.text}) AS truth"
        for place, model in enumerate(self.models):
            if not self.classes:
                yield f"CAST({words.name(model)} AS {words.text}) AS said_{place}"
                continue
            columns = [self._real(words.name(f"{model}:{each}")) for each in self.classes]
            yield f"{self._likeliest(columns)} AS said_{place}"
            yield f"{self._fault(columns)} AS fault_{place}"
            yield from (f"{column} AS p_{place}_{k}" for k, column in enumerate(columns))

    def _likeliest(self, columns: Sequence[str]) -> str:
        """The class of the largest probability, the first of ties."""
        classes = [self.words.literal(each) for each in self.classes]
        cases = [
            f"WHEN {' AND '.join(f'{column} >= {other}' for other in columns[k + 1 :])} "
            f"THEN {classes[k]}"
            for k, column in enumerate(columns[:-1])
        ]
        return f"CASE {' '.join(cases)} ELSE {classes[-1]} END"

    def _fault(self, columns: Sequence[str]) -> str:
        """What is wrong with a row of probabilities, by its place among the faults; 0 if nothing.

        Comparisons are negated, as NaN is above all numbers in some databases, and unlike all in
        others.
        """
        whole = " + ".join(columns)
        rules: dict[Fault, str] = {
            "missing": " OR ".join(f"{column} IS NULL" for column in columns),
            "odd": " OR ".join(f"NOT (ABS({column}) <= 1e300)" for column in columns),
            "negative": " OR ".join(f"{column} < 0" for column in columns),
            "per cent": f"ABS({whole} - 100) <= {100 * checks.SUM_TOLERANCE}",
            "sum": f"NOT (ABS({whole} - 1) <= {checks.SUM_TOLERANCE})",
        }
        # Nearly all rows are settled by the first case; NaN is not within the sum's bounds.
        right = " AND ".join(f"{column} >= 0" for column in columns)
        right = f"ABS({whole} - 1) <= {checks.SUM_TOLERANCE} AND {right}"
        places = get_args(Fault)
        cases = " ".join(f"WHEN {rules[each]} THEN {n}" for n, each in enumerate(places, 1))
        return f"CASE WHEN {right} THEN 0 {cases} ELSE 0 END"

    def _cell(self) -> Iterator[str]:
        """Columns of each bucket by true class, and by named class of one model."""
        yield "bucket, truth"
        for place, said in enumerate(self._said):
            yield f"{said}, GROUPING({said}) AS of_{place}"
            if self.classes:
                yield f"fault_{place}"
        yield "COUNT(*) AS n"
        for place in range(len(self.models)):
            yield from (f"SUM(p_{place}_{k}) AS s_{place}_{k}" for k in range(len(self.classes)))

    def _rows(self) -> Iterator[str]:
        """Rows of the sketch: first what it is, then its numbers, and what may be wrong."""
        told = self.words.literal(self._about())
        yield (
            f"SELECT 0 AS bucket, 'about' AS statistic, '' AS model, {told} AS label, '' AS said, "
            f"0 AS place, {self._real('0')} AS value"
        )
        for name in ("samples", "count"):
            yield self._row(name, "", "''", "SUM(n)", self._alone, "bucket")
        yield self._row("support", "", "truth", "SUM(n)", self._alone, "bucket, truth")
        for place, model in enumerate(self.models):
            said, here = f"said_{place}", f"of_{place} = 0"
            right = f"{here} AND {said} = truth"
            yield self._row("hits", model, "truth", "SUM(n)", right, "bucket, truth")
            yield self._row("predicted", model, said, "SUM(n)", here, f"bucket, {said}")
            for k, label in enumerate(self.classes):
                total = f"SUM(s_{place}_{k})"
                literal = self.words.literal(label)
                right = f"{self._alone} AND truth = {literal}"
                yield self._row("soft_hits", model, literal, total, right, "bucket")
                yield self._row("soft_predicted", model, literal, total, self._alone, "bucket")
            if self.classes:
                fault = f"fault_{place}"
                cases = (f"WHEN {n} THEN '{each}'" for n, each in enumerate(get_args(Fault), 1))
                label, wrong = f"CASE {fault} {' '.join(cases)} END", f"{here} AND {fault} <> 0"
                yield self._row(FAULTS, model, label, "SUM(n)", wrong, fault)
            else:
                yield self._row(PAIRS, model, "truth", "SUM(n)", here, f"truth, {said}", said)

    def _row(
        self, statistic: str, model: str, label: str, value: str, where: str, by: str,
        said: str = "''",
    ) -> str:  # fmt: skip
        bucket = "bucket" if by.startswith("bucket") else "0"
        whose = self.words.literal(model.strip())
        return (
            f"SELECT {bucket}, '{statistic}', {whose}, {label}, {said}, 0, {self._real(value)} "
            f"FROM cell WHERE {where} GROUP BY {by}"
        )

    def _real(self, value: str) -> str:
        return f"CAST({value} AS DOUBLE)"

    def _about(self) -> str:
        """What the rows mean, as JSON; without `classes` the rows name them."""
        of_class = _HARD + (_SOFT if self.classes else ())
        statistics = [Summed("count", shared=True), Summed("support", shared=True, class_axes=1)]
        statistics += [Summed(name, class_axes=1) for name in of_class]
        about = About(
            salt=self.salt, models=tuple(model.strip() for model in self.models),
            kinds=("probabilities" if self.classes else "labels",) * len(self.models),
            labels=self.classes or None, statistics=tuple(statistics),
            metrics=("accuracy", "f1_macro", *(["cf1_macro"] if self.classes else [])),
            weighted=False, missing_mass=False,
        )  # fmt: skip
        return json.dumps({**asdict(about), "buckets": self.buckets}, ensure_ascii=False)
