"""The column of the truth: told, by its name, or by its name and what it holds."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from modelcompare.readers import cell_types, names
from modelcompare.readers.messages import told
from modelcompare.readers.profile import Profile

# So many classes with hardly two samples each are texts, or need to be told.
_MANY_CLASSES = 50


def find_truth(seen: Profile, *, beside: Collection[str | None] | None = None) -> str | None:
    """The column of the truth: told, by its name, or by its name and content.

    In rows of one model, whose other columns are those `beside`, the name is enough.
    """
    if seen.columns.true is not None:
        return seen.columns.true
    skip = seen.chosen if beside is None else beside
    sure = seen.usual(names.TRUE, skip)
    maybe = [] if sure else seen.usual(names.MAYBE_TRUE, skip)
    if beside is not None:
        return _one_truth(seen, sure) or next(iter(maybe), None)
    others = [h for h in seen.headings if h not in {*seen.told, *maybe}]
    return _one_truth(
        seen, [*sure, *(h for h in maybe if any(seen.could_be_of(o, h) for o in others))]
    )


def _one_truth(seen: Profile, named: Sequence[str]) -> str | None:
    """Return the first of several columns named like the truth, if they all agree."""
    for other in named[1:]:
        first = seen.frame[named[0]].astype(str)
        if not first.equals(seen.frame[other].astype(str).rename(first.name)):
            raise ValueError(
                f"{seen.where}: columns {named[0]!r} and {other!r} are both named like the "
                f"truth, and differ; say which it is with {told(true=named[0])}, "
                f"or name the models with models= (--model)."
            )
    return next(iter(named), None)


def check_labels(seen: Profile, true: str) -> None:
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
