"""Layout of a scan: the roles of its columns, and the classes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from modelcompare import plugs
from modelcompare.arrays import ROW_BLOCK, AnyArray, IntArray
from modelcompare.data import checks
from modelcompare.data.checks import DataWarning, rows_from
from modelcompare.data.described import answers_of
from modelcompare.data.misspelt import Answers
from modelcompare.data.positive import conventional
from modelcompare.data.predictions import Predictions
from modelcompare.engine.labels import COLLAPSE_AT
from modelcompare.plugins.large.blocks import MOST_NAMES, TIMES, Rows, cells, check_names, rebatch
from modelcompare.plugins.large.words import KINDS
from modelcompare.readers import names
from modelcompare.readers.cell_types import same_types
from modelcompare.readers.column_roles import (
    check_rows,
    find_roles,
    profile_of,
    refuse_others,
    with_changes,
)
from modelcompare.readers.lists import with_class_columns
from modelcompare.readers.messages import as_options
from modelcompare.readers.options import Columns
from modelcompare.readers.profile import Profile
from modelcompare.readers.role_table import of_plugins
from modelcompare.readers.roles import Roles
from modelcompare.readers.shapes import refuse_ids
from modelcompare.readers.tables import arrow_table
from modelcompare.readers.tabular import wide_predictions

# A column of more distinct labels has no classes.
_MOST_CLASSES = 65_536


class CannotScanError(ValueError):
    """Rows make predictions, but not block by block."""


@dataclass(frozen=True)
class Layout:
    """Rows, the roles of their columns, and the classes: all that predictions are made from.

    Sample names are in the column `id`, if any is; predictions are made without them. The columns'
    types are in `schema`.
    """

    rows: Rows
    columns: Columns
    roles: Roles
    schema: Any
    labels: AnyArray | None = None
    id: str | None = None

    @property
    def where(self) -> str:
        """The rows' name in messages."""
        return self.rows.where

    @property
    def needed(self) -> list[str]:
        """The columns to read."""
        return list(dict.fromkeys([*self.roles.needed, *self.columns.beside_names]))

    @property
    def texts(self) -> list[str]:
        """The columns to read that have texts."""
        import pyarrow as pa

        return [name for name in self.needed if self.schema.field(name).type == pa.string()]

    @property
    def with_names(self) -> list[str]:
        """The columns to read, and that of the samples' names if there is one."""
        return self.needed if self.id is None else list(dict.fromkeys([*self.needed, self.id]))

    def predictions(self, table: Any, first: int = 0) -> Predictions:
        """Make predictions of some rows, the first of which has this number in the source."""
        import pyarrow as pa

        table = table.select(self.needed)
        for name in self.texts:
            place = table.column_names.index(name)
            table = table.set_column(place, name, table[name].cast(pa.string()))
        alone = table.num_rows == 1
        rows = arrow_table(pa.concat_tables([table, table]) if alone else table, self.where)
        with rows_from(first):
            seen = Profile(rows, self.columns, self.where)
            found = wide_predictions(seen, self.roles, name=self.rows.name, known=self.labels)
        return found.predictions.subset([0]) if alone else found.predictions

    def quietly(self, table: Any, first: int = 0) -> Predictions:
        """Make the same predictions without warnings, which the first rows gave already."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            return self.predictions(table, first)

    def ids(self, table: Any) -> AnyArray:
        """Return the sample names of some rows."""
        return cells(table.select([self.id]), self.where)

    def counted(self) -> Any | None:
        """Count distinct rows, if all columns are labels or strata and few rows are distinct.

        The source counts them, many times faster than reading its rows one by one.
        """
        strata = self.columns.strata
        if [*self._of_classes, *([] if strata is None else [strata])] != self.needed:
            return None
        return self.rows.counted(self.needed, int(COLLAPSE_AT * self.rows.n_rows))

    def with_classes(self, counted: Any | None) -> Layout:
        """Return the layout with the classes of all rows, as the first rows may lack some.

        They are read from all rows, or from the distinct rows that were `counted`, unless named.
        """
        named = self._of_classes
        if not named:
            return self
        batches = self.rows.batches(named) if counted is None else counted.to_batches()
        found = conventional(_classes(batches, named))
        given = self.columns.given_labels(None, found)
        return replace(self, labels=found if given is None else given)

    @property
    def _of_classes(self) -> list[str]:
        """The columns of labels: the truth and models without fractions."""
        import pyarrow as pa

        true, kind = self.roles["truth"], self.columns.output_kind
        by_heading = any({*of_model} != {None} for of_model in self.roles.outputs.values())
        named = [
            column for column in self.needed
            if not pa.types.is_floating(self.schema.field(column).type)
            and column not in self.columns.beside_names
        ]  # fmt: skip
        return [] if by_heading or true not in named or kind.real or kind.scored else named

    def answers(self, shown: Predictions, counted: Any | None) -> dict[str, Answers]:
        """Count pairs of true and predicted labels of each model that gave labels.

        The counted rows have `shown` them; otherwise they are counted for each model.
        """
        if counted is not None:
            return answers_of(shown, _times(counted))
        found: dict[str, Answers] = {}
        for model in [model for model, kind in shown.access.kinds.items() if kind.coded]:
            alone = self.of_models([model])
            found |= answers_of(*alone.distinct(self.rows.counted(alone.needed, self.rows.n_rows)))
        return found

    def distinct(self, counted: Any) -> tuple[Predictions, IntArray]:
        """Return predictions of distinct rows, and the multiplicity of each."""
        return self.quietly(counted), _times(counted)

    def settled(self, shown: Predictions) -> Layout:
        """Return the layout with the classes and output types of some rows."""
        for model, kind in shown.access.kinds.items():
            if kind.name not in KINDS:
                raise CannotScanError(
                    f"{self.where}: model {model!r} gave {kind}, and a scan reads "
                    f"{', '.join(KINDS)}; read it whole with read_predictions."
                )
        kinds = {*shown.access.kinds.values()}
        declared: Any = kinds.pop().name if len(kinds) == 1 else self.columns.kind
        columns = replace(self.columns, kind=declared)
        return replace(self, columns=columns, labels=shown.labels)

    def of_models(self, models: Sequence[str]) -> Layout:
        """Return the layout of some of the models."""
        outputs = {model: self.roles.outputs[model] for model in models}
        return replace(self, roles=replace(self.roles, outputs=outputs))


def find_layout(rows: Rows, columns: Columns) -> tuple[Layout, Any]:
    """Find the roles of the columns, as named or by the first rows, and return these rows.

    Raises
    ------
    CannotScanError
        If it takes all rows to make predictions of them.
    """
    where = rows.where
    checks.check_size(rows.n_rows)
    if columns.models is None:
        # Any such column may be a model.
        rows.check_alike(None)
    try:
        table = next(rebatch(rows.batches(rows.columns), ROW_BLOCK))
    except ValueError:
        rows.check_alike(rows.columns)
        raise
    seen = profile_of(arrow_table(table, where), columns, where, of_folders=rows.of_folders)
    held = [*filter(None, (what_of(seen.frame) for what_of in plugs.rows("whole")))]
    if with_changes(seen) is not seen:
        held.append("columns that are one, as of labels in sets, or of times and events")
    if held:
        raise CannotScanError(
            f"{where} has {' and '.join(held)}, which a scan does not read; read it whole with "
            "read_predictions."
        )
    if with_class_columns(seen, alone=True) is not seen:
        raise CannotScanError(
            f"{where} has probabilities in lists, or under other headings than model:class, which "
            "a scan needs for each. Write them so, or read it whole with read_predictions."
        )
    try:
        refuse_others(seen)
    except ValueError as error:
        raise CannotScanError(str(error)) from None
    roles = find_roles(seen, alone=True)
    _refuse_long(roles, where)
    _refuse_sets(rows, roles["set"])
    checks.check_model_names(roles.outputs)
    layout = Layout(rows, columns, roles.without("id"), table.schema, id=roles["id"])
    rows.check_alike([*layout.with_names, *_like_models(rows, seen, roles["truth"])])
    _check_ids(rows, columns, roles["id"])
    _check_repeats(rows, seen, roles)
    return layout, table


def _refuse_long(roles: Roles, where: str) -> None:
    """Refuse a row for each model and sample, and several rows of a sample."""
    if not roles.wide:
        raise CannotScanError(
            f"{where} has a row for each model and sample, or is of one model; a scan needs a row "
            "for each sample, and a column for each model or 'model:class'. Pivot it, or read it "
            "whole with read_predictions."
        )
    run = roles["run"]
    if run is not None:
        raise CannotScanError(
            f"{where} has several runs of a sample (column {run!r}), which a scan reads only "
            f"where they are named (--read run={run}); read it whole with read_predictions."
        )


def _like_models(rows: Rows, seen: Profile, true: str | None) -> list[str]:
    """Return columns that are left out as folders' names, and could be models, as b in b=1."""
    of_folders = rows.of_folders if seen.columns.models is None else []
    return [
        column
        for column in of_folders
        if seen.is_real(column) or (true not in (None, column) and seen.could_be_of(column, true))
    ]


