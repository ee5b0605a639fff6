"""Bootstrap metrics at several sizes of the test set (Yacouby & Axman 2020, section 6.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.comparison.planning import serve
from modelcompare.data.test_set import TestSet
from modelcompare.engine.axis import long_frame
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.parallel import map_blocks, progress_bar
from modelcompare.intervals import quantiles
from modelcompare.resampling.seeds import RngLike, child_seed, rng_label, seed_sequence
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.significance.variances import RowMoments, check_variance_tests, variance_test
from modelcompare.studies.pairs import (
    PAPER_PAIRS,
    PAPER_RATIOS,
    MetricPairs,
    Pair,
    check_ratios,
    part_of,
)
from modelcompare.studies.variance_result import VarianceStudy
from modelcompare.words import VarianceTest, ZeroDivision, giving

PAPER_TESTS: tuple[VarianceTest, ...] = ("f", "bartlett", "levene")
_MOMENTS = ("estimate", "mean", "variance", "ci_low", "ci_high", "n_undefined")
# Models whose replicates are summarized at once.
_MODELS_AT_ONCE = 50


@checked(predictions=giving("blocks"))
def variance_study(
    predictions: TestSet, pairs: Sequence[str | Pair] = PAPER_PAIRS, *,
    ratios: Sequence[float] = PAPER_RATIOS, n_resamples: int = 1000, n_subsamples: int = 1,
    stratify: bool = False, confidence_level: float = 0.95,
    tests: Sequence[VarianceTest] = PAPER_TESTS, zero_division: ZeroDivision = "paper",
    n_jobs: int | None = None, rng: RngLike = 0, progress: bool = False,
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
        Bootstrap resamples of each part.
    n_subsamples : int
        Repeat the down-sampling so often, and split the spread into within and between.
    stratify : bool
        Keep the proportions of the true classes when down-sampling.
    confidence_level : float
        Of the percentile intervals, and of the intervals of variance ratios.
    tests : sequence of str
        Tests of equal variance of the two metrics' replicates, see `variance_tests`. F, Bartlett
        and Levene reproduce the paper. They take the replicates for independent data, so their
        p-values shrink as `n_resamples` grows: they measure the effort of the simulation.
        "pitman-morgan" knows that the replicates are paired, and shrinks as well. The interval of
        `VarianceStudy.variance_ratios` does not depend on `n_resamples`.
    zero_division : float or "paper"
        See `modelcompare.get_metric`; by default, as in the paper, F1 is undefined where precision
        or recall is.
    n_jobs, rng, progress
        As in `compare`.

    Returns
    -------
    VarianceStudy
        Frames `distribution`, `tests`, `variance_ratios`, `separation`, `relative_efficiency`, and
        figures.

    Raises
    ------
    ValueError
        If a ratio leaves fewer than 2 samples, or pairs or tests are unknown.

    Notes
    -----
    A lower variance is not by itself better discrimination: a metric with half the spread and half
    the difference tells nothing more. Look at `separation` and `relative_efficiency`.

    References
    ----------
    .. [1] Yacouby & Axman (2020), https://aclanthology.org/2020.eval4nlp-1.9

    Examples
    --------
    >>> import modelcompare as mc
    >>> study = mc.variance_study(mc.load_example("snli"), [("f1_macro", "cf1_macro")],
    ...                           ratios=[1.0, 0.1], n_resamples=200)
    >>> study.distribution[["model", "ratio", "metric", "mean"]].head(2).round(2)
                 model  ratio     metric  mean
    0  hypothesis_only    1.0   f1_macro  0.61
    1  hypothesis_only    1.0  cf1_macro  0.51
    """
    check_variance_tests(tests)
    asked = MetricPairs.of(pairs, predictions, zero_division)
    predictions, *_ = serve(predictions, asked.metrics)
    metric_pairs = MetricPairs.of(pairs, predictions, zero_division)
    sizes = check_ratios(ratios, len(predictions))
    seed = seed_sequence(rng)
    found, n_samples = [], []
    with progress_bar(len(sizes) * n_subsamples, progress, unit=" parts") as bar:
        for place, ratio in enumerate(sizes):
            for index in range(n_subsamples):
                part = part_of(predictions, ratio, seed, index=index, stratify=stratify)
                evaluation = metric_pairs.evaluate(part)
                own_seed = child_seed(seed, place, index)
                weights = BootstrapWeights(evaluation.units, n_resamples, own_seed)
                replicates = evaluation.replicates(weights, n_jobs=n_jobs)
                positions = metric_pairs.positions(evaluation)
                made = _summarized(replicates, confidence_level, positions, tests, n_jobs)
                found.append([evaluation.estimate(), *made])
                n_samples.append(len(part))
                bar.update()
    # Of all parts, (n_parts, n_models, ...).
    arrays = [np.stack(parts) for parts in zip(*found, strict=True)]
    moments = dict(zip(_MOMENTS, arrays, strict=False))
    of_parts = {
        "ratio": np.repeat(sizes, n_subsamples),
        "n_samples": np.array(n_samples),
        "subsample": np.tile(np.arange(n_subsamples), len(sizes)),
    }
    frames = [
        _tests_frame(evaluation, names, of_parts, moments["variance"], outcomes, tests)
        for names, outcomes in zip(metric_pairs.pairs, arrays[len(_MOMENTS) :], strict=True)
    ]
    # All pairs of metrics of a part before the next part.
    tested = pd.concat(frames).sort_values(
        ["ratio", "subsample"], ascending=[False, True], kind="stable", ignore_index=True
    )
    return VarianceStudy(
        predictions=predictions, pairs=metric_pairs.pairs, ratios=sizes, n_resamples=n_resamples,
        n_subsamples=n_subsamples, confidence_level=confidence_level,
        distribution=_distribution_frame(evaluation, of_parts, moments, n_subsamples),
        tests=tested,
        metric_pairs=metric_pairs, seed=seed, stratify=stratify, seed_label=rng_label(rng),
    )  # fmt: skip


