"""Tables that plugins read: refused where the plugin is absent, as they would be misread."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from modelcompare.data.kinds import UNDECLARED
from modelcompare.plugs import absent, needed
from modelcompare.readers import names
from modelcompare.readers.messages import as_options
from modelcompare.readers.profile import Profile
from modelcompare.readers.role_table import NAMED_TRUTH
from modelcompare.readers.roles import solve


def refuse_absent(seen: Profile) -> None:
    """Refuse a table that an absent plugin reads, by its structure or its columns."""
    for what, is_there in _STRUCTURES.items():
        lacking = needed(what)
        if lacking and is_there(seen):
            raise ValueError(f"{seen.where}: {lacking}.")
    named = (seen.named | seen.chosen) - {seen.columns.id}
    free = [heading for heading in seen.headings if heading not in named]
    for plugin, usual in absent("COLUMNS").items():
        headings = [h for h in (names.first(free, each) for each in usual) if h is not None]
        if len(headings) == len(usual):
            one = "it describes" if len(headings) == 1 else "they describe"
            raise ValueError(
                f"{seen.where}: a table with {' and '.join(map(repr, headings))} needs the plugin "
                f"{plugin}; if {one} the samples pass {as_options(slices=headings)}."
            )


def _is_square(seen: Profile) -> bool:
    """Return whether rows are named like the other columns."""
    first, *others = seen.headings
    if seen.columns.output_kind.scored or len(seen.frame) not in (len(others), len(others) + 1):
        return False
    rows = sorted(map(str, seen.frame[first]))
    return rows == sorted(others) or seen.headings == [*map(str, range(len(seen.frame)))]


def _has_lists(seen: Profile) -> bool:
    """Return whether all cells of the truth are lists, or texts of them."""
    true = solve(seen, [NAMED_TRUTH])["truth"]
    if seen.columns.output_kind is not UNDECLARED or seen.columns.score or true is None:
        return False
    cells = seen.frame[true].dropna()
    return len(cells) > 0 and all(map(_is_list, cells))


def _is_list(cell: object) -> bool:
    if isinstance(cell, str):
        text = cell.strip()
        return text[:1] + text[-1:] in ("[]", "()", "{}")
    return isinstance(cell, list | tuple | set | frozenset)


# By the names of what plugins read.
_STRUCTURES: Mapping[str, Callable[[Profile], bool]] = {
    "a confusion matrix": _is_square, "a truth of lists of labels": _has_lists,
}  # fmt: skip
