"""What the plain functions look like to type checkers and editors."""

from __future__ import annotations

import math
from typing import Any, Literal, Protocol

from numpy.typing import ArrayLike

from modelcompare.arrays import FloatArray
from modelcompare.metrics.quotient import ClassAverage
from modelcompare.words import Strategy as Strategy
from modelcompare.words import Tokenizer as Tokenizer
from modelcompare.words import ZeroDivision

AverageName = Literal["macro", "micro", "weighted", "binary"]
MultiClass = Literal["ovr", "ovo"]


class Score(Protocol):
    """Of values or texts."""

    def __call__(
        self, y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> float: ...


class LabelScore(Protocol):
    """Of labels."""

    def __call__(
        self, y_true: ArrayLike, y_pred: ArrayLike, *, labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float: ...  # fmt: skip


class CoefficientScore(Protocol):
    """Of labels, with a value for 0 / 0."""

    def __call__(
        self, y_true: ArrayLike, y_pred: ArrayLike, *, labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None, zero_division: ZeroDivision = math.nan,
    ) -> float: ...  # fmt: skip


class AveragedScore(Protocol):
    """Of labels, one value for each class or an average of them."""

    def __call__(
        self, y_true: ArrayLike, y_pred: ArrayLike, *, labels: ArrayLike | None = None,
        average: AverageName | None = None, pos_label: Any = 1,
        sample_weight: ArrayLike | None = None, zero_division: ZeroDivision = math.nan,
    ) -> float | FloatArray: ...  # fmt: skip


class BetaScore(Protocol):
    """F-beta of labels."""

    def __call__(
        self, y_true: ArrayLike, y_pred: ArrayLike, *, beta: float, labels: ArrayLike | None = None,
        average: AverageName | None = None, pos_label: Any = 1,
        sample_weight: ArrayLike | None = None, zero_division: ZeroDivision = math.nan,
    ) -> float | FloatArray: ...  # fmt: skip


class ProbabilityScore(Protocol):
    """Of probabilities."""

    def __call__(
        self, y_true: ArrayLike, y_prob: ArrayLike, *, labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float: ...  # fmt: skip


class SoftAveragedScore(Protocol):
    """Of probabilities, one value for each class or an average of them."""

    def __call__(
        self, y_true: ArrayLike, y_prob: ArrayLike, *, labels: ArrayLike | None = None,
        average: AverageName | None = None, pos_label: Any = 1,
        sample_weight: ArrayLike | None = None, zero_division: ZeroDivision = math.nan,
    ) -> float | FloatArray: ...  # fmt: skip


class AreaScore(Protocol):
    """Area under the ROC curve of probabilities."""

    def __call__(
        self, y_true: ArrayLike, y_prob: ArrayLike, *, multi_class: MultiClass | None = None,
        average: ClassAverage = "macro", max_fpr: float | None = None,
        labels: ArrayLike | None = None, sample_weight: ArrayLike | None = None,
    ) -> float: ...  # fmt: skip


class TopScore(Protocol):
    """Accuracy of a list of classes."""

    def __call__(
        self, y_true: ArrayLike, y_prob: ArrayLike, *, k: int = 3, labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float: ...  # fmt: skip


class TokenizedScore(Protocol):
    """Of texts, over tokens of them."""

    def __call__(
        self, y_true: ArrayLike, y_pred: ArrayLike, *, tokenize: Tokenizer = "13a",
        sample_weight: ArrayLike | None = None,
    ) -> float: ...  # fmt: skip


class BinnedScore(Protocol):
    """Of probabilities, over bins of them."""

    def __call__(
        self, y_true: ArrayLike, y_prob: ArrayLike, *, n_bins: int = 15,
        strategy: Strategy = "width", classwise: bool = False, labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float: ...  # fmt: skip


class TextScore(Protocol):
    """Log-probabilities of texts and their lengths."""

    def __call__(
        self, n_tokens: ArrayLike, log_probability: ArrayLike, *,
        sample_weight: ArrayLike | None = None,
    ) -> float: ...  # fmt: skip


class MeanScore(Protocol):
    """Of scores that were made elsewhere."""

    def __call__(self, scores: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float: ...
