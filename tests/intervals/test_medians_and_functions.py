"""Intervals and standard errors of what influence functions do not describe."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm, t

import modelcompare as mc
from modelcompare.intervals import bca_interval
from modelcompare.intervals.quantiles import quantile_interval
from modelcompare.intervals.resampled import expanded_level
from modelcompare.metrics import SparseDataWarning


def median_of_errors(y_true, y_pred):
    return float(np.median(np.abs(y_true - y_pred)))


def largest_error(y_true, y_pred):
    return float(np.abs(y_true - y_pred).max())


def quantile_of_errors(y_true, y_pred):
    return float(np.quantile(np.abs(y_true - y_pred), 0.9))


def normal_numbers(n, n_models=2, seed=0):
    return np.random.default_rng(seed).normal(size=(n_models, n))


def normal_errors(n, n_models=2, seed=0, **options):
    models = {f"m{i}": errors for i, errors in enumerate(normal_numbers(n, n_models, seed))}
    return mc.Predictions(np.zeros(n), models, kind="values", **options)


def exact_depths(n, level):
    """The last d whose order statistics d and n + 1 - d hold the median often enough, by trial."""
    held = 1 - 2 * binom.cdf(np.arange(n // 2), n, 0.5)
    return max([d for d, share in enumerate(held, 1) if share >= level], default=0), held


@given(st.integers(2, 400), st.sampled_from([0.8, 0.9, 0.95, 0.99]), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_a_median_lies_between_the_order_statistics_of_the_binomial_law(n, level, seed):
    x = np.random.default_rng(seed).lognormal(size=n)
    ordered = np.sort(x)
    d, held = exact_depths(n, level)

    low, high = quantile_interval(x, 0.5, level)

    if d == 0:
        assert (low, high) == (-np.inf, np.inf)
        return
    # Between those that promise the level and the next ones inside, which promise less.
    inner = min(d, len(held) - 1)
    assert ordered[d - 1] <= low <= ordered[inner]
    assert ordered[n - 1 - inner] <= high <= ordered[n - d]
    assert low <= np.median(x) <= high


def test_ends_between_order_statistics_are_hettmanspergers_and_sheathers():
    # n = 20: from the 6th to the 15th value 0.9586, from the 7th to the 14th 0.8847.
    x = np.arange(1.0, 21.0)
    outer, inner = (1 - 2 * binom.cdf(d - 1, 20, 0.5) for d in (6, 7))
    share = (outer - 0.95) / (outer - inner)
    weight = 14 * share / (6 + 8 * share)

    low, high = quantile_interval(x)

    assert (round(outer, 4), round(inner, 4)) == (0.9586, 0.8847)
    np.testing.assert_allclose([low, high], [6 + weight, 15 - weight])


@pytest.mark.parametrize("n", [10, 30, 100])
@pytest.mark.parametrize("law", ["normal", "lognormal", "bimodal"])
def test_medians_are_covered_as_promised_whatever_the_law(n, law):
    rng = np.random.default_rng(n)
    x = np.abs(rng.normal(size=(8000, n)))
    median = norm.ppf(0.75)
    if law == "lognormal":
        x, median = np.exp(3 * x), np.exp(3 * median)
    if law == "bimodal":
        x, median = x + (x > 0.6) * 5.0, median + 5.0

    low, high = quantile_interval(x)

    # Four standard errors of 8000 trials are 0.0097; the interpolation gives away as much again.
    assert ((low <= median) & (median <= high)).mean() > 0.93


def test_the_median_absolute_error_has_the_interval_of_order_statistics():
    preds = normal_errors(31)

    scores = mc.compare(preds, "median_absolute_error", n_resamples=99).scores

    for row in scores.itertuples():
        errors = np.abs(preds.output(row.model).array)
        np.testing.assert_allclose([row.ci_low, row.ci_high], quantile_interval(errors))
    assert set(scores["method"]) == {"order-statistics"}


def test_the_median_of_equal_values_reaches_to_the_next_ones():
    most_are_zero = np.r_[np.zeros(20), 1.0, 1.0, 2.0, -0.5]

    assert quantile_interval(most_are_zero) == (-0.5, 1.0)
    assert quantile_interval(np.ones(20)) == (1.0, 1.0)


@pytest.mark.parametrize("design", ["groups", "strata", "sample_weight"])
def test_a_median_of_samples_that_are_not_alike_has_an_effective_number(design):
    columns = {"groups": np.arange(40) // 4, "strata": np.arange(40) % 2,
               "sample_weight": np.linspace(0.5, 2, 40)}  # fmt: skip
    preds = normal_errors(40, **{design: columns[design]})

    scores = mc.compare(preds, "median_absolute_error", n_resamples=99).scores

    assert set(scores["method"]) == {"order-statistics"}


@pytest.mark.parametrize(
    "metric",
    ["median_absolute_error", median_of_errors, quantile_of_errors],
    ids=["named", "median", "quantile"],
)
def test_standard_errors_are_those_of_the_replicates(metric):
    preds = normal_errors(60, 3)

    result = mc.compare(preds, metric, n_resamples=99, test="bootstrap")

    draws = result.bootstrap.draws[:, :, 0]
    np.testing.assert_allclose(result.scores["standard_error"], draws.std(axis=0, ddof=1))
    apart = draws[:, [0, 0, 1]] - draws[:, [1, 2, 2]]
    np.testing.assert_allclose(result.differences["standard_error"], apart.std(axis=0, ddof=1))
    frame = result.bootstrap.confidence_interval()
    np.testing.assert_allclose(frame["standard_error"], draws.std(axis=0, ddof=1))
    lead = result.leads().iloc[-1]
    pair = result.differences.set_index(["model_a", "model_b"])["standard_error"]
    assert lead.standard_error in (
        pair.get((lead.model, lead.other)),
        pair.get((lead.other, lead.model)),
    )


def test_the_standard_error_of_a_median_is_near_the_one_of_theory():
    # 1 / (2 f(m) sqrt(n)), f the density of |x| at its median; a jackknife is off by a factor.
    n, m = 200, norm.ppf(0.75)
    theory = 1 / (2 * 2 * norm.pdf(m) * np.sqrt(n))
    preds = normal_errors(n, 12)

    errors = mc.bootstrap(preds, "median_absolute_error", n_resamples=300).moments.standard_error()

    # The bootstrap's own scatter is about a fifth here, the jackknife's as large as the error.
    assert abs(np.sqrt((errors**2).mean()) / theory - 1) < 0.25
    assert errors.std() / theory < 0.4


def test_a_smooth_metric_beside_a_function_keeps_its_influences():
    preds = normal_errors(50)

    alone = mc.compare(preds, "mae", n_resamples=99)
    both = mc.compare(preds, ["mae", median_of_errors], n_resamples=99)

    for frame in ("scores", "differences"):
        mine, its = getattr(alone, frame), getattr(both, frame)
        its = its[its["metric"] == "mae"].reset_index(drop=True)
        np.testing.assert_array_equal(mine["standard_error"], its["standard_error"])


def test_an_error_from_resamples_of_some_of_the_samples_is_that_of_all():
    preds = normal_errors(400, 1)

    whole, half = (
        mc.bootstrap(preds, median_of_errors, n_resamples=2000, size=size).moments.standard_error()
        for size in (None, 200)
    )

    np.testing.assert_allclose(half, whole, rtol=0.15)


def test_functions_have_resampled_intervals_at_students_level():
    preds = normal_errors(12)

    result = mc.compare(preds, quantile_of_errors, n_resamples=499)

    level = expanded_level(12, 0.95)
    # The normal quantile of that level is Student's, for a spread that is too small.
    reach = norm.ppf((1 + level) / 2) * np.sqrt(11 / 12)
    np.testing.assert_allclose(reach, t.ppf(0.975, 11), rtol=1e-6)
    wider = result.bootstrap.confidence_interval(method="BCa", confidence_level=level)
    draws = result.bootstrap.draws[:, :, 0]
    ends = np.quantile(draws[:, 0] - draws[:, 1], [(1 - level) / 2, (1 + level) / 2])
    # Wider by Student's quantiles: of the degrees that the carriers of the variance leave.
    u = np.stack([left_out(errors) for errors in np.abs(normal_numbers(12))])
    value = result.scores["estimate"].to_numpy()
    for k, model in enumerate(preds.models):
        carriers = max(3.0, carried(u[k]))
        degrees = 2 / (1 / carriers - 1 / 12) * np.clip(carriers / 8, 0.5, 1)
        expected = value[k] + (wider.loc[k, ["ci_low", "ci_high"]] - value[k]) * over(degrees, 11)
        np.testing.assert_allclose(
            result.scores.loc[k, ["ci_low", "ci_high"]].astype(float),
            np.maximum(expected.astype(float), 0), rtol=1e-6, err_msg=model,
        )  # fmt: skip
    degrees, apart = 2 * max(3.0, carried(u[0] - u[1])) - 1, value[0] - value[1]
    np.testing.assert_allclose(
        result.differences[["ci_low", "ci_high"]].iloc[0].astype(float),
        apart + (ends - apart) * over(degrees, 11), rtol=1e-6,
    )  # fmt: skip
    assert set(result.scores["method"]) == {"expanded-BCa"}
    assert set(result.differences["method"]) == {"expanded-percentile"}


def left_out(errors):
    """What leaving out each sample changes of the quantile of errors."""
    without = [np.quantile(np.delete(errors, i), 0.9) for i in range(len(errors))]
    return np.mean(without) - np.array(without)


def carried(u):
    u = u - u.mean()
    return (u**2).sum() ** 2 / (u**4).sum()


def over(degrees, most):
    return t.ppf(0.975, min(degrees, most)) / t.ppf(0.975, most)


@pytest.mark.parametrize(("n", "trials", "least"), [(30, 60, 0.88), (100, 25, 0.88)])
def test_a_root_of_a_mean_by_a_function_is_covered(n, trials, least):
    # Of 120 and of 50 intervals; that few carriers widen them is tested above, exactly.
    rng, held = np.random.default_rng(3), []
    for _ in range(trials):
        errors = rng.normal(size=(2, n))
        preds = mc.Predictions(np.zeros(n), {"a": errors[0], "b": errors[1]}, kind="values")
        result = mc.bootstrap(preds, own_rmse, n_resamples=99, rng=rng)
        found = result.score_interval("auto", 0.95)
        held += [*((found.low <= 1) & (found.high >= 1)).ravel()]
    assert np.mean(held) > least


def own_rmse(y_true, y_pred):
    return float(np.sqrt(np.mean((y_true - y_pred) ** 2)))


@pytest.mark.parametrize("n", [30, 100])
def test_a_median_by_a_function_is_covered_and_not_much_wider_than_the_exact_interval(n):
    trials, drawn = 400, 200
    rng = np.random.default_rng(n)
    x = np.abs(rng.normal(size=(trials, n)))
    picked = rng.integers(0, n, (drawn, trials, n))
    replicates = np.median(np.take_along_axis(x[None], picked, axis=2), axis=2)

    # The jackknife of a median does not describe its skewness: two values, half and half.
    level, flat = expanded_level(n, 0.95), np.zeros(trials)
    found = bca_interval(replicates, np.median(x, axis=1), flat, confidence_level=level)

    exact_low, exact_high = quantile_interval(x)
    median = norm.ppf(0.75)
    # Three standard errors of 400 trials are 0.033.
    assert ((found.low <= median) & (median <= found.high)).mean() > 0.917
    assert 0.9 < (found.high - found.low).mean() / (exact_high - exact_low).mean() < 1.2


def test_a_value_that_one_sample_decides_is_warned_of():
    preds = normal_errors(100)

    with pytest.warns(SparseDataWarning, match="largest_error of 'm0': 1 of 100 samples"):
        mc.compare(preds, largest_error, n_resamples=99)


def test_a_function_that_is_decided_on_has_an_interval_of_any_level():
    preds = normal_errors(40)
    found = mc.decide(preds, "m0", "m1", own_rmse, margin=5.0, kind="equivalent", n_resamples=99)
    assert 0 <= found.p_value <= 0.5
    low, high = (
        mc.compare(preds, own_rmse, n_resamples=99, confidence_level=level).scores
        for level in (0.5, 0.9)
    )
    assert ((high.ci_low <= low.ci_low) & (low.ci_high <= high.ci_high)).all()
