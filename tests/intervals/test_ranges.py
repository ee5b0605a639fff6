"""Default intervals stay within the range of their metric, on every type of data."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

import modelcompare as mc
from modelcompare.intervals.base import REFUSED
from modelcompare.intervals.ratios import proportion
from modelcompare.metrics import METRICS, from_callable
from tests.plugged import of_plugins

PAIRS = (np.array([0, 0, 1]), np.array([1, 2, 2]))
CALIBRATION = [
    name for name in METRICS if "ece" in name or name in ("rms_calibration_error", "mce",
                                                         "brier_reliability")
]  # fmt: skip
WORDS = np.array(["the", "cat", "sat", "on", "mats", "today"])


def outputs_of(kind, rng, n):
    """The truth of n samples, and what three models gave."""
    if kind == "values":
        truth = rng.lognormal(size=n)
        return truth, {
            m: truth * rng.lognormal(0, s, n) for m, s in zip("abc", (0.1, 1, 2), strict=True)
        }
    if kind == "log probabilities":
        truth = rng.integers(5, 40, n).astype(float)
        return truth, {
            m: -truth * rng.lognormal(0, s, n) for m, s in zip("abc", (0.1, 0.5, 1), strict=True)
        }
    if kind == "texts":

        def text():
            return " ".join(rng.choice(WORDS, 4))

        truth = [text() for _ in range(n)]
        return truth, {m: [text() for _ in truth] for m in "abc"}
    truth = np.r_[0, 1, rng.integers(0, 2, n - 2)]
    scores = {m: rng.normal(size=(n, 2)) * s for m, s in zip("abc", (0.5, 2, 5), strict=True)}
    return truth, {m: np.exp(x) / np.exp(x).sum(axis=1, keepdims=True) for m, x in scores.items()}


def options_of(design, rng, n):
    return {
        "plain": {},
        "clusters": {"groups": np.arange(n) % 5},
        "strata": {"strata": np.arange(n) % 3},
        "weights": {"sample_weight": rng.random(n) + 0.1},
    }[design]


def metrics_of(kind):
    """Every metric by name for such outputs, and a function of the caller's own."""
    logs = ["perplexity", "perplexity_of_texts"]
    if kind == "log probabilities":
        return logs
    served = {"probabilities": {"probabilities", "labels"}}.get(kind, {kind})
    names = [m.name for m in METRICS.values() if m.needs in served and m.name not in logs]
    own = from_callable(_share_of_equals, name="equals", needs=kind, bounds=(0.0, 1.0))
    return [*names, own] if kind == "values" else names


def _share_of_equals(y_true, y_output):
    return float(np.mean(np.abs(y_true - y_output) < 1))


def assert_within(found, value, least, most):
    # Calibration errors of clusters and weights have none, by name.
    known = ~np.isnan(value) & (found.method != REFUSED)
    slack = 1e-9 * np.maximum(1, np.abs(value))
    assert (found.low <= value + slack)[known].all()
    assert (found.high >= value - slack)[known].all()
    assert (found.low >= least - slack)[known].all()
    assert (found.high <= most + slack)[known].all()


@pytest.mark.parametrize("design", ["plain", "clusters", "strata", "weights"])
@pytest.mark.parametrize(
    "kind",
    of_plugins(
        ["probabilities", "values", "log probabilities", "texts"],
        texts=["log probabilities", "texts"],
    ),
)
@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(8, 40))
def test_every_metric_by_name_keeps_to_its_range(kind, design, seed, n):
    rng = np.random.default_rng(seed)
    metrics = metrics_of(kind)
    if design == "weights":
        metrics = [name for name in metrics if isinstance(name, str)]
    if design == "strata":
        # Of calibration errors strata change the correlation of two models alone: one shows it.
        metrics = [name for name in metrics if name == "ece" or name not in CALIBRATION]
    options = options_of(design, rng, n)
    kinds = {"kind": "values" if kind == "log probabilities" else kind}
    preds = mc.Predictions(*outputs_of(kind, rng, n), **kinds, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = mc.bootstrap(preds, metrics, n_resamples=30)
        scores = result.score_interval("auto", 0.95)
        differences = result.difference_interval(*PAIRS, "auto", 0.95)
    bounds = {metric.name: metric.bounds for metric in result.evaluation.metrics}
    least, most = np.array([bounds[key.metric] for key in result.evaluation.keys]).T

    assert_within(scores, result.point, least, most)
    assert_within(
        differences, result.point[PAIRS[0]] - result.point[PAIRS[1]], least - most, most - least
    )


RANKING = ["nDCG@10", "AP", "RR", "P@10", "R@100", "recip_rank", "ndcg_cut_10"]


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(3, 12))
def test_ranking_measures_of_queries_keep_between_0_and_1(seed, n):
    rng = np.random.default_rng(seed)

    def drawn():
        return {"a": 1 / rng.geometric(0.7, n), "b": rng.beta(0.3, 2, n), "c": np.ones(n)}

    scores = {name: drawn() for name in RANKING}
    preds = mc.Predictions.from_scores(
        {m: {name: scores[name][m] for name in RANKING} for m in "abc"}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = mc.compare(preds, n_resamples=99)

    assert len(result.scores) == 3 * len(RANKING)
    assert (result.scores.ci_low >= 0).all()
    assert (result.scores.ci_high <= 1).all()
    assert (result.differences.ci_low >= -1).all()
    assert (result.differences.ci_high <= 1).all()


def test_scores_that_leave_what_their_name_says_have_no_range():
    per_cent = {m: {"RR": [100.0, 50.0, 33.0, 100.0, 20.0]} for m in "ab"}

    (metric,) = mc.bootstrap(mc.Predictions.from_scores(per_cent), n_resamples=9).evaluation.metrics

    assert metric.bounds == (-np.inf, np.inf)


def test_intervals_for_all_differences_at_once_keep_to_the_range_too():
    rng = np.random.default_rng(2)
    truth = np.array([0, 1] * 6)
    models = {m: np.where(rng.random(12) < 0.3 * i, truth, 1 - truth) for i, m in enumerate("abcd")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = mc.compare(
            mc.Predictions(truth, models), "accuracy", n_resamples=199, correction="max-t"
        )

    for frame in (result.simultaneous_intervals(), result.leads()):
        assert frame.ci_low.min() >= -1
        assert frame.ci_high.max() <= 1


def intervals_of_scores(scores, **options):
    preds = mc.Predictions.from_scores({"a": scores}, bounds=(0, 1), **options)
    scored = mc.compare(preds, "mean_score").scores.iloc[0]
    return scored["ci_low"], scored["ci_high"]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.sampled_from([0.0, 0.2, 0.7, 1.0]), min_size=3, max_size=60))
def test_means_of_independent_scores_vary_no_more_than_shares(scores):
    found = intervals_of_scores(np.array(scores))
    widest = proportion(np.array(np.mean(scores)), np.array(float(len(scores))))
    assert widest[0] - 1e-9 <= found[0] <= found[1] <= widest[1] + 1e-9


def test_one_low_score_of_many_makes_no_wide_interval():
    scores = np.r_[0.1, np.ones(49)]
    low, high = intervals_of_scores(scores)
    # As of 49 or 50 of 50 right answers: clearly narrower than Student's with one degree.
    assert proportion_confint(49, 50, method="wilson")[0] < low < 0.95
    assert 0.99 < high <= 1
    # Neither clusters nor unequal weights are so many trials.
    low, high = intervals_of_scores(scores, groups=np.arange(50) // 2)
    assert high - low > 0.2
