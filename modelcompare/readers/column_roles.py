"""Roles of a table's columns: by options, by usual names, and by content.

Ambiguous tables are refused, with the options that settle them: a column mistaken for a model, or a
model mistaken for a description, would give an answer to another question.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from modelcompare.data.checks import check_columns_distinct
from modelcompare.data.sums import is_sketch
from modelcompare.plugs import rows
from modelcompare.readers import cell_types, names
from modelcompare.readers.content import File
from modelcompare.readers.label_sets import joined
from modelcompare.readers.lists import spread
from modelcompare.readers.messages import DoubtError, as_options
from modelcompare.readers.model_columns import model_columns
from modelcompare.readers.options import Columns, Outputs, with_named
from modelcompare.readers.patterns import with_patterns
from modelcompare.readers.profile import FEW_ROWS, SHARED, Profile, check_labels, find_truth
from modelcompare.readers.records import PROBABILITY
from modelcompare.readers.repeats import refuse_fold_scores, refuse_repeats
from modelcompare.readers.shapes import (
    refuse_crossed,
    refuse_repeated_ids,
    refuse_several_truths,
)
from modelcompare.readers.survival import with_pairs
from modelcompare.readers.tables import flattened
from modelcompare.spelling import chosen


@dataclass(frozen=True)
class Roles:
    """Roles of the columns of a table.

    `outputs` maps each model, or "" for the model that a row names, to its columns by content: None
    for labels, values or texts, a class for its probabilities, the name of a score.
    """

    true: str | None
    id: str | None
    outputs: Mapping[str, Outputs]
    model: str | None = None
    run: str | None = None
    set: str | None = None
    filter: str | None = None
    scored: bool = False
    wide: bool = False  # each model has its own columns
    left_out: tuple[str, ...] = ()

    @property
    def needed(self) -> list[str]:
        """The columns of the truth and of all outputs."""
        outputs = [column for columns in self.outputs.values() for column in columns.values()]
        return outputs if self.true is None else [self.true, *outputs]


def prepared(
    frame: pd.DataFrame, columns: Columns, where: str, *, written: bool = False,
    of_folders: Collection[str] = (),
) -> Profile:  # fmt: skip
    """Return a table with distinct text headings and every named column."""
    if is_sketch(frame.columns):
        raise ValueError(f"{where} is a sketch; read it with modelcompare.io.read_sketch.")
    if not len(frame):
        raise ValueError(f"{where}: there are 0 samples; at least 2 are needed.")
    if not written:  # a table of texts has text headings and no objects
        frame = flattened(frame.rename(columns=str).reset_index(drop=True))
    check_columns_distinct(frame, where)
    frame = with_named(frame, columns, where)
    return Profile(frame, columns, where, written=written, of_folders=of_folders)


def with_roles(file: File, columns: Columns, where: str, *, alone: bool) -> tuple[Profile, Roles]:
    """Return the table in a file, with one column per class, and the roles of its columns."""
    frame, columns = with_patterns(file.payload, columns, where)
    seen = prepared(frame, columns, where, written=file.written)
    seen = joined(spread(with_pairs(seen), alone=alone))
    return seen, find_roles(seen, alone=alone)


def refuse_others(seen: Profile) -> None:
    """Refuse a table that is read whole and alone, by the reader of a plugin."""
    for refuse in rows("refusals"):
        refuse(seen.frame, seen.columns, seen.where)


def find_roles(seen: Profile, *, alone: bool) -> Roles:
    """Find the roles of a table's columns; `alone` if the table has all models."""
    found = _roles(seen, alone=alone)
    if found.true is None:
        refuse_fold_scores(seen, [found.model, found.run, found.set, found.filter])
    elif found.model is None:
        refuse_repeats(seen, found.true, found.id, found.set)
    return found


def _roles(seen: Profile, *, alone: bool) -> Roles:
    columns = seen.columns
    refuse_others(seen)
    _refuse_summary(seen)
    refuse_several_truths(seen, alone=alone)
    model = columns.model_column or seen.first(names.MODEL)
    if model is not None and _is_long(seen, model):
        return _in_rows(seen, model)
    of_one = columns.pred or columns.score or "y_pred" in seen.headings
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
                f"{seen.where}: the last row has {last!r} in column {heading!r}, and sums up "
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
    # Names that repeat; a column of numbers would be a model's scores.
    return held.nunique() < len(held) and cell_types.share_of_numbers(held, seen.marks) < 1


def _in_rows(seen: Profile, model: str) -> Roles:
    """Find the roles where each row is of one model."""
    run, test_set = seen.columns.runs or seen.first(names.RUN), seen.first(names.SET)
    found = _of_one(seen, {model, run, test_set})
    keys = [c for c in (model, test_set, run, found.filter) if c is not None]
    taken = {model, run, test_set, *found.needed}
    identity = found.id or _key_beside(seen, keys, taken, test_set)
    left_out = tuple(each for each in found.left_out if each != identity)
    return replace(found, id=identity, model=model, run=run, set=test_set, left_out=left_out)


