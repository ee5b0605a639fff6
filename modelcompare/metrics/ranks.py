"""Rank correlations of true values and outputs, from running sums of the weights.

A sample of weight w counts as w equal samples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modelcompare.arrays import CACHE_BYTES, AnyArray, FloatArray
from modelcompare.metrics.base import OrderMetric, Outcomes, divide
from modelcompare.metrics.defined import both_vary
from modelcompare.metrics.ranking import Evaluate
from modelcompare.metrics.running_sums import (
    Below,
    Groups,
    by_sample,
    partners,
    slabs,
    summed,
    total,
)


def _unequal(groups: Groups, weights: AnyArray) -> FloatArray:
    """Sum the weights of the pairs of samples in different groups, in each resample."""
    pairs = np.zeros(weights.shape[1])
    for sizes, others in _sizes(groups, weights):
        pairs += total(sizes, others)
    return pairs / 2


def _spread(groups: Groups, weights: AnyArray) -> FloatArray:
    """Sum the squares of twice the mid-ranks minus their mean, in each resample."""
    squares = np.zeros(weights.shape[1])
    for sizes, others in _sizes(groups, weights):
        squares += total(sizes * others, others + 2 * sizes)
    return squares / 3


def _sizes(groups: Groups, weights: AnyArray) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield weights of groups, and of the samples outside each, (n_groups, n_resamples)."""
    untied = len(groups) == len(weights)
    sums = weights if untied else groups.running.sums(weights)
    everything = summed(weights) if untied else sums[groups.rows[-1]].astype(np.float64)
    for some in slabs(len(groups), floats=True):
        sizes = sums[some]
        if not untied:
            sizes = sums.take(groups.rows[1:][some], axis=0)
            sizes -= sums.take(groups.rows[:-1][some], axis=0)
        yield sizes.astype(np.float64), everything - sizes


def _prepare_spearman(outcomes: Outcomes) -> Evaluate:
    groups = _rankings(outcomes)

    def evaluate(weights: FloatArray) -> FloatArray:
        weights = by_sample(weights)
        sums = [group.running.sums(weights) for group in groups]
        both = np.zeros(weights.shape[1])
        for some in slabs(len(weights), floats=True):
            a, b = (_centred_ranks(*ranked, some) for ranked in zip(groups, sums, strict=True))
            a *= weights[some]
            both += total(a, b)
        truth, output = (_spread(group, weights) for group in groups)
        return np.clip(divide(both, np.sqrt(truth * output)), -1.0, 1.0)

    return evaluate


def _rankings(outcomes: Outcomes) -> tuple[Groups, Groups]:
    """Return the samples in the order of the true values, and of the output."""
    return Groups.of(outcomes.true_values), Groups.of(outcomes.values)


def _centred_ranks(groups: Groups, sums: AnyArray, samples: slice) -> FloatArray:
    """Compute twice the mid-ranks of some samples minus their mean, (n_samples, n_resamples)."""
    codes = groups.codes[samples]
    ranks = sums.take(groups.rows[codes], axis=0)
    ranks += sums.take(groups.rows[codes + 1], axis=0)
    return ranks - sums[groups.rows[-1]].astype(np.float64)


@dataclass(frozen=True)
class Concordant:
    """Comparisons whose sum is the weight of samples below others in both orders, ties half.

    There is one for each binary digit of the ranks; those of few samples are kept for later
    resamples. The ranks of two samples in one order agree in some leading binary digits and differ
    in the next. At that digit, among samples that agree in those before it, concordant pairs have
    zeros below ones in the other order, as in a ROC curve.
    """

    few: Groups
    many: Groups

    def __iter__(self) -> Iterator[Below]:
        yield from self._kept or self._of_digits()

    def _of_digits(self) -> Iterator[Below]:
        few, many = self.few, self.many
        for digit in range((len(few) - 1).bit_length()):
            before = few.codes >> (digit + 1)
            order = many.order[np.argsort(before[many.order], kind="stable")]
            is_one, least = (few.codes >> digit & 1).astype(bool), before * len(many)
            yield Below.of(order, least + many.codes, is_one, least)

    @cached_property
    def _kept(self) -> list[Below]:
        return [*self._of_digits()] if 8 * len(self.few.order) <= CACHE_BYTES else []


def _leanings(few: Groups, many: Groups, weights: FloatArray) -> FloatArray:
    """Compute the weight of samples concordant with each, minus that of discordant ones.

    Samples that are tied in the order of many are half of each.
    """
    return 2 * partners(Concordant(few, many), weights) - _outside(few, weights)


def _outside(groups: Groups, weights: FloatArray) -> FloatArray:
    """Sum the weights of the samples in other groups than each."""
    return weights.sum() - np.bincount(groups.codes, weights)[groups.codes]


