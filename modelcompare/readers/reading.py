"""What was read, and how it was understood, in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modelcompare.data.predictions import Predictions
from modelcompare.directions import resolved, sentence

_MOST_NAMES = 6


@dataclass(frozen=True)
class Reading:
    """Predictions, and which part of the source was taken for what."""

    predictions: Predictions
    parts: Mapping[str, str | None]

    @property
    def sentence(self) -> str:
        """The parts that there are, in one line: ``truth: label; id: image; models: 2 (a, b)``."""
        return in_one_line(self.parts)


def in_one_line(parts: Mapping[str, str | None]) -> str:
    """Write out which part of a source was taken for what."""
    return "; ".join(f"{part}: {text}" for part, text in parts.items() if text)


def directed(names: Sequence[str | None], told: bool | None) -> str:
    """Which way scores are better, by their names; None stands for one without a name.

    Examples
    --------
    >>> directed(["wer", "judge"], None), directed([None], False)
    ('wer: lower is better, by its name, judge: higher is better, by default', 'lower is better')
    """
    ways = {name: sentence(*resolved(name, told)) for name in names}
    return ", ".join(way if name is None else f"{name}: {way}" for name, way in ways.items())


def counted(names: Sequence[str]) -> str:
    """Names behind their number, as far as they fit into a line.

    Examples
    --------
    >>> counted(["bert", "cnn"]), counted([f"m{i}" for i in range(100)])
    ('2 (bert, cnn)', '100 (m0, m1, m2, m3, m4, m5, ...)')
    """
    more = ", ..." if len(names) > _MOST_NAMES else ""
    return f"{len(names):,} ({', '.join(names[:_MOST_NAMES])}{more})" if names else ""
