"""Probabilities in lists or objects, one per cell -> a column for each class."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.data.checks import SUM_TOLERANCE
from modelcompare.data.kind_inference import are_codes
from modelcompare.readers import cell_types, names
from modelcompare.readers.cell_types import Column
from modelcompare.readers.messages import as_options
from modelcompare.readers.profile import Profile
from modelcompare.readers.records import PROBABILITY
from modelcompare.readers.role_table import NAMED_MODEL, NAMED_TRUTH, TRUTH_OF_ROW
from modelcompare.readers.roles import Roles, solve

_WRITTEN = re.compile(r"\s*[\[(](.*)[\])]\s*", re.DOTALL)
# Names that numpy and torch write around numbers and lists.
_NUMPY = re.compile(r"np\.float\d+\(([^()]*)\)|\b(?:array|tensor)\(([^()]*)\)")
# Between a model and a class in a heading.
_SEPARATORS = "_.- "
_BETWEEN = re.compile(r"[,;\s]+")


def with_class_columns(seen: Profile, *, alone: bool) -> Profile:
    """Replace each column of probability lists by one column per class.

    Other lists stay unchanged: they describe the samples, unless they are named like outputs.
    """
    columns = seen.columns
    if columns.output_kind.free_text or columns.output_kind.scored or columns.score:
        return seen
    of_one = not alone or bool(columns.pred or solve(seen, [NAMED_MODEL])["model"])
    seen = _of_models(_of_objects(seen), of_one=of_one)
    found = {heading: _numbers(seen.frame[heading], seen) for heading in _candidates(seen)}
    lists = {heading: array for heading, array in found.items() if array is not None}
    if not lists:
        return seen
    made = {
        heading: PROBABILITY
        if of_one or names.plain(heading) in (*names.PRED, *names.PROBABILITIES)
        else f"{heading}:"
        for heading in lists
    }
    if len({*made.values()}) < len(made):
        first, second = list(made)[:2]
        raise ValueError(
            f"{seen.where}: columns {first!r} and {second!r} both have probabilities in lists; "
            f"name the model's column with {as_options(pred='COLUMN')}."
        )
    parts: list[Any] = []
    for heading, column in seen.frame.items():
        array = lists.get(str(heading))
        if array is not None:
            labels = _classes(seen, str(heading), array.shape[1], [*lists])
            named = [f"{made[str(heading)]}{label}" for label in labels]
            column = pd.DataFrame(array, column.index, named)
        parts.append(column)
    columns = replace(columns, pred=None) if columns.pred in lists else columns
    frame = pd.concat(parts, axis=1)
    return seen.holding(frame, columns)


def _of_objects(seen: Profile) -> Profile:
    """Name columns of objects such as ``probs: {no: 0.2, yes: 0.8}`` after their classes.

    Lists of objects with a label and a score, as pipelines of transformers give, are such objects.
    """
    frame = seen.frame
    for heading in seen.headings:
        if names.plain(heading) in names.PROBABILITIES and heading not in seen.named:
            rows = [_by_label(cell) for cell in frame[heading]]
            if rows and all(rows):
                inside = pd.DataFrame(rows, frame.index).add_prefix(f"{heading}.")
                frame = pd.concat([frame.drop(columns=heading), inside], axis=1)
    of_probabilities: dict[str, list[str]] = {}
    for heading in map(str, frame.columns):
        name, dot, _ = heading.partition(".")
        if dot and names.plain(name) in names.PROBABILITIES and heading not in seen.named:
            of_probabilities.setdefault(name, []).append(heading)
    if len(of_probabilities) != 1:
        return seen
    ((name, headings),) = of_probabilities.items()
    cells = frame[headings].apply(pd.to_numeric, errors="coerce").to_numpy(np.float64)
    if len(headings) < 2 or not _are_probabilities(cells, normalize=seen.columns.normalize):
        return seen
    made = {each: PROBABILITY + each[len(name) + 1 :] for each in headings}
    if not {*made.values()}.isdisjoint(frame.columns):
        return seen
    return seen.holding(frame.rename(columns=made))


def _of_models(seen: Profile, *, of_one: bool) -> Profile:
    """Name columns such as ``cnn_no, cnn_yes`` after model and class.

    The classes are those of the truth, or those that all models have besides; every model has each,
    and its probabilities are 1 in all.
    """
    true = solve(seen, [replace(NAMED_TRUTH, shares=False)])["truth"]
    if true is None or seen.holds_objects(true):
        return seen
    known = {str(label) for label in seen.present(true).unique()}
    complete = _complete(seen, known) if len(known) > 1 else {}
    if _lacking(seen, known, complete):
        return seen
    shared = set[str]().union(*complete.values()).intersection(*complete.values())
    made: dict[str, str] = {}
    for (model, _), own in complete.items():
        prefix = PROBABILITY if names.plain(model) in names.PROBABILITIES else f"{model}:"
        if names.describes(model) or (of_one and prefix != PROBABILITY):
            continue
        for classes in (known, shared):
            cells = np.column_stack([cell_types.as_numbers(seen.frame[own[c]]) for c in classes])
            # Nothing but 0 and 1 may be the categories of a description.
            is_soft = bool(((cells > 0) & (cells < 1)).any())
            if is_soft and _are_probabilities(cells, normalize=seen.columns.normalize):
                made |= {own[label]: prefix + label for label in classes}
                break
    distinct = len({*made.values()}) == len(made)
    if not made or not distinct or not {*made.values()}.isdisjoint(seen.headings):
        return seen
    return seen.holding(seen.frame.rename(columns=made))


def _complete(seen: Profile, known: set[str]) -> dict[tuple[str, str], dict[str, str]]:
    """Return numeric columns by class, for each model and separator that have all known classes."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for heading in seen.headings:
        if heading not in seen.named and ":" not in heading:
            for place, sign in enumerate(heading):
                if sign in _SEPARATORS and 0 < place < len(heading) - 1:
                    found.setdefault((heading[:place], sign), {})[heading[place + 1 :]] = heading
    complete = {key: own for key, own in found.items() if known <= {*own}}
    return {
        key: numeric for key, own in complete.items()
        if known <= {*(numeric := {c: h for c, h in own.items() if seen.is_numeric(h)})}
    }  # fmt: skip


