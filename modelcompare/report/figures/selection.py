"""Choose the models and classes that a figure has room for, and remark on those left out."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from modelcompare.report.compared import Block, by_telling
from modelcompare.report.numbers import plural
from modelcompare.report.tables import rows_at
from modelcompare.words import is_missing, label_name

MAX_CLASSES = 12
MAX_ROWS = 48


def select_blocks(
    blocks: Sequence[Block], *, baseline: str | None = None, max_models: int | None = None,
    max_classes: int = MAX_CLASSES, max_rows: int = MAX_ROWS,
) -> tuple[list[Block], str]:  # fmt: skip
    """Keep the classes where models differ most, and the best models, that fit; and a remark.

    Models of a metric that is not per class always fit, unless `max_models` says otherwise.
    """
    n_models = len(blocks[0].scores)
    telling = {block.label for block in by_telling(blocks, max_classes)[:max_classes]}
    classes = [block for block in blocks if block.label in telling]
    fitting = n_models if blocks[0].label is None else models_by_class(len(classes), max_rows)
    kept = min(n_models, fitting if max_models is None else max_models)
    models = _best_models(blocks, kept, baseline)
    said = [part_shown(len(models), n_models, "model", "the best"),
            part_shown(len(classes), len(blocks), "class", "where models differ most")]  # fmt: skip
    return [_only_models(block, models) for block in classes], "; ".join(filter(None, said))


def models_by_class(n_classes: int, max_rows: int) -> int:
    """Count the models that fit below the name of each class."""
    return max(max_rows // n_classes - 1, 2)


def part_shown(kept: int, of: int, thing: str, which: str = "") -> str:
    """Remark that a part is shown; nothing where it is all.

    >>> part_shown(12, 150, "class", "where models differ most")
    '12 of 150 classes shown, where models differ most'
    """
    if kept >= of:
        return ""
    return ", ".join(filter(None, [f"{kept} of {of:,} {plural(thing)} shown", which]))


def first_models(models: Sequence[str], most: int, which: str = "") -> tuple[list[str], str]:
    """The first models that fit, and a remark where others are left out."""
    kept = list(models)[:most]
    return kept, part_shown(len(kept), len(models), "model", which)


def telling_labels(frame: pd.DataFrame, column: str, most: int) -> tuple[list[Any], str]:
    """Classes over which a column ranges furthest, in their own order, and a remark."""
    labels = list(dict.fromkeys(None if is_missing(label) else label for label in frame["label"]))
    if len(labels) <= most:
        return labels, ""
    ranges = frame.groupby("label", sort=False)[column].agg(lambda x: x.max() - x.min())
    telling = set(ranges.sort_values(ascending=False, kind="stable").index[:most])
    kept = [label for label in labels if label in telling]
    return kept, part_shown(len(kept), len(labels), "class", "where models differ most")


def one_label(frame: pd.DataFrame, label: object) -> list[Any]:
    """Return the class that was asked for, as the frame has it."""
    # NaN is the label of what has no class, and a list is no label: none is equal to either.
    alone = isinstance(label, Hashable) and not is_missing(label)
    if not (alone and len(rows_at(frame, label=label))):
        known = list(dict.fromkeys(map(label_name, frame["label"])))
        raise ValueError(f"`label` {label!r} is not here; there are {_some(known)}.")
    return [label]


def among(argument: str, asked: Any, known: Sequence[Any]) -> Any:
    """Refuse a name that a result does not hold."""
    if asked not in known:
        raise ValueError(f"`{argument}` {asked!r} is not here; there are {_some(known)}.")
    return asked


def _some(known: Sequence[Any]) -> str:
    more = f" and {len(known) - 9} more" if len(known) > 9 else ""
    return ", ".join(map(str, known[:9])) + more


def _best_models(blocks: Sequence[Block], count: int, baseline: str | None) -> set[str]:
    """Models with the best median place over the classes, and the baseline among them."""
    places = pd.concat([block.scores["model"].reset_index() for block in blocks])
    medians = places.groupby("model", sort=False)["index"].median()
    order = list(medians.sort_values(kind="stable").index)
    order.sort(key=lambda model: model != baseline)
    return set(order[:count])


def _only_models(block: Block, models: set[str]) -> Block:
    pairs = block.differences
    return replace(
        block,
        scores=block.scores[block.scores["model"].isin(models)],
        differences=pairs[pairs["model_a"].isin(models) & pairs["model_b"].isin(models)],
    )
