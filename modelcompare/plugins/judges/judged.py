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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from modelcompare.arrays import CACHE_BYTES, AnyArray, FloatArray, IntArray
from modelcompare.data.predictions import Predictions
from modelcompare.data.variants import as_labelled
from modelcompare.engine.blocks import in_steps
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.engine.leave_out import without
from modelcompare.metrics.base import AnyMetric, Metric, divide
from modelcompare.plugins.judges.cells import LEAST, Rows, Spread, carrier_degrees, degrees_of_pair
from modelcompare.plugins.judges.label_rows import LabelRows
from modelcompare.plugins.judges.patterns import are_many
from modelcompare.plugins.judges.predicted_means import PredictedMean
from modelcompare.plugins.judges.verdicts import judge_of

# Labels from which on numbers predict those of people.
_FOR_NUMBERS = 100
# Relative weight of the rows that measure derivatives.
_PROBE = 1e-5
_ONE_MODEL = slice(0, 1)


class JudgedValues(NamedTuple):
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

    Models and pairs are contrasts, of which many are computed at once.

    Parameters
    ----------
    evaluation : Evaluation
        Models and metrics on predictions that have a judge.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        predictions = evaluation.predictions
        judge = judge_of(predictions)
        if not isinstance(predictions, Predictions) or judge is None:
            raise TypeError("the test set has no judge.")
        self.predictions, self.judge = predictions, judge
        self.metrics, self.keys = evaluation.metrics, evaluation.keys
        self.models = evaluation.models
        self._evaluation = evaluation
        self._width = max((column.stop for column in evaluation.columns(_ONE_MODEL)), default=0)
        self._others = [metric for metric in self.metrics if not metric.is_additive]
        others = {metric.name for metric in self._others}
        self._of_others = np.array([key.metric in others for key in self.keys])
        hard = all(
            isinstance(metric, Metric) and all(each.discrete for each in metric.statistics)
            for metric in self.metrics
        )
        apart = self.judge.weight, predictions.groups, predictions.sample_weight
        alike = hard and all(each is None for each in apart)
        self.rows = LabelRows(predictions, self.judge, alike)
        self._known: dict[tuple[int, ...], FloatArray] = {}

    @property
    def point(self) -> FloatArray:
        """Values of the models, (n_models, n_values): each label stands for samples of its cell."""
        return self.estimates(None).centre

    def estimates(self, pairs: Pairs | None) -> JudgedValues:
        """Return what is known of all models, or of the differences of pairs."""
        places = np.arange(len(self.models))[:, None] if pairs is None else np.stack(pairs, axis=1)
        keys = [*map(tuple, places.tolist())]
        for rows in self.blocks(places[[key not in self._known for key in keys]]):
            found, _ = self._post_stratified(rows)
            every = zip(rows.places.tolist(), np.stack(found, axis=1), strict=True)
            self._known.update((tuple(key), each) for key, each in every)
        shape = len(keys), len(JudgedValues._fields), len(self.keys)
        return JudgedValues(*np.reshape([self._known[key] for key in keys], shape).swapaxes(0, 1))

    def spread(self, places: IntArray) -> Spread:
        """Return the parts of the variance of differences, by cells."""
        return self._post_stratified(self.rows.rows(places))[1]

    def blocks(self, places: IntArray) -> Iterator[Rows]:
        """Yield the rows of labels of contrasts, some contrasts at a time."""
        return self.rows.blocks(places, self._width)

    def influences(self, place: int) -> FloatArray:
        """Return the derivatives of a model's values by its samples, (n_samples, n_values).

        Those of a sample's label are for the samples of its cell, without an added one.
        """
        if self._has_numbers:
            found = self._predicted(place)
            out = found.slope.mean() * (found.judged - found.judged.mean()) / len(found.judged)
            rest = found.rest
            out[self.rows.labelled] += (rest - rest.mean()) / len(rest)
            return np.repeat(out[:, None], len(self.keys), axis=1)
        rows_of, places = replace(self.rows, hard=False), np.array([[place]])
        rows, (cells, patterns) = rows_of.rows(places), rows_of.cells(places)
        weight = rows.weights(np.zeros(len(cells.sizes)))
        _, u = self._influences(rows, self._statistics(rows), weight)
        share = divide(weight, cells.sizes[rows.cell], 0.0)[:, None]
        means = np.add.reduceat(share * u, rows.in_cells)
        apart = means - cells.sums(cells.sizes[:, None] * means) / cells.sums(cells.sizes)
        out = apart[cells.of[patterns.of[0]]]
        if patterns.weight is not None:
            out *= patterns.weight[:, None]
        stands = weight[:, None] * (u - means[rows.cell])
        np.add.at(out, rows.of[~rows.added], stands[~rows.added])
        return out

    def values_of_labels(self, place: int, stands: FloatArray) -> FloatArray:
        """Return values of a model if labels stand for samples, (n_resamples, n_values).

        Labels by people are in the order of the samples, (n_resamples, n_labels).
        """
        labelled = self.rows.labelled
        codes = self.predictions.access.codes
        truth = self.rows.scores[[place]] if codes is None else codes[labelled][None]
        statistics = self._labelled(self.metrics, [place], labelled, truth).statistics()
        out = self._evaluation.values_of_totals(stands @ statistics, _ONE_MODEL)[:, 0]
        if self._others:
            others = self._labelled(self._others, [place], labelled, truth)
            out[:, self._of_others] = others.values(stands)[:, 0]
        return out

    def predict_numbers(self, place: int, times: FloatArray, values: FloatArray) -> None:
        """Replace values on resamples by those of the judge's numbers where there are any.

        Parameters
        ----------
        place : int
            Position of the model.
        times : ndarray of shape (n_resamples, n_samples)
            Draws of each sample.
        values : ndarray of shape (n_resamples, n_values)
        """
        if not self._may_have_numbers:
            return
        every = np.arange(times.shape[1])
        for value, drawn in zip(values, times.round().astype(np.intp), strict=True):
            of_labels = drawn[self.rows.labelled]
            if of_labels.sum() >= _FOR_NUMBERS:
                labels = np.repeat(np.arange(len(of_labels)), of_labels)
                value[:] = self._predicted(place, rows=np.repeat(every, drawn), labels=labels).mean

    @property
    def worth(self) -> FloatArray:
        """Labels that are as certain without the judge, (n_models, n_values); NaN without error."""
        values = self.estimates(None)
        return self.judge.n_labels * divide(values.alone, values.variance)

    @property
    def saved(self) -> FloatArray:
        """Share of these that the judge saves, (n_models, n_values)."""
        return 1 - self.judge.n_labels / self.worth

    # -- values -------------------------------------------------------------------------------

    def _post_stratified(self, rows: Rows) -> tuple[JudgedValues, Spread]:
        cells, statistics, n_labels = rows.cells, self._statistics(rows), self.judge.n_labels
        centre = self._centre(rows, statistics)
        weight = rows.weights(1 / (cells.labels + 1))
        shrunk, u = self._influences(rows, statistics, weight)
        parts, away = Spread.of(u, weight, rows)
        variance, degrees = parts.at(cells.labels)
        if rows.places.shape[1] > 1:
            degrees = degrees_of_pair(degrees, n_labels)
        degrees = np.minimum(degrees, carrier_degrees(away, weight, rows, variance))
        if rows.clusters is not None:
            degrees = np.minimum(degrees, parts.degrees)
        alone = rows.variance_by_people(u, n_labels)
        if self._has_numbers:
            shrunk, (_, variance, degrees) = centre, self._by_numbers(rows)
        size = np.broadcast_to(cells.sums(cells.labels)[:, None], centre.shape)
        return JudgedValues(centre, shrunk, variance, degrees, alone, size), parts

    def _centre(self, rows: Rows, statistics: FloatArray) -> FloatArray:
        """Return the value of models; of pairs with the added label in cells of few labels."""
        if self._has_numbers:
            return self._by_numbers(rows)[0]
        labels = rows.cells.labels
        few = (labels < LEAST) & (rows.places.shape[1] > 1)
        weight = rows.weights(np.where(few, 1 / (labels + 1), 0.0))
        values = self._of_totals(rows.sums(weight * statistics, axis=-1))
        for place, _, labelled in self._of_each(rows, weight):
            values[:, place, self._of_others] = labelled.estimate()
        return _contrast(values)

    def _influences(
        self, rows: Rows, statistics: FloatArray, weight: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return values, or differences, and their derivatives by the weights of the rows.

        Each label comes a second time, with so little weight that leaving it out is a derivative.
        """
        probe, contrast = _PROBE * weight / rows.count, rows.contrast
        totals = (1 + _PROBE) * rows.sums(weight * statistics, axis=-1)
        values = self._of_totals(totals)
        moved = np.empty((len(values), len(weight), len(self.keys)))
        step = max(1, CACHE_BYTES // (8 * len(values) * max(1, self._width)))
        for some in in_steps([slice(0, len(weight))], step):
            left = without(totals[..., contrast[some]], probe[some] * statistics[..., some])
            moved[:, some] = values[:, contrast[some]] - self._of_totals(left)
        for place, here, labelled in self._of_each(rows, weight, probe):
            values[:, place, self._of_others] = estimate = labelled.estimate()
            influence = labelled.influence(slice(len(here), None), estimate)
            influence /= labelled.units.size - 1
            moved[:, here[:, None], self._of_others] = influence.swapaxes(0, 1)
        # Labels of samples of weight 0 have none.
        influence = divide(_contrast(np.nan_to_num(moved, nan=0.0)), probe[:, None], 0.0)
        return _contrast(values), influence

    def _statistics(self, rows: Rows) -> FloatArray:
        """Compute statistics of each label for each of its models, (n_columns, n_sides, n_rows)."""
        model = rows.places.T[:, rows.contrast]
        truth = np.broadcast_to(rows.truth, model.shape)
        out = np.empty((self._width, *model.shape))
        for place in np.unique(rows.places):
            side, here = np.nonzero(model == place)
            given = rows.of[here], truth[side, here][None]
            out[:, side, here] = self._labelled(self.metrics, [place], *given).statistics().T
        return out

    def _of_totals(self, totals: FloatArray) -> FloatArray:
        """Compute values of sums (n_columns, n_sides, n), of shape (n_sides, n, n_values)."""
        values = self._evaluation.values_of_totals(np.moveaxis(totals, 0, -1), _ONE_MODEL)
        return values[..., 0, :]

    def _of_each(
        self, rows: Rows, *weights: FloatArray
    ) -> Iterator[tuple[int, IntArray, Evaluation]]:
        """Yield contrasts, their rows, and evaluations by metrics that are not sums, if any.

        Rows come once for each of the weights, those of weight 0 not at all.
        """
        for place in range(len(rows.places)) if self._others else ():
            here = np.flatnonzero((rows.contrast == place) & (weights[0] > 0))
            every, weight = np.tile(here, len(weights)), np.concatenate([w[here] for w in weights])
            given = rows.of[every], rows.truth[:, every], weight
            yield place, here, self._labelled(self._others, rows.places[place], *given)

    def _labelled(
        self, metrics: Sequence[AnyMetric], places: Iterable[int], of: IntArray, truth: AnyArray,
        weight: FloatArray | None = None,
    ) -> Evaluation:  # fmt: skip
        """Return the evaluation of samples of models as if all had a label by people."""
        models = [self.models[k] for k in places]
        labelled = as_labelled(self.predictions, models, of, weight, truth)
        return Evaluation(labelled, metrics, collapse=False)

    # -- a judge of numbers -------------------------------------------------------------------

    @property
    def _has_numbers(self) -> bool:
        """True where the judge's scores have many values, and there are labels enough for them."""
        return self.judge.n_labels >= _FOR_NUMBERS and self._may_have_numbers

    @cached_property
    def _may_have_numbers(self) -> bool:
        """True where the judge's scores have many values, if there are labels enough for them."""
        p = self.predictions
        drawn = p.strata, p.groups, p.sample_weight, self.judge.weight
        if any(each is not None for each in drawn) or self.predictions.access.codes is not None:
            return False
        many = any(are_many(verdicts) for verdicts in self.judge.verdicts.values())
        return many and all(isinstance(m, Metric) and m.is_mean for m in self.metrics)

    def _by_numbers(self, rows: Rows) -> FloatArray:
        """Return means by the judge's scores as predictions of people's, variances, degrees."""

        def found() -> list[tuple[float, float, float]]:
            every = (self._predicted(*places) for places in rows.places.tolist())
            return [(each.mean, each.variance, each.degrees) for each in every]

        key = "numbers", self.models, rows.places.shape, rows.places.tobytes()
        numbers = np.transpose(self.judge.kept(key, found))
        return np.repeat(numbers[..., None], len(self.keys), axis=2)

    def _predicted(
        self, *places: int, rows: IntArray | slice = slice(None), labels: IntArray | None = None
    ) -> PredictedMean:
        """Return the mean of a model, or the difference of two; of some samples, by their labels.

        `labels` are positions among all labels, and `rows` have their samples in the same order.
        """
        verdicts = np.stack([self.judge.verdicts[self.models[k]][rows] for k in places])
        scores = self.rows.scores[[*places]]
        if labels is None:
            return PredictedMean.of(_contrast(scores), _contrast(verdicts), self.rows.labelled)
        labelled = np.flatnonzero(self.judge.labelled[rows])
        return PredictedMean.of(_contrast(scores[:, labels]), _contrast(verdicts), labelled)


def _contrast(values: FloatArray) -> FloatArray:
    """Return the values of the only model, or the difference of two; models come first."""
    return values[0] if len(values) == 1 else values[0] - values[1]
