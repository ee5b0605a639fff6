"""Components of the variance of a difference: what test sets, items, runs and the rest add to it.

A pilot of S test sets, I items of each and R runs of each model has the variance ::

    sets/S + items/(S I) + runs/R + (sets x runs)/(S R) + rest/(S I R)

so its components predict the variance of any other numbers of sets, items and runs. What a pilot
does not vary has no component: one test set, or the runs at hand.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import chdtri, ndtr, ndtri, stdtrit

from modelcompare.arrays import FloatArray
from modelcompare.engine.layers import FEW_LEVELS, Layers, combined, terms
from modelcompare.intervals.ratios import detectable, normal_quantile
from modelcompare.plugs import load
from modelcompare.questions.contrast import Contrast
from modelcompare.resampling.seeds import RngLike

# Mean squares that a future test may find, and steps that spread them evenly.
_N_POINTS = 256
_STEPS = np.sqrt([2, 3, 5])[:, None]


Dimension = Literal["runs", "sets"]


class Size(NamedTuple):
    """Numbers of test sets, of items of each, and of runs of each model; infinite for no number."""

    sets: float = 1
    items: float = 2
    runs: float = 1


@dataclass(frozen=True)
class Components:
    """Components of the variance of a difference: variances of single items and runs.

    Parameters
    ----------
    items : float
        Between the items of a test set.
    runs, rest : tuple of float
        Between runs, and of single results, for each procedure with separate runs: one where models
        share them, none for the runs at hand.
    """

    items: float
    runs: tuple[float, ...] = ()
    rest: tuple[float, ...] = ()

    @property
    def varied(self) -> list[Dimension]:
        """Dimensions of what could be bought besides items."""
        return ["runs"] if self.runs else []

    @property
    def most(self) -> float:
        """Largest number of items that there may be."""
        return math.inf

    @property
    def is_normal(self) -> bool:
        """True if items alone vary, which are many, so that normal quantiles hold."""
        return not self.varied

    def mean_squares(self, size: Size) -> tuple[float, FloatArray, FloatArray]:
        """Return the expected mean squares of units (items or sets), of runs and of the rest.

        They are divided as those of `engine.layers.Layers`; runs and rest have one per
        procedure.
        """
        rest = self.rest_of_set(size) / (size.sets * size.runs)
        units = self.variance_of_set(size) / size.sets + float(rest.sum())
        return units, np.divide(self.runs, size.runs) + rest, rest

    def variance_of_set(self, size: Size) -> float:
        """Return the variance that one test set has from its items, or itself."""
        return self.items / size.items

    def rest_of_set(self, size: Size) -> FloatArray:
        """Return the variance that one run of one test set has beyond both."""
        return np.divide(self.rest, size.items)

    def degrees_of_units(self, size: Size) -> float:
        """Return the degrees of freedom of the mean square of units."""
        return size.sets * (size.items - 1.0)

    def limited(self, degrees: FloatArray, of_units: float) -> FloatArray:  # noqa: ARG002
        """Return the degrees of freedom of a test, where those of units may limit them."""
        return degrees

    def standard_error(self, size: Size) -> float:
        """Predict the standard error of a difference."""
        units, runs, rest = self.mean_squares(size)
        return math.sqrt(units + runs.sum() - rest.sum())

    def thresholds(self, size: Size, level: float) -> FloatArray:
        """Return differences from which a future test is significant, all equally likely.

        The test divides by the error that it finds in its own mean squares, with the degrees of
        freedom that follow from these (`engine.layers.combined`). Where only items vary
        there is one threshold.
        """
        if self.is_normal:
            return np.array([normal_quantile(level) * self.standard_error(size)])
        units, runs, rest = self.mean_squares(size)
        of_units = self.degrees_of_units(size)
        of_runs = max(size.runs - 1.0, 1.0)
        first = terms(units * _chi_squares(of_units, 0) / of_units, of_units)
        second, third = np.zeros((2, 2, _N_POINTS))
        for place, (mean, left) in enumerate(zip(runs, rest, strict=True), start=1):
            second += terms(mean * _chi_squares(of_runs, place) / of_runs, of_runs)
            third += terms(np.full(_N_POINTS, left), of_units * of_runs)
        variance, degrees = combined(first, second, third)
        degrees = self.limited(degrees, of_units)
        found: FloatArray = stdtrit(degrees, (1 + level) / 2) * np.sqrt(variance)
        return found

    def power(self, size: Size, difference: float, alpha: float) -> float:
        """Predict the probability that a difference is significant."""
        return _power(abs(difference), self.thresholds(size, 1 - alpha), self.standard_error(size))

    def detectable(self, size: Size, alpha: float, power: float) -> float:
        """Predict the smallest difference that is significant with this probability."""
        error = self.standard_error(size)
        if self.is_normal:
            return float(detectable(np.array(error), alpha, power))
        thresholds = self.thresholds(size, 1 - alpha)
        above = float(thresholds.max() + ndtri(power) * error)
        if _power(0.0, thresholds, error) >= power:
            return 0.0
        return float(brentq(lambda x: _power(x, thresholds, error) - power, 0.0, above))


@lru_cache(maxsize=256)
def _chi_squares(degrees: float, place: int) -> FloatArray:
    """Return quantiles of the chi-squared distribution at evenly spread points, read-only.

    A search over numbers of items asks for those of the runs again and again.
    """
    found: FloatArray = chdtri(degrees, (0.5 + np.arange(_N_POINTS) * _STEPS[place]) % 1)
    found.flags.writeable = False
    return found


def _power(difference: float, thresholds: FloatArray, error: float) -> float:
    both = ndtr((difference - thresholds) / error) + ndtr((-difference - thresholds) / error)
    return float(both.mean())


@dataclass(frozen=True, kw_only=True)
class Words:
    """Words for the numbers of a pilot.

    Parameters
    ----------
    unit, levels : str
        Name of its items, and the number of levels that each is crossed with.
    sets, each : str
        Number of test sets before the items of each, and the end of their name.
    detects, of_sets, of_these : str
        What detects a difference, the test sets that an answer is for, and a clause of the numbers
        that costs compare.
    """

    unit: str
    levels: str = ""
    sets: str = ""
    each: str = ""
    detects: str = "this test set detects"
    of_sets: str = ""
    of_these: str = ""


class Pilot(NamedTuple):
    """Components estimated from a pilot.

    Parameters
    ----------
    components : Components
        Unbiased, but not below 0.
    size : Size
        Numbers of the pilot: of items the mean over sets, of runs those of the model with fewer.
    notes : tuple of str
        Intervals of the components that few runs, or sets, determine.
    """

    components: Components
    size: Size
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, contrast: Contrast) -> Pilot:
        """Estimate the components of a difference on a test set."""
        layers, n = layers_of(contrast), contrast.n_units
        items, runs, rest = components_of(n, parts_of(layers))
        components = Components(max(items, 0.0), floored(runs), floored(rest))
        return cls(components, Size(1, n, n_runs_of(layers)), notes_on_runs(layers, rest.sum() / n))


def layers_of(contrast: Contrast) -> Layers:
    """Return the parts of the variance of the difference in one value."""
    return contrast.sample.layers(contrast.pairs).at(np.array([contrast.position]))


def n_runs_of(layers: Layers) -> int:
    """Return the number of runs, of the procedure with fewer; 1 without new runs."""
    return min(map(len, parts_of(layers)[1]), default=1)


def notes_on_runs(layers: Layers, less: float) -> tuple[str, ...]:
    """Return a note on the component of few runs: their mean squares less others."""
    tables = parts_of(layers)[1]
    if not tables:
        return ()
    squares = [terms(x.var(ddof=1), len(x) - 1.0) for x in tables]
    return note_on_few("runs", n_runs_of(layers), np.sum(squares, axis=0), less)


@dataclass(frozen=True, eq=False)
class Plan(ABC):
    """A pilot of which a design draws more in two ways: at random, and allocated.

    Parameters
    ----------
    at_random, allocated : Components
        Variance of the difference by the number of what is drawn.
    """

    at_random: Components
    allocated: Components

    @property
    @abstractmethod
    def pilot(self) -> Pilot:
        """Components of what is drawn at random, and its number in the pilot."""

    @abstractmethod
    def clause(self, at_random: float, allocated: float, asked: str, detects: float) -> str:
        """Write how many are needed, at random and allocated, as a clause."""

    @abstractmethod
    def queue(self, n_more: int, rng: RngLike) -> pd.DataFrame:
        """Draw the samples to take next; see `SampleSize.queue`."""


def planned(contrasts: Mapping[str, Contrast]) -> Plan | None:
    """Return the plan that the design of a pilot has; None where samples are added.

    The contrasts are those of its test sets by name.
    """
    for design in (each.sample.design for each in contrasts.values()):
        if design.beyond_items and not (design.crossed or design.plan):
            raise ValueError(f"sample_size does not know {design.unknown}; {design.instead}.")
    places = dict.fromkeys(each.sample.design.plan for each in contrasts.values())
    place = next(filter(None, places), None)
    found: Plan | None = load(place)(contrasts) if place else None
    return found


# Mean square of units (items or sets), means of the runs of each procedure, and its rest.
Parts = tuple[float, list[FloatArray], FloatArray]


def parts_of(layers: Layers) -> Parts:
    """Return the parts of the variance of one difference."""
    runs = [x[np.isfinite(x)] for x in layers.levels[:, 0, 0]]
    known = [place for place, x in enumerate(runs) if len(x)]
    return float(layers.items[0, 0, 0]), [runs[k] for k in known], layers.rest[0, known, 0, 0]


def components_of(n_units: int, parts: Parts) -> tuple[float, FloatArray, FloatArray]:
    """Return the components of units (items or sets), runs and rest, which may be below 0."""
    square, runs, rest = parts
    of_rest = n_units * rest * [len(x) for x in runs]
    of_runs = np.array([x.var(ddof=1) for x in runs]) - of_rest / n_units
    return n_units * (square - float(rest.sum())), of_runs, of_rest


def floored(components: FloatArray) -> tuple[float, ...]:
    """Return components, none of which is below 0."""
    return tuple(np.maximum(components, 0.0).tolist())


def note_on_few(what: str, n: int, square: FloatArray, less: float) -> tuple[str, ...]:
    """Return a note on a component that few units determine: a mean square less others."""
    if n >= FEW_LEVELS:
        return ()
    mean, degrees = square[0], square[0] ** 2 / square[1] if square[1] else 1.0
    ends = [mean * degrees / chdtri(degrees, p) for p in (0.05, 0.95)]
    now, low, high = (math.sqrt(max(x - less, 0.0)) for x in (mean, *ends))
    return (
        f"The {what}' part is known from {n:,} {what} only: its standard deviation is {now:.2g}, "
        f"with a 90 % interval of {low:.2g} to {high:.2g}, and the numbers are as uncertain.",
    )
