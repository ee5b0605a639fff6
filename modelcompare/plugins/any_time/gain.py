"""Bounds of a gain that hold however often they are computed while samples are added.

Of means of numbers with a known range they are found by betting, for any number of samples. Other
metrics have asymptotic bounds, which need samples in favour of each of the two models; so do their
bounds at an early look of several.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from modelcompare.plugins.any_time.betting import betting_bound, log_wealth, rounded_down
from modelcompare.plugins.any_time.mixture import level_at_any_time
from modelcompare.questions.gains import Gain, not_at_any_time
from modelcompare.significance.inverted import LEAST_LEVEL, Ends


@dataclass(frozen=True)
class GainAtAnyTime(Gain):
    """A gain with bounds for all numbers of samples together.

    Raises
    ------
    ValueError
        If more than samples of one test set is random.
    """

    any_time: ClassVar[bool] = True

    def __post_init__(self) -> None:
        design = self.contrast.sample.design
        if design.beyond_items:
            raise not_at_any_time(design.at_any_time)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the gain, and on what is lacking for bounds."""
        lacking = not self.bets and not self.has_enough
        return (*super().notes, *([f"Bounds at any time need {self.least}."] if lacking else []))

    @property
    def bets(self) -> bool:
        """True where bounds are found by betting: single samples have a known range."""
        evaluation = self.contrast.evaluation
        plain = evaluation.units.strata is None and evaluation.access.plain
        return self.unseen.of_means and plain

    @property
    def _range(self) -> float:
        return self.unseen.high - self.unseen.low

    def bounds(self, level: float) -> Ends:
        """Return the bounds of the gain at a one-sided level."""
        if self.bets:
            (gains, counts), most = self.of_units, self._range
            gains = np.clip(gains, -most, most)
            low, high = (betting_bound(x, counts, -most, most, level) for x in (gains, -gains))
            return low, -high
        at_once = level_at_any_time(self.n_units, level)
        has_bounds = self.has_enough and at_once >= LEAST_LEVEL
        return super().bounds(at_once) if has_bounds else (-math.inf, math.inf)

    def planned(self, level: float) -> Ends:
        """Return the bounds by which more samples are planned: of one look, if there are none."""
        ends = self.bounds(level)
        return ends if math.isfinite(ends[0]) else self.seen(level)

    def p_value(self, sign: float, threshold: float) -> float:
        """Return the smallest one-sided level at which ``sign * gain > threshold`` is shown.

        By betting, above a half, it is one minus the level at which the opposite is.
        """
        if not self.bets:
            return super().p_value(sign, threshold)
        level = self._level(sign, threshold)
        return level if level < 0.5 else max(1 - self._level(-sign, -threshold), 0.5)

    def _level(self, sign: float, threshold: float) -> float:
        """Return the level at which betting shows a claim; 1 if it loses."""
        (gains, counts), most = self.of_units, self._range
        if threshold <= -most:
            return 0.0
        numbers = rounded_down(sign * gains, counts, -most, most)
        return math.exp(min(0.0, -log_wealth(*numbers, threshold, -most)))
