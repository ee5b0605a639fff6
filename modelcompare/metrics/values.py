"""Metrics of real-valued outputs, of sums except for rank correlations and the median."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.data.checks import refuse_rows
from modelcompare.metrics.base import AnyMetric, Factory, Metric, Outcomes, Statistic, divide
from modelcompare.metrics.defined import both_vary, truth_varies
from modelcompare.metrics.quantiles import quantile_metric
from modelcompare.metrics.ranks import KENDALL, SPEARMAN
from modelcompare.metrics.scoring import COUNT, mean_metric, mean_ratio
from modelcompare.metrics.variants import number
from modelcompare.words import check_count, check_fraction


def _errors(outcomes: Outcomes) -> FloatArray:
    return (outcomes.true_values - outcomes.values)[:, None]


def _centred(outcomes: Outcomes) -> tuple[FloatArray, FloatArray]:
    """Return true values and output minus their medians, so that sums of squares lose no digits.

    A mean would follow an outlier, which resamples may omit.
    """
    y, p = outcomes.true_values, outcomes.values
    return y - np.median(outcomes.whole.true_values), p - np.median(outcomes.whole.values)


def _moments(outcomes: Outcomes) -> FloatArray:
    y, p = _centred(outcomes)
    return np.column_stack([y, p, y * y, p * p, y * p])


def _centred_errors(outcomes: Outcomes) -> FloatArray:
    """Return errors minus their median, and the squares of these."""
    away = _errors(outcomes) - np.median(_errors(outcomes.whole))
    return np.hstack([away, away**2])


def _absolute(outcomes: Outcomes) -> FloatArray:
    return np.abs(_errors(outcomes))


def _squared(outcomes: Outcomes) -> FloatArray:
    return _errors(outcomes) ** 2


def _squared_logs(outcomes: Outcomes) -> FloatArray:
    y, p = outcomes.true_values, outcomes.values
    if min(y.min(), p.min()) <= -1:
        raise ValueError("msle needs values above -1; use mse or mae instead.")
    return ((np.log1p(y) - np.log1p(p)) ** 2)[:, None]


SQUARED = Statistic("squared_value_errors", _squared)
CENTRED = Statistic("centred_value_errors", _centred_errors, of_all=True)
MOMENTS = Statistic("moments", _moments, of_all=True)

_mean_error = partial(mean_metric, greater_is_better=False, bounds=(0.0, math.inf), needs="values")

MSE = _mean_error(
    SQUARED, name="mse",
    description="""Mean squared error.

    Penalizes large errors: one error of ten counts as a hundred errors of one, so an outlier can
    determine it. In squared units of the target; interpret it relative to a baseline.""",
    example=">>> mse([1.0, 2.0, 4.0], [1.0, 2.0, 1.0])\n3.0",
)  # fmt: skip


def _root_mean(total: FloatArray, count: FloatArray) -> FloatArray:
    # Steps of a numerical derivative may lead below 0, where there is no root.
    with np.errstate(invalid="ignore"):
        return np.sqrt(divide(*mean_ratio(total, count)))


def _squares(squared: FloatArray, _count: FloatArray) -> tuple[FloatArray]:
    return (squared[..., 0],)


RMSE = _mean_error(
    SQUARED, name="rmse", value=_root_mean, power=0.5, losses=_squares,
    description="""Root of the mean squared error.

    Penalizes the same errors as `mse` and ranks models equally, in units of the target.""",
    example=">>> rmse([0.0, 0.0], [3.0, 3.0])\n3.0",
)  # fmt: skip

MAE = _mean_error(
    Statistic("absolute_value_errors", _absolute), name="mae",
    description="""Mean absolute error.

    Weighs every unit of error equally; the best constant prediction is the median. In units of the
    target, and less sensitive to outliers than `mse`.""",
    example=">>> mae([1.0, 2.0, 4.0], [1.0, 2.0, 1.0])\n1.0",
)  # fmt: skip

MSLE = _mean_error(
    Statistic("squared_log_errors", _squared_logs), name="msle",
    description="""Mean squared error of log(1 + value).

    Measures ratios instead of differences, for targets that grow by factors; underprediction costs
    more than overprediction by the same amount. For values above -1.""",
    example=">>> round(msle([0.0, 9.0], [0.0, 99.0]), 4)\n2.6509",
)  # fmt: skip

RMSLE = replace(
    MSLE, name="rmsle", value=_root_mean, power=0.5, losses=_squares,
    description="""Root of the mean squared error of log(1 + value).

    Ranks models as `msle`; for small errors it is about the relative error.""",
    example=">>> round(rmsle([0.0, 9.0], [0.0, 99.0]), 4)\n1.6282",
)  # fmt: skip


def _relative(outcomes: Outcomes) -> FloatArray:
    y = outcomes.true_values
    refuse_rows(y == 0, "mape divides by the true value, and it is 0", "use smape or mae")
    return _absolute(outcomes) / np.abs(y)[:, None]


MAPE = _mean_error(
    Statistic("relative_value_errors", _relative), name="mape",
    description="""Mean of the absolute errors, each over its true value (a share, not percent).

    Compares targets of different scales. Errors of small true values dominate, and predicting too
    little costs at most 1, too much any amount: the lower of two equally good models wins. True
    values of 0 are refused.""",
    example=">>> round(mape([1.0, 2.0, 4.0], [1.5, 2.0, 1.0]), 4)\n0.4167",
)  # fmt: skip


def _symmetric(outcomes: Outcomes) -> FloatArray:
    scale = np.abs(outcomes.true_values) + np.abs(outcomes.values)
    return divide(2 * _absolute(outcomes), scale[:, None], 0.0)


SMAPE = _mean_error(
    Statistic("symmetric_value_errors", _symmetric), name="smape", bounds=(0.0, 2.0),
    description="""Mean of the absolute errors, each over the mean size of true value and output.

    As `mape`, but at most 2, which any output of the other sign, or of a true value of 0, costs. It
    is not symmetric in the sign of an error: predicting too little costs more. 0 for 0 is no error.
    """,
    references=("Makridakis (1993), International Journal of Forecasting 9, 527-529.",),
    example=">>> round(smape([1.0, 2.0, 4.0], [1.5, 2.0, 1.0]), 4)\n0.5333",
)  # fmt: skip


def _pinball(outcomes: Outcomes, *, quantile: float) -> FloatArray:
    errors = _errors(outcomes)
    return np.maximum(quantile * errors, (quantile - 1) * errors)


def pinball_metric(*, quantile: float = 0.5) -> Metric:
    """Return the mean pinball loss of predicted quantiles."""
    check_fraction("quantile", quantile)
    name = f"pinball_{number(quantile)}"
    return _mean_error(
        Statistic(f"{name}_losses", partial(_pinball, quantile=quantile)),
        name=name, family="pinball",
        factory=Factory(pinball_metric, {"quantile": quantile}, "pinball_{quantile}"),
        description="""Mean pinball loss of a predicted quantile of the target (quantile loss).

        A proper score: the true quantile is best. A target above the prediction costs the quantile
        times their distance, one below it one minus the quantile times it; of the median it is half
        of `mae`. The quantile is part of the name: ``pinball_0.9``.""",
        references=("Koenker & Bassett (1978), Econometrica 46, 33-50.",),
        example=">>> round(pinball([1.0, 2.0, 4.0], [1.5, 2.0, 1.0], quantile=0.9), 4)\n0.9167",
    )  # fmt: skip


def _sizes(outcomes: Outcomes) -> FloatArray:
    return _absolute(outcomes)[:, 0]


MEDIAN_ABSOLUTE_ERROR = quantile_metric(
    _sizes, 0.5, name="median_absolute_error", greater_is_better=False, bounds=(0.0, math.inf),
    needs="values",
    description="""Median of the absolute errors.

    Measures a typical sample: up to half of the errors may be arbitrarily large. It is not smooth:
    intervals are from order statistics, standard errors from the bootstrap.""",
    example=">>> median_absolute_error([1.0, 2.0, 4.0], [1.5, 2.0, 1.0])\n0.5",
)  # fmt: skip


def _spread(squares: FloatArray, total: FloatArray, count: FloatArray) -> FloatArray:
    """Compute the squared deviation from the mean; 0 for a constant, in spite of rounding."""
    spread = squares - divide(total**2, count)
    return np.where(spread <= 1e-13 * squares, 0.0, spread)


def _r2(squared: FloatArray, moments: FloatArray, count: FloatArray) -> FloatArray:
    spread = _spread(moments[..., 2], moments[..., 0], count[..., 0])
    return 1 - divide(squared[..., 0], spread)


def _squares_of_both(
    squared: FloatArray, moments: FloatArray, _count: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the squares of errors, and of true values around their median."""
    return squared[..., -1], moments[..., 2]


