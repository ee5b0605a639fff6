"""The query that makes the table of a sketch, in the words of several databases.

One pass over the predictions counts every bucket by true class, and by true and named class of each
model; what follows reads that small table. Buckets are those of `sources.hashing`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from modelcompare.sources.sketches import About, Summed
from modelcompare.sources.summing import BUCKETS, MOST_BUCKETS, SALT
from modelcompare.words import Dialect, check_choice, check_count, check_names, check_text

_HARD = ("hits", "predicted")
_SOFT = ("soft_hits", "soft_predicted")


@dataclass(frozen=True)
class Words:
    """How one database says what the query needs.

    `number` is what makes a number of the first eight hexadecimal digits of an MD5 digest; `digest`
    gives them of a text.
    """

    text: str
    real: str
    quote: str
    digest: str
    number: str


WORDS: dict[Dialect, Words] = {
    "duckdb": Words("VARCHAR", "DOUBLE", '"', "MD5({})", "CAST(CONCAT('0x', {}) AS BIGINT)"),
    "bigquery": Words(
        "STRING", "FLOAT64", "`", "TO_HEX(MD5({}))", "CAST(CONCAT('0x', {}) AS INT64)"
    ),
    "snowflake": Words("VARCHAR", "DOUBLE", '"', "MD5({})", "TO_NUMBER({}, 'XXXXXXXX')"),
    "spark": Words("STRING", "DOUBLE", "`", "MD5({})", "CAST(CONV({}, 16, 10) AS BIGINT)"),
}


def sketch_query(
    dialect: Dialect, *, table: str, true: str, models: Sequence[str], id: str,
    classes: Sequence[str] = (), buckets: int = BUCKETS, salt: str = SALT,
) -> str:  # fmt: skip
    """A query whose result `read_sketch` reads: the sketch of a table of predictions.

    Parameters
    ----------
    dialect : {"duckdb", "bigquery", "snowflake", "spark"}
        Whose words to use.
    table : str
        The table, as the query may name it.
    true, id : str
        Columns of the true labels, and of the samples' (or clusters') names.
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
    >>> print(query.splitlines()[12].strip())
    GROUP BY GROUPING SETS ((bucket, truth), (bucket, truth, said_0), (bucket, truth, said_1))
    """
    check_choice("dialect", dialect, Dialect)
    check_count("buckets", buckets, at_most=MOST_BUCKETS)
    check_text("salt", salt)
    names = check_names("models", models)
    if not names:
        raise ValueError("`models` is empty; name the models' columns (--model).")
    check_names("classes", classes)
    for name in (true, id, salt, *names, *classes):
        if re.search(r"['\"`\\]", name):
            raise ValueError(f"{name!r} holds a quote or a backslash; rename it for the query.")
    return _Query(WORDS[dialect], table, true, names, id, tuple(classes), buckets, salt).text()


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
        sets = ", ".join(["(bucket, truth)", *(f"(bucket, truth, {s})" for s in self._said)])
        rows = "\nUNION ALL ".join(self._rows())
        return (
            f"WITH item AS (\n  SELECT {item}\n  FROM {self.table}\n), cell AS (\n  SELECT {cell}\n"
            f"  FROM item\n  GROUP BY GROUPING SETS ({sets})\n)\n{rows}\n"
        )

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
        text = f"CONCAT('{self.salt}:', CAST({self._name(self.id)} AS {words.text}))"
        digits = f"SUBSTR({words.digest.format(text)}, 1, 8)"
        yield f"MOD({words.number.format(digits)}, {self.buckets}) AS bucket"
        yield f"CAST({self._name(self.true)} AS {words.text}) AS truth"
        for place, model in enumerate(self.models):
            if not self.classes:
                yield f"CAST({self._name(model)} AS {words.text}) AS said_{place}"
                continue
            columns = [self._name(f"{model}:{name}") for name in self.classes]
            yield f"{self._likeliest(columns)} AS said_{place}"
            yield from (f"{column} AS p_{place}_{k}" for k, column in enumerate(columns))

    def _likeliest(self, columns: Sequence[str]) -> str:
        """The class of the largest probability, the first of ties."""
        cases = [
            f"WHEN {' AND '.join(f'{column} >= {other}' for other in columns[k + 1 :])} "
            f"THEN '{self.classes[k]}'"
            for k, column in enumerate(columns[:-1])
        ]
        return f"CASE {' '.join(cases)} ELSE '{self.classes[-1]}' END"

    def _cell(self) -> Iterator[str]:
        """Columns of each bucket by true class, and by named class of one model."""
        yield "bucket, truth"
        for place, said in enumerate(self._said):
            yield f"{said}, GROUPING({said}) AS of_{place}"
        yield "COUNT(*) AS n"
        for place in range(len(self.models)):
            yield from (f"SUM(p_{place}_{k}) AS s_{place}_{k}" for k in range(len(self.classes)))

    def _rows(self) -> Iterator[str]:
        """Rows of the sketch: first what it is, then its numbers."""
        told = f"'{self._about()}'"
        yield (
            f"SELECT 0 AS bucket, 'about' AS statistic, '' AS model, {told} AS label, '' AS said, "
            f"0 AS place, {self._real('0')} AS value"
        )
        for name in ("samples", "count"):
            yield self._row(name, "", "''", "SUM(n)", self._alone, "bucket")
        yield self._row("support", "", "truth", "SUM(n)", self._alone, "bucket, truth")
        for place, model in enumerate(self.models):
            said, here = f"said_{place}", f"of_{place} = 0"
            yield self._row("hits", model, "truth", "n", f"{here} AND {said} = truth")
            yield self._row("predicted", model, said, "SUM(n)", here, f"bucket, {said}")
            for k, label in enumerate(self.classes):
                total = f"SUM(s_{place}_{k})"
                literal, right = f"'{label}'", f"{self._alone} AND truth = '{label}'"
                yield self._row("soft_hits", model, literal, total, right, "bucket")
                yield self._row("soft_predicted", model, literal, total, self._alone, "bucket")

    def _row(
        self, statistic: str, model: str, label: str, value: str, where: str, by: str = ""
    ) -> str:
        grouped = f" GROUP BY {by}" if by else ""
        return (
            f"SELECT bucket, '{statistic}', '{model}', {label}, '', 0, {self._real(value)} "
            f"FROM cell WHERE {where}{grouped}"
        )

    def _real(self, value: str) -> str:
        return f"CAST({value} AS {self.words.real})"

    def _name(self, column: str) -> str:
        """A column, quoted if it must be: some databases read quoted names letter by letter."""
        plain = re.fullmatch(r"[A-Za-z_]\w*", column, re.ASCII)
        return column if plain else f"{self.words.quote}{column}{self.words.quote}"

    def _about(self) -> str:
        """What the rows mean, as JSON; without `classes` the rows name them."""
        of_class = _HARD + (_SOFT if self.classes else ())
        statistics = [Summed("count", shared=True), Summed("support", shared=True, class_axes=1)]
        statistics += [Summed(name, class_axes=1) for name in of_class]
        about = About(
            salt=self.salt, models=self.models,
            kinds=("probabilities" if self.classes else "labels",) * len(self.models),
            labels=self.classes or None, statistics=tuple(statistics),
            metrics=("accuracy", "f1_macro", *(["cf1_macro"] if self.classes else [])),
        )  # fmt: skip
        return json.dumps({**asdict(about), "buckets": self.buckets}, ensure_ascii=False)
