"""Metrics as records: per-sample statistics, and a formula over their weighted sums.

One of three strategies computes a value. A `Metric` is a formula over totals
``weights @ statistics``: one matrix product for all resamples, models and metrics. An
`OrderMetric` needs the order of the samples (ROC AUC, Spearman): it sorts once and evaluates a
block of weight vectors. A `CallableMetric` wraps any ``function(y_true, y_output)``; it is called
once per resample.

A metric is one record: its formula, direction and range, its merits and weaknesses, references, an
example, its soft twin. Names, plain functions and ``modelcompare metrics NAME`` follow from it.
"""

from __future__ import annotations

import contextlib
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.data.kinds import Kind, all_kinds
from modelcompare.directions import Known, sentence
from modelcompare.metrics.defined import DefinedBy
from modelcompare.metrics.factories import Factory as Factory
from modelcompare.metrics.factories import OwnIntervals
from modelcompare.metrics.outcomes import Outcomes as Outcomes
from modelcompare.metrics.outcomes import Statistic as Statistic
from modelcompare.metrics.quotient import ClassAverage, ClassRatio, Parts, Quotient, SumsOf
from modelcompare.metrics.quotient import divide as divide
from modelcompare.options import check_zero_division
from modelcompare.words import Average, ZeroDivision, check_choice

_AVERAGES = {
    "macro": "the mean over classes",
    "weighted": "weighted by the classes' support",
    "micro": "the value of the classes' summed counts",
}


class UndefinedMetricWarning(UserWarning):
    """A metric has no value (0 / 0) on the data, or on some of its resamples."""


class SparseDataWarning(UserWarning):
    """Too few samples or clusters determine a value for its interval to be informative."""


@dataclass(frozen=True, kw_only=True)
class BaseMetric:
    """Declarations common to all metrics.

    Parameters
    ----------
    name : str
        Name of scikit-learn's scorer, if any; a prefix ``c`` marks the soft twin.
    needs : {"labels", "probabilities", "values", "scores"}, or another kind
        Output that a model must give. Probabilities are accepted for labels.
    greater_is_better : bool or None
        Direction of merit; None for a score or a function whose direction is not known.
    direction_from : {"declared", "name", "unknown"}
        Source of the direction of a score or a function.
    bounds : tuple of float
        Smallest and largest possible value.
    per_class : bool
        Whether there is one value for each class.
    smooth : bool
        Whether influence functions describe it, so that jackknife standard errors hold.
    signature : callable, optional
        Returns the signature of the program that computes its statistics, for the line under
        tables.
    description : str
        Definition in one sentence; after an empty line, merits and weaknesses.
    references : tuple of str
        Works to cite.
    example : str
        A doctest of its plain function.
    family : str
        The metric whose plain function and prose it shares; itself if empty.
    variant : str
        Difference from its family.
    soft : Metric, OrderMetric or CallableMetric, optional
        Its soft twin, of probabilities instead of decisions.
    arguments : mapping
        Names and meanings of the arrays of its plain function, if they are not y_true and y_pred.
    factory : Factory, optional
        Function that made it, if it has options.
    defined_by : callable, optional
        ``defined_by(outcomes)`` yields masks of samples: a resample with a sample of each has a
        value (`metrics.defined`). None if that is not known, or follows from a quotient's form.
    intervals : OwnIntervals, optional
        Intervals of this metric, if not those of its formula.
    """

    # Evaluation of resamples.
    strategy: ClassVar[Literal["sum", "order", "callable"]]
    name: str
    needs: str = "labels"
    greater_is_better: bool | None = True
    direction_from: Known = field(default="declared", compare=False, repr=False)
    bounds: tuple[float, float] = (0.0, 1.0)
    per_class: bool = False
    smooth: bool = True
    signature: Callable[..., str] | None = field(default=None, compare=False)
    description: str = field(default="", compare=False, repr=False)
    references: tuple[str, ...] = field(default=(), compare=False, repr=False)
    example: str = field(default="", compare=False, repr=False)
    family: str = field(default="", compare=False)
    variant: str = field(default="", compare=False)
    soft: AnyMetric | None = field(default=None, compare=False, repr=False)
    arguments: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    factory: Factory | None = field(default=None, compare=False, repr=False)
    defined_by: DefinedBy | None = field(default=None, compare=False, repr=False)
    intervals: OwnIntervals | None = field(default=None, compare=False, repr=False)

    def __hash__(self) -> int:
        # A user's function need not be hashable.
        return hash((type(self), self.name))

    @property
    def kind(self) -> Kind:
        """Output type that it needs."""
        return all_kinds()[self.needs]

    def _of_labels(self, _labels: AnyArray | None) -> Self:
        """Return the metric of the classes of a test set."""
        return self

    @property
    def is_additive(self) -> bool:
        """True if it is a function of sums that can be added over blocks of a test set."""
        return False

    @property
    def of_items(self) -> bool:
        """True if it is of several answers to each item."""
        return False

    @property
    def stem(self) -> str:
        """Name of its family, and so of its plain function."""
        return self.family or self.name

    @property
    def summary(self) -> str:
        """First sentence of its description."""
        first = inspect.cleandoc(self.description).partition("\n\n")[0]
        return first or "Registered without a description."

    @property
    def text(self) -> str:
        """Merits, weaknesses, range and direction."""
        rest = inspect.cleandoc(self.description).partition("\n\n")[2]
        return f"{rest} {self.merit}".strip()

    @property
    def cost(self) -> str:
        """Cost of a resample."""
        return "sort once" if self.strategy == "order" else "one call"

    @property
    def merit(self) -> str:
        """Range and direction, as a sentence."""
        low, high = self.bounds
        better = f"{sentence(self.greater_is_better, self.direction_from)}."
        if math.isfinite(low):
            place = f"Between {low:g} and {high:g}" if math.isfinite(high) else f"{low:g} and up"
            return f"{place}, {better}"
        return f"At most {high:g}, {better}" if math.isfinite(high) else better.capitalize()


