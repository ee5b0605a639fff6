"""Options of reading a source: roles of columns, and how to treat what does not fit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.data.checks import rows_text
from modelcompare.data.predictions import Predictions
from modelcompare.data.scores import Range
from modelcompare.directions import direction_of
from modelcompare.readers.cell_types import (
    MISSING_MARKS,
    column_array,
    marked,
    typed_labels,
)
from modelcompare.readers.tables import nested
from modelcompare.spelling import meant
from modelcompare.words import KindOrAuto, MissingResults, SameIds

ROLES = ("true", "id", "groups", "strata", "runs", "weight", "pred", "model_column")


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Roles of columns, and how to treat cells that do not fit."""

    true: str | None = None
    id: str | None = None
    groups: str | None = None
    strata: str | None = None
    runs: str | None = None
    weight: str | None = None
    pred: str | None = None
    model_column: str | None = None
    slices: tuple[str, ...] = ()
    models: tuple[str, ...] | None = None
    scores: bool = False
    lower_is_better: bool | None = None
    directs_functions: bool = False  # the direction is for functions too, or for them alone
    bounds: Range | None = None
    score: tuple[str, ...] = ()
    set: str | None = None
    filter: str | None = None
    na: tuple[str, ...] | None = None
    ids: SameIds = "same"
    missing: MissingResults = "refuse"
    normalize: bool = False
    kind: KindOrAuto = "auto"
    labels: tuple[str, ...] | None = None

    @property
    def named(self) -> dict[str, str]:
        """Columns that the user named, by role."""
        return {role: getattr(self, role) for role in ROLES if getattr(self, role) is not None}

    @property
    def beside_names(self) -> list[str]:
        """Columns that describe the samples, besides their ids."""
        roles = (self.groups, self.strata, self.runs, self.weight)
        return list(dict.fromkeys([*(name for name in roles if name is not None), *self.slices]))

    def beside(self, frame: pd.DataFrame) -> dict[str, Any]:
        """Columns that describe the samples of a table, as arguments of Predictions."""
        roles = {
            "groups": self.groups, "strata": self.strata, "runs": self.runs,
            "sample_weight": self.weight,
        }  # fmt: skip
        for role in ("groups", "strata"):
            if roles[role] is not None:
                self._refuse_marks(role, frame[roles[role]])
        found: dict[str, Any] = {
            role: column_array(frame[name]) for role, name in roles.items() if name is not None
        }
        return found | {"slices": frame[list(self.slices)] if self.slices else None}

    def marks(self, headings: Iterable[str]) -> Collection[str]:
        """Marks of a missing cell: those told, or the usual ones that are no classes."""
        classes = {heading.rpartition(":")[2] for heading in headings if ":" in heading}
        return MISSING_MARKS - classes - {*(self.labels or ())} if self.na is None else self.na

    def greater_is_better(self, name: str | None = None) -> bool | None:
        """Direction of a score as it was told or its name says; None where neither does."""
        if self.told_better is not None or name is None:
            return self.told_better
        return direction_of(name)

    @property
    def told_better(self) -> bool | None:
        """Direction of the scores as it was told."""
        return None if self.lower_is_better is None else not self.lower_is_better

    def _refuse_marks(self, role: str, column: pd.Series[Any]) -> None:
        """Refuse clusters and strata that are named as missing cells are written."""
        bad = marked(column, MISSING_MARKS if self.na is None else self.na)
        if bad.any():
            mark = str(column[bad].iloc[0])
            raise ValueError(
                f"column {column.name!r} of {role} holds {mark!r} in {rows_text(bad)}; if it is "
                f"missing fill it in, if {mark!r} names one of the {role} pass na=[''] "
                "(--read na='')."
            )

    def told_labels(self, found: AnyArray | None, truth: AnyArray | None) -> AnyArray | None:
        """The classes told, of the true labels' type; those of headings keep their order."""
        if self.labels is None:
            return found
        if found is not None and {*map(str, found)} != {*self.labels}:
            raise ValueError(
                f"labels (--read labels) are {', '.join(self.labels)}, but the probabilities are "
                f"of {', '.join(map(str, found))}; the classes must be the same."
            )
        return typed_labels([*self.labels], truth) if found is None else found

    def check_used(self, predictions: Predictions, *, in_rows: bool = False) -> None:
        """Refuse options that change nothing about what was read."""
        kinds = {predictions.output(model).kind for model in predictions.models}
        gave = f"but the models gave {', '.join(sorted(kinds))}; leave it out"
        of_scores = f"is for scores per example, {gave}, or pass scores=True (--read scores)."
        of_rows = (
            "chooses rows of logs and of tables with a row for each model and sample, which this "
            "is not; leave it out."
        )
        directs_scores = self.lower_is_better is not None and not self.directs_functions
        are_scores = kinds == {"scores"}
        useless = {
            f"lower_is_better (--lower-is-better) {of_scores}": directs_scores and not are_scores,
            f"bounds (--read range) {of_scores}": self.bounds is not None and not are_scores,
            f"labels (--read labels) names classes, {gave}.":
                self.labels is not None and predictions.labels is None,
            f"set (--read set) {of_rows}": self.set is not None and not in_rows,
            f"filter (--read filter) {of_rows}": self.filter is not None and not in_rows,
            "score (--read score) names scores in logs and in tables of one row for each model and "
            "sample, which this is not; leave it out, or name the models (--model).":
                bool(self.score) and not in_rows,
            "ids='intersect' (--read ids=intersect) keeps what several files share, but there is "
            "one; leave it out.": self.ids == "intersect" and not in_rows,
        }  # fmt: skip
        for what in (text for text, is_so in useless.items() if is_so):
            raise ValueError(what)


def with_named(frame: pd.DataFrame, columns: Columns, where: str) -> pd.DataFrame:
    """A table that has every column that was named, those inside of objects too."""
    wanted = [*columns.named.values(), *columns.slices]
    reached = {}
    for name in dict.fromkeys([*wanted, *columns.score]):
        if name not in frame.columns:
            found = nested(frame, name)
            if found is not None:
                reached[name] = found
            elif name in wanted:
                refuse_column(name, [str(column) for column in frame.columns], where)
    return frame.assign(**reached) if reached else frame


def refuse_column(wanted: str, names: Sequence[str], where: str) -> NoReturn:
    """Refuse a name that is no column's, and list the columns."""
    raise ValueError(f"{where} has no column {wanted!r}; there are {meant(wanted, names)}.")
