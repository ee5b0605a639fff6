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
    def of(cls, estimate: FloatArray, replicates: FloatArray, confidence_level: float) -> Summary:
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
            estimate=estimate, mean=mean.reshape(shape),
            variance=variance.reshape(shape), ci_low=low.reshape(shape),
            ci_high=high.reshape(shape), n_undefined=n_undefined.astype(np.float64),
        )  # fmt: skip

    def tested(
        self,
        pairs: list[tuple[slice, slice]],
        replicates: FloatArray,
        tests: Sequence[VarianceTest],
    ) -> list[PairOutcome]:
        """Variances and tests of each pair of metrics."""
        out: list[PairOutcome] = []
        for pair in pairs:
            var_a, var_b = (self.variance[:, part] for part in pair)
            x, y = (
                np.ascontiguousarray(replicates[:, :, part].reshape(len(replicates), -1).T)
                for part in pair
            )
            found = {
                str(test): (statistic.reshape(var_a.shape), p_value.reshape(var_a.shape))
                for test in tests
                for statistic, p_value in [
                    variance_test(test, x, y, (var_a.ravel(), var_b.ravel()))
                ]
            }
            out.append(PairOutcome(var_a, var_b, found))
        return out


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
