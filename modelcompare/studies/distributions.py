"""Replicates of one part of the test set -> moments, intervals, tests of variance, and frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.engine.axis import long_frame
from modelcompare.engine.evaluation import Evaluation
from modelcompare.intervals import quantiles
from modelcompare.predictions import Predictions
from modelcompare.significance.variances import row_variance, variance_test
from modelcompare.studies.pairs import MetricPairs
from modelcompare.words import VarianceTest


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
    found: dict[str, tuple[FloatArray, FloatArray]]


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
    def of(cls, evaluation: Evaluation, replicates: FloatArray, confidence_level: float) -> Summary:
        shape = replicates.shape[1:]
        n_undefined = np.count_nonzero(np.isnan(replicates), axis=0)
        n_defined = len(replicates) - n_undefined
        holed = n_undefined.any()
        # Sorting rows that lie contiguously is several times faster than sorting down columns.
        rows = np.ascontiguousarray(replicates.reshape(len(replicates), -1).T)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.nansum(rows, axis=1) / n_defined.ravel() if holed else rows.mean(axis=1)
            variance = row_variance(rows)
        rows.sort(axis=1)
        tail = (1 - confidence_level) / 2
        low, high = (quantiles(rows.T, np.full(len(rows), q)) for q in (tail, 1 - tail))
        return cls(
            estimate=evaluation.estimate(), mean=mean.reshape(shape),
            variance=variance.reshape(shape), ci_low=low.reshape(shape),
            ci_high=high.reshape(shape), n_undefined=n_undefined.astype(np.float64),
        )  # fmt: skip


def run_tests(
    evaluation: Evaluation,
    metric_pairs: MetricPairs,
    replicates: FloatArray,
    summary: Summary,
    tests: Sequence[VarianceTest],
) -> list[PairOutcome]:
    """Variances and tests of each pair of metrics."""
    out: list[PairOutcome] = []
    for a, b in metric_pairs.positions(evaluation):
        shape = summary.variance[:, a].shape
        x, y = (
            np.ascontiguousarray(replicates[:, :, part].reshape(len(replicates), -1).T)
            for part in (a, b)
        )
        variances = summary.variance[:, a].ravel(), summary.variance[:, b].ravel()
        found = {
            str(test): (statistic.reshape(shape), p_value.reshape(shape))
            for test in tests
            for statistic, p_value in [variance_test(test, x, y, variances)]
        }
        out.append(PairOutcome(summary.variance[:, a], summary.variance[:, b], found))
    return out


def distribution_frame(
    predictions: Predictions, metric_pairs: MetricPairs, parts: list[Part], n_subsamples: int
) -> pd.DataFrame:
    """Frame `VarianceStudy.distribution`."""
    keys = Evaluation(predictions, metric_pairs.metrics, collapse=False).keys
    frames = []
    for start in range(0, len(parts), n_subsamples):
        group = parts[start : start + n_subsamples]
        summaries = [part.summary for part in group]
        between = (
            np.var([s.mean for s in summaries], axis=0, ddof=1)
            if n_subsamples > 1
            else np.full_like(summaries[0].mean, np.nan)
        )

        def averaged(name: str, summaries: list[Summary] = summaries) -> FloatArray:
            return np.mean([getattr(summary, name) for summary in summaries], axis=0)

        frames.append(long_frame(
            {"model": predictions.models, "ratio": group[0].ratio, "n_samples": group[0].n_samples},
            keys, estimate=averaged("estimate"), mean=averaged("mean"),
            variance=averaged("variance"), variance_between=between, ci_low=averaged("ci_low"),
            ci_high=averaged("ci_high"),
            n_undefined=np.sum([s.n_undefined for s in summaries], axis=0).astype(int),
        ))  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def tests_frame(
    predictions: Predictions, metric_pairs: MetricPairs, parts: list[Part]
) -> pd.DataFrame:
    """Frame `VarianceStudy.tests`."""
    keys = Evaluation(predictions, metric_pairs.metrics, collapse=False).keys
    frames = []
    for part in parts:
        rows = {
            "model": predictions.models, "ratio": part.ratio, "n_samples": part.n_samples,
            "subsample": part.index,
        }  # fmt: skip
        for (name_a, name_b), pair in zip(metric_pairs.pairs, part.outcomes, strict=True):
            with np.errstate(divide="ignore", invalid="ignore"):
                variance_ratio = pair.variance_a / pair.variance_b
            frames += [
                long_frame(
                    rows,
                    [key for key in keys if key.metric == name_a],
                    metric_a=name_a,
                    metric_b=name_b,
                    variance_a=pair.variance_a,
                    variance_b=pair.variance_b,
                    variance_ratio=variance_ratio,
                    test=test,
                    statistic=statistic,
                    p_value=p_value,
                )
                for test, (statistic, p_value) in pair.found.items()
            ]
    return pd.concat(frames, ignore_index=True).drop(columns="metric")
