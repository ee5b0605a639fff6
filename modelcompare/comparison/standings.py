"""Standings of models: ranks and their bounds, letters, tiers, shares of resamples."""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray, IntArray


def ranks(merit: FloatArray) -> IntArray:
    """Rank along the first axis, 1 for the greatest; ties share the best rank, NaN comes last.

    Examples
    --------
    >>> ranks(np.array([[0.5], [0.9], [0.5], [np.nan]])).ravel().tolist()
    [2, 1, 2, 4]
    """
    filled = np.where(np.isnan(merit), -np.inf, merit)
    size = np.abs(np.where(np.isnan(merit), 0.0, merit))
    # Values that differ only by rounding are tied.
    slack = 1e-13 * (size[None, :] + size[:, None])
    with np.errstate(invalid="ignore"):
        return 1 + np.count_nonzero(filled[None, :] > filled[:, None] + slack, axis=1)


def rank_bounds(better: BoolArray) -> tuple[IntArray, IntArray]:
    """Return bounds of each model's rank, from the significant differences.

    The lower bound is one plus the number of significantly better models, the upper bound the
    number of models minus the number of significantly worse ones. With family-wise corrected tests
    the bounds hold for all models at once, with confidence 1 - alpha.

    Parameters
    ----------
    better : ndarray of bool of shape (n_values, n_models, n_models)
        Whether model i is significantly better than model j.

    Returns
    -------
    low, high : ndarray of int of shape (n_models, n_values)

    References
    ----------
    .. [1] Mohamad, Goeman & van Zwet (2021), Simultaneous confidence intervals for ranks.
    """
    n_models = better.shape[1]
    return 1 + better.sum(axis=1).T, n_models - better.sum(axis=2).T


def compact_letters(different: BoolArray, order: IntArray) -> list[str]:
    """Return letters that two models share if and only if they do not differ significantly.

    Parameters
    ----------
    different : ndarray of bool of shape (n_models, n_models)
        Symmetric: whether two models differ significantly.
    order : ndarray of int
        Models from best to worst; the best get the first letters.

    Returns
    -------
    list of str
        Letters of each model, in the models' own order.

    References
    ----------
    .. [1] Piepho (2004), J. Computational and Graphical Statistics 13, insert and absorb.

    Examples
    --------
    >>> apart = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> compact_letters(apart, np.array([0, 1, 2]))
    ['a', 'ab', 'b']
    """
    n_models = len(different)
    columns: list[frozenset[int]] = [frozenset(range(n_models))]
    for i in range(n_models):
        for j in range(i + 1, n_models):
            if not different[i, j]:
                continue
            split = [c - {x} for c in columns if {i, j} <= c for x in (i, j)]
            columns = [c for c in columns if not {i, j} <= c] + split
            columns = [c for c in dict.fromkeys(columns) if not any(c < other for other in columns)]
    place = {int(model): position for position, model in enumerate(order)}
    columns.sort(key=lambda column: sorted(place[model] for model in column))
    return [
        "".join(_letter(number) for number, column in enumerate(columns) if model in column)
        for model in range(n_models)
    ]


def _letter(number: int) -> str:
    """Return letters a to z, then a2, b2 and so on."""
    return chr(ord("a") + number % 26) + ("" if number < 26 else str(number // 26 + 1))


def tiers(better: BoolArray, order: IntArray) -> IntArray:
    """Return the tier of each model: one more than the lowest tier of significantly better models.

    A model is in a lower tier only if there is a chain of models that ends with it, each
    significantly better than the next.

    Parameters
    ----------
    better : ndarray of bool of shape (n_models, n_models)
        Whether model i is significantly better than model j.
    order : ndarray of int
        Models from best to worst.

    Examples
    --------
    >>> better = np.array([[0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=bool)
    >>> tiers(better, np.array([0, 1, 2, 3])).tolist()
    [1, 1, 2, 1]
    """
    out = np.ones(len(better), dtype=np.intp)
    for model in order:
        out[model] = 1 + max(out[better[:, model]], default=0)
    return out


def share_of_best(draws: FloatArray) -> FloatArray:
    """Return the share of resamples in which each model has the greatest value, ties divided.

    This describes the resamples; it is not the probability that a model is the best: of two equal
    models, the one that leads by chance has a share well above a half.

    Parameters
    ----------
    draws : ndarray of shape (n_resamples, n_models)
        Replicates, with signs such that greater is better; undefined ones are never best.

    Returns
    -------
    ndarray of shape (n_models,)
        NaN where there are no replicates.
    """
    if len(draws) == 0:
        return np.full(draws.shape[1], np.nan)
    filled = np.where(np.isnan(draws), -np.inf, draws)
    best = (filled == filled.max(axis=1, keepdims=True)) & ~np.isnan(draws)
    n_best = best.sum(axis=1, keepdims=True)
    return np.divide(best, n_best, out=np.zeros(draws.shape), where=n_best > 0).mean(axis=0)
