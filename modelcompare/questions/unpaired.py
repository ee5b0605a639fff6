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
from modelcompare.words import Alternative, UnpairedTest, ZeroDivision, check_choice, check_count


@dataclass(frozen=True)
class _Side:
    """The value of one model on a test set of its own."""

    evaluation: Evaluation
    position: int

    @cached_property
    def estimate(self) -> float:
        return float(self.evaluation.estimate()[0, self.position])

    @property
    def error(self) -> float:
        moments = influence_moments(self.evaluation, self.evaluation.estimate())
        return float(moments.standard_error()[0, self.position])

    @property
    def contributions(self) -> FloatArray:
        (metric,) = self.evaluation.metrics
        return sample_contributions(self.evaluation, metric)[0]

    def draws(self, n_resamples: int, seed: np.random.SeedSequence) -> FloatArray:
        weights = BootstrapWeights(self.evaluation.units, n_resamples, seed)
        return self.evaluation.replicates(weights)[:, 0, self.position]


@dataclass(frozen=True)
class _Unpaired:
    """Difference of two sides in one value: a `Contrast` without pairing."""

    a: _Side
    b: _Side
    label: Any
    alternative: Alternative
    n_resamples: int
    seed: np.random.SeedSequence

    @property
    def difference(self) -> float:
        return self.a.estimate - self.b.estimate

    @property
    def error(self) -> float:
        return math.hypot(self.a.error, self.b.error)

    @property
    def draws(self) -> FloatArray:
        """Differences of independent resamples."""
        a, b = (
            side.draws(self.n_resamples, child_seed(self.seed, place))
            for place, side in enumerate((self.a, self.b))
        )
        return a - b

    @property
    def swaps(self) -> FloatArray:
        """Differences after the samples were dealt anew to two test sets of the same sizes."""
        first, second = self.a.evaluation.predictions, self.b.evaluation.predictions
        if first.groups is not None or second.groups is not None:
            raise ValueError(
                "method 'permutation' deals single samples, which clusters forbid; use "
                "'bootstrap' or 'wald'."
            )
        pooled = Evaluation(joined(first, second), self.a.evaluation.metrics, collapse=False)
        position = value_position(pooled, self.label)
        hands = deals(len(pooled.predictions), len(first), self.n_resamples, self.seed)
        values = [pooled.values(hand) - pooled.values(1.0 - hand) for hand in hands]
        return np.concatenate(values)[:, 0, position]


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
    sides = []
    for name, predictions in (("predictions_a", predictions_a), ("predictions_b", predictions_b)):
        if len(predictions.models) != 1:
            raise ValueError(
                f"`{name}` holds {len(predictions.models)} models; choose one: preds['cnn']."
            )
        side = evaluate(predictions, metric, zero_division=zero_division, collapse=False)
        # The same class may stand in other places of the two sets' labels.
        sides.append(_Side(side, value_position(side, label)))
    contrast = _Unpaired(sides[0], sides[1], label, alternative, n_resamples, seed_sequence(rng))
    return PairedTestResult.of(
        (predictions_a.models[0], predictions_b.models[0]), side.metrics[0].name, label,
        contrast.difference, _RUN[method](contrast), f"unpaired-{method}", alternative,
    )  # fmt: skip


def _welch(contrast: _Unpaired) -> Outcome:
    from scipy import stats

    found = stats.ttest_ind(
        contrast.a.contributions,
        contrast.b.contributions,
        equal_var=False,
        alternative=contrast.alternative,
    )
    return Outcome.of_one(float(found.statistic), float(found.pvalue))


def _wald(contrast: _Unpaired) -> Outcome:
    check_smooth(contrast.a.evaluation.metrics[0], "'permutation' or 'bootstrap'")
    z = float(standardized(contrast.difference, contrast.error))
    return Outcome.of_one(z, float(normal_p(z, contrast.alternative)))


def _bootstrap(contrast: _Unpaired) -> Outcome:
    return _share_extreme(contrast, contrast.draws - contrast.difference)


def _permutation(contrast: _Unpaired) -> Outcome:
    return _share_extreme(contrast, contrast.swaps)


def _share_extreme(contrast: _Unpaired, null: FloatArray) -> Outcome:
    scale = abs(contrast.a.estimate) + abs(contrast.b.estimate)
    count = n_extreme(null, contrast.difference, contrast.alternative, scale=scale)
    p_value = float(resampling_p(count, contrast.n_resamples))
    return Outcome.of_one(contrast.difference, p_value, contrast.n_resamples, exact=False)


_RUN = {"bootstrap": _bootstrap, "permutation": _permutation, "wald": _wald, "welch": _welch}
