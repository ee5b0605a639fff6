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
from modelcompare.plugins.judges.patterns import PARTS, are_many
from modelcompare.plugins.judges.verdicts import check_enough, judge_of

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
        check_enough(self.judge.labelled)
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

    @cached_property
    def _has_numbers(self) -> bool:
        """True where the judge's scores have many values, and there are labels enough for them."""
        p = self.predictions
        drawn = p.strata, p.groups, p.sample_weight, self.judge.weight
        plain = all(each is None for each in drawn)
        hard = self.predictions.access.codes is not None
        if not plain or hard or self.judge.n_labels < _FOR_NUMBERS:
            return False
        many = any(are_many(verdicts) for verdicts in self.judge.verdicts.values())
        return many and all(isinstance(m, Metric) and m.is_mean for m in self.metrics)

    def _by_numbers(self, rows: Rows) -> FloatArray:
        """Return means by the judge's scores as predictions of people's, variances, degrees."""
        verdicts = [self.judge.verdicts[model] for model in self.models]

        def found() -> list[tuple[float, float, float]]:
            return [
                predicted_mean(
                    _contrast(self.rows.scores[places]),
                    _contrast(np.stack([verdicts[k] for k in places])), self.rows.labelled,
                )
                for places in rows.places
            ]  # fmt: skip

        key = "numbers", self.models, rows.places.shape, rows.places.tobytes()
        numbers = np.transpose(self.judge.kept(key, found))
        return np.repeat(numbers[..., None], len(self.keys), axis=2)


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
