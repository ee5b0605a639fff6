"""Models some of whose results are missing: what holds whatever those would have been.

Every value has the results in the place of missing ones that make it worst, and best, which
`fills` proves; one comparison for each such case gives intervals and p-values. They hold for
results that are missing for any reason: the value with all results lies between the two ends, so an
interval from the lower bound of the one to the upper of the other covers it wherever it covers
them, and what is significant at the nearer end is so at its level.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.comparison.compare import compare
from modelcompare.comparison.fills import Case, cases, score_ranges
from modelcompare.comparison.result import Comparison
from modelcompare.data.predictions import Predictions
from modelcompare.data.variants import with_outputs
from modelcompare.engine.axis import ValueKey, pair_frame, score_frame, value_keys
from modelcompare.readers import asked, read
from modelcompare.report.document import Document
from modelcompare.report.numbers import format_number, format_p_value, interval_title
from modelcompare.report.result import Result
from modelcompare.report.tables import VALUE, Column, Table
from modelcompare.significance.corrections import adjust
from modelcompare.significance.pairwise import all_pairs
from modelcompare.sources.evaluation import resolve
from modelcompare.words import Correction, check_mapping, value_name

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

    @cached_property
    def scores(self) -> pd.DataFrame:
        """One row for each model, metric and class.

        Columns: model, metric, label, worst and best (the score with missing results counted so),
        n_missing.
        """
        point = self._values(lambda found: found.bootstrap.point)
        worst, best = point[self._worst], point[self._best]
        frame = score_frame(self.models, [*self.places], worst=worst, best=best)
        return frame.assign(n_missing=frame["model"].map(self.n_missing))

    @cached_property
    def differences(self) -> pd.DataFrame:
        """One row for each pair of models, metric and class.

        Columns: model_a, model_b, metric, label, low and high (the smallest and the largest
        difference a - b that the missing results leave open), ci_low and ci_high (the lower bound
        of the one, the upper of the other), p_value (of the end nearer to no difference; 1 where 0
        lies between), p_adjusted (Holm, within a metric), better (missing if neither is).
        """
        first, second = all_pairs(len(self.models))
        one = self._signed(self._worst[first], self._best[second])
        other = self._signed(self._best[first], self._worst[second])
        # Where low values are good, the worst of a model are its highest.
        low, high = (np.where(one[0] <= other[0], x, y) for x, y in ((one, other), (other, one)))
        apart = (low[0] > 0) | (high[0] < 0)
        p_value = np.where(apart, np.where(low[0] > 0, low[3], high[3]), 1.0)
        p_value[np.isnan(low[0]) | np.isnan(high[0])] = np.nan
        adjusted = np.empty_like(p_value)
        for metric in self.metrics:
            where = [key.metric == metric for key in self.places]
            adjusted[:, where] = adjust(p_value[:, where], _STEP_DOWN)
        names = np.array(self.models, dtype=object)
        first_wins = (low[0] > 0) == (self._direction > 0)
        winner = np.where(first_wins, names[first][:, None], names[second][:, None])
        return pair_frame(
            self.models, first, second, [*self.places],
            low=low[0], high=high[0], ci_low=low[1], ci_high=high[2], p_value=p_value,
            p_adjusted=adjusted,
            better=np.where(adjusted < self.comparison.alpha, winner, np.array(None)),
        )  # fmt: skip

    def _signed(self, a: AnyArray, b: AnyArray) -> FloatArray:
        """Differences a - b, their bounds and p-values, of shape (4, n_pairs, n_values)."""
        model_a, model_b = self.comparison.pairs
        place = {pair: k for k, pair in enumerate(zip(model_a, model_b, strict=True))}
        found = []
        point = self._values(lambda found: found.bootstrap.point)
        lows = self._values(lambda found: found.difference_interval.low)
        highs = self._values(lambda found: found.difference_interval.high)
        p_values = self._values(lambda found: found.p_values)
        for i, j in zip(a, b, strict=True):
            turned = (i, j) not in place
            row = place[(j, i) if turned else (i, j)]
            low, high = lows[row], highs[row]
            bounds = (-high, -low) if turned else (low, high)
            found.append([point[i] - point[j], *bounds, p_values[row]])
        return np.array(found).transpose(1, 0, 2)

    @property
    def _worst(self) -> AnyArray:
        return np.arange(len(self.models))

    @property
    def _best(self) -> AnyArray:
        lacking = [model for model in self.models if self.n_missing[model]]
        place = {model: len(self.models) + k for k, model in enumerate(lacking)}
        return np.array([place.get(model, k) for k, model in enumerate(self.models)])

    @property
    def _direction(self) -> FloatArray:
        return np.array([1.0 if self._greater_is_better(k.metric) else -1.0 for k in self.places])

    def _greater_is_better(self, metric: str) -> bool:
        found = next(place for key, (place, _) in self.places.items() if key.metric == metric)
        return self.comparisons[found].metric_info[metric].greater_is_better

    def _values(self, read: Callable[[Comparison], FloatArray]) -> FloatArray:
        """Something of each value, of shape (..., n_values), from the comparison that holds it."""
        arrays = [read(found) for found in self.comparisons]
        return np.stack([arrays[case][..., at] for case, at in self.places.values()], axis=-1)

    def verdict(self) -> str:
        """One sentence per metric and class: what holds whatever the missing results were."""
        return "\n".join(self._sentences())

    def _sentences(self) -> list[str]:
        return [
            self._sentence(value_name(metric, label), scores, pairs)
            for (metric, label), scores, pairs in self._by_value()
        ]

    def _by_value(self) -> Any:
        frames = (self.scores, self.differences)
        for key in self.places:
            parts = [
                frame[(frame["metric"] == key.metric) & ((frame["label"] == key.label) |
                      (frame["label"].isna() & (key.label is None)))]
                for frame in frames
            ]  # fmt: skip
            yield (key.metric, key.label), *parts

    def _sentence(self, name: str, scores: pd.DataFrame, pairs: pd.DataFrame) -> str:
        better_is_more = self._greater_is_better(scores["metric"].iloc[0])
        order = scores.sort_values("worst", ascending=not better_is_more, na_position="last")
        leader = order["model"].iloc[0]
        worst, best = (format_number(order[end].iloc[0], 4) for end in ("worst", "best"))
        range_text = worst if worst == best else f"{worst} to {best}"
        of_leader = pairs[(pairs["model_a"] == leader) | (pairs["model_b"] == leader)]
        won = of_leader[of_leader["better"] == leader]
        beaten = [_other(row, leader) for row in won.to_dict("records")]
        open_ = [m for m in order["model"] if m != leader and m not in beaten]
        told = f"{name}: {leader} leads at its worst ({range_text})"
        if beaten:
            p = format_p_value(won["p_adjusted"].max())
            told += f" and is better than {', '.join(beaten)} whatever the missing results were"
            told += f" (p {p.replace('<', '< ')}" if p.startswith("<") else f" (p = {p}"
            told += " in the worst case)"
        if open_:
            told += f"; nothing is shown about {', '.join(open_)}"
        return f"{told}."

    def document(self) -> Document:
        level = interval_title(self.comparison.confidence_level)
        scores = [
            VALUE, Column("model"), Column("worst", "estimate"), Column("best", "estimate"),
            Column("missing", "count", ["n_missing"]),
        ]  # fmt: skip
        pairs = [
            VALUE, Column("model a", "model_a", ["model_a"]),
            Column("model b", "model_b", ["model_b"]), Column("at least", "difference", ["low"]),
            Column("at most", "difference", ["high"]),
            Column(level, "interval", ("ci_low", "ci_high")),
            Column("p (holm)", "p-value", ["p_adjusted"]),
        ]  # fmt: skip
        note = "a - b where the missing results of one count as the worst, the other's as the best."
        tables = {
            "scores": Table("Scores", scores, self.scores),
            "differences": Table("Differences", pairs, self.differences, notes=[note]),
        }
        return self._document(tables, headline=self._headline, findings=self._sentences())


def _other(row: Mapping[str, Any], model: str) -> str:
    return str(row["model_b"] if row["model_a"] == model else row["model_a"])


@checked(compare)
def compare_bounds(
    source: Any, metrics: Any = None, *, reading: Mapping[str, Any] | None = None, **options: Any
) -> BoundedComparison:
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
    said = {**(reading or {})}
    ids = said.pop("ids", "same")
    columns = asked(**{**said, "missing": "worst"})
    worst, best = (
        read(source, replace(columns, as_best=at_best), ids).predictions
        for at_best in (False, True)
    )
    return bounded_comparison(worst, best, metrics, **options)


def bounded_comparison(
    worst: Predictions, best: Predictions, metrics: Any = None, **options: Any
) -> BoundedComparison:
    """The same for predictions whose missing results count as the worst, and as the best."""
    kinds = {worst.output(model).kind for model in worst.models}
    if kinds == {"scores"}:
        score_ranges(worst)
    elif kinds != {"labels"}:
        raise ValueError(
            f"the models gave {', '.join(sorted(kinds))}, and there are bounds where all gave "
            "labels, or all gave scores; leave the others out with models= (--model), or use "
            "missing='drop' (--missing drop)."
        )
    missing = {m: worst.output(m).array != best.output(m).array for m in worst.models}
    n_missing = {
        m: int(lacks.reshape(len(worst), -1).any(axis=1).sum()) for m, lacks in missing.items()
    }
    if not any(n_missing.values()):
        raise ValueError(
            "no result is missing, so the worst case is the best; compare without bounds "
            "(--missing bounds)."
        )
    zero_division = options.get("zero_division", math.nan)
    chosen = resolve(metrics, worst, zero_division=zero_division)
    found: list[Comparison] = []
    at: dict[ValueKey, tuple[int, int]] = {}
    for number, case in enumerate(cases(chosen, worst, missing)):
        comparison = _compared(worst, case, n_missing, options)
        found.append(comparison)
        keys = comparison.bootstrap.evaluation.keys
        at |= {key: (number, place) for place, key in enumerate(keys) if _is_of(key, case, worst)}
    order = {key: at[key] for key in value_keys(chosen, worst)}
    return BoundedComparison(tuple(found), order, n_missing)


def _is_of(key: ValueKey, case: Case, predictions: Predictions) -> bool:
    """Whether a value is one of those that a case makes worst."""
    if case.code is None or predictions.labels is None:
        return True
    return bool(key.label == predictions.labels.tolist()[case.code])


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
    if case.code is None:
        return compare(both, case.metrics, **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = compare(both, case.metrics, **options)
    label = "" if predictions.labels is None else predictions.labels.tolist()[case.code]
    for each in caught:
        # Those of other classes are about no case that is shown.
        if any(name in str(each.message) for name in (f"[{label}]", f"of class {label!r}")):
            warnings.warn(each.message, each.category, stacklevel=3)
    return found
