"""Models that no other one dominates: quality beside cost, with the uncertainty of both."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd

from modelcompare import escape
from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.correction import bounds_at
from modelcompare.comparison.evidence import places_of
from modelcompare.directions import known_direction
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.plugins.pareto.beside import write_beside
from modelcompare.report.figures.layout import Caption, draw_panels
from modelcompare.report.figures.selection import among
from modelcompare.report.figures.style import DIFFERENT, MUTED, SAME, Look, plain_axes, plain_log
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import interval_title
from modelcompare.significance.corrections import adjust
from modelcompare.words import check_mapping, check_names, check_number, value_name

Margins = Mapping[str, float]
_SIZE = 6.4, 4.4
# Of more models, those on the front are named.
_MOST_NAMES = 15
# Costs that differ by more are drawn on a logarithmic scale.
_FEW_TIMES = 10
_KEYS = {
    "front": ("on the front: better than each other model in a metric", replace(SAME, line="")),
    "dominated": (
        "dominated: a model is better in one metric, not worse in the other",
        replace(DIFFERENT, line=""),
    ),
    "undecided": ("undecided", Look(MUTED, "s", "")),
}  # fmt: skip


@dataclass(frozen=True)
class Front:
    """Evidence that models dominate each other in some values at once.

    All pairs and values are one family: Holm's steps correct the p-values by which a model is
    better, and bounds by which it is not worse by a margin, or better in a value `by_interval`, are
    at Bonferroni's level.

    Parameters
    ----------
    found : Compared
        Evidence of all pairs.
    places : ndarray of int of shape (n_places,)
        Positions of the values.
    margins : ndarray of shape (n_places,)
        The smallest difference that matters in each value.
    """

    found: Compared
    places: IntArray
    margins: FloatArray

    @classmethod
    def of(cls, found: Compared, metrics: Sequence[str] | None, margins: Margins | None) -> Front:
        """Return the front of some metrics, by default of all."""
        if found.baseline is not None:
            raise ValueError("a front needs all pairs of models; compare without `baseline`.")
        chosen = found.metrics if metrics is None else check_names("metrics", metrics)
        names = [among("metrics", name, found.metrics) for name in dict.fromkeys(chosen)]
        places = [at for name in names for at in places_of(found, name)]
        if len(places) < 2:
            raise ValueError("a front needs two metrics, such as accuracy and latency_ms_p95.")
        if margins is not None:
            check_mapping("margins", margins, "numbers, e.g. {'accuracy': 0.01}")
        given = {among("margins", name, chosen): check_number("margins", margin)
                 for name, margin in (margins or {}).items()}  # fmt: skip
        for metric in {found.keys[at].metric for at in places}:
            known_direction(metric, found.metric_info[metric].greater_is_better)
        of_each = [given.get(found.keys[at].metric, 0.0) for at in places]
        return cls(found, np.array(places), np.array(of_each))

    @cached_property
    @one_blas_thread()
    def gains(self) -> FloatArray:
        """Lower bounds of the gain of model i over j: (n_models, n_models, n_places)."""
        rows = np.arange(len(self.found.p_values))
        tested = int(np.count_nonzero(~np.isnan(self.found.p_values[:, self.places])))
        errors = np.full(len(self.found.keys), self.found.alpha / max(tested, 1))
        low, high = bounds_at(self.found, rows, errors)[:, :, self.places]
        up = self.found.direction[self.places] > 0
        return self._of_pairs(np.where(up, low, -high), np.where(up, -high, low))

    @cached_property
    def better(self) -> BoolArray:
        """True where model i is significantly better than j: (n_models, n_models, n_places)."""
        p = adjust(self.found.p_values[:, self.places], "holm")
        signed = (self.found.difference * self.found.direction)[:, self.places]
        ahead = np.where(p < self.found.alpha, signed, 0.0)
        by_interval = self.found.by_interval[self.places]
        return np.where(by_interval, self.gains > 0, self._of_pairs(ahead, -ahead) > 0)

    @cached_property
    def dominates(self) -> BoolArray:
        """True where i is better than j in one value and not worse in the others."""
        not_worse = np.logical_or(self.better, self.gains >= -self.margins)
        return np.logical_and(self.better.any(axis=2), not_worse.all(axis=2))

    @property
    def status(self) -> list[str]:
        """Answer for each model: dominated, on the front, or undecided."""
        beyond = np.where(self.margins > 0, self.gains > self.margins, self.better)
        unrivalled = beyond.any(axis=2) | np.eye(len(self.found.models), dtype=bool)
        dominated, front = self.dominates.any(axis=0), unrivalled.all(axis=1)
        return np.select([dominated, front], ["dominated", "front"], "undecided").tolist()

    @property
    def on_front(self) -> BoolArray:
        """True for models whose estimates no other model's dominate."""
        return undominated(self._merits(self.found.point[None]))[0]

    @property
    def frame(self) -> pd.DataFrame:
        """Frame of `Comparison.pareto`."""
        found, share = self.found, math.nan
        # Resamples are of items: they do not know which model's new runs are best.
        if found.bootstrap.n_resamples and not found.bootstrap.design.beyond_items:
            share = undominated(self._merits(found.bootstrap.draws)).mean(axis=0)
        by = [", ".join(np.array(found.models)[column]) or None for column in self.dominates.T]
        return pd.DataFrame({
            "model": found.models, "status": self.status,
            "dominated_by": pd.Series(by, dtype=object),
            "on_front": self.on_front, "p_front": share,
        })  # fmt: skip

    def _merits(self, values: FloatArray) -> FloatArray:
        """Return the front's values, with signs such that greater is better."""
        return values[..., self.places] * self.found.direction[self.places]

    def _of_pairs(self, of_a: FloatArray, of_b: FloatArray) -> FloatArray:
        """Return values of a against b, and of b against a, by both models; NaN elsewhere."""
        a, b = self.found.pairs
        out = np.full((len(self.found.models),) * 2 + (len(self.places),), np.nan)
        out[a, b], out[b, a] = of_a, of_b
        return out


