"""Parts of the variances of means: of items, of a factor crossed with them, and of the rest.

The levels of the factor, such as seeds of a training, are a sample of all that there may be. Each
procedure that is compared may have separate levels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtri

from modelcompare.arrays import FloatArray, IntArray

# Below this number of levels, they decide about width and significance.
FEW_LEVELS = 5
# Chance of a mean square of levels below the one that degrees of freedom assume.
_CLOSE_BY_CHANCE = 1 / 3


@dataclass(frozen=True)
class Layers:
    """Parts of the variances of means: of items (or of test sets), of levels, and of the rest.

    Parameters
    ----------
    items : ndarray of shape (2, n_rows, n_values)
        Mean square divided by IR, and its square divided by the degrees of freedom. Both add up
        over procedures and over independent test sets.
    rest : ndarray of shape (2, n_procedures, n_rows, n_values)
        The same of what is left without items and levels, for each procedure with separate levels.
    levels : ndarray of shape (n_procedures, n_rows, n_values, n_levels)
        Means of the levels, for each procedure with separate ones; NaN for less of these, or of
        procedures.
    """

    items: FloatArray
    rest: FloatArray
    levels: FloatArray

    @classmethod
    def of_items(cls, variance: FloatArray, degrees: FloatArray | float) -> Layers:
        """Return the parts where only items vary, or only test sets: (n_rows, n_values)."""
        none = np.empty((2, 0, *variance.shape))
        return cls(terms(variance, degrees), none, np.empty((0, *variance.shape, 1)))

    def at(self, places: IntArray) -> Layers:
        """Return the parts of some values."""
        return Layers(self.items[..., places], self.rest[..., places], self.levels[:, :, places])

    @property
    def variance(self) -> FloatArray:
        """Variances of the means and their degrees of freedom, of shape (2, n_rows, n_values)."""
        deviations, n_levels = centred(self.levels)
        squares = np.nansum(deviations**2, axis=-1) / (n_levels - 1) / n_levels
        of_levels = terms(squares, n_levels - 1.0).sum(axis=1)
        return combined(self.items, of_levels, self.rest.sum(axis=1))


def combined(items: FloatArray, levels: FloatArray, rest: FloatArray) -> FloatArray:
    """Return variances of means and their degrees of freedom from mean squares (`terms`).

    ``items + levels - rest``, where levels and rest are sums over the procedures. It may be below
    its parts, even negative: the floor is the larger of items and levels. Degrees of freedom are
    Satterthwaite's of the same sum, or floor, with the mean square of levels at its upper bound of
    confidence 2/3: where few levels are close by chance, variance and share of the levels are both
    too small, and intervals with the degrees of that share cover 0.89 of 0.95 at two levels.
    """
    (items, of_items), (levels, of_levels), (rest, of_rest) = items, levels, rest
    variance = np.maximum(items + levels - rest, np.maximum(items, levels))
    degrees = np.divide(levels**2, of_levels, out=np.ones_like(levels), where=of_levels > 0)
    likely = levels * np.maximum(degrees / chdtri(degrees, 1 - _CLOSE_BY_CHANCE), 1.0)
    of_likely = likely**2 / degrees
    sums = np.stack([items + likely - rest, items, likely])
    squares = np.stack([of_items + of_likely + of_rest, of_items, of_likely])
    chosen = sums.argmax(axis=0)[None]
    total, square = (np.take_along_axis(each, chosen, axis=0)[0] for each in (sums, squares))
    degrees = np.divide(total**2, square, out=np.ones_like(total), where=square > 0)
    return np.stack([variance, np.maximum(degrees, 1.0)])


def centred(levels: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return deviations from the mean of the levels, and their number, at least 2; NaN is none."""
    known = np.isfinite(levels)
    n_levels = np.maximum(known.sum(axis=-1), 2.0)
    means = np.where(known, levels, 0.0).sum(axis=-1, keepdims=True) / n_levels[..., None]
    return levels - means, n_levels


def terms(mean_square: FloatArray | float, degrees: FloatArray | float) -> FloatArray:
    """Return mean squares, and their squares divided by their degrees of freedom."""
    return np.stack([mean_square, mean_square**2 / degrees])
