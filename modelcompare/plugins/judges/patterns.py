"""Patterns of samples beside a judge: combinations of answers, verdict and stratum of the draw.

What is known of a sample before people label it is the same for all of a pattern, and patterns are
few, so that cells and tests are computed from patterns and not from samples. Models and pairs of
models are contrasts; the patterns of many contrasts are found at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, FloatArray, IntArray, joint
from modelcompare.data.predictions import Predictions
from modelcompare.data.test_set import TestSet
from modelcompare.plugins.judges.verdicts import LEAST_LABELS, Judge, matched

# Distinct scores of a judge from which on they are numbers, not verdicts.
MANY = 11
# Parts into which many values are cut.
PARTS = 5


@dataclass(frozen=True)
class Patterns:
    """Distinct combinations of entries of samples, by contrast and in the order of appearance.

    Parameters
    ----------
    of : ndarray of int of shape (n_contrasts, n_samples)
        Pattern of each sample.
    of_labels : ndarray of int of shape (n_contrasts, n_labels)
        Pattern of each sample with a label.
    first : ndarray of int of shape (n_patterns,)
        First sample of each.
    sizes : ndarray of shape (n_patterns,)
        Samples of each.
    entries : sequence of ndarray of shape (n_patterns,)
        Entries of each in all columns; the last is the stratum, of its contrast.
    contrast : ndarray of int of shape (n_patterns,)
    weight : ndarray of shape (n_samples,), optional
        Weights of the samples, of mean 1, where they count differently.
    """

    of: IntArray
    of_labels: IntArray
    first: IntArray
    sizes: FloatArray
    entries: Sequence[IntArray]
    contrast: IntArray
    weight: FloatArray | None = None

    @classmethod
    def of_columns(
        cls, columns: Sequence[IntArray], judge: Judge, weight: FloatArray | None
    ) -> Patterns:
        """Find the distinct combinations of columns of shape (n_contrasts or 1, n_samples).

        The last column are the strata, each of which is one for every contrast.
        """
        n_contrasts = max(map(len, columns))
        code = joint([np.arange(n_contrasts)[:, None], *columns])
        of, found = pd.factorize(code.ravel())
        place = np.empty(len(found), dtype=np.intp)
        place[of[::-1]] = np.arange(len(of))[::-1]
        contrast, first = np.divmod(place, code.shape[1])
        entries = [np.broadcast_to(each, code.shape)[contrast, first] for each in columns]
        entries[-1] = contrast * (int(columns[-1].max()) + 1) + entries[-1]
        sizes = np.bincount(of).astype(np.float64)
        few = of.astype(np.min_scalar_type(len(place))).reshape(code.shape)
        return cls(few, few[:, judge.labelled], first, sizes, entries, contrast, weight)

    def masses(self, group: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return sums of the samples' weights in groups of patterns, and of their squares."""
        here, w = group, self.sizes
        if self.weight is not None:
            here, w = group[self.of].ravel(), np.tile(self.weight, len(self.of))
        squares = w if self.weight is None else w**2
        mass, square = (np.bincount(here, x).astype(np.float64) for x in (w, squares))
        return mass, square

    def sums(
        self, group: IntArray, weight: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the samples of groups of patterns, and sums of the labels' weights and squares."""
        here, weight = group[self.of_labels].ravel(), np.tile(weight, len(self.of))
        sizes, total, squares = (
            np.bincount(of, x, int(group.max()) + 1).astype(np.float64)
            for of, x in ((group, self.sizes), (here, weight), (here, weight**2))
        )
        return sizes, total, squares


def patterns_of(
    predictions: Predictions, judge: Judge, contrasts: Sequence[Sequence[str]]
) -> Patterns:
    """Return the patterns of the answers of one or two models, verdicts and strata.

    Their columns are the answers and the verdict; of scores the verdicts, and which is greater.
    The stratum comes last.

    Parameters
    ----------
    predictions, judge
        A test set with a judge.
    contrasts : sequence of sequences of str
        The models of each contrast, as many for all.
    """
    sides, strata = [*zip(*contrasts, strict=True)], strata_of(predictions, judge)[None]
    if predictions.labels is None:
        verdicts = [stacked(partial(_verdicts, predictions, judge), side) for side in sides]
        a, b = (stacked(judge.verdicts.__getitem__, side) for side in (sides[0], sides[-1]))
        columns = [*verdicts, (np.sign(a - b) + 1).astype(np.uint8)]
    else:
        answers = [stacked(partial(_answers, predictions), side) for side in sides]
        columns = [*answers, _verdicts(predictions, judge, predictions.models[0])[None]]
    return Patterns.of_columns([*columns, strata], judge, sample_weights(predictions))


def sample_weights(predictions: Predictions) -> FloatArray | None:
    """Return the weights of samples, of mean 1; None where they count the same."""
    weights = predictions.access.weights
    return weights / weights.mean() if predictions.access.weighted else None


def stacked(column_of: Callable[[str], AnyArray], models: Sequence[str]) -> AnyArray:
    """Return a column of each model, (n_models, n_samples); models may be repeated."""
    places = {model: place for place, model in enumerate(dict.fromkeys(models))}
    return np.stack([column_of(model) for model in places])[[places[model] for model in models]]


def strata_of(predictions: Predictions, judge: Judge) -> IntArray:
    """Return the stratum of each sample in the draw of labels; one without labels is refused."""
    strata = predictions.strata
    if strata is None:
        return np.zeros(len(predictions), dtype=np.intp)
    names, codes = np.unique(strata, return_inverse=True)
    labels = np.bincount(codes[judge.labelled], minlength=len(names))
    if (labels == 0).any():
        raise ValueError(
            f"stratum {str(names[labels.argmin()])!r} has no label by people, so nothing is "
            "known of it; label some of its samples, or leave these samples out."
        )
    return codes


def are_enough(predictions: TestSet, judge: Judge) -> bool:
    """Return whether there are labels enough in all, and one in every stratum."""
    strata, labelled = predictions.strata, judge.labelled
    without = () if strata is None else np.setdiff1d(strata, strata[labelled])
    return judge.n_labels >= LEAST_LABELS and not len(without)


def _verdicts(predictions: Predictions, judge: Judge, model: str) -> IntArray:
    """Return codes of the verdicts on a model: classes, or scores and fifths of many."""
    array, labels = judge.verdicts[model], predictions.labels

    def found() -> IntArray:
        if labels is not None:
            codes = matched(array, labels)[0]
        else:
            codes = fifths(array) if are_many(array) else pd.factorize(array)[0]
        return joint([codes])

    first = next(name for name, each in judge.verdicts.items() if each is array)
    return judge.kept(("verdicts", first), found)


def _answers(predictions: Predictions, model: str) -> IntArray:
    """Return the class of each answer of a model; of raw scores the fifth."""
    if predictions.access.kinds[model].real:
        return joint([fifths(predictions.output(model).array)])
    return joint([predictions.predicted(model)])


def are_many(values: FloatArray) -> bool:
    """Return whether scores have so many distinct values that they are numbers, not verdicts."""
    return any(len(pd.unique(part)) >= MANY for part in (values[: MANY**2], values))


def fifths(values: FloatArray) -> IntArray:
    """Return the fifth of each number among all, from 0 on; equal numbers are in one."""
    last = -(-np.arange(1, PARTS) * len(values) // PARTS) - 1
    return np.searchsorted(np.partition(values, last)[last], values)
