"""Rows of labels beside a judge: those by people, and the label that is added to each cell.

A label stands for the samples of its cell. One more is added to each cell, and divided among the
classes that models or judge named and one other, at a few samples of the cell; of scores among
those that are possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product

import numpy as np
from scipy.sparse import csr_array

from modelcompare.arrays import PASS_BYTES, AnyArray, FloatArray, IntArray, joint
from modelcompare.data.predictions import Predictions
from modelcompare.plugins.judges.cells import Cells, Clusters, Rows, evenly
from modelcompare.plugins.judges.patterns import Patterns, patterns_of, stacked
from modelcompare.plugins.judges.verdicts import Judge

# Models of whose pairs the rows are kept; those of many would take much memory.
_FEW_MODELS = 10
# Samples of labels, their patterns, true classes or scores, and samples for which each stands.
_Columns = tuple[IntArray, IntArray, AnyArray, FloatArray]


@dataclass(frozen=True)
class LabelRows:
    """Cells and rows of labels of contrasts: of models, or of pairs of models.

    Contrasts are given as `places`, an array of shape (n_contrasts, 1 or 2) of positions of models.

    Parameters
    ----------
    predictions, judge
        A test set with a judge.
    hard : bool
        Whether true and predicted classes are all that matters, so that labels of the same ones
        are one row.
    """

    predictions: Predictions
    judge: Judge
    hard: bool

    @cached_property
    def labelled(self) -> IntArray:
        """Samples with labels by people."""
        return np.flatnonzero(self.judge.labelled)

    @cached_property
    def scores(self) -> FloatArray:
        """Scores by people, of shape (n_models, n_labels)."""
        outputs = map(self.predictions.output, self.predictions.models)
        return np.stack([output.array[self.labelled] for output in outputs])

    def blocks(self, places: IntArray, width: int) -> Iterator[Rows]:
        """Yield rows of contrasts, of as many as fit into memory at once.

        They do with statistics of a `width` for each label and model.
        """
        models, n_sides = self.predictions.models, places.shape[1]
        numbers = len(self.predictions) + 2 * len(self.labelled) * n_sides * width
        step = max(1, PASS_BYTES // 8 // (8 * numbers))
        for some in (places[start : start + step] for start in range(0, len(places), step)):
            key = "rows", self.hard, models, some.shape, some.tobytes()
            few = n_sides == 1 or len(models) <= _FEW_MODELS
            yield self.judge.kept(key, partial(self.rows, some)) if few else self.rows(some)

    def codes(self, places: IntArray) -> tuple[IntArray, IntArray, Patterns]:
        """Return fine and coarse cells of the patterns of each contrast, but for strata."""
        contrasts = [[self.predictions.models[k] for k in each] for each in places.tolist()]
        patterns = patterns_of(self.predictions, self.judge, contrasts)
        *answers, last, _ = patterns.entries
        if self.predictions.labels is None:
            fine, coarse = joint(answers), last
        else:
            fine = joint([*answers, last])
            coarse = joint([answers[0] == answers[-1], *(each == last for each in answers)])
        return fine, coarse, patterns

    def cells(self, places: IntArray) -> tuple[Cells, Patterns]:
        """Return the cells of the samples for each contrast, and the patterns in them."""
        fine, coarse, patterns = self.codes(places)
        alone = places.shape[1] == 1
        return Cells.of_patterns(fine, coarse, patterns, self.judge, filled=alone), patterns

    def rows(self, places: IntArray) -> Rows:
        """Return the labels by people and the added ones, in the order of their cells."""
        cells, patterns = self.cells(places)
        real = self._real(places, cells, patterns)
        columns = zip(real, self._added(places, cells, patterns), strict=True)
        of, pattern, truth, weight = (np.concatenate(both, axis=-1) for both in columns)
        cell, added = cells.of[pattern], np.arange(len(of)) >= len(real[0])
        samples = patterns.weight
        alike = [added, pattern, truth[0]] if self.hard else [np.arange(len(of))]
        _, first, row, count = np.unique(
            joint([cell, *alike]), return_index=True, return_inverse=True, return_counts=True
        )
        sums = np.bincount(row, weight).astype(np.float64)
        of = of[first]
        return Rows(
            places, cells, of, truth[:, first], cell[first], sums, count, added[first],
            None if samples is None else samples[of], self._clusters(cells, patterns, of),
        )  # fmt: skip

    def _clusters(self, cells: Cells, patterns: Patterns, of: IntArray) -> Clusters | None:
        """Return the clusters of the samples of rows, and their samples in each cell."""
        if self.predictions.groups is None:
            return None
        unit_of, cell = self.predictions.access.unit_of, cells.of[patterns.of]
        places = np.broadcast_to(unit_of, cell.shape).ravel(), cell.ravel()
        shape = int(unit_of.max()) + 1, len(cells.sizes)
        weight = np.ones(len(self.predictions)) if patterns.weight is None else patterns.weight
        members = csr_array((np.broadcast_to(weight, cell.shape).ravel(), places), shape=shape)
        return Clusters(members, unit_of[of])

    def _real(self, places: IntArray, cells: Cells, patterns: Patterns) -> _Columns:
        """Return labels by people, each for its share of the samples of its cell."""
        of = np.tile(self.labelled, len(places))
        if self.predictions.access.codes is None:
            truth: AnyArray = self.scores[places.T].reshape(-1, len(of))
        else:
            truth = self.predictions.access.codes[of][None]
        own = self.judge.weights_with(patterns.weight)
        weight = self.judge.stand_for(cells.of[patterns.of_labels], cells.sizes, own)
        return of, patterns.of_labels.ravel(), truth, weight.ravel()

    def _added(self, places: IntArray, cells: Cells, patterns: Patterns) -> _Columns:
        """Return parts of one more label in each cell, which stand for the whole of the cell."""
        if self.predictions.access.codes is None:
            truth = self._possible_scores(places)[:, cells.contrast]
            first = np.unique(cells.of, return_index=True)[1]
            pattern = np.repeat(first, truth.shape[-1])
            weight = cells.sizes[cells.of[pattern]] / truth.shape[-1]
            return patterns.first[pattern], pattern, truth.reshape(len(truth), -1), weight
        first_models = [self.predictions.models[k] for k in places[:, 0]]
        order = None if self.hard else stacked(self._by_confidence, first_models)
        samples, chosen = cells.some(patterns, order)
        named = np.stack([each[chosen] for each in patterns.entries[:-1]], axis=1)
        classes, share = self._possible_classes(named)
        at, column = np.nonzero(share)
        cell = cells.of[chosen]
        share *= (cells.sizes / np.bincount(cell))[cell][:, None]
        return samples[at], chosen[at], classes[at, column][None], share[at, column]

    def _by_confidence(self, model: str) -> IntArray:
        """Return the samples by the largest probability that a model gave, or its raw score."""
        array = self.predictions.output(model).array
        return np.argsort(array if array.ndim == 1 else array.max(axis=1), kind="stable")

    def _possible_classes(self, named: IntArray) -> tuple[IntArray, FloatArray]:
        """Return the distinct classes named in each row and one other, and their equal shares."""
        access = self.predictions.access
        codes, n_classes = np.asarray(access.codes), access.n_classes
        counts = np.bincount(codes[self.labelled], minlength=n_classes)
        frequent = np.argsort(-counts, kind="stable")[: named.shape[1] + 1]
        taken = (frequent[None, :, None] == named[:, None, :]).any(axis=2)
        classes = np.column_stack([named, frequent[taken.argmin(axis=1)]])
        first = (classes[:, :, None] == classes[:, None, :]).argmax(axis=2)
        distinct = (first == np.arange(classes.shape[1])) & (classes < n_classes)
        return classes, distinct / distinct.sum(axis=1, keepdims=True)

    def _possible_scores(self, places: IntArray) -> FloatArray:
        """Return rows of scores that are as likely as each other, (n_sides, n_contrasts, n_rows).

        Of two distinct scores those that models may have; of others the rows of some labels.
        """
        scores, ends = self.scores[places.T], np.unique(self.scores)
        if len(ends) > 2:
            order = np.lexsort((scores[0], scores[0] - scores[-1]))
            _, few = evenly(np.array([len(self.labelled)]))
            return np.take_along_axis(scores, order[None, :, few], axis=2)
        every = np.transpose([*product(ends[[0, -1]], repeat=len(scores))])
        return np.repeat(every[:, None], len(places), axis=1)
