"""Cells of samples with a few labels each, the labels as rows with weights, and variances.

Cells are of contrasts, models or pairs of models: one after the other, as are rows of their labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray, joint
from modelcompare.engine.influence import satterthwaite
from modelcompare.metrics.quotient import divide
from modelcompare.plugins.judges.patterns import Patterns
from modelcompare.plugins.judges.verdicts import Judge

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
    counts, sizes, squares : ndarray of shape (n_cells,)
        Number of samples, and sums of their weights and of the squares of these.
    labels : ndarray of shape (n_cells,)
        Effective number of labels.
    contrast : ndarray of int of shape (n_cells,)
        Contrast of each cell, in order.
    """

    of: IntArray
    counts: FloatArray
    sizes: FloatArray
    squares: FloatArray
    labels: FloatArray
    contrast: IntArray

    @classmethod
    def by(cls, of: IntArray, patterns: Patterns, judge: Judge) -> Cells:
        """Count the samples and labels of given cells."""
        of = pd.factorize(of)[0]
        counts, total, squares = patterns.sums(of, judge.weights_with(patterns.weight))
        contrast = np.empty(len(counts), dtype=np.intp)
        contrast[of] = patterns.contrast
        labels = divide(total**2, squares, 0.0)
        return cls(of, counts, *patterns.masses(of), labels, contrast)

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
        labels = np.bincount(fine[patterns.of_labels].ravel(), minlength=len(fine))
        found = cls.by(np.where(labels[fine] >= LEAST, 2 * fine, 2 * coarse + 1), patterns, judge)
        if not filled or (found.labels > 0).all():
            return found
        of, stratum = found.of.copy(), np.empty(len(found.sizes), dtype=np.intp)
        stratum[found.of] = within
        for cell in np.flatnonzero(found.labels == 0):
            others = np.flatnonzero((stratum == stratum[cell]) & (found.labels > 0))
            of[found.of == cell] = others[found.labels[others].argmin()]
        return cls.by(of, patterns, judge)

    @cached_property
    def starts(self) -> IntArray:
        """First cell of each contrast."""
        return np.flatnonzero(np.diff(self.contrast, prepend=-1))

    def sums(self, numbers: FloatArray) -> FloatArray:
        """Sum numbers of cells, (n_cells, ...), over those of each contrast."""
        return np.add.reduceat(numbers, self.starts)

    def some(self, patterns: Patterns, order: IntArray | None) -> tuple[IntArray, IntArray]:
        """Return a few samples of each cell, evenly spaced in an order not that of the rows.

        The order is by pattern, and in each as in the `order` of the samples of each contrast,
        (n_contrasts, n_samples); None if samples of one pattern do not differ.

        Returns
        -------
        samples, pattern : ndarray of int of shape (n_chosen,)
            The samples, and their patterns.
        """
        by_cell = np.lexsort([*patterns.entries[::-1], self.of])
        sizes = self.counts.astype(np.intp)
        cell, place = evenly(sizes)
        place += (np.cumsum(sizes) - sizes)[cell]
        chosen = by_cell[np.searchsorted(np.cumsum(patterns.sizes[by_cell]), place, side="right")]
        if order is None:
            return patterns.first[chosen], chosen
        # In so small a type numbers are sorted by counting.
        rank = np.argsort(by_cell).astype(np.min_scalar_type(len(by_cell)))
        ranks = rank[np.take_along_axis(patterns.of, order, axis=1)]
        return order.ravel()[np.argsort(ranks, axis=None, kind="stable")[place]], chosen


