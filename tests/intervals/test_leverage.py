"""Differences between clusters and texts of unequal sizes, against regressions by their matrices."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

import modelcompare as mc
from modelcompare.intervals.leverage import leveraged_differences
from modelcompare.intervals.sizes import denominator_shares, disagreements, effective_units
from tests.plugged import needs

ONE_PAIR = np.array([0]), np.array([1])


def difference_of(preds, metric=None):
    result = mc.bootstrap(preds, metric, n_resamples=2)
    found = result.difference_interval(*ONE_PAIR, "auto", 0.95)
    return found.low[0], found.high[0], found.method[0], result


def leveraged(result, *, standardized):
    e = result.evaluation
    return leveraged_differences(
        e, e.metrics, e.estimate(), ONE_PAIR, standardized=standardized
    )  # fmt: skip


def bell_mccaffrey(values, groups):
    """Error and degrees of freedom of a mean, by the matrices of a regression on a constant."""
    n, x = len(values), np.ones((len(values), 1))
    bread = np.linalg.inv(x.T @ x)
    residual_maker = np.eye(n) - x @ bread @ x.T
    residuals = residual_maker @ values
    meat, directions = 0.0, []
    for g in np.unique(groups):
        own = groups == g
        eigenvalues, vectors = np.linalg.eigh(residual_maker[np.ix_(own, own)])
        adjustment = vectors @ np.diag(eigenvalues**-0.5) @ vectors.T
        meat += (x[own].T @ adjustment @ residuals[own]).item() ** 2
        directions.append(residual_maker[own].T @ adjustment @ x[own] @ bread)
    gram = np.hstack(directions).T @ np.hstack(directions)
    return bread.item() * meat**0.5, np.trace(gram) ** 2 / np.trace(gram @ gram)


@pytest.mark.parametrize("standardized", [True, False])
def test_error_and_degrees_are_those_of_a_regression_on_a_constant(standardized):
    rng = np.random.default_rng(3)
    sizes = np.array([1, 2, 3, 3, 5, 8, 13, 25])
    groups = np.repeat(np.arange(8), sizes)
    scores = rng.normal(size=(2, 60)) + rng.normal(size=8)[groups]
    preds = mc.Predictions.from_scores({"a": scores[0], "b": scores[1]}, groups=groups)

    result = mc.bootstrap(preds, n_resamples=2)
    error, degrees = leveraged(result, standardized=standardized)

    apart = scores[0] - scores[1]
    expected, most = bell_mccaffrey(apart, groups)
    assert error[0, 0] == pytest.approx(expected, rel=1e-9)
    sums = np.bincount(groups, apart - apart.mean()) / np.sqrt(1 - sizes / 60)
    sums /= np.sqrt(np.maximum(sizes / 60, 0.1 / 8)) if standardized else 1
    carriers = (sums**2).sum() ** 2 / (sums**4).sum()
    assert degrees[0, 0] == pytest.approx(min(most, 2 * carriers - 1), rel=1e-9)


def test_equal_clusters_have_the_errors_of_the_jackknife():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 240)
    models = {m: np.where(rng.random(240) < 0.7, y, rng.integers(0, 3, 240)) for m in "ab"}
    preds = mc.Predictions(y, models, groups=np.arange(240) % 12)

    result = mc.bootstrap(preds, ["accuracy", "f1_macro"], n_resamples=2)
    error, degrees = leveraged(result, standardized=False)

    jackknife = result.moments.standard_error(ONE_PAIR)
    assert error[0, 0] == pytest.approx(jackknife[0, 0], rel=1e-9)
    assert error[0, 1] == pytest.approx(jackknife[0, 1], rel=0.02)
    assert (degrees <= 11 + 1e-9).all()


@pytest.mark.parametrize("metric", ["accuracy", "f1", "recall", "precision_macro", "f1_weighted",
                                    "log_loss", "cf1", "roc_auc", "cohen_kappa"])  # fmt: skip
def test_shares_add_up_to_one_and_give_the_effective_numbers(metric):
    rng = np.random.default_rng(5)
    y, groups = rng.integers(0, 2, 90), rng.integers(0, 9, 90) ** 2
    p = rng.random((2, 90))
    outputs = {m: np.stack([1 - q, q], axis=1) for m, q in zip("ab", p, strict=True)}
    preds = mc.Predictions(y, outputs, groups=groups, sample_weight=rng.random(90))
    evaluation = mc.bootstrap(preds, metric, n_resamples=2).evaluation

    shares = denominator_shares(evaluation, evaluation.metrics[0], slice(None))

    np.testing.assert_allclose(shares.sum(axis=0), 1.0)
    expected = 1 / np.square(shares).sum(axis=0)
    np.testing.assert_allclose(effective_units(evaluation, evaluation.metrics), expected)


def test_fewer_than_six_clusters_and_strata_keep_the_jackknife():
    x = np.random.default_rng(6).normal(size=(2, 60))
    scores = dict(zip("ab", x, strict=True))
    few = mc.Predictions.from_scores(scores, groups=np.arange(60) % 5)
    enough = mc.Predictions.from_scores(scores, groups=np.arange(60) % 6)
    stratified = mc.Predictions.from_scores(
        scores, groups=np.arange(60) // 6, strata=np.arange(60) // 30
    )

    methods = [difference_of(preds)[2].item() for preds in (few, enough, stratified)]

    assert methods == ["t", "bias-reduced-t", "t"]


@needs("texts")
def test_texts_of_unequal_lengths_have_intervals_of_their_words():
    rng = np.random.default_rng(7)
    lengths = np.ceil(8 * rng.lognormal(sigma=1.2, size=40)).astype(int)

    def preds(lengths):
        hypotheses = {
            m: [" ".join(np.where(rng.random(k) < 0.2, "b", "a")) for k in lengths] for m in "ab"
        }
        return mc.Predictions([" ".join("a" * k) for k in lengths], hypotheses, kind="texts")

    low, high, method, result = difference_of(preds(lengths), "wer")
    assert method.item() == "bias-reduced-t"
    # The jackknife that leaves the longest text out is wider, and so is Hall's transformation.
    assert high - low < 2 * t.ppf(0.975, 39) * 1.6 * result.moments.standard_error(ONE_PAIR)[0]
    assert difference_of(preds(np.full(40, 9)), "wer")[2].item() == "hall-t"


@pytest.mark.parametrize("n_clusters", [8, 30])
def test_differences_between_clusters_of_lognormal_sizes_are_covered(n_clusters):
    rng, covered = np.random.default_rng(9), []
    pairs = np.zeros(9, dtype=int), np.arange(1, 10)
    for _ in range(12):
        size = np.ceil(10 * rng.lognormal(sigma=1.5, size=n_clusters)).astype(int)
        groups = np.repeat(np.arange(n_clusters), size)
        effects = rng.normal(size=(10, n_clusters))[:, groups]
        scores = rng.normal(size=effects.shape) + 0.5 * effects
        preds = mc.Predictions.from_scores(
            dict(zip("abcdefghij", scores, strict=True)), groups=groups
        )
        result = mc.bootstrap(preds, n_resamples=2)
        found = result.difference_interval(*pairs, "auto", 0.95)
        covered.extend((found.low[:, 0] <= 0) & (found.high[:, 0] >= 0))

    # Of 108 intervals, 9 of each draw with one model in common.
    assert np.mean(covered) > 0.925 - 0.06


def test_disagreements_are_counted_by_value():
    rng = np.random.default_rng(10)
    y, p = rng.integers(0, 3, 50), rng.dirichlet(np.ones(3), 50)
    q = p.copy()
    q[3, [0, 1]], q[7] = q[3, [1, 0]], q[7] * (1 + 1e-13)
    evaluation = mc.bootstrap(
        mc.Predictions(y, {"a": p, "b": q}), ["cf1", "cf1_macro", "log_loss"], n_resamples=2
    ).evaluation

    of_class, of_average, of_loss = (
        disagreements(evaluation, metric, ONE_PAIR) for metric in evaluation.metrics
    )

    np.testing.assert_array_equal(of_class, [[1, 1, 0]])
    assert of_average.tolist() == [[1]]
    assert of_loss.tolist() == [[float(y[3] != 2)]]


@pytest.mark.parametrize("n", [50, 400])
def test_a_model_and_its_twin_are_compared_by_their_differences(n):
    rng, covered = np.random.default_rng(11), []
    for _ in range(40):
        x = rng.lognormal(size=n)
        twin = x + 0.01 * rng.normal(size=n)
        low, high, _, result = difference_of(mc.Predictions.from_scores({"a": x, "b": twin}))
        covered.append(low[0] <= 0 <= high[0])
        error = result.moments.standard_error(ONE_PAIR)[0, 0]
        assert high[0] - low[0] < 2 * error * t.ppf(0.975, n / 4)

    assert np.mean(covered) > 0.85


@pytest.mark.parametrize("n_apart", [0, 1, 2, 3])
def test_few_disagreements_leave_room_for_one_that_was_not_seen(n_apart):
    rng = np.random.default_rng(12)
    x = rng.normal(size=100)
    other = np.where(np.arange(100) < n_apart, x + 0.01, x)

    low, high, *_ = difference_of(mc.Predictions.from_scores({"a": x, "b": other}))

    one_more = np.sqrt(2) * x.std(ddof=1) / 100
    assert high[0] - low[0] > 2 * 1.9 * one_more


@pytest.mark.parametrize("n_clusters", [12, 30])
def test_residuals_are_standardized_where_clusters_are_few(n_clusters):
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(n_clusters), 1 + rng.geometric(0.2, n_clusters))
    scores = rng.normal(size=(2, len(groups))) + rng.normal(size=(2, n_clusters))[:, groups]
    preds = mc.Predictions.from_scores({"a": scores[0], "b": scores[1]}, groups=groups)
    low, high, method, result = difference_of(preds)
    assert method[0] == "bias-reduced-t"
    widths = [
        2 * error[0, 0] * t.ppf(0.975, degrees[0, 0])
        for error, degrees in (leveraged(result, standardized=is_few) for is_few in (True, False))
    ]
    assert widths[0] != pytest.approx(widths[1], rel=1e-3)
    assert high[0] - low[0] == pytest.approx(widths[n_clusters > 20], rel=1e-9)
