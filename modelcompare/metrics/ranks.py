"""Correlations of ranks: of the truth and the output, from running sums of the weights.

A sample of weight w counts as w equal samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from modelcompare.arrays import CACHE_BYTES, AnyArray, FloatArray, IntArray
from modelcompare.metrics.base import OrderMetric, Outcomes, divide
from modelcompare.metrics.ranking import Evaluate
from modelcompare.metrics.running_sums import Below, Running, by_sample, slabs, summed, total

_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


@dataclass(frozen=True)
class _Groups:
    """Samples in ascending order of a value, in groups of equal ones.

    Attributes
    ----------
    order : ndarray of int of shape (n_samples,)
        The samples in ascending order.
    codes : ndarray of int of shape (n_samples,)
        Group of each sample.
    starts : ndarray of int of shape (n_groups + 1,)
        How many samples come before each group, and all of them.
    """

    order: IntArray
    codes: IntArray
    starts: IntArray

    @classmethod
    def of(cls, values: FloatArray) -> _Groups:
        """Sort the samples."""
        _, codes, sizes = np.unique(values, return_inverse=True, return_counts=True)
        return cls(np.argsort(codes, kind="stable"), codes, np.r_[0, np.cumsum(sizes)])

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def running(self) -> Running:
        """Running sums in ascending order."""
        return Running.over(self.order)

    @cached_property
    def rows(self) -> IntArray:
        """Rows of the running sums before each group, and after all."""
        return self.running.at[self.starts]

    def unequal(self, weights: AnyArray) -> FloatArray:
        """Weight of the pairs of samples in unequal groups, in each resample."""
        pairs = np.zeros(weights.shape[1])
        for sizes, others in self._sizes(weights):
            pairs += total(sizes, others)
        return pairs / 2

    def spread(self, weights: AnyArray) -> FloatArray:
        """Sum of squares of twice the mid-ranks less their mean, in each resample."""
        squares = np.zeros(weights.shape[1])
        for sizes, others in self._sizes(weights):
            squares += total(sizes * others, others + 2 * sizes)
        return squares / 3

    def _sizes(self, weights: AnyArray) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Weights of some groups after others, and of all but each, (n_groups, n_resamples)."""
        untied = len(self) == len(weights)
        sums = weights if untied else self.running.sums(weights)
        everything = summed(weights) if untied else sums[self.rows[-1]].astype(np.float64)
        for some in slabs(len(self), floats=True):
            sizes = sums[some]
            if not untied:
                sizes = sums.take(self.rows[1:][some], axis=0)
                sizes -= sums.take(self.rows[:-1][some], axis=0)
            yield sizes.astype(np.float64), everything - sizes

    def ends(self, samples: slice) -> tuple[IntArray, IntArray]:
        """Rows of the running sums before and after the groups of some samples."""
        codes = self.codes[samples]
        return self.rows[codes], self.rows[codes + 1]


def _prepare_spearman(outcomes: Outcomes) -> Evaluate:
    groups = [_Groups.of(values) for values in (outcomes.true_values, outcomes.values)]

    def evaluate(weights: FloatArray) -> FloatArray:
        weights = by_sample(weights)
        sums = [group.running.sums(weights) for group in groups]
        both = np.zeros(weights.shape[1])
        for some in slabs(len(weights), floats=True):
            a, b = (_centred_ranks(*ranked, some) for ranked in zip(groups, sums, strict=True))
            a *= weights[some]
            both += total(a, b)
        truth, output = (group.spread(weights) for group in groups)
        return np.clip(divide(both, np.sqrt(truth * output)), -1.0, 1.0)

    return evaluate


def _centred_ranks(groups: _Groups, sums: AnyArray, samples: slice) -> FloatArray:
    """Twice the mid-ranks of some samples less their mean, (n_samples, n_resamples)."""
    before, after = groups.ends(samples)
    ranks = sums.take(before, axis=0)
    ranks += sums.take(after, axis=0)
    return ranks - sums[groups.rows[-1]].astype(np.float64)


