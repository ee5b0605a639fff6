"""Proper scoring rules and means of per-example scores: averages of one number per sample."""

from __future__ import annotations

import numpy as np

from modelcompare.metrics.base import FloatArray, Metric, Outcomes, Statistic, divide

COUNT = Statistic("count", lambda o: np.ones((len(o), 1)), discrete=True, shared=True)


def mean(total: FloatArray, count: FloatArray) -> FloatArray:
    """Weighted mean of a one-column statistic."""
    return divide(total[..., 0], count[..., 0])


def mean_ratio(total: FloatArray, count: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Numerator and denominator of `mean`."""
    return total[..., 0], count[..., 0]


def _squared_errors(outcomes: Outcomes) -> FloatArray:
    errors = ((outcomes.probabilities - outcomes.truth) ** 2).sum(axis=1, keepdims=True)
    return errors / 2 if outcomes.n_classes == 2 else errors


def _negative_log_likelihood(outcomes: Outcomes) -> FloatArray:
    # scikit-learn's clipping: the precision in which the model gave its probabilities.
    smallest = np.finfo(outcomes.output.array.dtype).eps
    logs = np.log(np.clip(outcomes.probabilities, smallest, 1 - smallest))
    return -(outcomes.truth * logs).sum(axis=1, keepdims=True)


SQUARED_ERRORS = Statistic("squared_errors", _squared_errors)
NEGATIVE_LOG_LIKELIHOOD = Statistic("negative_log_likelihood", _negative_log_likelihood)
SCORES = Statistic("scores", lambda o: o.values[:, None])

METRICS = (
    Metric(
        name="brier_score",
        statistics=(SQUARED_ERRORS, COUNT),
        value=mean,
        ratio=mean_ratio,
        needs="probabilities",
        greater_is_better=False,
        bounds=(0.0, 2.0),
    ),
    Metric(
        name="log_loss",
        statistics=(NEGATIVE_LOG_LIKELIHOOD, COUNT),
        value=mean,
        ratio=mean_ratio,
        needs="probabilities",
        greater_is_better=False,
        bounds=(0.0, np.inf),
    ),
    Metric(
        name="mean_score",
        statistics=(SCORES, COUNT),
        value=mean,
        ratio=mean_ratio,
        needs="scores",
        bounds=(-np.inf, np.inf),
    ),
)