@dataclass(frozen=True, kw_only=True)
class Metric(BaseMetric):
    """A formula over weighted sums of per-sample statistics.

    Parameters
    ----------
    statistics : tuple of Statistic
        Numbers that are summed.
    value : callable, optional
        ``value(*totals)``: one array of shape (..., n_columns) for each statistic in, an array
        of shape (...), or (..., n_classes) if `per_class`, out. It must broadcast over the
        leading axes (resamples, models) and give NaN where the metric is undefined. Follows from
        `ratio` where there is one.
    proportion : bool
        Whether its `ratio` is a count over a number of trials, for independent samples.
    ratio : callable, optional
        ``ratio(*totals)``: numerator and denominator of the quotient that the value is, or
        increases with (rmse with mse). Both are linear in the statistics, so that the same
        function gives what each sample adds to them. Of shape (..., n_classes) if `per_class` or
        with an `average`, else (...). A `ClassRatio` declares a ratio of one class's counts, which
        then has the intervals and tests of the built-in ones.
    power : float
        The value is this power of the quotient, where it is not the quotient itself: 1/2 for rmse.
    losses : callable, optional
        ``losses(*statistics)``: arrays of numbers whose tails decide a value that is no mean.
    average : {"macro", "weighted"}, optional
        The value is the mean of such quotients over the classes that any statistic has, where 0 / 0
        counts as the worst value; "weighted" by the last statistic.
    zero_division : float or "paper", optional
        Value of 0 / 0; None if it cannot be chosen.
    contrast : callable, optional
        Of a value that is not smooth, ``contrast(*totals)``: a quantity that rises with it, and its
        variance, for tests of independent samples; without it swaps test exchangeable models.

    Examples
    --------
    >>> import numpy as np
    >>> from modelcompare.metrics import ClassRatio, Metric, get_metric
    >>> recall = get_metric("recall")
    >>> miss_rate = Metric(
    ...     name="miss_rate", statistics=recall.statistics, per_class=True,
    ...     greater_is_better=False, ratio=ClassRatio((0, 1, 0, 0), (1, 1, 0, 0)),
    ... )
    >>> miss_rate.value(np.array([8.0]), np.array([9.0]), np.array([10.0]))
    array([0.2])
    """

    strategy = "sum"
    __hash__ = BaseMetric.__hash__
    statistics: tuple[Statistic, ...]
    value: Callable[..., FloatArray] = field(default=Quotient())
    proportion: bool = False
    ratio: Parts | None = None
    power: float = 1.0
    losses: Callable[..., Any] | None = field(default=None, compare=False, repr=False)
    average: ClassAverage | None = None
    zero_division: ZeroDivision | None = None
    contrast: Callable[..., Any] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.zero_division is not None:
            check_zero_division("zero_division", self.zero_division)
        if self.proportion not in (True, False) or (self.proportion and self.ratio is None):
            raise TypeError(f"metric {self.name!r}: `proportion` is True of a `ratio`, or False.")
        # Update the quotient from the record, also after `replace`.
        if isinstance(self.value, Quotient):
            parts = self.value.parts if self.ratio is None else self.ratio
            if parts is None:
                raise TypeError(f"metric {self.name!r} has no formula; give `value` or `ratio`.")
            undefined = math.nan if self.zero_division is None else self.zero_division
            # A class without a value never makes an average better.
            worst = self.bounds[0 if self.greater_is_better else 1]
            value = replace(
                self.value, parts=parts, average=self.average, zero_division=undefined,
                worst=worst if math.isfinite(worst) else 0.0,
            )  # fmt: skip
            object.__setattr__(self, "value", value)

    @property
    def has_averages(self) -> bool:
        """True if it is a quotient for each class, which can be averaged."""
        return self.per_class and self.ratio is not None and isinstance(self.value, Quotient)

    @property
    def class_ratio(self) -> ClassRatio | None:
        """Contributions of a sample to the ratio of a class, or to sums over classes, if known."""
        parts = self.ratio.parts if isinstance(self.ratio, SumsOf) else self.ratio
        return parts if isinstance(parts, ClassRatio) else None

    @property
    def is_of_samples(self) -> bool:
        """True if it is one ratio of sums over classes, such as accuracy."""
        return isinstance(self.ratio, SumsOf)

    @property
    def is_additive(self) -> bool:
        return not any(each.of_all or each.of_items for each in self.statistics)

    @property
    def of_items(self) -> bool:
        return any(statistic.of_items for statistic in self.statistics)

    @property
    def cost(self) -> str:
        kept = "items once" if self.of_items else "texts once"
        return kept if any(each.costly for each in self.statistics) else "one product"

    @property
    def is_mean(self) -> bool:
        """True if it is a mean over samples, which may be weighted by their sizes.

        Its denominator then depends on the test set, not on the model.
        """
        ratio = self.ratio if isinstance(self.value, Quotient) else None
        if ratio is None or self.per_class or self.average is not None:
            return False
        # Of such numbers none cancel, as 1 + 1 - 1 does.
        some = [np.full(1, 7.0**place) for place in range(len(self.statistics))]
        shared = [one * each.shared for one, each in zip(some, self.statistics, strict=True)]
        # A statistic may have several columns.
        with contextlib.suppress(IndexError, ValueError):
            return bool(ratio(*shared)[1] == ratio(*some)[1])
        return False

    def averaged(self, average: Average) -> Metric:
        """Average a metric that has a value for each class, and its soft twin."""
        check_choice("average", average, Average)
        if not self.has_averages or self.ratio is None:
            raise TypeError(f"{self.name} is not a quotient for each class, so it has no average.")
        common = replace(
            self, name=f"{self.name}_{average}", per_class=False, proportion=False, factory=None,
            family=self.stem,
            variant="; ".join(filter(None, [self.variant, _AVERAGES[average]])),
            soft=self.soft.averaged(average) if isinstance(self.soft, Metric) else None,
        )  # fmt: skip
        if average != "micro":
            return replace(common, average=average)
        return replace(common, ratio=SumsOf(self.ratio))

    def with_zero_division(self, zero_division: ZeroDivision) -> Metric:
        """Return the metric with a value for 0 / 0, if it has that convention."""
        made = self.factory
        if made is not None and "zero_division" in made.options:
            found = made.made(zero_division=zero_division)
            return found if isinstance(found, Metric) else self
        if self.zero_division is None:
            return self
        twin = self.soft
        soft = twin.with_zero_division(zero_division) if isinstance(twin, Metric) else twin
        return replace(self, zero_division=zero_division, soft=soft)