def _check_ids(rows: Rows, columns: Columns, found: str | None) -> None:
    """Refuse repeated ids in all rows, of which the roles saw the first, by the same rules."""
    if columns.id is not None:
        check_names(rows, columns.id)
        return
    declared = columns.groups is not None or columns.runs is not None
    # Distinct texts under another name need not name the samples.
    if found is not None and names.plain(found) in names.ID and not declared:
        check_names(rows, found, partial(_refuse_repeated, rows.where, found))


def _check_repeats(rows: Rows, seen: Profile, roles: Roles) -> None:
    """Refuse rows that hold samples several times, by all rows, of which the roles saw the first.

    As for names, up to ten million rows are compared.
    """
    true, others = roles["truth"], roles.of(*of_plugins())
    alone = roles["id"] is None and seen.columns.groups is None
    if true is None or not alone or not ROW_BLOCK < rows.n_rows <= MOST_NAMES:
        return
    if others or seen.is_real(true):
        read = rows.batches([true, *others])
        parts = [arrow_table(part, rows.where) for part in rebatch(read, ROW_BLOCK)]
        check_rows(seen.holding(pd.concat(parts, ignore_index=True)), roles.without("set"))


def _refuse_repeated(where: str, heading: str, ids: AnyArray) -> None:
    """Refuse repeated ids among those that may be repeated."""
    held = pd.Series(ids)
    repeated = held[held.duplicated()].unique()
    if len(repeated):
        refuse_ids(where, heading, repeated)


