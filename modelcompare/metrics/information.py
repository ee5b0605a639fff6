"""Metrics in units of information: divergence from soft labels, entropy of the confusion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from modelcompare.metrics.base import FloatArray, Metric, Outcomes, Statistic, divide
from modelcompare.metrics.probabilistic import COUNT, mean, mean_ratio

_MOST_CLASSES = 100


def _divergence(outcomes: Outcomes) -> FloatArray:
    """Kullback-Leibler divergence of the output from the soft labels, per sample."""
    truth, p = outcomes.truth, outcomes.probabilities
    smallest = np.finfo(outcomes.output.array.dtype).eps
    own = np.where(truth > 0, truth * np.log(np.where(truth > 0, truth, 1.0)), 0.0)
    cross = truth * np.log(np.clip(p, smallest, 1.0))
    return (own - cross).sum(axis=1, keepdims=True)


def _cells(said: Callable[[Outcomes], FloatArray]) -> Callable[[Outcomes], FloatArray]:
    """Each sample's part of the confusion matrix, row by row of true classes."""

    def compute(outcomes: Outcomes) -> FloatArray:
        if outcomes.n_classes > _MOST_CLASSES:
            raise ValueError(
                f"confusion entropy sums n_classes squared numbers for each sample, too many for "
                f"{outcomes.n_classes} classes; merge the rare ones."
            )
        cells = outcomes.truth[:, :, None] * said(outcomes)[:, None, :]
        return cells.reshape(len(outcomes), -1)

    return compute


DIVERGENCE = Statistic("divergence", _divergence)
CELLS = Statistic("confusion", _cells(lambda o: o.predicted_indicator), discrete=True)
SOFT_CELLS = Statistic("soft_confusion", _cells(lambda o: o.probabilities))


def confusion_entropy(cells: FloatArray) -> FloatArray:
    """Entropy of how each class is confused with the others (Wei et al. 2010).

    On the probabilistic confusion matrix it is the probabilistic confusion entropy of Wang et al.
    (2013): one formula, two kinds of statistics.
    """
    n_classes = round(cells.shape[-1] ** 0.5)
    matrix = cells.reshape(*cells.shape[:-1], n_classes, n_classes)
    mass = matrix.sum(axis=-1) + matrix.sum(axis=-2)
    base = np.log(2 * (n_classes - 1))

    def entropy(confused: FloatArray) -> FloatArray:
        share = divide(confused, mass[..., None], 0.0)
        logs = np.log(np.where(share > 0, share, 1.0)) / base
        off_diagonal = np.where(np.eye(n_classes, dtype=bool), 0.0, share * logs)
        return -off_diagonal.sum(axis=-1)

    of_class = entropy(matrix) + entropy(np.swapaxes(matrix, -1, -2))
    return divide((mass * of_class).sum(axis=-1), mass.sum(axis=-1))


_CONFUSION_ENTROPY = Metric(
    name="confusion_entropy",
    statistics=(CELLS,),
    value=confusion_entropy,
    greater_is_better=False,
    bounds=(0.0, np.inf),
)

METRICS = (
    Metric(
        name="kl_divergence",
        statistics=(DIVERGENCE, COUNT),
        value=mean,
        ratio=mean_ratio,
        needs="probabilities",
        greater_is_better=False,
        bounds=(0.0, np.inf),
    ),
    _CONFUSION_ENTROPY,
    replace(
        _CONFUSION_ENTROPY,
        name="cconfusion_entropy",
        statistics=(SOFT_CELLS,),
        needs="probabilities",
    ),
)
