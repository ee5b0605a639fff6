"""Gaps of one metric between subgroups, and the value of the worst subgroup."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.comparison.bootstrap import bootstrap
from modelcompare.comparison.bootstrap_result import BootstrapResult
from modelcompare.comparison.compare_groups import MIN_SIZE, slices_of, subgroups
from modelcompare.comparison.conclusion import all_of
from modelcompare.comparison.few_samples import notes_on_few_samples
from modelcompare.comparison.subgroups import common_notes
from modelcompare.comparison.warned import warn_of_sparse_data
from modelcompare.data.predictions import Predictions
from modelcompare.data.sizes import n_seen
from modelcompare.directions import known_direction
from modelcompare.engine.contrasts import Contrasts
from modelcompare.escape import terminal
from modelcompare.intervals import intervals_around
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.classes import ValueLike, resolved_value
from modelcompare.metrics.planning import positive_note
from modelcompare.metrics.registry import default_metric
from modelcompare.questions.claims import (
    Estimated,
    answer_of,
    bounds_of_difference,
    check_margin,
    claims_of,
)
from modelcompare.questions.contrast import value_position
from modelcompare.report.document import Document
from modelcompare.report.fields import Field, frame, value
from modelcompare.report.numbers import format_number, p_clause
from modelcompare.report.result import Result
from modelcompare.report.tables import interval_column, rows_at
from modelcompare.resampling.seeds import RngLike, child_seed, seed_sequence
from modelcompare.significance.inverted import Ends, ends_of, p_of_difference
from modelcompare.words import (
    Answer,
    IntervalMethod,
    ZeroDivision,
    check_number,
    signature,
    value_name,
)

_PAIR = Field("group_a", "given"), Field("group_b", "given")


@dataclass(frozen=True, kw_only=True)
class Gaps(Result, stem="gaps", version=2):
    """Gaps of a metric between subgroups, for every model.

    Attributes
    ----------
    metric, label, by
        The metric, its class, and the variable that defines the subgroups.
    margin : float
        Largest gap that does not matter; NaN if none was given.
    alpha : float
        Two-sided level of all gaps together; for the margin one-sided, of each.
    n_samples : int
        Samples of all subgroups.
    models : DataFrame
        A row for each model: largest_gap (in absolute terms) and the groups that it is between,
        the worst group and its value, with the interval of the value in the worst group, which
        allows for not knowing which that is; and within, the answer whether all gaps are
        within the margin, None without one.
    gaps : DataFrame
        A row for each model and pair of groups: value in group_a minus value in group_b, with its
        corrected interval and p-value.
    groups : DataFrame
        A row for each model and group: its samples, and value with interval.
    """

    metric: str
    label: Any
    by: str
    margin: float
    alpha: float
    n_samples: int
    models: pd.DataFrame = field(repr=False, metadata=frame(
        "model", Field("largest_gap", "estimate"), *_PAIR, Field("worst_group", "given"), "worst",
        "ci_low", "ci_high", Field("within", json="text or none"),
    ))  # fmt: skip
    gaps: pd.DataFrame = field(repr=False, metadata=frame(
        "model", *_PAIR, "difference", "ci_low", "ci_high", Field("p_value", shown=False),
        Field("p_adjusted", title="p (bonferroni)"),
    ))  # fmt: skip
    groups: pd.DataFrame = field(repr=False, metadata=frame(
        "model", Field("group", "given"), "n_samples", "estimate", "ci_low", "ci_high",
    ))  # fmt: skip
    notes: tuple[str, ...] = field(default=(), metadata=value(in_row=False))

    @property
    def passed(self) -> bool:
        """True if the answer for every model is that its gaps are within the margin."""
        return bool((self.models["within"] == "shown").all())

    @property
    def signature(self) -> str:
        margin = {} if math.isnan(self.margin) else {"margin": self.margin}
        return signature(
            "gaps", n=self.n_samples, by=self.by, alpha=self.alpha, adjust="bonferroni",
            tests=len(self.gaps), **margin,
        )  # fmt: skip

    def document(self) -> Document:
        level = 1 - self.alpha
        answer = [] if math.isnan(self.margin) else ["within"]
        what = value_name(self.metric, self.label)
        tables = {
            "models": self._table(
                f"{what}, largest gap and worst group by {self.by}", self.models, "model",
                "largest_gap", "group_a", "group_b", "worst_group", "worst",
                interval_column(level), *answer, decimals=None, notes=self.notes,
            ),
            "gaps": self._whole_table(
                "gaps", f"{what}, gaps between groups", level, decimals=None
            ),
            "groups": self._whole_table(
                "groups", f"{what} in each group", level, decimals=None
            ),
        }  # fmt: skip
        return self._document(tables, findings=self.sentences)

    @property
    def sentences(self) -> list[str]:
        """The largest gap of each model, whether it is significant, and the answer."""
        what = value_name(self.metric, self.label)
        found = []
        for row in self.models.itertuples(index=False):
            pair = rows_at(self.gaps, model=row.model, group_a=row.group_a, group_b=row.group_b)
            gap, p = format_number(row.largest_gap, 3), p_clause(pair["p_adjusted"].item())
            between = f"between {row.group_a} and {row.group_b} ({p})"
            answer = _ANSWERS.get(row.within, "").format(f"{self.margin:g}")
            found.append(
                terminal(f"{row.model}: {what} differs by up to {gap}, {between}.{answer}")
            )
        return found


_ANSWERS: Mapping[Answer, str] = {
    "shown": " All gaps are within {}.", "shown otherwise": " A gap is larger than {}.",
    "not enough data": " There are not enough samples to decide whether all are within {}.",
}  # fmt: skip


@checked(margin=check_number)
def gaps(
    predictions: Predictions, metric: ValueLike | None = None, *, by: str | None = None,
    margin: float | None = None, min_size: int = MIN_SIZE,
    method: IntervalMethod = "auto", alpha: float = 0.05, n_resamples: int = 9999,
    zero_division: ZeroDivision = math.nan, rng: RngLike = 0,
) -> Gaps:  # fmt: skip
    """Measure the gaps of a metric between the subgroups of a test set, and its worst subgroup.

    Equal opportunity is a small gap of ``recall`` of the favourable class, demographic parity one
    of ``selection_rate``; any other metric may be asked. Subgroups are independent samples.

    Parameters
    ----------
    predictions : Predictions
        A test set with `slices`.
    metric : str, metric or callable, or a pair of it and a class, optional
        As in `decide`; the default metric by default.
    by : str, optional
        Slice whose values are the subgroups; the only one by default.
    margin : float, optional
        Largest gap that does not matter: each model has then an answer whether all of its gaps are
        within it, each at the one-sided level alpha (two one-sided tests).
    min_size : int
        Smaller subgroups are left out, and named.
    method : str
        Interval of the values in the subgroups, as in `compare`. That of a gap is computed from
        both, as the subgroups are independent (MOVER).
    alpha : float
        Level of all gaps of all models together (Bonferroni).
    n_resamples, zero_division, rng
        As in `compare`.

    Returns
    -------
    Gaps

    Raises
    ------
    ValueError
        If there are no slices, fewer than two subgroups are large enough, a cluster is in several
        subgroups, or samples without a subgroup leave open whether all gaps are within a margin.

    Warns
    -----
    SparseDataWarning
        If intervals in a subgroup may cover less than their level; see `compare`.

    References
    ----------
    .. [1] Zou & Donner (2008), Statistics in Medicine 27, 1693-1702.
    .. [2] Hardt, Price & Srebro (2016), Advances in Neural Information Processing Systems 29.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.Predictions([0, 1] * 100, {"a": [0, 1] * 60 + [0, 0, 0, 1] * 20},
    ...                        slices={"sex": ["f"] * 120 + ["m"] * 80})
    >>> found = mc.diagnostics.gaps(preds, "recall[1]")
    >>> found.gaps[["group_a", "group_b", "difference"]]
      group_a group_b  difference
    0       f       m         0.5
    """
    name, parts, left_out = _parts(predictions, by, min_size, asked=margin is not None)
    chosen = default_metric(predictions) if metric is None else metric
    value, of_class = resolved_value(chosen, predictions)
    check_margin(margin or 0.0, value)
    samples, few, seed, at = {}, {}, seed_sequence(rng), 0
    for place, (group, part) in enumerate(parts.items()):
        samples[group] = bootstrap(
            part, value, n_resamples=n_resamples, zero_division=zero_division,
            rng=child_seed(seed, place),
        )  # fmt: skip
        at = value_position(samples[group].evaluation, of_class)
        own, where = np.array([at]), f"{name} = {group}"
        warn_of_sparse_data(samples[group], method=method, places=own, where=f"{where}: ")
        few[where] = notes_on_few_samples(samples[group], places=own)
    pairs = [*combinations(samples, 2)]
    n_tests = len(predictions.models) * len(pairs)
    names = enumerate(predictions.models)
    models = [_Model(model, samples, k, at, method, alpha, n_tests) for k, model in names]
    table = pd.DataFrame([found.gap(a, b) for found in models for a, b in pairs])
    of_groups = pd.DataFrame([found.in_group(group) for found in models for group in samples])
    of_models = pd.DataFrame([found.worst(table, value) for found in models])
    of_models["within"] = [None if margin is None else m.within(pairs, margin) for m in models]
    return Gaps(
        metric=value.name, label=of_class, by=name,
        margin=math.nan if margin is None else float(margin), alpha=alpha,
        n_samples=sum(map(n_seen, parts.values())), models=of_models, gaps=table, groups=of_groups,
        notes=(*left_out, *positive_note(value, predictions), *common_notes(few)),
    )  # fmt: skip


def _parts(
    predictions: Predictions, by: str | None, min_size: int, *, asked: bool
) -> tuple[str, dict[Any, Predictions], tuple[str, ...]]:
    """Return the variable, the subgroups by its values, and notes on samples left out.

    Whether all gaps are small, if that is `asked`, is not known of samples without a group.
    """
    slices = slices_of(predictions, by)
    if len(slices.columns) != 1:
        raise ValueError(f"`by` must name one of the slices {', '.join(slices.columns)}.")
    groups, left_out = subgroups(predictions, slices, min_size)
    parts = {value: part for (_, value), _, part in groups}
    if len(parts) < 2:
        raise ValueError(
            f"gaps are between two subgroups or more, and {len(parts)} have {min_size} samples; "
            "lower `min_size` (--min-size)."
        )
    seen: dict[Any, Any] = {}
    for own, part in parts.items():
        for cluster in () if part.groups is None else np.unique(part.groups).tolist():
            if seen.setdefault(cluster, own) != own:
                raise ValueError(
                    f"subgroups {seen[cluster]!r} and {own!r} share a cluster, so they are not "
                    "independent; give clusters that are within subgroups."
                )
    small = [f"{value} ({n:,})" for _, value, n in left_out if value is not None]
    notes = (f"Left out, below {min_size} samples: {', '.join(small)}.",) if small else ()
    name = str(slices.columns[0])
    n_without = sum(n for _, value, n in left_out if value is None)
    if n_without and asked:
        raise ValueError(
            f"{n_without:,} of {n_seen(predictions):,} samples have no {name}, so gaps to them are "
            "not known; give them a value, e.g. 'unknown', or leave these samples out."
        )
    without = (f"Left out, without {name}: {n_without:,} samples.",) if n_without else ()
    return name, parts, (*notes, *without)


@dataclass(frozen=True)
class _Model:
    """Values of one model in all subgroups.

    Parameters
    ----------
    name : str
        The model.
    samples : mapping of BootstrapResult
        All models in each subgroup.
    row, place : int
        Positions of the model, and of the value.
    method, alpha, n_tests
        Interval method, and level of so many gaps together.
    """

    name: str
    samples: Mapping[Any, BootstrapResult]
    row: int
    place: int
    method: IntervalMethod
    alpha: float
    n_tests: int

    def value(self, group: Any) -> float:
        return float(self.samples[group].point[self.row, self.place])

    def estimated(self, group: Any, level: float) -> Estimated:
        """Return the value in a subgroup, and its bounds at a one-sided level."""
        interval = intervals_around(
            Contrasts(self.samples[group], None), self.method, 1 - 2 * level
        )
        return (self.value(group), *ends_of(interval, self.row, self.place))

    def bounds(self, a: Any, b: Any, level: float) -> Ends:
        """Return bounds of the difference of two subgroups at a one-sided level."""
        return bounds_of_difference(self.estimated(a, level), self.estimated(b, level))

    def in_group(self, group: Any) -> dict[str, Any]:
        """Return the value in a subgroup, and warn where its interval has no width."""
        interval = self.samples[group].score_interval(self.method, 1 - self.alpha)
        value, (low, high) = self.value(group), ends_of(interval, self.row, self.place)
        return {
            "model": self.name, "group": group,
            "n_samples": n_seen(self.samples[group].evaluation.predictions, self.name),
            "estimate": value, "ci_low": low, "ci_high": high,
        }  # fmt: skip

    def gap(self, a: Any, b: Any) -> dict[str, Any]:
        """Return the difference of two subgroups, and its test."""
        difference = self.value(a) - self.value(b)
        low, high = self.bounds(a, b, self.alpha / 2 / self.n_tests)
        p_value = p_of_difference(partial(self.bounds, a, b), "two-sided")
        return {
            "model": self.name, "group_a": a, "group_b": b, "difference": difference,
            "ci_low": low, "ci_high": high,
            "p_value": p_value, "p_adjusted": min(1.0, p_value * self.n_tests),
        }  # fmt: skip

    def worst(self, gaps: pd.DataFrame, metric: AnyMetric) -> dict[str, Any]:
        """Return the largest of the model's own among all gaps, and the worst group.

        The interval contains the lowest of all values if each group's interval, at a level
        corrected for their number, contains its value.
        """
        own = rows_at(gaps, model=self.name)
        order = own["difference"].abs().sort_values(ascending=False, kind="stable")
        up = known_direction(metric.name, metric.greater_is_better)
        largest, worst_of = own.loc[order.index[0]], min if up else max
        level = self.alpha / 2 / len(self.samples)
        found = {group: self.estimated(group, level) for group in self.samples}
        value, low, high = (worst_of(side) for side in zip(*found.values(), strict=True))
        return {
            "model": self.name, "largest_gap": abs(largest["difference"]),
            "group_a": largest["group_a"], "group_b": largest["group_b"],
            "worst_group": worst_of(found, key=lambda group: found[group][0]),
            "worst": value, "ci_low": low, "ci_high": high,
        }  # fmt: skip

    def within(self, pairs: Sequence[tuple[Any, Any]], margin: float) -> Answer:
        """Answer whether all gaps are within a margin.

        It is shown if each gap's is (intersection-union test); that one is larger, at corrected
        levels.
        """
        claims = claims_of("equivalent", margin)
        answers: list[Answer] = []
        for pair in pairs:
            answers.append(answer_of(claims, self.bounds(*pair, self.alpha)))
            if answers[-1] == "shown otherwise":
                answers[-1] = answer_of(claims, self.bounds(*pair, self.alpha / self.n_tests))
        return all_of(answers)
