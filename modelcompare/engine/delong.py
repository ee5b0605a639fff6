"""DeLong's covariance of ROC AUCs: no resamples, no tuning."""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.base import AnyMetric, Outcomes
from modelcompare.metrics.ranking import placements


def check_area(metric: AnyMetric) -> None:
    """Refuse a metric other than the ROC AUC."""
    if metric.name != "roc_auc":
        raise ValueError(f"DeLong's test is for roc_auc, not for {metric.name}.")


def delong_covariance(predictions: TestSet) -> tuple[FloatArray, FloatArray]:
    """Compute the AUCs of all models and their covariance matrix.

    Parameters
    ----------
    predictions : Predictions
        Probabilities of two classes, without weights and clusters.

    Returns
    -------
    auc : ndarray of shape (n_models,)
    covariance : ndarray of shape (n_models, n_models)

    Raises
    ------
    ValueError
        If samples are weighted or clustered, or a class has fewer than 2 samples.

    References
    ----------
    .. [1] DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44, 837-845.
    .. [2] Sun & Xu (2014), Fast implementation of DeLong's algorithm.
    """
    if not predictions.access.plain:
        raise ValueError(
            "DeLong's variance is for independent samples of equal weight; use the bootstrap."
        )
    counts = np.bincount(np.asarray(predictions.access.codes), minlength=2)
    if len(counts) == 2 and counts.min() < 2:
        raise ValueError("DeLong's variance needs at least 2 samples of each class.")
    components = [placements(Outcomes.of(predictions, model)) for model in predictions.models]
    positives, negatives = (np.array([pair[side] for pair in components]) for side in (0, 1))
    covariance = np.atleast_2d(np.cov(positives)) / positives.shape[1]
    covariance = covariance + np.atleast_2d(np.cov(negatives)) / negatives.shape[1]
    return positives.mean(axis=1), covariance
