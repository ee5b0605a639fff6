"""Options of reading a source: roles of columns, and the treatment of missing results."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NoReturn, TypeAlias

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.data.checks import rows_text
from modelcompare.data.kinds import Kind, all_kinds, kind_declared
from modelcompare.data.positive import conventional
from modelcompare.data.predictions import Predictions
from modelcompare.data.scores import Range
from modelcompare.directions import resolved
from modelcompare.readers.beside import all_beside, substitutes
from modelcompare.readers.cell_types import (
    MISSING_MARKS,
    Column,
    as_numbers,
    column_array,
    missing_mask,
    typed_labels,
)
from modelcompare.readers.messages import ONE_COLUMN, as_options, option
from modelcompare.readers.tables import column_at
from modelcompare.spelling import meant
from modelcompare.words import Annotators, MissingRead, SameIds

# Columns of a model's outputs by content: None for labels, values or texts, a class for its
# probabilities, the name of a score.
Outputs: TypeAlias = Mapping[str | None, str]
# Columns that no table has: the run of a model with separate runs, and the item of a run's row.
OWN_RUN, ITEM = " own run", " item"
# Sign between columns that are one together, as in ``date+place``.
AND = "+"


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Roles of columns, and the treatment of missing and unusual cells."""

    true: str | None = None
    event: str | None = None  # 1 for samples with an event at the true time, 0 if censored
    id: str | None = None
    groups: str | None = None
    strata: str | None = None
    runs: str | None = None
    weight: str | None = None
    judge: str | None = None
    label_weight: str | None = None
    annotators: Annotators = "each"
    pred: str | None = None
    model: str | None = None
    slices: tuple[str, ...] = ()
    described: tuple[str, ...] = ()  # those of the slices that are no subgroups
    models: tuple[str, ...] | None = None
    greater_is_better: bool | None = None
    directs_functions: bool = False  # the direction applies to functions, not only to scores
    bounds: Range | None = None
    score: tuple[str, ...] = ()
    set: str | None = None
    filter: str | None = None
    na: tuple[str, ...] | None = None
    ids: SameIds = "same"
    missing: MissingRead = "refuse"
    normalize: bool = False
    kind: str = "auto"
    labels: tuple[str, ...] | None = None
    positive: str | None = None
    declared: tuple[tuple[str, ...], ...] = ()  # orders of the classes that archives declare
    battles: tuple[str, ...] | None = None  # columns of two models, and of the winner
    people: tuple[str, ...] = ()  # columns of labels that the pattern `true` names
    # Columns by option and model, of patterns with a place for the model's name.
    by_model: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def named(self) -> dict[str, str]:
        """Columns that the user named, by role."""
        return {role: getattr(self, role) for role in ONE_COLUMN if getattr(self, role) is not None}

    @property
    def by_pattern(self) -> list[str]:
        """Columns that patterns name: labels by people, a column for each model."""
        return [*self.people, *(name for own in self.by_model.values() for name in own.values())]

    @property
    def substitutes(self) -> dict[str, list[str]]:
        """Columns that stand for results that are missing, by their option."""
        found = {name: [heading] for name, heading in self.named.items()}
        found |= {name: [*own.values()] for name, own in self.by_model.items()}
        return {each.option: found[each.option] for each in substitutes() if each.option in found}

    @property
    def beside_names(self) -> list[str]:
        """Columns that describe the samples, besides their ids."""
        known = all_beside()
        roles = [name for role, name in self.named.items() if role in known]
        return list(dict.fromkeys([*roles, *self.slices, *self.by_pattern]))

    def beside(self, frame: pd.DataFrame) -> dict[str, Any]:
        """Return the columns that describe the samples, as arguments of Predictions."""
        known = all_beside()
        roles = {role: frame[name] for role, name in self.named.items() if role in known}
        for role in ("groups", "strata"):
            if role in roles:
                self._refuse_marks(role, roles[role])
        found: dict[str, Any] = {known[role].argument: column_array(roles[role]) for role in roles}
        for role, own in self.by_model.items():
            found[known[role].argument] = {m: column_array(frame[name]) for m, name in own.items()}
        return found | {"slices": frame[list(self.slices)] if self.slices else None}

    def marks(self, headings: Iterable[str]) -> Collection[str]:
        """Return the marks of a missing cell: those given, or usual ones that are no classes."""
        classes = {heading.rpartition(":")[2] for heading in headings if ":" in heading}
        return MISSING_MARKS - classes - {*(self.labels or ())} if self.na is None else self.na

    def direction(self, name: str | None = None) -> bool | None:
        """Return the direction of scores, as given or by the name of one, or None."""
        return resolved(name, self.greater_is_better)[0]

    def refuse_beside(
        self, used: Collection[str], what: str, remedies: Mapping[str, str] | None = None
    ) -> None:
        """Refuse options without effect on a table, with the remedy where there is one."""
        for name in (each.name for each in fields(self) if each.name not in used):
            self._refuse(name, what, (remedies or {}).get(name, "leave it out"))

    def _refuse(self, name: str, what: str, remedy: str = "leave it out") -> None:
        """Refuse an option that was given."""
        if getattr(self, name) != getattr(_NONE, name):
            raise ValueError(f"{what}, for which {option(name)} has no meaning; {remedy}.")

    def _refuse_marks(self, role: str, column: Column) -> None:
        """Refuse clusters and strata named like a mark of a missing cell."""
        bad = missing_mask(column, MISSING_MARKS if self.na is None else self.na)
        if bad.any():
            mark = str(column[bad].iloc[0])
            raise ValueError(
                f"column {column.name!r} of {role} has {mark!r} in {rows_text(bad)}; if it is "
                f"missing fill it in, if {mark!r} names one of the {role} pass na=[''] "
                "(--read na='')."
            )

    @property
    def output_kind(self) -> Kind:
        """Output type as declared, without any properties if it is not."""
        return kind_declared(self.kind)

    def given_labels(self, found: AnyArray | None, truth: AnyArray | None) -> AnyArray | None:
        """Return the classes, those of probabilities or named, of the true labels' type; or None.

        Their order is that of `labels`, or else of the archive that declares them.
        """
        order = self.labels
        if order is None:
            order = self._declared_order(truth if found is None else found)
        if found is None:
            return None if order is None else typed_labels([*order], truth)
        if order is None:
            # Numbers that columns are of, such as times, are texts here.
            by = as_numbers(found) if self.output_kind.axis else found
            return conventional(found[np.argsort(by, kind="stable")])
        place = {str(label): k for k, label in enumerate(found.tolist())}
        if {*place} != {*order}:
            raise ValueError(
                f"labels (--read labels) are {', '.join(order)}, but the probabilities are "
                f"of {', '.join(place)}; the classes must be the same."
            )
        return found[[place[label] for label in order]]

    def _declared_order(self, labels: AnyArray | None) -> tuple[str, ...] | None:
        """Return the order in which archives declare classes with these labels, or None."""
        if not self.declared or labels is None:
            return None
        held = {*map(str, np.unique(labels.astype(str)).tolist())}
        orders = [order for order in self.declared if held <= {*order}]
        if len({*orders}) > 1:
            shown = " and ".join(", ".join(order) for order in orders[:2])
            raise ValueError(
                f"archives have the classes in different orders ({shown}); name the order, as "
                f"{as_options(labels=orders[0])}."
            )
        return next(iter(orders), None)

    def check_used(self, predictions: Predictions, *, in_rows: bool = False) -> None:
        """Refuse options without effect on what was read."""
        given = {kind.name for kind in predictions.access.kinds.values()}
        gave = f"the models gave {', '.join(sorted(given))}"
        if not predictions.kind.scored:
            scored = "leave it out, or pass kind='scores' (--kind scores)"
            for name in ("bounds", *(() if self.directs_functions else ("greater_is_better",))):
                self._refuse(name, gave, scored)
        own = {role for kind in all_kinds().values() for role in kind.columns}
        for name in own.difference(predictions.kind.columns):
            self._refuse(name, gave)
        if predictions.labels is None:
            self._refuse("labels", gave)
            self._refuse("positive", gave)
        if not self.people:
            one = "the truth is a column of labels"
            self._refuse("annotators", one, "name those of several people, as true='ann*'")
        for name in () if in_rows else ("set", "filter", "ids"):
            self._refuse(name, "each row is a sample of one file")
        if not in_rows:
            models = "leave it out, or name the models (--model)"
            self._refuse("score", "each row is a sample, not a result of one model", models)


