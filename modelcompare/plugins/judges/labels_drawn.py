"""A test of whether the samples that people labelled are a random part of all."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from scipy.special import chdtrc

from modelcompare.arrays import AnyArray, FloatArray, joint
from modelcompare.data.predictions import Predictions
from modelcompare.data.test_set import TestSet
from modelcompare.plugins.judges.patterns import PARTS, patterns_of, strata_of
from modelcompare.plugins.judges.verdicts import Judge, judge_of

# P-value below which labels are taken for not drawn at random: it stops a decision.
NOT_AT_RANDOM = 0.01
# Verdicts and answers of which fewer labels are expected are taken together.
_EXPECTED = 1.0


def p_at_random(predictions: TestSet) -> float:
    """Compute the p-value of verdicts and answers on samples with labels against those on all.

    Pearson's chi-squared test within the strata of the draw; of known probabilities with Rao and
    Scott's first-order correction. Of the models the smallest p-value, by Bonferroni.

    References
    ----------
    .. [1] Rao & Scott (1981), Journal of the American Statistical Association 76, 221-230.
    """
    judge = judge_of(predictions)
    if judge is None or not isinstance(predictions, Predictions):
        return 1.0
    tests = [
        judge.kept(("drawn", model), partial(_p_value, predictions, judge, model))
        for model in predictions.models
    ]
    return min(1.0, len(tests) * min(tests))


def not_drawn(predictions: TestSet) -> ValueError:
    """Return the error about labels that were not drawn at random."""
    return ValueError(
        "samples with labels by people have other verdicts of the judge, or other answers, than "
        f"the rest (p = {p_at_random(predictions):.2g}): they were not drawn at random, and "
        "results would be about other samples. Draw them at random, or give the strata of the draw "
        "(strata, --read strata=COLUMN) or its probabilities (label_weight, --label-weight)."
    )


def p_of_places(predictions: TestSet) -> float:
    """Compute the p-value of the places of samples with labels: how many in each fifth of the rows.

    The test is that of `p_at_random`, with fifths of each stratum in place of answers.
    """
    judge = judge_of(predictions)
    if judge is None or not isinstance(predictions, Predictions):
        return 1.0
    return judge.kept(("places",), partial(_p_of_places, predictions, judge))


def _p_of_places(predictions: Predictions, judge: Judge) -> float:
    """Compute the p-value of the fifths of each stratum's rows that samples with labels are in."""
    strata = strata_of(predictions, judge)
    fifths = np.concatenate([
        PARTS * stratum + PARTS * np.arange(size) // size
        for stratum, size in enumerate(np.bincount(strata))
    ])  # fmt: skip
    codes = np.empty_like(fifths)
    codes[np.argsort(strata, kind="stable")] = fifths
    sizes = np.bincount(fifths).astype(np.float64)
    labels, squares = (
        np.bincount(codes[judge.labelled], weights, len(sizes)).astype(np.float64)
        for weights in (judge.label_weights, judge.label_weights**2)
    )
    return _pearson(judge, np.arange(len(sizes)) // PARTS, sizes, labels, squares)


def _p_value(predictions: Predictions, judge: Judge, model: str) -> float:
    """Compute the p-value of the answers of a model, unless these are values, and verdicts."""
    patterns = patterns_of(predictions, judge, [[model]])
    *seen, strata = patterns.entries[int(predictions.access.kinds[model].real) :]
    codes = pd.factorize(joint([*seen, strata]))[0]
    sizes, labels, squares = patterns.sums(codes, judge.label_weights)
    stratum = np.empty(len(sizes))
    stratum[codes] = strata
    return _pearson(judge, stratum, sizes, labels, squares)


def _pearson(
    judge: Judge, stratum: AnyArray, sizes: FloatArray, labels: FloatArray, squares: FloatArray
) -> float:
    """Compute the p-value of numbers of labels, given those of samples, within strata."""
    statistic = degrees = 0.0
    for here in (stratum == each for each in np.unique(stratum)):
        found, share = (x[here] / x[here].sum() for x in (labels, sizes))
        n, n_samples = labels[here].sum() ** 2 / squares[here].sum(), sizes[here].sum()
        rare = n * share < _EXPECTED
        pooled = [np.append(x[~rare], x[rare].sum()) for x in (found, share)]
        found, share = (x[pooled[1] > 0] for x in pooled)
        left = 1 - n / n_samples if judge.weight is None else 1.0
        statistic += n * ((found - share) ** 2 / share).sum() / max(left, 1e-9)
        degrees += len(share) - 1
    return float(chdtrc(degrees, statistic)) if degrees else 1.0
