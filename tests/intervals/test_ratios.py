"""Intervals of ratios of counts and their averages against statsmodels, plain loops written from the formulas, laws."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaincinv
from scipy.stats import norm, t
from statsmodels.stats.proportion import proportion_confint

from modelcompare.intervals.averages import (
    Average,
    comparable_mean,
    effective_size_interval,
    mover_interval,
    outcome_counts,
)
from modelcompare.intervals.confusions import Confusions
from modelcompare.intervals.ratios import Trials, class_interval, proportion, wilson
from modelcompare.metrics import ClassRatio

Z = norm.ppf(0.975)


def fbeta(beta):
    """Beta times a miss weighs what a false alarm does."""
    both = 1 + beta**2
    return ClassRatio((both, 0, 0, 0), (both, beta**2, 1, 0))


RECALL = ClassRatio((1, 0, 0, 0), (1, 1, 0, 0))
JACCARD = ClassRatio((1, 0, 0, 0), (1, 1, 1, 0))
F1 = fbeta(1.0)
RATIOS = {
    "precision": ClassRatio((1, 0, 0, 0), (1, 0, 1, 0)),
    "recall": RECALL,
    "specificity": ClassRatio((0, 0, 0, 1), (0, 0, 1, 1)),
    "jaccard": JACCARD,
    "f1": F1,
    "f2": fbeta(2.0),
    "f0.5": fbeta(0.5),
}
confusions = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.integers(0, 9), min_size=k * k, max_size=k * k).map(
        lambda cells: np.array(cells, dtype=float).reshape(k, k)
    )
)


def interval_of_classes(counts, ratio, level=0.95):
    return class_interval(Trials.of(counts, counts, ratio), level)


def tables(confusion, squares=None):
    return Confusions.of_tables(confusion, confusion if squares is None else squares)


def average(confusion, ratio, *, weighted=False, squares=None):
    return Average(tables(confusion, squares), ratio, weighted)


def interval_of(confusion, ratio, level=0.95, *, weighted=False, squares=None):
    method = mover_interval if confusion.shape[-1] == 2 else effective_size_interval
    return method(average(confusion, ratio, weighted=weighted, squares=squares), level)


@pytest.mark.parametrize("n", [1, 7, 40, 300])
def test_wilson_is_that_of_statsmodels(n):
    count = np.arange(n + 1.0)

    low, high = wilson(count / n, np.full(n + 1, float(n)), Z)

    expected = proportion_confint(count, n, method="wilson")
    np.testing.assert_allclose(low, expected[0], atol=1e-12)
    np.testing.assert_allclose(high, expected[1], atol=1e-12)


def test_the_modified_interval_replaces_wilsons_bound_for_one_to_three_successes_only():
    n = 60
    count = np.arange(n + 1.0)

    low, high = proportion(count / n, np.full(n + 1, float(n)))

    expected = np.array(proportion_confint(count, n, method="wilson"))
    for x in (1, 2, 3):
        # A Poisson count of x has mean above gamma^-1 with probability 0.95.
        expected[0, x] = gammaincinv(x, 0.05) / n
        expected[1, n - x] = 1 - expected[0, x]
    np.testing.assert_allclose([low, high], expected, atol=1e-12)


def test_the_modified_interval_covers_where_wilsons_does_not():
    # Of 5 with 0.965: Wilson's leaves out the truth at 4 of 5 or fewer, 16 %.
    low, high = proportion(np.array(0.8), np.array(5.0))

    assert wilson(np.array(0.8), np.array(5.0), Z)[1] < 0.965 < high
    assert low < 0.8


def test_f1_and_jaccard_follow_from_the_share_of_hits_among_hits_and_errors():
    confusion = np.array([[30.0, 4.0, 1.0], [2.0, 5.0, 0.0], [0.0, 3.0, 40.0]])

    low, high = interval_of_classes(outcome_counts(tables(confusion).margins), F1)
    jaccard = interval_of_classes(outcome_counts(tables(confusion).margins), JACCARD)

    for k in range(3):
        hits = confusion[k, k]
        errors = confusion[k].sum() + confusion[:, k].sum() - 2 * hits
        ends = proportion(np.array(hits / (hits + errors)), np.array(hits + errors))
        np.testing.assert_allclose([low[k], high[k]], [2 * f / (1 + f) for f in ends], rtol=1e-12)
        np.testing.assert_allclose([jaccard[0][k], jaccard[1][k]], ends, rtol=1e-12)


def test_f2_lies_within_what_its_failures_could_be():
    counts = np.array([20.0, 3.0, 8.0, 100.0])

    low, high = interval_of_classes(counts, fbeta(2.0))

    # By hand: F* = 20/31 by Wilson at the seen failure weight, the share of FN of 11 by Wilson.
    share = (3.5) / 12
    d = 4 * share + 1 * (1 - share)
    of_share = proportion(np.array(20 / 31), np.array(31.0))
    of_kind = wilson(np.array(share), np.array(11.0), Z)

    def value(f, weight):
        return 5 * f / (5 * f + weight * (1 - f))

    centre = value(20 / 31, d)
    down = np.hypot(centre - value(of_share[0], d), centre - value(20 / 31, 1 + 3 * of_kind[1]))
    up = np.hypot(value(of_share[1], d) - centre, value(20 / 31, 1 + 3 * of_kind[0]) - centre)
    np.testing.assert_allclose([low, high], [centre - down, centre + up], rtol=1e-12)


def looped_effective_size(confusion, level=0.95):
    """Macro F1 from the steps of the formula, class by class, without any correction of bias."""
    k = len(confusion)
    x = np.diag(confusion)
    rows, columns = confusion.sum(axis=1), confusion.sum(axis=0)
    trials = rows + columns - x
    prior = (sum(x[i] / trials[i] for i in range(k)) + 0.5) / (k + 1)
    shrunk = [(x[i] + 2 * prior) / (trials[i] + 2) for i in range(k)]
    value = [2 * f / (1 + f) for f in shrunk]
    own, seen = [], []
    for f, hits, d in zip(shrunk, x, trials, strict=True):
        v = f * (1 - f) / (d * (1 - d / (d + 2) ** 2)) * (2 / (1 + f) ** 2) ** 2
        own.append(v / k**2)
        f = hits / d
        seen.append(f * (1 - f) / d * (2 / (1 + f) ** 2) ** 2 / k**2)
    # An error that is added, not seen, fails two classes.
    variance = 2 * sum(own) - sum(seen)
    s = rows + columns
    for i in range(k):
        for j in range(i):
            together = confusion[i, j] + confusion[j, i]
            variance += 2 * together * value[i] * value[j] / (s[i] * s[j] * k**2)
    centre = sum(2 * x[i] / s[i] for i in range(k)) / k
    for f, d in zip(shrunk, trials, strict=True):
        centre += 2 * f * (1 - f) / (1 + f) ** 3 / d / k
    middle = sum(value) / k
    f_middle = middle / (2 - middle)
    n_e = f_middle * (1 - f_middle) / (variance * (2 / (2 - middle) ** 2) ** 2)
    df = variance**2 / sum(v**2 / d for v, d in zip(own, trials, strict=True))
    q = t.ppf((1 + level) / 2, df)
    f = centre / (2 - centre)
    mid = (f * n_e + q**2 / 2) / (n_e + q**2)
    half = q * np.sqrt(f * (1 - f) * n_e + q**2 / 4) / (n_e + q**2)
    return [2 * end / (1 + end) for end in (mid - half, mid + half)]


def test_the_effective_size_interval_of_macro_f1_is_that_of_a_plain_loop():
    confusion = np.array([[30, 4, 1, 2], [2, 9, 0, 5], [0, 3, 20, 1], [4, 4, 1, 12.0]])

    low, high = effective_size_interval(average(confusion, F1))

    np.testing.assert_allclose([low, high], looped_effective_size(confusion), rtol=1e-12)


@pytest.mark.parametrize("ratio", ["f1", "jaccard"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "right"), [(150, 0.986), (200, 0.99), (60, 0.95), (100, 0.99)])
def test_averages_of_three_classes_cover_near_the_ceiling(ratio, weighted, n, right):
    def value(tables):
        parts = RATIOS[ratio](
            np.diagonal(tables, axis1=-2, axis2=-1), tables.sum(axis=-2), tables.sum(axis=-1)
        )
        return np.divide(*parts).mean(axis=-1)

    population = np.where(np.eye(3, dtype=bool), right, (1 - right) / 2) / 3
    drawn = np.random.default_rng(0).multinomial(n, population.ravel(), 2000)

    low, high = interval_of(drawn.reshape(-1, 3, 3) * 1.0, RATIOS[ratio], weighted=weighted)

    assert np.mean((low <= value(population)) & (value(population) <= high)) > 0.93


def test_the_effective_size_interval_of_macro_recall_has_no_covariance():
    confusion = np.array([[30, 4, 1], [2, 9, 0], [0, 3, 20.0]])
    rows, x = confusion.sum(axis=1), np.diag(confusion)
    prior = (sum(x / rows) + 0.5) / 4
    shrunk = (x + 2 * prior) / (rows + 2)
    own = shrunk * (1 - shrunk) / (rows * (1 - rows / (rows + 2) ** 2)) / 9
    middle, variance = shrunk.mean(), own.sum()
    df = variance**2 / sum(own**2 / rows)
    size = middle * (1 - middle) / variance
    expected = wilson(np.mean(x / rows), size, t.ppf(0.975, df))

    found = effective_size_interval(average(confusion, RECALL))

    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_mover_of_two_classes_is_that_of_a_plain_loop():
    confusion = np.array([[90.0, 6.0], [3.0, 11.0]])
    low, high = interval_of_classes(outcome_counts(tables(confusion).margins), F1)
    more = confusion + 0.5
    influence = np.zeros((2, 2, 2))
    values = []
    for k in range(2):
        s = more[k].sum() + more[:, k].sum()
        f = 2 * more[k, k] / s
        values.append(2 * confusion[k, k] / (confusion[k].sum() + confusion[:, k].sum()))
        for i in range(2):
            for j in range(2):
                influence[k, i, j] = (2 * (i == j == k) - f * ((i == k) + (j == k))) / s
    cov = np.array([[(more * influence[a] * influence[b]).sum() for b in (0, 1)] for a in (0, 1)])
    rho = cov[0, 1] / np.sqrt(cov[0, 0] * cov[1, 1])
    values = np.array(values)
    ends = []
    for sign, bound in ((-1, low), (1, high)):
        r = np.abs(values - bound) / 2
        ends.append(values.mean() + sign * np.sqrt(r[0] ** 2 + r[1] ** 2 + 2 * rho * r[0] * r[1]))

    np.testing.assert_allclose(mover_interval(average(confusion, F1)), ends, rtol=1e-12)


# All ratios of each table: to draw one takes longer than an interval of it.
@settings(max_examples=25, deadline=None)
@given(confusion=confusions)
def test_averages_hold_their_estimate_within_their_bounds(confusion):
    for name, weighted in product(RATIOS, [False, True]):
        a = average(confusion, RATIOS[name], weighted=weighted)
        if not a.of_any:
            continue

        low, high = interval_of(confusion, RATIOS[name], weighted=weighted)

        estimate = a.mean(a.values)
        assert 0 <= low <= estimate + 1e-12, name
        assert estimate - 1e-12 <= high <= 1, name
        assert high - low > 1e-6, name


@settings(max_examples=20, deadline=None)
@given(confusion=confusions, data=st.data())
def test_the_order_of_the_classes_does_not_matter(confusion, data):
    order = data.draw(st.permutations(range(len(confusion))))
    for name, ratio in RATIOS.items():
        if not average(confusion, ratio).of_any:
            continue

        found = interval_of(confusion, ratio)
        again = interval_of(confusion[np.ix_(order, order)], ratio)

        np.testing.assert_allclose(found, again, atol=1e-9, err_msg=name)


@settings(max_examples=30, deadline=None)
@given(confusion=confusions)
def test_classes_hold_their_estimate_and_widen_with_the_level(confusion):
    counts = outcome_counts(tables(confusion).margins)
    for name, ratio in RATIOS.items():
        a = average(confusion, ratio)
        some = a.trials.size > 0

        low, high = interval_of_classes(counts, ratio)
        wider = interval_of_classes(counts, ratio, 0.99)

        assert (low <= a.values + 1e-12)[some].all(), name
        assert (high >= a.values - 1e-12)[some].all(), name
        assert (high - low > 1e-6).all(), name
        assert (wider[0] <= low + 1e-12).all(), name
        assert (wider[1] >= high - 1e-12).all(), name


@pytest.mark.parametrize("name", RATIOS)
def test_weights_that_are_all_equal_are_no_weights(name):
    confusion = np.array([[30.0, 4.0, 1.0], [2.0, 5.0, 0.0], [0.0, 3.0, 40.0]])

    found = interval_of(2.5 * confusion, RATIOS[name], squares=2.5**2 * confusion)

    np.testing.assert_allclose(found, interval_of(confusion, RATIOS[name]), rtol=1e-9)


def test_unequal_weights_count_for_fewer_samples():
    confusion = np.array([[30.0, 4.0], [2.0, 25.0]])

    even = interval_of(confusion, F1)
    uneven = interval_of(confusion, F1, squares=3 * confusion)

    assert uneven[0] < even[0] < even[1] < uneven[1]


def test_the_mean_for_a_difference_counts_classes_that_are_only_predicted_in_precision_alone():
    # Two classes have one sample each, so that about 2 * 1 / 2 more have none by chance.
    confusion = np.array([[4, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=float)
    means = {
        name: comparable_mean(average(confusion, RATIOS[name]))
        for name in ("precision", "recall", "f1")
    }

    # The precisions are 1, 1, unknown and, of the class that is only predicted, 0.
    assert means["precision"] == pytest.approx(0.75 * 1 * 2 / (2 + 1))
    assert means["recall"] == pytest.approx(0.75 * np.mean([0.8, 1, 0]))
    assert means["f1"] == pytest.approx(np.mean([8 / 9, 1, 0]))


def test_a_ratio_that_subtracts_is_no_share_of_successes():
    assert ClassRatio((1, 0, 0, 0), (1, 1, 1, 0)).is_share
    assert not ClassRatio((1, 0, 0, 0), (1, 1, -1, 0)).is_share
    assert not ClassRatio((1, -1, 0, 0), (1, 1, 0, 0)).is_share
