"""Metrics of probabilities as plain functions, with scikit-learn's signatures.

See `modelcompare.metrics.functions`.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from modelcompare.arrays import FloatArray
from modelcompare.metrics.plain import averaged_value, single_value


def brier_score(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean squared distance of the probabilities from the truth.

    A proper scoring rule: honest probabilities score best. Summed over the classes (0 to 2), and
    halved for two classes (0 to 1), as scikit-learn scales it. Lower is better.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        True labels, or soft labels.
    y_prob : array-like of shape (n_samples, n_classes)
        Probabilities; of shape (n_samples,) that of the second of two classes.
    labels : array-like, optional
        The classes, in the order of the columns.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each sample.

    References
    ----------
    .. [1] Brier (1950), Monthly Weather Review 78, 1-3.

    Examples
    --------
    >>> brier_score([0, 1], [0.25, 0.5])
    0.15625
    """
    return single_value("brier_score", y_true, y_prob, labels=labels, sample_weight=sample_weight)


def log_loss(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean negative log-probability of the truth, in nats.

    A proper scoring rule that looks at the true class alone; one confident error can outweigh all
    the rest, so probabilities are clipped at the precision they were given in. 0 and up, lower is
    better.

    Parameters
    ----------
    y_true, y_prob, labels, sample_weight
        As in `brier_score`.

    Examples
    --------
    >>> round(log_loss([0, 1], [[0.5, 0.5], [0.25, 0.75]]), 4)
    0.4904
    """
    return single_value("log_loss", y_true, y_prob, labels=labels, sample_weight=sample_weight)


def cprecision(y_true: ArrayLike, y_prob: ArrayLike, **options: Any) -> float | FloatArray:
    """Share of the probability given to a class that fell on its members (cPrecision).

    Precision's formula with the model's confidence in the place of its decision; defined wherever
    a model gives a class any probability. Rewards confident hits and punishes confident false
    alarms. Between 0 and 1, higher is better.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        True labels, or soft labels.
    y_prob : array-like of shape (n_samples, n_classes)
        Probabilities; of shape (n_samples,) that of the second of two classes.
    **options
        ``labels, average, pos_label, sample_weight, zero_division`` as in `precision`.

    References
    ----------
    .. [1] Yacouby & Axman (2020), eq. 7, https://aclanthology.org/2020.eval4nlp-1.9

    Examples
    --------
    >>> cprecision([0, 1], [[0.75, 0.25], [0.25, 0.75]])
    array([0.75, 0.75])
    """
    return averaged_value("cprecision", y_true, y_prob, options)


def crecall(y_true: ArrayLike, y_prob: ArrayLike, **options: Any) -> float | FloatArray:
    """Mean probability that a class got on its members (cRecall).

    Recall's formula with the model's confidence in the place of its decision. An underconfident
    model scores low though all its decisions may be right. Between 0 and 1, higher is better.

    Parameters
    ----------
    y_true, y_prob, **options
        As in `cprecision`.

    References
    ----------
    .. [1] Yacouby & Axman (2020), eq. 8, https://aclanthology.org/2020.eval4nlp-1.9

    Examples
    --------
    >>> crecall([0, 1], [[0.75, 0.25], [0.5, 0.5]])
    array([0.75, 0.5 ])
    """
    return averaged_value("crecall", y_true, y_prob, options)


def cf1(y_true: ArrayLike, y_prob: ArrayLike, **options: Any) -> float | FloatArray:
    """Harmonic mean of cPrecision and cRecall (cF1).

    F1's formula with the model's confidence in the place of its decision: smooth in the
    confidences, with no threshold to cross, and rarely undefined. It mixes calibration into the
    score: sharpening all confidences can raise it though no decision changes. Between 0 and 1,
    higher is better.

    Parameters
    ----------
    y_true, y_prob, **options
        As in `cprecision`.

    References
    ----------
    .. [1] Yacouby & Axman (2020), section 3, https://aclanthology.org/2020.eval4nlp-1.9

    Examples
    --------
    >>> cf1([0, 1], [[0.75, 0.25], [0.25, 0.75]], average="macro")
    0.75
    """
    return averaged_value("cf1", y_true, y_prob, options)


def caccuracy(y_true: ArrayLike, y_prob: ArrayLike, **options: Any) -> float:
    """Mean probability of the true class, the soft twin of accuracy.

    Values confidence in what is right, every sample alike; it is linear in the probability, so no
    proper score: going from honest 0.8 to boastful 1.0 raises it on average. Between 0 and 1,
    higher is better.

    Parameters
    ----------
    y_true, y_prob
        As in `cprecision`.
    **options
        ``labels`` and ``sample_weight``.

    Examples
    --------
    >>> caccuracy([0, 1], [[0.75, 0.25], [0.5, 0.5]])
    0.625
    """
    return single_value("caccuracy", y_true, y_prob, **options)