def _lacking(
    seen: Profile, known: set[str], complete: Mapping[tuple[str, str], Mapping[str, str]]
) -> bool:
    """Return whether numeric columns are named after classes of a model that lacks others."""
    used = {heading for own in complete.values() for heading in own.values()}
    signs = {sign for _, sign in complete}
    free = (h for h in seen.headings if h not in used and h not in seen.named)
    return any(
        h[place + 1 :] in known and seen.is_numeric(h)
        for h in free for place, sign in enumerate(h) if place and sign in signs
    )  # fmt: skip


def _by_label(cell: Any) -> dict[str, Any]:
    """Return the scores of a list of objects with a label and a score; empty for anything else."""
    entries = list(cell) if isinstance(cell, list | tuple | np.ndarray) else []
    if not all(isinstance(each, dict) and {"label", "score"} <= {*each} for each in entries):
        return {}
    return {str(each["label"]): each["score"] for each in entries}


def _candidates(seen: Profile) -> list[str]:
    """Find columns of lists that may be model outputs."""
    columns = seen.columns
    if columns.pred is not None:
        return [columns.pred]
    skip = {*names.named(seen.headings, names.TRUE), *seen.named}
    free = [h for h in seen.headings if h not in skip]
    if columns.models is not None:
        # Names first: a table may have a hundred thousand columns.
        chosen = {*seen.chosen}
        free = [h for h in free if h in chosen or names.plain(h) in names.PROBABILITIES]
    free = [h for h in free if _begins_with_list(seen.frame[h])]
    beside = names.companions(seen.headings) if len(free) > 1 else []
    return [h for h in free if h not in beside]


def _begins_with_list(column: Column) -> bool:
    if column.dtype.kind in "iufbM":
        return False
    present = (x for x in column if isinstance(x, list | tuple | np.ndarray) or not pd.isna(x))
    return _entries(next(present, None)) is not None


