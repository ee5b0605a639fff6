"""Pairs of metrics, and parts of the test set, as all studies take them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import IntArray
from modelcompare.comparison.few_samples import notes_on_classes
from modelcompare.comparison.planning import Settings, prepare
from modelcompare.data.test_set import TestSet
from modelcompare.directions import known_direction
from modelcompare.engine.axis import LongColumns, joined_frame
from modelcompare.engine.contrasts import Sample
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import AnyMetric, Metric
from modelcompare.metrics.classes import without_classes
from modelcompare.metrics.registry import resolve_metrics
from modelcompare.report.numbers import format_percent
from modelcompare.resampling.draws import subsample
from modelcompare.words import ZeroDivision, check_numbers, check_sequence

Pair = tuple[str, str]

PAPER_PAIRS: tuple[Pair, ...] = (("f1", "cf1"), ("precision", "cprecision"), ("recall", "crecall"))
"""Each thresholded metric with its probabilistic twin, as Yacouby & Axman (2020) compare them."""

PAPER_RATIOS: tuple[float, ...] = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
"""Parts of the test set that Yacouby & Axman (2020, section 6.1) draw."""


def at_part(ratio: float) -> str:
    """Return the title of a column of a part of the test set.

    >>> at_part(0.5)
    'at 50 %'
    """
    return f"at {format_percent(ratio)}"


# Columns of frames that name a metric.
_NAMES = frozenset({"metric", "metric_a", "metric_b", "metric_small", "metric_whole"})


@dataclass(frozen=True)
class MetricPairs:
    """Pairs of metrics that are compared class by class.

    Attributes
    ----------
    pairs : tuple of (str, str)
        Names of the metrics of each pair, each pair once.
    metrics : tuple of Metric
        All metrics, each once.
    classes : mapping
        Labels of the metrics of which some classes only are compared.
    """

    pairs: tuple[Pair, ...]
    metrics: tuple[AnyMetric, ...]
    classes: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, pairs: Sequence[str | Pair], predictions: TestSet, zero_division: ZeroDivision | None
    ) -> MetricPairs:
        """Resolve pairs of names; a single name is paired with its probabilistic twin.

        Without a value of 0 / 0 it is the paper's for metrics per class, and NaN for averages.
        """
        given = [pairs] if isinstance(pairs, str) else check_sequence("pairs", pairs, "pairs")
        if not given:
            raise ValueError("`pairs` is empty; give at least one, e.g. [('f1', 'cf1')].")
        named = [(pair, f"c{pair}") if isinstance(pair, str) else _two_names(pair)
                 for pair in given]  # fmt: skip
        read = {name: without_classes(name, predictions) for name in chain(*named)}
        plain = [*dict.fromkeys(name for name, _ in read.values())]
        given_value = math.nan if zero_division is None else zero_division
        metrics = resolve_metrics(plain, predictions, zero_division=given_value)
        if zero_division is None:
            metrics = tuple(map(_by_the_paper, metrics))
        found = {name: metrics[plain.index(of_all)] for name, (of_all, _) in read.items()}
        labels = {name: [*chain(*of_metric.values())] for name, (_, of_metric) in read.items()}
        whole = {found[name].name for name in read if not labels[name]}
        _, classes = without_classes([name for name in read if labels[name]], predictions)
        for a, b in named:
            both = {found[a].name, found[b].name}
            if labels[a] != labels[b] or both & whole & {*classes}:
                raise ValueError(
                    f"`pairs` holds ({a!r}, {b!r}), which are not of the same classes; name the "
                    "same classes of both, and of a metric in all pairs, or none."
                )
            if found[a].per_class != found[b].per_class:
                raise ValueError(
                    f"`pairs` holds ({a!r}, {b!r}), of which one is per class and the other is "
                    "not; average both or neither."
                )
        resolved = dict.fromkeys((found[a].name, found[b].name) for a, b in named)
        return cls(tuple(resolved), metrics, classes)

    def notes(self, predictions: TestSet) -> tuple[str, ...]:
        """Return notes on averages: models that the paper's convention loses, unknown classes."""
        averages = [m for m in self.metrics if isinstance(m, Metric) and m.average]
        if not averages:
            return ()
        evaluation = Evaluation(predictions, averages, collapse=False)
        n_models = len(evaluation.models)
        n_lost, n_pairs = np.isnan(evaluation.estimate()).sum(axis=0), math.comb(n_models, 2)
        lost = tuple(
            f"{metric.name} is undefined for {n:,} of {n_models:,} models: "
            f"{n_pairs - math.comb(n_models - n, 2):,} of {n_pairs:,} pairs of models are left out."
            for metric, n in zip(averages, n_lost.tolist(), strict=True)
            if n and metric.zero_division == "paper"
        )
        counted = [metric for metric in averages if metric.zero_division != "paper"]
        return (*lost, *notes_on_classes(evaluation, counted))

    def prepare(self, predictions: TestSet, settings: Settings) -> Sample:
        """Prepare a study of a test set; warn where little of what varies decides."""
        sample = prepare(predictions, self.metrics, replace(settings, collapse=False)).sample
        sample.estimator.warnings(None)
        return sample

    def evaluate(self, predictions: TestSet) -> Evaluation:
        """Evaluate the metrics on these predictions, class by class."""
        return Evaluation(predictions, self.metrics, collapse=False)

    def frame(self, parts: Iterable[LongColumns]) -> pd.DataFrame:
        """Return a long frame of the rows of all parts, of the requested classes."""
        return rows_of_classes(joined_frame(parts), self.classes)

    def sense(self, metric_a: str, metric_b: str) -> int:
        """Return 1 if higher is better for both metrics or for neither; else -1."""
        better_up = {m.name: known_direction(m.name, m.greater_is_better) for m in self.metrics}
        return 1 if better_up[metric_a] == better_up[metric_b] else -1

    def positions(self, evaluation: Evaluation) -> list[tuple[dict[str, str], slice, slice]]:
        """Return names of each pair, as columns of a frame, and their slices of the values."""
        return [
            ({"metric_a": a, "metric_b": b}, evaluation.metric_slice(a), evaluation.metric_slice(b))
            for a, b in self.pairs
        ]


