"""A comparison as tables and figures take it: frames, settings, and the rows of each metric."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from modelcompare.report.tables import rows_at
from modelcompare.words import is_missing, value_name


@dataclass(frozen=True)
class Compared:
    """Scores and paired differences of models on one test set.

    Attributes
    ----------
    headline, signature : str
        What was compared, and how.
    name : str or None
        Source of the predictions.
    scores, differences : DataFrame
        As `modelcompare.Comparison` has them.
    leads : callable
        Make the differences for reading, of the leader or of `every` pair.
    corrected : callable
        Make the differences with intervals corrected like p-values.
    upwards : mapping of str to bool
        Direction of each metric: whether greater is better.
    decimals, n_tests : mapping of str to int
        Digits after the point for each metric, and tests that it is corrected for.
    n_samples, n_resamples, alpha, confidence_level, method, test, correction, family, baseline
        As given to `modelcompare.compare`.
    corrections_used : mapping of str to str
        Correction that stood in for the one asked for, by metric.
    rng_label : str
        The seed, as far as it can be named.
    """

    headline: str
    signature: str
    name: str | None
    scores: pd.DataFrame
    differences: pd.DataFrame
    leads: Callable[[bool], pd.DataFrame]
    corrected: Callable[[], pd.DataFrame]
    upwards: Mapping[str, bool]
    decimals: Mapping[str, int]
    n_tests: Mapping[str, int]
    n_samples: int
    n_resamples: int
    alpha: float
    confidence_level: float
    method: str
    test: str
    correction: str
    corrections_used: Mapping[str, str]
    family: str
    baseline: str | None
    rng_label: str

    def corrected_for(self, metrics: Iterable[str]) -> str:
        """Count the tests that p-values of some metrics are corrected for; nothing if for one."""
        sizes = dict.fromkeys(self.n_tests[metric] for metric in metrics)
        return f"{' or '.join(f'{size:,}' for size in sizes)} tests" if max(sizes) > 1 else ""


@dataclass(frozen=True)
class Block:
    """The rows of one metric, or of one class of a metric: models best first."""

    metric: str
    label: Hashable | None  # the class; None for a metric that has one value per model
    scores: pd.DataFrame
    differences: pd.DataFrame
    greater_is_better: bool
    decimals: int  # digits after the point, alike for all blocks of the metric

    @property
    def title(self) -> str:
        """The metric and, if there is one, the class."""
        return value_name(self.metric, self.label)

    @property
    def direction(self) -> str:
        """The direction that is better, in words."""
        return f"{'higher' if self.greater_is_better else 'lower'} is better"


def by_telling(blocks: Sequence[Block], most: int) -> list[Block]:
    """Order blocks: up to `most` as they are, more with those first where models differ most.

    That is where the smallest adjusted p-value is smallest, and then where the largest difference
    is the largest multiple of its standard error.
    """
    return list(blocks) if len(blocks) <= most else sorted(blocks, key=_sameness)


def _sameness(block: Block) -> tuple[float, float]:
    names = ["difference", "standard_error", "p_adjusted"]
    return sameness(*block.differences[names].to_numpy(dtype=float).T)


def sameness(
    difference: NDArray[np.float64], error: NDArray[np.float64], p_adjusted: NDArray[np.float64]
) -> tuple[float, float]:
    """Compute a sorting key that is small where models differ.

    The smallest p-value, then the largest difference over its standard error, negated.
    """
    if not len(difference):
        return 1.0, 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.nan_to_num(np.abs(difference) / error, posinf=np.inf)
    return float(np.nan_to_num(p_adjusted, nan=1.0).min()), -float(times.max())


def metric_blocks(
    result: Compared, metrics: Sequence[str] | None = None, *, corrected: bool = False
) -> dict[str, list[Block]]:
    """Cut a comparison's frames into blocks, by metric; intervals `corrected` like p-values."""
    available = list(dict.fromkeys(result.scores["metric"]))
    names = available if metrics is None else list(metrics)
    if unknown := [name for name in names if name not in available]:
        raise ValueError(
            f"`metrics` names {', '.join(unknown)}, not compared here; "
            f"compared were {', '.join(available)}."
        )
    differences = result.corrected() if corrected else result.differences
    return {name: list(_blocks_of(result, differences, name)) for name in names}


def _blocks_of(result: Compared, differences: pd.DataFrame, metric: str) -> Iterator[Block]:
    scores = rows_at(result.scores, metric=metric)
    differences = rows_at(differences, metric=metric)
    of_label, pairs_of_label = map(_places, (scores, differences))
    up, decimals = result.upwards[metric], result.decimals[metric]
    for label, places in of_label.items():
        ranked = scores.iloc[places].sort_values(
            "rank", kind="stable", na_position="last", ignore_index=True
        )
        pairs = differences.iloc[pairs_of_label.get(label, [])]
        yield Block(metric, label, ranked, pairs, up, decimals)


def _places(frame: pd.DataFrame) -> dict[Hashable | None, list[int]]:
    """Rows of each class, in the order of the classes."""
    places: dict[Hashable | None, list[int]] = {}
    for place, label in enumerate(map(whole_label, frame["label"])):
        places.setdefault(label, []).append(place)
    return places


def whole_label(value: Hashable) -> Hashable | None:
    """Turn a missing label into None, and an integer that pandas made a float back into one."""
    if is_missing(value):
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value