def _entries(cell: Any) -> Sequence[Any] | None:
    """Return the entries of a list, written or not; None where a cell is no list."""
    if isinstance(cell, list | tuple | np.ndarray):
        return list(cell)
    if not isinstance(cell, str) or not cell.rstrip().endswith(("]", ")")):
        return None
    written = _WRITTEN.fullmatch(_NUMPY.sub(r"\1\2", cell))
    return None if written is None else _BETWEEN.split(written[1].strip(" ,;\n"))


def _numbers(column: Column, seen: Profile) -> FloatArray | None:
    """Convert lists of probabilities to an array, NaN for missing cells; None for others."""
    present = column[~cell_types.missing_mask(column, seen.marks)].dropna()
    held = [_entries(cell) for cell in present]
    rows = [row for row in held if row is not None]
    if not rows or len(rows) < len(held):
        return None
    heading = str(column.name)
    means_boxes = names.plain(heading) in (*names.BOXES, "logits")
    of_model = names.plain(heading) in (*names.PRED, *names.PROBABILITIES) or heading in (
        seen.columns.pred, *seen.chosen
    )  # fmt: skip
    lengths = sorted({len(row) for row in rows})
    numeric = lengths[-1] > 0 and all(map(_is_number, chain.from_iterable(rows)))
    if numeric and len(lengths) == 1 and lengths[0] > 1:
        array = np.array([[*map(float, row)] for row in rows])
        if _are_probabilities(array, normalize=seen.columns.normalize):
            every = np.full((len(column), array.shape[1]), np.nan)
            every[column.index.get_indexer(present.index)] = array
            return every
    if means_boxes or (of_model and numeric):
        size = f"{lengths[0]}" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
        raise ValueError(
            f"{seen.where}: column {heading!r} has lists of {size} numbers that are no "
            "probabilities of as many classes (each at least 0, 1 in all); boxes, embeddings and "
            "logits are not compared: give probabilities, labels, or a score for each sample, or "
            "if it only describes the samples name the models with models= (--model)."
        )
    return None


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (OverflowError, TypeError, ValueError):
        return False
    return isinstance(cell, str | Real) and not isinstance(cell, bool)


def _are_probabilities(array: FloatArray, *, normalize: bool) -> bool:
    """Return whether most rows are probabilities; others are refused later, by their rows."""
    fits = (array >= 0).all(axis=1)
    if not normalize:
        fits &= np.abs(array.sum(axis=1) - 1) <= SUM_TOLERANCE
    return bool(fits.mean() > 0.5)


def _classes(seen: Profile, heading: str, n_classes: int, lists: Sequence[str]) -> list[str]:
    """Return the classes of a list's entries: those named, or codes used by the true labels."""
    declared = [order for order in seen.columns.declared if len(order) == n_classes]
    labels = seen.columns.labels or (declared[0] if len(declared) == 1 else None)
    if labels is not None and len(labels) != n_classes:
        raise ValueError(
            f"{seen.where}: column {heading!r} has lists of {n_classes} probabilities, but "
            f"labels (--read labels) are {len(labels)} ({', '.join(labels)})."
        )
    if labels is not None:
        return [*labels]
    true = solve(seen, [TRUTH_OF_ROW], Roles(skip=lists))["truth"]
    truth = np.empty(0) if true is None else _true_labels(seen, true)
    if truth.dtype.kind in "iu" and len(truth) and are_codes(truth, n_classes):
        return [*map(str, range(n_classes))]
    known = sorted({*map(str, truth.tolist())})
    order = known if len(known) == n_classes else [f"CLASS_{k + 1}" for k in range(n_classes)]
    raise ValueError(
        f"{seen.where}: column {heading!r} has lists of {n_classes} probabilities, and nothing "
        f"names their classes; name them in the lists' order, as {as_options(labels=order)} if "
        "that is it, or head a column model:class for each."
    )


def _true_labels(seen: Profile, true: str) -> AnyArray:
    held = seen.present(true)
    if cell_types.holds_objects(held):
        return np.empty(0)
    return cell_types.names(held.to_numpy(object)) if seen.written else held.to_numpy()
