"""The column of the truth: told, by its name, or by its name and what it holds."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from modelcompare.readers import cell_types, names
from modelcompare.readers.messages import told
from modelcompare.readers.profile import Seen

# So many classes with hardly two samples each are texts, or need to be told.
_MANY_CLASSES = 50


def find_truth(seen: Seen) -> str | None:
    """The column of true labels, by its name, or by its name and content."""
    if seen.columns.true is not None:
        return seen.columns.true
    skip = seen.told | seen.chosen
    free = [h for h in seen.headings if h not in skip]
    sure = names.named(free, names.TRUE)
    if len(sure) > 1:
        return _one_truth(seen, sure)
    if sure:
        return sure[0]
    maybe = names.named(free, names.MAYBE_TRUE)
    return _fitting_truth(seen, maybe) if maybe else None


def _one_truth(seen: Seen, named: Sequence[str]) -> str:
    """Of several columns named like the truth, the first, if they all say the same."""
    first = seen.frame[named[0]].astype(str)
    for other in named[1:]:
        if not first.equals(seen.frame[other].astype(str).rename(first.name)):
            raise ValueError(
                f"{seen.where}: columns {named[0]!r} and {other!r} are both named like the "
                f"truth, and differ; say which it is with {told(true=named[0])}, "
                f"or name the models with models= (--model)."
            )
    return named[0]


def _fitting_truth(seen: Seen, maybe: Sequence[str]) -> str | None:
    """A column that could be the truth by its name, if the others say what it says."""
    others = [h for h in seen.headings if h not in {*seen.told, *maybe}]
    fits = [h for h in maybe if any(seen.could_be_of(o, h) for o in others)]
    if len(fits) > 1:
        return _one_truth(seen, fits)
    return fits[0] if fits else None


def truth_of_one(seen: Seen, skip: Collection[str | None]) -> str | None:
    """The column of the truth by its name, among the columns of one model's rows."""
    free = [h for h in seen.headings if h not in {*skip} | seen.told]
    sure = names.named(free, names.TRUE)
    if len(sure) > 1:
        return _one_truth(seen, sure)
    return next(iter([*sure, *names.named(free, names.MAYBE_TRUE)]), None)


def check_labels(seen: Seen, true: str) -> None:
    """Refuse free texts as labels, which would make a class of every sample."""
    if seen.columns.kind != "auto" or cell_types.share_of_numbers(seen.frame[true], seen.marks):
        return
    held = seen.present(true)
    if cell_types.holds_objects(held):
        # Refused where labels are made of them.
        return
    n_distinct = held.nunique()
    if n_distinct >= _MANY_CLASSES and n_distinct > len(held) / 2:
        raise ValueError(
            f"{seen.where}: column {true!r} holds {n_distinct:,} different texts in "
            f"{len(held):,} rows; if they are texts, not classes, pass kind='texts' (--kind "
            "texts), else kind='labels' (--kind labels)."
        )