def _prepare_kendall(outcomes: Outcomes) -> Evaluate:
    """Return the function that computes Kendall's tau-b under each row of weights."""
    truth, output = sorted(_rankings(outcomes), key=len)
    questions = Concordant(truth, output)

    def evaluate(weights: FloatArray) -> FloatArray:
        weights = by_sample(weights)
        below = np.zeros(weights.shape[1])
        for question in questions:
            below += question.read(weights)[0]
        of_truth, of_output = _unequal(truth, weights), _unequal(output, weights)
        return _tau(2 * below - of_truth, of_truth, of_output)

    return evaluate


def _kendall_jackknife(outcomes: Outcomes, weights: FloatArray) -> FloatArray:
    """Compute tau-b without each sample, under one vector of weights."""
    few, many = sorted(_rankings(outcomes), key=len)
    leanings = _leanings(few, many, weights) * weights
    pairs = []
    for groups in (few, many):
        unequal = weights * _outside(groups, weights)
        left = unequal.sum() / 2 - unequal
        pairs.append(np.where(left <= 1e-12 * unequal.sum(), 0.0, left))
    return _tau(np.sum(leanings) / 2 - leanings, *pairs)


def _tau(agreement: FloatArray, of_truth: FloatArray, of_output: FloatArray) -> FloatArray:
    """Divide the agreement by the geometric mean of the numbers of pairs that are not tied."""
    product = np.sqrt(np.maximum(of_truth, 0.0)) * np.sqrt(np.maximum(of_output, 0.0))
    return np.clip(divide(agreement, product), -1.0, 1.0)


def _spearman_jackknife(outcomes: Outcomes, weights: FloatArray) -> FloatArray:
    """Compute Spearman's correlation without each sample.

    Without a sample of weight w, twice the centred mid-ranks above it fall by w, those below rise.
    """
    few, many = sorted(_rankings(outcomes), key=len)
    a, b = (_whole_ranks(groups, weights) for groups in (few, many))
    moved = _tilt(many, weights * a) + _tilt(few, weights * b)
    both = weights * a * b
    left = both.sum() - both - weights * moved + weights**2 * _leanings(few, many, weights)
    spreads = []
    for groups in (few, many):
        sizes = np.bincount(groups.codes, weights)
        own, whole = sizes[groups.codes], weights.sum()
        cubes = (sizes**3).sum() - own**3 + (own - weights) ** 3
        spread = (whole - weights) ** 3 - cubes
        spreads.append(np.where(spread <= 1e-12 * whole**3 / len(weights), 0.0, spread / 3))
    return np.clip(divide(left, np.sqrt(spreads[0] * spreads[1])), -1.0, 1.0)


def _whole_ranks(groups: Groups, weights: FloatArray) -> FloatArray:
    """Compute twice the mid-rank of each sample minus the mean, under one vector of weights."""
    sizes = np.bincount(groups.codes, weights)
    return (2 * np.cumsum(sizes) - sizes - sizes.sum())[groups.codes]


def _tilt(groups: Groups, numbers: FloatArray) -> FloatArray:
    """Sum the numbers of the samples above each, minus those of the samples below."""
    sums = np.bincount(groups.codes, numbers)
    return (sums.sum() - 2 * np.cumsum(sums) + sums)[groups.codes]


SPEARMAN = OrderMetric(
    name="spearman", prepare=_prepare_spearman, jackknife=_spearman_jackknife,
    bounds=(-1.0, 1.0), needs="values", defined_by=both_vary,
    description="""
    Pearson correlation of the ranks of predicted and true values; ties share their mean rank.

    Depends on order only: increasing transformations of the prediction do not change it, nor does
    the size of errors.""",
    references=("Spearman (1904), American Journal of Psychology 15, 72-101.",),
    example=">>> spearman([1.0, 2.0, 3.0], [10.0, 20.0, 40.0])\n1.0",
)  # fmt: skip


KENDALL = OrderMetric(
    name="kendall", prepare=_prepare_kendall, jackknife=_kendall_jackknife, bounds=(-1.0, 1.0),
    needs="values", defined_by=both_vary,
    description="""Concordant less discordant pairs of samples, over all untied pairs (tau-b).

    Depends on order, pair by pair: tau is the probability that a random pair is ordered correctly
    minus the probability that it is not. Pairs are counted for each binary digit of the ranks, so
    it is the slowest of the correlations.""",
    references=("Kendall (1945), Biometrika 33, 239-251.",),
    example=">>> round(kendall([1.0, 2.0, 3.0], [10.0, 40.0, 20.0]), 4)\n0.3333",
)  # fmt: skip
