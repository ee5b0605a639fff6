"""Roles of a table's columns: by what was told, by usual names, and by content.

What these leave open is refused, with the options that settle it: a column that is wrongly taken
for a model, or a model that is wrongly left out, would be an answer to another question.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from modelcompare.data.checks import check_columns_distinct
from modelcompare.data.sums import is_sketch
from modelcompare.readers import cell_types, names
from modelcompare.readers.content import File
from modelcompare.readers.lists import spread
from modelcompare.readers.messages import told
from modelcompare.readers.model_columns import model_columns
from modelcompare.readers.options import Columns, refuse_column, with_named
from modelcompare.readers.profile import FEW_ROWS, SHARED, Profile, check_labels, find_truth
from modelcompare.readers.records import PROBABILITY
from modelcompare.readers.shapes import refuse_crossed, refuse_several_truths
from modelcompare.readers.tables import flattened
from modelcompare.spelling import chosen


@dataclass(frozen=True)
class Roles:
    """The columns of a table by what they hold.

    The `outputs` are those of each model, or under "" of the one that a row is of, by what they
    hold: None for labels, values or texts, a class for its probabilities, the name of a score.
    """

    true: str | None
    id: str | None
    outputs: Mapping[str, Mapping[str | None, str]]
    model: str | None = None
    run: str | None = None
    set: str | None = None
    filter: str | None = None
    scored: bool = False
    wide: bool = False  # each model has columns of its own
    left_out: tuple[str, ...] = ()

    @property
    def used(self) -> list[str]:
        """The columns of what models gave."""
        return [column for columns in self.outputs.values() for column in columns.values()]


def prepared(
    frame: pd.DataFrame, columns: Columns, where: str, *, written: bool = False,
    of_folders: Collection[str] = (),
) -> Profile:  # fmt: skip
    """A table whose headings are distinct texts, with every column that was named."""
    if is_sketch(frame.columns):
        raise ValueError(f"{where} is a sketch; read it with modelcompare.io.read_sketch.")
    if not len(frame):
        raise ValueError(f"{where}: there are 0 samples; at least 2 are needed.")
    if not written:  # a file of texts has headings of texts, and no objects in its cells
        frame = flattened(frame.rename(columns=str).reset_index(drop=True))
    check_columns_distinct(frame, where)
    frame = with_named(frame, columns, where)
    return Profile(frame, columns, where, written=written, of_folders=of_folders)


def with_roles(
    file: File, columns: Columns, where: str, *, alone: bool
) -> tuple[Profile, Roles]:  # fmt: skip
    """The table in a file, with a column for each class, and what its columns are."""
    seen = prepared(file.payload, columns, where, written=file.written)
    seen = spread(seen, alone=alone)
    return seen, find_roles(seen, alone=alone)


def find_roles(seen: Profile, *, alone: bool) -> Roles:
    """The roles of a table's columns; `alone` if it holds all models, and not one of several."""
    columns = seen.columns
    _refuse_summary(seen)
    refuse_several_truths(seen, alone=alone)
    model = columns.model_column or seen.first(names.MODEL)
    if model is not None and _is_long(seen, model):
        return _in_rows(seen, model)
    of_one = columns.pred is not None or "y_pred" in seen.headings
    if not alone or of_one or any(h.startswith(PROBABILITY) for h in seen.headings):
        return _of_one_model(seen)
    return _wide(seen)


def _refuse_summary(seen: Profile) -> None:
    """Refuse a last row of totals or means, as spreadsheets have them."""
    for heading in dict.fromkeys([*seen.headings[:1], *names.named(seen.headings, names.ID)]):
        column = seen.frame[heading]
        last = str(column.iloc[-1])
        if names.plain(last) in names.SUMMARY and 1 == (column == last).sum() < len(column):
            raise ValueError(
                f"{seen.where}: the last row holds {last!r} in column {heading!r}, and sums up "
                "the others; delete it."
            )


def _is_long(seen: Profile, model: str) -> bool:
    """Return whether a column names the model that each row is of."""
    if seen.columns.model_column is not None:
        return True
    if any(heading.partition(":")[0] == model for heading in seen.headings if ":" in heading):
        return False
    held = seen.frame[model]
    if cell_types.holds_objects(held):
        return False
    truth = find_truth(seen)
    if truth is not None and truth != model and seen.overlap(model, truth) >= SHARED:
        return False
    # A name in each row, and rows of the same model: numbers in it are a model's scores.
    return held.nunique() < len(held) and cell_types.share_of_numbers(held, seen.marks) < 1


