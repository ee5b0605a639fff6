"""Order of models on parts of the test set and on the whole (Yacouby & Axman 2020, D)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.comparison.planning import Settings, prepare
from modelcompare.data.test_set import TestSet
from modelcompare.engine.axis import long_columns
from modelcompare.engine.pairs import pair_differences
from modelcompare.intervals.ratios import normal_quantile, wilson
from modelcompare.plugins.paper.pairs import MetricPairs, part_rows
from modelcompare.resampling.seeds import child_seed
from modelcompare.resampling.weights import BootstrapWeights, Units
from modelcompare.significance.pairwise import all_pairs

N_RESAMPLES = 2000
# Keys of the child seeds that draw models, and parts of the test set.
_MODELS, _PARTS = 2**16, 2**17
# Codes of undefined differences; two different ones, so that they agree with no order at all.
_UNDEFINED_PART, _UNDEFINED_WHOLE = 2, 3


def orders_kept(
    predictions: TestSet, metric_pairs: MetricPairs, ratios: Sequence[float],
    seed: np.random.SeedSequence, *, n_subsamples: int, confidence_level: float,
) -> pd.DataFrame:  # fmt: skip
    """Count how often a metric orders two models on a part of the test set as on the whole.

    See `modelcompare.plugins.paper.agreement_result.AgreementStudy.population`.
    """
    sample = prepare(predictions, metric_pairs.metrics, Settings(collapse=False)).sample
    evaluation, estimator = sample.evaluation, sample.estimator
    n_models = len(predictions.models)
    whole = _orders(estimator.point, _UNDEFINED_WHOLE)
    models = times_drawn(n_models, seed)
    n_pairs = _drawn_pairs(np.ones((len(whole), 1)), models)
    tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    rows = []
    for ratio in ratios:
        parts = [
            part_rows(predictions, ratio, seed, index=index)
            for index in range(1 if ratio == 1 else n_subsamples)
        ]
        values = estimator.values(_indicators(parts, predictions))
        found = np.array([_orders(of_models, _UNDEFINED_PART) for of_models in values])
        times = times_drawn(len(parts), seed, _PARTS) / len(parts)
        for small, of_whole in _compared(metric_pairs):
            place = evaluation.metric_slice(of_whole)
            ordered = metric_pairs.sense(small, of_whole) * whole[:, place]
            same = found[..., evaluation.metric_slice(small)] == ordered
            by_part = 100 * same.mean(axis=1)
            share = by_part.mean(axis=0)
            with np.errstate(invalid="ignore"):
                by_models = _drawn_pairs(100 * same.mean(axis=0), models) / n_pairs
            # Models and parts are drawn independently, so their deviations add up.
            drawn = by_models + times @ by_part - share
            low, high = np.clip(np.nanquantile(drawn, tails, axis=0), 0, 100)
            if small != of_whole:
                low, high = _never_certain(share, low, high, n_models // 2, confidence_level)
            part_low, part_high = np.quantile(by_part, tails, axis=0)
            rows.append(long_columns(
                {"metric_small": [small], "metric_whole": [of_whole]}, evaluation.keys[place],
                ratio=ratio, n_samples=len(parts[0]), pct_agree=share, ci_low=low, ci_high=high,
                part_low=part_low, part_high=part_high,
            ))  # fmt: skip
    return metric_pairs.frame(rows).drop(columns="metric")


def _compared(metric_pairs: MetricPairs) -> list[tuple[str, str]]:
    """Return the pairs (metric on the part, metric on the whole) that are compared."""
    lines = [line for a, b in metric_pairs.pairs for line in ((a, a), (b, a), (b, b))]
    return list(dict.fromkeys(lines))


def _orders(values: FloatArray, undefined: int) -> IntArray:
    """Order each pair of models, of shape (n_pairs, n_values): -1, 0, 1 or `undefined`."""
    difference = pair_differences(values, *all_pairs(len(values)))
    return np.where(np.isnan(difference), undefined, np.sign(difference)).astype(np.int8)


def _indicators(parts: Sequence[IntArray], predictions: TestSet) -> FloatArray:
    """Return weights, 1 for the units of each part and else 0, of shape (n_parts, n_units)."""
    weights = np.zeros((len(parts), len(predictions)))
    for row, chosen in zip(weights, parts, strict=True):
        row[chosen] = 1.0
    if predictions.groups is None:
        return weights
    # A part has all samples of a cluster or none, so its first sample represents it.
    return weights[:, np.unique(predictions.groups, return_index=True)[1]]


def times_drawn(n: int, seed: np.random.SeedSequence, child: int = _MODELS) -> FloatArray:
    """Count the draws of each of n in n draws with replacement, of shape (N_RESAMPLES, n)."""
    weights = BootstrapWeights(Units(n), N_RESAMPLES, child_seed(seed, child))
    return np.vstack([*weights.blocks()])


def _drawn_pairs(values: FloatArray, drawn: FloatArray) -> FloatArray:
    """Sum over pairs of resampled models, of shape (n_resamples, n_values).

    `drawn` is the number of times each model was drawn. A pair is weighted by the product of the
    numbers of its two models; two copies of one model make no pair.
    """
    n_models = drawn.shape[1]
    totals = np.empty((len(drawn), values.shape[1]))
    for place, column in enumerate(values.T):
        matrix = np.zeros((n_models, n_models))
        matrix[all_pairs(n_models)] = column
        totals[:, place] = np.einsum("ij,ij->i", drawn @ matrix, drawn)
    return totals


def share_interval(
    counted: BoolArray, among: BoolArray, drawn: FloatArray, confidence_level: float
) -> tuple[FloatArray, FloatArray]:
    """Compute percentile intervals of percentages of pairs of models, by resampling models.

    Pairs have the shape (n_pairs, n_values); `drawn` is the number of times each model was drawn.
    """
    totals, of_all = (_drawn_pairs(pairs.astype(np.float64), drawn) for pairs in (counted, among))
    known = np.any(of_all > 0, axis=0)
    tail = (1 - confidence_level) / 2
    n_counted, n_all = counted.sum(axis=0), among.sum(axis=0)
    ends = np.full((2, counted.shape[1]), np.nan)
    with np.errstate(invalid="ignore"):
        shares = 100 * totals[:, known] / of_all[:, known]
        share = 100 * n_counted / n_all
    ends[:, known] = np.nanquantile(shares, [tail, 1 - tail], axis=0)
    n_apart = np.minimum(n_all, drawn.shape[1] // 2)
    return _never_certain(share, ends[0], ends[1], n_apart, confidence_level)


def _never_certain(
    share: FloatArray, low: FloatArray, high: FloatArray, n_apart: IntArray | int,
    confidence_level: float,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Replace the inner bound of percentages that are 0 or 100 by Wilson's.

    If all pairs agree, or none, they do so in every resample, and the percentile interval has
    width 0. Wilson's is for `n_apart` pairs, the number of pairs that share no model.
    """
    size = np.full_like(share, n_apart)
    ends = wilson(share / 100, size, normal_quantile(confidence_level))
    least, most = (100 * end for end in ends)
    return np.where(share == 100, least, low), np.where(share == 0, most, high)
