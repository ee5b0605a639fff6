"""Influences of samples on the values of models, and the variance of sums in two stages."""

import numpy as np

from modelcompare.engine.evaluation import Evaluation


def influences(evaluation, point):
    """Return what each sample adds to the values, of shape (n_samples, n_models, n_values)."""
    alone = evaluation.predictions.with_columns(groups=None)
    each = Evaluation(alone, evaluation.metrics, collapse=False)
    return np.vstack([each.influence(rows, point) for rows in each.row_steps()]) / len(alone)


def variance_of_sums(u, of, draw):
    """Return the variance of sums of numbers `u` in clusters `of` (Cochran 1977, chapter 11)."""
    size = np.bincount(of)
    n, sums = size[of], np.zeros((len(size), *u.shape[1:]))
    np.add.at(sums, of, u)
    scale = (1 - n / draw.n_items) * n / np.maximum(n - 1, 1)
    within = np.tensordot(scale, (u - (sums.T / size).T[of]) ** 2, 1)
    share = len(size) / draw.n_clusters
    return (1 - share) * len(size) * sums.var(axis=0, ddof=1) + share * within
