"""Gaps of one metric between subgroups, and the value of the worst subgroup."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.comparison.bootstrap import bootstrap
from modelcompare.comparison.bootstrap_result import BootstrapResult
from modelcompare.comparison.compare_groups import MIN_SIZE
from modelcompare.comparison.warned import warn_of_sparse_data
from modelcompare.data.predictions import Predictions
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.classes import resolved_value
from modelcompare.metrics.registry import MetricLike, default_metric
from modelcompare.questions.claims import Ends, answer_of, claims_of, p_above
from modelcompare.report.document import Document
from modelcompare.report.numbers import format_number, p_clause
from modelcompare.report.result import Result
from modelcompare.report.tables import Table, column, interval_column, rows_at
from modelcompare.resampling.seeds import RngLike, child_seed, seed_sequence
from modelcompare.words import (
    Answer,
    IntervalMethod,
    ZeroDivision,
    check_names,
    check_number,
    signature,
    value_name,
)


@dataclass(frozen=True)
class Gaps(Result):
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
    models: pd.DataFrame = field(repr=False)
    gaps: pd.DataFrame = field(repr=False)
    groups: pd.DataFrame = field(repr=False)
    notes: tuple[str, ...] = ()

    _stem: ClassVar[str] = "gaps"
    _members: ClassVar[str] = """
        metric label by margin alpha n_samples signature
        models: model largest_gap group_a group_b worst_group worst ci_low ci_high within
        gaps: model group_a group_b difference ci_low ci_high p_value p_adjusted
        groups: model group n_samples estimate ci_low ci_high
    """

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
            "models": Table.of(
                f"{what}, largest gap and worst group by {self.by}", self.models, "model",
                "largest_gap", "group_a", "group_b", "worst_group", "worst",
                interval_column(level), *answer, decimals=None, notes=self.notes,
            ),
            "gaps": Table.of(
                f"{what}, gaps between groups", self.gaps, "model", "group_a", "group_b",
                "difference", interval_column(level), column("p (bonferroni)", "p_adjusted"),
                decimals=None,
            ),
            "groups": Table.of(
                f"{what} in each group", self.groups, "model", "group", "n_samples", "estimate",
                interval_column(level), decimals=None,
            ),
        }  # fmt: skip
        return self._document(tables, findings=self.sentences)

    @property
    def sentences(self) -> list[str]:
        """The largest gap of each model, whether it is significant, and the answer."""
        what = value_name(self.metric, self.label)
        found = []
        for row in self.models.itertuples(index=False):
            pair = rows_at(
                self.gaps, model=row.model, group_a=row.group_a, group_b=row.group_b
            )  # fmt: skip
            gap = format_number(row.largest_gap, 3)
            between = f"between {row.group_a} and {row.group_b}"
            p = "" if pair.empty else f" ({p_clause(float(pair['p_adjusted'].iloc[0]))})"
            text = f"{row.model}: {what} differs by up to {gap}, {between}{p}."
            if not math.isnan(self.margin):
                text += _ANSWERS[row.within].format(f"{self.margin:g}")
            found.append(text)
        return found


_ANSWERS: Mapping[Answer, str] = {
    "shown": " All gaps are within {}.", "shown otherwise": " A gap is larger than {}.",
    "not enough data": " There are not enough samples to decide whether all are within {}.",
}  # fmt: skip


@checked()
def gaps(
    predictions: Predictions, metric: MetricLike | None = None, *, by: str | None = None,
    label: Any = None, margin: float | None = None, min_size: int = MIN_SIZE,
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
    metric : str, metric or callable, optional
        As in `decide`; the default metric by default.
    by : str, optional
        Slice whose values are the subgroups; the only one by default.
    label : optional
        The class, for a metric per class; by default the second of two.
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
        If there are no slices, fewer than two subgroups are large enough, or a cluster is in
        several subgroups.

    Warns
    -----
    SparseDataWarning
        If fewer than ten samples, or clusters, determine the value in a subgroup.

    References
    ----------
    .. [1] Zou & Donner (2008), Statistics in Medicine 27, 1693-1702.
    .. [2] Hardt, Price & Srebro (2016), Advances in Neural Information Processing Systems 29.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.Predictions([0, 1] * 100, {"a": [0, 1] * 60 + [0, 0, 0, 1] * 20},
    ...                        slices={"sex": ["f"] * 120 + ["m"] * 80})
    >>> found = mc.diagnostics.gaps(preds, "recall", label=1)
    >>> found.gaps[["group_a", "group_b", "difference"]]
      group_a group_b  difference
    0       f       m         0.5
    """
    if margin is not None:
        check_number("margin", margin, at_least=0.0)
    name, parts, left_out = _parts(predictions, by, min_size)
    chosen = default_metric(predictions) if metric is None else metric
    value, of_class = resolved_value(chosen, label, predictions)
    samples, seed = {}, seed_sequence(rng)
    for place, (group, part) in enumerate(parts.items()):
        found = bootstrap(
            part, value, n_resamples=n_resamples, zero_division=zero_division,
            rng=child_seed(seed, place),
        )  # fmt: skip
        at = _place(found, of_class)
        warn_of_sparse_data(found, places=np.array([at]), where=f"{name} = {group}: ")
        samples[group] = _Group(found, at, method, len(part))
    models, pairs = predictions.models, [*combinations(samples, 2)]
    n_tests = len(models) * len(pairs)
    rows = [
        {"model": model, **_gap(samples, k, a, b, alpha, n_tests)}
        for k, model in enumerate(models) for a, b in pairs
    ]  # fmt: skip
    table = pd.DataFrame(rows)
    of_groups = [
        {"model": model, "group": group, "n_samples": each.n, "estimate": each.value(k),
         **_ends(each.ends(k, alpha / 2))}
        for k, model in enumerate(models) for group, each in samples.items()
    ]  # fmt: skip
    of_models = pd.DataFrame([
        {"model": model, **_of_model(samples, k, table[table["model"] == model], value, alpha)}
        for k, model in enumerate(models)
    ])  # fmt: skip
    of_models["within"] = [
        None if margin is None else _within(samples, k, pairs, margin, alpha, n_tests)
        for k in range(len(models))
    ]
    return Gaps(
        value.name, of_class, name, math.nan if margin is None else float(margin), alpha,
        sum(each.n for each in samples.values()), of_models, table,
        pd.DataFrame(of_groups), left_out,
    )  # fmt: skip


