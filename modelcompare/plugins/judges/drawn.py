"""Values beside a judge on resamples of the samples, and influences of the samples on values.

On a resample the samples of every cell are counted again, those with labels among them, and cells
of few labels join others by the rules of the test set itself. So a value is that of a test set that
consists of the samples drawn, and has none where such a test set would be refused: with fewer than
5 labels, or with a stratum without any.

The influence of a sample of cell k is ``m_k - m``, with the mean m_k of the influences of labels
there and that of all cells, and of one with a label ``N_k / n_k (u - m_k)`` as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from modelcompare.arrays import BoolArray, FloatArray, IntArray, joint
from modelcompare.metrics.quotient import divide
from modelcompare.plugins.judges.cells import LEAST
from modelcompare.plugins.judges.judged import Judged
from modelcompare.plugins.judges.patterns import Patterns
from modelcompare.plugins.judges.verdicts import LEAST_LABELS, Judge
from modelcompare.resampling.weights import Weights

# Weights of labels add up to whole numbers but for rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class DrawnCells:
    """Cells of a model's samples, counted again on each resample.

    Parameters
    ----------
    fine, coarse : ndarray of int of shape (n_patterns,)
        Cell of each pattern, and the one that it joins where its own has few labels.
    patterns, judge
        Patterns of one model, and the samples with labels.
    """

    fine: IntArray
    coarse: IntArray
    patterns: Patterns
    judge: Judge

    @property
    def stratum(self) -> IntArray:
        """Stratum of each fine cell, and after them of each coarse one."""
        out = np.empty(self.n_fine + int(self.coarse.max()) + 1, dtype=np.intp)
        out[self.fine] = out[self.n_fine + self.coarse] = self.patterns.entries[-1]
        return out

    @property
    def n_fine(self) -> int:
        """Number of fine cells."""
        return int(self.fine.max()) + 1

    def stand_for(self, times: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Return the samples for which each label stands on resamples, and where they are known.

        Parameters
        ----------
        times : ndarray of shape (n_resamples, n_samples)
            Draws of each sample.

        Returns
        -------
        stands : ndarray of shape (n_resamples, n_labels)
        known : ndarray of bool of shape (n_resamples,)
        """
        patterns, labels = self.patterns, times[:, self.judge.labelled]
        own = self.judge.weights_with(patterns.weight)
        of, of_labels = patterns.of[0].astype(np.intp), patterns.of_labels[0].astype(np.intp)
        n = len(patterns.first)
        of_samples = [times] if patterns.weight is None else [times, times * patterns.weight]
        samples = [_summed(each, of, n) for each in of_samples]
        found = [_summed(each, of_labels, n) for each in (labels, labels * own, labels * own**2)]
        few = (_summed(found[0], self.fine, self.n_fine) < LEAST - _ROUNDING)[:, self.fine]
        counts, sizes, totals, squares = (
            self._of_cells(each, few) for each in (samples[0], samples[-1], *found[1:])
        )
        known = labels.sum(axis=1) >= LEAST_LABELS - _ROUNDING
        stratum, place = self.stratum, np.arange(len(times))
        for each in np.unique(stratum):
            here = np.flatnonzero(stratum == each)
            empty = totals[:, here] <= 0
            effective = divide(totals[:, here] ** 2, squares[:, here], np.inf)
            fewest = here[np.where(empty, np.inf, effective).argmin(axis=1)]
            joining = (sizes[:, here] * empty).sum(axis=1)
            sizes[:, here] *= ~empty
            sizes[place, fewest] += joining
            known &= ~empty.all(axis=1) | (counts[:, here].sum(axis=1) <= 0)
        cell = self.n_fine * few[:, of_labels]
        cell += np.where(few[:, of_labels], self.coarse[of_labels], self.fine[of_labels])
        return labels * own * np.take_along_axis(divide(sizes, totals, 0.0), cell, axis=1), known

    def _of_cells(self, numbers: FloatArray, few: BoolArray) -> FloatArray:
        """Sum numbers of patterns over fine cells, and over coarse ones of those of few labels."""
        n_coarse = int(self.coarse.max()) + 1
        fine = _summed(np.where(few, 0.0, numbers), self.fine, self.n_fine)
        return np.hstack([fine, _summed(np.where(few, numbers, 0.0), self.coarse, n_coarse)])


def values_on(judged: Judged, weights: Weights) -> FloatArray:
    """Return the values on resamples, (n_resamples, n_models, n_values).

    Parameters
    ----------
    judged : Judged
        Models and metrics.
    weights : Weights
        Draws of the units of the test set.
    """
    access, shape = judged.predictions.access, (len(judged.models), len(judged.keys))
    out = np.full((weights.n_resamples, *shape), np.nan)
    cells = [_cells_of(judged, place) for place in range(len(judged.models))]
    for block, drawn in enumerate(weights.blocks()):
        rows = weights.rows(block)
        times = drawn if access.unit == "samples" else drawn[:, access.unit_of]
        for place, of_model in enumerate(cells):
            stands, known = of_model.stand_for(times)
            if known.any():
                found = judged.values_of_labels(place, stands[known])
                judged.predict_numbers(place, times[known], found)
                out[rows.start + np.flatnonzero(known), place] = found
    return out


def influences_of(judged: Judged, n_units: int) -> FloatArray:
    """Return the influences of units, (n_units, n_models, n_values), whose mean square is over n.

    Parameters
    ----------
    judged : Judged
        Models and metrics.
    n_units : int
        Number of samples, or of clusters.
    """
    access, n_models = judged.predictions.access, len(judged.models)
    unit_of = np.arange(n_units) if access.unit == "samples" else access.unit_of
    out = np.zeros((n_units, n_models, len(judged.keys)))
    for place in range(n_models):
        np.add.at(out[:, place], unit_of, judged.influences(place))
    return n_units * out


def _cells_of(judged: Judged, place: int) -> DrawnCells:
    fine, coarse, patterns = judged.rows.codes(np.array([[place]]))
    within = patterns.entries[-1]
    fine, coarse = (joint([each, within]) for each in (fine, coarse))
    fine, coarse = (np.unique(each, return_inverse=True)[1] for each in (fine, coarse))
    return DrawnCells(fine, coarse, patterns, judged.judge)


def _summed(numbers: FloatArray, of: IntArray, n: int) -> FloatArray:
    """Sum numbers (n_resamples, n_parts) over the groups `of` the parts, (n_resamples, n)."""
    groups = csr_array((np.ones(len(of)), (np.arange(len(of)), of)), shape=(len(of), n))
    return np.asarray(numbers @ groups)
