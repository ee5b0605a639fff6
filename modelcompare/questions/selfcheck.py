"""Whether a test holds its level, and an interval its coverage, on the data at hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.comparison.bootstrap import bootstrap
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import influence_moments
from modelcompare.intervals import Method
from modelcompare.metrics import resolve_metrics
from modelcompare.metrics.registry import MetricLike
from modelcompare.predictions import Predictions
from modelcompare.questions.contrast import value_position
from modelcompare.resampling import (
    BootstrapWeights,
    RngLike,
    SwapMasks,
    Units,
    child_seed,
    seed_sequence,
)
from modelcompare.significance.pairwise import TestName, pairwise_p_values
from modelcompare.variants import with_arrays


def selfcheck(
    predictions: Predictions,
    model_a: str,
    model_b: str,
    metric: MetricLike = "f1_macro",
    *,
    test: TestName = "sign-flip",
    method: Method = "BCa",
    label: object = None,
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    n_trials: int = 200,
    n_resamples: int = 499,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Realised error of a test and coverage of an interval, simulated on the user's own data.

    For the test, samples are drawn anew and the two models' outputs are swapped at random in each
    of them, so that there is no difference to find; the share of trials in which it finds one
    is its type-I error. For the interval, the test set is taken as the population: samples are
    drawn from it, and the share of intervals that hold its own value is the coverage.

    Parameters
    ----------
    predictions : Predictions
        Test set and models; no clusters.
    model_a, model_b : str
        The models.
    metric, label
        What they are compared by, and the class for a metric per class.
    test, alpha
        The test whose error is simulated, and its level.
    method, confidence_level
        The interval whose coverage is simulated (of model a's value).
    n_trials : int
        Simulated test sets.
    n_resamples : int
        Resamples within each.
    rng : int, Generator, SeedSequence or None
        Source of randomness.

    Returns
    -------
    DataFrame
        Two rows, columns: what, nominal, realised, standard_error, n_trials.

    Raises
    ------
    ValueError
        If samples are clustered.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli").subset(range(300))
    >>> mc.selfcheck(preds, "bow_pair", "mlp", "accuracy", n_trials=20, n_resamples=99)["what"]
    0    type-I error of sign-flip
    1              coverage of BCa
    Name: what, dtype: str
    """
    if predictions.groups is not None:
        raise ValueError("selfcheck draws single samples; it does not know clusters.")
    for name, number, least in (("n_trials", n_trials, 1), ("n_resamples", n_resamples, 2)):
        if number < least:
            raise ValueError(f"`{name}` must be at least {least}, got {number}.")
    # Drawn twice, a sample would repeat its id.
    pair = predictions[[model_a, model_b]].without("ids")
    (found,) = resolve_metrics([metric], pair)
    whole = Evaluation(pair, (found,), collapse=False)
    position = value_position(whole, found.name, label)
    truth = float(whole.estimate()[0, position])
    seed = seed_sequence(rng)
    units = Units(len(pair))
    swaps = SwapMasks(units, n_trials, child_seed(seed, 0))
    draws = BootstrapWeights(units, n_trials, child_seed(seed, 1))
    found_differences = covered = 0
    trial = 0
    for block in range(draws.n_blocks):
        for mask, counts in zip(swaps.draw_all(block), draws.draw_all(block), strict=True):
            rows = np.repeat(np.arange(len(pair)), counts.astype(np.intp))
            sample = pair.subset(rows)
            p = _p_value(_swapped(sample, mask), metric, position, test, n_resamples, trial)
            found_differences += p < alpha
            result = bootstrap(sample[model_a], [metric], n_resamples=n_resamples, rng=trial)
            interval = result.score_interval(method, confidence_level)
            covered += interval.low[0, position] <= truth <= interval.high[0, position]
            trial += 1
    rows_out = [
        (f"type-I error of {test}", alpha, found_differences / n_trials),
        (f"coverage of {method}", confidence_level, covered / n_trials),
    ]
    frame = pd.DataFrame(rows_out, columns=["what", "nominal", "realised"])
    error = [math.sqrt(share * (1 - share) / n_trials) for share in frame["realised"]]
    return frame.assign(standard_error=error, n_trials=n_trials)


def _swapped(predictions: Predictions, mask: FloatArray) -> Predictions:
    first, second = (predictions.output(model).array for model in predictions.models)
    chosen = (mask if first.ndim == 1 else mask[:, None]).astype(bool)
    return with_arrays(
        predictions, [np.where(chosen, second, first), np.where(chosen, first, second)]
    )


def _p_value(
    sample: Predictions,
    metric: MetricLike,
    position: int,
    test: TestName,
    n_resamples: int,
    trial: int,
) -> float:
    chosen = resolve_metrics([metric], sample)
    evaluation = Evaluation(sample, chosen)
    estimate = evaluation.estimate()
    seed = seed_sequence(trial)
    draws = (
        evaluation.replicates(BootstrapWeights(evaluation.units, n_resamples, seed))
        if test == "bootstrap"
        else np.empty((0, *estimate.shape))
    )
    p_values = pairwise_p_values(
        test, evaluation, np.array([0]), np.array([1]), estimate=estimate,
        masks=SwapMasks(evaluation.units, n_resamples, seed), replicates=draws,
        moments=influence_moments(evaluation, estimate),
    )  # fmt: skip
    return float(p_values[0, position])
