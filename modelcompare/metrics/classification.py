"""Confusion-matrix metrics, each one formula over two kinds of statistics.

For class j and sample i the three statistics are

- ``hits[i, j]``: 1 where the truth is j and the prediction is j,
- ``predicted[i, j]``: 1 where the prediction is j,
- ``support[i, j]``: 1 where the truth is j.

The probabilistic metrics of Yacouby & Axman (2020, eq. 3 to 8) put the model's probability of j
in the place of "the prediction is j" and leave every formula as it is. That is their whole
definition, and here too: a soft twin differs from its metric in `statistics` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np

from modelcompare.metrics.base import FloatArray, Metric, Statistic, divide

Average = Literal["macro", "micro", "weighted"]
ZeroDivision = float | Literal["paper"]
Formula = Callable[..., FloatArray]
Ratio = Callable[..., tuple[FloatArray, FloatArray]]


HITS = Statistic("hits", lambda o: o.truth * o.predicted_indicator, discrete=True)
PREDICTED = Statistic("predicted", lambda o: o.predicted_indicator, discrete=True)
SUPPORT = Statistic("support", lambda o: o.truth, discrete=True, shared=True)
SOFT_HITS = Statistic("soft_hits", lambda o: o.truth * o.probabilities)
SOFT_PREDICTED = Statistic("soft_predicted", lambda o: o.probabilities)

COUNTS = (HITS, PREDICTED, SUPPORT)
SOFT_COUNTS = (SOFT_HITS, SOFT_PREDICTED, SUPPORT)


def _undefined_value(zero_division: ZeroDivision) -> float:
    return np.nan if zero_division == "paper" else float(zero_division)


def precision(
    hits: FloatArray,
    predicted: FloatArray,
    support: FloatArray,  # noqa: ARG001  all formulas share the three totals
    total: FloatArray,  # noqa: ARG001
    *,
    zero_division: ZeroDivision = np.nan,
) -> FloatArray:
    """Share of what was predicted as a class that belongs to it (eq. 7)."""
    return divide(hits, predicted, _undefined_value(zero_division))


def recall(
    hits: FloatArray,
    predicted: FloatArray,  # noqa: ARG001
    support: FloatArray,
    total: FloatArray,  # noqa: ARG001
    *,
    zero_division: ZeroDivision = np.nan,
) -> FloatArray:
    """Share of a class that was predicted as such (eq. 8)."""
    return divide(hits, support, _undefined_value(zero_division))


def specificity(
    hits: FloatArray,
    predicted: FloatArray,
    support: FloatArray,
    total: FloatArray,
    *,
    zero_division: ZeroDivision = np.nan,
) -> FloatArray:
    """Share of the other classes that was not predicted as this one."""
    true_negatives = total - predicted - support + hits
    return divide(true_negatives, total - support, _undefined_value(zero_division))


def jaccard(
    hits: FloatArray,
    predicted: FloatArray,
    support: FloatArray,
    total: FloatArray,  # noqa: ARG001
    *,
    zero_division: ZeroDivision = np.nan,
) -> FloatArray:
    """Intersection over union of the predicted and the true members of a class."""
    return divide(hits, predicted + support - hits, _undefined_value(zero_division))


def fbeta(
    hits: FloatArray,
    predicted: FloatArray,
    support: FloatArray,
    total: FloatArray,  # noqa: ARG001
    *,
    beta: float = 1.0,
    zero_division: ZeroDivision = np.nan,
) -> FloatArray:
    """Weighted harmonic mean of precision and recall, from counts.

    The count formula is 0 / 0 only for a class neither predicted nor true. The paper's
    convention (section 4) is stricter: an undefined precision or recall makes F undefined.
    """
    score = divide(
        (1 + beta**2) * hits, beta**2 * support + predicted, _undefined_value(zero_division)
    )
    if zero_division != "paper":
        return score
    return np.where((predicted == 0) | (support == 0), np.nan, score)


def averaged(
    hits: FloatArray,
    predicted: FloatArray,
    support: FloatArray,
    *,
    formula: Formula,
    average: Average | None = None,
) -> FloatArray:
    """Apply a per-class formula and average it over the last axis.

    Classes whose value is NaN are left out of macro and weighted averages, as in scikit-learn
    with ``zero_division=nan``.
    """
    total = support.sum(axis=-1, keepdims=True)
    if average == "micro":
        summed = (array.sum(axis=-1) for array in (hits, predicted, support))
        return formula(*summed, total[..., 0] * support.shape[-1])
    per_class = formula(hits, predicted, support, total)
    if average is None:
        return per_class
    defined = ~np.isnan(per_class)
    weights = defined * support if average == "weighted" else defined.astype(np.float64)
    summed = np.where(defined, weights * per_class, 0.0).sum(axis=-1)
    # As in scikit-learn: of classes that are defined and do not occur, the weighted mean is 0.
    empty = np.where(defined.any(axis=-1) & (total[..., 0] > 0), 0.0, np.nan)
    mass = weights.sum(axis=-1)
    return np.where(mass > 0, divide(summed, mass), empty)


def accuracy(hits: FloatArray, predicted: FloatArray, support: FloatArray) -> FloatArray:  # noqa: ARG001
    """Share of samples whose class was predicted."""
    return divide(hits.sum(axis=-1), support.sum(axis=-1))


def balanced_accuracy(hits: FloatArray, predicted: FloatArray, support: FloatArray) -> FloatArray:
    """Mean recall of the classes that occur."""
    return averaged(hits, predicted, support, formula=recall, average="macro")


def matthews_corrcoef(
    hits: FloatArray,
    predicted: FloatArray,
    support: FloatArray,
    *,
    zero_division: ZeroDivision = np.nan,
) -> FloatArray:
    """Correlation of the true and the predicted class indicators (Gorodkin's R_K)."""
    total = support.sum(axis=-1)
    covariance = hits.sum(axis=-1) * total - (predicted * support).sum(axis=-1)
    spread_predicted = predicted.sum(axis=-1) ** 2 - (predicted**2).sum(axis=-1)
    spread_true = total**2 - (support**2).sum(axis=-1)
    product = np.maximum(spread_predicted, 0.0) * np.maximum(spread_true, 0.0)
    return divide(covariance, np.sqrt(product), _undefined_value(zero_division))


def cohen_kappa(
    hits: FloatArray,
    predicted: FloatArray,
    support: FloatArray,
    *,
    zero_division: ZeroDivision = np.nan,
) -> FloatArray:
    """Agreement with the truth beyond what the two margins give by chance."""
    total = support.sum(axis=-1)
    chance = (predicted * support).sum(axis=-1)
    return divide(
        hits.sum(axis=-1) * total - chance, total**2 - chance, _undefined_value(zero_division)
    )


def count_metrics(zero_division: ZeroDivision = np.nan) -> Iterator[Metric]:
    """All confusion-matrix metrics, hard and soft, under one convention for 0 / 0."""
    for hard in _hard_metrics(zero_division):
        yield hard
        yield soft_twin(hard)


def fbeta_metric(
    beta: float, average: Average | None = None, zero_division: ZeroDivision = np.nan
) -> Metric:
    """F-beta of any beta: ``f2``, ``f0.5_macro``."""
    formula = partial(fbeta, beta=beta, zero_division=zero_division)
    return _per_class(f"f{beta:g}", formula, average, partial(_fbeta_ratio, beta=beta))


def soft_twin(metric: Metric) -> Metric:
    """Give the probabilistic counterpart of a confusion-matrix metric.

    Examples
    --------
    >>> from modelcompare.metrics import get_metric
    >>> soft_twin(get_metric("precision")).name
    'cprecision'
    """
    return replace(
        metric,
        name=f"c{metric.name}",
        statistics=SOFT_COUNTS,
        needs="probabilities",
        proportion=None,
    )


def _hard_metrics(zero_division: ZeroDivision) -> Iterator[Metric]:
    formulas: dict[str, Formula] = {
        "precision": partial(precision, zero_division=zero_division),
        "recall": partial(recall, zero_division=zero_division),
        "specificity": partial(specificity, zero_division=zero_division),
        "jaccard": partial(jaccard, zero_division=zero_division),
        "f1": partial(fbeta, beta=1.0, zero_division=zero_division),
    }
    averages: tuple[Average | None, ...] = (None, "macro", "micro", "weighted")
    for name, formula in formulas.items():
        for average in averages:
            yield _per_class(name, formula, average, _RATIOS[name])
    yield Metric(
        name="accuracy",
        statistics=COUNTS,
        value=accuracy,
        proportion=_right,
        ratio=_right,
    )
    yield Metric(
        name="zero_one_loss",
        statistics=COUNTS,
        value=lambda hits, predicted, support: 1 - accuracy(hits, predicted, support),
        greater_is_better=False,
        proportion=_wrong,
        ratio=_wrong,
    )
    yield Metric(
        name="balanced_accuracy",
        statistics=COUNTS,
        value=balanced_accuracy,
        ratio=_RATIOS["recall"],
        average="macro",
    )
    signed = {"matthews_corrcoef": matthews_corrcoef, "cohen_kappa": cohen_kappa}
    for name, function in signed.items():
        value = partial(function, zero_division=zero_division)
        yield Metric(name=name, statistics=COUNTS, value=value, bounds=(-1.0, 1.0))


def _per_class(name: str, formula: Formula, average: Average | None, ratio: Ratio) -> Metric:
    return Metric(
        name=name if average is None else f"{name}_{average}",
        statistics=COUNTS,
        value=partial(averaged, formula=formula, average=average),
        per_class=average is None,
        proportion=_PROPORTIONS.get(name) if average is None else None,
        ratio=partial(_summed, ratio=ratio) if average == "micro" else ratio,
        average=None if average == "micro" else average,
    )


def _true_negatives(
    hits: FloatArray, predicted: FloatArray, support: FloatArray
) -> tuple[FloatArray, FloatArray]:
    others = support.sum(axis=-1, keepdims=True) - support
    return others - predicted + hits, others


def _fbeta_ratio(
    hits: FloatArray, predicted: FloatArray, support: FloatArray, *, beta: float
) -> tuple[FloatArray, FloatArray]:
    return (1 + beta**2) * hits, beta**2 * support + predicted


def _right(
    hits: FloatArray,
    predicted: FloatArray,  # noqa: ARG001
    support: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    return hits.sum(axis=-1), support.sum(axis=-1)


def _wrong(
    hits: FloatArray,
    predicted: FloatArray,  # noqa: ARG001
    support: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    total = support.sum(axis=-1)
    return total - hits.sum(axis=-1), total


def _summed(
    hits: FloatArray, predicted: FloatArray, support: FloatArray, *, ratio: Ratio
) -> tuple[FloatArray, FloatArray]:
    numerator, denominator = ratio(hits, predicted, support)
    return numerator.sum(axis=-1), denominator.sum(axis=-1)


# Given its denominator, a metric of one class counts independent samples.
_PROPORTIONS: dict[str, Callable[..., tuple[FloatArray, FloatArray]]] = {
    "precision": lambda hits, predicted, _: (hits, predicted),
    "recall": lambda hits, _, support: (hits, support),
    "specificity": _true_negatives,
}
_RATIOS: dict[str, Ratio] = {
    **_PROPORTIONS,
    "jaccard": lambda hits, predicted, support: (hits, predicted + support - hits),
    "f1": partial(_fbeta_ratio, beta=1.0),
}