def _of_one_model(seen: Profile) -> Roles:
    """Find the roles where all rows are of the model that the file is named after."""
    run = seen.columns.runs or seen.first(names.RUN)
    if run is not None and seen.columns.runs is None and seen.frame[run].nunique() < 2:
        run = None
    found = _of_one(seen, {run})
    repeats = run is not None and (seen.columns.runs is not None or not seen.all_differ(run))
    if run is not None and repeats and found.id is None:
        # Without ids the same sample would count as another one in each run.
        raise ValueError(
            f"{seen.where}: column {run!r} names repetitions, but no column names the samples that "
            f"are repeated; name it with id= (--id COLUMN), or if {run!r} only describes the "
            "samples rename it."
        )
    return replace(found, run=run)


def _wide(seen: Profile) -> Roles:
    """Find the roles where each model has its own columns."""
    refuse_crossed(seen)
    found = find_truth(seen)
    true = None if seen.columns.scores else found
    if true is not None:
        check_labels(seen, true)
    elif not seen.columns.scores:
        _refuse_sliced_truth(seen)
    test_set = _set_beside(seen)
    of_set = [] if test_set is None else [test_set]
    run, item = _repeats(seen, of_set)
    identity = item or _identity(seen, true, of_set)
    # A column named like an id whose values repeat is neither the id nor a model.
    ids = {*names.named(seen.headings, names.ID)} - seen.chosen
    special = {found, identity, run, test_set, *seen.named, *ids} - {None}
    beside = [h for h in seen.headings if h in seen.of_folders - special - seen.chosen]
    candidates = [h for h in seen.headings if h not in special and h not in beside]
    models, left_out = model_columns(seen, candidates, true)
    outputs = _by_model(seen, models, true)
    if item is None:
        refuse_repeated_ids(seen, {true, *seen.chosen}, of_set)
    return Roles(
        true, identity, outputs, run=run, set=test_set, wide=True, left_out=(*left_out, *beside)
    )


def _set_beside(seen: Profile) -> str | None:
    """Find the column that names the test set of each sample, unless each row has another name."""
    usual = seen.usual(names.SET, seen.chosen)
    return next((h for h in usual if not cell_types.holds_objects(seen.frame[h])
                 and seen.present(h).nunique() < len(seen.frame)), None)  # fmt: skip


def _refuse_sliced_truth(seen: Profile) -> None:
    """Refuse the truth among the slices, without which outputs would be read as scores."""
    for heading in names.named(seen.columns.slices, names.TRUE)[:1]:
        raise ValueError(
            f"{seen.where}: slices (--slice) names {heading!r}, which is named like the truth; if "
            "it is leave it out, as metrics per class show its classes, if the models gave scores "
            "pass scores=True (--read scores)."
        )


def _repeats(seen: Profile, of_set: Sequence[str]) -> tuple[str | None, str | None]:
    """Find columns of runs and of ids that name each row together, and neither alone."""
    run = None if seen.columns.runs is not None else seen.first(names.RUN)
    ids = [seen.columns.id] if seen.columns.id else seen.usual(names.ID, seen.chosen)
    for item in ids if run is not None and run not in seen.chosen else ():
        both = seen.frame[[run, item]]
        again = seen.frame.duplicated([*of_set, run, item])
        if not (both.nunique() == len(both)).any() and not again.any():
            return run, item
    return None, None


def _by_model(seen: Profile, headings: Sequence[str], true: str | None) -> Mapping[str, Outputs]:
    """Return each wanted model's columns by class; None is the key of labels and scores."""
    truth = [] if true is None else seen.frame[true]
    if true is not None and not cell_types.holds_objects(seen.frame[true]):
        truth = seen.frame[true].unique()
    classes = {*map(str, truth)}
    models: dict[str, dict[str | None, str]] = {}
    for heading in headings:
        model, label = (heading, None) if true is None else _split(heading, classes)
        models.setdefault(model, {})[label] = heading
    if not models:
        raise ValueError(
            f"{seen.where} has no model columns; it needs y_true (or --true COLUMN) and a column "
            "for each model, or numeric columns of scores per example."
        )
    return {model: models[model] for model in chosen([*models], seen.columns.models, seen.where)}


def _split(heading: str, classes: Collection[str]) -> tuple[str, str | None]:
    """Split a heading into model and class; true classes decide between several colons."""
    places = [place for place, sign in enumerate(heading) if sign == ":"]
    if not places:
        return heading, None
    place = next((p for p in places if heading[p + 1 :] in classes), places[-1])
    return heading[:place], heading[place + 1 :]


def _identity(seen: Profile, true: str | None, of_set: Sequence[str]) -> str | None:
    """Find the column of ids: named, usual, or distinct texts that no model would give.

    The samples of each test set may have the same ids.
    """
    if seen.columns.id is not None:
        return seen.columns.id
    skip = {*seen.named, true, *seen.chosen}
    usual = seen.usual(names.ID, skip)
    found = next((h for h in usual if seen.all_differ(h, within=of_set)), None)
    if found is not None or len(seen.frame) < FEW_ROWS:
        return found
    texts = (h for h in seen.headings if h not in skip and seen.identifies_rows(h))
    return next((h for h in texts if true is None or seen.overlap(h, true) == 0), None)