def _in_rows(seen: Profile, model: str) -> Roles:
    """Roles where each row is of one model."""
    run, test_set = seen.columns.runs or seen.first(names.RUN), seen.first(names.SET)
    found = _of_one(seen, {model, run, test_set})
    keys = [c for c in (model, test_set, run, found.filter) if c is not None]
    used = {model, run, test_set, found.true, *found.used}
    identity = found.id or _key_beside(seen, keys, used, test_set)
    return replace(found, id=identity, model=model, run=run, set=test_set)


def _of_one_model(seen: Profile) -> Roles:
    """Roles where all rows are of the model that the file is named after."""
    run = seen.columns.runs or seen.first(names.RUN)
    if run is not None and seen.columns.runs is None and seen.frame[run].nunique() < 2:
        run = None
    found = _of_one(seen, {run})
    repeats = run is not None and (seen.columns.runs is not None or not seen.all_differ(run))
    if run is not None and repeats and found.id is None:
        # Samples that no column names would count as other samples in each run.
        raise ValueError(
            f"{seen.where}: column {run!r} tells repetitions, but no column names the samples that "
            f"are repeated; name it with id= (--id COLUMN), or if {run!r} only describes the "
            f"samples say so with {told(slices=[run])}."
        )
    return replace(found, run=run)


def _wide(seen: Profile) -> Roles:
    """Roles where each model has columns of its own."""
    refuse_crossed(seen)
    found = find_truth(seen)
    true = None if seen.columns.scores else found
    if true is not None:
        check_labels(seen, true)
    identity = _identity(seen, true)
    # Columns named like an id whose values repeat name no samples, and no model.
    ids = {*names.named(seen.headings, names.ID)} - seen.chosen
    special = {found, identity, *seen.told, *ids} - {None}
    beside = [h for h in seen.headings if h in seen.of_folders - special - seen.chosen]
    candidates = [h for h in seen.headings if h not in special and h not in beside]
    models, left_out = model_columns(seen, candidates, true)
    outputs = _by_model(seen, models, true)
    return Roles(true, identity, outputs, wide=True, left_out=(*left_out, *beside))


def _by_model(
    seen: Profile, headings: Sequence[str], true: str | None
) -> dict[str, dict[str | None, str]]:
    """Each wanted model's columns by class: one without (labels or scores), or ``model:class``."""
    classes = set() if true is None else {*map(str, seen.frame[true].unique())}
    models: dict[str, dict[str | None, str]] = {}
    for heading in headings:
        model, label = (heading, None) if true is None else _split(heading, classes)
        models.setdefault(model, {})[label] = heading
    if not models:
        raise ValueError(
            f"{seen.where} has no model columns; it needs y_true (or --true COLUMN) and a column "
            "for each model, or numeric columns of scores per example."
        )
    wanted = {model: models[model] for model in chosen([*models], seen.columns.models, seen.where)}
    for model, columns in wanted.items():
        soft = [column for label, column in columns.items() if label is not None]
        if soft and None in columns:
            raise ValueError(
                f"{seen.where}: model {model!r} has a column of labels and columns of "
                f"probabilities ({soft[0]}); drop one or the other."
            )
    return wanted


def _split(heading: str, classes: Collection[str]) -> tuple[str, str | None]:
    """Model and class of a heading; where it has several colons, as the true classes say."""
    places = [place for place, sign in enumerate(heading) if sign == ":"]
    if not places:
        return heading, None
    place = next((p for p in places if heading[p + 1 :] in classes), places[-1])
    return heading[:place], heading[place + 1 :]


def _identity(seen: Profile, true: str | None) -> str | None:
    """The column that names the samples: told, usual, or unlike anything a model gives."""
    if seen.columns.id is not None:
        return seen.columns.id
    skip = {*seen.told, true, *seen.chosen}
    found = next((h for h in seen.usual(names.ID, skip) if seen.all_differ(h)), None)
    if found is not None or len(seen.frame) < FEW_ROWS:
        return found
    texts = (h for h in seen.headings if h not in skip and seen.tells_rows(h))
    return next((h for h in texts if true is None or seen.overlap(h, true) == 0), None)


def _key_beside(
    seen: Profile, keys: Sequence[str], taken: Collection[str | None], test_set: str | None
) -> str | None:
    """The column that, beside the model and run, names each row once."""
    usual, skip = {*names.named(seen.headings, names.ID)}, {*taken, *keys}
    free = [h for h in seen.headings if h not in skip]
    for heading in sorted(free, key=lambda h: h not in usual):
        if seen.is_real(heading) or cell_types.holds_objects(seen.frame[heading]):
            continue
        if not seen.frame.duplicated([*keys, heading]).any():
            return heading
    if test_set is not None and not seen.frame.duplicated(keys).any():
        raise ValueError(
            f"{seen.where} has one row for each model and data set (column {test_set!r}), and none "
            "for a sample; such scores are for `modelcompare ranks`, in columns dataset, model "
            "and score; if they are of samples name those with id= (--id COLUMN)."
        )
    raise ValueError(
        f"{seen.where} has a row for each model and sample, but no column names the samples "
        "(id, item, ...); say which with id= (--id COLUMN)."
    )


