"""Comparable pairs of samples, some of them censored, and the probability not to be censored.

A pair of samples is comparable if the one with the earlier time had its event then. In the order of
times, at equal times events before censored samples, these are pairs of an event and a later
sample. A sample of weight w counts as w equal samples.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.metrics.base import Outcomes, divide
from modelcompare.metrics.ranks import Concordant
from modelcompare.metrics.running_sums import Below, Groups


def truth_of(outcomes: Outcomes) -> tuple[FloatArray, BoolArray]:
    """Return the time of each sample, and whether it had its event then."""
    time, event = outcomes.true_values.T
    return time, event == 1


@dataclass(frozen=True)
class Pairs:
    """Comparable pairs, and parts of them in which the later sample has the higher risk.

    The earlier samples are numbered after all samples: a sample has two weights, as the later one,
    and as the earlier one, which is 0 if it is censored.
    """

    comparable: Below
    orders: Concordant
    n: int

    @classmethod
    def of(cls, outcomes: Outcomes, *, at_once: bool = True) -> Pairs:
        """Order the samples by time, and by risk; `at_once`, pairs of one time are compared too."""
        time, event = truth_of(outcomes)
        n, places = len(time), np.unique(time, return_inverse=True)[1]
        times = Groups.of((2.0 * places + (~event & at_once)).astype(np.float64))
        before = times.starts[times.codes[times.order]]
        comparable = Below(n + times.order, times.order, before, before)
        return cls(comparable, Concordant(times, Groups.of(outcomes.values)), n)

    @property
    def discordant(self) -> Iterable[Below]:
        """Parts of the pairs whose order of risks is wrong; ties count half."""
        return (replace(below, adders=self.n + below.adders) for below in self.orders)

    def share(self, later: AnyArray, earlier: AnyArray) -> FloatArray:
        """Compute the share of concordant pairs under weights (n_samples, n_resamples)."""
        weights = np.concatenate([later, earlier])
        parts = (below.read(weights)[0] for below in self.discordant)
        discordant = sum(parts, np.zeros(weights.shape[1]))
        return 1 - divide(discordant, self.comparable.read(weights)[0])


def uncensored(groups: Groups, event: BoolArray, weights: FloatArray) -> FloatArray:
    """Return Kaplan and Meier's estimate of the probability not to be censored by each time.

    Before and at all distinct times, (1 + n_times, n_resamples), of samples grouped by time. At
    equal times, events come before censored samples.
    """
    censored = np.where(event[:, None], 0.0, weights)
    order, starts = groups.order, groups.starts[:-1]
    everyone = np.add.reduceat(weights[order], starts, axis=0)
    censored = np.add.reduceat(censored[order], starts, axis=0)
    later = np.cumsum(everyone[::-1], axis=0)[::-1] - everyone
    steps = divide(later, later + censored, 1.0)
    return np.concatenate([np.ones((1, weights.shape[1])), np.cumprod(steps, axis=0)])


@dataclass(frozen=True)
class BrierErrors:
    """Squared errors of survival probabilities, averaged over the times by the trapezoidal rule.

    Attributes
    ----------
    gone : ndarray of shape (n_samples,)
        Those at the times from a sample's event on.
    alive : ndarray of shape (n_samples, n_columns)
        Those at each time before the end of a sample.
    reached : ndarray of int of shape (n_columns,)
        Number of distinct times of samples up to each time.
    """

    gone: FloatArray
    alive: FloatArray
    reached: IntArray

    @classmethod
    def of(cls, outcomes: Outcomes) -> BrierErrors:
        """Compute the errors of a model."""
        (time, event), survival = truth_of(outcomes), outcomes.probabilities
        times = np.asarray(outcomes.labels, dtype=np.float64)
        steps = np.diff(times) / (times[-1] - times[0])
        parts = (np.r_[steps, 0.0] + np.r_[0.0, steps]) / 2
        gone = event[:, None] & (time[:, None] <= times)
        alive = np.where(time[:, None] > times, (1 - survival) ** 2, 0.0) * parts
        reached = np.searchsorted(np.unique(time), times, side="right")
        return cls((gone * survival**2) @ parts, alive, reached)