@dataclass(frozen=True)
class _Digit:
    """Samples whose true ranks agree in all binary digits before one.

    Attributes
    ----------
    zeros, ones : ndarray of int
        Samples with this digit 0, and 1, in ascending order of `key`.
    key : ndarray of int of shape (n_samples,)
        Place in the output's order, within the samples that agree.
    least, past : ndarray of int of shape (n_samples,)
        Keys where those begin, and where they are over.
    """

    zeros: IntArray
    ones: IntArray
    key: IntArray
    least: IntArray
    past: IntArray

    def below(self) -> Below:
        """Return the zeros below each one."""
        zeros, ones = self.key[self.zeros], self.key[self.ones]
        below, up_to = (np.searchsorted(zeros, ones, side) for side in _SIDES)
        start = np.searchsorted(zeros, self.least[self.ones])
        return Below(self.zeros, self.ones, below, up_to, start)

    def leanings(self, weights: FloatArray) -> FloatArray:
        """Weight of samples in agreement with each, less that of samples in disagreement."""
        out = np.zeros(len(weights))
        for own, other, sign in ((self.ones, self.zeros, 1), (self.zeros, self.ones, -1)):
            cumulated = np.r_[0.0, np.cumsum(weights[other])]
            key = self.key[other]
            below, up_to = (cumulated[np.searchsorted(key, self.key[own], side)] for side in _SIDES)
            least, past = (
                cumulated[np.searchsorted(key, ends[own])] for ends in (self.least, self.past)
            )
            out[own] += sign * (below + up_to - least - past)
        return out


@dataclass(frozen=True)
class _Agreement:
    """Pairs of samples that truth and output order alike, less those that they do not.

    The true ranks of two samples agree in some first binary digits and differ in the next. At that
    digit, among samples that agree in those before it, the output should put zeros below ones: as
    many questions as digits, each of the kind that a ROC curve asks.
    """

    truth: _Groups
    output: _Groups

    @classmethod
    def of(cls, outcomes: Outcomes) -> _Agreement:
        """Rank truth and output; the one with fewer distinct values has the digits."""
        groups = _Groups.of(outcomes.true_values), _Groups.of(outcomes.values)
        return cls(*sorted(groups, key=len))

    def digits(self) -> Iterator[_Digit]:
        """Every binary digit of the true ranks."""
        codes, size = self.truth.codes, len(self.output)
        for digit in range((len(self.truth) - 1).bit_length()):
            before = codes >> (digit + 1)
            order = self.output.order[np.argsort(before[self.output.order], kind="stable")]
            is_one = (codes[order] >> digit & 1).astype(bool)
            least = before * size
            key = least + self.output.codes
            yield _Digit(order[~is_one], order[is_one], key, least, least + size)

    @cached_property
    def _kept(self) -> list[Below]:
        return [digit.below() for digit in self.digits()]

    def tau(self, weights: FloatArray) -> FloatArray:
        """Kendall's tau-b under each row of weights."""
        weights = by_sample(weights)
        # Orders of few samples, one for each binary digit of a rank, are kept for later resamples.
        few = 8 * len(weights) <= CACHE_BYTES
        below = np.zeros(weights.shape[1])
        for question in self._kept if few else (digit.below() for digit in self.digits()):
            below += question.read(weights)[0]
        of_truth, of_output = self.truth.unequal(weights), self.output.unequal(weights)
        return _tau(2 * below - of_truth, of_truth, of_output)

    def leanings(self, weights: FloatArray) -> FloatArray:
        """Weight of samples in agreement with each, less that of samples in disagreement."""
        out = np.zeros(len(weights))
        for digit in self.digits():
            out += digit.leanings(weights)
        return out

    def leave_out(self, weights: FloatArray) -> FloatArray:
        """Tau-b without each sample in turn, under one vector of weights."""
        leanings = self.leanings(weights) * weights
        pairs = []
        for groups in (self.truth, self.output):
            unequal = weights * (weights.sum() - np.bincount(groups.codes, weights)[groups.codes])
            left = unequal.sum() / 2 - unequal
            pairs.append(np.where(left <= 1e-12 * unequal.sum(), 0.0, left))
        return _tau(np.sum(leanings) / 2 - leanings, *pairs)