def _key_beside(
    seen: Profile, keys: Sequence[str], taken: Collection[str | None], test_set: str | None
) -> str | None:
    """Find the column that identifies each row together with the model and run."""
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
        "(id, item, ...); name it with id= (--id COLUMN)."
    )


def _of_one(seen: Profile, taken: Collection[str | None]) -> Roles:
    """Find the roles among the columns of one model's rows."""
    columns = seen.columns
    usual = [h for h in names.named(seen.headings, names.ID) if h not in taken]
    identity = columns.id or next((h for h in usual if not seen.counts_rows(h)), None)
    skip = {*taken, identity}
    filters = seen.first(names.FILTER)
    soft = [h for h in seen.headings if h.startswith(PROBABILITY)]
    true = find_truth(seen, beside={*skip, *soft})
    if true is not None and not columns.scores:
        check_labels(seen, true)
    free = [h for h in seen.headings if h not in skip | {true}]
    pred = columns.pred or names.first(free, names.PRED)
    if pred is None and true is not None and not (columns.scores or columns.score):
        pred = _like_truth(seen, true, {*skip, *soft})
    usual = seen.usual(names.SCORE, skip | {true, pred})
    scores = [*columns.score] or [h for h in usual if seen.is_numeric(h)]
    wants_scores = columns.scores or bool(columns.score)
    if wants_scores and not columns.score and pred is not None and seen.is_numeric(pred):
        scores = [pred]
    if pred is not None and true is not None and not wants_scores:
        _refuse_scores_beside(seen, pred, true, skip)
    predicts = pred is not None or bool(soft)
    if predicts and true is None and not wants_scores:
        _refuse_sliced_truth(seen)
    if wants_scores or not predicts or (true is None and bool(scores)):
        outputs = scores or _only_numbers(seen, {*skip, true, pred, filters})
        used = seen.named.union(skip, outputs, (true, pred, filters))
        others = [] if columns.score else [h for h in seen.headings if h not in used]
        return Roles(
            None, identity, {"": {h: h for h in outputs}}, filter=filters, scored=True,
            left_out=tuple(filter(seen.is_numeric, others)),
        )  # fmt: skip
    # A column of probabilities that `pred` names has no labels.
    gave: dict[str | None, str] = {} if pred is None or pred in soft else {None: pred}
    gave |= {heading.removeprefix(PROBABILITY): heading for heading in soft}
    known = {*seen.named, *skip, *soft, *names.named(seen.headings, names.ID), true, pred, filters}
    beside = tuple(h for h in seen.headings if h not in known and seen.is_numeric(h))
    return Roles(true, identity, {"": gave}, filter=filters, left_out=beside)


def _refuse_scores_beside(
    seen: Profile, pred: str, true: str, skip: Collection[str | None]
) -> None:  # fmt: skip
    """Refuse scores next to a model's outputs, unless they are 1 exactly where these are right."""
    if seen.columns.pred is not None or seen.columns.kind != "auto":
        return
    usual = seen.usual(names.ANY_SCORE, {*skip, pred, true})
    right = seen.frame[pred].astype(str) == seen.frame[true].astype(str)
    for heading in filter(seen.is_numeric, usual):
        if not np.array_equal(cell_types.as_numbers(seen.frame[heading]), right):
            raise ValueError(
                f"{seen.where}: column {heading!r} has scores next to the model's outputs "
                f"({pred!r}), and they differ from whether these equal {true!r}; to compare by "
                f"the scores pass {as_options(score=heading)}, by the outputs "
                f"{as_options(pred=pred)}."
            )


def _like_truth(seen: Profile, true: str, skip: Collection[str | None]) -> str | None:
    """Find the one column with the values of the truth if none has a usual name."""
    found = [
        h for h in seen.free({*skip, true})
        if names.plain(h) not in names.SCORE and seen.overlap(h, true) >= SHARED
    ]  # fmt: skip
    if len(found) > 1:
        raise DoubtError(
            f"{seen.where}: columns {found[0]!r} and {found[1]!r} both have values of {true!r}; "
            "name the model's column with pred= (--read pred=COLUMN).", pred=found[0],
        )  # fmt: skip
    return found[0] if found else None


def _only_numbers(seen: Profile, skip: Collection[str | None]) -> list[str]:
    """Return the only numeric column left if none is named like a score."""
    found = [*filter(seen.is_numeric, seen.free(skip))]
    if len(found) == 1:
        return found
    held = ", ".join(seen.headings[:8])
    what = "several columns of numbers" if found else "neither predictions nor scores"
    raise ValueError(
        f"{seen.where} has {what} (its columns: {held}); name the column of the model's "
        "outputs with pred= (--read pred=COLUMN), or of its scores with score= "
        "(--read score=COLUMN)."
    )
