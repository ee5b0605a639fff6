"""Studentized differences of two models' ROC AUCs after swaps of their ranks, pair by pair.

Two models' scores may have different scales, which the AUC ignores, so a swap exchanges a sample's
ranks among all samples of each model (Venkatraman & Begg 1996; Bandos, Rockette & Gur 2005).
With the two sets of ranks in one order, a positive has the share of all 2 n negatives below either
of its ranks, a negative that of the positives above, and the difference of the AUCs after any swap
is the sum of ``s_i (h(rank_a) - h(rank_b))``: h are these shares over the number of samples of the
side, and s_i the swap's sign. No swap moves the common order.

It is divided by DeLong's standard error, with the placements of the swapped data themselves. A
placement of one model less that of the other is ``s_i (h_a - h_b) + D(rank_a) + D(rank_b)``, where
D at a place of the common order is half of the share of the first model's other side below it
less that of the second's: a cumulated sum over the order. The sum of squares is a quadratic form in
D, so a swap costs a few sums over its samples, and no sorting. Of more than 256 places D is taken
at 256 quantiles.

References
----------
.. [1] DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44, 837-845.
.. [2] Venkatraman & Begg (1996), Biometrika 83, 835-848.
.. [3] Bandos, Rockette & Gur (2005), Statistics in Medicine 24, 2873-2893.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import sparse

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.base import AnyMetric, OrderMetric
from modelcompare.metrics.ranking import ROC_AUC
from modelcompare.significance.swaps.statistic import (
    ROUNDING,
    Swapped,
    UnitSwaps,
    studentized,
)

# Variance of one side's placements, from jumps and crossed sums.
Side = Callable[[FloatArray, FloatArray], FloatArray]

_MOST_PLACES = 256
# Samples times pairs of models: more take too long beside flipped influences.
_MOST_SAMPLES = 2**17


def areas_apply(evaluation: Evaluation, metric: AnyMetric) -> bool:
    """Return True for the AUC of two classes, of equal samples that are not too many.

    DeLong's variance does not allow for weights, clusters or strata.
    """
    p = evaluation.predictions
    n_models = len(p.models)
    return (
        isinstance(metric, OrderMetric)
        and metric.prepare is ROC_AUC.prepare
        and p.groups is None
        and p.sample_weight is None
        and evaluation.units.strata is None
        and p.access.codes is not None
        and 0 < p.access.codes.sum() < len(p)
        and len(p) * max(1, n_models * (n_models - 1) // 2) <= _MOST_SAMPLES
    )


class SwappedAreas(UnitSwaps):
    """Studentized differences of the ROC AUC of two classes, where `areas_apply`."""

    def of_pairs(self, pairs: IntArray, swapped: Swapped) -> FloatArray:
        chosen = [self._pairs[place] for place in pairs.tolist()]
        moved = swapped.times_each([signed for signed, _ in chosen])
        found = [
            _statistics(signed, sides, sums)
            for (signed, sides), sums in zip(chosen, moved, strict=True)
        ]
        return np.stack(found)[:, None]

    def moving(self, pair: int) -> IntArray:
        return np.flatnonzero(abs(self._pairs[pair][0]).sum(axis=0))

    @property
    def n_columns(self) -> int:
        return sum(int(signed.shape[0]) for signed, _ in self._pairs)

    @cached_property
    def _pairs(self) -> list[tuple[Any, list[Side]]]:
        """`_sums_of_pair` of each pair; they are small where `areas_apply`."""
        from scipy.stats import rankdata

        outcomes = [self.evaluation.outcomes(model) for model in self.evaluation.models]
        ranks, positive = [rankdata(o.score(1)) for o in outcomes], outcomes[0].true_codes == 1
        members = self.joined.members().T if self.joined.joined else None
        found = []
        for a, b in zip(self.model_a, self.model_b, strict=True):
            signed, sides = _sums_of_pair(ranks[a], ranks[b], positive)
            found.append((signed if members is None else (signed @ members).tocsr(), sides))
        return found


def _sums_of_pair(a: FloatArray, b: FloatArray, positive: BoolArray) -> tuple[Any, list[Side]]:
    """Put two models' ranks into one order, and return the sums that a swap changes.

    Returns
    -------
    signed : sparse array of shape (1 + 4 * n_places, n_samples)
        Contributions of each sample, which have the sign of its swap: to the difference, and to
        jumps and crossed sums of both sides.
    sides : list of callable
        `_variance` of positives and of negatives, from jumps and crossed sums.
    """
    places = np.unique(np.r_[a, b], return_inverse=True)[1].reshape(2, -1)
    placed = _placed(places, positive)
    size = np.where(positive, positive.sum(), (~positive).sum())
    rows = [sparse.csr_array((placed / size)[None])]
    sides: list[Side] = []
    places = _few(places)
    n_places = int(places.max()) + 1
    difference = _placed(places, positive)
    for own, order in ((positive, places), (~positive, n_places - 1 - places)):
        jumps = _at(order, np.where(own, 0.0, 1.0), n_places, -1.0)
        crossed = _at(order, np.where(own, difference, 0.0), n_places, 1.0)
        rows += [jumps, crossed]
        either = _at(order, own.astype(np.float64), n_places, 1.0)
        pairs, fixed = (either @ either.T).toarray(), float((difference[own] ** 2).sum())
        sides.append(partial(_variance, int(own.sum()), int((~own).sum()), pairs, fixed))
    return sparse.vstack(rows).tocsr(), sides


def _statistics(signed: Any, sides: Sequence[Side], moved: FloatArray) -> FloatArray:
    """Return a pair's statistics (n_masks,) from sums over the units that swap."""
    sums = np.asarray(signed.sum(axis=1))[:, None] - 2 * moved
    difference = sums[0].copy()
    difference[np.abs(difference) <= ROUNDING] = 0.0
    parts = np.split(sums[1:], 4)
    square = sides[0](*parts[:2]) + sides[1](*parts[2:])
    return studentized(difference, square, signed.shape[1], centred=True)


