"""A comparison of some classes is that of all, without the others."""

import pickle

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

import modelcompare as mc
from tests.plugged import needs

PREDS = mc.load_example("snli")
OPTIONS = {"n_resamples": 999, "rng": 3}


def rows_of(frame, label="neutral"):
    return frame[frame["label"] == label].reset_index(drop=True)


@pytest.mark.parametrize("metric", ["f1", "cf1", "jaccard"])
@pytest.mark.parametrize("method", ["auto", "percentile"])
def test_scores_and_p_values_of_a_class_are_those_among_all_classes(metric, method):
    one = mc.compare(PREDS, f"{metric}[neutral]", method=method, **OPTIONS)
    every = mc.compare(PREDS, [metric], method=method, **OPTIONS)
    ranks = ["rank_low", "rank_high"]
    assert_frame_equal(one.scores.drop(columns=ranks), rows_of(every.scores).drop(columns=ranks))
    adjusted = ["p_adjusted", "better"]
    assert_frame_equal(
        one.differences.drop(columns=adjusted), rows_of(every.differences).drop(columns=adjusted)
    )
    # Six pairs of one class, instead of eighteen tests: Holm's factors are smaller.
    assert (one.differences["p_adjusted"] <= rows_of(every.differences)["p_adjusted"]).all()
    assert one.evidence.family_sizes == {metric: 6}


@pytest.mark.parametrize("correction", ["max-t", "min-p", "hochberg", "hommel", "fdr_bh"])
def test_every_correction_is_of_the_class_alone(correction):
    one = mc.compare(PREDS, "f1[neutral]", correction=correction, **OPTIONS)
    every = mc.compare(PREDS, "f1", correction=correction, **OPTIONS)
    low, high = one.differences["p_value"], rows_of(every.differences)["p_adjusted"]
    assert (one.differences["p_adjusted"] >= low).all()
    # The false discovery rate of many small p-values may be lower beside them.
    if correction != "fdr_bh":
        assert (one.differences["p_adjusted"] <= high + 1e-12).all()
    assert np.isfinite(one.simultaneous_intervals().ci_low).all()


@needs("suites")
@pytest.mark.parametrize("method", ["auto", "wilson", "studentized"])
def test_means_over_test_sets_of_a_class_are_those_among_all_classes(method):
    sets = {"s": PREDS.subset(range(300)), "t": PREDS.subset(range(300, 700))}
    options = {"method": method, "n_resamples": 99}
    one = mc.compare_groups(sets, "recall[neutral]", **options)
    every = mc.compare_groups(sets, "recall", **options)
    assert_frame_equal(one.pooled_scores, rows_of(every.pooled_scores))
    corrected = ["p_adjusted", "better"]
    alone = rows_of(every.pooled_differences).drop(columns=corrected)
    assert_frame_equal(one.pooled_differences.drop(columns=corrected), alone)


def test_a_comparison_of_a_class_is_written_drawn_and_pickled():
    result = mc.compare(PREDS, ["f1[neutral]", "accuracy"], **OPTIONS)
    again = pickle.loads(pickle.dumps(result))
    assert_frame_equal(again.scores, result.scores)
    assert "f1 of neutral" in result.verdict()
    assert "entailment" not in result.to_markdown()
    assert "['f1[neutral]', 'accuracy']" in result.document().reproduce
    result.plot()
    assert len(result.standings) == 2 * len(PREDS.models)


def test_a_note_is_of_the_class_that_is_named():
    y_true = ["rare"] * 9 + ["common"] * 91
    preds = mc.Predictions(
        y_true, {"a": ["rare"] * 5 + ["common"] * 95, "b": ["common"] * 90 + ["rare"] * 10}
    )
    assert mc.compare(preds, "recall[rare]", **OPTIONS).verdict().splitlines()[-1] == (
        "recall of rare: as uncertain as 9 samples; class rare has 9."
    )
    assert "as uncertain as" not in mc.compare(preds, "recall[common]", **OPTIONS).verdict()
