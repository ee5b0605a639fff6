"""Labels to buy beside a judge: the number that a difference needs, and the samples to label next.

With n_k labels in cell k of answers and verdict a difference has the variance ::

    V = sum_k N_k^2 s_k^2 / (n_k + 1) + between

(`judged`): labels reduce the first part, and the second remains when all N samples have
one. Labels are drawn at random, or allocated: the next one goes where it reduces V most, which is
Neyman's allocation (n_k in proportion to N_k s_k) in whole numbers, on top of the labels there are.
A cell without a label is given one first.

References
----------
Neyman (1934), Journal of the Royal Statistical Society 97, 558-625.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data.predictions import Predictions
from modelcompare.intervals.ratios import t_quantile
from modelcompare.metrics.quotient import divide
from modelcompare.plugins.judges.cells import Spread, degrees_of_pair
from modelcompare.plugins.judges.judged import Judged
from modelcompare.plugins.judges.verdicts import Judge, judge_of
from modelcompare.questions.components import Components, Pilot, Plan, Size
from modelcompare.questions.contrast import Contrast
from modelcompare.resampling.draws import standard_normal
from modelcompare.resampling.seeds import RngLike, child_seed, seed_sequence
from modelcompare.words import check_count


@dataclass(frozen=True, kw_only=True, eq=False)
class Labels(Components):
    """Variance of a difference by the number of labels, which are the items of a `Size`.

    Parameters
    ----------
    spread : Spread
        Parts of the variance, of this value alone.
    allocated : bool
        True where more labels are allocated to the cells, False where they are drawn at random.
    """

    spread: Spread
    allocated: bool

    @property
    def sizes(self) -> FloatArray:
        """Number of samples of each cell."""
        return self.spread.cells.counts

    @property
    def labels(self) -> FloatArray:
        """Labels in each cell of the pilot."""
        return self.spread.cells.labels

    @property
    def is_normal(self) -> bool:
        """False: the error has degrees of freedom, and does not fall with the root of n."""
        return False

    @property
    def most(self) -> float:
        """Number of samples, which is the largest number of labels."""
        return float(self.sizes.sum())

    @cached_property
    def order(self) -> IntArray:
        """Cell of each further label, in the order of the allocation."""
        sizes, left = self.sizes, (self.sizes - self.labels).astype(np.intp)
        cell = np.repeat(np.arange(len(sizes)), left)
        number = np.arange(len(cell)) - (np.cumsum(left) - left)[cell] + self.labels[cell] + 1
        # The n-th label of a cell reduces 1 / n to 1 / (n + 1).
        within = self.spread.cells.sizes**2 * self.spread.squares[:, 0]
        gain = within[cell] / (number * (number + 1))
        return cell[np.argsort(-np.where(number == 1, np.inf, gain), kind="stable")]

    def counts(self, n_labels: float) -> FloatArray:
        """Return the labels in each cell if there are so many in all, at most one per sample."""
        have = self.labels.sum()
        if n_labels <= have:
            return self.labels * (n_labels / have)
        more = min(n_labels, self.most) - have
        if self.allocated:
            return self.labels + np.bincount(self.order[: int(more)], minlength=len(self.labels))
        left = self.sizes - self.labels
        return self.labels + more * left / left.sum()

    def standard_error(self, size: Size) -> float:
        """Predict the standard error of the difference."""
        return math.sqrt(self.spread.at(self.counts(size.items))[0][0, 0])

    def thresholds(self, size: Size, level: float) -> FloatArray:
        """Return the difference from which a future test is significant."""
        counts = self.counts(size.items)
        variance, degrees = (found[0] for found in self.spread.at(counts))
        quantile = t_quantile(degrees_of_pair(degrees, counts.sum()), level)
        return quantile * np.sqrt(variance)


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelsOfSets(Components):
    """Variance of a mean difference over test sets, with as many labels on each.

    Errors and half-widths are joined as `compare_groups` joins intervals, by their squares.

    Parameters
    ----------
    sets : sequence of Labels
        Variance on each test set.
    """

    sets: Sequence[Labels]

    @classmethod
    def of(cls, sets: Sequence[Labels]) -> LabelsOfSets:
        """Return the variance over test sets from that on each."""
        return cls(float(np.mean([each.items for each in sets])), sets=sets)

    @property
    def is_normal(self) -> bool:
        """False, as on each set."""
        return False

    @property
    def most(self) -> float:
        """Number of samples of the largest test set."""
        return max(each.most for each in self.sets)

    def standard_error(self, size: Size) -> float:
        """Predict the standard error of the mean difference."""
        return float(self._joined([each.standard_error(size) for each in self.sets]))

    def thresholds(self, size: Size, level: float) -> FloatArray:
        """Return the mean difference from which a future test is significant."""
        return self._joined([each.thresholds(size, level) for each in self.sets])

    def _joined(self, parts: ArrayLike) -> FloatArray:
        found: FloatArray = np.sqrt(np.square(parts).sum(axis=0)) / len(self.sets)
        return found


@dataclass(frozen=True, eq=False)
class PlanOfLabels(Plan, ABC):
    """Two ways to draw labels beside a judge."""

    # What is counted, in words.
    each: ClassVar[str] = ""

    @property
    @abstractmethod
    def n_labels(self) -> int:
        """Labels of the pilot."""

    @property
    @abstractmethod
    def samples(self) -> str:
        """The samples that labels may be of, in words."""

    def clause(self, at_random: float, allocated: float, asked: str, detects: float) -> str:
        """Write how many labels are needed, at random and allocated, as a clause."""
        if math.isinf(allocated):
            return (
                f"{asked} needs more samples: with labels on all {self.samples}, "
                f"differences of {detects:.2g} or more are detected"
            )
        if max(at_random, allocated) <= self.n_labels:
            return f"{asked} needs no more labels{self.each} than the {self.n_labels:,} here"
        drawn = f"{at_random:,} labels{self.each}" if math.isfinite(at_random) else "all labels"
        return (
            f"{asked} needs about {drawn} drawn at random, or {allocated:,} allocated by answers "
            f"and verdict, the {self.n_labels:,} here included"
        )


@dataclass(frozen=True, eq=False)
class LabelPlan(PlanOfLabels):
    """Two ways to draw labels on one test set, and the samples that they are drawn from.

    Parameters
    ----------
    at_random, allocated : Labels
        Variance of the difference by the number of labels.
    predictions, judge
        The two models, and the judge with the labels of the pilot.
    cell : ndarray of int of shape (n_samples,)
        Cell of each sample.
    """

    at_random: Labels
    allocated: Labels
    predictions: Predictions
    judge: Judge
    cell: IntArray

    @property
    def pilot(self) -> Pilot:
        """Labels drawn at random, from those of the pilot."""
        return Pilot(self.at_random, Size(items=self.n_labels), ())

    @property
    def n_labels(self) -> int:
        """Labels of the pilot."""
        return int(self.at_random.labels.sum())

    @property
    def samples(self) -> str:
        """Number of samples."""
        return f"{len(self.predictions):,}"

    def queue(self, n_more: int, rng: RngLike) -> pd.DataFrame:
        """Draw the samples to label next; see `SampleSize.queue`."""
        predictions, cell, judge = self.predictions, self.cell, self.judge
        check_count("n_labels", n_more, at_least=1, at_most=len(cell) - self.n_labels)
        sizes, before = self.allocated.sizes, self.allocated.labels
        more = np.bincount(self.allocated.order[:n_more], minlength=len(sizes))
        priority = standard_normal(seed_sequence(rng), (len(cell),))
        ranks = pd.Series(np.where(judge.labelled, np.nan, priority)).groupby(cell).rank("first")
        chosen = (ranks <= more[cell]).to_numpy()
        probability, row = ((before + more) / sizes)[cell], np.arange(len(cell))
        frame = pd.DataFrame({
            "row": row, **({} if predictions.ids is None else {"id": predictions.ids}),
            "stratum": self.strata, "label_next": chosen, "probability": probability,
            "label_weight": divide(np.ones(len(cell)), probability, 0.0),
        })  # fmt: skip
        first = np.lexsort((np.where(chosen, priority, row), ~chosen))
        return frame.iloc[first].reset_index(drop=True)

    @cached_property
    def strata(self) -> AnyArray:
        """Name the cell of each sample by its answers and verdicts."""
        predictions, judge = self.predictions, self.judge
        if predictions.labels is None:
            columns = {f"judge of {model}": array for model, array in judge.verdicts.items()}
        else:
            texts = predictions.labels.astype(str)
            columns = {
                model: predictions.output(model).array if kind.real
                else texts[predictions.predicted(model)]
                for model, kind in predictions.access.kinds.items()
            }  # fmt: skip
            columns["judge"] = judge.verdicts[predictions.models[0]].astype(str)
        frame = pd.DataFrame(columns)
        found = {
            cell: ", ".join(f"{name} {_described(part[name], part.iloc[:, -1])}" for name in frame)
            for cell, part in frame.groupby(self.cell)
        }
        names = pd.Series(found)
        again = names.groupby(names).cumcount()
        names = names.where(again == 0, names + " (" + (again + 1).astype(str) + ")")
        return names.to_numpy()[self.cell]


@dataclass(frozen=True, eq=False)
class LabelPlanOfSets(PlanOfLabels):
    """Two ways to draw as many labels on each of several test sets.

    Parameters
    ----------
    at_random, allocated : LabelsOfSets
        Variance of the mean difference by the number of labels on each.
    plans : mapping of str to LabelPlan
        Plan of each test set.
    """

    plans: Mapping[str, LabelPlan]
    each: ClassVar[str] = " of each"
    samples: ClassVar[str] = "samples"

    @property
    def pilot(self) -> Pilot:
        """Labels drawn at random, from those of the pilots."""
        return Pilot(self.at_random, Size(sets=len(self.plans), items=self.n_labels), ())

    @property
    def n_labels(self) -> int:
        """Labels of the pilots, in the mean."""
        return round(np.mean([each.n_labels for each in self.plans.values()]))

    def queue(self, n_more: int, rng: RngLike) -> pd.DataFrame:
        """Draw the samples of each test set to label next; see `SampleSize.queue`."""
        seed = seed_sequence(rng)
        frames = {
            name: plan.queue(n_more, child_seed(seed, place))
            for place, (name, plan) in enumerate(self.plans.items())
        }
        return pd.concat(frames, names=["set", None]).reset_index("set").reset_index(drop=True)


def plan_labels(contrasts: Mapping[str, Contrast]) -> PlanOfLabels:
    """Plan labels to buy from the contrast on each test set of a pilot."""
    for name, each in contrasts.items():
        if judge_of(each.evaluation.predictions) is None:
            raise ValueError(
                f"labels are planned for test sets that all have a `judge`; leave out {name!r}."
            )
    plans = {name: _plan_of_one(each) for name, each in contrasts.items()}
    if len(plans) == 1:
        return next(iter(plans.values()))
    at_random = LabelsOfSets.of([each.at_random for each in plans.values()])
    allocated = LabelsOfSets.of([each.allocated for each in plans.values()])
    return LabelPlanOfSets(at_random, allocated, plans)


def _plan_of_one(first: Contrast) -> LabelPlan:
    """Plan labels to buy on one test set."""
    judged = Judged(first.evaluation)
    if judged.judge.weight is not None:
        raise ValueError(
            "labels to buy are planned by strata; give those of the draw (strata, --read "
            "strata=COLUMN) in place of its probabilities (`label_weight`, --label-weight)."
        )
    places = np.array([[first.model_a[0], first.model_b[0]]])
    (cells, patterns), parts = judged.rows.cells(places), judged.spread(places)
    k = slice(first.position, first.position + 1)
    # Of weighted labels, each counts as more or less than one.
    labels = patterns.sums(cells.of, np.ones(judged.judge.n_labels))[1]
    squares = parts.squares[:, k] * ((labels + 1) / (cells.labels + 1))[:, None]
    cells = replace(cells, labels=labels)
    spread = Spread(cells, squares, parts.between[:, k], parts.degrees[:, k])
    items = float(spread.at(cells.labels)[0][0, 0]) * judged.judge.n_labels
    at_random, allocated = (Labels(items, spread=spread, allocated=x) for x in (False, True))
    cell = cells.of[patterns.of[0]]
    return LabelPlan(at_random, allocated, judged.predictions, judged.judge, cell)


def _described(values: pd.Series, verdicts: pd.Series) -> str:
    """Describe a column in a cell: its value, the range of numbers, or agreement with verdicts."""
    distinct = pd.unique(values)
    if len(distinct) == 1:
        return str(distinct[0])
    if values.dtype.kind in "iuf":
        return f"{values.min():.3g} to {values.max():.3g}"
    agrees = values == verdicts
    if values.name == verdicts.name or 0 < agrees.sum() < len(values):
        return "any"
    return "as judge" if agrees.all() else "not as judge"
