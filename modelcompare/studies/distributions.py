"""Replicates of one part of the test set -> moments, intervals, tests of variance, and frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.intervals import quantiles
from modelcompare.predictions import Predictions
from modelcompare.significance.variances import VarianceTest, row_variance, variance_test
from modelcompare.studies.pairs import MetricPairs

_TEST_COLUMNS = (
    "model", "ratio", "n_samples", "subsample", "label", "metric_a", "metric_b", "variance_a",
    "variance_b", "variance_ratio", "test", "statistic", "p_value",
)  # fmt: skip
_CONSTANT_COLUMNS = ("ratio", "n_samples", "subsample", "metric_a", "metric_b", "test")


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
            estimate=evaluation.estimate(),
            mean=mean.reshape(shape),
            variance=variance.reshape(shape),
            ci_low=low.reshape(shape),
            ci_high=high.reshape(shape),
            n_undefined=n_undefined.astype(np.float64),
        )


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
    predictions: Predictions,
    metric_pairs: MetricPairs,
    parts: list[Part],
    n_subsamples: int,
) -> pd.DataFrame:
    """Frame `VarianceStudy.distribution`."""
    keys = Evaluation(predictions, metric_pairs.metrics, collapse=False).keys
    n_models = len(predictions.models)
    frames = []
    for start in range(0, len(parts), n_subsamples):
        group = parts[start : start + n_subsamples]
        summaries = [part.summary for part in group]
        columns = {
            name: np.mean([getattr(s, name) for s in summaries], axis=0).ravel()
            for name in ("estimate", "mean", "variance", "ci_low", "ci_high")
        }
        between = (
            np.var([s.mean for s in summaries], axis=0, ddof=1)
            if n_subsamples > 1
            else np.full_like(summaries[0].mean, np.nan)
        )
        frames.append(
            pd.DataFrame(
                {
                    "model": np.repeat(np.array(predictions.models, dtype=object), len(keys)),
                    "ratio": group[0].ratio,
                    "n_samples": group[0].n_samples,
                    "metric": [key.metric for key in keys] * n_models,
                    "label": pd.Series([key.label for key in keys] * n_models, dtype=object),
                    "estimate": columns["estimate"],
                    "mean": columns["mean"],
                    "variance": columns["variance"],
                    "variance_between": between.ravel(),
                    "ci_low": columns["ci_low"],
                    "ci_high": columns["ci_high"],
                    "n_undefined": np.sum([s.n_undefined for s in summaries], axis=0)
                    .ravel()
                    .astype(int),
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def tests_frame(
    predictions: Predictions, metric_pairs: MetricPairs, parts: list[Part]
) -> pd.DataFrame:
    """Frame `VarianceStudy.tests`."""
    keys = Evaluation(predictions, metric_pairs.metrics, collapse=False).keys
    columns: dict[str, list[Any]] = {name: [] for name in _TEST_COLUMNS}
    n_models = len(predictions.models)
    for part in parts:
        for (name_a, name_b), pair in zip(metric_pairs.pairs, part.outcomes, strict=True):
            labels = [key.label for key in keys if key.metric == name_a]
            n_rows = n_models * len(labels)
            with np.errstate(divide="ignore", invalid="ignore"):
                variance_ratio = pair.variance_a / pair.variance_b
            for test, (statistic, p_value) in pair.found.items():
                constant = (part.ratio, part.n_samples, part.index, name_a, name_b, test)
                for name, value in zip(_CONSTANT_COLUMNS, constant, strict=True):
                    columns[name] += [value] * n_rows
                columns["model"] += [m for m in predictions.models for _ in labels]
                columns["label"] += labels * n_models
                for name, array in (
                    ("variance_a", pair.variance_a), ("variance_b", pair.variance_b),
                    ("variance_ratio", variance_ratio), ("statistic", statistic),
                    ("p_value", p_value),
                ):  # fmt: skip
                    columns[name] += array.ravel().tolist()
    return pd.DataFrame({**columns, "label": pd.Series(columns["label"], dtype=object)})