_NONE = Columns()


def with_named(frame: pd.DataFrame, columns: Columns, where: str) -> pd.DataFrame:
    """Add the named columns that are inside objects, and refuse unknown names."""
    wanted = dict.fromkeys([*columns.named.values(), *columns.slices, *columns.score])
    reached = {name: column_of(frame, name, where) for name in wanted if name not in frame.columns}
    return frame.assign(**reached) if reached else frame


def column_of(frame: pd.DataFrame, name: str, where: str) -> Column:
    """Return a named column, which may be inside objects, or join several; refuse an unknown one.

    Examples
    --------
    >>> frame = pd.DataFrame({"case": ["a", "b"], "turn": [1, 1]})
    >>> column_of(frame, "case+turn", "the table").tolist()
    ['a, 1', 'b, 1']
    """
    found, several = column_at(frame, name), name.split(AND)
    if found is None and len(several) > 1 and {*several} <= {*frame.columns}:
        cells = zip(*(frame[each].astype(str) for each in several), strict=True)
        joined = pd.Series([*map(", ".join, cells)], index=frame.index, name=name, dtype=object)
        return joined.where(frame[several].notna().all(axis=1))
    if found is None:
        refuse_column(name, [str(column) for column in frame.columns], where)
    return found


def refuse_column(wanted: str, names: Sequence[str], where: str) -> NoReturn:
    """Refuse an unknown column, and list the columns."""
    raise ValueError(f"{where} has no column {wanted!r}; there are {meant(wanted, names)}.")