def _tau(agreement: FloatArray, of_truth: FloatArray, of_output: FloatArray) -> FloatArray:
    """Agreement over the geometric mean of the numbers of pairs that are not tied."""
    product = np.sqrt(np.maximum(of_truth, 0.0)) * np.sqrt(np.maximum(of_output, 0.0))
    return np.clip(divide(agreement, product), -1.0, 1.0)


def _spearman_jackknife(outcomes: Outcomes, weights: FloatArray) -> FloatArray:
    """Spearman's correlation without each sample in turn.

    Without a sample of weight w, twice the centred mid-ranks above it fall by w, those below rise.
    """
    agreement = _Agreement.of(outcomes)
    a, b = (_whole_ranks(groups, weights) for groups in (agreement.truth, agreement.output))
    moved = _tilt(agreement.output, weights * a) + _tilt(agreement.truth, weights * b)
    both = weights * a * b
    left = both.sum() - both - weights * moved + weights**2 * agreement.leanings(weights)
    spreads = []
    for groups in (agreement.truth, agreement.output):
        sizes = np.bincount(groups.codes, weights)
        own, whole = sizes[groups.codes], weights.sum()
        cubes = (sizes**3).sum() - own**3 + (own - weights) ** 3
        spread = (whole - weights) ** 3 - cubes
        spreads.append(np.where(spread <= 1e-12 * whole**3 / len(weights), 0.0, spread / 3))
    return np.clip(divide(left, np.sqrt(spreads[0] * spreads[1])), -1.0, 1.0)


def _whole_ranks(groups: _Groups, weights: FloatArray) -> FloatArray:
    """Twice the mid-rank of each sample less the mean, under one vector of weights."""
    sizes = np.bincount(groups.codes, weights)
    return (2 * np.cumsum(sizes) - sizes - sizes.sum())[groups.codes]


def _tilt(groups: _Groups, numbers: FloatArray) -> FloatArray:
    """Sum of the numbers of samples above each less that of samples below."""
    sums = np.bincount(groups.codes, numbers)
    return (sums.sum() - 2 * np.cumsum(sums) + sums)[groups.codes]


def _prepare_kendall(outcomes: Outcomes) -> Evaluate:
    return _Agreement.of(outcomes).tau


def _kendall_jackknife(outcomes: Outcomes, weights: FloatArray) -> FloatArray:
    return _Agreement.of(outcomes).leave_out(weights)


SPEARMAN = OrderMetric(
    name="spearman", prepare=_prepare_spearman, jackknife=_spearman_jackknife,
    bounds=(-1.0, 1.0), needs="values",
    description="""
    Pearson correlation of the ranks of prediction and truth; tied values share their mean rank.

    Values order alone: no increasing change of the prediction matters, nor how far off it is.""",
    references=("Spearman (1904), American Journal of Psychology 15, 72-101.",),
    example=">>> spearman([1.0, 2.0, 3.0], [10.0, 20.0, 40.0])\n1.0",
)  # fmt: skip


KENDALL = OrderMetric(
    name="kendall", prepare=_prepare_kendall, jackknife=_kendall_jackknife, bounds=(-1.0, 1.0),
    needs="values",
    description="""Concordant less discordant pairs of samples, over all untied pairs (tau-b).

    Values order, pair by pair: tau is the chance that a random pair is ordered rightly less the
    chance that it is ordered wrongly. Counted for each binary digit of the ranks, so it is the
    slowest of the correlations.""",
    references=("Kendall (1945), Biometrika 33, 239-251.",),
    example=">>> round(kendall([1.0, 2.0, 3.0], [10.0, 40.0, 20.0]), 4)\n0.3333",
)  # fmt: skip