def _of_one(seen: Profile, taken: Collection[str | None]) -> Roles:
    """Roles among the columns of one model's rows."""
    columns = seen.columns
    identity = columns.id or _usual_id(seen, taken)
    skip = {*taken, identity}
    filters = seen.first(names.FILTER)
    soft = [h for h in seen.headings if h.startswith(PROBABILITY)]
    true = find_truth(seen, beside={*skip, *soft})
    if true is not None and not columns.scores:
        check_labels(seen, true)
    pred = columns.pred or next(
        (h for h in names.named(seen.headings, names.PRED) if h not in skip | {true}), None
    )
    if pred is None and true is not None and not (columns.scores or columns.score):
        pred = _says_the_same(seen, true, {*skip, *soft})
    scores = _scores_of_one(seen, skip | {true, pred})
    wants_scores = columns.scores or bool(columns.score)
    if wants_scores and not columns.score and pred is not None and seen.is_numeric(pred):
        scores = [pred]
    if pred is not None and true is not None and not wants_scores:
        _refuse_scores_beside(seen, pred, true, skip)
    predicts = pred is not None or bool(soft)
    if wants_scores or not predicts or (true is None and bool(scores)):
        outputs = scores or _only_numbers(seen, {*skip, true, pred, filters})
        return Roles(None, identity, {"": {h: h for h in outputs}}, filter=filters, scored=True)
    # A column of probabilities that was named holds no label.
    said: dict[str | None, str] = {} if pred is None or pred in soft else {None: pred}
    said |= {heading.removeprefix(PROBABILITY): heading for heading in soft}
    return Roles(true, identity, {"": said}, filter=filters)


def _scores_of_one(seen: Profile, skip: Collection[str | None]) -> list[str]:
    """The columns of scores: those told, or those with a usual name."""
    for wanted in seen.columns.score:
        if wanted not in seen.headings:
            refuse_column(wanted, seen.headings, seen.where)
    return [*seen.columns.score] or [h for h in seen.usual(names.SCORE, skip) if seen.is_numeric(h)]


def _refuse_scores_beside(
    seen: Profile, pred: str, true: str, skip: Collection[str | None]
) -> None:  # fmt: skip
    """Refuse scores beside what the model gave, unless they say no more than where that is true."""
    if seen.columns.pred is not None or seen.columns.kind != "auto":
        return
    usual = seen.usual((*names.SCORE, *names.METRIC), {*skip, pred, true})
    right = seen.frame[pred].astype(str) == seen.frame[true].astype(str)
    for heading in filter(seen.is_numeric, usual):
        if not np.array_equal(cell_types.as_numbers(seen.frame[heading]), right):
            raise ValueError(
                f"{seen.where}: column {heading!r} holds scores beside what the model gave "
                f"({pred!r}), and they say something else than where that equals {true!r}; to "
                f"compare by the scores pass {told(score=heading)}, by what the model gave "
                f"{told(pred=pred)}."
            )


def _says_the_same(seen: Profile, true: str, skip: Collection[str | None]) -> str | None:
    """The one column that says what the truth says, in a table that names no predictions."""
    found = [
        h for h in seen.free({*skip, true})
        if names.plain(h) not in names.SCORE and seen.overlap(h, true) >= SHARED
    ]  # fmt: skip
    if len(found) > 1:
        raise ValueError(
            f"{seen.where}: columns {found[0]!r} and {found[1]!r} both say what {true!r} says; "
            "say which holds what the model gave with pred= (--read pred=COLUMN)."
        )
    return found[0] if found else None


def _usual_id(seen: Profile, taken: Collection[str | None]) -> str | None:
    usual = [h for h in names.named(seen.headings, names.ID) if h not in taken]
    return next((h for h in usual if not _counts_rows(seen, h)), None)


def _counts_rows(seen: Profile, heading: str) -> bool:
    """Return whether a column without a heading only counts the rows, in any order."""
    if names.plain(heading) not in ("unnamed", ""):
        return False
    return seen.frame[heading].astype(str).tolist() == [*map(str, range(len(seen.frame)))]


def _only_numbers(seen: Profile, skip: Collection[str | None]) -> list[str]:
    """The one column of numbers that is left, in a table that names none of them a score."""
    found = [*filter(seen.is_numeric, seen.free(skip))]
    if len(found) == 1:
        return found
    held = ", ".join(seen.headings[:8])
    what = "several columns of numbers" if found else "neither predictions nor scores"
    raise ValueError(
        f"{seen.where} has {what} (its columns: {held}); say which column holds what the model "
        "gave with pred= (--read pred=COLUMN), or its scores with score= (--read score=COLUMN)."
    )