def _refuse_sets(rows: Rows, column: str | None) -> None:
    """Refuse rows of several test sets, which are compared one by one."""
    if column is not None and rows.counted([column], 1) is None:
        raise CannotScanError(
            f"{rows.where} has several test sets (column {column!r}), which a scan does not read; "
            "read them whole with read_sets (without --read scan), or if the column only "
            f"describes the samples pass {as_options(strata=column)}."
        )


def _times(counted: Any) -> IntArray:
    times: IntArray = counted[TIMES].to_numpy().astype(np.intp)
    return times


def _classes(batches: Iterable[Any], columns: Sequence[str]) -> AnyArray:
    """Return all labels in some columns, sorted."""
    import pyarrow as pa

    found: dict[str, list[Any]] = {column: [] for column in columns}
    for batch in batches:
        for column, known in found.items():
            both = pa.chunked_array([*known, batch[column]])
            found[column] = [both.unique()]
            if len(found[column][0]) > _MOST_CLASSES:
                raise ValueError(
                    f"column {column!r} has more than {_MOST_CLASSES:,} different labels; if "
                    "they are values or texts pass kind='values' or 'texts' (--kind values)."
                )
    arrays = same_types(
        [cells(pa.table({c: known.drop_null()}), c) for c, (known,) in found.items()]
    )
    return checks.distinct(np.concatenate(arrays), f"column {columns[0]!r} or a model")