def rows_of_classes(frame: pd.DataFrame, classes: Mapping[str, Sequence[Any]]) -> pd.DataFrame:
    """Return the rows of a long frame without other classes of the metrics that are given."""
    kept = np.ones(len(frame), dtype=bool)
    for name in _NAMES & {*frame.columns}:
        for metric, labels in classes.items():
            kept &= (frame[name] != metric) | frame["label"].isin(labels)
    return frame if kept.all() else frame[kept].reset_index(drop=True)


def _by_the_paper(metric: AnyMetric) -> AnyMetric:
    """Return a metric per class by the paper's convention, and others unchanged."""
    if isinstance(metric, Metric) and metric.per_class:
        return metric.with_zero_division("paper")
    return metric


def _two_names(pair: object) -> Pair:
    named = tuple(pair) if isinstance(pair, list | tuple) else ()
    if len(named) != 2 or not all(isinstance(name, str) for name in named):
        raise ValueError(f"`pairs` holds {pair!r}; a pair names two metrics.")
    return named


def check_ratios(ratios: Sequence[float], n_samples: int) -> tuple[float, ...]:
    """Return the ratios, largest first; raise if one is not in (0, 1] or leaves < 2 samples."""
    chosen = check_numbers("ratios", ratios)
    if not chosen:
        raise ValueError("`ratios` is empty; give at least one, e.g. [1.0, 0.1].")
    bad = [ratio for ratio in chosen if not 0 < ratio <= 1]
    if bad:
        raise ValueError(f"`ratios` must lie in (0, 1], got {bad[0]:g}.")
    if len({*chosen}) < len(chosen):
        raise ValueError("`ratios` must be distinct.")
    small = [ratio for ratio in chosen if round(ratio * n_samples) < 2]
    if small:
        raise ValueError(
            f"`ratios` holds {small[0]:g}, which leaves {round(small[0] * n_samples)} of "
            f"{n_samples:,} samples; at least 2 are needed."
        )
    return tuple(sorted(chosen, reverse=True))


def part_rows(
    predictions: TestSet, ratio: float, seed: np.random.SeedSequence, *, index: int = 0,
    stratify: bool = False,
) -> IntArray:  # fmt: skip
    """Return the rows that a down-sampling keeps: all at ratio 1; clusters are kept as wholes."""
    n_samples = len(predictions)
    if ratio == 1:
        return np.arange(n_samples)
    if predictions.groups is not None:
        cluster = predictions.access.unit_of
        n_clusters = int(cluster.max()) + 1
        if n_clusters < 2:
            raise ValueError("down-sampling whole clusters needs at least 2 of them, there is 1.")
        kept = subsample(n_clusters, max(2, round(ratio * n_clusters)), seed, index=index)
        return np.flatnonzero(np.isin(cluster, kept))
    strata = predictions.access.codes if stratify else None
    return subsample(n_samples, round(ratio * n_samples), seed, index=index, strata=strata)


def part_of(
    predictions: TestSet, ratio: float, seed: np.random.SeedSequence, *, index: int = 0,
    stratify: bool = False,
) -> TestSet:  # fmt: skip
    """Return the part of the test set with the rows `part_rows`."""
    if ratio == 1:
        return predictions
    return predictions.subset(part_rows(predictions, ratio, seed, index=index, stratify=stratify))
