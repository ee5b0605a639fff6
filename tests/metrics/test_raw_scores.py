"""Raw scores of two classes (markers, logits): values whose order alone counts."""

import io
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

import modelcompare as mc
from modelcompare.cli import main
from modelcompare.data.checks import DataWarning
from tests.plugged import needs

ASAH = pd.read_csv(Path(__file__).parents[1] / "data" / "asah.csv", comment="#")
MARKERS = {"s100b": ASAH.s100b.to_numpy(), "wfns": ASAH.wfns.to_numpy(float)}
AREAS = ("roc_auc", "average_precision")


@pytest.fixture(scope="module")
def markers():
    return mc.Predictions(ASAH.poor, MARKERS, kind="values")


@pytest.fixture(scope="module")
def ranked():
    """The same order as probabilities."""
    scores = {m: pd.Series(x).rank(method="dense") / 200 for m, x in MARKERS.items()}
    return mc.Predictions(ASAH.poor, scores, kind="probabilities")


def test_areas_of_raw_scores_are_those_of_scikit_learn(markers):
    found = mc.compare(markers, n_resamples=99).scores.set_index(["model", "metric"]).estimate
    for model, raw in MARKERS.items():
        assert found[model, "roc_auc"] == pytest.approx(roc_auc_score(ASAH.poor, raw))
        assert found[model, "average_precision"] == pytest.approx(
            average_precision_score(ASAH.poor, raw)
        )


def test_intervals_and_tests_are_those_of_probabilities_of_the_same_order(markers, ranked):
    raw, probable = (mc.compare(p, AREAS, n_resamples=999, rng=0) for p in (markers, ranked))
    pd.testing.assert_frame_equal(raw.scores, probable.scores)
    pd.testing.assert_frame_equal(raw.differences, probable.differences)


@pytest.mark.parametrize("name", ["roc_auc_ovr", "roc_auc_ovo", "roc_auc_at_0.2"])
def test_every_form_of_the_area_takes_raw_scores(markers, ranked, name):
    raw, probable = (mc.bootstrap(p, name, n_resamples=2).point for p in (markers, ranked))
    np.testing.assert_allclose(raw, probable)


def test_macro_average_precision_turns_raw_scores_round_for_the_other_class(markers):
    found = mc.bootstrap(markers, "average_precision_macro", n_resamples=2).point[:, 0]
    parts = [
        [average_precision_score(ASAH.poor == side, sign * raw) for side, sign in ((1, 1), (0, -1))]
        for raw in MARKERS.values()
    ]
    np.testing.assert_allclose(found, np.mean(parts, axis=1))


@needs("classical")
def test_delong_of_raw_scores_is_that_of_r(markers):
    # > roc.test(roc(d$poor, d$wfns), roc(d$poor, d$s100b), method = "delong")
    found = mc.paired_test(markers, "wfns", "s100b", "roc_auc", method="delong")
    assert found.p_value == pytest.approx(0.02717578223, abs=5e-12)


def test_swaps_of_raw_scores_do_not_look_at_their_scales(markers):
    other = mc.Predictions(
        ASAH.poor, {"s100b": 1000 * MARKERS["s100b"], "wfns": MARKERS["wfns"]}, kind="values"
    )
    p_values = [
        mc.paired_test(p, "wfns", "s100b", "roc_auc", method="permutation", n_resamples=99).p_value
        for p in (markers, other)
    ]
    assert p_values[0] == p_values[1]


def test_raw_scores_of_texts_are_refused_until_the_class_is_named():
    predicted = np.where(ASAH.poor == 1, "poor", "good")
    with pytest.raises(
        ValueError, match=r"one raw score .* pass positive='poor' \(--positive poor"
    ):
        mc.Predictions(predicted, MARKERS, kind="values")
    preds = mc.Predictions(predicted, MARKERS, kind="values", positive="poor")
    assert preds.labels.tolist() == ["good", "poor"]
    found = mc.bootstrap(preds, "roc_auc", n_resamples=2).point[:, 0]
    np.testing.assert_allclose(found, [roc_auc_score(ASAH.poor, x) for x in MARKERS.values()])


def test_the_class_that_is_named_is_the_positive_one():
    predicted = np.where(ASAH.poor == 1, "poor", "good")
    turned = {model: -raw for model, raw in MARKERS.items()}
    preds = mc.Predictions(predicted, turned, kind="values", positive="good")
    found = mc.bootstrap(preds, "average_precision", n_resamples=2).point[:, 0]
    truth = ASAH.poor == 0
    np.testing.assert_allclose(found, [average_precision_score(truth, x) for x in turned.values()])


def test_numbers_beyond_0_and_1_are_taken_for_raw_scores_with_a_warning():
    with pytest.warns(DataWarning, match="beyond \\[0, 1\\] for 2 classes.*raw scores of 1"):
        preds = mc.Predictions(ASAH.poor, {"s100b": 10 * MARKERS["s100b"]})
    assert preds.output("s100b").kind == "values"
    within = mc.Predictions(ASAH.poor, {"s100b": MARKERS["s100b"] / 10})
    assert within.output("s100b").kind == "probabilities"


