"""Outputs of models from any format, a row for each model and sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pandas as pd

from modelcompare.readers.cell_types import Column, present
from modelcompare.readers.messages import as_options, listed
from modelcompare.readers.names import SCORE as SCORE_NAMES
from modelcompare.readers.names import plain
from modelcompare.readers.options import Columns
from modelcompare.spelling import meant

PROBABILITY = "prob:"
_PLAIN = (int, float, np.number, np.bool_)
SCORE = "score:"
# Columns that name a result, and names of columns whose cells name its metric.
_KEYS = ("model", "set", "run", "id")
_METRICS = ("metric", "metric_name", "measure")
_EMPTY = pd.Series(dtype=object)

Choice = Literal["set", "filter"]
"""Columns that may have several values in records, and only one in predictions."""
_CALLED: dict[Choice, str] = {"set": "test set", "filter": "filter"}
_ALL_SETS = (
    ", or compare on all with `modelcompare groups`, or decide on all with `modelcompare gate "
    "--rule mean:-MARGIN`"
)
_NOTHING_TO_CHOOSE: dict[Choice, str] = {
    "set": "set (--read set) chooses among several test sets; there is one.",
    "filter": "filter (--read filter) is for logs that have a filter; leave it out.",
}


@dataclass(frozen=True, kw_only=True)
class Records:
    """Results in the form that the readers of all formats return.

    Parameters
    ----------
    frame : DataFrame
        A row for each model, sample and run. Columns, each optional: ``model``; ``set``, the test
        set; ``run``, the repetition; ``filter``, one of several ways to read an answer; ``group``,
        the cluster of the sample; ``id``, the sample; ``y_true``; and the output: ``y_pred`` (a
        label, a value or a text), ``prob:CLASS`` for each class, or ``score:NAME``, numbers whose
        NaN is a missing result. In rows with a truth and no model (references, answer keys)
        ``model`` is missing.
    beside : DataFrame, optional
        All other columns, in the same rows, which options may name as clusters, strata or
        subgroups; dotted names reach into objects in its cells.
    kind : str
        Output type of ``y_pred``, if the format determines it.
    written : bool
        Cells are texts, as in a file that knows no types.
    format : str
        Name of the format, for messages.
    parts : mapping
        Roles of columns that were inferred.
    same : tuple of str
        Columns of `beside` that all models must share for each sample.
    classes : tuple of tuple of str
        Orders of the classes that archives declare.
    answers : bool
        Whether runs are repeated answers to a sample, which are numbered: answers of one number to
        several samples have nothing in common, unlike those of one training run.
    greater_is_better : bool, optional
        Direction of the scores, if the format determines it.
    id_heading : str
        The name of the ids, where options name them.
    named_scores : bool
        Whether a single score is asked by its name, as several are.
    """

    frame: pd.DataFrame
    beside: pd.DataFrame | None = None
    kind: str = "auto"
    written: bool = False
    format: str = "table"
    parts: Mapping[str, str] = field(default_factory=dict)
    same: tuple[str, ...] = ()
    classes: tuple[tuple[str, ...], ...] = ()
    answers: bool = False
    greater_is_better: bool | None = None
    id_heading: str = "id"
    named_scores: bool = False

    @property
    def scores(self) -> tuple[str, ...]:
        """Names of the scores."""
        return tuple(c.removeprefix(SCORE) for c in self.frame.columns if c.startswith(SCORE))


def stack_records(parts: Sequence[Records]) -> Records:
    """Stack the rows of several files; if one has texts only, all become texts."""
    if len({part.written for part in parts}) > 1:
        parts = [part if part.written else _as_written(part) for part in parts]
    beside = [part.frame[[]] if part.beside is None else part.beside for part in parts]
    return replace(
        parts[0], frame=pd.concat([part.frame for part in parts], ignore_index=True),
        beside=pd.concat(beside, ignore_index=True),
        classes=tuple(dict.fromkeys(order for part in parts for order in part.classes)),
    )  # fmt: skip


def by_metric(records: Records, heading: str | None, columns: Columns) -> Records:
    """Return rows of one metric each, which a column names, as scores with the metrics' names.

    Of a metric that an option names only its rows will be read. Columns of other results of a
    sample, such as filters, stay as they are, and so do two results of one metric, and rows of
    which an option names a column that differs between the metrics of a sample.
    """
    frame, keys = records.frame, [key for key in _KEYS if key in records.frame]
    if heading is None or plain(heading) not in _METRICS or len(records.scores) != 1:
        return records
    (value,) = records.scores
    named = frame[[*keys, "filter"]]
    if plain(value) not in SCORE_NAMES or named.duplicated().any() or named.isna().any(axis=None):
        return records
    if columns.filter is None and _differs(records, keys, columns.beside_names):
        return records
    parts = {**records.parts, "metric": f"column {heading}"}
    records = replace(records, parts=parts, named_scores=True)
    if columns.filter is not None:
        named = frame.rename(columns={SCORE + value: SCORE + columns.filter})
        return replace(records, frame=named)
    wide = frame.pivot(index=keys, columns="filter", values=SCORE + value).add_prefix(SCORE)
    first = frame.drop_duplicates(keys)
    rows = first[keys].merge(wide.reset_index(), on=keys, how="left").set_axis(first.index)
    return replace(
        records, frame=rows.infer_objects(),
        beside=None if records.beside is None else records.beside.loc[first.index],
    )  # fmt: skip


def _differs(records: Records, keys: Sequence[str], named: Sequence[str]) -> bool:
    """Return whether columns beside the results differ between rows with the same keys."""
    if records.beside is None or not named:
        return False
    if not {*named} <= {*records.beside}:
        return True
    beside = pd.concat([records.frame[[*keys]], records.beside[[*named]].add_prefix(" ")], axis=1)
    return len(beside.drop_duplicates()) > len(beside.drop_duplicates([*keys]))


def part_of(records: Records, what: str, name: str) -> Records:
    """Return the records of one test set or filter, and those that name none."""
    held = records.frame[what]
    frame = records.frame[(held.astype(str) == name) | held.isna()]
    beside = None if records.beside is None else records.beside.loc[frame.index]
    return replace(records, frame=frame, beside=beside)


def names_in(records: Records, what: Choice, wanted: str | None = None) -> list[str]:
    """Return the test sets or filters in records; refuse a `wanted` one that is not among them."""
    known = [*dict.fromkeys(map(str, records.frame.get(what, _EMPTY).dropna()))]
    known = sorted(known) if what == "filter" else known
    if wanted is not None and not known:
        raise ValueError(_NOTHING_TO_CHOOSE[what])
    if wanted is not None and wanted not in known:
        raise ValueError(
            f"there is no {_CALLED[what]} {wanted!r}; there are {meant(wanted, known)}."
        )
    return known


def chosen_part(records: Records, what: Choice, wanted: str | None) -> Records:
    """Return the records of the test set or filter named, or of the only one."""
    known = names_in(records, what, wanted)
    if wanted is not None:
        return part_of(records, what, wanted)
    if len(known) > 1:
        held = "results by " if what == "filter" else ""
        more = _ALL_SETS if what == "set" else ""
        raise ValueError(
            f"there are {held}{len(known)} {_CALLED[what]}s ({listed(known, 5)}); choose one with "
            f"{as_options(**{what: known[0]})}{more}."
        )
    return records


def _as_written(part: Records) -> Records:
    """Convert numbers to texts, as in a file without types."""
    beside = None if part.beside is None else part.beside.apply(_in_text)
    return replace(part, frame=part.frame.apply(_in_text), beside=beside, written=True)


def _in_text(column: Column) -> Column:
    """Write numbers as Python does; floats that only missing cells made are whole again."""
    texts = present(column).map(lambda cell: str(cell) if isinstance(cell, _PLAIN) else cell)
    return texts.astype(object).reindex(column.index)
