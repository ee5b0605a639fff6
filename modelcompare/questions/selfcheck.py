"""Whether a test holds its level, and an interval its coverage, on the data at hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from modelcompare.comparison.bootstrap import bootstrap
from modelcompare.metrics.registry import MetricLike
from modelcompare.predictions import Predictions
from modelcompare.questions.contrast import Contrast
from modelcompare.resampling import (
    BootstrapWeights,
    RngLike,
    SwapMasks,
    Units,
    child_seed,
    seed_sequence,
)
from modelcompare.significance.resampled import swap_outputs
from modelcompare.words import IntervalMethod, PairsTest, check_choice, check_count


def selfcheck(
    predictions: Predictions,
    model_a: str,
    model_b: str,
    metric: MetricLike = "f1_macro",
    *,
    test: PairsTest = "studentized-permutation",
    method: IntervalMethod = "auto",
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
    0    type-I error of studentized-permutation
    1                           coverage of auto
    Name: what, dtype: str
    """
    if predictions.groups is not None:
        raise ValueError("selfcheck draws single samples; it does not know clusters.")
    check_choice("test", test, PairsTest)
    check_choice("method", method, IntervalMethod)
    check_count("n_trials", n_trials, at_least=1)
    check_count("n_resamples", n_resamples)
    # Drawn twice, a sample would repeat its id.
    pair = predictions[[model_a, model_b]].without("ids")
    whole = Contrast.of(pair, model_a, model_b, metric, label=label, collapse=False)
    position = whole.position
    truth = float(whole.view.estimate[0, position])
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
            null = Contrast.of(
                swap_outputs(sample, mask), model_a, model_b, metric, label=label,
                n_resamples=n_resamples, rng=trial,
            )  # fmt: skip
            found_differences += null.test(test).p_value[0, 0] < alpha
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
