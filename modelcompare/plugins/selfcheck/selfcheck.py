"""Simulation of a test's level and an interval's coverage on the data at hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray, IntArray
from modelcompare.comparison.bootstrap import bootstrap
from modelcompare.comparison.bootstrap_result import BootstrapResult
from modelcompare.comparison.planning import Settings
from modelcompare.data.checks import check_models
from modelcompare.data.predictions import Predictions
from modelcompare.data.variants import with_models
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.classes import ValueLike, one_value
from modelcompare.questions.contrast import Contrast
from modelcompare.resampling.draws import unequal_draws
from modelcompare.resampling.seeds import RngLike, child_seed, seed_sequence
from modelcompare.resampling.weights import BootstrapWeights, SwapMasks
from modelcompare.significance.inverted import Ends, ends_of
from modelcompare.words import IntervalMethod, PairsTest

# Strongest exponential tilt; beyond it a few samples would have almost all the weight.
_MOST_TILT = 5.0


@checked()
def selfcheck(
    predictions: Predictions,
    model_a: str,
    model_b: str,
    metric: ValueLike = "f1_macro",
    *,
    test: PairsTest = "studentized-permutation",
    method: IntervalMethod = "auto",
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    n_trials: int = 200,
    n_resamples: int = 499,
    rng: RngLike = 0,
) -> pd.DataFrame:
    """Simulate the type-I error of a test and the coverage of an interval on the given data.

    Samples (or whole clusters) are resampled from the test set. Under the first null the two
    models' outputs are swapped at random in each draw, so that the models are exchangeable. Under
    the second the test set is reweighted until the two values are equal, but the models remain as
    different as they are: they may make different errors, and a test that needs exchangeable models
    may not keep its level. For the intervals the test set is the population, whose value and
    difference they should cover.

    Parameters
    ----------
    predictions : Predictions
        Test set and models; clusters are drawn, and swapped, as wholes.
    model_a, model_b : str
        The models.
    metric : str, metric or callable, or a pair of it and a class
        Metric on which they are compared, as in `paired_test`.
    test, alpha
        As for `modelcompare.compare`: the test whose error is simulated, and its level.
    method, confidence_level
        As for `modelcompare.compare`: the interval whose coverage is simulated, of model a's
        value and of the difference.
    n_trials : int
        Number of simulated test sets.
    n_resamples : int
        Number of resamples for each of them.
    rng : int, Generator, SeedSequence or None
        Source of randomness.

    Returns
    -------
    DataFrame
        Four rows, columns: what, nominal, realised, standard_error, n_trials. The second is NaN if
        no weights make the two values equal.

    Raises
    ------
    ValueError
        If there is only one cluster.

    Warns
    -----
    SparseDataWarning
        If intervals may cover less than their level; see `compare`.

    References
    ----------
    .. [1] Efron (1981), Nonparametric standard errors and confidence intervals, Canadian Journal of
       Statistics 9 (exponential tilting).

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli").subset(range(300))
    >>> found = mc.diagnostics.selfcheck(
    ...     preds, "bow_pair", "mlp", "accuracy", n_trials=20, n_resamples=99
    ... )
    >>> for what in found["what"]:
    ...     print(what)
    type-I error of studentized-permutation, exchangeable models
    type-I error of studentized-permutation, equal values
    coverage of auto, value
    coverage of auto, difference
    """
    check_models(predictions.models, model_a=model_a, model_b=model_b)
    metric, label = one_value(metric, predictions)
    # Without ids, since a sample that is drawn twice would have a duplicate id.
    pair = predictions[[model_a, model_b]].with_columns(ids=None)
    models, value = (model_a, model_b), (metric, label)
    whole = Contrast.on(pair, models, value, Settings(collapse=False))
    whole.warn_of_sparse_data(method)
    truth = whole.sample.point[:, whole.position]
    truths = float(truth[0]), float(truth[0] - truth[1])
    seed = seed_sequence(rng)
    units = replace(whole.evaluation.units, rescaled=False)
    swaps = SwapMasks(units, n_trials, child_seed(seed, 0))
    draws = BootstrapWeights(units, n_trials, child_seed(seed, 1))

    def rejects(sample: Predictions, trial: int) -> bool:
        settings = Settings(test=test, n_resamples=n_resamples, rng=trial)
        drawn = Contrast.on(sample, models, value, settings)
        return bool(drawn.test(test).p_value[0, 0] < alpha)

    outcomes: list[list[bool]] = []
    trials = (chain.from_iterable(weights.blocks()) for weights in (swaps, draws))
    for trial, (mask, counts) in enumerate(zip(*trials, strict=True)):
        sample, unit = _drawn(pair, counts)
        result = bootstrap(sample, [metric], n_resamples=n_resamples, rng=trial)
        ends = _intervals(result, whole.position, method, confidence_level)
        covered = [low <= t <= high for (low, high), t in zip(ends, truths, strict=True)]
        outcomes.append([rejects(_swap_outputs(sample, mask[unit]), trial), *covered])
    shifted = _equal_values(whole.evaluation, whole.position)
    drawn = () if shifted is None else unequal_draws(shifted, n_trials, child_seed(seed, 2))
    samples = (_drawn(pair, counts)[0] for counts in chain.from_iterable(drawn))
    rejected = [rejects(sample, trial) for trial, sample in enumerate(samples)]
    exchangeable, value, difference = np.mean(outcomes, axis=0)
    rows = {
        f"type-I error of {test}, exchangeable models": (alpha, exchangeable),
        f"type-I error of {test}, equal values": (alpha, np.mean(rejected) if rejected else np.nan),
        f"coverage of {method}, value": (confidence_level, value),
        f"coverage of {method}, difference": (confidence_level, difference),
    }
    return _frame(rows, n_trials)


def _frame(rows: Mapping[str, tuple[float, float]], n_trials: int) -> pd.DataFrame:
    """Return nominal and realised rates by their description, with Monte-Carlo errors."""
    frame = pd.DataFrame([*rows.values()], [*rows], ["nominal", "realised"])
    error = np.sqrt(frame["realised"] * (1 - frame["realised"]) / n_trials)
    frame = frame.assign(standard_error=error, n_trials=n_trials)
    return frame.rename_axis("what").reset_index()


def _drawn(predictions: Predictions, counts: FloatArray) -> tuple[Predictions, IntArray]:
    """Return the samples of the drawn units, and the number of the draw of each sample.

    A cluster that is drawn twice becomes two clusters.
    """
    codes = predictions.access.unit_of
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    units = np.repeat(np.arange(len(sizes)), counts.astype(np.intp))
    rows = np.concatenate([order[starts[unit] : starts[unit] + sizes[unit]] for unit in units])
    unit = np.repeat(np.arange(len(units)), sizes[units])
    sample = predictions.subset(rows)
    return (sample if predictions.groups is None else sample.with_columns(groups=unit)), unit


def _equal_values(evaluation: Evaluation, position: int) -> FloatArray | None:
    """Return the weights of the units, nearest to uniform, under which the two values are equal.

    They are exponentially tilted by each unit's influence on the difference; None if no tilt makes
    the values equal.
    """
    from scipy.optimize import brentq
    from scipy.special import softmax

    n = evaluation.units.n_units
    influence = evaluation.influence(slice(0, n), evaluation.estimate())
    pull = influence[:, 0, position] - influence[:, 1, position]
    pull = pull / max(np.abs(pull).max(), np.finfo(np.float64).tiny)

    def difference(tilt: float) -> float:
        values = evaluation.values(n * softmax(tilt * pull)[None, :])[0, :, position]
        return float(values[0] - values[1])

    ends = difference(-_MOST_TILT), difference(_MOST_TILT)
    if not ends[0] < 0 < ends[1]:
        return None
    shares: FloatArray = softmax(brentq(difference, -_MOST_TILT, _MOST_TILT) * pull)
    return shares


def _intervals(
    result: BootstrapResult, position: int, method: IntervalMethod, confidence_level: float
) -> list[Ends]:
    """Compute the intervals of model a's value and of the difference."""
    intervals = (
        result.score_interval(method, confidence_level),
        result.difference_interval(np.array([0]), np.array([1]), method, confidence_level),
    )
    return [ends_of(interval, 0, position) for interval in intervals]


def _swap_outputs(pair: Predictions, mask: FloatArray) -> Predictions:
    """Return the two models with exchanged outputs of the samples whose mask is not 0."""
    first, second = (pair.output(model).array for model in pair.models)
    chosen = (mask if first.ndim == 1 else mask[:, None]).astype(bool)
    swapped = np.where(chosen, second, first), np.where(chosen, first, second)
    (kind,) = {*pair.access.kinds.values()}
    return with_models(pair, dict(zip(pair.models, swapped, strict=True)), kind)
