"""Tables that name the test set of each sample: the one that is asked for, or the only one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import pandas as pd

from modelcompare.readers.messages import as_options
from modelcompare.readers.options import Columns
from modelcompare.readers.profile import Profile
from modelcompare.readers.reading import Reading, record_predictions
from modelcompare.readers.records import Records, chosen_part
from modelcompare.readers.roles import Roles
from modelcompare.readers.tabular import wide_predictions


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
        return self.of_rows(rows.index, name)

    def of_rows(self, rows: pd.Index[int], name: str | None) -> Reading:
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
