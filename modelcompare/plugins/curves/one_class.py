"""One class against the others: scores in descending order, and the areas of its curves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.data.positive import naming, positive_for
from modelcompare.data.test_set import TestSet
from modelcompare.metrics import resolve_metrics
from modelcompare.metrics.base import divide
from modelcompare.metrics.ranking import Descending
from modelcompare.metrics.subsets import class_code
from modelcompare.words import CurveKind


@dataclass(frozen=True)
class OneClass:
    """Models' scores for one class.

    Attributes
    ----------
    label, code
        The class, and its position among the labels.
    positive : ndarray of bool of shape (n_samples,)
        Whether each sample belongs to the class.
    raw : bool
        Whether scores are not probabilities.
    """

    predictions: TestSet
    label: Any
    code: int
    positive: BoolArray
    raw: bool

    @classmethod
    def of(cls, predictions: TestSet, label: Any) -> OneClass:
        """Return the scores for a class, by default the positive one; raise if there are none."""
        access = predictions.access
        resolve_metrics("average_precision_macro", predictions)
        if label is None and access.n_classes == 2:
            label = positive_for("scores are of one class", predictions)
        code = class_code("`label`", label, predictions)
        raw = predictions.kind.real
        if raw and code != 1:
            raise ValueError(
                f"raw scores are high for the positive class, which {label!r} is not; turn their "
                f"signs round and pass {naming(label)}."
            )
        return cls(
            predictions,
            access.class_named(label),
            code,
            np.asarray(access.codes) == code,
            raw,
        )

    @cached_property
    def models(self) -> list[tuple[str, Descending, FloatArray]]:
        """Name of each model, its samples in descending order, and its distinct scores."""
        found = []
        for model in self.predictions.models:
            scores = scores_of(self.predictions, model, self.code)
            ordered = Descending.of(scores, self.positive)
            found.append((model, ordered, scores[ordered.lasts]))
        return found


def scores_of(predictions: TestSet, model: str, code: int) -> FloatArray:
    """Return a model's score of each sample for a class."""
    output = predictions.output(model)
    column = output.array if output.kind.real else output.array[:, code]
    return column.astype(np.float64)


def share_of_all(counts: FloatArray) -> FloatArray:
    """Divide cumulative counts by the last of their row."""
    return divide(counts, counts[:, -1:])


def areas_under(kind: CurveKind, ordered: Descending, weights: FloatArray) -> FloatArray:
    """Return the ROC AUC or average precision under each row of weights."""
    if kind == "roc":
        return ordered.partial_auc(weights, 1.0)
    return ordered.average_precision(weights)
