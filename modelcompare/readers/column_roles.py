"""Roles of a table's columns: by options, by usual names, and by content.

Ambiguous tables are refused, with the options that settle them: a column mistaken for a model, or a
model mistaken for a description, would give an answer to another question.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NoReturn

import numpy as np
import pandas as pd

from modelcompare.data.checks import check_columns_distinct
from modelcompare.plugs import rows
from modelcompare.readers import cell_types, names
from modelcompare.readers.absent import refuse_absent
from modelcompare.readers.content import File
from modelcompare.readers.lists import with_class_columns
from modelcompare.readers.messages import DoubtError, as_options
from modelcompare.readers.model_columns import MODELS
from modelcompare.readers.options import Columns, Outputs, column_of, with_named
from modelcompare.readers.patterns import with_patterns
from modelcompare.readers.profile import Profile, check_labels
from modelcompare.readers.records import PROBABILITY
from modelcompare.readers.repeats import refuse_repeats
from modelcompare.readers.role_table import (
    BESIDE_MODELS,
    DATE,
    IN_ROWS,
    KEY,
    MODEL,
    NUMBERS,
    OF_ONE_MODEL,
    PRED,
    TRUTH,
)
from modelcompare.readers.roles import Roles, solve
from modelcompare.readers.shapes import (
    refuse_crossed,
    refuse_repeated_ids,
    refuse_rows_of_models,
    refuse_several_truths,
)
from modelcompare.readers.tables import flatten_objects


def profile_of(
    frame: pd.DataFrame, columns: Columns, where: str, *, written: bool = False,
    of_folders: Collection[str] = (),
) -> Profile:  # fmt: skip
    """Return a table with distinct text headings and every named column."""
    if not len(frame):
        raise ValueError(f"{where}: there are 0 samples; at least 2 are needed.")
    if not written:  # a table of texts has text headings and no objects
        frame = flatten_objects(frame.rename(columns=str).reset_index(drop=True))
    check_columns_distinct(frame, where)
    frame = with_named(frame, columns, where)
    return Profile(frame, columns, where, written=written, of_folders=of_folders)


def with_roles(file: File, columns: Columns, where: str, *, alone: bool) -> tuple[Profile, Roles]:
    """Return the table in a file, with one column per class, and the roles of its columns."""
    columns = replace(columns, declared=file.classes)
    frame, columns = with_patterns(file.payload, columns, where)
    seen = profile_of(frame, columns, where, written=file.written)
    seen = with_changes(with_class_columns(seen, alone=alone))
    found = find_roles(seen, alone=alone)
    several = [key for key in found.of("id") if key not in seen.frame]
    joined = {key: column_of(seen.frame, key, where) for key in several}
    return seen.holding(seen.frame.assign(**joined)) if joined else seen, found


def with_changes(seen: Profile) -> Profile:
    """Return the table with the changes of plugins, such as two columns that are one together."""
    for changed in rows("tables"):
        seen = changed(seen)
    return seen


def refuse_others(seen: Profile) -> None:
    """Refuse a table that is read whole and alone, by a plugin, also an absent one."""
    refuse_absent(seen)
    for refuse in rows("refusals"):
        refuse(seen.frame, seen.columns, seen.where)


def find_roles(seen: Profile, *, alone: bool) -> Roles:
    """Find the roles of a table's columns; `alone` if the table has all models."""
    found = _roles(seen, alone=alone)
    others = {*found.without("id").columns, *found.needed}
    found = replace(found, found={**_describing(seen, others).found, **found.found})
    check_rows(seen, found)
    return found


def _describing(seen: Profile, skip: Collection[str]) -> Roles:
    """Find the columns of dates, and of roles that plugins add, which describe the samples."""
    return solve(seen, (DATE, *rows("roles")), Roles(skip=skip))


def check_rows(seen: Profile, roles: Roles) -> None:
    """Refuse rows that are not independent samples, by their roles."""
    for check in (refuse_repeats, *rows("checks")):
        check(seen, roles)


def _roles(seen: Profile, *, alone: bool) -> Roles:
    columns = seen.columns
    refuse_others(seen)
    _refuse_summary(seen)
    refuse_several_truths(seen, alone=alone)
    known = solve(seen, [MODEL])
    if known["model"] is not None:
        return _in_rows(seen, known)
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


