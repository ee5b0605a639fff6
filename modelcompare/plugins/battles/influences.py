"""Influences of battles on strengths, without a matrix of all battles and all models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.data.outputs import Computed

# Smallest eigenvalue of the information, relative to the largest, that is no rounding.
DETERMINED = 1e-10
# Rounding of strengths that are 0.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Influences:
    """Influence of each battle on each strength and effect, per share of the weight.

    Battles of two models with one outcome have the same one, unless clusters or weights distinguish
    them, so it is the product of a sparse row for each type of battle and a small matrix.

    Parameters
    ----------
    scores : sparse array of shape (n_types, n_parameters + 1)
        Derivatives of the likelihood of each type by the parameters, and 1.
    basis : ndarray of shape (n_parameters + 1, n_models + n_effects)
        Influence per derivative; the last row is added to all.
    type_of : ndarray of int of shape (n_battles,), optional
        Type of each battle; by default each has its own.
    """

    scores: Any
    basis: FloatArray
    type_of: IntArray | None = None

    def of_types(self, column: int, types: IntArray | slice = slice(None)) -> FloatArray:
        """Compute the influence of some types of battles on one strength or effect."""
        return np.asarray(self.scores[types] @ self.basis[:, column])

    def of(self, column: int) -> FloatArray:
        """Compute the influence of each battle on one strength or effect."""
        found = self.of_types(column)
        return found if self.type_of is None else found[self.type_of]

    def covariance(self, cluster: IntArray, weight: FloatArray) -> FloatArray:
        """Compute the covariance of sums over clusters of weighted influences."""
        scores = self.scores if self.type_of is None else self.scores[self.type_of]
        sums = group_sums(pd.factorize(cluster)[0], weight) @ scores
        n, of_scores = sums.shape[0], (sums.T @ sums).toarray()
        return np.asarray(self.basis.T @ of_scores @ self.basis * (n / (n - 1)))

    def mapped(self, matrix: FloatArray) -> Influences:
        """Return the product of influences and a matrix."""
        return replace(self, basis=self.basis @ matrix)


@dataclass(frozen=True)
class PseudoValues(Computed):
    """A model's strength plus the influence of each battle on it, of shape (n_battles, 1)."""

    influences: Influences
    column: int
    strength: float

    def __len__(self) -> int:
        type_of = self.influences.type_of
        return self.influences.scores.shape[0] if type_of is None else len(type_of)

    def __getitem__(self, rows: IntArray | slice) -> FloatArray:
        type_of = self.influences.type_of
        return self._of(rows) if type_of is None else self._of_types[type_of[rows]]

    @cached_property
    def _of_types(self) -> FloatArray:
        return self._of(slice(None))

    def _of(self, types: IntArray | slice) -> FloatArray:
        scores = self.influences.of_types(self.column, types) + self.strength
        scores[np.abs(scores) < _ROUNDING] = 0.0
        return scores[:, None]


def crossed(first: FloatArray, second: FloatArray, inner: FloatArray) -> FloatArray:
    """Return a matrix that maps influences so that their sums vary as those by two kinds together.

    The covariance is that by either kind, less that by both at once (Cameron, Gelbach & Miller
    2011, Journal of Business & Economic Statistics 29, 238-249), with no variance below that by one
    kind. Influences are mapped to it with the least change, so all that takes clusters of the first
    kind takes both.
    """
    wanted = inner + _power(first - inner, 1.0) + _power(second - inner, 1.0)
    root, inverse = _power(first, 0.5), _power(first, -0.5)
    return np.asarray(inverse @ _power(root @ wanted @ root, 0.5) @ inverse)


def _power(matrix: FloatArray, power: float) -> FloatArray:
    """Return a power of a symmetric matrix, in the directions of its positive eigenvalues."""
    size, directions = np.linalg.eigh(matrix)
    positive = size > DETERMINED * np.abs(size).max()
    raised = np.where(positive, size, 1.0) ** power * positive
    return np.asarray(directions * raised @ directions.T)


def group_sums(group: IntArray, weight: FloatArray, n_groups: int | None = None) -> Any:
    """Return a sparse matrix whose products are weighted sums of the rows of each group."""
    n = len(group)
    shape = int(group.max()) + 1 if n_groups is None else n_groups, n
    return sparse.csr_array((weight, (group, np.arange(n))), shape=shape)


def of_places(places: IntArray, numbers: FloatArray, n_columns: int) -> Any:
    """Return a sparse matrix of as many numbers in each row, at some places."""
    ends = np.arange(0, numbers.size + 1, numbers.shape[1])
    shape = len(numbers), n_columns
    return sparse.csr_array((numbers.ravel(), places.ravel(), ends), shape=shape)
