"""Replicates of one part of the test set -> moments, intervals, tests of variance, and frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.engine.axis import long_frame
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.parallel import map_blocks
from modelcompare.intervals import quantiles
from modelcompare.significance.variances import row_variance, variance_test
from modelcompare.studies.pairs import MetricPairs
from modelcompare.words import VarianceTest

# Models whose replicates are summarized at once.
_MODELS_AT_ONCE = 10


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
        """Summarize replicates of shape (n_resamples, n_models, n_values)."""
        rows = _rows(replicates)
        n_undefined = np.count_nonzero(np.isnan(rows), axis=1)
        n_defined = len(replicates) - n_undefined
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.nansum(rows, axis=1) / n_defined if n_undefined.any() else rows.mean(axis=1)
            variance = row_variance(rows)
        # Sorting rows that lie contiguously is several times faster than sorting down columns.
        ordered = np.sort(rows, axis=1)
        tail = (1 - confidence_level) / 2
        low, high = (quantiles(ordered.T, np.full(len(rows), q)) for q in (tail, 1 - tail))
        found = (mean, variance, low, high, n_undefined.astype(np.float64))
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
        summary = Summary.of(estimate[models], replicates[:, models], confidence_level)
        variance, own = summary.variance, replicates[:, models]
        return summary, [_tested(variance, own, pair, tests) for pair in pairs]

    found = map_blocks(some, starts, n_jobs, numbers=4 * replicates.size)
    summaries, outcomes = zip(*found, strict=True)
    return Summary.joined(summaries), [PairOutcome.joined(p) for p in zip(*outcomes, strict=True)]


def _tested(
    variance: FloatArray, replicates: FloatArray, pair: tuple[slice, slice],
    tests: Sequence[VarianceTest],
) -> PairOutcome:  # fmt: skip
    var_a, var_b = (variance[:, part] for part in pair)
    x, y = (_rows(replicates[:, :, part]) for part in pair)
    found = {}
    for test in tests:
        outcome = variance_test(test, x, y, (var_a.ravel(), var_b.ravel()))
        found[str(test)] = tuple(numbers.reshape(var_a.shape) for numbers in outcome)
    return PairOutcome(var_a, var_b, found)


def _rows(replicates: FloatArray) -> FloatArray:
    """Replicates of each model and value, of shape (n_models * n_values, n_resamples)."""
    return np.ascontiguousarray(replicates.reshape(len(replicates), -1).T)


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
    frames = []
    for part in parts:
        rows = {
            "model": evaluation.models, "ratio": part.ratio, "n_samples": part.n_samples,
            "subsample": part.index,
        }  # fmt: skip
        for (name_a, name_b), pair in zip(metric_pairs.pairs, part.outcomes, strict=True):
            with np.errstate(divide="ignore", invalid="ignore"):
                variance_ratio = pair.variance_a / pair.variance_b
            frames += [
                long_frame(
                    rows, evaluation.keys[evaluation.metric_slice(name_a)], metric_a=name_a,
                    metric_b=name_b, variance_a=pair.variance_a, variance_b=pair.variance_b,
                    variance_ratio=variance_ratio, test=test, statistic=statistic, p_value=p_value,
                )
                for test, (statistic, p_value) in pair.found.items()
            ]  # fmt: skip
    return pd.concat(frames, ignore_index=True).drop(columns="metric")