def _summarized(
    replicates: FloatArray, confidence_level: float, pairs: Sequence[tuple[slice, slice]],
    tests: Sequence[VarianceTest], n_jobs: int | None,
) -> list[FloatArray]:  # fmt: skip
    """Summarize replicates of shape (n_resamples, n_models, n_values).

    Returns
    -------
    list of ndarray
        What `_MOMENTS` names after the estimate, of shape (n_models, n_values); and for each pair
        of metrics the tests of equal variance, of shape (n_models, n_labels, n_tests, 2): statistic
        and p-value.
    """
    tail = (1 - confidence_level) / 2

    def some(start: int) -> list[FloatArray]:
        # A model's resamples lie together already.
        models = replicates[:, start : start + _MODELS_AT_ONCE]
        numbers = np.ascontiguousarray(models.transpose(1, 2, 0))
        rows = RowMoments(numbers.reshape(-1, len(replicates)))
        with np.errstate(divide="ignore", invalid="ignore"):
            mean, variance = rows.mean, rows.variance
        # Sorting rows that lie contiguously is several times faster than sorting down columns.
        ordered = np.sort(rows.numbers, axis=1)
        low, high = (quantiles(ordered.T, np.full(len(ordered), q)) for q in (tail, 1 - tail))
        moments = mean, variance, low, high, len(replicates) - rows.count
        shape = numbers.shape[:2]
        return [
            *(each.reshape(shape) for each in moments),
            *(_tested(numbers[:, a], numbers[:, b], tests) for a, b in pairs),
        ]

    starts = range(0, replicates.shape[1], _MODELS_AT_ONCE)
    found = map_blocks(some, starts, n_jobs, numbers=4 * replicates.size / len(starts))
    return [np.concatenate(blocks) for blocks in zip(*found, strict=True)]


