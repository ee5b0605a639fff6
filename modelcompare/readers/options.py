"""Options of reading a source: roles of columns, and the treatment of missing results."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NoReturn

import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.data.checks import rows_text
from modelcompare.data.predictions import Predictions
from modelcompare.data.scores import Range
from modelcompare.data.survival import SURVIVAL
from modelcompare.directions import direction_of
from modelcompare.readers.cell_types import (
    MISSING_MARKS,
    column_array,
    marked,
    typed_labels,
)
from modelcompare.readers.tables import nested
from modelcompare.spelling import meant
from modelcompare.words import Annotators, KindOrAuto, MissingResults, SameIds

# Arguments of Predictions that describe the samples, besides their ids, by role.
BESIDE = {
    "groups": "groups", "strata": "strata", "runs": "runs", "weight": "sample_weight",
    "judge": "judge", "label_weight": "label_weight",
}  # fmt: skip
# Columns that no table has: the run of a model with separate runs, and the item of a run's row.
OWN_RUN, ITEM = " own run", " item"
ROLES = ("true", "event", "id", *BESIDE, "pred", "model_column")


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
    model_column: str | None = None
    slices: tuple[str, ...] = ()
    models: tuple[str, ...] | None = None
    scores: bool = False
    lower_is_better: bool | None = None
    directs_functions: bool = False  # the direction applies to functions, not only to scores
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
    battles: tuple[str, ...] | None = None  # columns of two models, and of the winner
    people: tuple[str, ...] = ()  # columns of labels that the pattern `true` names
    verdicts: Mapping[str, str] = field(default_factory=dict)  # by model, of the pattern `judge`

    @property
    def named(self) -> dict[str, str]:
        """Columns that the user named, by role."""
        return {role: getattr(self, role) for role in ROLES if getattr(self, role) is not None}

    @property
    def by_pattern(self) -> list[str]:
        """Columns that patterns name: labels by people, a judge's verdicts on each model."""
        return [*self.people, *self.verdicts.values()]

    @property
    def judged(self) -> list[str]:
        """Columns of a judge."""
        return [*self.verdicts.values()] if self.judge is None else [self.judge]

    @property
    def beside_names(self) -> list[str]:
        """Columns that describe the samples, besides their ids."""
        roles = [name for role, name in self.named.items() if role in BESIDE]
        return list(dict.fromkeys([*roles, *self.slices, *self.by_pattern]))

    def beside(self, frame: pd.DataFrame) -> dict[str, Any]:
        """Return the columns that describe the samples, as arguments of Predictions."""
        roles = {role: frame[name] for role, name in self.named.items() if role in BESIDE}
        for role in ("groups", "strata"):
            if role in roles:
                self._refuse_marks(role, roles[role])
        found: dict[str, Any] = {BESIDE[role]: column_array(roles[role]) for role in roles}
        if self.verdicts:
            found["judge"] = {m: column_array(frame[name]) for m, name in self.verdicts.items()}
        return found | {"slices": frame[list(self.slices)] if self.slices else None}

    def marks(self, headings: Iterable[str]) -> Collection[str]:
        """Return the marks of a missing cell: those given, or usual ones that are no classes."""
        classes = {heading.rpartition(":")[2] for heading in headings if ":" in heading}
        return MISSING_MARKS - classes - {*(self.labels or ())} if self.na is None else self.na

    def greater_is_better(self, name: str | None = None) -> bool | None:
        """Return the direction of a score, as given or by its name, or None."""
        if self.given_direction is not None or name is None:
            return self.given_direction
        return direction_of(name)

    @property
    def given_direction(self) -> bool | None:
        """Direction of the scores as given."""
        return None if self.lower_is_better is None else not self.lower_is_better

    def refuse_others(self, used: Collection[str], what: str) -> None:
        """Refuse options other than those `used` of a source, which `what` describes."""
        plain = Columns()
        other = [
            each.name for each in fields(self)
            if each.name not in used and each.name != "directs_functions"
            and getattr(self, each.name) != getattr(plain, each.name)
        ]  # fmt: skip
        if other:
            raise ValueError(f"{what}, for which {', '.join(other)} does not apply; leave it out.")

    def _refuse_marks(self, role: str, column: pd.Series[Any]) -> None:
        """Refuse clusters and strata named like a mark of a missing cell."""
        bad = marked(column, MISSING_MARKS if self.na is None else self.na)
        if bad.any():
            mark = str(column[bad].iloc[0])
            raise ValueError(
                f"column {column.name!r} of {role} has {mark!r} in {rows_text(bad)}; if it is "
                f"missing fill it in, if {mark!r} names one of the {role} pass na=[''] "
                "(--read na='')."
            )

    def given_labels(self, found: AnyArray | None, truth: AnyArray | None) -> AnyArray | None:
        """Return the classes that `labels` names, of the true labels' type, or those found."""
        if self.labels is None:
            return found
        if found is not None and {*map(str, found)} != {*self.labels}:
            raise ValueError(
                f"labels (--read labels) are {', '.join(self.labels)}, but the probabilities are "
                f"of {', '.join(map(str, found))}; the classes must be the same."
            )
        return typed_labels([*self.labels], truth) if found is None else found

    def check_used(self, predictions: Predictions, *, in_rows: bool = False) -> None:
        """Refuse options without effect on what was read."""
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
            f"event (--read event) is for times until an event, {gave}.":
                self.event is not None and kinds.isdisjoint(SURVIVAL),
            f"labels (--read labels) names classes, {gave}.":
                self.labels is not None and predictions.labels is None,
            f"set (--read set) {of_rows}": self.set is not None and not in_rows,
            f"filter (--read filter) {of_rows}": self.filter is not None and not in_rows,
            "score (--read score) names scores in logs and in tables of one row for each model and "
            "sample, which this is not; leave it out, or name the models (--model).":
                bool(self.score) and not in_rows,
            "annotators (--annotators) is for several people, as true='ann*'; leave it out.":
                self.annotators != "each" and not self.people,
            "ids='intersect' (--read ids=intersect) keeps what several files share, but there is "
            "one; leave it out.": self.ids == "intersect" and not in_rows,
        }  # fmt: skip
        for what in (text for text, is_so in useless.items() if is_so):
            raise ValueError(what)


def with_named(frame: pd.DataFrame, columns: Columns, where: str) -> pd.DataFrame:
    """Add the named columns that are inside objects, and refuse unknown names."""
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
    """Refuse an unknown column, and list the columns."""
    raise ValueError(f"{where} has no column {wanted!r}; there are {meant(wanted, names)}.")