def test_a_few_numbers_beyond_0_and_1_are_refused_as_slips_of_probabilities():
    # Two of three default metrics would be others if one of 200 were written 1.3.
    rng = np.random.default_rng(0)
    truth, right = rng.integers(0, 2, 200), rng.random(200)
    for slip in (1.3, -0.2):
        spoilt = np.where(np.arange(200) == 3, slip, right)
        text = r"model 'a' gave numbers between 0 and 1, except in 1 row \(row 3\); correct these"
        with pytest.raises(ValueError, match=text):
            mc.Predictions(truth, {"a": spoilt, "b": right})
        table = pd.DataFrame({"y_true": truth, "a": spoilt, "b": right})
        with pytest.raises(ValueError, match=text):
            mc.read_predictions(table)
        assert mc.read_predictions(table, kind="values").access.kinds == {
            "a": "values",
            "b": "values",
        }
    # As one marker of 113 patients is: 2.07 is its largest value.
    with pytest.raises(ValueError, match="for raw scores pass kind='values'"):
        mc.Predictions(ASAH.poor, {"s100b": MARKERS["s100b"]})


def test_errors_of_raw_scores_stay_what_they_were(markers):
    found = mc.bootstrap(markers, "rmse", n_resamples=2).point[:, 0]
    errors = [np.sqrt(np.mean((ASAH.poor - raw) ** 2)) for raw in MARKERS.values()]
    np.testing.assert_allclose(found, errors)


def test_a_truth_of_two_fractions_is_measured_and_has_no_classes():
    preds = mc.Predictions([1.5, 2.5] * 5, {"a": np.arange(10) / 3}, kind="values")
    assert preds.labels is None
    assert mc.compare(preds, n_resamples=9).evidence.metrics == ("rmse", "mae", "r2")


def test_logits_keep_the_order_that_their_probabilities_lose():
    steep = {"s100b": 400 * MARKERS["s100b"]}
    preds = mc.Predictions.from_logits(ASAH.poor, steep)
    expected = roc_auc_score(ASAH.poor, MARKERS["s100b"])
    assert roc_auc_score(ASAH.poor, preds.probabilities("s100b")[:, 1]) != expected
    both = {"s100b": np.column_stack([-steep["s100b"], steep["s100b"]])}
    for made in (preds, mc.Predictions.from_logits(ASAH.poor, both), preds.subset(range(113))):
        assert mc.bootstrap(made, "roc_auc", n_resamples=2).point[0, 0] == pytest.approx(expected)


def test_logits_of_one_class_are_log_odds():
    preds = mc.Predictions.from_logits([0, 1], {"a": [0.0, np.log(3)]})
    np.testing.assert_allclose(preds.probabilities("a"), [[0.5, 0.5], [0.25, 0.75]])


def test_plain_functions_take_raw_scores():
    assert mc.metrics.roc_auc(ASAH.poor, 9 * MARKERS["s100b"] - 3) == pytest.approx(
        roc_auc_score(ASAH.poor, MARKERS["s100b"])
    )


@needs("curves")
def test_curves_and_operating_points_of_raw_scores(markers):
    points = mc.diagnostics.curve(markers["s100b"], n_resamples=9).points
    at = points[points.threshold == 0.5].iloc[0]
    positive = ASAH.poor == 1
    assert at.recall == pytest.approx((MARKERS["s100b"][positive] >= 0.5).mean())
    assert at.false_positive_rate == pytest.approx((MARKERS["s100b"][~positive] >= 0.5).mean())
    given = mc.diagnostics.operating_point(markers["wfns"], threshold=4, n_resamples=9).iloc[0]
    assert given.recall == pytest.approx((MARKERS["wfns"][positive] >= 4).mean())


def test_a_table_of_markers_is_compared_in_one_command(tmp_path, capsys):
    table = ASAH.assign(y_true=np.where(ASAH.poor == 1, "poor", "good"))[["y_true", "s100b"]]
    table.to_csv(tmp_path / "markers.csv", index=False)
    options = ["--kind", "values", "--resamples", "99", "--format", "csv"]
    assert main(["compare", str(tmp_path / "markers.csv"), *options]) == 2
    assert "(--positive poor)" in capsys.readouterr().err
    main(["compare", str(tmp_path / "markers.csv"), *options, "--positive", "poor"])
    out, err = capsys.readouterr()
    assert "classes: good, poor (positive: poor)" in err
    found = pd.read_csv(io.StringIO(out)).set_index("metric").estimate
    assert found["roc_auc"] == pytest.approx(roc_auc_score(ASAH.poor, MARKERS["s100b"]))


@pytest.mark.parametrize("kind", ["values", "auto"])
def test_a_marker_has_the_auc_that_proc_gives_it(tmp_path, kind):
    ASAH.to_csv(tmp_path / "asah.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        preds = mc.read_predictions(
            tmp_path / "asah.csv", columns={"true": "poor"}, models=["ndka"], kind=kind
        )
    raw = mc.compare(preds, "roc_auc", n_resamples=99).scores["estimate"].item()
    logits = mc.Predictions.from_logits(ASAH.poor, {"ndka": ASAH.ndka})
    by_logits = mc.compare(logits, "roc_auc", n_resamples=99).scores["estimate"].item()
    assert round(raw, 5) == round(by_logits, 5) == 0.61196