@dataclass(frozen=True)
class _Group:
    """Values of all models in one subgroup."""

    found: BootstrapResult
    place: int
    method: IntervalMethod
    n: int

    def value(self, model: int) -> float:
        return float(self.found.point[model, self.place])

    def ends(self, model: int, level: float) -> Ends:
        """Return bounds of a model's value at a one-sided level."""
        interval = self.found.score_interval(self.method, 1 - 2 * level)
        return float(interval.low[model, self.place]), float(interval.high[model, self.place])


def _parts(
    predictions: Predictions, by: str | None, min_size: int
) -> tuple[str, dict[Any, Predictions], tuple[str, ...]]:
    """Return the variable, the subgroups by its values, and a note on those left out."""
    frame = predictions.slices
    if frame is None:
        raise ValueError(
            "the predictions have no `slices`; give them, e.g. slices={'sex': sex} (--by COLUMN)."
        )
    names = [*map(str, frame.columns)]
    if by is None and len(names) != 1:
        raise ValueError(f"`by` must name one of the slices {', '.join(names)}.")
    name = names[0] if by is None else check_names("by", [by])[0]
    if name not in names:
        raise ValueError(f"`by` names no slice: {name!r}; there are {', '.join(names)}.")
    rows = frame.set_axis(names, axis=1).groupby(name, sort=True).indices
    kept = {value: np.asarray(own) for value, own in rows.items() if len(own) >= min_size}
    if len(kept) < 2:
        raise ValueError(
            f"gaps are between two subgroups or more, and {len(kept)} have {min_size} samples; "
            "lower `min_size` (--min-size)."
        )
    units = predictions.unit_of
    seen: dict[int, Any] = {}
    for value, own in kept.items():
        for unit in np.unique(units[own]).tolist():
            if seen.setdefault(unit, value) != value:
                raise ValueError(
                    f"subgroups {seen[unit]!r} and {value!r} share a cluster, so they are not "
                    "independent; give clusters that are within subgroups."
                )
    small = [f"{value} ({len(own):,})" for value, own in rows.items() if len(own) < min_size]
    notes = (f"Left out, below {min_size} samples: {', '.join(small)}.",) if small else ()
    return name, {value: predictions.subset(own) for value, own in kept.items()}, notes


