"""Replicates of one part of the test set -> moments, intervals, tests of variance, and frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.engine.axis import long_frame
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.parallel import map_blocks
from modelcompare.intervals import quantiles
from modelcompare.significance.row_moments import RowMoments
from modelcompare.significance.variances import variance_test
from modelcompare.studies.pairs import MetricPairs, Pair
from modelcompare.words import VarianceTest

# Models whose replicates are summarized at once.
_MODELS_AT_ONCE = 50


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
