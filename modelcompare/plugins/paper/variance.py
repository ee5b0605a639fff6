"""Bootstrap metrics at several sizes of the test set (Yacouby & Axman 2020, section 6.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from modelcompare.arguments import checked
from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.comparison.planning import Settings
from modelcompare.data.sizes import n_seen
from modelcompare.data.test_set import TestSet
from modelcompare.engine.axis import LongColumns, long_columns
from modelcompare.engine.contrasts import Sample
from modelcompare.engine.parallel import map_blocks, one_blas_thread, progress_bar
from modelcompare.intervals import percentile_interval
from modelcompare.plugins.paper.pairs import (
    PAPER_PAIRS,
    PAPER_RATIOS,
    MetricPairs,
    Pair,
    check_ratios,
    part_of,
)
from modelcompare.plugins.paper.variance_result import TESTS, VarianceStudy
from modelcompare.plugins.paper.variance_tests import (
    RowMoments,
    check_variance_tests,
    variance_test,
)
from modelcompare.plugins.paper.words import VarianceTest
from modelcompare.report.fields import names_of
from modelcompare.resampling.seeds import RngLike, child_seed, rng_label, seed_sequence
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.words import GeneralizeTo, ZeroDivision, giving

PAPER_TESTS: tuple[VarianceTest, ...] = ("f", "bartlett", "levene")
_AVERAGED = ["estimate", "mean", "variance", "ci_low", "ci_high"]
# Models whose replicates are summarized at once.
_MODELS_AT_ONCE = 50


@checked(predictions=giving("blocks", by_design=True))
@one_blas_thread()
def variance_study(
    predictions: TestSet, pairs: Sequence[str | Pair] = PAPER_PAIRS, *,
    ratios: Sequence[float] = PAPER_RATIOS, n_resamples: int = 1000, n_subsamples: int = 1,
    stratify: bool = False, confidence_level: float = 0.95,
    tests: Sequence[VarianceTest] = PAPER_TESTS, generalize_to: GeneralizeTo = "auto",
    zero_division: ZeroDivision | None = None, rng: RngLike = 0,
) -> VarianceStudy:  # fmt: skip
    """Bootstrap metrics at several sizes of the test set and compare their variances.

    The test set is down-sampled without replacement to each ratio, and the part is bootstrapped at
    its own size (Yacouby & Axman 2020, section 6.1).

    Parameters
    ----------
    predictions : Predictions
        Test set and models.
    pairs : sequence of (str, str) or str
        Pairs of metrics; a single name is paired with its probabilistic twin.
    ratios : sequence of float
        Parts of the test set, in (0, 1].
    n_resamples : int
        Number of bootstrap resamples of each part.
    n_subsamples : int
        Number of parts that are drawn at each ratio; with several the variance is split into within
        and between parts.
    stratify : bool
        Keep the proportions of the true classes when down-sampling.
    confidence_level : float
        Confidence level of the percentile intervals, and of the intervals of variance ratios.
    tests : sequence of str
        Tests of equal variance of the two metrics' replicates, see `variance_tests`. F, Bartlett
        and Levene reproduce the paper. They treat the replicates as independent data, so their
        p-values shrink as `n_resamples` grows: they measure the effort of the simulation.
        "pitman-morgan" takes into account that the replicates are paired, but its p-values shrink
        as well. The interval of `VarianceStudy.variance_ratios` does not depend on `n_resamples`.
    generalize_to : {"auto", "items", "items+runs"}
        What varies, as in `compare`. For new runs, runs are drawn again too, and the replicates
        are stretched about their mean: drawn runs vary too little, and what neither items nor runs
        explain varies three times too much (Owen 2007).
    zero_division : float or "paper", optional
        See `modelcompare.get_metric`. By default, as in the paper, the F1 of a class is undefined
        if its precision or recall is, and averages count it as 0. With "paper" averages are
        undefined too; the models and pairs that are lost are named.
    rng
        As in `compare`.

    Returns
    -------
    VarianceStudy
        Frames `distribution`, `tests`, `variance_ratios`, `separation`, `relative_efficiency`, and
        figures.

    Raises
    ------
    ValueError
        If a ratio leaves fewer than 2 samples, pairs or tests are unknown, or new runs are asked
        about and not known.

    Notes
    -----
    A lower variance is not by itself better discrimination: a metric with half the spread and half
    the difference separates models equally well. Discrimination is measured by `separation` and
    `relative_efficiency`.

    References
    ----------
    .. [1] Yacouby & Axman (2020), https://aclanthology.org/2020.eval4nlp-1.9
    .. [2] Owen (2007), Annals of Applied Statistics 1, 386-411.

    Examples
    --------
    >>> import modelcompare as mc
    >>> study = mc.studies.variance_study(mc.load_example("snli"), [("f1_macro", "cf1_macro")],
    ...                           ratios=[1.0, 0.1], n_resamples=200)
    >>> study.distribution[["model", "ratio", "metric", "mean"]].head(2).round(2)
                 model  ratio     metric  mean
    0  hypothesis_only    1.0   f1_macro  0.61
    1  hypothesis_only    1.0  cf1_macro  0.51
    """
    check_variance_tests(tests)
    metric_pairs = MetricPairs.of(pairs, predictions, zero_division)
    whole = metric_pairs.prepare(predictions, Settings(generalize_to=generalize_to))
    predictions, design = whole.evaluation.predictions, whole.design
    if stratify and not design.samples_decide:
        raise ValueError(
            "`stratify=True` (--stratify) keeps the proportions of the true classes, and labels "
            "of some samples do not show those of the others; leave it out."
        )
    sizes = check_ratios(ratios, n_seen(predictions))
    seed = seed_sequence(rng)
    distribution, tested = [], []
    with progress_bar(len(sizes) * n_subsamples, unit=" parts") as bar:
        for place, ratio in enumerate(sizes):
            of_ratio = []
            for index in range(n_subsamples):
                part = part_of(predictions, ratio, seed, index=index, stratify=stratify)
                evaluation = metric_pairs.evaluate(part)
                own_seed = child_seed(seed, place, index)
                weights = BootstrapWeights(evaluation.units, n_resamples, own_seed)
                where = {"ratio": ratio, "n_samples": n_seen(part), "subsample": index}
                sample = Sample(evaluation, weights, design.of_part(part))
                found = _of_part(sample, where, metric_pairs, confidence_level, tests)
                of_ratio.append(found[0])
                tested += found[1]
                bar.update()
            distribution.append(_mean_of(of_ratio))
    return VarianceStudy(
        predictions=predictions, pairs=metric_pairs.pairs, ratios=sizes, n_resamples=n_resamples,
        n_subsamples=n_subsamples, confidence_level=confidence_level,
        distribution=metric_pairs.frame(distribution).drop(columns="subsample"),
        tests=metric_pairs.frame(tested)[names_of(TESTS)], metric_pairs=metric_pairs,
        seed=seed, stratify=stratify, seed_label=rng_label(rng), design=design,
    )  # fmt: skip


def _of_part(
    sample: Sample, part: Mapping[str, object], metric_pairs: MetricPairs, confidence_level: float,
    tests: Sequence[VarianceTest],
) -> tuple[LongColumns, list[LongColumns]]:  # fmt: skip
    """Make the rows of one part of the test set in `distribution` and, by pair, in `tests`."""
    evaluation = sample.evaluation
    positions = metric_pairs.positions(evaluation)
    models = np.array(evaluation.models, dtype=object)
    (mean, variance, error, low, high, n_undefined), outcomes = _summarized(
        sample, confidence_level, tests, positions
    )
    distribution = long_columns(
        {"model": models, **part}, evaluation.keys, estimate=sample.point, mean=mean,
        variance=variance, variance_error=error, variance_between=np.nan, ci_low=low, ci_high=high,
        n_undefined=n_undefined,
    )  # fmt: skip
    # A row for each test and model.
    rows = {
        "model": np.tile(models, len(tests)), **part,
        "test": np.repeat(np.array(tests, dtype=object), len(models)),
    }  # fmt: skip
    tested = []
    for (names, a, b), outcome in zip(positions, outcomes, strict=True):
        variance_a, variance_b = (np.tile(variance[:, side], (len(tests), 1)) for side in (a, b))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = variance_a / variance_b
        statistic, p_value = outcome.transpose(1, 2, 0, 3).reshape(2, *ratio.shape)
        tested.append(long_columns(
            rows, evaluation.keys[a], **names, variance_a=variance_a, variance_b=variance_b,
            variance_ratio=ratio, statistic=statistic, p_value=p_value,
        ))  # fmt: skip
    return distribution, tested


def _summarized(
    sample: Sample, confidence_level: float, tests: Sequence[VarianceTest],
    positions: Sequence[tuple[dict[str, str], slice, slice]],
) -> tuple[list[AnyArray], list[AnyArray]]:  # fmt: skip
    """Summarize the replicates of each model and value.

    Returns
    -------
    moments : list of ndarray of shape (n_models, n_values)
        Mean, variance and its Monte-Carlo error, both ends of the percentile interval, and number
        of undefined replicates.
    outcomes : list of ndarray of shape (n_models, 2, n_tests, n_labels)
        Statistics and p-values of the tests of equal variance, for each pair of metrics.
    """
    design, replicated = sample.design, sample.estimator.replicates
    replicates = replicated(sample.weights) if design.beyond_items else sample.draws

    def some(start: int) -> list[AnyArray]:
        # Contiguous along the resamples of each model and value.
        models = replicates[:, start : start + _MODELS_AT_ONCE]
        numbers = np.ascontiguousarray(models.transpose(1, 2, 0))
        rows = RowMoments(numbers.reshape(-1, len(replicates)))
        with np.errstate(divide="ignore", invalid="ignore"):
            mean, variance, error = rows.mean, rows.variance, rows.variance_error
        # Sorting contiguous resamples is several times as fast as sorting strided columns.
        ends = percentile_interval(rows.numbers.T, confidence_level=confidence_level)
        n_undefined = (len(replicates) - rows.count).astype(np.intp)
        moments = mean, variance, error, ends.low, ends.high, n_undefined
        return [
            *(each.reshape(numbers.shape[:2]) for each in moments),
            *(_tested(numbers[:, a], numbers[:, b], tests) for _, a, b in positions),
        ]

    starts = range(0, replicates.shape[1], _MODELS_AT_ONCE)
    blocks = map_blocks(some, starts, numbers=4 * replicates.size / len(starts))
    found = [np.concatenate(arrays) for arrays in zip(*blocks, strict=True)]
    return found[:6], found[6:]


def _tested(a: FloatArray, b: FloatArray, tests: Sequence[VarianceTest]) -> FloatArray:
    """Test replicates (n_models, n_labels, n_resamples): (n_models, 2, n_tests, n_labels)."""
    x, y = (RowMoments(side.reshape(-1, side.shape[-1])) for side in (a, b))
    found = np.array([variance_test(test, x, y) for test in tests])
    return found.reshape(len(tests), 2, *a.shape[:2]).transpose(2, 1, 0, 3)


def _mean_of(parts: Sequence[LongColumns]) -> LongColumns:
    """Average the distributions of all down-samplings of one ratio."""
    stacked = {name: np.stack([part[name] for part in parts]) for name in _AVERAGED}
    averaged = {name: numbers.mean(axis=0) for name, numbers in stacked.items()}
    errors = np.stack([part["variance_error"] for part in parts])
    averaged["variance_error"] = np.sqrt((errors**2).sum(axis=0)) / len(parts)
    if len(parts) > 1:
        averaged["variance_between"] = stacked["mean"].var(axis=0, ddof=1)
    n_undefined = np.sum([part["n_undefined"] for part in parts], axis=0)
    return {**parts[0], **averaged, "n_undefined": n_undefined}