def _place(found: BootstrapResult, label: Any) -> int:
    keys = found.evaluation.keys
    return next(k for k, key in enumerate(keys) if label is None or key.label == label)


def _difference(a: _Group, b: _Group, model: int, level: float) -> Ends:
    """Return one-sided bounds of the difference of independent values (MOVER)."""
    gap = a.value(model) - b.value(model)
    (low_a, high_a), (low_b, high_b) = (each.ends(model, level) for each in (a, b))
    value_a, value_b = a.value(model), b.value(model)
    return (
        gap - math.hypot(value_a - low_a, high_b - value_b),
        gap + math.hypot(high_a - value_a, value_b - low_b),
    )


def _ends(ends: Ends) -> dict[str, float]:
    return dict(zip(("ci_low", "ci_high"), ends, strict=True))


def _gap(
    samples: Mapping[Any, _Group], model: int, a: Any, b: Any, alpha: float, n_tests: int
) -> dict[str, Any]:  # fmt: skip
    bounds = partial(_difference, samples[a], samples[b], model)
    p = p_above(1.0, 0.0, bounds)
    p_value = min(1.0, 2 * min(p, 1 - p))
    return {
        "group_a": a, "group_b": b, "difference": samples[a].value(model) - samples[b].value(model),
        **_ends(bounds(alpha / 2 / n_tests)), "p_value": p_value,
        "p_adjusted": min(1.0, p_value * n_tests),
    }  # fmt: skip


def _of_model(
    samples: Mapping[Any, _Group], model: int, own: pd.DataFrame, metric: AnyMetric, alpha: float
) -> dict[str, Any]:  # fmt: skip
    """Return the largest gap and the worst group.

    The interval contains the lowest of all values if each group's interval, at a level corrected
    for their number, contains its value.
    """
    largest = own.loc[own["difference"].abs().idxmax()] if own["difference"].notna().any() else None
    values = {group: each.value(model) for group, each in samples.items()}
    up = metric.greater_is_better
    worst = (min if up else max)(values, key=lambda group: values[group])
    ends = [each.ends(model, alpha / 2 / len(samples)) for each in samples.values()]
    low, high = ((min if up else max)(side) for side in zip(*ends, strict=True))
    return {
        "largest_gap": math.nan if largest is None else abs(largest["difference"]),
        "group_a": None if largest is None else largest["group_a"],
        "group_b": None if largest is None else largest["group_b"],
        "worst_group": worst, "worst": values[worst], **_ends((low, high)),
    }  # fmt: skip


def _within(
    samples: Mapping[Any, _Group], model: int, pairs: Sequence[tuple[Any, Any]], margin: float,
    alpha: float, n_tests: int,
) -> Answer:  # fmt: skip
    """Answer whether all gaps of a model are within a margin.

    It is shown if each gap's is (intersection-union test); that one is larger, at corrected levels.
    """
    answers: list[Answer] = []
    for a, b in pairs:
        bounds = partial(_difference, samples[a], samples[b], model)
        claims = claims_of("equivalent", margin)
        answers.append(answer_of(claims, bounds(alpha)))
        if answers[-1] == "shown otherwise":
            answers[-1] = answer_of(claims, bounds(alpha / n_tests))
    if "shown otherwise" in answers:
        return "shown otherwise"
    return "shown" if {*answers} == {"shown"} else "not enough data"
