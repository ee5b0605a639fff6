"""Columns that describe the samples, which options name, and their arguments of Predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from modelcompare.plugs import rows


@dataclass(frozen=True, kw_only=True)
class Beside:
    """A column beside the results, which describes each sample.

    Parameters
    ----------
    option : str
        The option of `Columns` that names it.
    argument : str
        The argument of `Predictions` that it gives.
    numbers : bool
        Whether its cells are numbers.
    substitutes : bool
        Whether it stands for results that are missing: for true labels, or without a truth for the
        scores of each model, which a pattern such as ``"{model}.x"`` may name.
    """

    option: str
    argument: str
    numbers: bool = False
    substitutes: bool = False


_BESIDE = (
    *(Beside(option=name, argument=name) for name in ("groups", "strata", "runs")),
    Beside(option="weight", argument="sample_weight", numbers=True),
)


def all_beside() -> Mapping[str, Beside]:
    """Return all columns beside the results by their option, those of plugins included."""
    return {each.option: each for each in (*_BESIDE, *rows("beside"))}


def substitutes() -> list[Beside]:
    """Return the columns that stand for results that are missing."""
    return [each for each in all_beside().values() if each.substitutes]
