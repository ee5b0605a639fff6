"""Values of models on a test set that people labelled in part and a judge judged as a whole.

Samples are post-stratified by what a model answered and the verdict: each label stands for
the samples of its cell. For the difference of two models cells are of both answers and the verdict,
so that samples on which the models agree add nothing. A cell of few labels joins those in which
models and judge agree or disagree in the same way. The variance of a value is

    V = sum_k N_k^2 s_k^2 / (n_k + 1) + sum_k N_k (m_k - m)^2,

with N_k samples and n_k labels in cell k, and mean m_k and variance s_k^2 of the influences of a
sample there. One label more is added to each cell, divided among the classes that models or judge
named and one other: judge and people may agree on all labels, and not on the next one. Influences
are derivatives of a metric at these weights, so any metric has an error: an F1, an AUC, a function.
A value itself is that of the labels; the centre of a difference's interval has the added labels of
cells of few labels.

For a judge whose scores have many values cells are fifths of them; from 100 labels on, the scores
themselves predict those of people, with a coefficient from the other labels (PPI++).

References
----------
Cochran (1977), Sampling Techniques, chapter 5A (post-stratification).
Angelopoulos, Duchi & Zrnic (2023), PPI++: efficient prediction-powered inference.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property, partial
from itertools import product
from typing import NamedTuple

import numpy as np

from modelcompare.arrays import FloatArray, IntArray, once
from modelcompare.data.judges import check_labels
from modelcompare.data.predictions import Predictions
from modelcompare.data.variants import as_labelled
from modelcompare.engine.cells import (
    LEAST,
    Cells,
    Rows,
    Spread,
    carrier_degrees,
    degrees_of_pair,
    evenly,
)
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.engine.patterns import PARTS, Patterns, are_many, joint, patterns_of
from modelcompare.metrics.base import Metric, divide

# Labels from which on numbers predict those of people.
_FOR_NUMBERS = 100
# Models of whose pairs the rows are kept; those of many would take much memory.
_FEW_MODELS = 10
# Relative weight of the rows that measure derivatives.
_PROBE = 1e-5


class Found(NamedTuple):
    """Values of models, or differences of pairs; arrays of shape (n_rows, n_values).

    Attributes
    ----------
    centre : ndarray
        Value; of a difference with the added label in cells of few labels.
    shrunk : ndarray
        Value, or difference, with it in all cells.
    variance, degrees : ndarray
        Variance, and its degrees of freedom.
    alone : ndarray
        Variance of the labels alone, without the judge.
    size : ndarray
        Effective number of labels.
    """

    centre: FloatArray
    shrunk: FloatArray
    variance: FloatArray
    degrees: FloatArray
    alone: FloatArray
    size: FloatArray


class Judged:
    """Values of all models, and differences of pairs, from labels by people and a judge.

    Parameters
    ----------
    evaluation : Evaluation
        Models and metrics on predictions that have a judge.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        predictions = evaluation.predictions
        if not isinstance(predictions, Predictions) or predictions.judge is None:
            raise TypeError("the test set has no judge.")
        self.predictions, self.judge = predictions, predictions.judge
        check_labels(self.judge.labelled)
        self.metrics, self.keys = evaluation.metrics, evaluation.keys
        self.models = evaluation.models
        self._labelled = np.flatnonzero(self.judge.labelled)
        self._found: dict[Hashable, tuple[Found, Spread]] = {}

    @cached_property
    def point(self) -> FloatArray:
        """Values of the models, (n_models, n_values): each label stands for samples of its cell."""
        return np.stack([self._centre((k,), *self.rows((k,))) for k in range(len(self.models))])

    def found(self, pairs: Pairs | None) -> Found:
        """Return what is known of all models, or of the differences of pairs."""
        sides = [np.arange(len(self.models))] if pairs is None else pairs
        rows = [self._of(tuple(each))[0] for each in np.transpose(sides).tolist()]
        shape = len(rows), len(Found._fields), len(self.keys)
        return Found(*np.reshape(rows, shape).swapaxes(0, 1))

    def spread(self, places: tuple[int, ...]) -> Spread:
        """Return the parts of the variance of a model's values, or of a difference, by cells."""
        return self._of(places)[1]

    @property
    def worth(self) -> FloatArray:
        """Labels that are as certain without the judge, (n_models, n_values); NaN without error."""
        found = self.found(None)
        return self.judge.n_labels * divide(found.alone, found.variance)

    @property
    def saved(self) -> FloatArray:
        """Share of these that the judge saves, (n_models, n_values)."""
        return 1 - self.judge.n_labels / self.worth

    # -- cells --------------------------------------------------------------------------------

    def cells(self, places: Sequence[int]) -> tuple[Cells, Patterns]:
        """Return the cells of the samples for one model, or two, and the patterns in them."""
        models = [self.models[k] for k in places]
        patterns = patterns_of(self.predictions, self.judge, models)
        *answers, last, _ = patterns.entries
        if self.predictions.labels is None:
            fine, coarse = joint(answers), last
        else:
            fine = joint([*answers, last])
            coarse = joint([answers[0] == answers[-1], *(each == last for each in answers)])
        several = len(places) > 1
        found = Cells.of_patterns(fine, coarse, patterns, self.judge, filled=not several)
        return found, patterns

    # -- rows ---------------------------------------------------------------------------------

    def rows(self, places: tuple[int, ...]) -> tuple[Cells, Rows, Rows]:
        """Return cells, the rows with labels by people, and those of the added labels."""

        def found() -> tuple[Cells, Rows, Rows]:
            cells, patterns = self.cells(places)
            return cells, self._real(cells, patterns), self._added(places, cells, patterns)

        few = len(places) == 1 or len(self.models) <= _FEW_MODELS
        return self.judge.kept(("rows", self.models, places), found) if few else found()

    def _real(self, cells: Cells, patterns: Patterns) -> Rows:
        """Return the rows with labels by people, each for its share of the samples of its cell."""
        codes, cell = self.predictions.codes, cells.of[patterns.of_labels]
        truth = self._scores if codes is None else codes[self._labelled]
        return Rows(self._labelled, truth, cell, self.judge.stand_for(cell, cells.sizes))

    def _added(self, places: tuple[int, ...], cells: Cells, patterns: Patterns) -> Rows:
        """Return rows that divide one more label in each cell, each for the whole of the cell."""
        if self.predictions.codes is None:
            truth, share = self._possible_scores(places)
            n_cells, first = len(cells.sizes), np.unique(cells.of, return_index=True)[1]
            cell = np.repeat(np.arange(n_cells), len(share))
            weight = np.tile(share, n_cells) * cells.sizes[cell]
            return Rows(patterns.first[first][cell], np.tile(truth, n_cells), cell, weight)
        samples, chosen = cells.some(patterns, self._confidence(places[0]))
        named = np.stack([each[chosen] for each in patterns.entries[:-1]], axis=1)
        classes, share = self._possible_classes(named)
        at, column = np.nonzero(share)
        cell = cells.of[chosen]
        share = share / np.bincount(cell, minlength=len(cells.sizes))[cell][:, None]
        weight = share[at, column] * cells.sizes[cell[at]]
        return Rows(samples[at], classes[at, column], cell[at], weight)

    def _confidence(self, place: int) -> FloatArray | None:
        """Return the largest probability of each sample, or its raw score; None for labels."""
        output = self.predictions.output(self.models[place])
        if output.kind == "labels":
            return None
        return output.array if output.array.ndim == 1 else output.array.max(axis=1)

    def _possible_classes(self, named: IntArray) -> tuple[IntArray, FloatArray]:
        """Return the distinct classes named in each row and one other, and their equal shares."""
        codes = np.asarray(self.predictions.codes)[self._labelled]
        counts = np.bincount(codes, minlength=self.predictions.n_classes)
        frequent = np.argsort(-counts, kind="stable")[: named.shape[1] + 1]
        taken = (frequent[None, :, None] == named[:, None, :]).any(axis=2)
        classes = np.column_stack([named, frequent[taken.argmin(axis=1)]])
        first = (classes[:, :, None] == classes[:, None, :]).argmax(axis=2)
        distinct = (first == np.arange(classes.shape[1])) & (classes < self.predictions.n_classes)
        return classes, distinct / distinct.sum(axis=1, keepdims=True)

    def _possible_scores(self, places: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
        """Return rows of scores (n_models, n_rows) and their shares.

        Of two distinct scores those that models may have; of others the rows of some labels.
        """
        scores = self._scores
        ends = np.unique(scores)
        if len(ends) > 2:
            a, b = scores[places[0]], scores[places[-1]]
            order = np.lexsort((a, a - b))
            chosen = order[evenly(len(order))]
            return scores[:, chosen], np.full(len(chosen), 1 / len(chosen))
        every = np.transpose([*product(ends[[0, -1]], repeat=len(places))])
        found = np.repeat(scores[:, :1], every.shape[1], axis=1)
        found[[*places[::-1]]] = every
        return found, np.full(every.shape[1], 1 / every.shape[1])

    # -- values -------------------------------------------------------------------------------

    @cached_property
    def _scores(self) -> FloatArray:
        """Scores by people, of shape (n_models, n_labels)."""
        return np.stack([self.predictions.output(m).array[self._labelled] for m in self.models])

    def _evaluation(self, places: tuple[int, ...], rows: Rows) -> Evaluation:
        """Return the evaluation of rows as if all had a label by people."""
        models = [self.models[k] for k in places]
        truth = rows.truth[[*places]] if self.predictions.codes is None else rows.truth
        labelled = as_labelled(self.predictions, models, rows.of, rows.weight, truth)
        return Evaluation(labelled, self.metrics, collapse=False)

    def _of(self, places: tuple[int, ...]) -> tuple[Found, Spread]:
        return once(self._found, places, partial(self._post_stratified, places))

    def _post_stratified(self, places: tuple[int, ...]) -> tuple[Found, Spread]:
        cells, real, added = self.rows(places)
        n_labels, pair = len(self._labelled), len(places) > 1
        centre = self._centre(places, cells, real, added) if pair else self.point[places[0]]
        every = real.joined(added, 1 / (cells.labels + 1))
        shrunk, u = self._influences(places, every)
        parts, away = Spread.of(u, every, cells)
        variance, degrees = parts.at(cells.labels)
        if pair:
            degrees = degrees_of_pair(degrees, n_labels)
        by_labels = carrier_degrees(away[:n_labels], every.weight[:n_labels], variance)
        degrees = np.minimum(degrees, by_labels)
        here, w = u[:n_labels], real.weight
        alone = w.sum() * (w @ (here - w @ here / w.sum()) ** 2) / len(w)
        if self._has_numbers:
            shrunk, (_, variance, degrees) = centre, self._by_numbers(places)
        size = np.full_like(centre, cells.labels.sum())
        return Found(centre, shrunk, variance, degrees, alone, size), parts

    def _centre(self, places: tuple[int, ...], cells: Cells, real: Rows, added: Rows) -> FloatArray:
        """Return the value of a model; of a pair with the added label in cells of few labels."""
        if self._has_numbers:
            return self._by_numbers(places)[0]
        few = (cells.labels < LEAST) & (len(places) > 1)
        rows = real.joined(added, np.where(few, 1 / (cells.labels + 1), 0.0))
        return _contrast(self._evaluation(places, rows).estimate())

    def _influences(self, places: tuple[int, ...], rows: Rows) -> tuple[FloatArray, FloatArray]:
        """Return the value, or difference, and its derivatives by the weights of the rows.

        Each row comes a second time, with so little weight that leaving it out is a derivative.
        """
        n_rows, again = len(rows.of), np.tile(np.arange(len(rows.of)), 2)
        probes = np.concatenate([rows.weight, _PROBE * rows.weight])
        doubled = Rows(rows.of[again], rows.truth[..., again], rows.cell[again], probes)
        evaluation = self._evaluation(places, doubled)
        values = evaluation.estimate()
        moved = evaluation.influence(slice(n_rows, None), values)
        scale = (evaluation.units.size - 1) * _PROBE * rows.weight
        u = _contrast(moved.transpose(1, 0, 2)) / scale[:, None]
        return _contrast(values), u

    # -- a judge of numbers -------------------------------------------------------------------

    @cached_property
    def _has_numbers(self) -> bool:
        """True where the judge's scores have many values, and there are labels enough for them."""
        plain = self.predictions.strata is None and self.judge.weight is None
        if not plain or self.predictions.codes is not None or len(self._labelled) < _FOR_NUMBERS:
            return False
        many = any(are_many(verdicts) for verdicts in self.judge.verdicts.values())
        return many and all(isinstance(m, Metric) and m.is_mean for m in self.metrics)

    def _by_numbers(self, places: tuple[int, ...]) -> list[FloatArray]:
        """Return the mean by the judge's scores as predictions of people's, variance, degrees."""
        models = [self.models[k] for k in places]

        def found() -> tuple[float, float, float]:
            judged = _contrast(np.stack([self.judge.verdicts[model] for model in models]))
            return predicted_mean(_contrast(self._scores[[*places]]), judged, self._labelled)

        numbers = self.judge.kept(("numbers", *models), found)
        return [np.full(len(self.keys), number) for number in numbers]


def predicted_mean(
    people: FloatArray, judged: FloatArray, labelled: IntArray, coefficient: float | None = None
) -> tuple[float, float, float]:
    """Return a mean by a judge's numbers as predictions, its variance and degrees of freedom.

    Parameters
    ----------
    people : ndarray of shape (n_labels,)
        Scores by people.
    judged : ndarray of shape (n_samples,)
        Scores by the judge.
    labelled : ndarray of int of shape (n_labels,)
        Positions of the samples with scores by people.
    coefficient : float, optional
        That of the judge's scores; by default the one of least variance, for each fifth of the
        labels from the others (cross-fitting).

    References
    ----------
    .. [1] Angelopoulos, Duchi & Zrnic (2023), PPI++: efficient prediction-powered inference.
    """
    n, n_samples, f = len(people), len(judged), judged[labelled]
    slope, place = np.empty(n), np.argsort(np.lexsort((people, f)))
    for part in range(PARTS):
        here = place % PARTS == part
        covariance = np.cov(people[~here], f[~here])
        least = covariance[0, 1] / ((1 + n / n_samples) * max(covariance[1, 1], 1e-300))
        slope[here] = least if coefficient is None else coefficient
    rest = people - slope * (f - judged.mean())
    centred = rest - rest.mean()
    squares = centred @ centred
    carriers = squares**2 / max(float(np.sum(centred**4)), 1e-300)
    variance = squares / (n - 1) / n + slope.mean() ** 2 * judged.var(ddof=1) / n_samples
    return float(rest.mean()), float(variance), float(max(2 * carriers - 1, 1.0))


def _contrast(values: FloatArray) -> FloatArray:
    """Return the values of the only model, or the difference of two; models come first."""
    return values[0] if len(values) == 1 else values[0] - values[1]
