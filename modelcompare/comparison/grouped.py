"""Comparisons that belong together: made with seeds of their own, corrected as one, stacked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.comparison.compare import compare
from modelcompare.comparison.correction import adjust_metrics
from modelcompare.comparison.result import Comparison
from modelcompare.comparison.warned import held_back
from modelcompare.data.predictions import Predictions
from modelcompare.metrics.registry import MetricLike
from modelcompare.report.result import Result
from modelcompare.resampling.seeds import RngLike, child_seed, seed_sequence
from modelcompare.words import Correction, warn_caller

# Parts of the data whose warnings stand in one.
_NAMED = 3


def _shared(name: str) -> property:
    """Attribute that all comparisons of a group share."""
    return property(attrgetter(f"_first.{name}"))


@dataclass(frozen=True)
class Grouped(Result):
    """Comparisons of the same models on several parts of the data.

    Attributes
    ----------
    results : mapping to Comparison
        One comparison for each part, by what names it.
    """

    results: Mapping[Any, Comparison] = field(repr=False)
    rng_label: str = field(repr=False)

    # Columns that name a part, before those of its frames, and their types.
    _types: ClassVar[Mapping[str, type]]

    models, correction = _shared("models"), _shared("correction")
    method, test = _shared("method"), _shared("test")
    n_resamples, alpha = _shared("n_resamples"), _shared("alpha")
    confidence_level = _shared("confidence_level")

    @property
    def _first(self) -> Comparison:
        return next(iter(self.results.values()))

    @cached_property
    def scores(self) -> pd.DataFrame:
        """Scores of all parts, behind columns that name them."""
        return self._stacked(attrgetter("scores"))

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Differences of all parts, behind columns that name them."""
        return self._stacked(attrgetter("differences"))

    def _stacked(self, frame_of: Callable[[Comparison], pd.DataFrame]) -> pd.DataFrame:
        frames = []
        for key, result in self.results.items():
            frame, names = frame_of(result), self._named(key, result)
            named = pd.DataFrame(names, index=frame.index, dtype=object)
            frames.append(pd.concat([named, frame], axis=1))
        return pd.concat(frames, ignore_index=True).astype(self._types)

    @abstractmethod
    def _named(self, key: Any, result: Comparison) -> Mapping[str, object]:
        """Columns that name a part."""


def compare_each(
    parts: Iterable[tuple[Any, str, Predictions]],
    metrics: MetricLike | Sequence[MetricLike] | None,
    *,
    what: str,
    rng: RngLike,
    **options: Any,
) -> dict[Any, Comparison]:
    """Compare the models on each part of the data, with independent seeds.

    Each kind of warning is given once, for all parts.

    Parameters
    ----------
    parts : iterable of (key, str, Predictions)
        Keys, names for warnings, and test sets.
    metrics, rng, **options
        As in `compare`.
    what : str
        Plural of what a part is, for warnings.
    """
    seed = seed_sequence(rng)
    found: dict[Any, Comparison] = {}
    told: dict[type[Warning], list[str]] = {}
    for place, (key, name, predictions) in enumerate(parts):
        with held_back() as caught:
            found[key] = compare(predictions, metrics, rng=child_seed(seed, place), **options)
        for each in caught:
            told.setdefault(each.category, []).append(f"{name}: {each.message}")
    for category, texts in told.items():
        more = len(texts) - _NAMED
        rest = f" (and {more:,} more like this in {what})" if more > 0 else ""
        warn_caller(" ".join(texts[:_NAMED]) + rest, category)
    return found


def correct_together(
    results: Mapping[Any, Comparison], correction: Correction
) -> dict[Any, Comparison]:
    """Correct for all pairs, classes and results of a metric, of results with the same metrics."""
    members = [*results.values()]
    adjusted = adjust_metrics(
        np.stack([each.p_values for each in members]), members[0].keys, correction
    )
    return {
        key: replace(each, p_adjusted=p, correction=correction)
        for (key, each), p in zip(results.items(), adjusted, strict=True)
    }
