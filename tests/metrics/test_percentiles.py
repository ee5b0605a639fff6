"""Percentiles of scores: numpy's definition, names, directions, and the commands of the docs."""

import re
from itertools import chain

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.metrics.quantiles import percentile_of
from tests.plugged import needs

pytestmark = pytest.mark.filterwarnings("ignore::modelcompare.metrics.SparseDataWarning")
DEFINITION = "averaged_inverted_cdf"


@pytest.mark.parametrize("n", [1, 7, 20, 100, 333])
@pytest.mark.parametrize("p", [0.0, 5.0, 12.5, 25.0, 50.0, 75.0, 95.0, 99.0, 99.9, 100.0])
def test_a_percentile_is_numpys(n, p):
    x = np.random.default_rng(n).lognormal(size=n).round(1)
    expected = np.quantile(x, p / 100, method=DEFINITION)
    assert mc.metrics.percentile(x, p=p) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("p", [7, 14, 28, 55, 56, 57, 58])
def test_shares_that_floating_point_misses_are_exact(p):
    # 0.07 * 100 is 7.000000000000001 in floating point: the 7th and the 8th of 100 both fit.
    assert mc.metrics.percentile(np.arange(1.0, 101.0), p=p) == p + 0.5


@pytest.mark.parametrize("p", [0, 10, 50, 95, 100])
def test_a_weight_is_a_number_of_equal_samples(p):
    rng = np.random.default_rng(1)
    x, times = rng.normal(size=50), rng.integers(0, 4, 50)
    expected = mc.metrics.percentile(np.repeat(x, times), p=p)
    for scale in (1.0, 0.37):
        weighted = mc.metrics.percentile(x, p=p, sample_weight=times * scale)
        assert weighted == pytest.approx(expected)


def test_resamples_are_percentiles_of_the_drawn_samples():
    x = np.random.default_rng(3).lognormal(size=40)
    preds = mc.Predictions.from_scores({"m": x}, greater_is_better=False)
    result = mc.bootstrap(preds, "p90", n_resamples=30)
    for drawn, value in zip(
        chain.from_iterable(result.weights.blocks()), result.draws[:, 0, 0], strict=True
    ):
        repeated = np.repeat(x, drawn.astype(int))
        assert value == pytest.approx(np.quantile(repeated, 0.9, method=DEFINITION))


LOGGED = {
    model: {"correct": [1.0, 1, 0, 1, 0], "latency_ms": latency, "a_p5": [1.0, 2, 3, 4, 5]}
    for model, latency in (("old", [5.0, 6, 7, 8, 90]), ("new", [4.0, 5, 6, 7, 8]))
}


def test_names_of_percentiles_of_several_scores():
    preds = mc.Predictions.from_scores(LOGGED)
    found = mc.compare(preds, ["latency_ms_p50", "latency_ms_p99.5", "correct"], n_resamples=9)
    assert found.evidence.metrics == ("latency_ms_p50", "latency_ms_p99.5", "correct")
    old = found.scores.query("model == 'old'").set_index("metric")["estimate"]
    assert old.tolist() == [7.0, 90.0, 0.6]
    better = {name: metric.greater_is_better for name, metric in found.evidence.metric_info.items()}
    assert better == {"latency_ms_p50": False, "latency_ms_p99.5": False, "correct": True}


def test_a_score_that_is_named_like_a_percentile_is_itself():
    preds = mc.Predictions.from_scores(LOGGED)
    found = mc.compare(preds, ["a_p5", "a_p5_p50"], n_resamples=9).scores
    assert found.query("model == 'old'")["estimate"].tolist() == [3.0, 3.0]
    assert percentile_of("a_p5", ["a", "a_p5"]) is None
    assert percentile_of("a_p5", ["a"]) == ("a", 5.0)


@pytest.mark.parametrize("metric", ["p50", "latency_ms_p50"])
def test_of_one_named_score_the_name_may_be_left_out(metric):
    only = {model: {"latency_ms": own["latency_ms"]} for model, own in LOGGED.items()}
    found = mc.compare(mc.Predictions.from_scores(only), metric, n_resamples=9)
    assert found.evidence.metrics == ("latency_ms_p50",)
    assert not found.evidence.metric_info["latency_ms_p50"].greater_is_better


