"""Comparisons that belong together: made with seeds of their own, corrected as one, stacked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.comparison.compare import compare
from modelcompare.comparison.correction import adjust_metrics
from modelcompare.comparison.result import Comparison
from modelcompare.comparison.told import held_back
from modelcompare.data.predictions import Predictions
from modelcompare.metrics.registry import MetricLike
from modelcompare.resampling.seeds import RngLike, child_seed, seed_sequence
from modelcompare.words import Correction, warn_caller

# Parts of the data whose warnings stand in one.
_NAMED = 3


def compare_each(
    parts: Iterable[tuple[str, Predictions]],
    metrics: MetricLike | Sequence[MetricLike] | None,
    *,
    what: str,
    rng: RngLike,
    **options: Any,
) -> list[Comparison]:
    """Compare the models on each part of the data, with independent seeds.

    Each kind of warning is given once, for all parts.

    Parameters
    ----------
    parts : iterable of (str, Predictions)
        Names, for warnings, and test sets.
    metrics, rng, **options
        As in `compare`.
    what : str
        Plural of what a part is, for warnings.
    """
    seed, found = seed_sequence(rng), []
    told: dict[type[Warning], list[str]] = {}
    for place, (name, predictions) in enumerate(parts):
        with held_back() as caught:
            found.append(compare(predictions, metrics, rng=child_seed(seed, place), **options))
        for each in caught:
            told.setdefault(each.category, []).append(f"{name}: {each.message}")
    for category, texts in told.items():
        more = len(texts) - _NAMED
        rest = f" (and {more:,} more like this in {what})" if more > 0 else ""
        warn_caller(" ".join(texts[:_NAMED]) + rest, category)
    return found


def correct_together(results: Sequence[Comparison], correction: Correction) -> list[Comparison]:
    """Correct for all pairs, classes and results of a metric, of results with the same metrics."""
    keys = results[0].bootstrap.evaluation.keys
    adjusted = adjust_metrics(np.stack([each.p_values for each in results]), keys, correction)
    return [
        replace(each, p_adjusted=p, correction=correction)
        for each, p in zip(results, adjusted, strict=True)
    ]


def stacked(frames: Sequence[pd.DataFrame], named: Sequence[Mapping[str, object]]) -> pd.DataFrame:
    """Stack frames, each behind columns of objects that name it."""
    behind = [
        pd.concat([pd.DataFrame(names, index=frame.index, dtype=object), frame], axis=1)
        for frame, names in zip(frames, named, strict=True)
    ]
    return pd.concat(behind, ignore_index=True)