def _in_rows(seen: Profile, known: Roles) -> Roles:
    """Find the roles where each row is of the model that it names."""
    found = _of_one(seen, solve(seen, IN_ROWS, known))
    if found["id"] is not None:
        return found
    key = solve(seen, [KEY], replace(found, skip=found.needed))
    if key["id"] is None:
        _refuse_no_key(seen, key)
    left_out = tuple(each for each in found.left_out if each != key["id"])
    return replace(key, left_out=left_out)


def _of_one_model(seen: Profile) -> Roles:
    """Find the roles where all rows are of the model that the file is named after."""
    found = _of_one(seen, solve(seen, OF_ONE_MODEL))
    run = found["run"]
    repeats = run is not None and (seen.columns.runs is not None or not seen.all_differ(run))
    if repeats and found["id"] is None:
        # Without ids the same sample would count as another one in each run.
        raise ValueError(
            f"{seen.where}: column {run!r} names repetitions, but no column names the samples that "
            f"are repeated; name it with {as_options(id='COLUMN')}, or if {run!r} only describes "
            "the samples rename it."
        )
    return found


def _wide(seen: Profile) -> Roles:
    """Find the roles where each model has its own columns."""
    refuse_crossed(seen)
    known = solve(seen, [TRUTH], Roles(skip=seen.chosen))
    found = known["truth"]
    if seen.columns.output_kind.scored:
        known = known.without("truth")
    elif found is None:
        _refuse_sliced_truth(seen)
    else:
        check_labels(seen, found)
    refuse_rows_of_models(seen, known["truth"])
    known = solve(seen, BESIDE_MODELS, known)
    # A column named like an id whose values repeat is neither the id nor a model.
    ids = {*names.named(seen.headings, names.ID)} - seen.chosen
    beside = _describing(seen, {*known.columns, *seen.chosen})
    # Without a truth, numbers beside whole numbers of times may be a series and its forecasts.
    describing = beside.columns if known["truth"] is not None else beside.without("time").columns
    special = {*filter(None, [found]), *known.columns, *seen.named, *ids, *describing}
    of_folders = seen.of_folders - special - seen.chosen
    with_models = solve(seen, [MODELS], replace(known, skip=special | of_folders))
    if known["run"] is None:
        refuse_repeated_ids(seen, {known["truth"], *seen.chosen}, known.of("set"))
    in_paths = [h for h in seen.headings if h in of_folders]
    return replace(with_models, wide=True, left_out=(*with_models.left_out, *in_paths))


def _refuse_sliced_truth(seen: Profile) -> None:
    """Refuse the truth among the slices, without which outputs would be read as scores."""
    for heading in names.named(seen.columns.slices, names.TRUE)[:1]:
        raise ValueError(
            f"{seen.where}: slices (--slice) names {heading!r}, which is named like the truth; if "
            "it is leave it out, as metrics per class show its classes, if the models gave scores "
            "pass kind='scores' (--kind scores)."
        )


def _refuse_no_key(seen: Profile, known: Roles) -> NoReturn:
    """Refuse rows of several models in which no column names the samples."""
    test_set = known["set"]
    if test_set is not None and seen.unique(*known.of("model", "set", "run", "filter")):
        raise ValueError(
            f"{seen.where} has one row for each model and data set (column {test_set!r}), and none "
            "for a sample; such scores are for `modelcompare ranks`, in columns dataset, model "
            f"and score; if they are of samples name those with {as_options(id='COLUMN')}."
        )
    raise ValueError(
        f"{seen.where} has a row for each model and sample, but no column names the samples "
        f"(id, item, ...); name it with {as_options(id='COLUMN')}."
    )


