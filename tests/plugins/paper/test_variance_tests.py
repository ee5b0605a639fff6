from typing import get_args

import numpy as np
import pytest
from scipy import stats

import modelcompare as mc
from modelcompare.plugins.paper.variance_tests import RowMoments, variance_test
from modelcompare.plugins.paper.words import VarianceTest

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=60), RNG.normal(scale=1.4, size=45)


def of(frame, test):
    row = frame[frame.test == test].iloc[0]
    return row.statistic, row.p_value


def test_they_equal_scipys():
    frame = mc.inference.variance_tests(X, Y)
    assert frame.test.tolist() == ["f", "bartlett", "levene", "brown-forsythe", "fligner"]
    np.testing.assert_allclose(of(frame, "bartlett"), stats.bartlett(X, Y))
    np.testing.assert_allclose(of(frame, "levene"), stats.levene(X, Y, center="mean"))
    np.testing.assert_allclose(of(frame, "brown-forsythe"), stats.levene(X, Y, center="median"))
    np.testing.assert_allclose(of(frame, "fligner"), stats.fligner(X, Y))
    ratio = X.var(ddof=1) / Y.var(ddof=1)
    p_value = 2 * min(stats.f.cdf(ratio, 59, 44), stats.f.sf(ratio, 59, 44))
    np.testing.assert_allclose(of(frame, "f"), (ratio, p_value))


def test_they_are_the_formulas_of_their_papers():
    frame, sides = mc.inference.variance_tests(X, Y), (X, Y)
    n = np.array([len(X), len(Y)])
    for test, centre in (("levene", np.mean), ("brown-forsythe", np.median)):
        apart = [np.abs(side - centre(side)) for side in sides]
        np.testing.assert_allclose(of(frame, test), stats.f_oneway(*apart))
    variances, free = np.array([side.var(ddof=1) for side in sides]), n - 1
    pooled = free @ variances / free.sum()
    k = free.sum() * np.log(pooled) - free @ np.log(variances)
    k /= 1 + ((1 / free).sum() - 1 / free.sum()) / 3
    np.testing.assert_allclose(of(frame, "bartlett"), (k, stats.chi2.sf(k, 1)))
    apart = np.concatenate([np.abs(side - np.median(side)) for side in sides])
    scores = stats.norm.ppf(0.5 + stats.rankdata(apart) / (2 * (n.sum() + 1)))
    means = np.array([scores[: len(X)].mean(), scores[len(X) :].mean()])
    q = n @ (means - scores.mean()) ** 2 / scores.var(ddof=1)
    np.testing.assert_allclose(of(frame, "fligner"), (q, stats.chi2.sf(q, 1)))


def test_pitman_morgan_is_the_correlation_of_sums_and_differences():
    y = 0.7 * X + RNG.normal(size=60)
    found = of(mc.inference.variance_tests(X, y, paired=True), "pitman-morgan")
    correlation = stats.pearsonr(X + y, X - y)
    t = correlation.statistic * np.sqrt(58 / (1 - correlation.statistic**2))
    np.testing.assert_allclose(found, (t, correlation.pvalue))


def test_missing_numbers_are_left_out():
    holed = np.r_[X, np.nan, np.nan]
    frame, plain = mc.inference.variance_tests(holed, Y), mc.inference.variance_tests(X, Y)
    np.testing.assert_allclose(frame.statistic, plain.statistic)
    np.testing.assert_allclose(frame.p_value, plain.p_value)


@pytest.mark.parametrize("test", ["f", "bartlett", "levene", "brown-forsythe", "fligner"])
def test_many_rows_at_once_are_row_by_row(test):
    x, y = RNG.normal(size=(4, 30)), RNG.normal(size=(4, 30))
    x[2, :5] = np.nan
    together = variance_test(test, RowMoments(x), RowMoments(y))
    for i in range(4):
        alone = variance_test(test, RowMoments(x[i : i + 1]), RowMoments(y[i : i + 1]))
        np.testing.assert_allclose([t[i] for t in together], [a[0] for a in alone])


def test_constants_have_no_variance_to_compare():
    for constant in ([1.0] * 20, [1 / 3] * 30, [0.3] * 3 + [0.1 + 0.2]):
        for x, y, name in (constant, constant, "x"), (constant, X, "x"), (X, constant, "y"):
            with pytest.raises(ValueError, match=f"`{name}` is constant"):
                mc.inference.variance_tests(x, y)


@pytest.mark.parametrize("test", get_args(VarianceTest))
def test_replicates_that_never_vary_have_no_p_value(test):
    constant = np.full((1, 30), 1 / 3)
    statistic, p_value = variance_test(
        test, RowMoments(constant), RowMoments(np.full((1, 30), 0.7))
    )
    assert np.isnan([statistic, p_value]).all()


def test_bad_input():
    with pytest.raises(ValueError, match="got 'pitman-morgan'; it needs paired=True"):
        mc.inference.variance_tests(X, Y, tests=["pitman-morgan"])
    with pytest.raises(ValueError, match="`tests` must be of f, bartlett"):
        mc.inference.variance_tests(X, Y, tests=["ansari"])
    with pytest.raises(ValueError, match="`x` has 60 numbers and `y` 45"):
        mc.inference.variance_tests(X, Y, paired=True)
    with pytest.raises(ValueError, match="need at least 2 numbers each, there are 1 and 45"):
        mc.inference.variance_tests([1.0], Y)
