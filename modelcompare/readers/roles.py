"""Which column of a table is what: by what was told, by usual names, and by content.

What these leave open is refused, with the options that settle it: a column that is wrongly taken
for a model, or a model that is wrongly left out, would be an answer to another question.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from modelcompare import spelling
from modelcompare.readers import cells, names
from modelcompare.readers.asked import Columns, refuse_column
from modelcompare.readers.records import PROBABILITY
from modelcompare.readers.tables import Table

Layout = Literal["wide", "long", "one model"]
# Fewer rows show nothing: by chance all values of a column differ, or none is a true label.
_FEW_ROWS = 10
# Less of a model's labels than this is a true label of some sample only by accident.
_SHARED = 0.5
# So many classes with hardly two samples each are texts, or need to be told.
_MANY_CLASSES = 50


@dataclass(frozen=True)
class Roles:
    """The columns of a table by what they hold; `outputs` are those of models, or of one."""

    layout: Layout
    true: str | None
    id: str | None
    outputs: tuple[str, ...]
    model: str | None = None
    run: str | None = None
    set: str | None = None
    filter: str | None = None
    scored: bool = False
    left_out: tuple[str, ...] = field(default=())


def find_roles(table: Table, columns: Columns, where: str, *, alone: bool) -> Roles:
    """The roles of a table's columns; `alone` if it holds all models, and not one of several."""
    seen = _Seen(table, columns, where)
    model = columns.model_column or seen.first(names.MODEL)
    if alone and model is not None and seen.is_long(model):
        return seen.long(model)
    if not alone or seen.is_one_model():
        return seen.one_model()
    return seen.wide()


