"""Ranks of models, and the ranks that the tests leave open."""

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
    # What only rounding tells apart is a tie.
    slack = 1e-13 * (size[None, :] + size[:, None])
    with np.errstate(invalid="ignore"):
        return 1 + np.count_nonzero(filled[None, :] > filled[:, None] + slack, axis=1)


def rank_bounds(better: BoolArray) -> tuple[IntArray, IntArray]:
    """Ranks that a model may have, given who is shown to be better than whom.

    At least as many models are ahead as are shown to be better, and at least as many behind as
    are shown to be worse. With family-wise corrected tests the bounds hold for all models at once
    at the confidence 1 - alpha.

    Parameters
    ----------
    better : ndarray of bool of shape (n_values, n_models, n_models)
        Whether model i is shown to be better than model j.

    Returns
    -------
    low, high : ndarray of int of shape (n_models, n_values)

    References
    ----------
    .. [1] Mohamad, Goeman & van Zwet (2021), Simultaneous confidence intervals for ranks.
    """
    n_models = better.shape[1]
    return 1 + better.sum(axis=1).T, n_models - better.sum(axis=2).T