@dataclass(frozen=True)
class Rows:
    """Labels of contrasts, by people and added ones, cell by cell.

    Parameters
    ----------
    places : ndarray of int of shape (n_contrasts, n_sides)
        Position of the model of each contrast, or of both.
    cells : Cells
    of : ndarray of int of shape (n_rows,)
        Sample of each label.
    truth : ndarray of shape (1, n_rows) or (n_sides, n_rows)
        Its true class, or the scores of the models.
    cell : ndarray of int of shape (n_rows,)
    weight : ndarray of shape (n_rows,)
        Number of samples of the cell for which it stands, among those by people or those added.
    count : ndarray of int of shape (n_rows,)
        Number of labels in each row, of equal weights.
    added : ndarray of bool of shape (n_rows,)
    samples : ndarray of shape (n_rows,), optional
        Weight of the sample; None where samples count the same.
    clusters : Clusters, optional
        Clusters of the samples, where they are drawn in clusters.
    """

    places: IntArray
    cells: Cells
    of: IntArray
    truth: AnyArray
    cell: IntArray
    weight: FloatArray
    count: IntArray
    added: BoolArray
    samples: FloatArray | None = None
    clusters: Clusters | None = None

    @cached_property
    def in_cells(self) -> IntArray:
        """First row of each cell, all of which have some."""
        return np.flatnonzero(np.diff(self.cell, prepend=-1))

    @cached_property
    def contrast(self) -> IntArray:
        """Contrast of each row."""
        return self.cells.contrast[self.cell]

    @property
    def relative(self) -> FloatArray:
        """Weight of each label relative to that of the label added to its cell."""
        if self.samples is None:
            return np.ones(len(self.of))
        share = divide(self.weight, self.cells.sizes[self.cell], 0.0)
        return np.where(self.added, 1.0, share * self.cells.labels[self.cell])

    def mean_of_cells(self, samples: FloatArray, weight: FloatArray) -> FloatArray:
        """Return the mean of numbers of samples in each row's cell, by the labels of people."""
        weight = np.where(self.added, 0.0, weight)
        top, bottom = (np.add.reduceat(x, self.in_cells) for x in (weight * samples, weight))
        return divide(top, bottom, 1.0)[self.cell]

    def sums(self, numbers: FloatArray, axis: int = 0) -> FloatArray:
        """Sum numbers of rows over those of each contrast."""
        return np.add.reduceat(numbers, self.in_cells[self.cells.starts], axis=axis)

    def weights(self, share: FloatArray) -> FloatArray:
        """Return the samples for which rows stand if added labels have a share of each cell."""
        share = share[self.cell]
        return np.where(self.added, share, 1 - share) * self.weight

    def variance_by_people(self, u: FloatArray, n_labels: int) -> FloatArray:
        """Return the variance of values by the labels of people alone."""
        weight = np.where(self.added, 0.0, self.weight)[:, None]
        total = self.sums(weight)
        away = u - (self.sums(weight * u) / total)[self.contrast]
        squares = away**2 if self.samples is None else self.samples[:, None] * away**2
        variance = total * self.sums(weight * squares) / n_labels
        if self.clusters is None:
            return variance
        stands = weight * away
        squares = np.stack([(each**2).sum(axis=0) for each in self.clusters.sums(stands, self)])
        return np.maximum(variance + squares - self.sums(stands**2), 0.0)