class _Seen:
    """A table, what was said of it, and what is found out about its columns."""

    def __init__(self, table: Table, columns: Columns, where: str) -> None:
        self.frame, self.written = table.frame, table.written
        self.columns, self.where = columns, where
        self.headings = [str(heading) for heading in self.frame.columns]
        self.told = {*columns.named.values(), *columns.slices}
        self.marks: Collection[str] = (
            cells.MISSING_MARKS if columns.na is None else frozenset(columns.na)
        )

    def first(self, usual: tuple[str, ...]) -> str | None:
        """The first column with a usual name that was not told to be something else."""
        return next((h for h in names.named(self.headings, usual) if h not in self.told), None)

    # -- the three layouts ------------------------------------------------------------------

    def is_long(self, model: str) -> bool:
        """Whether a column names the model that each row is of."""
        if self.columns.model_column is not None:
            return True
        if any(heading.partition(":")[0] == model for heading in self.headings if ":" in heading):
            return False
        held = self.frame[model]
        truth = self._truth()
        if truth is not None and truth != model and self._overlap(model, truth) >= _SHARED:
            return False
        # A name in each row, and rows of the same model: numbers in it are a model's scores.
        return held.nunique() < len(held) and cells.share_of_numbers(held, self.marks) < 1

    def long(self, model: str) -> Roles:
        """Roles where each row is of one model."""
        run = self.columns.runs or self.first(names.RUN)
        test_set = self.first(names.SET)
        taken = {model, run, test_set}
        found = self._of_one(taken)
        keys = [c for c in (model, test_set, run, found.filter) if c is not None]
        identity = found.id or self._key_beside(keys, {*taken, found.true, *found.outputs})
        return Roles(
            "long", found.true, identity, found.outputs, model, run, test_set, found.filter,
            found.scored, self._rest({*taken, found.true, identity, *found.outputs}),
        )  # fmt: skip

    def is_one_model(self) -> bool:
        """Whether a table that stands alone holds what one model gave."""
        return (
            self.columns.pred is not None
            or "y_pred" in self.headings
            or any(heading.startswith(PROBABILITY) for heading in self.headings)
        )

    def one_model(self) -> Roles:
        """Roles where all rows are of the model that the file is named after."""
        run = self.columns.runs or self.first(names.RUN)
        if run is not None and self.columns.runs is None and self.frame[run].nunique() < 2:
            run = None
        found = self._of_one({run})
        taken = {found.true, found.id, run, *found.outputs}
        return Roles(
            "one model", found.true, found.id, found.outputs, None, run, None, found.filter,
            found.scored, self._rest(taken),
        )  # fmt: skip

    def wide(self) -> Roles:
        """Roles where each model has columns of its own."""
        true = None if self.columns.scores else self._truth()
        if true is not None:
            self._check_labels(true)
        identity = self._identity({true})
        unused = {self._truth()} if self.columns.scores else set()
        special = {true, identity, *self.told, *unused, *self._repeating_ids()} - {None}
        models, left_out = self._models([h for h in self.headings if h not in special], true)
        return Roles("wide", true, identity, tuple(models), left_out=tuple(left_out))

    # -- the truth --------------------------------------------------------------------------

    def _truth(self) -> str | None:
        """The column of true labels, by its name, or by its name and content."""
        if self.columns.true is not None:
            return self.columns.true
        if self.columns.models is not None:
            chosen = {*_matching(self.headings, self.columns.models)}
        else:
            chosen = set()
        free = [h for h in self.headings if h not in self.told | chosen]
        sure = names.named(free, names.TRUE)
        if len(sure) > 1:
            return self._one_truth(sure)
        if sure:
            return sure[0]
        maybe = names.named(free, names.MAYBE_TRUE)
        return self._fitting_truth(maybe) if maybe else None

    def _one_truth(self, named: Sequence[str]) -> str:
        """Of several columns named like the truth, the first, if they all say the same."""
        first = self.frame[named[0]].astype(str)
        for other in named[1:]:
            if not first.equals(self.frame[other].astype(str).rename(first.name)):
                raise ValueError(
                    f"{self.where}: columns {named[0]!r} and {other!r} are both named like the "
                    f"truth, and differ; say which it is with true={named[0]!r} (--true "
                    f"{named[0]}), or name the models with models= (--model)."
                )
        return named[0]

    def _fitting_truth(self, maybe: Sequence[str]) -> str | None:
        """A column that could be the truth by its name, if the others say what it says."""
        others = [h for h in self.headings if h not in {*self.told, *maybe}]
        fits = [h for h in maybe if any(self._could_be_of(o, h) for o in others)]
        if len(fits) > 1:
            return self._one_truth(fits)
        return fits[0] if fits else None

    def _could_be_of(self, heading: str, truth: str) -> bool:
        """Whether a column says what another says, or ranks its two classes by real numbers."""
        if self._overlap(heading, truth) >= _SHARED:
            return True
        two = self._present(truth).nunique() == 2
        return two and self._is_numeric(heading) and self._is_real(heading)

    def _overlap(self, heading: str, truth: str) -> float:
        """Share of a column's cells that hold one of another column's values."""
        held, known = self._present(heading), self._present(truth)
        if not len(held) or held.dtype.kind == "f":
            return 0.0
        if (held.dtype.kind in "iufb") != (known.dtype.kind in "iufb"):
            held, known = held.astype(str), known.astype(str)
        return float(held.isin(known.unique()).mean())

    def _present(self, heading: str) -> pd.Series[Any]:
        column = self.frame[heading]
        return column[~cells.marked(column, self.marks)].dropna().infer_objects()

    def _check_labels(self, true: str) -> None:
        """Refuse free texts as labels, which would make a class of every sample."""
        if self.columns.kind != "auto" or cells.share_of_numbers(self.frame[true], self.marks):
            return
        held = self._present(true)
        n_distinct = held.nunique()
        if n_distinct >= _MANY_CLASSES and n_distinct > len(held) / 2:
            raise ValueError(
                f"{self.where}: column {true!r} holds {n_distinct:,} different texts in "
                f"{len(held):,} rows; if they are texts, not classes, pass kind='texts' (--kind "
                "texts), else kind='labels' (--kind labels)."
            )

    # -- the samples' names -----------------------------------------------------------------

    def _identity(self, taken: Collection[str | None]) -> str | None:
        """The column that names the samples: told, usual, or unlike anything a model gives."""
        if self.columns.id is not None:
            return self.columns.id
        skip = self.told | {*taken} | {*self._chosen()}
        usual = [h for h in names.named(self.headings, names.ID) if h not in skip]
        found = next((h for h in usual if self.frame[h].is_unique), None)
        if found is not None:
            return found
        true = next((t for t in taken if t is not None), None)
        return next(
            (h for h in self.headings if h not in skip and self._names_samples(h, true)), None
        )

    def _names_samples(self, heading: str, true: str | None) -> bool:
        """Whether a column holds another text in each row, and none that is true of a sample."""
        column = self.frame[heading]
        if len(column) < _FEW_ROWS or not column.is_unique or column.isna().any():
            return False
        if cells.share_of_numbers(column, self.marks) > 0:
            return False
        return true is None or self._overlap(heading, true) == 0

    def _repeating_ids(self) -> list[str]:
        """Columns named like an id whose values repeat: they name no samples, and no model."""
        chosen = self._chosen()
        return [h for h in names.named(self.headings, names.ID) if h not in chosen]

    def _chosen(self) -> set[str]:
        wanted = self.columns.models
        return set() if wanted is None else {*_matching(self.headings, wanted)}

    def _key_beside(self, keys: Sequence[str], taken: Collection[str | None]) -> str | None:
        """The column that, beside the model and run, names each row once."""
        usual = names.named(self.headings, names.ID)
        others = [h for h in self.headings if h not in taken and h not in keys and h not in usual]
        for heading in [*usual, *others]:
            if heading in keys or heading in taken or self._is_real(heading):
                continue
            if not self.frame.duplicated([*keys, heading]).any():
                return heading
        if usual and usual[0] not in taken:
            return usual[0]
        raise ValueError(
            f"{self.where} has a row for each model and sample, but no column names the samples "
            "(id, item, ...); say which with id= (--id COLUMN)."
        )

    def _is_real(self, heading: str) -> bool:
        column = self._present(heading)
        if column.dtype.kind == "O" and cells.share_of_numbers(column, ()) == 1:
            column = pd.to_numeric(column)
        return column.dtype.kind == "f" and bool((column % 1 != 0).any())

    # -- what one model gave ----------------------------------------------------------------

    def _of_one(self, taken: Collection[str | None]) -> Roles:
        """Roles among the columns of one model's rows."""
        columns = self.columns
        identity = columns.id or self._usual_id(taken)
        skip = {*taken, identity}
        filters = next((h for h in self.headings if names.plain(h) == "filter"), None)
        soft = [h for h in self.headings if h.startswith(PROBABILITY)]
        true = columns.true or self._truth_of_one({*skip, *soft})
        if true is not None and not columns.scores:
            self._check_labels(true)
        pred = columns.pred or next(
            (h for h in names.named(self.headings, names.PRED) if h not in skip | {true}), None
        )
        for wanted in columns.score:
            if wanted not in self.headings:
                refuse_column(wanted, self.headings, self.where)
        scores = [*columns.score] or [
            h for h in names.named(self.headings, names.SCORE)
            if h not in skip | {true, pred} | self.told and self._is_numeric(h)
        ]  # fmt: skip
        wants_scores = columns.scores or bool(columns.score)
        if wants_scores and not columns.score and pred is not None and self._is_numeric(pred):
            scores = [pred]
        predicts = pred is not None or bool(soft)
        if wants_scores or not predicts or (true is None and bool(scores)):
            outputs = scores or self._only_numbers({*skip, true, pred, filters})
            return Roles("one model", None, identity, tuple(outputs), filter=filters, scored=True)
        said = [*([] if pred is None else [pred]), *soft]
        return Roles("one model", true, identity, tuple(said), filter=filters)

    def _usual_id(self, taken: Collection[str | None]) -> str | None:
        usual = [h for h in names.named(self.headings, names.ID) if h not in taken]
        return usual[0] if usual else None

    def _truth_of_one(self, skip: Collection[str | None]) -> str | None:
        free = [h for h in self.headings if h not in {*skip} | self.told]
        sure = names.named(free, names.TRUE)
        if len(sure) > 1:
            return self._one_truth(sure)
        return next(iter([*sure, *names.named(free, names.MAYBE_TRUE)]), None)

    def _is_numeric(self, heading: str) -> bool:
        return cells.share_of_numbers(self.frame[heading], self.marks) == 1

    def _only_numbers(self, skip: Collection[str | None]) -> list[str]:
        """The one column of numbers that is left, in a table that names none of them a score."""
        found = [
            h for h in self.headings
            if h not in {*skip} | self.told and names.plain(h) not in names.BESIDE
            and self._is_numeric(h)
        ]  # fmt: skip
        if len(found) == 1:
            return found
        held = ", ".join(self.headings[:8])
        what = "several columns of numbers" if found else "neither predictions nor scores"
        raise ValueError(
            f"{self.where} has {what} (its columns: {held}); say which column holds what the model "
            "gave with pred= (--pred COLUMN), or its scores with score= (--score COLUMN)."
        )

    def _rest(self, used: Collection[str | None]) -> tuple[str, ...]:
        return tuple(h for h in self.headings if h not in {*used} | self.told)

    # -- the columns of models --------------------------------------------------------------

    def _models(
        self, candidates: Sequence[str], true: str | None
    ) -> tuple[list[str], list[str]]:  # fmt: skip
        """Of the columns without a role: those of models, and those that only describe."""
        if self.columns.models is not None:
            return [*candidates], []
        if self.columns.kind == "texts":
            described = [h for h in candidates if names.plain(h) in names.BESIDE]
            return [h for h in candidates if h not in described], described
        if true is None:
            return self._scores(candidates)
        return self._labels(candidates, [h for h in candidates if self._is_probability(h)], true)

    def _is_probability(self, heading: str) -> bool:
        return ":" in heading and self._is_numeric(heading)

    def _scores(self, candidates: Sequence[str]) -> tuple[list[str], list[str]]:
        """Columns of numbers are models; texts describe, unless a few cells make them texts."""
        numeric, left_out = [], []
        for heading in candidates:
            share = cells.share_of_numbers(self.frame[heading], self.marks)
            if share == 1:
                numeric.append(heading)
            elif share >= _SHARED:
                self._refuse_spoilt(heading)
            else:
                left_out.append(heading)
        if not numeric and len(left_out) > 1:
            self._refuse_no_truth(left_out)
        for heading in numeric:
            self._check_score(heading, numeric)
        if not self.columns.scores:
            self._refuse_codes(numeric)
        return numeric, left_out

    def _refuse_codes(self, numeric: Sequence[str]) -> None:
        """Refuse a few whole numbers, more than two, which are as well codes of classes."""
        held = {float(x) for h in numeric for x in pd.unique(self._present(h).astype(float))}
        few = 2 < len(held) <= _MANY_CLASSES and all(x % 1 == 0 for x in held)
        if len(numeric) > 1 and few and len(self.frame) >= _FEW_ROWS:
            raise ValueError(
                f"{self.where}: the columns hold whole numbers ({min(held):g} to {max(held):g}), "
                "which are scores or codes of classes; pass scores=True (--scores), or say which "
                "column is the truth with true= (--true COLUMN)."
            )

    def _refuse_spoilt(self, heading: str) -> None:
        column = self._present(heading)
        numbers = pd.to_numeric(column, errors="coerce")
        odd = column[numbers.isna()]
        raise ValueError(
            f"{self.where}: column {heading!r} holds numbers, but {str(odd.iloc[0])!r} in "
            f"{len(odd):,} of {len(self.frame):,} rows; if that stands for a missing result pass "
            f"na=[{str(odd.iloc[0])!r}] (--na {odd.iloc[0]}), or name the models with models= "
            "(--model)."
        )

    def _refuse_no_truth(self, headings: Sequence[str]) -> None:
        held = ", ".join(headings[:5]) + (", ..." if len(headings) > 5 else "")
        raise ValueError(
            f"{self.where} has columns of texts ({held}) and none that is named like the truth "
            "(y_true, label, gold, target); say which it is with true= (--true COLUMN)."
        )

    def _check_score(self, heading: str, numeric: Sequence[str]) -> None:
        """Refuse numbers that are no scores by their name, or that only name the rows."""
        if names.plain(heading) in (*names.BESIDE, *names.ID, *names.MAYBE_TRUE):
            self._refuse_doubtful(heading, "is not named like a model")
        if len(self.frame) < _FEW_ROWS:
            return
        if self._numbers_rows(heading):
            self._refuse_doubtful(heading, "holds another whole number in each row")
        values = pd.to_numeric(self._present(heading), errors="coerce").to_numpy(dtype=np.float64)
        whole = bool((values % 1 == 0).all())
        others = [self._range(each) for each in numeric if each != heading]
        if whole and others and max(others) <= 1 < _FEW_ROWS < np.abs(values).max():
            self._refuse_doubtful(
                heading, "holds whole numbers where the others lie within 0 and 1"
            )

    def _numbers_rows(self, heading: str) -> bool:
        """Whether a column holds another whole number in each row, as numbers of rows are."""
        values = pd.to_numeric(self._present(heading), errors="coerce")
        distinct = len(values) == len(self.frame) >= _FEW_ROWS and values.is_unique
        return distinct and bool((values % 1 == 0).all())

    def _range(self, heading: str) -> float:
        values = pd.to_numeric(self._present(heading), errors="coerce")
        return float(values.abs().max()) if len(values) else 0.0

    def _labels(
        self, candidates: Sequence[str], soft: Sequence[str], true: str
    ) -> tuple[list[str], list[str]]:
        """Columns that say what the truth says are models; those that never do may describe."""
        measured = self._is_real(true)
        models, left_out, doubtful = [], [], []
        for heading in candidates:
            if heading in soft or self._fits(heading, true, measured=measured):
                models.append(heading)
            elif self._describes(heading, true):
                left_out.append(heading)
            else:
                doubtful.append(heading)
        if not models:
            # Then nothing fits, and the message of what does not match says more.
            return doubtful, left_out
        for heading in doubtful:
            if names.plain(heading) in names.BESIDE or not self._is_misspelt(heading, true):
                self._refuse_doubtful(heading, f"holds other things than {true!r} does")
        return [h for h in candidates if h in {*models, *doubtful}], left_out

    def _fits(self, heading: str, true: str, *, measured: bool) -> bool:
        if names.plain(heading) in (*names.BESIDE, *names.ID):
            return False
        if measured:
            return self._is_numeric(heading) and not self._numbers_rows(heading)
        two = self._present(true).nunique() == 2
        if self._is_numeric(heading) and (self._is_real(heading) and two):
            return True
        few = len(self.frame) < _FEW_ROWS
        return self._overlap(heading, true) >= (1e-9 if few else _SHARED)

    def _describes(self, heading: str, true: str) -> bool:
        """Whether a column holds free text or names, and not the answers of a model."""
        column = self._present(heading)
        if len(self.frame) < _FEW_ROWS or self._overlap(heading, true) > 0:
            return False
        if len(column) == 0:
            return True
        return column.nunique() > len(column) / 2 and not self._is_real(heading)

    def _is_misspelt(self, heading: str, true: str) -> bool:
        said, known = (self._present(each).unique().tolist() for each in (heading, true))
        return bool(spelling.remedy(said, known))

    def _refuse_doubtful(self, heading: str, why: str) -> None:
        raise ValueError(
            f"{self.where}: column {heading!r} {why}; if it describes the samples say so with "
            f"slices=[{heading!r}] (--slice {heading}), if it is a model name all models with "
            "models= (--model)."
        )


def _matching(headings: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """The headings of models that were asked for, by name or by pattern."""
    from fnmatch import fnmatchcase

    return [
        heading for heading in headings
        if any(fnmatchcase(heading, w) or fnmatchcase(heading.partition(":")[0], w) for w in wanted)
    ]  # fmt: skip
