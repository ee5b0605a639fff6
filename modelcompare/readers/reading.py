"""Predictions as they were read, and how the source was understood, in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from modelcompare.arrays import BoolArray
from modelcompare.data.predictions import Predictions
from modelcompare.directions import resolved, sentence


@dataclass(frozen=True)
class Reading:
    """Predictions, and which part of the source was taken for what.

    Results that were `missing`, in the shape of each model's output, are told where they count as
    the worst.
    """

    predictions: Predictions
    parts: Mapping[str, str | None]
    missing: Mapping[str, BoolArray] = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """The parts that there are, in one line: ``truth: label; id: image; models: 2 (a, b)``."""
        return in_one_line(self.parts)


def in_one_line(parts: Mapping[str, str | None]) -> str:
    """Write out which part of a source was taken for what."""
    return "; ".join(f"{part}: {text}" for part, text in parts.items() if text)


def directed(names: Sequence[str | None], told: bool | None) -> str:
    """Directions of scores, by their names; None stands for one without a name.

    Examples
    --------
    >>> directed(["wer", "judge"], None), directed([None], False)
    ('wer: lower is better, by its name, judge: higher is better, by default', 'lower is better')
    """
    ways = {name: sentence(*resolved(name, told)) for name in names}
    return ", ".join(way if name is None else f"{name}: {way}" for name, way in ways.items())
