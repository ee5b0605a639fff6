"""A test of two models on two different test sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import influence_moments
from modelcompare.engine.units import check_units
from modelcompare.metrics.counts import ZeroDivision
from modelcompare.metrics.registry import MetricLike
from modelcompare.predictions import Predictions
from modelcompare.questions.contrast import evaluate, value_position
from modelcompare.questions.paired import PairedTestResult
from modelcompare.resampling import BootstrapWeights, RngLike, child_seed, deals, seed_sequence
from modelcompare.significance import Outcome
from modelcompare.significance.extreme import n_extreme, normal_p, resampling_p, standardized
from modelcompare.significance.pairwise import check_smooth
from modelcompare.significance.samples import sample_contributions
from modelcompare.variants import joined
from modelcompare.words import Alternative, UnpairedTest, check_choice, check_count


@dataclass(frozen=True)
class _Sides:
    """Two models, each on a test set of its own, in one value; a `Contrast` without pairing."""

    a: Evaluation
    b: Evaluation
    label: Any
    alternative: Alternative
    n_resamples: int
    seed: np.random.SeedSequence

    @cached_property
    def positions(self) -> tuple[int, int]:
        """Places of the value: the same class may stand elsewhere in the other set's labels."""
        return value_position(self.a, self.label), value_position(self.b, self.label)

    @cached_property
    def values(self) -> tuple[float, float]:
        a, b = (
            float(side.estimate()[0, position])
            for side, position in zip((self.a, self.b), self.positions, strict=True)
        )
        return a, b

    @property
    def difference(self) -> float:
        return self.values[0] - self.values[1]

    @property
    def error(self) -> float:
        return math.hypot(
            *(
                influence_moments(side, side.estimate()).standard_error()[0, position]
                for side, position in zip((self.a, self.b), self.positions, strict=True)
            )
        )

    @property
    def draws(self) -> FloatArray:
        """Differences of independent resamples."""
        a, b = (
            side.replicates(
                BootstrapWeights(side.units, self.n_resamples, child_seed(self.seed, place))
            )[:, 0, self.positions[place]]
            for place, side in enumerate((self.a, self.b))
        )
        return a - b

    @property
    def swaps(self) -> FloatArray:
        """Differences after the samples were dealt anew to two test sets of the same sizes."""
        first, second = self.a.predictions, self.b.predictions
        if first.groups is not None or second.groups is not None:
            raise ValueError(
                "method 'permutation' deals single samples, which clusters forbid; use "
                "'bootstrap' or 'wald'."
            )
        pooled = Evaluation(joined(first, second), self.a.metrics, collapse=False)
        position = value_position(pooled, self.label)
        hands = deals(len(pooled.predictions), len(first), self.n_resamples, self.seed)
        out = [
            pooled.values(hand)[:, 0, position] - pooled.values(1.0 - hand)[:, 0, position]
            for hand in hands
        ]
        return np.concatenate(out)


def unpaired_test(
    predictions_a: Predictions,
    predictions_b: Predictions,
    metric: MetricLike = "f1_macro",
    *,
    method: UnpairedTest = "bootstrap",
    label: Any = None,
    alternative: Alternative = "two-sided",
    n_resamples: int = 9999,
    zero_division: ZeroDivision = math.nan,
    rng: RngLike = 0,
) -> PairedTestResult:
    """Test two models on two different test sets.

    Parameters
    ----------
    predictions_a, predictions_b : Predictions
        One model each, on samples that have nothing to do with each other.
    metric, label, alternative, n_resamples, zero_division, rng
        As in `paired_test`.
    method : {"bootstrap", "permutation", "wald", "welch"}
        Independent resamples shifted to the null; exchanging samples between the two test sets
        (its null: both are draws from one distribution); influence-function standard errors;
        Welch's t for means of per-sample numbers.

    Returns
    -------
    PairedTestResult

    Raises
    ------
    ValueError
        If there is more than one model on a side, or the method does not apply.
    """
    check_choice("method", method, UnpairedTest)
    check_choice("alternative", alternative, Alternative)
    check_count("n_resamples", n_resamples)
    evaluations = []
    for name, predictions in (("predictions_a", predictions_a), ("predictions_b", predictions_b)):
        if len(predictions.models) != 1:
            raise ValueError(
                f"`{name}` holds {len(predictions.models)} models; choose one: preds['cnn']."
            )
        side = evaluate(predictions, metric, zero_division=zero_division, collapse=False)
        check_units(side.units, clustered=predictions.groups is not None)
        evaluations.append(side)
    sides = _Sides(
        evaluations[0], evaluations[1], label, alternative, n_resamples, seed_sequence(rng)
    )
    return PairedTestResult.of(
        (predictions_a.models[0], predictions_b.models[0]), sides.a.metrics[0].name, label,
        sides.difference, _RUN[method](sides), f"unpaired-{method}", alternative,
    )  # fmt: skip


def _welch(sides: _Sides) -> Outcome:
    from scipy import stats

    a, b = (sample_contributions(side, side.metrics[0])[0] for side in (sides.a, sides.b))
    found = stats.ttest_ind(a, b, equal_var=False, alternative=sides.alternative)
    return Outcome.of_one(float(found.statistic), float(found.pvalue))


def _wald(sides: _Sides) -> Outcome:
    check_smooth(sides.a.metrics[0], "'permutation' or 'bootstrap'")
    z = float(standardized(sides.difference, sides.error))
    return Outcome.of_one(z, float(normal_p(z, sides.alternative)))


def _bootstrap(sides: _Sides) -> Outcome:
    return _share_extreme(sides, sides.draws - sides.difference)


def _permutation(sides: _Sides) -> Outcome:
    return _share_extreme(sides, sides.swaps)


def _share_extreme(sides: _Sides, null: FloatArray) -> Outcome:
    scale = abs(sides.values[0]) + abs(sides.values[1])
    count = n_extreme(null, sides.difference, sides.alternative, scale=scale)
    p_value = float(resampling_p(count, sides.n_resamples))
    return Outcome.of_one(sides.difference, p_value, sides.n_resamples, exact=False)


_RUN = {"bootstrap": _bootstrap, "permutation": _permutation, "wald": _wald, "welch": _welch}
