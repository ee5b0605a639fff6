"""Scores whose better direction nothing determines: no model is better, and decisions ask."""

import json
from functools import partial

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.report.figures.style import DIFFERENT, SAME
from tests.plugged import needs, plugged
from tests.report.written import as_json

RNG = np.random.default_rng(0)
A = RNG.normal(0, 1, 100)
B = A + 0.3 + RNG.normal(0, 0.5, 100)
SCORES = {"A": A, "B": B, "C": B + RNG.normal(0, 0.02, 100)}
PREDS = mc.Predictions.from_scores(SCORES)
FEW = {"n_resamples": 199}
ASKED = (
    r"whether high or low values of .* are good is not known; declare it with greater_is_better=True"
    r" or False \(--higher-is-better or --lower-is-better\)"
)


@pytest.fixture(scope="module")
def result():
    return mc.compare(PREDS, **FEW)


def test_the_higher_model_is_called_higher_and_nobody_leads(result):
    two = mc.compare(PREDS[["A", "B"]], **FEW)
    assert two.verdict() == "mean_score: B is highest (0.36) and is higher than A (p < 0.001)."
    assert result.verdict().startswith(
        "mean_score: B is highest (0.36) but is not significantly different from C ("
    )
    assert "; it is higher than A." in result.verdict()
    against = mc.compare(PREDS, baseline="A", **FEW)
    assert "B and C are higher than the baseline A (" in against.verdict()
    for text in (str(two), str(result), against.to_markdown(), two._repr_html_() or ""):
        assert "is better" not in text
        assert "leads" not in text


def test_ranks_tiers_and_the_better_model_are_missing(result):
    assert result.differences["better"].isna().all()
    assert result.differences["p_adjusted"].min() < 0.05
    assert result.scores[["rank", "rank_low", "rank_high"]].isna().all(axis=None)
    assert result.standings[["tier", "may_be_best", "p_best"]].isna().all(axis=None)
    assert result.standings["letters"].tolist() == ["a", "a", "b"]
    written = json.loads(as_json(result))
    assert {row["rank"] for row in written["scores"]} == {None}
    assert "rank" not in result.document().tables["mean_score"].header
    leads = result.leads(every=True)
    assert leads[["model", "other"]].to_numpy().tolist() == [["B", "C"], ["B", "A"], ["C", "A"]]
    assert (leads["lead"] > 0).all()


def test_the_same_scores_with_a_direction_have_the_same_numbers(result):
    for up in (True, False):
        known = mc.compare(mc.Predictions.from_scores(SCORES, greater_is_better=up), **FEW)
        numbers = ["difference", "ci_low", "ci_high", "p_value", "p_adjusted"]
        pd.testing.assert_frame_equal(known.differences[numbers], result.differences[numbers])
        assert known.scores["rank"].tolist() == ([3, 1, 2] if up else [1, 3, 2])


def test_another_metric_beside_keeps_its_ranks():
    scores = {m: {"wer": np.abs(x), "judge": x} for m, x in SCORES.items()}
    found = mc.compare(mc.Predictions.from_scores(scores), **FEW)
    ranks = found.scores.set_index("metric")["rank"]
    assert sorted(ranks["wer"]) == [1, 2, 3]
    assert ranks["judge"].isna().all()
    printed = [note for table in found.document().printed() for note in table.notes]
    assert "judge: the direction is not known" in " ".join(printed)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: mc.decide(PREDS, "A", "B", "mean_score", margin=0.1),
        lambda: mc.decide(PREDS, "A", "B", "mean_score", margin=0.1, kind="equivalent"),
        lambda: mc.gate(PREDS, "A", "B", ["mean_score:-0.1"]),
        lambda: mc.testing.assert_not_worse(PREDS, "A", "B", "mean_score", margin=0.1),
        *(partial(ask, SCORES) for ask in plugged("UNDIRECTED").values()),
        lambda: mc.compare(PREDS, **FEW).plot.ranks(),
        pytest.param(
            lambda: mc.compare_groups({"x": PREDS, "y": PREDS}, **FEW).friedman("mean_score"),
            marks=needs("suites", "published"),
        ),
        lambda: mc.read_predictions(
            pd.DataFrame({"a": [1.0, None, 0.0], "b": [1.0, 0.0, 1.0]}), missing="worst"
        ),
    ],
)
def test_what_needs_a_direction_asks(ask):
    with pytest.raises(ValueError, match=ASKED):
        ask()


def test_tests_and_sizes_need_no_direction():
    known = mc.Predictions.from_scores(SCORES, greater_is_better=False)
    tests = [mc.paired_test(each, "A", "B", "mean_score", **FEW) for each in (PREDS, known)]
    assert tests[0].p_value == tests[1].p_value < 1e-4
    sizes = [mc.sample_size(each, "A", "B", metric="mean_score") for each in (PREDS, known)]
    assert sizes[0].sentence() == sizes[1].sentence()


@needs("suites")
def test_groups_say_higher():
    sets = {
        name: mc.Predictions.from_scores({m: x + i * (m == "B") for m, x in SCORES.items()})
        for i, name in enumerate(("x", "y"))
    }
    found = mc.compare_groups(sets, **FEW)
    assert "mean of 2 test sets: B is highest (" in found.verdict()
    assert "and is higher than C and A (p < 0.001)" in found.verdict()
    assert found.pooled_differences["better"].isna().all()
    assert "ranks_mean_score" not in found.document().figures
    sliced = mc.Predictions.from_scores(SCORES, slices={"part": np.arange(100) % 2})
    parts = mc.compare_groups(sliced, by="part", **FEW)
    assert "mean_score: B is highest in " in parts.verdict()
    assert "; its lowest value is " in parts.verdict()
    for each in (found, parts):
        assert "better" not in each.verdict()
        assert "leads" not in each.verdict()


def test_figures_colour_no_model(result):
    figure = result.plot.forest()
    scores, differences = figure.axes[:2]
    colours = {line.get_color() for line in scores.get_lines()}
    assert colours.isdisjoint({SAME.colour, DIFFERENT.colour})
    assert scores.get_xlabel() == "95 % CI, direction not known"
    assert differences.get_xlabel().endswith("a is higher on the right")
    assert result.document().tables["mean_score"].tested is None


def test_metrics_know_their_direction():
    assert mc.get_metric("mean_score").greater_is_better is None
    assert mc.get_metric("p95").greater_is_better is None
    assert mc.get_metric("mean_score").merit == "Direction not known."
