"""Numbers of sets, items, runs or labels that detect a difference, and what they cost."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from modelcompare.questions.components import Components, Dimension, Plan, Size
from modelcompare.report.fields import HIDDEN, Field, member, value
from modelcompare.resampling.seeds import RngLike

# Numbers of runs, or of sets, of the frontier, and the largest number that is tried.
LADDER = (2, 3, 5, 10, 20, 50)
_MOST = 10**9


@dataclass(frozen=True, kw_only=True)
class Frontier:
    """Numbers of sets, items and runs that detect a difference.

    Attributes
    ----------
    components : Components
        Components of the variance of the difference, by which errors of other numbers are
        predicted.
    size : Size
        Numbers of the pilot, which stay as they are where nothing else is stated.
    margin : float
        The difference to detect.
    alpha, power : float
        Two-sided level of the test, and the probability of seeing the difference.
    cost_item, cost_run : float, optional
        Cost of an item, and of a run of one model.
    plan : Plan, optional
        Labels beside a judge; those of `components` are drawn at random.
    """

    components: Components = field(repr=False, metadata=HIDDEN)
    size: Size = field(metadata=HIDDEN)
    margin: float = field(metadata=value(after="unit"))
    alpha: float = field(metadata=value(after="n_runs"))
    power: float = field(metadata=value(after="alpha"))
    cost_item: float | None = field(metadata=value(after="margin"))
    cost_run: float | None = field(metadata=value(after="cost_item"))
    plan: Plan | None = field(default=None, repr=False, metadata=HIDDEN)

    @cached_property
    @member(
        Field("n_sets", "size"), Field("n_items", "size"), Field("n_runs", "size"),
        Field("cost", "size", optional=True), Field("cheapest", "flag", optional=True),
        "standard_error", after="sample_size",
    )  # fmt: skip
    def frontier(self) -> pd.DataFrame:
        """Numbers of sets, items and runs that detect the wanted difference.

        Columns n_sets, n_items (of each set), n_runs (of each model), standard_error; with costs
        also cost and cheapest. Rows are of several numbers of runs, or of sets, with the items that
        each needs, and of the pilot's items. Infinite are numbers where none is enough.
        """
        rows, cheapest = self._sizes, self._cheapest
        found = pd.DataFrame(rows).rename(columns="n_{}".format)
        enough = [math.isfinite(sum(size)) for size in rows]
        errors = [self.components.standard_error(size) for size in rows]
        found["standard_error"] = np.where(enough, errors, math.nan)
        if self.cost_item is not None:
            found["cost"] = [*map(self._cost, rows)]
            found["cheapest"] = [size == cheapest for size in rows]
        return found

    @cached_property
    def _sizes(self) -> list[Size]:
        """Numbers of the rows of the frontier."""
        rows = [size for sizes in self._rungs.values() for size in sizes]
        rows += [] if self.components.varied else [self._solved("items", self.size)]
        rows += [] if self.cost_run is None else [self._cheapest_runs()]
        return sorted(dict.fromkeys(rows), key=lambda size: (size.sets, size.runs))

    @property
    @member()
    def n_needed_allocated(self) -> float | None:
        """Labels that detect `margin` if they are allocated to cells; None without a judge."""
        return None if self.plan is None else self._allocated(self.plan)

    def _allocated(self, plan: Plan) -> float:
        """Return the number of labels that detect `margin` if they are allocated to cells."""
        return replace(self, components=plan.allocated)._solved("items", self.size).items

    def queue(self, n_labels: int, *, rng: RngLike = 0) -> pd.DataFrame:
        """Draw the samples that people should label next, beside a judge.

        Labels go to cells of answers and verdict where they reduce the variance of the difference
        most (Neyman's allocation, on top of the labels there are), and are drawn at random within a
        cell.

        Parameters
        ----------
        n_labels : int
            Number of further labels, on each test set.
        rng : int, Generator, SeedSequence or None
            Source of the random numbers. A longer queue of the same number starts with the samples
            of a shorter one in each cell.

        Returns
        -------
        DataFrame
            A row for each sample, those to label first, in random order. Columns set (of several
            test sets, one after the other), row, id (if samples have names), stratum (the cell),
            label_next (True for samples to label), probability (share of the stratum with a label,
            from here or earlier), label_weight (its inverse).

        Notes
        -----
        Within a stratum earlier labels and new ones are a random part of its samples, so give all
        labels with `strata`, the column stratum of all samples, and no weights. This holds
        too if people label a part of the queue, from the top. The column label_weight is for
        programs without strata, once the queue is complete. How many labels a stratum is given
        depends on the earlier ones; in simulations of the whole loop this shows in neither bias
        nor coverage (experiments/validity/labels_to_buy.py).

        Examples
        --------
        >>> import modelcompare as mc
        >>> rng = np.random.default_rng(0)
        >>> truth = rng.integers(0, 2, 1000)
        >>> wrong = rng.random((3, 1000)) < [[0.1], [0.3], [0.1]]
        >>> a, b, judge = np.where(wrong, 1 - truth, truth)
        >>> labels = np.where(rng.random(1000) < 0.12, truth, np.nan)
        >>> preds = mc.Predictions(labels, {"a": a, "b": b}, judge=judge)
        >>> queue = mc.sample_size(preds, "a", "b", "accuracy").queue(50)
        >>> queue = queue.set_index("row").sort_index()
        >>> labels[queue["label_next"]] = truth[queue["label_next"]]
        >>> more = mc.Predictions(labels, {"a": a, "b": b}, judge=judge, strata=queue["stratum"])
        >>> len(more.access.labelled)
        169
        """
        if self.plan is None:
            raise ValueError(
                "a queue is for labels beside a judge; give sample_size predictions with `judge` "
                "(--judge)."
            )
        return self.plan.queue(n_labels, rng)

    @cached_property
    def _rungs(self) -> dict[Dimension, list[Size]]:
        """Numbers that are enough: of several runs, or sets, and at last of the pilot's items."""
        return {
            dimension: [
                *(self._solved("items", self.size._replace(**{dimension: n})) for n in LADDER),
                self._solved(dimension, self.size),
            ]
            for dimension in self.components.varied
        }

    def _solved(self, dimension: str, size: Size) -> Size:
        """Return numbers with the smallest of one dimension that is enough."""
        return size._replace(**{dimension: self._least(dimension, size, self.margin)})

    def _least(self, dimension: str, size: Size, difference: float) -> float:
        """Return the smallest number, from 2 on, that detects a difference."""
        if difference == 0:
            return math.inf
        if self.components.is_normal:
            of_one = self.components.detectable(self.size._replace(items=1), self.alpha, self.power)
            return max(2, math.ceil((of_one / difference) ** 2))

        def enough(n: int) -> bool:
            found = self.components.power(size._replace(**{dimension: n}), difference, self.alpha)
            return found >= self.power

        if not enough(_MOST):
            return math.inf
        return 2 + bisect_left(range(2, _MOST), True, key=enough)

    def _cheapest_runs(self) -> Size:
        """Search the number of runs, with the items that it needs, of the least cost."""

        def of(n: float) -> Size:
            return self._solved("items", self.size._replace(runs=n))

        best = min(map(of, (*LADDER, 100, 200, 500, 1000)), key=self._cost)
        step = int(best.runs) // 2
        while step:
            near = [of(n) for n in (best.runs - step, best.runs + step) if n >= LADDER[0]]
            found = min([best, *near], key=self._cost)
            step, best = (step // 2 if found is best else step), found
        return best

    @property
    def _cheapest(self) -> Size | None:
        """The cheapest numbers that are enough, if costs are given and there are any."""
        enough = [size for size in self._sizes if math.isfinite(sum(size))]
        return None if self.cost_item is None else min(enough, key=self._cost, default=None)

    def _cost(self, size: Size) -> float:
        """Return the cost of all test sets, items and runs of both models."""
        of_items = (self.cost_item or 0.0) * size.sets * size.items
        return of_items + 2 * (self.cost_run or 0.0) * size.runs
