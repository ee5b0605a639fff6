"""Metrics of censored samples without each sample, in closed form.

Without a sample of weight w at time t, Kaplan and Meier's factor at every time before t has w fewer
at risk, that at t itself w fewer that are censored, and later ones are as before. So the estimate
before t is the one that lacks w everywhere, and at t and later it is a multiple of that with all
samples. Sums over events before t and from t on are running sums in the order of time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modelcompare.arrays import CACHE_BYTES, BoolArray, FloatArray, IntArray
from modelcompare.metrics.base import Outcomes, divide
from modelcompare.metrics.ranking import Evaluate
from modelcompare.metrics.running_sums import Below, Groups, partners
from modelcompare.plugins.survival.censoring import BrierErrors, Pairs, truth_of

# Estimates that lack one weight are computed for so many different weights.
_FEW_WEIGHTS = 16
_ROUNDING = 1e-12


def in_closed_form(weights: FloatArray) -> bool:
    """True where few different weights occur, so that samples can be left out in closed form."""
    return len(np.unique(weights)) <= _FEW_WEIGHTS


def recomputed(evaluate: Evaluate, weights: FloatArray) -> FloatArray:
    """Compute a value without each sample, some samples at a time."""
    samples, step = np.arange(len(weights)), max(1, CACHE_BYTES // (8 * len(weights)))
    parts = [samples[start : start + step, None] for start in range(0, len(weights), step)]
    return np.concatenate([evaluate(np.where(samples == part, 0.0, weights)) for part in parts])


@dataclass(frozen=True)
class LeftOut:
    """Estimates of the probability not to be censored, without each sample of one weight.

    Attributes
    ----------
    here : ndarray of bool of shape (n_samples,)
        The samples that have the weight.
    before : ndarray of shape (1 + n_times,)
        Before and at each time, without the weight at a later time.
    ratio : ndarray of shape (n_samples,)
        The estimate without the sample over that with all samples, at its time and at later ones.
    """

    here: BoolArray
    before: FloatArray
    ratio: FloatArray


@dataclass(frozen=True)
class Censoring:
    """Weights of samples in the order of time, and the probability not to be censored."""

    time: FloatArray
    event: BoolArray
    weights: FloatArray

    @classmethod
    def of(cls, outcomes: Outcomes, weights: FloatArray) -> Censoring:
        """Read the truth of a model's outcomes."""
        return cls(*truth_of(outcomes), weights.astype(np.float64))

    @cached_property
    def groups(self) -> Groups:
        """Samples by time."""
        return Groups.of(self.time)

    @property
    def place(self) -> IntArray:
        """Time of each sample, as an index of the estimates."""
        return 1 + self.groups.codes

    @cached_property
    def _sums(self) -> tuple[FloatArray, FloatArray]:
        """Weights of the later samples, and of those censored, at each time."""
        codes, n_times = self.groups.codes, len(self.groups)
        everyone = np.bincount(codes, self.weights, n_times).astype(np.float64)
        censored = np.bincount(codes, np.where(self.event, 0.0, self.weights), n_times)
        later = np.cumsum(everyone[::-1])[::-1] - everyone
        return later, censored.astype(np.float64)

    @cached_property
    def whole(self) -> FloatArray:
        """The estimate with all samples, before and at each time."""
        later, censored = self._sums
        return _product(divide(later, later + censored, 1.0))

    def without(self) -> Iterable[LeftOut]:
        """Yield the estimates without each sample, for each weight that occurs."""
        later, censored = self._sums
        at, place = self.groups.codes, self.place
        for weight in np.unique(self.weights):
            fewer = _positive(later - weight, later)
            before = _product(divide(fewer, fewer + censored, 1.0))
            own = censored[at] - np.where(self.event, 0.0, weight)
            own = _positive(own, censored[at])
            at_time = before[place - 1] * divide(later[at], later[at] + own, 1.0)
            ratio = divide(at_time, self.whole[place], 0.0)
            yield LeftOut(self.weights == weight, before, ratio)

    def earlier(self, numbers: FloatArray) -> FloatArray:
        """Sum numbers of the samples before each sample's time."""
        sums = np.cumsum(np.bincount(self.groups.codes, numbers, len(self.groups)))
        return np.concatenate([[0.0], sums])[self.groups.codes]

    def as_late(self, numbers: FloatArray) -> FloatArray:
        """Sum numbers of the other samples at each sample's time and later."""
        sums = np.cumsum(np.bincount(self.groups.codes, numbers, len(self.groups))[::-1])[::-1]
        return sums[self.groups.codes] - numbers


