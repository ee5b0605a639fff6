"""Intervals of quantiles: order statistics, effective numbers, and differences (MOVER)."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, t

import modelcompare as mc
from modelcompare.intervals.quantiles import quantile_interval
from modelcompare.metrics import SparseDataWarning
from tests.plugged import needs

pytestmark = pytest.mark.filterwarnings("ignore::modelcompare.metrics.SparseDataWarning")


def scores(n, n_models=2, seed=0, **options):
    found = np.random.default_rng(seed).lognormal(size=(n_models, n))
    models = {f"m{i}": row for i, row in enumerate(found)}
    return mc.Predictions.from_scores(models, greater_is_better=False, **options)


@given(st.integers(2, 400), st.sampled_from([0.05, 0.5, 0.9, 0.95, 0.99]), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_ends_lie_between_the_order_statistics_of_the_binomial_law(n, share, seed):
    x = np.sort(np.random.default_rng(seed).lognormal(size=n))

    low, high = quantile_interval(x, share, 0.95)

    # x[d - 1] is above the quantile if fewer than d values are below it, x[d] if at most d are.
    d = np.arange(1, n + 1)
    lower, upper = (d[law(d - 1, n, share) <= 0.025] for law in (binom.cdf, binom.sf))
    assert (not len(lower) and low == -np.inf) or x[lower[-1] - 1] <= low <= x[
        min(lower[-1], n - 1)
    ]
    assert (not len(upper) and high == np.inf) or x[max(upper[0] - 2, 0)] <= high <= x[upper[0] - 1]


def test_the_ends_of_a_quantile_are_those_of_its_mirror_image():
    x = np.random.default_rng(0).lognormal(size=300)
    low, high = quantile_interval(x, 0.95)
    np.testing.assert_allclose(quantile_interval(-x, 0.05), (-high, -low))


@pytest.mark.parametrize("share", [0.9, 0.97])
@pytest.mark.parametrize("shape", [0.2, 1.5])
def test_each_bound_errs_as_often_as_promised_whatever_the_tail(share, shape):
    rng, n = np.random.default_rng(3), 300
    x, true = rng.pareto(1 / shape, (8000, n)) + 1, (1 - share) ** -shape

    low, high = quantile_interval(x, share)

    # Of 0.025 each; three standard errors of 8,000 trials are 0.0052, and interpolation errs too.
    assert abs((low > true).mean() - 0.025) < 0.0075
    assert abs((high < true).mean() - 0.025) < 0.0075


@pytest.mark.parametrize(("n", "metric", "least"), [(367, "p99", 368), (71, "p95", 72)])
def test_a_quantile_beyond_the_data_has_no_upper_end(n, metric, least):
    # The largest of n values is a bound at 0.975 only if p ** n <= 0.025.
    share = int(metric[1:]) / 100
    assert share**n > 0.025 >= share**least

    few, enough = (mc.compare(scores(k), metric, n_resamples=99) for k in (n, least))

    assert np.isinf(few.scores["ci_high"]).all()
    assert np.isfinite(few.scores["ci_low"]).all()
    assert np.isinf(few.differences[["ci_low", "ci_high"]]).all(axis=None)
    assert np.isfinite(enough.scores["ci_high"]).all()
    assert np.isfinite(enough.differences[["ci_low", "ci_high"]]).all(axis=None)


def test_a_missing_end_is_warned_of_and_announces_nothing():
    fast, slow = np.random.default_rng(0).lognormal(size=(2, 50)) * [[1], [100]]
    preds = mc.Predictions.from_scores({"fast": fast, "slow": slow}, greater_is_better=False)
    with pytest.warns(SparseDataWarning, match="order-statistics interval of p99 of 'fast'"):
        found = mc.compare(preds, "p99", n_resamples=199)
    assert found.differences["p_value"].tolist() == [1.0]
    decided = mc.decide(preds, "slow", "fast", "p99", kind="superior", n_resamples=99)
    assert decided.answer == "not enough data"
    assert decided.sentence().endswith(
        "More samples would give the gain bounds. p99: as uncertain as 1 sample."
    )
    # A mean without a range has no guaranteed level; a quantile needs no range.
    assert (
        "No level is promised"
        in mc.decide(
            preds, "slow", "fast", "mean_score", kind="superior", n_resamples=99
        ).sentence()
    )
    assert "No level is promised" not in decided.sentence()


def test_a_missing_end_is_that_of_a_declared_range():
    preds = scores(50, bounds=(0.0, 60.0))
    found = mc.compare(preds, "p99", n_resamples=99)
    assert found.scores["ci_high"].tolist() == [60.0, 60.0]
    assert np.isfinite(found.differences[["ci_low", "ci_high"]]).all(axis=None)


def test_scores_that_are_all_equal_show_nothing_of_others():
    preds = mc.Predictions.from_scores(dict.fromkeys("ab", np.full(500, 3.0)), bounds=(0.0, 9.0))
    found = mc.compare(preds, "p50", n_resamples=99)
    assert found.scores[["ci_low", "ci_high"]].to_numpy().tolist() == [[0.0, 9.0]] * 2


def half_count_correlation(x, y, share):
    """Correlation of two shares below, with half a sample in both cells of disagreement."""
    below_x, below_y = (z <= np.sort(z)[int(share * len(z)) - 1 : int(share * len(z)) + 1].mean()
                        for z in (x, y))  # fmt: skip
    plain = np.corrcoef(below_x, below_y)[0, 1]
    variance = len(x) * share * (1 - share)
    return plain * variance / (variance + 0.5)


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_bounds_of_a_difference_are_movers(share):
    rng = np.random.default_rng(7)
    common = rng.normal(size=400)
    x, y = np.exp(common + rng.normal(size=(2, 400)))
    preds = mc.Predictions.from_scores({"x": x, "y": y}, greater_is_better=False)

    result = mc.bootstrap(preds, f"p{100 * share:g}", n_resamples=2)
    found = result.difference_interval(np.array([0]), np.array([1]), "auto", 0.95)

    (a, b), r = result.point[:, 0], half_count_correlation(x, y, share)
    (low_a, high_a), (low_b, high_b) = (quantile_interval(z, share) for z in (x, y))
    below = (a - low_a) ** 2 + (high_b - b) ** 2 - 2 * r * (a - low_a) * (high_b - b)
    above = (high_a - a) ** 2 + (b - low_b) ** 2 - 2 * r * (high_a - a) * (b - low_b)
    ends = [a - b - below**0.5, a - b + above**0.5]
    np.testing.assert_allclose([found.low[0, 0], found.high[0, 0]], ends)
    assert found.method[0, 0] == "mover"


def woodruff_size(below, weight, unit, share):
    """Effective number of samples, by a loop over units: Woodruff's variance, Student's degrees."""
    units = sorted({*unit})
    mean = sum(w * b for w, b in zip(weight, below, strict=True)) / weight.sum()
    sums = [sum(weight[i] * (below[i] - mean) for i in range(len(unit)) if unit[i] == u)
            for u in units]  # fmt: skip
    variance = len(units) / (len(units) - 1) * sum(z**2 for z in sums) / weight.sum() ** 2
    carriers = sum(z**2 for z in sums) ** 2 / sum(z**4 for z in sums)
    ratio = 1.959963984540054 / t.ppf(0.975, min(carriers, len(units) - 1))
    return min(share * (1 - share) / variance * ratio**2, weight.sum() ** 2 / (weight**2).sum())


@pytest.mark.parametrize("design", ["groups", "sample_weight", "both"])
def test_clusters_and_weights_have_an_effective_number_of_samples(design):
    rng = np.random.default_rng(2)
    n, unit = 600, np.repeat(np.arange(60), 10)
    x = np.exp(np.repeat(rng.normal(size=60), 10) + rng.normal(size=n))
    weight = rng.lognormal(0, 0.5, n)
    options = {"groups": unit, "sample_weight": weight}
    options = options if design == "both" else {design: options[design]}
    preds = mc.Predictions.from_scores({"x": x, "y": x[::-1]}, greater_is_better=False, **options)
    weight = options.get("sample_weight", np.ones(n))
    unit = options.get("groups", np.arange(n))

    result = mc.bootstrap(preds, "p90", n_resamples=2)
    found = result.score_interval("auto", 0.95)

    size = woodruff_size((x <= result.point[0, 0]).astype(float), weight, unit, 0.9)
    low, high = quantile_interval(x, 0.9, weights=weight, size=size)
    np.testing.assert_allclose([found.low[0, 0], found.high[0, 0]], [low, high])
    assert size < n
    beyond = len(np.unique(unit[x > result.point[0, 0]])) if "groups" in options else n
    assert found.n_informative[0, 0] == pytest.approx(min(2 * 0.1 * size, beyond))


def test_no_more_clusters_inform_than_have_a_sample_beyond_the_quantile():
    # Of 30 clusters of 20 samples, nine have four slow ones each.
    slow = np.tile(np.arange(20) < 4, 30) & np.repeat(np.arange(30) < 9, 20)
    x = np.random.default_rng(4).random(600) + 10 * slow
    groups = np.repeat(np.arange(30), 20)
    preds = mc.Predictions.from_scores({"x": x}, groups=groups, greater_is_better=False)
    found = mc.bootstrap(preds, ["p50", "p95"], n_resamples=2).score_interval("auto", 0.95)
    assert found.n_informative.tolist() == [[30, 9]]
    with pytest.warns(mc.SparseDataWarning, match="p95"):
        mc.compare(preds, "p95", n_resamples=99)


def test_whole_weights_are_repeated_samples():
    x = np.random.default_rng(0).normal(size=80)
    times = np.random.default_rng(1).integers(1, 4, 80)
    weighted = quantile_interval(x, 0.8, weights=times.astype(float), size=float(times.sum()))
    np.testing.assert_allclose(weighted, quantile_interval(np.repeat(x, times), 0.8))


def test_strata_leave_the_variance_within_them():
    # All of one stratum, and half of the other, are below the quantile of 3/4.
    x = np.r_[np.random.default_rng(0).normal(size=200), np.random.default_rng(1).normal(9, 1, 200)]
    preds = mc.Predictions.from_scores(
        {"x": x}, greater_is_better=True, strata=np.arange(400) // 200,
        groups=np.repeat(np.arange(40), 10),
    )  # fmt: skip
    result = mc.bootstrap(preds, "p75", n_resamples=2)
    found = result.score_interval("auto", 0.95)

    below = (x <= result.point[0, 0]).reshape(40, 10).sum(axis=1)
    squares = [(20 / 19 * (own - own.mean()) ** 2) for own in (below[:20], below[20:])]
    squares = np.concatenate(squares)
    degrees = min(squares.sum() ** 2 / (squares**2).sum(), 39)
    ratio = 1.959963984540054 / t.ppf(0.975, degrees)
    size = 0.75 * 0.25 * 400**2 / squares.sum() * ratio**2
    assert min(size, 400) == 400
    # No cluster of the first stratum has a sample beyond the quantile, all of the second have.
    assert found.n_informative[0, 0] == 20


def test_intervals_of_higher_levels_contain_those_of_lower_ones():
    result = mc.bootstrap(scores(900, seed=5), "p95", n_resamples=2)
    a, b = np.array([0]), np.array([1])
    levels = [0.5, 0.8, 0.9, 0.95, 0.99]
    for find in (result.score_interval, lambda *args: result.difference_interval(a, b, *args)):
        for narrow, wide in itertools.pairwise(find("auto", level) for level in levels):
            assert (wide.low <= narrow.low).all()
            assert (narrow.high <= wide.high).all()


def test_the_p_value_of_a_paired_test_is_not_below_that_of_the_interval():
    rng = np.random.default_rng(4)
    preds = mc.Predictions.from_scores(
        {"a": rng.lognormal(size=150), "b": 1.5 * rng.lognormal(size=150)},
        greater_is_better=False,
    )
    options = {"metric": "p90", "n_resamples": 199}
    result = mc.bootstrap(preds, "p90", n_resamples=2)
    for alternative, sides in (("two-sided", 2), ("less", 1)):
        found = mc.paired_test(preds, "a", "b", alternative=alternative, **options)
        assert found.difference < 0
        level = 1 - 2 * found.p_value / sides
        ends = result.difference_interval(np.array([0]), np.array([1]), "auto", level)
        # Not beyond 0 at that level: where the swaps have a larger p-value, below it.
        assert ends.high[0, 0] < 1e-3
    assert mc.paired_test(preds, "a", "b", alternative="greater", **options).p_value > 0.5


def test_equal_percentiles_of_unlike_laws_do_not_differ_in_fifty_samples():
    # Of 60 test sets; swaps alone find a difference in 0.385 of them.
    rng, found = np.random.default_rng(0), []
    for _ in range(60):
        a = rng.lognormal(size=50)
        b = rng.normal(10, 2, 50) * np.exp(2.326348) / (10 + 2 * 2.326348)
        preds = mc.Predictions.from_scores({"a": a, "b": b}, greater_is_better=False)
        found.append(mc.paired_test(preds, "a", "b", "p99", n_resamples=99).p_value < 0.05)
    assert not any(found)


@needs("runs")
def test_the_mean_of_quantiles_of_ten_small_runs_is_covered():
    # A run of 20 has two numbers above its 90 % quantile, which lies between two of all numbers:
    # measured from it, they are nearer than from the true one. Without half a number more of each
    # run, 0.86 of these intervals hold the mean of the true quantiles.
    n, runs, rng, held = 20, 10, np.random.default_rng(2), []
    item, run = (each.ravel() for each in np.indices((n, runs)))
    for _ in range(120):
        level = rng.normal(size=runs)
        numbers = level[run] + rng.exponential(size=n * runs)
        preds = mc.Predictions.from_scores({"m": numbers}, groups=item, runs=run)
        found = mc.bootstrap(preds, "p90", n_resamples=2).score_interval("auto", 0.95)
        held.append(found.low[0, 0] <= level.mean() + np.log(10) <= found.high[0, 0])
    assert np.mean(held) > 0.9


def test_ends_go_beyond_the_order_statistics_by_a_share_of_the_weight():
    x = np.arange(1.0, 1001.0)
    low, high = quantile_interval(x)
    assert quantile_interval(x, beyond=0.01) == pytest.approx((low - 10, high + 10))
    assert quantile_interval(x, 0.005, beyond=0.002)[0] == -np.inf