def undominated(values: FloatArray) -> BoolArray:
    """Return which models have values that no other one dominates: (n, n_models).

    Parameters
    ----------
    values : ndarray of shape (n, n_models, n_values)
        With signs such that greater is better; models without a value are never among them.

    Examples
    --------
    >>> undominated(np.array([[[0.9, -5.0], [0.8, -1.0], [0.8, -2.0]]])).tolist()
    [[True, True, False]]
    """
    out: BoolArray = np.logical_not(np.isnan(values).any(axis=2))
    for model in range(values.shape[1]):
        own = values[:, [model]]
        dominated = (values >= own).all(axis=2) & (values > own).any(axis=2)
        out[:, model] &= ~np.any(dominated, axis=1)
    return out


def plot_front(
    result: Compared, ax: Axes | None = None, *, x: str | None = None, y: str | None = None,
    margins: Margins | None = None,
) -> Figure:  # fmt: skip
    """Draw two metrics of all models, with their intervals and the Pareto front.

    The defaults are the second metric on the horizontal axis, such as a cost, and the first one on
    the vertical axis.
    """
    first, second = result.metrics[0], result.metrics[-1 if len(result.metrics) < 2 else 1]
    front = Front.of(result, [x or second, y or first], margins)
    if len(front.places) > 2:
        raise ValueError(
            f"{x or second} and {y or first} have {len(front.places)} values a model; compare "
            "averages, or one class such as f1[fraud]."
        )
    status, some = front.status, len(result.models) > _MOST_NAMES
    notes = [
        f"bars: {interval_title(result.confidence_level)}; line: front of the estimates; marks: by "
        "Holm's steps over all pairs in both metrics",
        *(f"margin of {name}: {margin:g}" for name, margin in (margins or {}).items()),
    ]
    caption = Caption(
        f"{result.headline}; Pareto front, tests at {result.alpha:g}", result.signature,
        "names of models on the front of the estimates" if some else "",
        note="; ".join(notes),
        keys=[(text, look) for each, (text, look) in _KEYS.items() if each in status],
    )  # fmt: skip
    models = np.flatnonzero(front.on_front | (not some))
    names = [result.models[model] for model in models]
    points = result.point[models][:, front.places].T
    return draw_panels(
        caption, [[partial(_draw, front, status)]], _SIZE, ax=ax,
        settled=lambda axes: write_beside(axes, names, *points),
    )  # fmt: skip


def _draw(front: Front, status: Sequence[str], axes: Axes) -> None:
    """Draw points over their intervals, and the region that the front dominates."""
    found, interval = front.found, front.found.score_interval
    ends = np.array([interval.low, interval.high])[:, :, front.places]
    plain_axes(axes)
    points = found.point[:, front.places]
    for each, (x, y), (left, low), (right, high) in zip(status, points, *ends, strict=True):
        look = _KEYS[each][1]
        axes.plot([left, right], [y, y], color=look.colour, linewidth=1.0, alpha=0.5)
        axes.plot([x, x], [low, high], color=look.colour, linewidth=1.0, alpha=0.5)
        axes.plot(x, y, **look.options(markersize=6.5))
    scales = (axes.xaxis, axes.set_xscale), (axes.yaxis, axes.set_yscale)
    for at, (axis, set_scale), values in zip(front.places, scales, ends.T, strict=True):
        key, way = found.keys[at], "higher" if found.direction[at] > 0 else "lower"
        name = value_name(key.metric, key.label)
        axis.set_label_text(escape.figure(f"{name} ({way} is better)"))
        unbounded = math.isinf(found.metric_info[key.metric].bounds[1])
        if unbounded and 0 < _FEW_TIMES * values.min() < values.max():
            set_scale("log")
            plain_log(axis)
    _draw_region(front, axes)


def _draw_region(front: Front, axes: Axes) -> None:
    """Shade what models on the front of the estimates dominate: worse in both metrics."""
    limits = axes.get_xlim(), axes.get_ylim()
    up = front.found.direction[front.places] > 0
    worst = [ends[0] if is_up else ends[1] for ends, is_up in zip(limits, up, strict=True)]
    best = front.found.point[front.on_front][:, front.places]
    x, y = best[np.argsort(best[:, 0] if up[0] else -best[:, 0])].T
    # From a point towards worse values of x, up to the next point, whose y is better.
    x, y = np.r_[worst[0], np.repeat(x, 2)], np.r_[np.repeat(y, 2), worst[1]]
    axes.fill([*x, worst[0]], [*y, worst[1]], color="#F1F1F1", zorder=0)
    axes.plot(x, y, color="#A8A8A8", linewidth=1.2, zorder=1)
    axes.set(xlim=limits[0], ylim=limits[1])


def pareto(found: Compared, metrics: Sequence[str] | None, margins: Margins | None) -> pd.DataFrame:
    """Return the frame of `Comparison.pareto`."""
    return Front.of(found, metrics, margins).frame


FIGURES = (("pareto", plot_front, None),)
