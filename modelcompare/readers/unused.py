"""Columns of a table that are left out, and what they may be used for."""

from __future__ import annotations

from collections.abc import Sequence

from modelcompare.readers import names
from modelcompare.readers.messages import counted
from modelcompare.readers.profile import Profile

# Samples that a subgroup needs to be compared.
LEAST_SLICE = 30


def other_uses(
    seen: Profile, held: Sequence[str], headings: Sequence[str] = ()
) -> tuple[str, list[str]]:
    """Return which of some columns may name clusters, empty if none does, and which subgroups.

    Clusters may also be the ids among `headings`, if they repeat.
    """
    other = (h for h in held if not (names.measures(h) or seen.is_real(h)))
    some = [h for h in other if not seen.holds_objects(h)]
    ids = [h for h in seen.usual(names.ID, headings) if not seen.all_differ(h)]
    groups = [*names.named(some, names.USER), *ids][:1]
    counts = {h: seen.present(h).value_counts() for h in some if h not in groups}
    slices = [h for h, n in counts.items() if len(n) > 1 and n.iloc[0] >= LEAST_SLICE]
    return "".join(groups), slices


def write_unused(seen: Profile, headings: Sequence[str]) -> str:
    """Write the columns that are left out, and the options by which they have a use."""
    # Of a file that is read block by block, other columns are not there.
    groups, slices = other_uses(seen, [h for h in headings if h in seen.frame])
    uses = [*([f"--groups {groups}"] if groups else []), *(f"--slice {each}" for each in slices)]
    left = counted([*dict.fromkeys(headings)])
    return f"{left}, see {', '.join(uses[:3])}" if uses else left