@dataclass(frozen=True)
class Spread:
    """Parts of the variance of values: within cells, which labels reduce, and between cells.

    Parameters
    ----------
    cells : Cells
    squares : ndarray of shape (n_cells, n_values)
        Variance of the influence of a sample within its cell.
    between : ndarray of shape (n_contrasts, n_values)
        Variance that no number of labels reduces.
    degrees : ndarray of shape (n_contrasts, n_values)
        Its degrees of freedom.
    """

    cells: Cells
    squares: FloatArray
    between: FloatArray
    degrees: FloatArray

    def at(self, labels: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the variance with these labels in each cell, and Satterthwaite's degrees."""
        sizes, labels = self.cells.sizes[:, None], labels[:, None]
        within = sizes**2 * self.squares / (labels + 1)
        variance = self.cells.sums(within) + self.between
        terms = self.cells.sums(within**2 / np.maximum(labels, 1.0))
        terms += self.between**2 / self.degrees
        return variance, divide(variance**2, terms, 1.0)

    @classmethod
    def of(cls, u: FloatArray, weight: FloatArray, rows: Rows) -> tuple[Spread, FloatArray]:
        """Return the parts by the influences of rows, and these less the means of their cells."""
        cells, sizes = rows.cells, rows.cells.sizes[:, None]
        share = divide(weight, cells.sizes[rows.cell], 0.0)[:, None]
        means = np.add.reduceat(share * u, rows.in_cells)
        away = u - means[rows.cell]
        squares = np.add.reduceat(share * rows.relative[:, None] * away**2, rows.in_cells)
        whole = cells.sums(sizes * means) / cells.sums(sizes)
        apart = means - whole[cells.contrast]
        stands = np.where(rows.added, 0.0, weight)[:, None] * away
        crossed = 2 * stands * apart[rows.cell]
        if rows.samples is not None:
            crossed *= rows.samples[:, None]
        between = cells.sums(cells.squares[:, None] * apart**2)
        own = between + rows.sums(stands**2 + crossed)
        degrees = cells.sums(sizes) ** 2 / cells.sums(cells.squares[:, None]) - 1
        degrees = np.broadcast_to(degrees, between.shape)
        if rows.samples is not None:
            # Where weights go with errors, a sample's draw and its label's vary together.
            more = (rows.samples - rows.mean_of_cells(rows.samples, weight))[:, None]
            between = between + rows.sums(2 * stands * more * apart[rows.cell])
        if rows.clusters is not None:
            found, degrees = rows.clusters.variance(apart, stands, rows)
            between = np.maximum(between + found - own, 0.0)
        return cls(cells, squares, between, degrees), away


@dataclass(frozen=True)
class Clusters:
    """Clusters in which samples are drawn; labels are drawn among the samples of all.

    A cluster varies by the sum ``g_c`` of what its samples contribute: a sample in cell k its mean
    ``m_k - m``, and one with a label ``N_k / n_k (u - m_k)`` as well. The squares of these sums
    contain both draws (an ultimate cluster's variance); of single samples their expectation is the
    variance of the labels and cells. The products of samples of one cluster are what is added.

    Parameters
    ----------
    members : sparse array of shape (n_clusters, n_cells)
        Samples of each cluster in each cell, or their weight.
    of : ndarray of int of shape (n_rows,)
        Cluster of each row.

    References
    ----------
    Sarndal, Swensson & Wretman (1992), Model Assisted Survey Sampling, section 9.
    """

    members: csr_array
    of: IntArray

    def variance(
        self, apart: FloatArray, stands: FloatArray, rows: Rows
    ) -> tuple[FloatArray, FloatArray]:
        """Return the variance of the clusters' sums, and its degrees of freedom.

        Parameters
        ----------
        apart : ndarray of shape (n_cells, n_values)
            Means of the cells, less that of all.
        stands : ndarray of shape (n_rows, n_values)
            Influences of labels less the means of their cells, for the samples that they stand for.
        rows : Rows
        """
        n_clusters, shape = self.members.shape[0], (len(rows.places), apart.shape[1])
        found, degrees = np.empty(shape), np.empty(shape)
        for place, labels in enumerate(self.sums(stands, rows)):
            cells = rows.cells.contrast == place
            sums = labels + self.members[:, cells] @ apart[cells]
            squares = (sums - sums.mean(axis=0)) ** 2
            total, fourth = squares.sum(axis=0), (squares**2).sum(axis=0)
            found[place] = total * n_clusters / (n_clusters - 1)
            carried = satterthwaite(divide(total**2, fourth, 1.0), n_clusters)
            degrees[place] = np.clip(carried, 1.0, n_clusters - 1.0)
        return found, degrees

    def sums(self, numbers: FloatArray, rows: Rows) -> Iterator[FloatArray]:
        """Yield the sums of the numbers of rows over each cluster, contrast after contrast."""
        for place in range(len(rows.places)):
            here, out = rows.contrast == place, np.zeros((self.members.shape[0], numbers.shape[1]))
            np.add.at(out, self.of[here], numbers[here])
            yield out


def degrees_of_pair(degrees: FloatArray, n_labels: float) -> FloatArray:
    """Return the degrees of freedom of a difference from Satterthwaite's.

    A variance with an added label in it varies less than Satterthwaite's degrees assume.
    """
    return np.sqrt(degrees * (n_labels - 1.0))


def carrier_degrees(
    away: FloatArray, weight: FloatArray, rows: Rows, variance: FloatArray
) -> FloatArray:
    """Return degrees of freedom by the labels that carry part of a variance.

    The rest, of added labels and between cells, is taken for known.

    Parameters
    ----------
    away : ndarray of shape (n_rows, n_values)
        Influences of the labels less the means of their cells.
    weight : ndarray of shape (n_rows,)
        Number of samples for which each row stands.
    rows : Rows
    variance : ndarray of shape (n_contrasts, n_values)
        The whole variance.
    """
    count = rows.count[:, None]
    squares = np.where(rows.added, 0.0, weight / rows.count)[:, None] ** 2 * away**2
    total, fourth = rows.sums(count * squares), rows.sums(count * squares**2)
    carriers, shares = divide(total**2, fourth, 1.0), divide(variance, total, np.inf)
    return np.asarray(np.maximum(2 * carriers - 1, 1.0) * np.maximum(shares, 1.0) ** 2)


def evenly(sizes: IntArray) -> tuple[IntArray, IntArray]:
    """Return a few positions of each of some numbers of them, evenly spaced; and which it is of."""
    few = np.minimum(sizes, REPRESENTATIVES)
    of = np.repeat(np.arange(len(sizes)), few)
    place = np.arange(len(of)) - (np.cumsum(few) - few)[of]
    return of, ((place + 0.5) * sizes[of] / few[of]).astype(np.intp)