REFUSED = {
    "there is no score 'p50'; the models have correct, latency_ms, a_p5, and percentiles of these, "
    "such as a_p5_p95.": lambda: mc.compare(mc.Predictions.from_scores(LOGGED), "p50"),
    "`p` must be in [0, 100], got 101.": lambda: mc.metrics.percentile([1.0, 2.0], p=101),
    "there is no score 'latency_p50'": lambda: mc.compare(
        mc.Predictions.from_scores(LOGGED), "latency_p50"
    ),
    "metric 'p95' needs scores, but model 'm' gave labels": lambda: mc.compare(
        mc.Predictions([0, 1, 1], {"m": [0, 1, 0]}), "p95"
    ),
    "metric 'p95' is not a sum over samples, and a sketch stores sums only": lambda: mc.compare(
        mc.io.sketch(mc.Predictions.from_scores({"m": np.arange(9.0)}), "mean_score"), "p95"
    ),
}  # fmt: skip


@needs("large")
@pytest.mark.parametrize("message", REFUSED)
def test_what_has_no_percentile_is_refused_with_advice(message):
    with pytest.raises(ValueError, match=re.escape(message)):
        REFUSED[message]()


def latencies(tmp_path, n=400):
    rng = np.random.default_rng(0)
    hard = rng.normal(size=n)
    rows = []
    for model, skill, scale in (("old", 1.3, 5.0), ("new", 1.5, 4.8)):
        rows.append(pd.DataFrame({
            "id": np.arange(n), "model": model,
            "correct": (rng.normal(size=n) < skill - hard).astype(int),
            "latency_ms": np.exp(scale + 0.3 * hard + 0.4 * rng.normal(size=n)).round(1),
        }))  # fmt: skip
    path = tmp_path / "latencies.csv"
    pd.concat(rows).to_csv(path, index=False)
    return path


def test_cheaper_and_not_worse_is_one_gate_on_a_table_of_answers_and_latencies(tmp_path):
    preds = mc.read_predictions(latencies(tmp_path), columns={"score": ["correct", "latency_ms"]})
    found = mc.gate(
        preds, "old", "new", ["correct:-0.05", "latency_ms_p50:+0", "latency_ms_p95:+0"],
        n_resamples=99,
    )  # fmt: skip
    correct, p50, p95 = found.decisions
    assert (correct.kind, p50.kind, p95.kind) == ("non-inferior", "superior", "superior")
    old, new = (np.array(preds.output(model).array)[:, 1] for model in ("old", "new"))
    gain = np.quantile(old, 0.95, method=DEFINITION) - np.quantile(new, 0.95, method=DEFINITION)
    assert p95.gain == pytest.approx(gain)
    assert found.passed == all(decision.passed for decision in found.decisions)
    assert [each.assumption.split("; ")[-1] for each in found.decisions] == [
        "higher is better, by its name", *["lower is better, by its name"] * 2
    ]  # fmt: skip


def test_the_interval_of_a_decision_is_that_of_the_difference(tmp_path):
    preds = mc.read_predictions(latencies(tmp_path), columns={"score": ["correct", "latency_ms"]})
    decided = mc.decide(preds, "old", "new", "latency_ms_p95", margin=5.0, n_resamples=99)
    result = mc.bootstrap(preds, "latency_ms_p95", n_resamples=2)
    found = result.difference_interval(np.array([0]), np.array([1]), "auto", 0.9)
    np.testing.assert_allclose(
        [decided.ci_low, decided.ci_high], [found.low[0, 0], found.high[0, 0]]
    )
    # At the level of the p-value the bound is the margin.
    level = 1 - 2 * min(decided.p_value, 1 - decided.p_value)
    at_p = result.difference_interval(np.array([0]), np.array([1]), "auto", level)
    end = at_p.low if decided.p_value < 0.5 else at_p.high
    assert end[0, 0] == pytest.approx(-5.0, abs=1e-3)
