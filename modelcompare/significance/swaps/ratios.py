"""Numerators and denominators of units, and the sums of their products that no swap changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.metrics.base import Metric, Statistic
from modelcompare.metrics.quotient import divide
from modelcompare.resampling.weights import Units
from modelcompare.significance.strata import Strata

Quotients = tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class Ratio:
    """Numerators N and denominators D of all models, of metrics that share both.

    Parameters
    ----------
    metrics : list of Metric
        Metrics with a `ratio`.
    numbers : dict of Statistic to ndarray of shape (n_units, n_models or 1, width)
        Statistics of the units.
    totals : dict of Statistic to ndarray of shape (n_models or 1, width)
        Their totals.
    units : Units
        How often each unit counts.
    n_models : int
        Number of models.
    strata : Strata, optional
        Strata of the units.
    """

    metrics: list[Metric]
    numbers: dict[Statistic, FloatArray]
    totals: dict[Statistic, FloatArray]
    units: Units
    n_models: int
    strata: Strata | None

    @classmethod
    def each(
        cls,
        metrics: Sequence[Metric],
        numbers: dict[Statistic, FloatArray],
        totals: dict[Statistic, FloatArray],
        units: Units,
        n_models: int,
        strata: Strata | None,
    ) -> list[Ratio]:
        """Put metrics of the same numerators and denominators together."""
        alike: dict[object, list[Metric]] = {}
        for metric in metrics:
            alike.setdefault((metric.statistics, metric.ratio), []).append(metric)
        return [cls(some, numbers, totals, units, n_models, strata) for some in alike.values()]

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """Statistics that both are made of."""
        return self.metrics[0].statistics

    def of(self, parts: Sequence[FloatArray]) -> Quotients:
        """Numerator and denominator of totals, with an axis of values at the end."""
        metric = self.metrics[0]
        if metric.ratio is None:
            raise ValueError(f"{metric.name} names no quotient.")
        top, bottom = metric.ratio(*parts)
        if not metric.per_class and metric.average is None:
            top, bottom = top[..., None], bottom[..., None]
        both = np.broadcast_arrays(top, bottom)
        return both[0], both[1]

    @cached_property
    def of_units(self) -> Quotients:
        """Numerators and denominators of the units, each (n_units, n_models, n_values)."""
        return self._of_all_models([self.numbers[s] for s in self.statistics])

    @cached_property
    def of_totals(self) -> Quotients:
        """Numerators and denominators of the totals, each (n_models, n_values)."""
        top, bottom = self._of_all_models([self.totals[s][None] for s in self.statistics])
        return top[0], bottom[0]

    def grown(self, sums: dict[Statistic, FloatArray]) -> Quotients:
        """Growth (n_models, n_values, n_masks) of both, from that of statistics that models own."""
        n_masks = next(iter(sums.values())).shape[2]
        nothing = [np.zeros((1, 1, self.totals[s].shape[1])) for s in self.statistics]
        parts = [
            np.moveaxis(sums[s], 1, -1) if s in sums else zero
            for s, zero in zip(self.statistics, nothing, strict=True)
        ]
        shape = self.n_models, n_masks, self.n_values
        top, bottom = (np.broadcast_to(part, shape) for part in self.of(parts))
        return np.moveaxis(top, -1, 1), np.moveaxis(bottom, -1, 1)

    @property
    def n_values(self) -> int:
        """Number of classes, or 1."""
        return int(self.of_totals[0].shape[1])

    @cached_property
    def weight(self) -> FloatArray:
        """Weight of each unit's squares."""
        return np.ones(self.units.n_units) if self.strata is None else self.strata.scale

    def product(self, kind: str, k: slice | int, m: slice | int) -> FloatArray:
        """Products (n_units, n_models, ...) of a unit's own numbers, as squares weigh them.

        `kind` names the two factors: "nn", "nd" or "dd"; k and m are their classes.
        """
        first, second = self._factors(kind)
        out: FloatArray = first[..., k] * second[..., m]
        if self.strata is not None:
            out *= self.weight.reshape(-1, *[1] * (out.ndim - 1))
        return out

    def gram(self, kind: str, k: int, m: int) -> FloatArray:
        """Sums (n_models, n_models) of a number of one model times a number of another."""
        key = kind, k, m
        if key not in self._grams:
            first, second = self._factors(kind)
            weight = (self.weight * self.units.counts())[:, None]
            self._grams[key] = (first[..., k] * weight).T @ second[..., m]
        return self._grams[key]

    @cached_property
    def _grams(self) -> dict[tuple[str, int, int], FloatArray]:
        return {}

    @cached_property
    def pooled(self) -> FloatArray:
        """Quotients of two models' sums together, of shape (n_models, n_models, n_values)."""
        top, bottom = self.of_totals
        return divide(top[:, None] + top, bottom[:, None] + bottom, 0.0)

    def residuals(
        self, first: IntArray, second: IntArray, pooled: FloatArray, k: int, m: int
    ) -> FloatArray:
        """Sums (n_pairs,) of ``N_k - F_k D_k`` of one model times ``N_m - F_m D_m`` of another."""
        f, g = pooled[:, k], pooled[:, m]
        out = self.gram("nn", k, m)[first, second] - g * self.gram("nd", k, m)[first, second]
        out -= f * self.gram("nd", m, k)[second, first]
        out += f * g * self.gram("dd", k, m)[first, second]
        return np.asarray(out)

    def in_strata(self) -> list[FloatArray]:
        """Totals of N and D in each stratum, each (n_strata, n_models, n_values)."""
        assert self.strata is not None  # noqa: S101  asked for in strata
        members = self.strata.members(self.strata.codes) * self.units.counts().astype(np.float64)
        return [
            (members @ part.reshape(len(part), -1)).reshape(-1, *part.shape[1:])
            for part in self.of_units
        ]

    def _factors(self, kind: str) -> Quotients:
        top, bottom = self.of_units
        return (top if kind[0] == "n" else bottom), (top if kind[1] == "n" else bottom)

    def _of_all_models(self, parts: Sequence[FloatArray]) -> Quotients:
        top, bottom = self.of(parts)
        shape = top.shape[0], self.n_models, top.shape[2]
        return np.broadcast_to(top, shape), np.broadcast_to(bottom, shape)


def studentized(score: FloatArray, square: FloatArray, size: int, *, centred: bool) -> FloatArray:
    """Divide by the root of a sum of squares, which is never below that of equal numbers."""
    least = score * score
    least /= size
    # A centred sum may be 0: with this the statistic stays finite, and ordered as it is.
    square = square + least if centred else np.maximum(square, least)
    np.sqrt(square, out=square)
    with np.errstate(divide="ignore", invalid="ignore"):
        score /= square
    score[np.isnan(score)] = 0.0
    return score
