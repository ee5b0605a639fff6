"""Cells of samples with a few labels each, the labels as rows with weights, and variances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data.judges import Judge

# Labels from which on a cell of answers and verdicts is a cell by itself.
LEAST = 10
# Distinct scores of a judge from which on they are numbers, not verdicts.
MANY = 11
# Parts into which many values are cut.
PARTS = 5
# Samples of a cell, or rows of scores, among which an added label is divided.
REPRESENTATIVES = 8


@dataclass(frozen=True)
class Cells:
    """Cells of samples, and the labels in each.

    Parameters
    ----------
    of : ndarray of int of shape (n_samples,)
        Cell of each sample.
    sizes, labels : ndarray of shape (n_cells,)
        Samples, and effective number of labels.
    """

    of: IntArray
    sizes: FloatArray
    labels: FloatArray

    @classmethod
    def by(cls, of: IntArray, judge: Judge) -> Cells:
        """Count the samples and labels of given cells."""
        of = pd.factorize(of)[0]
        n_cells, here = int(of.max()) + 1, of[judge.labelled]
        labels = np.bincount(here, minlength=n_cells).astype(np.float64)
        if judge.weight is not None:
            w = judge.weight[judge.labelled]
            total, squares = (np.bincount(here, x, n_cells) for x in (w, w**2))
            labels = np.divide(total**2, squares, out=np.zeros(n_cells), where=squares > 0)
        return cls(of, np.bincount(of).astype(np.float64), labels)

    @classmethod
    def of_patterns(
        cls, fine: IntArray, coarse: IntArray, within: IntArray, judge: Judge, *, filled: bool
    ) -> Cells:
        """Return fine cells with enough labels, and coarse ones of the other samples.

        All are `within` strata of the draw of labels. With `filled`, a cell without a label joins
        that with the fewest labels of its stratum.
        """
        n_strata = int(within.max()) + 1
        fine, coarse = (n_strata * each + within for each in (fine, coarse))
        of_fine = pd.factorize(fine)[0]
        labels = np.bincount(of_fine[judge.labelled], minlength=int(of_fine.max()) + 1)
        enough = labels[of_fine] >= LEAST
        found = cls.by(np.where(enough, 2 * of_fine, 2 * coarse + 1), judge)
        if not filled or (found.labels > 0).all():
            return found
        of, stratum = found.of.copy(), np.empty(len(found.sizes), dtype=np.intp)
        stratum[found.of] = within
        for cell in np.flatnonzero(found.labels == 0):
            others = np.flatnonzero((stratum == stratum[cell]) & (found.labels > 0))
            of[found.of == cell] = others[found.labels[others].argmin()]
        return cls.by(of, judge)


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

    def joined(self, other: Rows, weight: FloatArray) -> Rows:
        """Return these rows and others, with new weights; rows without weight are left out."""
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
        degrees = np.divide(variance**2, terms, out=np.ones_like(variance), where=terms > 0)
        return variance, degrees

    @classmethod
    def of(cls, u: FloatArray, rows: Rows, cells: Cells) -> Spread:
        """Return the parts of the variance of values by the influences of rows."""
        share, means = _means(u, rows, cells)
        squares = np.zeros_like(means)
        np.add.at(squares, rows.cell, share * (u - means[rows.cell]) ** 2)
        centred = means - cells.sizes @ means / cells.sizes.sum()
        return cls(cells.sizes, squares, cells.sizes @ centred**2)


def degrees_of_pair(degrees: FloatArray, n_labels: float) -> FloatArray:
    """Return the degrees of freedom of a difference from Satterthwaite's.

    A variance with an added label in it varies less than Satterthwaite's degrees assume.
    """
    return np.sqrt(degrees * (n_labels - 1.0))


def _means(u: FloatArray, rows: Rows, cells: Cells) -> tuple[FloatArray, FloatArray]:
    """Return the share of each row in its cell, and the means of influences in each cell."""
    share = (rows.weight / cells.sizes[rows.cell])[:, None]
    means = np.zeros((len(cells.sizes), u.shape[1]))
    np.add.at(means, rows.cell, share * u)
    return share, means


def carrier_degrees(
    u: FloatArray, rows: Rows, cells: Cells, n_labels: int, variance: FloatArray
) -> FloatArray:
    """Return degrees of freedom by the labels, the first rows, that carry part of a variance.

    The rest, of added labels and between cells, is taken for known.
    """
    _, means = _means(u, rows, cells)
    weight = (rows.weight[:, None] * (u - means[rows.cell]))[:n_labels] ** 2
    total, fourth = weight.sum(axis=0), (weight**2).sum(axis=0)
    carriers = np.divide(total**2, fourth, out=np.ones_like(total), where=fourth > 0)
    shares = np.divide(variance, total, out=np.full(total.shape, np.inf), where=total > 0)
    return np.asarray(np.maximum(2 * carriers - 1, 1.0) * np.maximum(shares, 1.0) ** 2)


def fifths(values: FloatArray) -> IntArray:
    """Return the fifth of each number among all, from 0 on; equal numbers are in one."""
    order = np.searchsorted(np.sort(values), values, side="left")
    return np.asarray(PARTS * order // len(values), dtype=np.intp)


def joint(columns: Sequence[AnyArray]) -> IntArray:
    """Return a code for each combination of entries."""
    code = np.zeros(len(columns[0]), dtype=np.intp)
    for column in columns:
        code = code * (int(column.max()) + 1) + column
    return code


def evenly(n: int) -> IntArray:
    """Return a few positions of n, evenly spaced."""
    few = min(n, REPRESENTATIVES)
    return ((np.arange(few) + 0.5) * n / few).astype(np.intp)


def spread(cells: IntArray, within: IntArray, by: FloatArray | None = None) -> IntArray:
    """Return a few samples of each cell, evenly spaced in an order that is not that of the rows.

    The order is by another code, and by a number if samples of one code differ.
    """
    codes = joint([cells, pd.factorize(within, sort=True)[0]])
    # Small integers are sorted by counting.
    codes = codes.astype(np.uint16) if codes.max() < 2**16 else codes
    order = np.argsort(codes, kind="stable") if by is None else np.lexsort((by, codes))
    starts = np.flatnonzero(np.diff(cells[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(cells)))
    places = [start + evenly(size) for start, size in zip(starts, sizes, strict=True)]
    return order[np.concatenate(places)]