def _of_one(seen: Profile, known: Roles) -> Roles:
    """Find the outputs among the columns of rows of one model each, whose other roles are known."""
    columns, true = seen.columns, known["truth"]
    if true is not None and not columns.output_kind.scored:
        check_labels(seen, true)
    soft = [h for h in seen.headings if h.startswith(PROBABILITY)]
    # A column that is named like a filter may have outputs.
    pred = solve(seen, [PRED], known.without("filter"))["pred"]
    skip = {*known.of("model", "run", "set", "id"), true, pred}
    usual = seen.usual(names.SCORE, skip)
    scores = [*columns.score] or [h for h in usual if seen.is_numeric(h)]
    wants_scores = columns.output_kind.scored or bool(columns.score)
    if pred is None and true is not None and not (soft or scores or wants_scores):
        pred = solve(seen, [NUMBERS], known)["pred"]
        skip |= {pred}
    if wants_scores and not columns.score and pred is not None and seen.is_numeric(pred):
        scores = [pred]
    if pred is not None and true is not None and not wants_scores:
        _refuse_scores_beside(seen, pred, true, skip)
    predicts = pred is not None or bool(soft)
    if predicts and true is None and not wants_scores:
        _refuse_sliced_truth(seen)
    skip = {*skip, known["filter"]}
    if wants_scores or not predicts or (true is None and bool(scores)):
        outputs = scores or _only_numbers(seen, skip, known)
        used = seen.named.union(skip, outputs)
        others = [] if columns.score else [h for h in seen.headings if h not in used]
        left_out = tuple(filter(seen.is_numeric, others))
        gave: Outputs = {heading: heading for heading in outputs}
        unknown = known.without("truth")
        return replace(unknown, outputs={"": gave}, scored=True, left_out=left_out)
    # A column of probabilities that `pred` names has no labels.
    labels: Outputs = {} if pred is None or pred in soft else {None: pred}
    gave = {**labels, **{heading.removeprefix(PROBABILITY): heading for heading in soft}}
    used = {*seen.named, *skip, *soft, *names.named(seen.headings, names.ID)}
    beside = tuple(h for h in seen.headings if h not in used and seen.is_numeric(h))
    return replace(known, outputs={"": gave}, left_out=beside)


def _refuse_scores_beside(
    seen: Profile, pred: str, true: str, skip: Collection[str | None]
) -> None:  # fmt: skip
    """Refuse scores next to a model's outputs, unless they are 1 exactly where these are right."""
    if seen.columns.pred is not None or seen.columns.kind != "auto":
        return
    taken = seen.named.union({*skip, pred, true})
    usual = names.named_scores([h for h in seen.headings if h not in taken])
    right = seen.frame[pred].astype(str) == seen.frame[true].astype(str)
    for heading in filter(seen.is_numeric, usual):
        if not np.array_equal(cell_types.as_numbers(seen.frame[heading]), right):
            raise ValueError(
                f"{seen.where}: column {heading!r} has scores next to the model's outputs "
                f"({pred!r}), and they differ from whether these equal {true!r}; to compare by "
                f"the scores pass {as_options(score=heading)}, by the outputs "
                f"{as_options(pred=pred)}."
            )


def _only_numbers(seen: Profile, skip: Collection[str | None], known: Roles) -> list[str]:
    """Return the only numeric column left if none is named like a score.

    Beside it, numbers that all models of a sample share describe the sample.
    """
    free = (h for h in seen.headings if h not in {*seen.named, *skip} and not names.describes(h))
    found = [*filter(seen.is_numeric, free)]
    if len(found) > 1 and known["id"] is not None:
        found = [*_without_shared(seen, found, seen.joined(*known.of("set", "id")))]
    if len(found) == 1:
        return found
    held = ", ".join(seen.headings[:8])
    what = "several columns of numbers" if found else "neither predictions nor scores"
    raise ValueError(
        f"{seen.where} has {what} (its columns: {held}); name the column of the model's "
        f"outputs with {as_options(pred='COLUMN')}, or of its scores with "
        f"{as_options(score='COLUMN')}."
    )


def _without_shared(seen: Profile, found: Sequence[str], key: Sequence[str]) -> Sequence[str]:
    """Leave out numbers that models share beside one score; refuse what may be predictions."""
    shared = [h for h in found if not names.is_score(h) and seen.constant_within(h, key)]
    others = [h for h in found if h not in shared]
    if len(others) != 1 or names.is_score(others[0]):
        return others if len(others) == 1 else found
    raise DoubtError(
        f"{seen.where}: all models of a sample share the number in column {shared[0]!r}, as they "
        f"do its truth, and {others[0]!r} is not named like a score; if it has scores name it with "
        f"{as_options(score=others[0])}, if it predicts {shared[0]!r} name both.",
        true=shared[0], pred=others[0],
    )  # fmt: skip
