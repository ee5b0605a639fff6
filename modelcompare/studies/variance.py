"""Bootstrap metrics at several sizes of the test set (Yacouby & Axman 2020, section 6.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass

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
from modelcompare.significance.row_moments import RowMoments
from modelcompare.significance.variances import check_variance_tests, variance_test
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
    predictions = serve(predictions, asked.metrics).predictions
    metric_pairs = MetricPairs.of(pairs, predictions, zero_division)
    sizes = check_ratios(ratios, len(predictions))
    seed = seed_sequence(rng)
    parts = []
    with progress_bar(len(sizes) * n_subsamples, progress, unit=" parts") as bar:
        for place, ratio in enumerate(sizes):
            for index in range(n_subsamples):
                part = part_of(predictions, ratio, seed, index=index, stratify=stratify)
                evaluation = metric_pairs.evaluate(part)
                own_seed = child_seed(seed, place, index)
                weights = BootstrapWeights(evaluation.units, n_resamples, own_seed)
                replicates = evaluation.replicates(weights, n_jobs=n_jobs)
                found = summarized(
                    evaluation.estimate(), replicates, confidence_level,
                    metric_pairs.positions(evaluation), tests, n_jobs=n_jobs,
                )  # fmt: skip
                parts.append(Part(ratio, index, len(part), *found))
                bar.update()
    return VarianceStudy(
        predictions=predictions, pairs=metric_pairs.pairs, ratios=sizes, n_resamples=n_resamples,
        n_subsamples=n_subsamples, confidence_level=confidence_level,
        distribution=distribution_frame(evaluation, parts, n_subsamples),
        tests=tests_frame(evaluation, metric_pairs, parts), metric_pairs=metric_pairs, seed=seed,
        stratify=stratify, seed_label=rng_label(rng),
    )  # fmt: skip


@dataclass(frozen=True)
class Part:
    """One down-sampling of the test set, and what its replicates came to."""

    ratio: float
    index: int
    n_samples: int
    summary: Summary
    outcomes: list[PairOutcome]


@dataclass(frozen=True)
class PairOutcome:
    """Variances of a pair of metrics, and each test's (statistic, p): (n_models, n_labels)."""

    variance_a: FloatArray
    variance_b: FloatArray
    found: dict[str, tuple[FloatArray, ...]]

    @classmethod
    def joined(cls, parts: Sequence[PairOutcome]) -> PairOutcome:
        """Outcome of all models from those of some after others."""
        found = {
            test: tuple(map(np.concatenate, zip(*(p.found[test] for p in parts), strict=True)))
            for test in parts[0].found
        }
        first, second = ([getattr(p, side) for p in parts] for side in ("variance_a", "variance_b"))
        return cls(np.concatenate(first), np.concatenate(second), found)


@dataclass(frozen=True)
class Summary:
    """Estimates and moments of replicates, each of shape (n_models, n_values)."""

    estimate: FloatArray
    mean: FloatArray
    variance: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    n_undefined: FloatArray

    @classmethod
    def of(cls, estimate: FloatArray, replicates: FloatArray, confidence_level: float) -> Summary:
        """Summarize replicates of shape (n_models, n_values, n_resamples)."""
        rows = RowMoments(replicates.reshape(-1, replicates.shape[-1]))
        with np.errstate(divide="ignore", invalid="ignore"):
            mean, variance = rows.mean, rows.variance
        # Sorting rows that lie contiguously is several times faster than sorting down columns.
        ordered = np.sort(rows.numbers, axis=1)
        tail = (1 - confidence_level) / 2
        low, high = (quantiles(ordered.T, np.full(len(ordered), q)) for q in (tail, 1 - tail))
        found = (mean, variance, low, high, ordered.shape[1] - rows.count)
        return cls(estimate, *(numbers.reshape(estimate.shape) for numbers in found))

    @classmethod
    def joined(cls, parts: Sequence[Summary]) -> Summary:
        """Summary of all models from those of some after others."""
        columns = zip(*(astuple(part) for part in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))


def summarized(
    estimate: FloatArray, replicates: FloatArray, confidence_level: float,
    pairs: Sequence[tuple[slice, slice]], tests: Sequence[VarianceTest], *, n_jobs: int | None,
) -> tuple[Summary, list[PairOutcome]]:  # fmt: skip
    """Summary of replicates, and the outcome of each pair of metrics.

    Parameters
    ----------
    estimate : ndarray of shape (n_models, n_values)
        Values on the data.
    replicates : ndarray of shape (n_resamples, n_models, n_values)
        Values on the resamples.
    confidence_level : float
        Of the percentile intervals.
    pairs : sequence of (slice, slice)
        Where the values of the two metrics of each pair are.
    tests : sequence of str
        Tests of equal variances.
    n_jobs : int, optional
        As in `map_blocks`.
    """
    starts = range(0, len(estimate), _MODELS_AT_ONCE)

    def some(start: int) -> tuple[Summary, list[PairOutcome]]:
        models = slice(start, start + _MODELS_AT_ONCE)
        # A model's resamples lie together already.
        rows = np.ascontiguousarray(replicates[:, models].transpose(1, 2, 0))
        summary = Summary.of(estimate[models], rows, confidence_level)
        return summary, [_tested(rows, pair, tests) for pair in pairs]

    found = map_blocks(some, starts, n_jobs, numbers=4 * replicates.size / len(starts))
    summaries, outcomes = zip(*found, strict=True)
    return Summary.joined(summaries), [PairOutcome.joined(p) for p in zip(*outcomes, strict=True)]


