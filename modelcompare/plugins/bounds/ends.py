"""Comparisons of models with missing results, with bounds that hold for all possible results.

Each value is computed twice: with the missing results filled in so that it is worst, and so that it
is best (see `fills` for the proof). One comparison per case gives intervals and p-values. They are
valid for any mechanism of missingness: the value on the complete results lies between the two ends.
So the interval from the lower bound of one end to the upper bound of the other covers it whenever
it covers both ends, and a difference that is significant at the end nearer to 0 is significant on
the complete results, at the same level.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar, cast

import numpy as np
import pandas as pd

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.conclusion import conclusions_of_frames
from modelcompare.comparison.evidence import winners
from modelcompare.comparison.leaders import best_first, pairs_of_leader
from modelcompare.comparison.pair_tables import lead_meaning, orient
from modelcompare.comparison.result import Comparison
from modelcompare.comparison.warned import collect_warnings
from modelcompare.data.outputs import Output
from modelcompare.data.predictions import Predictions
from modelcompare.data.test_set import TestSet
from modelcompare.data.variants import with_models
from modelcompare.engine.axis import ValueKey, pair_frame, score_frame, value_keys
from modelcompare.engine.design import design_of
from modelcompare.metrics.classes import without_classes
from modelcompare.metrics.registry import MetricLike, resolve_metrics
from modelcompare.plugins.bounds.fills import Case, cases
from modelcompare.report.document import Document, Finding
from modelcompare.report.fields import HIDDEN, Field, Member, member
from modelcompare.report.numbers import format_number, grounds
from modelcompare.report.tables import VALUE, Table, column, interval_column
from modelcompare.significance.corrections import adjust
from modelcompare.significance.pairwise import all_pairs
from modelcompare.words import (
    Correction,
    GeneralizeTo,
    ZeroDivision,
    giving,
    value_name,
    warn_caller,
)

_STEP_DOWN: Correction = "holm"
_DECIMALS = 4


@dataclass(frozen=True, repr=False, kw_only=True)
class BoundedComparison(Comparison, stem="bounds"):
    """Comparison of models with their missing results counted as the worst, and as the best.

    Frames and verdict hold for all possible values of the missing results. Members inherited from
    `Comparison` describe the first case, `evidence`.

    Attributes
    ----------
    evidence : Compared
        All models at their worst, followed by those with missing results at their best, whose names
        end in "(at best)". If different classes are worst with different results, the evidence of
        the first of these cases.
    cases : tuple of Compared
        The evidence of every case.
    places : mapping of ValueKey to (int, int)
        Case that contains each value, and the position of the value in it.
    n_missing : dict of str to int
        Number of samples that each model lacks.
    """

    cases: tuple[Compared, ...] = field(repr=False, metadata=HIDDEN)
    places: Mapping[ValueKey, tuple[int, int]] = field(repr=False, metadata=HIDDEN)
    n_missing: Mapping[str, int] = field(metadata=HIDDEN)

    _members: ClassVar[tuple[Member, ...]] = ()

    @property
    def signature(self) -> str:
        return f"{self.evidence.signature}|missing:bounds"

    @property
    def _headline(self) -> str:
        n_missing, name = sum(self.n_missing.values()), self.evidence.name
        return (
            f"{f'{name}: ' if name else ''}{len(self.n_missing)} models, "
            f"{self.evidence.n_samples:,} samples, {n_missing:,} missing "
            f"result{'s' * (n_missing != 1)}"
        )

    def _of_values(self, read: Callable[[Compared], FloatArray]) -> FloatArray:
        """Read each value from its case; values are the last axis."""
        members = [read(case) for case in self.cases]
        return np.stack([members[case][..., at] for case, at in self.places.values()], axis=-1)

    @cached_property
    def _direction(self) -> FloatArray:
        return self._of_values(lambda case: case.direction)

    @cached_property
    def _best(self) -> IntArray:
        """Positions of the models at their best; models without missing results occur once."""
        lacking = [model for model, count in self.n_missing.items() if count]
        place = {model: len(self.n_missing) + k for k, model in enumerate(lacking)}
        return np.array([place.get(model, k) for k, model in enumerate(self.n_missing)])

    @cached_property
    @member(
        "model", "metric", "label", "worst", Field("best", "estimate"), Field("n_missing", "count")
    )
    def scores(self) -> pd.DataFrame:
        """One row for each model, metric and class.

        Columns: model, metric, label, worst and best (the score with missing results counted as
        the worst, and as the best), n_missing.
        """
        point = self._of_values(lambda case: case.point)
        frame = score_frame(
            [*self.n_missing],
            [*self.places],
            worst=point[: len(self.n_missing)],
            best=point[self._best],
        )
        return frame.assign(n_missing=frame["model"].map(self.n_missing))

    @cached_property
    @member(
        "model_a", "model_b", "metric", "label", "low", "high", "ci_low", "ci_high", "p_value",
        "p_adjusted", "better",
    )  # fmt: skip
    def differences(self) -> pd.DataFrame:
        """One row for each pair of models, metric and class.

        Columns: model_a, model_b, metric, label, low and high (the smallest and the largest
        possible difference a - b), ci_low and ci_high (the lower bound of the smallest, the upper
        bound of the largest), p_value (of the end nearer to 0; 1 if 0 lies between the ends),
        p_adjusted (Holm, within a metric), better (missing if neither is).
        """
        models, keys, direction = [*self.n_missing], [*self.places], self._direction
        a, b = all_pairs(len(models))
        one, other = self._between(a, self._best[b]), self._between(self._best[a], b)
        # If lower values are better, a model's worst value is its highest.
        low, high = (np.where(one[0] <= other[0], x, y) for x, y in ((one, other), (other, one)))
        above, below = low[0] > 0, high[0] < 0
        p_value = np.where(above, low[3], np.where(below, high[3], 1.0))
        p_value[np.isnan(low[0]) | np.isnan(high[0])] = np.nan
        adjusted = adjust_metrics(p_value, keys, _STEP_DOWN)
        return pair_frame(
            models, a, b, keys,
            low=low[0], high=high[0], ci_low=low[1], ci_high=high[2], p_value=p_value,
            p_adjusted=adjusted,
            better=winners(models, a, b, above == (direction > 0),
                           adjusted < self.evidence.alpha),
        )  # fmt: skip

    def _between(self, a: IntArray, b: IntArray) -> FloatArray:
        """Return differences a - b, bounds and p-values, of shape (4, n_pairs, n_values)."""
        rows = self.evidence.row_of[a, b]
        turned = (self.evidence.pairs[0][rows] != a)[:, None]

        def between(case: Compared) -> FloatArray:
            low, high = case.difference_interval.low[rows], case.difference_interval.high[rows]
            return np.array([
                case.point[a] - case.point[b], np.where(turned, -high, low),
                np.where(turned, -low, high), case.p_values[rows],
            ])  # fmt: skip

        return self._of_values(between)

    @cached_property
    def _findings(self) -> list[Finding]:
        metrics = {name: each for case in self.cases for name, each in case.metric_info.items()}
        first = conclusions_of_frames(
            self.scores, self.differences, "worst", [*self.places], metrics,
            dict.fromkeys(metrics, _DECIMALS), "Missing results at their worst",
        )  # fmt: skip
        return first + [
            Finding(self._sentence(key, direction > 0))
            for key, direction in zip(self.places, self._direction, strict=True)
        ]

    def _sentence(self, key: ValueKey, greater_is_better: bool) -> str:
        order, pairs = best_first(
            self.scores, self.differences, key, "worst", upwards=greater_is_better
        )
        leader, *others = order["model"]
        worst, best = (format_number(order[end].iloc[0], _DECIMALS) for end in ("worst", "best"))
        range_text = worst if worst == best else f"{worst} to {best}"
        beaten, unknown = pairs_of_leader(pairs, leader, others)
        name = value_name(key.metric, key.label)
        text = f"{name}: {leader} leads at its worst ({range_text})"
        if beaten:
            rows = {x: (row.ci_low, row.ci_high, row.p_adjusted) for x, row in beaten.items()}
            by = grounds(rows, self.evidence.confidence_level)
            named = ", ".join(model for model in self.n_missing if model in beaten)
            text += f" and is better than {named} for all possible missing results"
            text += f" ({by} in the worst case)"
        if unknown:
            text += f"; the difference from {', '.join(unknown)} is not significant"
        return f"{text}."

    def document(self) -> Document:
        note = (
            "At least: missing results of a count as the worst, those of b as the best; at most: "
            "the reverse."
        )
        upwards = self.evidence.upwards
        shown = orient(self.differences, upwards, ("low", "high"), ("ci_low", "ci_high"))
        tables = {
            "scores": self._table(
                "Scores", self.scores, VALUE, "model", "worst", "best", "n_missing"
            ),
            "differences": Table.of(
                "Differences", shown, VALUE, "model_a", "model_b",
                column("at least", "low", kind="difference"),
                column("at most", "high", kind="difference"),
                interval_column(self.evidence.confidence_level), column("p", "p_value"),
                column("p (holm)", "p_adjusted"), subtitle=lead_meaning(upwards), notes=[note],
            ),
        }  # fmt: skip
        return self._document(tables, headline=self._headline, findings=self._findings, figures={})


def compare_bounds(
    compare: Callable[..., Comparison], predictions: TestSet,
    metrics: MetricLike | Sequence[MetricLike] | None, baseline: str | None,
    generalize_to: GeneralizeTo, zero_division: ZeroDivision, **options: Any,
) -> BoundedComparison:  # fmt: skip
    """Compare predictions with their missing results counted as the worst, and as the best.

    Parameters
    ----------
    compare : callable
        The function `compare`, for the models of one case and the runs at hand.
    predictions : Predictions
        Predictions with missing results counted as the worst, and marked as missing.
    metrics, baseline, random, zero_division, **options
        As in `compare`.

    Raises
    ------
    ValueError
        If there is a baseline or a judge, new runs are asked about, no result is missing, the
        models gave neither scores nor labels, or no valid bounds of a metric are known.

    Examples
    --------
    >>> import pandas as pd
    >>> import modelcompare as mc
    >>> frame = pd.DataFrame({"a": [1.0] * 18 + [None] * 2, "b": [0.0] * 17 + [1.0] * 3})
    >>> preds = mc.read_predictions(frame, missing="worst", greater_is_better=True)
    >>> result = mc.compare(preds, n_resamples=999, missing="bounds")
    >>> result.scores[["model", "worst", "best", "n_missing"]]
      model  worst  best  n_missing
    0     a   0.90  1.00          2
    1     b   0.15  0.15          0
    >>> print(result.verdict())
    mean_score: a leads at its worst (0.9000 to 1.0000) and is better than b for all possible
    missing results (p < 0.001 in the worst case).
    """
    worst = _with_bounds(predictions, baseline, generalize_to)
    missing = {model: _marks(worst.output(model)) for model in worst.models}
    n_missing = {
        m: int(lacks.reshape(len(worst), -1).any(axis=1).sum()) for m, lacks in missing.items()
    }
    if not any(n_missing.values()):
        raise ValueError(
            "no result is missing, so the worst case is the best: compare without bounds "
            "(--missing bounds), or read the results by read_predictions(..., missing='worst')."
        )
    metrics, classes = without_classes(metrics, worst)
    chosen = resolve_metrics(metrics, worst, zero_division=zero_division)
    ask = partial(compare, generalize_to="items", zero_division=zero_division, **options)
    found: list[Compared] = []
    at: dict[ValueKey, tuple[int, int]] = {}
    for number, case in enumerate(cases(chosen, worst, missing)):
        found.append(_compared(worst, case, n_missing, ask).evidence)
        at |= {
            key: (number, place)
            for place, key in enumerate(found[-1].keys)
            if case[1] is None or key.label == case[1]
        }
    order = {
        key: at[key]
        for key in value_keys(chosen, worst)
        if key.metric not in classes or key.label in classes[key.metric]
    }
    return BoundedComparison(
        evidence=found[0], cases=tuple(found), places=order, n_missing=n_missing
    )


def _marks(output: Output) -> BoolArray:
    """Return marks of the results that were missing and count as the worst."""
    return np.zeros(output.array.shape, bool) if output.missing is None else output.missing


def _with_bounds(
    predictions: TestSet, baseline: str | None, generalize_to: GeneralizeTo
) -> Predictions:
    """Return the predictions; refuse those of which no bounds are known, and a baseline."""
    design_of(predictions, generalize_to).check("missing", "bounds")
    if baseline is not None:
        raise ValueError("bounds are of all pairs of models; leave `baseline` out.")
    giving("rows")("predictions", predictions)
    kinds = predictions.access.kinds.values()
    if not all(kind.bounded for kind in kinds):
        given = ", ".join(sorted({kind.name for kind in kinds}))
        raise ValueError(
            f"the models gave {given}, and there are bounds where all gave "
            "labels, or all gave scores; leave the others out with models= (--model), or use "
            "missing='drop' (--missing drop)."
        )
    return cast(Predictions, predictions)


def _compared(
    predictions: Predictions, case: Case, n_missing: Mapping[str, int],
    compare: Callable[..., Comparison],
) -> Comparison:  # fmt: skip
    """Compare all models at their worst, and those with missing results at their best."""
    metrics, label, worst, best = case
    outputs = {**worst}
    for model, count in n_missing.items():
        if count:
            name = f"{model} (at best)"
            while name in outputs:
                name += "'"
            outputs[name] = best[model]
    (kind,) = {*predictions.access.kinds.values()}
    both = with_models(predictions, outputs, kind)
    if label is None:
        return compare(both, metrics)
    with collect_warnings() as caught:
        found = compare(both, metrics)
    names = f"[{label}]", f"of class {label!r}"
    for each in caught:
        # Warnings about other classes concern values that are not shown.
        if any(name in str(each.message) for name in names):
            warn_caller(str(each.message), each.category)
    return found


def adjust_metrics(
    p_values: FloatArray, keys: Sequence[ValueKey], correction: Correction
) -> FloatArray:
    """Adjust p-values of shape (..., n_values), each metric being one family."""
    out = np.empty_like(p_values)
    for metric in dict.fromkeys(key.metric for key in keys):
        where = [key.metric == metric for key in keys]
        out[..., where] = adjust(p_values[..., where], correction)
    return out