@dataclass(frozen=True, kw_only=True)
class OrderMetric(BaseMetric):
    """A metric of the samples' order: sort once, then evaluate a block of weight vectors.

    Parameters
    ----------
    prepare : callable
        ``prepare(outcomes)`` sorts the samples and returns ``evaluate(weights)``: of weights
        (n_resamples, n_samples), values (n_resamples,), or by class (n_resamples, n_classes).
    jackknife : callable, optional
        ``jackknife(outcomes, weights)``: the leave-one-out values in closed form, (n_samples,) or
        (n_samples, n_classes). Otherwise the metric is recomputed without each sample.
    serves_values : bool
        Whether it accepts raw scores of two classes instead of probabilities: it reads them by
        ``outcomes.score(code)`` only.
    of_positive : bool
        Whether it depends on which of two classes is the positive one, the last.
    quantile_of : callable, optional
        ``quantile_of(outcomes)``: one number for each sample; the metric is their quantile.
    share : float
        Share of the samples below that quantile: 1/2 for a median.
    without_optimism : callable, optional
        `prepare` of the same value from the numbers themselves, where it is of the highest of noisy
        numbers, such as of precisions at a recall or above. Default intervals reach so far.
    """

    strategy = "order"
    __hash__ = BaseMetric.__hash__
    prepare: Callable[[Outcomes], Callable[[FloatArray], FloatArray]]
    jackknife: Callable[[Outcomes, FloatArray], FloatArray] | None = None
    serves_values: bool = False
    of_positive: bool = False
    quantile_of: Callable[[Outcomes], FloatArray] | None = None
    share: float = 0.5
    without_optimism: Callable[[Outcomes], Callable[[FloatArray], FloatArray]] | None = None


@dataclass(frozen=True, kw_only=True)
class CallableMetric(BaseMetric):
    """Any function of the true labels and a model's output, called once per resample.

    Parameters
    ----------
    function : callable
        ``function(y_true, y_output)`` returns a number, or one number per class if `per_class`.
        Weights that are not whole counts are passed as ``sample_weight=``, if it has that
        parameter.
    smooth : bool
        Whether influence functions describe it; False unless declared.
    """

    strategy = "callable"
    __hash__ = BaseMetric.__hash__
    function: Callable[..., Any]
    smooth: bool = False

    @cached_property
    def takes_sample_weight(self) -> bool:
        """True if the function has a parameter `sample_weight`."""
        try:
            return "sample_weight" in inspect.signature(self.function).parameters
        except ValueError:
            return False


AnyMetric: TypeAlias = Metric | OrderMetric | CallableMetric


def fraction_of(metric: Metric, *totals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return numerator and denominator of a metric's `ratio`, of totals or of each sample."""
    if metric.ratio is None:
        raise TypeError(f"{metric.name} declares no ratio.")
    return metric.ratio(*totals)