def _tested(
    replicates: FloatArray, pair: tuple[slice, slice], tests: Sequence[VarianceTest]
) -> PairOutcome:
    """Outcome of a pair of metrics, from replicates (n_models, n_values, n_resamples)."""
    parts = [replicates[:, values] for values in pair]
    x, y = (RowMoments(part.reshape(-1, part.shape[-1])) for part in parts)
    shape = parts[0].shape[:2]
    found = {}
    for test in tests:
        outcome = variance_test(test, x, y)
        found[str(test)] = tuple(numbers.reshape(shape) for numbers in outcome)
    return PairOutcome(x.variance.reshape(shape), y.variance.reshape(shape), found)


def distribution_frame(
    evaluation: Evaluation, parts: list[Part], n_subsamples: int
) -> pd.DataFrame:
    """Frame `VarianceStudy.distribution`."""
    frames = []
    for start in range(0, len(parts), n_subsamples):
        group = parts[start : start + n_subsamples]
        summaries = [part.summary for part in group]
        between = np.full_like(summaries[0].mean, np.nan)
        if n_subsamples > 1:
            between = np.var([s.mean for s in summaries], axis=0, ddof=1)
        means = {
            name: np.mean([getattr(summary, name) for summary in summaries], axis=0)
            for name in ("estimate", "mean", "variance", "ci_low", "ci_high")
        }
        ends = means.pop("ci_low"), means.pop("ci_high")
        first = group[0]
        rows = {"model": evaluation.models, "ratio": first.ratio, "n_samples": first.n_samples}
        n_undefined = np.sum([s.n_undefined for s in summaries], axis=0).astype(int)
        frames.append(long_frame(
            rows, evaluation.keys, **means, variance_between=between, ci_low=ends[0],
            ci_high=ends[1], n_undefined=n_undefined,
        ))  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def tests_frame(
    evaluation: Evaluation, metric_pairs: MetricPairs, parts: list[Part]
) -> pd.DataFrame:
    """Frame `VarianceStudy.tests`."""
    frames = [
        _pair_frame(evaluation, names, parts, [part.outcomes[place] for part in parts])
        for place, names in enumerate(metric_pairs.pairs)
    ]
    part_of_row = [np.arange(len(frame)) // (len(frame) // len(parts)) for frame in frames]
    by_part = np.argsort(np.concatenate(part_of_row), kind="stable")
    found = pd.concat(frames, ignore_index=True).drop(columns="metric")
    return found.iloc[by_part].reset_index(drop=True)


def _pair_frame(
    evaluation: Evaluation, names: Pair, parts: Sequence[Part], outcomes: Sequence[PairOutcome]
) -> pd.DataFrame:
    """Tests of one pair of metrics in all parts; pandas takes long for many short frames."""
    tests = [*outcomes[0].found]
    n_models = len(evaluation.models)

    def of_parts(entries: Sequence[float]) -> AnyArray:
        return np.repeat(entries, len(tests) * n_models)

    def of_tests(numbers: Iterable[FloatArray]) -> FloatArray:
        return np.concatenate([each for own in numbers for each in [own] * len(tests)])

    statistic, p_value = (
        np.concatenate([outcome.found[test][side] for outcome in outcomes for test in tests])
        for side in (0, 1)
    )
    variance_a = of_tests(outcome.variance_a for outcome in outcomes)
    variance_b = of_tests(outcome.variance_b for outcome in outcomes)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance_ratio = variance_a / variance_b
    rows = {
        "model": np.tile(np.array(evaluation.models, dtype=object), len(parts) * len(tests)),
        "ratio": of_parts([part.ratio for part in parts]),
        "n_samples": of_parts([part.n_samples for part in parts]),
        "subsample": of_parts([part.index for part in parts]),
    }
    asked = np.tile(np.repeat(np.array(tests, dtype=object), n_models), len(parts))
    return long_frame(
        rows, evaluation.keys[evaluation.metric_slice(names[0])], metric_a=names[0],
        metric_b=names[1], variance_a=variance_a, variance_b=variance_b,
        variance_ratio=variance_ratio, test=np.broadcast_to(asked[:, None], statistic.shape),
        statistic=statistic, p_value=p_value,
    )  # fmt: skip
