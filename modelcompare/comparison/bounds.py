"""Models some of whose results are missing: what holds whatever those would have been.

Every value has the results in the place of missing ones that make it worst, and best, which
`fills` proves; one comparison for each such case gives intervals and p-values. They hold for
results that are missing for any reason: the value with all results lies between the two ends, so an
interval from the lower bound of the one to the upper of the other covers it wherever it covers
them, and what is significant at the nearer end is so at its level.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.comparison.compare import compare
from modelcompare.comparison.correction import adjust_metrics
from modelcompare.comparison.evidence import winners
from modelcompare.comparison.fills import Case, cases, score_ranges
from modelcompare.comparison.result import Comparison
from modelcompare.comparison.tables import led
from modelcompare.comparison.warned import held_back
from modelcompare.data.predictions import Predictions
from modelcompare.data.variants import with_outputs
from modelcompare.engine.axis import ValueKey, pair_frame, score_frame, value_keys
from modelcompare.metrics.classes import without_classes
from modelcompare.metrics.registry import MetricLike, resolve_metrics
from modelcompare.readers import checked_columns, read
from modelcompare.report.document import Document
from modelcompare.report.numbers import format_number, p_clause
from modelcompare.report.result import Result
from modelcompare.report.tables import VALUE, Table, column, interval_column, rows_at
from modelcompare.significance.pairwise import all_pairs
from modelcompare.words import Correction, check_mapping, value_name, warn_caller

_STEP_DOWN: Correction = "holm"


@dataclass(frozen=True)
class BoundedComparison(Result):
    """Each model with its missing results counted as the worst, and as the best.

    Attributes
    ----------
    comparisons : tuple of Comparison
        Of all models at their worst, followed by those with missing results at their best; one
        for each way to be worst, as that of one class is not that of another.
    places : mapping of ValueKey to (int, int)
        Which comparison holds a value, and at which place.
    n_missing : mapping of str to int
        How many samples each model lacks.
    """

    comparisons: tuple[Comparison, ...] = field(repr=False)
    places: Mapping[ValueKey, tuple[int, int]] = field(repr=False)
    n_missing: Mapping[str, int]

    stem: ClassVar[str] = "bounds"
    _members: ClassVar[str] = """
        signature
        scores: model metric label worst best n_missing
        differences: model_a model_b metric label low high ci_low ci_high p_value p_adjusted better
    """

    @property
    def comparison(self) -> Comparison:
        """The first of the comparisons, which share all that is not of single values."""
        return self.comparisons[0]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics, in the order given."""
        return tuple(dict.fromkeys(key.metric for key in self.places))

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in the order given."""
        return tuple(self.n_missing)

    @property
    def signature(self) -> str:
        return f"{self.comparison.signature}|missing:bounds"

    @property
    def _headline(self) -> str:
        n_models, n_missing = len(self.models), sum(self.n_missing.values())
        results = f"{n_missing:,} missing result{'s' * (n_missing != 1)}"
        name = f"{self.comparison.name}: " if self.comparison.name else ""
        return f"{name}{n_models} models, {self.comparison.n_samples:,} samples, {results}"

    def _of_values(self, read: Callable[[Comparison], FloatArray]) -> FloatArray:
        """Read each comparison at the values that it holds; values are the last axis."""
        members = [read(found) for found in self.comparisons]
        return np.stack([members[case][..., at] for case, at in self.places.values()], axis=-1)

    @cached_property
    def _direction(self) -> FloatArray:
        return self._of_values(lambda found: found.direction)

    @cached_property
    def _best(self) -> IntArray:
        """Positions of the models at their best: those that lack nothing are there once."""
        lacking = [model for model, count in self.n_missing.items() if count]
        place = {model: len(self.models) + k for k, model in enumerate(lacking)}
        return np.array([place.get(model, k) for k, model in enumerate(self.models)])

    @cached_property
    def scores(self) -> pd.DataFrame:
        """One row for each model, metric and class.

        Columns: model, metric, label, worst and best (the score with missing results counted so),
        n_missing.
        """
        point = self._of_values(lambda found: found.point)
        frame = score_frame(
            self.models, [*self.places], worst=point[: len(self.models)], best=point[self._best]
        )
        return frame.assign(n_missing=frame["model"].map(self.n_missing))

    @cached_property
    def differences(self) -> pd.DataFrame:
        """One row for each pair of models, metric and class.

        Columns: model_a, model_b, metric, label, low and high (the smallest and the largest
        difference a - b that the missing results leave open), ci_low and ci_high (the lower bound
        of the one, the upper of the other), p_value (of the end nearer to no difference; 1 where 0
        lies between), p_adjusted (Holm, within a metric), better (missing if neither is).
        """
        keys, direction = [*self.places], self._direction
        a, b = all_pairs(len(self.models))
        one, other = self._between(a, self._best[b]), self._between(self._best[a], b)
        # Where low values are good, the worst of a model are its highest.
        low, high = (np.where(one[0] <= other[0], x, y) for x, y in ((one, other), (other, one)))
        above, below = low[0] > 0, high[0] < 0
        p_value = np.where(above, low[3], np.where(below, high[3], 1.0))
        p_value[np.isnan(low[0]) | np.isnan(high[0])] = np.nan
        adjusted = adjust_metrics(p_value, keys, _STEP_DOWN)
        return pair_frame(
            self.models, a, b, keys,
            low=low[0], high=high[0], ci_low=low[1], ci_high=high[2], p_value=p_value,
            p_adjusted=adjusted,
            better=winners(self.models, a, b, above == (direction > 0),
                           adjusted < self.comparison.alpha),
        )  # fmt: skip

    def _between(self, a: IntArray, b: IntArray) -> FloatArray:
        """Differences a - b, their bounds and p-values, of shape (4, n_pairs, n_values)."""
        first = self.comparison
        rows = first.row_of[a, b]
        turned = (first.pairs[0][rows] != a)[:, None]

        def between(found: Comparison) -> FloatArray:
            low, high = found.difference_interval.low[rows], found.difference_interval.high[rows]
            return np.array([
                found.point[a] - found.point[b], np.where(turned, -high, low),
                np.where(turned, -low, high), found.p_values[rows],
            ])  # fmt: skip

        return self._of_values(between)

    def verdict(self) -> str:
        """One sentence per metric and class: what holds whatever the missing results were."""
        return "\n".join(self._sentences())

    def _sentences(self) -> list[str]:
        return [
            self._sentence(key, direction > 0)
            for key, direction in zip(self.places, self._direction, strict=True)
        ]

    def _sentence(self, key: ValueKey, greater_is_better: bool) -> str:
        scores, pairs = (
            rows_at(frame, metric=key.metric, label=key.label)
            for frame in (self.scores, self.differences)
        )
        order = scores.sort_values("worst", ascending=not greater_is_better, na_position="last")
        leader, *others = order["model"]
        worst, best = (format_number(order[end].iloc[0], 4) for end in ("worst", "best"))
        range_text = worst if worst == best else f"{worst} to {best}"
        beaten, unknown = led(pairs, leader, others)
        name = value_name(key.metric, key.label)
        told = f"{name}: {leader} leads at its worst ({range_text})"
        if beaten:
            p = p_clause(max(row.p_adjusted for row in beaten.values()))
            named = ", ".join(model for model in self.models if model in beaten)
            told += f" and is better than {named} whatever the missing results were"
            told += f" ({p} in the worst case)"
        if unknown:
            told += f"; nothing is shown about {', '.join(unknown)}"
        return f"{told}."

    def document(self) -> Document:
        note = "a - b where the missing results of one count as the worst, the other's as the best."
        tables = {
            "scores": Table.of("Scores", self.scores, VALUE, "model", "worst", "best", "n_missing"),
            "differences": Table.of(
                "Differences", self.differences, VALUE, "model_a", "model_b",
                column("at least", "low", kind="difference"),
                column("at most", "high", kind="difference"),
                interval_column(self.comparison.confidence_level), column("p (holm)", "p_adjusted"),
                notes=[note],
            ),
        }  # fmt: skip
        return self._document(tables, headline=self._headline, findings=self._sentences())


@checked(compare)
def compare_bounds(
    source: Any, metrics: MetricLike | Sequence[MetricLike] | None = None, *,
    reading: Mapping[str, Any] | None = None, **options: Any,
) -> BoundedComparison:  # fmt: skip
    """Compare models some of whose results are missing, for the worst and the best case.

    Parameters
    ----------
    source : path, sequence of paths, mapping of model names to paths, or DataFrame
        As for `read_predictions`.
    metrics : str, Metric, callable, or sequence of them, optional
        As for `compare`.
    reading : mapping, optional
        Options of `read_predictions`.
    **options
        Options of `compare`, without `baseline`.

    Metrics of labels are accuracy, zero_one_loss, recall, precision, specificity, jaccard and
    F-beta, per class and averaged, and balanced_accuracy: a missing label may have been any class,
    and each value has its own worst case. Scores per example are to lie between 0 and 1, or in the
    range that ``reading={"bounds": (low, high)}`` declares. Other metrics are refused by name.

    Returns
    -------
    BoundedComparison
        Differences between one model at its worst and the other at its best, and the other way
        round: what is shown at both ends holds whatever the missing results would have been, and
        for whatever reason they are missing.

    Raises
    ------
    ValueError
        If no result is missing, the models gave neither scores nor labels, or a metric has no
        bounds that are known to hold.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a": [1.0] * 18 + [None] * 2, "b": [0.0] * 17 + [1.0] * 3})
    >>> result = compare_bounds(frame, n_resamples=999)
    >>> result.scores[["model", "worst", "best", "n_missing"]]
      model  worst  best  n_missing
    0     a   0.90  1.00          2
    1     b   0.15  0.15          0
    >>> print(result.verdict())
    mean_score: a leads at its worst (0.9000 to 1.0000) and is better than b whatever the missing
    results were (p = 0.003 in the worst case).
    """
    if options.pop("baseline", None) is not None:
        raise ValueError("compare_bounds looks at all pairs of models; leave `baseline` out.")
    if reading is not None:
        check_mapping("reading", reading, "options of read_predictions")
    found = read(source, checked_columns(**{**(reading or {}), "missing": "worst"}))
    return bounded_comparison(found.predictions, found.missing, metrics, **options)


def bounded_comparison(
    worst: Predictions,
    missing: Mapping[str, BoolArray],
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    **options: Any,
) -> BoundedComparison:
    """Compare predictions whose missing results count as the worst, which are at best others."""
    kinds = {*worst.kinds.values()}
    if kinds == {"scores"}:
        score_ranges(worst)
    elif kinds != {"labels"}:
        raise ValueError(
            f"the models gave {', '.join(sorted(kinds))}, and there are bounds where all gave "
            "labels, or all gave scores; leave the others out with models= (--model), or use "
            "missing='drop' (--missing drop)."
        )
    n_missing = {
        m: int(lacks.reshape(len(worst), -1).any(axis=1).sum()) for m, lacks in missing.items()
    }
    if not any(n_missing.values()):
        raise ValueError(
            "no result is missing, so the worst case is the best; compare without bounds "
            "(--missing bounds)."
        )
    zero_division = options.get("zero_division", math.nan)
    metrics, classes = without_classes(metrics, worst)
    chosen = resolve_metrics(metrics, worst, zero_division=zero_division)
    found: list[Comparison] = []
    at: dict[ValueKey, tuple[int, int]] = {}
    for number, case in enumerate(cases(chosen, worst, missing)):
        comparison = _compared(worst, case, n_missing, options)
        found.append(comparison)
        keys = comparison.bootstrap.evaluation.keys
        at |= {
            key: (number, place)
            for place, key in enumerate(keys)
            if case.label is None or key.label == case.label
        }
    order = {
        key: at[key]
        for key in value_keys(chosen, worst)
        if key.metric not in classes or key.label in classes[key.metric]
    }
    return BoundedComparison(tuple(found), order, n_missing)


def _compared(
    predictions: Predictions, case: Case, n_missing: Mapping[str, int], options: Mapping[str, Any]
) -> Comparison:
    """All models at their worst, and those with missing results at their best."""
    outputs = {**case.worst}
    for model, count in n_missing.items():
        if count:
            name = f"{model} (at best)"
            while name in outputs:
                name += "'"
            outputs[name] = case.best[model]
    both = with_outputs(predictions, outputs)
    if case.label is None:
        return compare(both, case.metrics, **options)
    with held_back() as caught:
        found = compare(both, case.metrics, **options)
    names = f"[{case.label}]", f"of class {case.label!r}"
    for each in caught:
        # Those of other classes are about no case that is shown.
        if any(name in str(each.message) for name in names):
            warn_caller(str(each.message), each.category)
    return found
