"""What an interval method is: a row, the bounds it returns, and the view that it is handed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import InfluenceMoments
from modelcompare.words import INTERVALS, IntervalMethod

# Relative difference under which two values are equal but for rounding.
TIE_TOLERANCE = 1e-10


@dataclass(frozen=True, slots=True)
class Interval:
    """Lower and upper bounds, and the method that each was made with.

    Attributes
    ----------
    low, high : ndarray
        Bounds, in the shape of the estimate.
    method : ndarray of object
        Name of the method behind each interval, in the same shape: another one than was asked for
        where that could not be computed, or where a method chooses by what the data allow.
    n_informative : ndarray or None
        How many samples say something about the value, of the class or in disagreement, or how
        many equal clusters the clusters are worth; None where the method does not say.
    """

    low: FloatArray
    high: FloatArray
    method: AnyArray
    n_informative: FloatArray | None = None

    @classmethod
    def of(
        cls,
        low: FloatArray,
        high: FloatArray,
        method: str,
        n_informative: FloatArray | None = None,
    ) -> Interval:
        """Intervals that were all made with one method."""
        return cls(low, high, np.full(np.shape(low), method, dtype=object), n_informative)

    @classmethod
    def joined(cls, parts: Sequence[Interval], axis: int = 0) -> Interval:
        """Intervals one after the other, along an axis."""
        low, high, method = (
            np.concatenate([getattr(part, name) for part in parts], axis)
            for name in ("low", "high", "method")
        )
        sizes = [part.n_informative for part in parts if part.n_informative is not None]
        informative = np.concatenate(sizes, axis) if len(sizes) == len(parts) else None
        return cls(low, high, method, informative)

    def where(self, chosen: BoolArray, other: Interval) -> Interval:
        """Take these intervals where `chosen`, and bounds of `other` elsewhere."""
        pairs = ((self.low, other.low), (self.high, other.high), (self.method, other.method))
        low, high, method = (np.where(chosen, mine, others) for mine, others in pairs)
        return Interval(low, high, method, self.n_informative)


class View(Protocol):
    """What any method may ask for, computed when it is asked.

    Rows are models or pairs of models (differences a - b), columns the values of
    ``evaluation.keys``: arrays have the shape (n_rows, n_values) where nothing else is said.

    Attributes
    ----------
    evaluation : Evaluation
        Models, metrics and units, with statistics, totals and jackknife.
    estimate : ndarray
        Values on the test set.
    replicates : ndarray of shape (n_resamples, n_rows, n_values)
        Values on the resamples.
    influences : ndarray of shape (n_units, n_rows, n_values)
        Influence of every unit.
    moments : InfluenceMoments
        Sums of products of all models' influences.
    standard_error, acceleration : ndarray
        From the second and the third of them.
    replicate_errors : ndarray of shape (n_resamples, n_rows, n_values)
        Standard error on each resample.
    delong_errors : ndarray
        DeLong's standard errors; refuses what is not the ROC AUC.
    """

    @property
    def evaluation(self) -> Evaluation: ...
    @property
    def estimate(self) -> FloatArray: ...
    @property
    def replicates(self) -> FloatArray: ...
    @property
    def influences(self) -> FloatArray: ...
    @property
    def moments(self) -> InfluenceMoments: ...
    @property
    def standard_error(self) -> FloatArray: ...
    @property
    def acceleration(self) -> FloatArray: ...
    @property
    def replicate_errors(self) -> FloatArray: ...
    @property
    def delong_errors(self) -> FloatArray: ...


class ModelsView(View, Protocol):
    """What a method for the values of single models may ask for besides.

    Attributes
    ----------
    degrees_of_freedom : ndarray
        Of the squared standard errors.
    bounds : tuple of ndarray
        Smallest and largest possible values; refuses metrics without bounds.
    proportions : tuple of ndarray
        Counts and trials; refuses what is not a proportion of independent samples.
    """

    @property
    def degrees_of_freedom(self) -> FloatArray: ...
    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]: ...
    @property
    def proportions(self) -> tuple[FloatArray, FloatArray]: ...


class PairsView(View, Protocol):
    """What a method for differences may ask for besides.

    Attributes
    ----------
    model_a, model_b : ndarray of int of shape (n_pairs,)
        Positions of each pair's models.
    values : ndarray of shape (n_models, n_values)
        The models' values on the test set.
    blocks : sequence of PairsView
        Some pairs at a time, whose replicates fit into memory.
    """

    @property
    def model_a(self) -> IntArray: ...
    @property
    def model_b(self) -> IntArray: ...
    @property
    def values(self) -> FloatArray: ...
    @property
    def blocks(self) -> Sequence[PairsView]: ...


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """One method, as a row of `METHODS`.

    Attributes
    ----------
    name : str
        Its name, one of `words.IntervalMethod`.
    of_scores : callable
        Intervals of models' values at a confidence level, from a view of the models.
    of_differences : callable or None
        Intervals of differences, from a view of the pairs; None where the method says nothing
        about differences.
    needs : str
        What it needs of metric and data; empty if nothing.
    chooses : bool
        Whether it is meant to take different methods for different values, which it names.
    """

    name: IntervalMethod
    of_scores: Callable[[ModelsView, float], Interval]
    of_differences: Callable[[PairsView, float], Interval] | None
    needs: str = ""
    chooses: bool = False

    @property
    def when(self) -> str:
        """When to choose it, in one line."""
        return INTERVALS[self.name]
