"""The sign-flip test: signs of the units' influences on a difference are random under the null.

Unit i adds ``d_i = difference + u_ia - u_ib`` to the difference, where u is its influence on a
model's value; the d_i average to the difference. If the values are equal, each sign is as likely
as the other. Studentizing the flipped sums would not change the order of their sizes, since the sum
of squares of d_i does not depend on the signs, so this is the studentized test.

The tail of a sum of random signs is known (`significance.swaps.signs`), of many pairs at once where
no unit is large (`significance.swaps.powers`). Signs are drawn where few of more than a thousand
units carry the sum. Sums equal to the observed one count half, as long as no more than nine tenths
of the units move.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.engine.influence import signed_sums
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.significance.extreme import resampling_p, smallest_p_value, ties_count_half
from modelcompare.significance.known import DRAWN, SIGNS, WAYS
from modelcompare.significance.pairwise import Outcome, PairTest, PairView
from modelcompare.significance.resampled import by_blocks_of_pairs
from modelcompare.significance.swaps.laws import p_of_tail
from modelcompare.significance.swaps.powers import sign_tails
from modelcompare.significance.swaps.signs import sign_tail
from modelcompare.significance.swaps.statistic import ROUNDING
from modelcompare.works import DANIELS, NOREEN, PHIPSON, ROBINSON

# Numbers of all models that are in memory at once, if it is not a single value's.
_NUMBERS = 2**25


def sign_flip(view: PairView) -> Outcome:
    """Run the sign-flip test on influence values; see the module docstring.

    In a stratified design it is conservative: what differs between strata counts as chance.
    """
    tail, floor = np.full((2, *view.estimate.shape), np.nan)
    for value, numbers in _numbers(view):
        tail[:, value], floor[:, value] = _tails(view, value, numbers)
    p_value = p_of_tail(tail, view.estimate, view.alternative)
    unknown = np.isnan(tail) & ~np.isnan(view.estimate)
    n_drawn = view.n_resamples if unknown.any() else 0
    if n_drawn:
        drawn = _drawn(view)
        p_value = np.where(unknown, drawn.p_value, p_value)
        floor = np.where(unknown, np.maximum(floor, resampling_p(0, n_drawn)), floor)
    p_value = np.where(np.isnan(view.estimate), np.nan, np.clip(p_value, floor, 1.0))
    ways = WAYS[np.where(unknown, DRAWN, SIGNS)]
    return Outcome(view.estimate, p_value, n_drawn, not n_drawn, floor, ways=ways)


@one_blas_thread()
def _numbers(view: PairView) -> Iterator[tuple[int, FloatArray]]:
    """Yield the place of each value, and the units' influences around it, (n_models, n_units)."""
    evaluation, point = view.evaluation, view.sample.point
    counts = evaluation.units.counts().astype(np.float64)
    n_values, n_numbers = point.shape[1], len(point) * len(counts)
    at_once = max(1, _NUMBERS // n_numbers)
    for start in range(0, n_values, at_once):
        some = slice(start, start + at_once)
        out = np.empty((min(at_once, n_values - start), len(point), len(counts)))
        for rows in evaluation.row_steps():
            out[..., rows] = evaluation.influence(rows, point)[:, :, some].transpose(2, 1, 0)
        out += (point[:, some].T - out @ counts / evaluation.units.size)[..., None]
        yield from enumerate(out, start)


def _tails(view: PairView, value: int, numbers: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the tails of all pairs in a value, NaN if unknown, and the smallest p-values."""
    units, (first, second) = view.evaluation.units, view.pairs
    counts = units.counts().astype(np.float64)
    threshold = units.size * np.abs(view.estimate[:, value])
    tail, n_moving = sign_tails(numbers, counts, view.pairs, threshold)
    half = np.ones(len(tail), dtype=bool)
    for pair in np.flatnonzero(np.isnan(tail) & ~np.isnan(threshold)).tolist():
        sizes = np.abs(numbers[first[pair]] - numbers[second[pair]])
        sizes[sizes <= ROUNDING * np.abs(numbers[first[pair]]).max()] = 0.0
        n_moving[pair] = counts @ (sizes > 0)
        half[pair] = ties_count_half(n_moving[pair], units.size)
        tail[pair] = sign_tail(sizes, counts, threshold[pair], half=bool(half[pair]))
    return tail, smallest_p_value(n_moving, view.alternative, half=half)


def _drawn(view: PairView) -> Outcome:
    """Draw signs."""
    sums, signs = signed_sums(view.evaluation, view.sample.point, view.masks)
    n_samples = view.evaluation.units.size

    def null(pairs: slice) -> FloatArray:
        flipped = signs[:, None, None] * view.estimate[pairs]
        flipped += sums[:, view.model_a[pairs]] - sums[:, view.model_b[pairs]]
        return flipped / n_samples

    return by_blocks_of_pairs(view, null, len(sums))


_PHRASE = (
    "the sign-flip test of the influences (by an approximation of the distribution over all flips, "
    "or {n} random ones where none holds)",
    (NOREEN, DANIELS, ROBINSON, PHIPSON),
)
ROWS = (PairTest("sign-flip", sign_flip, smooth=True, reads="sums", phrase=_PHRASE),)
