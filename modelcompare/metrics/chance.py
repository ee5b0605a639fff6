"""Agreement beyond chance: kappa weighted by distances of ordered classes, and informedness."""

from __future__ import annotations

import math
from functools import partial
from typing import Literal, get_args

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.metrics.base import AnyMetric, Factory, Metric, Outcomes, Statistic
from modelcompare.metrics.counts import COUNTS, PREDICTED, SUPPORT, with_twin
from modelcompare.metrics.quotient import Quotient
from modelcompare.words import check_choice

Distance = Literal["linear", "quadratic"]
_POWER: dict[Distance, int] = {"linear": 1, "quadratic": 2}


def _distances(n_classes: int, weights: Distance) -> FloatArray:
    """Return the distance of each class from each other one, (n_classes, n_classes)."""
    code = np.arange(n_classes, dtype=np.float64)
    return np.abs(code[:, None] - code) ** _POWER[weights]


def _hard_distance(outcomes: Outcomes, *, weights: Distance) -> FloatArray:
    return decided_costs(outcomes, matrix=_distances(outcomes.n_classes, weights))


def _soft_distance(outcomes: Outcomes, *, weights: Distance) -> FloatArray:
    return expected_costs(outcomes, matrix=_distances(outcomes.n_classes, weights))


def _less_than_chance(
    distance: FloatArray, predicted: FloatArray, support: FloatArray, *, weights: Distance
) -> tuple[FloatArray, FloatArray]:
    """Return chance minus observed distance, and chance distance, times the number of samples."""
    distances = _distances(support.shape[-1], weights)
    chance = ((support @ distances) * predicted).sum(axis=-1)
    return chance - distance[..., 0] * support.sum(axis=-1), chance


def weighted_kappa_metric(*, weights: Distance = "quadratic") -> Metric:
    """Return Cohen's kappa of ordered classes, errors weighted by their distance."""
    check_choice("weights", weights, Distance)
    soft = Statistic(f"soft_{weights}_distance", partial(_soft_distance, weights=weights))
    distance = Statistic(
        f"{weights}_distance", partial(_hard_distance, weights=weights), discrete=True, soft=soft
    )
    return with_twin(Metric(
        name=f"cohen_kappa_{weights}", family="weighted_kappa", bounds=(-1.0, 1.0),
        statistics=(distance, PREDICTED, SUPPORT),
        value=Quotient(partial(_less_than_chance, weights=weights)), zero_division=math.nan,
        factory=Factory(
            weighted_kappa_metric, {"weights": weights}, "cohen_kappa_{weights}", get_args(Distance)
        ),
        description="""Agreement beyond chance of ordered classes, by the distance of errors.

        For ratings and grades: an error between neighbours costs 1, between others their distance
        ("linear") or its square ("quadratic"), relative to what the two margins cost by chance. The
        classes are in the order of `labels`: give it where names do not sort by rank, as those of
        good, fair and poor. Depends on the class shares, as `cohen_kappa` does.""",
        references=("Cohen (1968), Psychological Bulletin 70, 213-220.",),
        example=">>> round(weighted_kappa([0, 1, 2, 2], [0, 1, 2, 1]), 4)\n0.8",
    ))  # fmt: skip


def _informed(
    hits: FloatArray, _predicted: FloatArray, support: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return hits minus those of as many random decisions on the other classes, and support."""
    others = max(support.shape[-1] - 1, 1)
    return hits - (support - hits) / others, support


INFORMEDNESS = with_twin(Metric(
    name="informedness", statistics=COUNTS, ratio=_informed, average="macro", bounds=(-1.0, 1.0),
    value=Quotient(of_true=True),
    description="""Mean recall of the classes, from 0 for chance to 1 (Youden's J, bookmaker).

    Of two classes it is sensitivity + specificity - 1, of K the balanced accuracy adjusted for
    chance, (K * balanced_accuracy - 1) / (K - 1). All classes of `labels` count in K. It weighs
    every class equally, and ranks models as `balanced_accuracy` does.""",
    references=(
        "Youden (1950), Cancer 3, 32-35.",
        "Powers (2011), Journal of Machine Learning Technologies 2, 37-63.",
    ),
    example=">>> informedness([0, 0, 1, 1], [0, 0, 0, 1])\n0.5",
))  # fmt: skip

METRICS: tuple[AnyMetric, ...] = (
    *(weighted_kappa_metric(weights=weights) for weights in get_args(Distance)), INFORMEDNESS,
)  # fmt: skip


def decided_costs(outcomes: Outcomes, *, matrix: FloatArray) -> FloatArray:
    """Return the cost of each decision from those of true (rows) by predicted classes."""
    predicted = outcomes.predicted
    if outcomes.true_distribution is not None:
        return (outcomes.truth * matrix[:, predicted].T).sum(axis=1, keepdims=True)
    return matrix[outcomes.true_codes, predicted][:, None]


def expected_costs(outcomes: Outcomes, *, matrix: FloatArray) -> FloatArray:
    """Return the cost that each sample's probabilities lead to expect."""
    of_classes = outcomes.truth @ matrix
    return (of_classes * outcomes.probabilities).sum(axis=1, keepdims=True)