def _variance(
    n_own: int,
    n_others: int,
    pairs: FloatArray,
    fixed: float,
    jumps: FloatArray,
    crossed: FloatArray,
) -> FloatArray:
    """Return the squared standard error of the difference of one side's mean placements.

    Parameters
    ----------
    n_own, n_others : int
        Samples of this side and of the other.
    pairs : ndarray of shape (n_places, n_places)
        Number of samples of the side that have their two ranks at two places, in both orders, and
        on the diagonal either rank.
    fixed : float
        Sum of squares of ``h_a - h_b``.
    jumps : ndarray of shape (n_places, n_resamples)
        Samples of the other side that the first model has at a place, less those of the second.
    crossed : ndarray of shape (n_places, n_resamples)
        Sums of ``s_i (h_a - h_b)`` at either rank.
    """
    between = (np.cumsum(jumps, axis=0) - jumps / 2) / (2 * n_others)
    form = pairs @ between
    mean = (crossed.sum(axis=0) / 2 + form.sum(axis=0) / 2) / n_own
    squares = fixed + np.einsum("ij,ij->j", 2 * crossed + form, between)
    centred = squares - n_own * mean**2
    centred[centred <= ROUNDING * (squares + fixed)] = 0.0
    return np.asarray(centred / (n_own * max(n_own - 1, 1)))


def _placed(places: IntArray, positive: BoolArray) -> FloatArray:
    """Return the share of the other side that each sample ranks correctly, a less b."""
    out = np.empty(len(positive))
    n_places = int(places.max()) + 1
    for own, order in ((positive, places), (~positive, n_places - 1 - places)):
        count = np.bincount(order[:, ~own].ravel(), minlength=n_places).astype(np.float64)
        share = (np.cumsum(count) - count / 2) / count.sum()
        out[own] = share[order[0, own]] - share[order[1, own]]
    return out


def _few(places: IntArray) -> IntArray:
    """Merge places into at most 256 with nearly equal numbers of ranks."""
    if places.max() < _MOST_PLACES:
        return places
    before = np.r_[0, np.cumsum(np.bincount(places.ravel()))[:-1]]
    return (before * _MOST_PLACES // places.size)[places]


def _at(places: IntArray, numbers: FloatArray, n_places: int, sign: float) -> Any:
    """Put numbers at the places of a's ranks, and with a sign at b's: (n_places, n_samples)."""
    some = np.flatnonzero(numbers)
    found = np.concatenate([numbers[some], sign * numbers[some]])
    index = (places[:, some].ravel(), np.tile(some, 2))
    out = sparse.csr_array((found, index), shape=(n_places, len(numbers)))
    out.eliminate_zeros()
    return out