R2 = Metric(
    name="r2", statistics=(SQUARED, MOMENTS, COUNT), value=_r2, bounds=(-math.inf, 1.0),
    needs="values", defined_by=truth_varies, losses=_squares_of_both,
    description="""Share of the variance of the true values that is explained (R squared).

    Measures accuracy relative to the mean as a baseline: 1 is perfect, 0 no better than the mean,
    below 0 worse. It depends on the variance of the test set, so values of different test sets
    cannot be compared, and it hides the size of the errors.""",
    example=">>> r2([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])\n0.5",
)  # fmt: skip


def _adjusted(
    squared: FloatArray, moments: FloatArray, count: FloatArray, *, predictors: int
) -> FloatArray:
    n = count[..., 0]
    lost = divide(n - 1, np.where(n > predictors + 1, n - predictors - 1, 0.0))
    return 1 - (1 - _r2(squared, moments, count)) * lost


def adjusted_r2_metric(*, predictors: int) -> Metric:
    """Return R squared adjusted for a number of fitted predictors."""
    check_count("predictors", predictors, at_least=1)
    return replace(
        R2, name=f"adjusted_r2_{predictors}", family="adjusted_r2",
        value=partial(_adjusted, predictors=predictors), defined_by=None,
        factory=Factory(adjusted_r2_metric, {"predictors": predictors}, "adjusted_r2_{predictors}"),
        description="""R squared, less what so many fitted predictors explain by chance.

        For the samples that a model was fitted to: 1 - (1 - r2) (n - 1) / (n - predictors - 1). On
        other samples, `r2` needs no adjustment. The number of predictors is part of the name:
        ``adjusted_r2_3``.""",
        references=("Ezekiel (1930), Methods of Correlation Analysis, Wiley.",),
        example=""">>> adjusted_r2([0.0, 2.0, 4.0], [0.0, 2.0, 6.0], predictors=1)
        0.0""",
    )  # fmt: skip