def _positive(left: FloatArray, whole: FloatArray | float) -> FloatArray:
    """Return differences from a whole, without those of rounding."""
    return np.where(left <= _ROUNDING * whole, 0.0, left)


def _product(steps: FloatArray) -> FloatArray:
    return np.concatenate([[1.0], np.cumprod(steps)])


def harrell(outcomes: Outcomes, weights: FloatArray) -> FloatArray:
    """Compute the share of concordant pairs without each sample."""
    pairs, earlier = Pairs.of(outcomes), weights * truth_of(outcomes)[1]
    both = np.concatenate([weights, earlier])

    def left(parts: Iterable[Below]) -> FloatArray:
        later, sooner = np.split(both * partners(parts, both), 2)
        return _positive(later.sum() - later - sooner, later.sum())

    return 1 - divide(left(pairs.discordant), left([pairs.comparable]))


def uno(outcomes: Outcomes, weights: FloatArray, *, tau: float | None) -> FloatArray:
    """Compute Uno's c-index without each sample."""
    order = Censoring.of(outcomes, weights)
    counts = weights * (order.event if tau is None else order.event & (order.time < tau))
    whole = divide(counts, order.whole[order.place] ** 2, 0.0)
    pairs, before = Pairs.of(outcomes), Pairs.of(outcomes, at_once=False)
    discordant = _Events.of(pairs.discordant, before.discordant, weights, whole)
    comparable = _Events.of([pairs.comparable], [before.comparable], weights, whole)
    out = np.full(len(weights), np.nan)
    for left_out in order.without():
        lighter = divide(counts, left_out.before[order.place] ** 2, 0.0)
        times = divide(np.ones(len(weights)), left_out.ratio**2, 0.0)
        wrong, all_pairs = (each.left(order, lighter, times) for each in (discordant, comparable))
        out[left_out.here] = (1 - divide(wrong, all_pairs))[left_out.here]
    return out


@dataclass(frozen=True)
class _Events:
    """Events of some pairs: their weights, and sums over the pairs of each sample.

    Attributes
    ----------
    earlier : list of Below
        The pairs of samples at different times.
    weights, whole : ndarray of shape (n_samples,)
        Weights of the samples, and of the events, over the squared estimates with all samples.
    later : ndarray of shape (n_samples,)
        Weights of the later samples of each event.
    at_once : ndarray of shape (n_samples,)
        Weights of the events at a censored sample's own time.
    """

    earlier: list[Below]
    weights: FloatArray
    whole: FloatArray
    later: FloatArray
    at_once: FloatArray

    @classmethod
    def of(
        cls, parts: Iterable[Below], earlier: Iterable[Below], weights: FloatArray,
        whole: FloatArray,
    ) -> _Events:  # fmt: skip
        """Sum over the pairs."""
        earlier, both = list(earlier), np.concatenate([weights, whole])
        events, later = np.split(partners(parts, both), 2)
        return cls(earlier, weights, whole, later, events - partners(earlier, both)[: len(weights)])

    def left(self, order: Censoring, lighter: FloatArray, times: FloatArray) -> FloatArray:
        """Sum the pairs without each sample: events before its time are lighter."""
        n, all_pairs = len(self.weights), float(self.whole @ self.later)
        own = partners(self.earlier, np.concatenate([self.weights, lighter]))[:n]
        before = order.earlier(lighter * self.later) - self.weights * own
        as_late = order.as_late(self.whole * self.later) - self.weights * self.at_once
        return _positive(before + times * as_late, all_pairs)


def brier(outcomes: Outcomes, weights: FloatArray) -> FloatArray:
    """Compute the integrated Brier score without each sample."""
    order, errors = Censoring.of(outcomes, weights), BrierErrors.of(outcomes)
    reached = errors.reached
    of_gone, alive = weights * errors.gone, weights[:, None] * errors.alive
    whole = divide(of_gone, order.whole[order.place], 0.0)
    n_before = np.searchsorted(reached, order.place)
    out = np.full(len(weights), np.nan)
    for left_out in order.without():
        lighter = divide(of_gone, left_out.before[order.place], 0.0)
        times = divide(np.ones(len(weights)), left_out.ratio, 0.0)
        early = divide(alive, left_out.before[reached], 0.0)
        sums = np.concatenate([[0.0], np.cumsum(early.sum(axis=0))])
        late = divide(alive.sum(axis=0), order.whole[reached], 0.0)
        later_sums = np.concatenate([np.cumsum(late[::-1])[::-1], [0.0]])
        gone = order.earlier(lighter) + times * order.as_late(whole)
        still = sums[n_before] - early.sum(axis=1) + times * later_sums[n_before]
        left = divide(gone + still, weights.sum() - weights)
        out[left_out.here] = left[left_out.here]
    return out