def _tested(a: FloatArray, b: FloatArray, tests: Sequence[VarianceTest]) -> FloatArray:
    """Test replicates (n_models, n_labels, n_resamples): (n_models, n_labels, n_tests, 2)."""
    x, y = (RowMoments(side.reshape(-1, side.shape[-1])) for side in (a, b))
    found = np.array([variance_test(test, x, y) for test in tests])
    return np.moveaxis(found.reshape(len(tests), 2, *a.shape[:2]), (0, 1), (2, 3))


def _distribution_frame(
    evaluation: Evaluation, of_parts: Mapping[str, AnyArray], moments: Mapping[str, FloatArray],
    n_subsamples: int,
) -> pd.DataFrame:  # fmt: skip
    """Make the frame `VarianceStudy.distribution`, of means over the down-samplings of a ratio."""
    n_models, n_values = moments["mean"].shape[1:]
    by_ratio = {
        name: numbers.reshape(-1, n_subsamples, n_models, n_values)
        for name, numbers in moments.items()
    }
    columns = {
        name: by_ratio[name].mean(axis=1).reshape(-1, n_values)
        for name in ("estimate", "mean", "variance", "ci_low", "ci_high")
    }
    between = np.full_like(columns["mean"], np.nan)
    if n_subsamples > 1:
        between = by_ratio["mean"].var(axis=1, ddof=1).reshape(-1, n_values)
    ends = columns.pop("ci_low"), columns.pop("ci_high")
    n_undefined = by_ratio["n_undefined"].sum(axis=1).astype(int).reshape(-1, n_values)
    firsts = {name: of_parts[name][::n_subsamples] for name in ("ratio", "n_samples")}
    rows = {
        "model": np.tile(np.array(evaluation.models, dtype=object), len(firsts["ratio"])),
        **{name: np.repeat(entries, n_models) for name, entries in firsts.items()},
    }
    return long_frame(
        rows, evaluation.keys, **columns, variance_between=between, ci_low=ends[0],
        ci_high=ends[1], n_undefined=n_undefined,
    )  # fmt: skip


def _tests_frame(
    evaluation: Evaluation, names: Pair, of_parts: Mapping[str, AnyArray], variance: FloatArray,
    outcomes: FloatArray, tests: Sequence[VarianceTest],
) -> pd.DataFrame:  # fmt: skip
    """Make the rows of one pair of metrics in `VarianceStudy.tests`: parts, tests, models."""
    a, b = map(evaluation.metric_slice, names)
    n_parts, n_models, n_labels, n_tests, _ = outcomes.shape

    def in_rows(numbers: FloatArray) -> FloatArray:
        """Bring numbers of shape (n_parts, n_models, n_labels, n_tests) into rows of labels."""
        wide = np.broadcast_to(numbers, (n_parts, n_models, n_labels, n_tests))
        return np.moveaxis(wide, 3, 1).reshape(-1, n_labels)

    variance_a, variance_b = (in_rows(variance[:, :, side, None]) for side in (a, b))
    with np.errstate(divide="ignore", invalid="ignore"):
        variance_ratio = variance_a / variance_b
    rows = {
        "model": np.tile(np.array(evaluation.models, dtype=object), n_parts * n_tests),
        **{name: np.repeat(entries, n_tests * n_models) for name, entries in of_parts.items()},
    }
    of_rows = np.tile(np.repeat(np.array(tests, dtype=object), n_models), n_parts)
    return long_frame(
        rows, evaluation.keys[a], metric_a=names[0], metric_b=names[1], variance_a=variance_a,
        variance_b=variance_b, variance_ratio=variance_ratio,
        test=np.repeat(of_rows[:, None], n_labels, axis=1), statistic=in_rows(outcomes[..., 0]),
        p_value=in_rows(outcomes[..., 1]),
    ).drop(columns="metric")  # fmt: skip