def _explained_variance(centred: FloatArray, moments: FloatArray, count: FloatArray) -> FloatArray:
    n = count[..., 0]
    errors = _spread(centred[..., 1], centred[..., 0], n)
    return 1 - divide(errors, _spread(moments[..., 2], moments[..., 0], n))


EXPLAINED_VARIANCE = Metric(
    name="explained_variance", statistics=(CENTRED, MOMENTS, COUNT),
    value=_explained_variance, bounds=(-math.inf, 1.0), needs="values",
    defined_by=truth_varies,
    losses=_squares_of_both,
    description="""One minus the variance of the errors over the variance of the true values.

    Measures the same as `r2`, but ignores a constant error: a prediction that is always ten too
    high scores 1.""",
    example=">>> explained_variance([1.0, 2.0, 3.0], [11.0, 12.0, 13.0])\n1.0",
)  # fmt: skip


def _pearson(moments: FloatArray, count: FloatArray) -> FloatArray:
    n = count[..., 0]
    y, p, yy, pp, yp = np.moveaxis(moments, -1, 0)
    product = _spread(yy, y, n) * _spread(pp, p, n)
    return np.clip(divide(yp - divide(y * p, n), np.sqrt(product)), -1.0, 1.0)


PEARSON = Metric(
    name="pearson", statistics=(MOMENTS, COUNT), value=_pearson, bounds=(-1.0, 1.0), needs="values",
    defined_by=both_vary,
    description="""Linear correlation of predicted and true values.

    Ignores scale and offset of the prediction, so a high correlation is possible with large errors.
    A few extreme samples can determine it.""",
    references=("Pearson (1895), Proceedings of the Royal Society of London 58, 240-242.",),
    example=">>> round(pearson([1.0, 2.0, 3.0], [10.0, 20.0, 40.0]), 4)\n0.982",
)  # fmt: skip

METRICS: tuple[AnyMetric, ...] = (
    MSE, RMSE, MAE, MSLE, RMSLE, MAPE, SMAPE, MEDIAN_ABSOLUTE_ERROR, R2, EXPLAINED_VARIANCE,
    PEARSON, SPEARMAN, KENDALL,
)  # fmt: skip
