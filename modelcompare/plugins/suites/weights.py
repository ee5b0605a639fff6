"""Test sets of a mean, and the share of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast, get_args

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.data.test_set import TestSet
from modelcompare.engine.design import design_of
from modelcompare.plugins.suites.checks import check_names
from modelcompare.words import (
    GeneralizeTo,
    GeneralizeToOfSets,
    MissingSets,
    WeightsOfSets,
    check_mapping,
    check_number,
)

# What varies within each set, where the sets vary.
WITHIN: Mapping[str, GeneralizeTo] = {"sets": "items", "sets+runs": "items+runs"}
Tested = TypeVar("Tested", bound=TestSet)


@dataclass(frozen=True, eq=False)
class WeightedSets(Mapping[str, Tested]):
    """Test sets of a mean by name, their shares in it, and a note on sets that lack models."""

    sets: Mapping[str, Tested]
    shares: FloatArray
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Tested:
        return self.sets[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.sets)

    def __len__(self) -> int:
        return len(self.sets)


def within(generalize_to: GeneralizeToOfSets) -> GeneralizeTo:
    """Return what varies within each test set."""
    return cast(GeneralizeTo, WITHIN.get(generalize_to, generalize_to))


def check_weights(argument: str, value: Any) -> None:
    """Refuse what is neither a name of weights nor a weight for each test set."""
    if not isinstance(value, str):
        check_mapping(argument, value, "numbers")
        for number in value.values():
            check_number(argument, number)
    elif value not in get_args(WeightsOfSets):
        choices = ", ".join(get_args(WeightsOfSets))
        raise ValueError(f"`{argument}` must be {choices} or a mapping, got {value!r}.")


def shares_of(
    sets: Mapping[str, TestSet],
    weights: WeightsOfSets | Mapping[str, float],
    generalize_to: GeneralizeToOfSets,
) -> FloatArray:
    """Return the share of each test set in a mean, and refuse what new sets do not allow."""
    check_weights("weights", weights)
    check_names(sets)
    if generalize_to in WITHIN and weights != "equal":
        raise ValueError(
            f"`weights` is for these test sets, and generalize_to={generalize_to!r} asks about new "
            "ones, which have equal weights; leave it out, or use generalize_to='items'."
        )
    if isinstance(weights, Mapping):
        if weights.keys() != sets.keys() or sum(weights.values()) <= 0:
            raise ValueError(
                f"`weights` must give each test set a weight, {', '.join(sets)}, that are not all "
                f"0; got {', '.join(weights)}."
            )
        found = np.array([weights[name] for name in sets], dtype=np.float64)
    else:
        sizes = weights == "samples"
        found = np.array([design_of(p).n_items(n) if sizes else 1.0 for n, p in sets.items()])
    shares: FloatArray = found / found.sum()
    return shares


def weighted_sets(
    sets: Mapping[str, Tested], models: Sequence[str], weights: WeightsOfSets | Mapping[str, float],
    generalize_to: GeneralizeToOfSets, missing: MissingSets,
) -> WeightedSets[Tested]:  # fmt: skip
    """Return the test sets to compare on; those without weight may lack models."""
    shares = shares_of(sets, weights, generalize_to)
    asked = [name for name, share in zip(sets, shares, strict=True) if share > 0]
    gaps = {name: [m for m in models if m not in sets[name].models] for name in asked}
    gaps = {name: lacks for name, lacks in gaps.items() if lacks}
    if not gaps:
        return WeightedSets(dict(sets), shares)
    named, name = ", ".join(gaps), next(iter(gaps))
    lacking = ", ".join(map(repr, gaps[name]))
    if missing == "refuse":
        raise ValueError(
            f"test set {name!r} has no predictions of {lacking} "
            f"({sum(map(len, gaps.values()))} missing in all); leave out "
            f"{'such models, or ' * (len(models) > 2)}such test sets with missing='drop' "
            "(compare_groups, gate; --missing drop), or compute what holds for all possible "
            "results with missing='bounds' (--missing bounds)."
        )
    if missing == "bounds":
        if generalize_to != "items":
            raise ValueError(
                "missing='bounds' is for these test sets and runs; use generalize_to='items' "
                "(--generalize-to items)."
            )
        bounds = f"Bounds for all possible results of the models that lack {named}."
        return WeightedSets(dict(sets), shares, (bounds,))
    if len(asked) - len(gaps) < 2:
        raise ValueError(
            f"missing='drop' leaves {len(asked) - len(gaps)} of {len(asked)} test "
            "sets, and a mean needs 2; give the one test set itself, or use missing='bounds' "
            "(--missing bounds)."
        )
    kept = np.array([name not in gaps for name in sets])
    note = f"Test sets dropped, which lack models: {named}."
    left = {name: each for name, each in sets.items() if name not in gaps}
    return WeightedSets(left, shares[kept] / shares[kept].sum(), (note,))


def written_shares(shares: FloatArray) -> str | None:
    """Write the shares of test sets for a signature; None if they are equal."""
    equal = np.allclose(shares, shares[0])
    return None if equal else "/".join(f"{share:.3g}" for share in shares)
