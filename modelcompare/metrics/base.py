"""What a metric is: per-sample statistics, and a formula over their weighted sums.

Three roads lead to a value. A `Metric` is a formula over totals ``weights @ statistics``: one
matrix product serves every resample, model and metric. An `OrderMetric` needs the order of the
samples (ROC AUC, Spearman): it sorts once and evaluates a block of weight vectors. A
`CallableMetric` wraps any ``function(y_true, y_output)``; it is called once per resample.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from modelcompare.kinds import Output
from modelcompare.predictions import Predictions

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
Needs = Literal["labels", "probabilities", "values", "scores", "texts", "text_lists"]
Road = Literal["sum", "order", "callable"]


class UndefinedMetricWarning(UserWarning):
    """A metric has no value (0 / 0) on the data, or on some of its resamples."""


@dataclass(frozen=True)
class Outcomes:
    """The truth and what one model said about it: the input of every statistic.

    Parameters
    ----------
    output : Output
        The model's labels, probabilities, values, per-example scores or texts.
    codes : ndarray of shape (n_samples,), optional
        True class of each sample, as an index into the labels.
    n_classes : int
        Number of classes; 0 outside classification.
    y_true : ndarray of shape (n_samples,), optional
        Truth as given, for metrics of values and texts.
    true_distribution : ndarray of shape (n_samples, n_classes), optional
        Soft labels, where the truth is a distribution over classes.
    predicted_codes : ndarray of shape (n_samples,), optional
        Predicted class of each sample, where it is known already.
    everyone : Outcomes, optional
        Outcomes of the whole test set, where these are some of its rows: bin edges and centres
        must not depend on the part at hand.
    """

    output: Output
    codes: IntArray | None = None
    n_classes: int = 0
    y_true: NDArray[Any] | None = None
    true_distribution: FloatArray | None = None
    predicted_codes: IntArray | None = None
    everyone: Outcomes | None = None

    @classmethod
    def of(cls, predictions: Predictions, model: str) -> Outcomes:
        """Outcomes of one model of a test set."""
        return cls(
            predictions.output(model),
            predictions.codes,
            predictions.n_classes,
            predictions.y_true,
            predictions.true_distribution,
        )

    def __len__(self) -> int:
        return len(self.output.array)

    @property
    def whole(self) -> Outcomes:
        """Outcomes of the whole test set."""
        return self if self.everyone is None else self.everyone

    @cached_property
    def truth(self) -> FloatArray:
        """Truth as a matrix of shape (n_samples, n_classes): one-hot, or the soft labels."""
        if self.true_distribution is not None:
            return self.true_distribution
        return one_hot(self.codes, self.n_classes)

    @cached_property
    def predicted(self) -> IntArray:
        """Predicted class of each sample; the first of tied probabilities."""
        if self.predicted_codes is not None:
            return self.predicted_codes
        array = self.output.array
        return array.argmax(axis=1) if self.output.kind == "probabilities" else array

    @cached_property
    def predicted_indicator(self) -> FloatArray:
        """Predicted class as a one-hot matrix of shape (n_samples, n_classes)."""
        return one_hot(self.predicted, self.n_classes)

    @cached_property
    def probabilities(self) -> FloatArray:
        """Probabilities of shape (n_samples, n_classes)."""
        return self.output.array.astype(np.float64, copy=False)

    @property
    def values(self) -> FloatArray:
        """Real-valued outputs or per-example scores, of shape (n_samples,)."""
        return self.output.array.astype(np.float64, copy=False)


def one_hot(codes: IntArray | None, n_classes: int) -> FloatArray:
    """Indicator matrix of shape (n_samples, n_classes)."""
    if codes is None:
        raise ValueError("this metric needs y_true; the predictions hold per-example scores only.")
    out = np.zeros((len(codes), n_classes))
    out[np.arange(len(codes)), codes] = 1.0
    return out


@dataclass(frozen=True)
class Statistic:
    """Per-sample numbers whose weighted sums a metric is made of.

    Parameters
    ----------
    name : str
        Statistics of equal name hold equal numbers and are computed once for all metrics.
    compute : callable
        ``compute(outcomes)`` gives an array of shape (n_samples, n_columns).
    discrete : bool
        Whether it depends on the true and the predicted class alone, so that identical rows
        may collapse into one with a multiplicity.
    shared : bool
        Whether it ignores the model's output, so that one copy serves all models.
    costly : bool
        Whether its numbers are worth keeping: texts are compared once.
    """

    name: str
    compute: Callable[[Outcomes], FloatArray] = field(compare=False)
    discrete: bool = False
    shared: bool = False
    costly: bool = False


@dataclass(frozen=True, kw_only=True)
class BaseMetric:
    """What every metric declares, whichever road it takes.

    Parameters
    ----------
    name : str
        scikit-learn's scorer name where there is one; ``c`` in front marks the soft twin.
    needs : {"labels", "probabilities", "values", "scores", "texts", "text_lists"}
        What a model must have given. Probabilities serve where labels are needed, lists of texts
        where texts are.
    greater_is_better : bool
        Direction of merit.
    bounds : tuple of float
        Smallest and largest possible value.
    per_class : bool
        Whether there is one value for each class.
    smooth : bool
        Whether influence functions describe it, so that jackknife standard errors hold.
    signature : callable, optional
        Gives the signature of the program whose numbers it takes, for the line under every table.
    """

    name: str
    needs: Needs = "labels"
    greater_is_better: bool = True
    bounds: tuple[float, float] = (0.0, 1.0)
    per_class: bool = False
    smooth: bool = True
    signature: Callable[[], str] | None = field(default=None, compare=False)

    @property
    def road(self) -> Road:
        """How resamples are evaluated: "sum", "order" or "callable"."""
        raise AttributeError("a BaseMetric has no road; use Metric, OrderMetric or CallableMetric")


@dataclass(frozen=True, kw_only=True)
class Metric(BaseMetric):
    """A formula over weighted sums of per-sample statistics.

    Parameters
    ----------
    statistics : tuple of Statistic
        What is summed.
    value : callable
        ``value(*totals)``: one array of shape (..., n_columns) for each statistic in, an array
        of shape (...), or (..., n_classes) if `per_class`, out. It must broadcast over the
        leading axes (resamples, models) and give NaN where the metric is undefined.
    proportion : callable, optional
        ``proportion(*totals)``: count and number of trials whose quotient the value is, each
        shaped like it, for metrics that are proportions of independent samples.
    ratio : callable, optional
        ``ratio(*totals)``: numerator and denominator of the quotient that the value is, or
        increases with (rmse with mse). Both are linear in the statistics, so that the same
        function gives what each sample adds to them. Of shape (..., n_classes) if `per_class` or
        with an `average`, else (...).
    average : {"macro", "weighted"}, optional
        The value is the mean of such quotients over the classes that have one; "weighted" by the
        last statistic.

    Examples
    --------
    >>> import numpy as np
    >>> from modelcompare.metrics import Metric, get_metric
    >>> recall = get_metric("recall")
    >>> false_negative_rate = Metric(
    ...     name="fnr", statistics=recall.statistics, per_class=True, greater_is_better=False,
    ...     value=lambda hits, predicted, support: 1 - recall.value(hits, predicted, support),
    ... )
    >>> false_negative_rate.value(np.array([8.0]), np.array([9.0]), np.array([10.0]))
    array([0.2])
    """

    statistics: tuple[Statistic, ...]
    value: Callable[..., FloatArray]
    proportion: Callable[..., tuple[FloatArray, FloatArray]] | None = None
    ratio: Callable[..., tuple[FloatArray, FloatArray]] | None = None
    average: Literal["macro", "weighted"] | None = None

    @property
    def road(self) -> Road:
        return "sum"


@dataclass(frozen=True, kw_only=True)
class OrderMetric(BaseMetric):
    """A metric of the samples' order: sort once, then evaluate a block of weight vectors.

    Parameters
    ----------
    prepare : callable
        ``prepare(outcomes)`` does what does not depend on the weights (sorting) and gives a
        function ``evaluate(weights)``: weights of shape (n_resamples, n_samples) in, values of
        shape (n_resamples,), or (n_resamples, n_classes) if `per_class`, out.
    jackknife : callable, optional
        ``jackknife(outcomes, weights)``: the leave-one-out values, of shape (n_samples,) or
        (n_samples, n_classes), in closed form. Without it every sample is left out in turn.
    """

    prepare: Callable[[Outcomes], Callable[[FloatArray], FloatArray]]
    jackknife: Callable[[Outcomes, FloatArray], FloatArray] | None = None

    @property
    def road(self) -> Road:
        return "order"


@dataclass(frozen=True, kw_only=True)
class CallableMetric(BaseMetric):
    """Any function of the truth and a model's output, called once per resample.

    Parameters
    ----------
    function : callable
        ``function(y_true, y_output)`` giving a number, or one number per class if `per_class`.
        It is given sample weights as ``sample_weight=`` where it has that parameter and the
        weights are not whole counts.
    """

    function: Callable[..., Any]

    @property
    def road(self) -> Road:
        return "callable"

    @cached_property
    def takes_sample_weight(self) -> bool:
        """Whether the function has a parameter `sample_weight`."""
        try:
            return "sample_weight" in inspect.signature(self.function).parameters
        except ValueError:
            return False


AnyMetric = Metric | OrderMetric | CallableMetric


def divide(numerator: FloatArray, denominator: FloatArray, undefined: float = np.nan) -> FloatArray:
    """Quotient, with `undefined` where the denominator is 0."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    out = np.full(numerator.shape, undefined)
    return np.divide(numerator, denominator, out=out, where=denominator != 0)
