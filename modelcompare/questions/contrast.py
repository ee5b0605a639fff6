"""What tests of two models share: one value of a metric, per-sample numbers, extremes."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import row_chunks
from modelcompare.metrics import AnyMetric, Metric
from modelcompare.predictions import Predictions
from modelcompare.significance.two_models import Alternative


def sample_contributions(evaluation: Evaluation, metric: AnyMetric) -> FloatArray:
    """Per-sample numbers whose mean a metric is, of shape (n_models, n_samples).

    Raises
    ------
    ValueError
        If the metric is not a mean of per-sample numbers.
    """
    n = evaluation.units.n_units
    probe = np.zeros((3, n))
    probe[0, 0] = probe[1, 1] = probe[2, :2] = 1.0
    values = evaluation.values(probe)[:, :, 0]
    is_mean = np.allclose(values[2], (values[0] + values[1]) / 2, equal_nan=False)
    if isinstance(metric, Metric) and not metric.per_class and is_mean:
        # The value on each sample by itself; leave-one-out values would bring rounding, which
        # tests of signs and ranks take for differences.
        parts = [
            evaluation.values_of_totals(evaluation.statistics(slice(None), rows))[:, :, 0]
            for rows in row_chunks(evaluation)
        ]
        contributions: FloatArray = np.concatenate(parts).T
        if np.allclose(contributions.mean(axis=1), evaluation.estimate()[:, 0]):
            return contributions
    raise ValueError(
        f"metric {metric.name!r} is not a mean of per-sample numbers; t, Wilcoxon and sign tests "
        "need one (accuracy, mean_score, log_loss, ...). Use method='sign-flip', 'permutation', "
        "'bootstrap' or 'wald'."
    )


def require_plain(predictions: Predictions, what: str) -> None:
    """Refuse clusters and weights where a test takes samples for independent and alike."""
    if predictions.groups is not None or predictions.sample_weight is not None:
        raise ValueError(
            f"{what} needs independent samples of equal weight; with clusters or weights use "
            "method='sign-flip', 'bootstrap' or 'wald'."
        )


def value_position(evaluation: Evaluation, metric: str, label: Any) -> int:
    """Where one value stands along the axis of values.

    Raises
    ------
    ValueError
        If the metric is per class and no class is named, or there is no such class.
    """
    labels = [key.label for key in evaluation.keys]
    if label is None and len(labels) > 1:
        raise ValueError(
            f"metric {metric!r} is per class; name one with `label`: {', '.join(map(str, labels))}."
        )
    if label not in labels:
        raise ValueError(f"`label` {label!r} is not a class; there are {labels}.")
    return labels.index(label)


def standardized(difference: float, error: float) -> float:
    """Difference over its standard error; infinite where the error is 0 and the difference not."""
    if error > 0:
        return difference / error
    return math.copysign(math.inf, difference) if difference else 0.0


def is_extreme(null: float, observed: float, tolerance: float, alternative: Alternative) -> bool:
    """Whether a null difference is as extreme as the observed one; undefined ones are."""
    if math.isnan(null):
        return True
    if alternative == "two-sided":
        return abs(null) >= abs(observed) - tolerance
    if alternative == "greater":
        return null >= observed - tolerance
    return null <= observed + tolerance


def check_choice(name: str, value: str, choices: Any) -> None:
    """Refuse what is not among the choices of a Literal, and list them."""
    known = get_args(choices)
    if value not in known:
        raise ValueError(f"`{name}` must be one of {', '.join(known)}, got {value!r}.")
