"""Test sets of one source: the one that is asked for, or each by its name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import pandas as pd

from modelcompare.readers.messages import as_options
from modelcompare.readers.options import Columns
from modelcompare.readers.profile import Profile
from modelcompare.readers.reading import Reading, record_predictions
from modelcompare.readers.records import Records, chosen_part, names_in, part_of
from modelcompare.readers.roles import Roles
from modelcompare.readers.tabular import wide_predictions
from modelcompare.spelling import chosen


@dataclass(frozen=True)
class WideSets:
    """A table with a column for each model, and one that names the test set of each sample."""

    seen: Profile
    roles: Roles

    @property
    def column(self) -> str:
        """The column of the test sets."""
        return self.roles.found["set"].heading

    @property
    def names(self) -> Records:
        """The test set of each row, as records without results."""
        return Records(frame=pd.DataFrame({"set": self.seen.frame[self.column]}))

    def whole(self, name: str | None) -> Reading:
        """Read all rows as one test set."""
        return wide_predictions(self.seen, self.roles, name=name)

    def only(self, wanted: str | None, name: str | None) -> Reading:
        """Read the test set named, or the only one."""
        try:
            rows = chosen_part(self.names, "set", wanted).frame
        except ValueError as error:
            if wanted is not None:
                raise
            column = self.column
            raise ValueError(
                f"{self.seen.where}: {str(error).removesuffix('.')}; if column {column!r} only "
                f"describes the samples pass {as_options(slices=[column])} or "
                f"{as_options(strata=column)}."
            ) from None
        return self._of_rows(rows.index, name)

    def each(self) -> dict[str, Reading]:
        """Read each test set, by its name."""
        lacking = self.seen.frame[self.column].isna()
        if lacking.any():
            raise ValueError(
                f"{self.seen.where}: column {self.column!r} names no test set in "
                f"{lacking.sum():,} rows; name one there, or leave these rows out."
            )
        known = names_in(self.names, "set")
        return {name: self._of_rows(part_of(self.names, "set", name).frame.index, name)
                for name in known}  # fmt: skip

    def _of_rows(self, rows: pd.Index[int], name: str | None) -> Reading:
        """Read some rows, and the models that have results there."""
        columns = replace(self.seen.columns, set=None)
        part = self.seen.holding(self.seen.frame.loc[rows].reset_index(drop=True), columns)
        held = {
            model: outputs for model, outputs in self.roles.outputs.items()
            if any(len(part.present(heading)) for heading in outputs.values())
        }  # fmt: skip
        return wide_predictions(part, replace(self.roles, outputs=held or self.roles.outputs),
                                name=name)  # fmt: skip


Content: TypeAlias = Reading | Records | WideSets


def wide_content(seen: Profile, roles: Roles, name: str | None) -> Reading | WideSets:
    """Read a table with a column for each model, unless it has, or may have, several test sets."""
    column = roles["set"]
    if column is None:
        return wide_predictions(seen, roles, name=name)
    several = seen.columns.set is not None or seen.present(column).nunique() > 1
    return WideSets(seen, roles) if several else wide_predictions(seen, roles, name=name)


def reading_of_one(content: Content, columns: Columns, name: str | None) -> Reading:
    """Read the test set that `columns` names, or the only one."""
    if isinstance(content, Reading):
        return content
    if isinstance(content, WideSets):
        return content.only(columns.set, name)
    return record_predictions(chosen_part(content, "set", columns.set), columns, name=name)


def readings_of_each(content: Content, columns: Columns) -> dict[str, Reading]:
    """Read each of several test sets, by its name."""
    sets = []
    if isinstance(content, Records):
        names_in(content, "filter", columns.filter)
        sets = names_in(content, "set")
    elif isinstance(content, WideSets):
        sets = names_in(content.names, "set")
    if isinstance(content, Reading) or len(sets) < 2:
        raise ValueError(
            "the source has only one test set; compare its models with `compare`, or in subgroups "
            "with `modelcompare groups --by COLUMN`."
        )
    if isinstance(content, WideSets):
        return content.each()
    found_sets, asked = {}, columns.models
    if asked and "model" in content.frame:
        asked = (*chosen([*content.frame["model"].dropna().unique()], asked, "the test sets"),)
    for name in sets:
        part = part_of(content, "set", name)
        if asked and "model" in part.frame:
            # A set may lack some of the models.
            own = tuple(model for model in asked if (part.frame["model"] == model).any())
            columns = replace(columns, models=own or asked)
        # The filter of one set may not exist in another, which then has one filter.
        of_set = columns if len(names_in(part, "filter")) > 1 else replace(columns, filter=None)
        found_sets[name] = record_predictions(part, of_set, name=name)
    return found_sets
