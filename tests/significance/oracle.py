"""The studentized swap test by its definition: every swapped data set, one after the other."""

import itertools
from functools import partial

import numpy as np

from modelcompare.metrics.base import Outcomes
from modelcompare.significance.swaps.outputs import SwappedOutputs
from modelcompare.significance.swaps.statistic import Asked, Swapped


def drawn_statistics(statistic, masks):
    """Statistics after each swap, of shape (n_masks, n_pairs, n_values)."""
    every = np.arange(len(statistic.model_a))
    if isinstance(statistic, SwappedOutputs):
        return statistic._studentized(statistic._null(masks, every), every)[0]
    found = []
    for block in range(masks.n_blocks):
        swapped = Swapped(partial(masks.narrow, block, 0), masks.block_size(block))
        statistic.sum_up(swapped)
        found.append(statistic.of_pairs(every, swapped))
    return np.concatenate(found, axis=2).transpose(2, 0, 1)


def n_extreme(statistic, masks, pairs, alternative="two-sided"):
    """Numbers of swaps as extreme as the data, of shape (n_chosen, n_values)."""
    return statistic.counts(masks, pairs, Asked(alternative))[0]


def share_extreme(statistic, masks, pairs):
    """Share of swaps as extreme as the data, ties counted half, of shape (n_chosen, n_values)."""
    asked = (Asked("two-sided", ties=ties) for ties in (True, False))
    both = [statistic.counts(masks, pairs, each)[0] for each in asked]
    return np.sum(both, axis=0) / 2 / masks.n_resamples


def unit_rows(metric, preds, model):
    """The metric's statistics of each unit, weighted and summed in clusters."""
    weight = np.ones(len(preds)) if preds.sample_weight is None else preds.sample_weight
    outcomes = Outcomes.of(preds, model)
    rows = [s.compute(outcomes) * weight[:, None] for s in metric.statistics]
    if preds.groups is None:
        return rows
    return [
        np.array([r[preds.groups == g].sum(axis=0) for g in np.unique(preds.groups)]) for r in rows
    ]


def unit_strata(preds):
    """Stratum of each unit; those of one unit are one stratum."""
    if preds.strata is None:
        return None
    codes = np.asarray(preds.strata)
    if preds.groups is not None:
        codes = np.array([codes[preds.groups == g][0] for g in np.unique(preds.groups)])
    return np.array([c if (codes == c).sum() > 1 else -1 for c in codes])


def squares(d, strata):
    """Sum of squares of d, around the means of the strata where there are any."""
    if strata is None:
        return (d**2).sum(axis=0)
    found = 0.0
    for h in np.unique(strata):
        part = d[strata == h]
        n = len(part)
        found = found + (n / (n - 1) * ((part - part.mean(axis=0)) ** 2).sum(axis=0)
                         if n > 1 else part[0] ** 2)  # fmt: skip
    return found


def statistic(metric, rows_a, rows_b, strata=None):
    """t of two models, of shape (n_values,)."""
    first, second = (
        np.atleast_1d(metric.value(*(r.sum(axis=0) for r in rows))) for rows in (rows_a, rows_b)
    )
    with np.errstate(all="ignore"):
        parts = [np.broadcast_arrays(*metric.ratio(*rows)) for rows in (rows_a, rows_b)]
        (n_a, d_a), (n_b, d_b) = [[x.reshape(len(x), -1) for x in pair] for pair in parts]
        pooled = np.nan_to_num((n_a + n_b).sum(axis=0) / (d_a + d_b).sum(axis=0))
        share_a, share_b = (share(metric, d, r) for d, r in ((d_a, rows_a), (d_b, rows_b)))
        d = (n_a - pooled * d_a) * share_a - (n_b - pooled * d_b) * share_b
        if metric.average:
            d, difference = d.sum(axis=1, keepdims=True), first - second
        else:
            difference = d.sum(axis=0)
        least, square = difference**2 / len(d), squares(d, strata)
        square = np.where(square < 1e-12 * (d**2).sum(axis=0), 0.0, square)
        square = np.maximum(square, least) if strata is None else square + least
        t = np.where(np.abs(difference) < 1e-13, 0.0, difference / np.sqrt(square))
        if not metric.average:
            empty = (d_a.sum(axis=0) == 0) | (d_b.sum(axis=0) == 0)
            given = np.where(first == second, 0.0, np.copysign(np.inf, first - second))
            t = np.where(empty, given, t)
    return np.where(np.isnan(first - second), np.nan, t)


def share(metric, denominator, rows):
    """Weight of each class over its denominator."""
    total = denominator.sum(axis=0)
    weight = np.ones(len(total))
    if metric.average:
        weight = (total > 0) * (rows[-1].sum(axis=0) if metric.average == "weighted" else 1.0)
        weight = weight / weight.sum()
    return np.where(total > 0, weight / np.where(total > 0, total, 1.0), 0.0)


def swapped(rows_a, rows_b):
    """Every data set that comes of swapping the units that differ."""
    differ = np.any([(a != b).any(axis=1) for a, b in zip(rows_a, rows_b, strict=True)], axis=0)
    units = np.flatnonzero(differ)
    for bits in itertools.product([False, True], repeat=len(units)):
        mask = np.zeros((len(differ), 1), bool)
        mask[units, 0] = bits
        yield (
            [np.where(mask, b, a) for a, b in zip(rows_a, rows_b, strict=True)],
            [np.where(mask, a, b) for a, b in zip(rows_a, rows_b, strict=True)],
        )


def p_value(metric, preds, alternative="two-sided", half=None):
    """Share of the swaps that are as extreme, of shape (n_values,).

    Those equally extreme count `half`; by default unless nine tenths of the samples differ.
    """
    rows = [unit_rows(metric, preds, model) for model in preds.models]
    strata = unit_strata(preds)
    observed = statistic(metric, *rows, strata)
    tolerance = 1e-9 * np.maximum(1.0, np.nan_to_num(np.abs(observed), posinf=1.0))
    found = np.array([statistic(metric, *pair, strata) for pair in swapped(*rows)])
    sign = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}[alternative]
    extreme = np.mean(~(sign(found) < sign(observed) - tolerance), axis=0)
    half = len(found) <= 2 ** (0.9 * len(rows[0][0])) if half is None else half
    beyond = np.mean(~(sign(found) <= sign(observed) + tolerance), axis=0)
    extreme = np.where(half, (extreme + beyond) / 2, extreme)
    if alternative == "two-sided":
        extreme = np.where(observed == 0, 1.0, extreme)
    return np.where(np.isnan(observed), np.nan, extreme)
