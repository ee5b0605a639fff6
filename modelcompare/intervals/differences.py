"""Standard errors of paired differences of counted values, in closed form.

Only samples on which two models disagree are informative, and few of them, or none, give a
variance that is too small, or 0. So unseen disagreements are added to the variance, never to
the difference: half a sample, or one, in each cell of two classes (after Bonett and Price), two in
total for more classes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.influence import Pairs
from modelcompare.intervals.averages import Average
from modelcompare.intervals.confusions import CellSums, Confusions
from modelcompare.intervals.ratios import Bounds
from modelcompare.metrics.quotient import ClassRatio, divide

# Cells (truth, model a, model b) of two classes on which the models disagree.
_DISAGREE = np.broadcast_to(~np.eye(2, dtype=bool), (2, 2, 2))


def half_count_error(
    cells: FloatArray,
    squares: FloatArray,
    ratio: ClassRatio,
    *,
    average: str | None = None,
) -> FloatArray:
    """Compute the standard error of a difference, with samples added to disagreements.

    As of accuracy, two disagreements on failures are added, one on either side: where failures of a
    class are of one kind (recall: misses; precision: false alarms) one sample to each cell, where
    they are of two kinds (F1), and in an average of two classes, half a sample.

    Parameters
    ----------
    cells, squares : ndarray of shape (..., 2, 2, 2)
        Sums of weights, and of their squares, by truth, model a and model b.
    ratio : ClassRatio
        The metric of one class.
    average : {"macro", "weighted"}, optional
        Average of both classes; by default the value of the second only.

    References
    ----------
    .. [1] Bonett & Price (2012), Journal of Educational and Behavioral Statistics 37, 479-488.
    """
    added = 1 / 2 if average else 1 / np.count_nonzero(ratio.failure)
    weight = divide(squares.sum(axis=(-3, -2, -1)), cells.sum(axis=(-3, -2, -1)), 1.0)
    weight = weight[..., None, None, None]
    more = cells + added * weight * _DISAGREE
    squared = squares + added * weight**2 * _DISAGREE
    weighted, only = average == "weighted", 1 if average is None else None
    of_a, of_b = (
        _cell_influences(
            Average(
                Confusions.of_tables(more.sum(axis=x), squared.sum(axis=x)), ratio, weighted, only
            )
        )
        for x in (-1, -2)
    )
    influence = of_a[..., :, :, None] - of_b[..., :, None, :]
    return np.sqrt((squared * influence**2).sum(axis=(-3, -2, -1)))


def _cell_influences(average: Average) -> FloatArray:
    """Compute the influence of a sample of each of four cells, of shape (..., 2, 2)."""
    influence = _influences(average, average.gains(average.values), average.values)
    return influence.of(average.cells).reshape(*average.mass.shape, 2)


def shrunk_influences(average: Average) -> tuple[CellSums, FloatArray]:
    """Compute influences at shrunk shares, and the variance of unseen outcomes.

    A class of one sample with a value of 0 or 1 has an estimated variance of 0. Its influences are
    therefore computed at its shrunk share, and scaled up as observed residuals are too small.

    Returns
    -------
    influence : CellSums
        Influence of a sample of each cell.
    unseen : ndarray of shape (...)
        Squared influence of one more error of one class, on average over the classes. In Jaccard's
        index an error fails two classes, and costs each as much as a hit gains.
    """
    size, values = average.trials.size, average.shrunk_values
    residual = divide(size, np.maximum(size - 1, 0) + (2 / (size + 2)) ** 2, 0.0)
    # Classes that are 0 / 0 have no influence, and their weight is not that of the others.
    known = (1 - average.others[0])[..., None]
    scale = known * np.sqrt(residual) * average.slopes_without_excess()
    gains = average.gains(values) * scale[..., None]
    cost = average.ratio.failure_weights.sum()
    error = cost * divide(known * average.weights, average.denominators, 0.0)
    unseen = divide((error**2).sum(axis=-1), np.count_nonzero(average.weights, axis=-1), 0.0)
    return _influences(average, gains, values), unseen


def _influences(average: Average, gains: FloatArray, values: FloatArray) -> CellSums:
    """Compute the influence of a sample of each cell, including that on class frequencies."""
    found = CellSums.of_gains(gains)
    if not average.support_weighted:
        return found
    more = average.around_mean(values) / average.mass.sum(axis=-1)[..., None]
    return replace(found, of_true=found.of_true + more, right=found.right + more)


def mover(
    values: FloatArray, below: FloatArray, above: FloatArray, correlation: FloatArray, pairs: Pairs
) -> Bounds:
    """Compute bounds of differences from the models' values and intervals (MOVER).

    Parameters
    ----------
    values, below, above : ndarray of shape (n_models,)
        Values, and the distances of their bounds.
    correlation : ndarray of shape (n_pairs,)
        Correlation of the two models' values.
    pairs : tuple of ndarray of int of shape (n_pairs,)
        Positions of models a and b.

    References
    ----------
    .. [1] Zou & Donner (2008), Statistics in Medicine 27, 1693-1702.
    """
    a, b = pairs
    difference = values[a] - values[b]

    def joined(reach_a: FloatArray, reach_b: FloatArray) -> FloatArray:
        squared = reach_a**2 + reach_b**2 - 2 * correlation * reach_a * reach_b
        return np.sqrt(np.maximum(squared, 0.0))

    return difference - joined(below[a], above[b]), difference + joined(above[a], below[b])


def mover_of_scores(
    values: FloatArray, ends: Bounds, covariance: FloatArray, pairs: Pairs
) -> Bounds:
    """Compute the same from the models' intervals and the covariance (n_models, n_models)."""
    (a, b), own = pairs, np.diagonal(covariance)
    correlation = divide(covariance[a, b], np.sqrt(own[a] * own[b]), 0.0)
    return mover(values, values - ends[0], ends[1] - values, correlation, pairs)


def shrunk_covariance(
    influence: FloatArray, unseen: FloatArray, weights: FloatArray | None = None
) -> FloatArray:
    """Compute the covariance (n_models, n_models) of averages of many classes, MCC or kappa.

    Parameters
    ----------
    influence : ndarray of shape (n_samples, n_models)
        Influence of each sample, from `shrunk_influences`.
    unseen : ndarray of shape (n_models,)
        As in `shrunk_influences`: two unseen errors, one of each model, are added.
    weights : ndarray of shape (n_samples,), optional
        Sample weights.
    """
    if weights is not None:
        influence = influence * weights[:, None]
        unseen = unseen * (np.square(weights).sum() / weights.sum()) ** 2
    return influence.T @ influence + np.diag(unseen)
