"""Calibration slope and intercept of each model, with intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.comparison.bootstrap import bootstrap
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.base import UndefinedMetricWarning
from modelcompare.plugins.calibration.logistic import CALIBRATION_INTERCEPT, CALIBRATION_SLOPE
from modelcompare.words import giving, warn_caller

_COEFFICIENTS = {"slope": CALIBRATION_SLOPE, "intercept": CALIBRATION_INTERCEPT}


@checked(predictions=giving("rows"))
def calibration_line(predictions: TestSet, *, confidence_level: float = 0.95) -> pd.DataFrame:
    """Estimate the calibration slope and intercept of models of two classes.

    The slope is that of a logistic regression of the label on the model's log-odds: 1 is best,
    below 1 a model is overconfident, above 1 underconfident. The intercept is what the log-odds
    lack on average (with them as offset): 0 is best, above 0 the second class is more frequent than
    predicted. Neither higher nor lower is better, so they are no metrics to compare models by; ask
    whether an interval contains 1, or 0. They show two departures from calibration of many;
    `modelcompare.inference.calibration_test` tests all.

    Parameters
    ----------
    predictions : Predictions
        Models with probabilities of two classes.
    confidence_level : float
        Level of the intervals, Hall's from the influences of the estimating equations; Student's of
        clusters.

    Returns
    -------
    DataFrame
        A row for each model: model, and slope and intercept, each with its _low and _high; missing
        where log-odds separate the classes.

    References
    ----------
    .. [1] Cox (1958), Two further applications of a model for binary regression, Biometrika 45,
       562-565.
    .. [2] Van Calster et al. (2019), Calibration: the Achilles heel of predictive analytics, BMC
       Medicine 17, 230.

    Examples
    --------
    >>> import modelcompare as mc
    >>> sure, unsure = [0.02, 0.98] * 20, [0.2, 0.8] * 20
    >>> preds = mc.Predictions([0, 1, 0, 1, 0, 0, 1, 1] * 5, {"sure": sure, "unsure": unsure})
    >>> found = mc.diagnostics.calibration_line(preds)
    >>> found[["model", "slope", "slope_low", "slope_high"]].round(1)
        model  slope  slope_low  slope_high
    0    sure    0.3        0.1         0.5
    1  unsure    0.8        0.1         1.3
    """
    result = bootstrap(predictions, [*_COEFFICIENTS.values()], n_resamples=2)
    ends = result.score_interval("auto", confidence_level)
    if np.isnan(result.point).any():
        lost = [model for model, row in zip(result.models, result.point, strict=True)
                if np.isnan(row).any()]  # fmt: skip
        warn_caller(
            f"the calibration line of {', '.join(map(repr, lost))} is undefined: log-odds separate "
            "the classes, or there is one class only.",
            UndefinedMetricWarning,
        )
    columns = {}
    for place, name in enumerate(_COEFFICIENTS):
        columns[name] = result.point[:, place]
        columns |= {f"{name}_low": ends.low[:, place], f"{name}_high": ends.high[:, place]}
    return pd.DataFrame({"model": result.models, **columns})
