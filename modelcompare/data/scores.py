"""Per-example scores: one for each sample, or several that have names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from modelcompare.arrays import FloatArray
from modelcompare.data import checks
from modelcompare.data.inputs import aligned, columns_of
from modelcompare.directions import Known, resolved
from modelcompare.words import check_flag, check_numbers

T = TypeVar("T")

Direction: TypeAlias = bool | Mapping[str, bool]
Range: TypeAlias = tuple[float, float]
Ranges: TypeAlias = Range | Mapping[str, Range]
_ANY = (-math.inf, math.inf)
_REMEDY = "correct them, or declare their range (bounds=, --read range=LOW,HIGH)"
_NAMED = {"greater_is_better": "directions", "bounds": "ranges"}


@dataclass(frozen=True, slots=True)
class Scores:
    """Names of per-example scores, and their directions and ranges as they were declared.

    Parameters
    ----------
    names, beside : tuple of str
        Names of several scores, which are the outputs; and of scores beside other outputs.
    declared : bool or mapping of str to bool, optional
        Whether high scores are good, for all or by name.
    bounds : (float, float) or mapping of str to (float, float), optional
        Lowest and highest possible score, for all or by name.
    """

    names: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    declared: Direction | None = None
    bounds: Ranges | None = None

    @property
    def greater_is_better(self) -> bool | Mapping[str, bool | None] | None:
        """True if high scores are good, None if it is not known; of several, by their names."""
        if isinstance(self.declared, bool) or not self.names:
            return self.direction()[0]
        return {name: self.direction(name)[0] for name in self.names}

    def direction(self, name: str | None = None) -> tuple[bool | None, Known]:
        """Return the direction of a score and how it is known."""
        return resolved(name, of_score(self.declared, name))

    def bounds_of(self, name: str | None = None) -> Range | None:
        """Return the declared range of a score, or None."""
        return of_score(self.bounds, name)


def check_direction(given: Direction | None, names: tuple[str, ...]) -> Direction | None:
    """Check one direction, or those of some of several scores, as they were given."""

    def flag(value: Any) -> bool:
        check_flag("greater_is_better", value)
        return bool(value)

    return _of_scores("greater_is_better", given, names, flag, "True or False")


def check_bounds(
    bounds: Ranges | None, names: tuple[str, ...], arrays: Mapping[str, FloatArray]
) -> Ranges | None:
    """Check declared ranges, one or those of some of several scores, and that all scores fit."""
    found = _of_scores("bounds", bounds, names, check_range, "(low, high)")
    if found is None:
        return None
    if not arrays:
        raise ValueError("`bounds` is the range of per-example scores; leave it out.")
    for model, array in arrays.items():
        columns = array.reshape(len(array), -1).T
        for name, column in zip(names or (None,), columns, strict=True):
            low, high = of_score(found, name) or _ANY
            of = "" if name is None else f" of {name!r}"
            outside = (column < low) | (column > high)
            what = f"model {model!r} has scores{of} outside the declared range {low:g} to {high:g}"
            checks.refuse_rows(outside, what, _REMEDY)
    return found


def check_range(given: object) -> Range:
    """Check a declared range, (low, high)."""
    numbers = check_numbers("bounds", given)
    if len(numbers) != 2 or numbers[0] >= numbers[1]:
        raise ValueError(
            f"`bounds` must be the lowest and the highest possible score, as in (0, 1); got "
            f"{', '.join(f'{number:g}' for number in numbers) or 'nothing'}."
        )
    return numbers[0], numbers[1]


def of_score(given: T | Mapping[str, T] | None, name: str | None) -> T | None:
    """Return the value given for all scores, or for one of several, or None."""
    return given.get(str(name)) if isinstance(given, Mapping) else given


def _of_scores(
    argument: str, given: Any, names: tuple[str, ...], check: Callable[[Any], T], instead: str
) -> T | Mapping[str, T] | None:
    """Check a value given for all scores, or a mapping for some of several."""
    if given is None or not isinstance(given, Mapping):
        return None if given is None else check(given)
    if not names:
        raise ValueError(
            f"`{argument}` maps names to {_NAMED[argument]}, but the scores have no names; give "
            f"{instead}."
        )
    for name in given:
        if name not in names:
            raise ValueError(f"`{argument}` names a score {name!r}; there are {', '.join(names)}.")
    return {name: check(value) for name, value in given.items()}


def named_scores(scores: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[str, ArrayLike]]:
    """Return the names of several scores, empty for one score, and each model's array."""
    if not isinstance(scores, Mapping):
        return (), scores
    scores = aligned(outputs=scores)["outputs"]
    named = {m: found for m, given in scores.items() if (found := columns_of(given)) is not None}
    if not named:
        return (), dict(scores)
    first, names = next((model, tuple(found)) for model, found in named.items())
    arrays: dict[str, ArrayLike] = {}
    for model in scores:
        found = named.get(model, {})
        if not names:
            raise ValueError(f"model {first!r} has no scores; give at least one name with scores.")
        if {*found} != {*names}:
            own = f"the scores {', '.join(found)}" if found else "scores without names"
            raise ValueError(
                f"model {model!r} has {own}, model {first!r} has {', '.join(names)}; give each "
                "model the same ones."
            )
        arrays[model] = _stacked(f"model {model!r}", {name: found[name] for name in names})
    return names, arrays


def _stacked(where: str, columns: Mapping[str, ArrayLike]) -> FloatArray:
    """Return several scores of one model, of shape (n_samples, n_scores)."""
    arrays = {}
    for name, given in columns.items():
        what = f"score {name!r} of {where}"
        arrays[name] = checks.real_values(checks.as_array(given, what), what)
    lengths = {name: len(array) for name, array in arrays.items()}
    if len({*lengths.values()}) > 1:
        counts = ", ".join(f"{n:,} of {name}" for name, n in lengths.items())
        raise ValueError(f"{where} has scores of different lengths ({counts}).")
    return np.column_stack([*arrays.values()])
