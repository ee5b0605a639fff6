"""Hall's transformation: its formula, what it corrects, and what it leaves as it was."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import t

import modelcompare as mc
from modelcompare.intervals.influences import (
    Estimates,
    difference_degrees,
    difference_interval,
    hall_interval,
    score_degrees,
    score_interval,
)
from modelcompare.intervals.ratios import t_quantile

REALS, LOSSES = (-np.inf, np.inf), (0.0, np.inf)


def described(x):
    """Mean, standard error, carriers and skewness of the mean of each row."""
    n, mean = x.shape[1], x.mean(axis=1)
    phi = x - mean[:, None]
    two, three, four = ((phi**power).sum(axis=1) for power in (2, 3, 4))
    return mean, np.sqrt(two / (n * (n - 1))), two**2 / four, three / two**1.5


def score_of(x, bounds, *, corrected=True):
    mean, error, carriers, skew = described(x)
    size = np.full(mean.shape, float(x.shape[1]))
    degrees = score_degrees(carriers, x.shape[1])
    estimates = Estimates(mean, error, degrees, size, skew if corrected else None)
    return score_interval(estimates, bounds)


def difference_of(x, *, corrected=True):
    mean, error, carriers, skew = described(x)
    size = np.full(mean.shape, float(x.shape[1]))
    degrees = difference_degrees(carriers, x.shape[1])
    estimates = Estimates(mean, error, degrees, size, skew if corrected else None)
    return difference_interval(estimates, REALS)


def covered(ends, value):
    return ((ends[0] <= value) & (value <= ends[1])).mean()


@pytest.mark.parametrize("skew", [-0.9, -0.2, 1e-9, 0.05, 0.4, 0.95])
@pytest.mark.parametrize("quantile", [1.96, 4.3])
def test_the_ends_solve_halls_cubic(skew, quantile):
    estimate, error = 3.0, 0.5

    def transformed(value):
        s = (estimate - value) / error
        return s + skew * s**2 / 3 + skew**2 * s**3 / 27 + skew / 6

    expected = [
        brentq(lambda value, side=side: transformed(value) - side * quantile, -1e3, 1e3)
        for side in (1, -1)
    ]

    ends = hall_interval(*map(np.array, (estimate, error, skew, quantile)))

    np.testing.assert_allclose(ends, expected, rtol=1e-5)


def test_a_mean_of_scores_has_halls_interval_with_the_skewness_of_the_scores():
    x = np.random.default_rng(2).lognormal(size=80)
    y = np.random.default_rng(3).lognormal(size=80)
    preds = mc.Predictions.from_scores({"a": x, "b": y})

    result = mc.compare(preds, n_resamples=99)

    row, pair = result.scores.iloc[0], result.differences.iloc[0]
    np.testing.assert_allclose([row.ci_low, row.ci_high], np.ravel(score_of(x[None], REALS)))
    ends = np.ravel(difference_of((x - y)[None]))
    np.testing.assert_allclose([pair.ci_low, pair.ci_high], ends)
    assert (row["method"], pair["method"]) == ("hall-t", "hall-t")


def test_rmse_reaches_as_far_as_halls_interval_of_the_mean_squared_error():
    rng = np.random.default_rng(4)
    errors = rng.standard_t(3, 100)
    preds = mc.Predictions(np.zeros(100), {"a": errors}, kind="values")

    scores = mc.compare(preds, ["mse", "rmse"], n_resamples=99).scores.set_index("metric")

    mean, error, carriers, skew = described(errors[None] ** 2)
    degrees = 2 * score_degrees(carriers, 100)
    high = hall_interval(mean, error, skew, t_quantile(degrees, 0.95))[1][0]
    assert high > mean[0] * np.exp(t.ppf(0.975, degrees[0] / 2) * error[0] / mean[0])
    np.testing.assert_allclose(scores.loc["mse", "ci_high"], high)
    # The influences of the root are not quite the root's derivative times those of the square.
    np.testing.assert_allclose(scores.loc["rmse", "ci_high"], np.sqrt(high), rtol=0.03)


def test_clusters_keep_students_interval():
    x = np.random.default_rng(2).lognormal(size=(2, 80))
    preds = mc.Predictions.from_scores({"a": x[0], "b": x[1]}, groups=np.arange(80) // 4)

    result = mc.compare(preds, n_resamples=99)

    assert set(result.scores["method"]) == {"t"}
    assert set(result.differences["method"]) == {"bias-reduced-t"}


@pytest.mark.parametrize(
    ("n", "sigma", "before", "now"),
    [(30, 1, 0.925, 0.93), (100, 2, 0.85, 0.91), (300, 2, 0.875, 0.91)],
)
def test_means_of_lognormal_scores_are_covered_again(n, sigma, before, now):
    x = np.random.default_rng(n).lognormal(0, sigma, (4000, n))
    mean = np.exp(sigma**2 / 2)

    # Two standard errors of 4000 trials are 0.01 or less.
    assert covered(score_of(x, REALS, corrected=False), mean) < before
    assert covered(score_of(x, REALS), mean) > now


def test_differences_of_unlike_laws_are_covered_again():
    rng = np.random.default_rng(1)
    x = rng.lognormal(0, 2, (4000, 100)) - np.exp(2) - rng.normal(size=(4000, 100))

    assert covered(difference_of(x, corrected=False), 0.0) < 0.83
    assert covered(difference_of(x), 0.0) > 0.89


@pytest.mark.parametrize(("n", "before", "now"), [(30, 0.88, 0.89), (100, 0.9, 0.9)])
def test_mean_squares_of_lognormal_errors_are_covered_better(n, before, now):
    x = np.random.default_rng(n).lognormal(0, 1, (4000, n)) ** 2

    plain, mended = (covered(score_of(x, LOSSES, corrected=c), np.exp(2)) for c in (False, True))

    assert plain < before
    assert mended > max(now - 0.02, plain + 0.015)


@pytest.mark.parametrize("n", [30, 100])
@pytest.mark.parametrize("law", ["normal", "uniform", "binary"])
def test_well_behaved_scores_keep_their_coverage_and_their_width(n, law):
    rng = np.random.default_rng(n)
    x = {
        "normal": lambda size: rng.normal(0.5, 1, size),
        "uniform": lambda size: rng.random(size),
        "binary": lambda size: 1.0 * (rng.random(size) < 0.5),
    }[law]((6000, n))

    for interval, truth in (
        (partial(score_of, x, REALS), 0.5),
        (partial(difference_of, x - 0.5), 0),
    ):
        plain, mended = interval(corrected=False), interval()
        narrow, wide = (np.median(high - low) for low, high in (plain, mended))
        # Two standard errors of 6000 trials are 0.006; of two types of scores coverage is lumpy.
        lumps = 0.02 if law == "binary" else 0.0
        assert covered(mended, truth) > 0.94 - lumps / 2
        assert abs(covered(mended, truth) - covered(plain, truth)) < 0.015 + lumps
        assert 0.98 < wide / narrow < 1.02
