"""Weights of the samples in resamples, for statistics that are no metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.data.test_set import TestSet
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.seeds import RngLike, seed_sequence
from modelcompare.resampling.weights import BootstrapWeights


def resampled_weights(
    predictions: TestSet, metric: str, n_resamples: int, rng: RngLike
) -> tuple[FloatArray, Callable[[], Iterator[FloatArray]]]:
    """Return the sample weights, (1, n_samples), and a function that yields blocks of resamples.

    The resamples are the same for all models. `metric` is one that needs the same outputs as the
    caller.
    """
    evaluation = Evaluation(predictions, resolve_metrics(metric, predictions), collapse=False)
    draws = BootstrapWeights(evaluation.units, n_resamples, seed_sequence(rng))
    whole = evaluation.per_sample(np.ones((1, evaluation.units.n_units)))
    return whole, lambda: map(evaluation.per_sample, draws.blocks())
