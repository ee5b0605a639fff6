"""Bounds of a gain that hold however often they are computed while samples are added.

Of means of numbers with a known range they are found by betting, for any number of samples. Other
metrics have asymptotic bounds, which need samples in favour of each of the two models; so do their
bounds at an early look of several.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.influence import unit_influences
from modelcompare.intervals.betting import betting_bound, log_wealth, rounded_down
from modelcompare.questions.claims import Bounds, Ends
from modelcompare.questions.contrast import Contrast
from modelcompare.questions.unseen import Unseen
from modelcompare.significance.repeated import (
    LEAST_LEVEL,
    LEAST_OF_EACH,
    LEAST_UNITS,
    level_at_any_time,
)

_NO_BOUNDS = (-math.inf, math.inf)


def least(unit: str) -> str:
    """Write how many samples asymptotic bounds need before the last look."""
    return f"{LEAST_UNITS} {unit}, and {LEAST_OF_EACH} in favour of each model"


@dataclass(frozen=True)
class AnyTime:
    """Bounds of one gain for all numbers of samples together.

    Parameters
    ----------
    contrast : Contrast
        Candidate minus baseline.
    unseen : Unseen
        The gain, and the range of the numbers of single samples.
    sign : float
        1 for metrics of which more is better, else -1.
    fixed : callable
        Bounds of the gain at a one-sided level, for one number of samples.
    """

    contrast: Contrast
    unseen: Unseen
    sign: float
    fixed: Bounds

    @property
    def bets(self) -> bool:
        """True where bounds are found by betting: single samples have a known range."""
        evaluation = self.contrast.evaluation
        return (
            self.unseen.covers and evaluation.units.strata is None and evaluation.predictions.plain
        )

    @cached_property
    def _gains(self) -> tuple[FloatArray, FloatArray]:
        """Gains of samples, or clusters, by their influences, and how many have each."""
        sample, place = self.contrast.sample, self.contrast.position
        parts = [
            (self.sign * np.nan_to_num(u[0] - u[1], nan=0.0), counts)
            for value, u, counts in unit_influences(sample.evaluation, sample.point)
            if value == place
        ]
        influences, counts = (np.concatenate(side) for side in zip(*parts, strict=True))
        return influences + self.unseen.gain, counts

    @property
    def _range(self) -> float:
        return self.unseen.high - self.unseen.low

    @cached_property
    def enough(self) -> bool:
        """True if there are samples enough, and enough in favour of each model."""
        gains, counts = self._gains
        # About 0 where the models agree, which counts for neither.
        apart = gains**2 > gains**2 @ counts / counts.sum() / 4
        favours = [counts[apart & (side * gains > 0)].sum() for side in (1, -1)]
        return self.contrast.n_units >= LEAST_UNITS and min(favours) >= LEAST_OF_EACH

    @property
    def notes(self) -> list[str]:
        """Note on what is lacking for bounds."""
        lacking = not self.bets and not self.enough
        return [f"Bounds at any time need {least(self.contrast.unit)}."] if lacking else []

    def bounds(self, level: float) -> Ends:
        """Return the bounds of the gain at a one-sided level."""
        if self.bets:
            (gains, counts), most = self._gains, self._range
            gains = np.clip(gains, -most, most)
            low, high = (betting_bound(x, counts, -most, most, level) for x in (gains, -gains))
            return low, -high
        at_once = level_at_any_time(self.contrast.n_units, level)
        return self.fixed(at_once) if self.enough and at_once >= LEAST_LEVEL else _NO_BOUNDS

    def p_value(self, sign: float, threshold: float) -> float:
        """Return the smallest level at which betting shows ``sign * gain > threshold``.

        Above a half it is one minus the level at which the opposite is.
        """
        levels = [self._level(sign, threshold), self._level(-sign, -threshold)]
        return levels[0] if levels[0] < 0.5 else max(1 - levels[1], 0.5)

    def _level(self, sign: float, threshold: float) -> float:
        """Return the level at which betting shows a claim; 1 if it loses."""
        (gains, counts), most = self._gains, self._range
        if threshold <= -most:
            return 0.0
        numbers = rounded_down(sign * gains, counts, -most, most)
        return math.exp(min(0.0, -log_wealth(*numbers, threshold, -most)))
