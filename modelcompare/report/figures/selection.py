"""Choose the models and classes that a figure has room for, and remark on those left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modelcompare.report.numbers import plural
from modelcompare.words import label_name


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


def shown_classes(
    order: Sequence[int], most: int, which: str = "where models differ most"
) -> tuple[list[int], str]:
    """Positions of the first classes of an order, in their own order, and a remark."""
    kept = sorted(order[:most])
    return kept, part_shown(len(kept), len(order), "class", which)


def among(argument: str, asked: Any, known: Sequence[Any]) -> Any:
    """Refuse a name, or a class, that a result does not hold."""
    if asked not in known:
        more = f" and {len(known) - 9} more" if len(known) > 9 else ""
        there = ", ".join(map(label_name, known[:9])) + more
        raise ValueError(f"`{argument}` {asked!r} is not here; there are {there}.")
    return asked
