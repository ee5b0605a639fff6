"""Cells of samples with a few labels each, the labels as rows with weights, and variances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data.judges import Judge
from modelcompare.engine.patterns import Patterns, joint
from modelcompare.metrics.quotient import divide

# Labels from which on a cell of answers and verdicts is a cell by itself.
LEAST = 10
# Samples of a cell, or rows of scores, among which an added label is divided.
REPRESENTATIVES = 8


@dataclass(frozen=True)
class Cells:
    """Cells of patterns, and the labels in each.

    Parameters
    ----------
    of : ndarray of int of shape (n_patterns,)
        Cell of each pattern.
    sizes, labels : ndarray of shape (n_cells,)
        Samples, and effective number of labels.
    """

    of: IntArray
    sizes: FloatArray
    labels: FloatArray

    @classmethod
    def by(cls, of: IntArray, patterns: Patterns, judge: Judge) -> Cells:
        """Count the samples and labels of given cells."""
        of = pd.factorize(of)[0]
        sizes, total, squares = patterns.sums(of, judge.label_weights)
        return cls(of, sizes, divide(total**2, squares, 0.0))

    @classmethod
    def of_patterns(
        cls, fine: IntArray, coarse: IntArray, patterns: Patterns, judge: Judge, *, filled: bool
    ) -> Cells:  # fmt: skip
        """Return fine cells with enough labels, and coarse ones of the other samples.

        All are within strata of the draw of labels. With `filled`, a cell without a label joins
        that with the fewest labels of its stratum.
        """
        within = patterns.entries[-1]
        fine, coarse = (pd.factorize(joint([each, within]))[0] for each in (fine, coarse))
        labels = np.bincount(fine[patterns.of_labels], minlength=len(fine))
        found = cls.by(np.where(labels[fine] >= LEAST, 2 * fine, 2 * coarse + 1), patterns, judge)
        if not filled or (found.labels > 0).all():
            return found
        of, stratum = found.of.copy(), np.empty(len(found.sizes), dtype=np.intp)
        stratum[found.of] = within
        for cell in np.flatnonzero(found.labels == 0):
            others = np.flatnonzero((stratum == stratum[cell]) & (found.labels > 0))
            of[found.of == cell] = others[found.labels[others].argmin()]
        return cls.by(of, patterns, judge)

    def some(self, patterns: Patterns, by: FloatArray | None) -> tuple[IntArray, IntArray]:
        """Return a few samples of each cell, evenly spaced in an order not that of the rows.

        The order is by pattern, and by a number if samples of one pattern differ.

        Returns
        -------
        samples, pattern : ndarray of int of shape (n_chosen,)
            The samples, and their patterns.
        """
        order = np.lexsort([*patterns.entries[::-1], self.of])
        sizes = self.sizes.astype(np.intp)
        starts = np.cumsum(sizes) - sizes
        place = np.concatenate([start + evenly(n) for start, n in zip(starts, sizes, strict=True)])
        chosen = order[np.searchsorted(np.cumsum(patterns.sizes[order]), place, side="right")]
        if by is None:
            return patterns.first[chosen], chosen
        return np.lexsort((by, np.argsort(order)[patterns.of]))[place], chosen


@dataclass(frozen=True)
class Rows:
    """Labels, by people or added ones.

    Parameters
    ----------
    of : ndarray of int of shape (n_rows,)
        Sample of each.
    truth : ndarray of shape (n_rows,) or (n_models, n_rows)
        Its true class, or the score of each model.
    cell : ndarray of int of shape (n_rows,)
    weight : ndarray of shape (n_rows,)
        Number of samples of the cell for which it stands.
    """

    of: IntArray
    truth: AnyArray
    cell: IntArray
    weight: FloatArray

    def joined(self, other: Rows, share: FloatArray) -> Rows:
        """Return these rows and others with a share of each cell; rows without weight are out."""
        of_other = share[other.cell] * other.weight
        weight = np.concatenate([(1 - share)[self.cell] * self.weight, of_other])
        kept = np.flatnonzero(weight)
        of, cell, truth = (
            np.concatenate([getattr(each, name) for each in (self, other)], axis=-1)[..., kept]
            for name in ("of", "cell", "truth")
        )
        return Rows(of, truth, cell, weight[kept])


@dataclass(frozen=True)
class Spread:
    """Parts of the variance of values: within cells, which labels reduce, and between cells.

    Parameters
    ----------
    sizes : ndarray of shape (n_cells,)
        Samples of each cell.
    squares : ndarray of shape (n_cells, n_values)
        Variance of the influence of a sample within its cell.
    between : ndarray of shape (n_values,)
        Variance that no number of labels reduces.
    """

    sizes: FloatArray
    squares: FloatArray
    between: FloatArray

    def at(self, labels: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the variance with these labels in each cell, and Satterthwaite's degrees."""
        within = self.sizes[:, None] ** 2 * self.squares / (labels + 1)[:, None]
        variance = within.sum(axis=0) + self.between
        terms = (within**2 / np.maximum(labels, 1.0)[:, None]).sum(axis=0)
        terms += self.between**2 / (self.sizes.sum() - 1)
        return variance, divide(variance**2, terms, 1.0)

    @classmethod
    def of(cls, u: FloatArray, rows: Rows, cells: Cells) -> tuple[Spread, FloatArray]:
        """Return the parts by the influences of rows, and these less the means of their cells."""
        share = (rows.weight / cells.sizes[rows.cell])[:, None]
        means, squares = np.zeros((2, len(cells.sizes), u.shape[1]))
        np.add.at(means, rows.cell, share * u)
        away = u - means[rows.cell]
        np.add.at(squares, rows.cell, share * away**2)
        centred = means - cells.sizes @ means / cells.sizes.sum()
        return cls(cells.sizes, squares, cells.sizes @ centred**2), away


def degrees_of_pair(degrees: FloatArray, n_labels: float) -> FloatArray:
    """Return the degrees of freedom of a difference from Satterthwaite's.

    A variance with an added label in it varies less than Satterthwaite's degrees assume.
    """
    return np.sqrt(degrees * (n_labels - 1.0))


def carrier_degrees(away: FloatArray, weight: FloatArray, variance: FloatArray) -> FloatArray:
    """Return degrees of freedom by the labels that carry part of a variance.

    The rest, of added labels and between cells, is taken for known.

    Parameters
    ----------
    away : ndarray of shape (n_labels, n_values)
        Influences of the labels less the means of their cells.
    weight : ndarray of shape (n_labels,)
        Number of samples for which each label stands.
    variance : ndarray of shape (n_values,)
        The whole variance.
    """
    squares = (weight[:, None] * away) ** 2
    total, fourth = squares.sum(axis=0), (squares**2).sum(axis=0)
    carriers, shares = divide(total**2, fourth, 1.0), divide(variance, total, np.inf)
    return np.asarray(np.maximum(2 * carriers - 1, 1.0) * np.maximum(shares, 1.0) ** 2)


def evenly(n: int) -> IntArray:
    """Return a few positions of n, evenly spaced."""
    few = min(n, REPRESENTATIVES)
    return ((np.arange(few) + 0.5) * n / few).astype(np.intp)
