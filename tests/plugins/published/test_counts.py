"""Tables of counts, against the samples that they count."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import confusion_matrix
from statsmodels.stats.contingency_tables import cochrans_q, mcnemar

import modelcompare as mc
from tests.plugged import needs

RNG = np.random.default_rng(3)
TRUE = RNG.choice(["cat", "dog", "emu"], 200)
SAID = {
    m: np.where(RNG.random(200) < 0.7, TRUE, RNG.choice(["cat", "dog", "emu"], 200)) for m in "ab"
}
FRAME = pd.DataFrame({"y_true": TRUE, **SAID})
WHOLE = mc.Predictions(TRUE, SAID)
METRICS = ["accuracy", "f1", "f1_macro", "mcc"]


def estimates(preds):
    return mc.bootstrap(preds, METRICS, n_resamples=2).estimate


def test_a_matrix_gives_every_metric_of_its_samples():
    matrix = confusion_matrix(TRUE, SAID["a"])
    found = mc.io.from_counts(matrix, "a", labels=["cat", "dog", "emu"])
    pd.testing.assert_series_equal(estimates(found), estimates(WHOLE["a"]))


def test_a_confusion_matrix_of_this_package_goes_both_ways():
    matrix = mc.diagnostics.confusion_matrix(TRUE, SAID["a"])
    preds = mc.io.from_counts(matrix, "a")
    outputs = preds.labels[preds.predicted("a")]
    pd.testing.assert_frame_equal(mc.diagnostics.confusion_matrix(preds.y_true, outputs), matrix)


def test_rows_are_the_truth_as_in_scikit_learn():
    preds = mc.io.from_counts([[50, 3], [9, 38]], "cnn")
    assert confusion_matrix(preds.y_true, preds.predicted("cnn")).tolist() == [[50, 3], [9, 38]]


def test_headings_of_a_frame_are_classes_in_any_order():
    table = pd.crosstab(TRUE, SAID["a"])
    shuffled = table.loc[["emu", "cat", "dog"], ["dog", "emu", "cat"]]
    for frame in (table, shuffled):
        found = mc.io.from_counts(frame, "a", labels=["cat", "dog", "emu"])
        pd.testing.assert_series_equal(estimates(found), estimates(WHOLE["a"]))
    assert mc.io.from_counts(shuffled, "a").labels.tolist() == ["emu", "cat", "dog"]


def test_a_class_that_was_never_predicted_has_no_column():
    table = pd.crosstab(np.array(["u", "v", "w"] * 5), np.array(["u", "v", "v"] * 5))
    assert table.shape == (3, 2)
    preds = mc.io.from_counts(table, "a")
    assert preds.labels.tolist() == ["u", "v", "w"]
    assert mc.bootstrap(preds, "accuracy", n_resamples=2).estimate.item() == pytest.approx(2 / 3)


@needs("classical")
def test_right_and_wrong_of_two_models_are_mcnemars_table():
    table = np.array([[59, 6], [16, 80]])
    preds = mc.io.from_counts(table, ("a", "b"))
    for method, options in {
        "mcnemar-exact": {"exact": True},
        "mcnemar-chi2-corrected": {"exact": False, "correction": True},
    }.items():
        found = mc.paired_test(preds, "a", "b", "mean_score", method=method)
        assert found.p_value == pytest.approx(mcnemar(table, **options).pvalue)
    assert found.difference == pytest.approx((6 - 16) / 161)
    greater = mc.paired_test(
        preds, "a", "b", "mean_score", method="mcnemar-exact", alternative="greater"
    )
    assert greater.p_value == pytest.approx(stats.binom.sf(5, 22, 0.5))


@needs("classical")
def test_a_crosstab_of_truth_values_begins_with_wrong():
    right = {m: SAID[m] == TRUE for m in "ab"}
    preds = mc.io.from_counts(pd.crosstab(right["a"], right["b"]), ("a", "b"))
    for metric, whole in (("mean_score", preds), ("accuracy", WHOLE)):
        found = mc.bootstrap(whole, metric, n_resamples=2).estimate.tolist()
        assert found == pytest.approx([right["a"].mean(), right["b"].mean()])
    of_scores, of_labels = (
        mc.paired_test(p, "a", "b", metric, method="mcnemar-midp")
        for p, metric in ((preds, "mean_score"), (WHOLE, "accuracy"))
    )
    assert of_scores.p_value == of_labels.p_value
    always = mc.io.from_counts(pd.crosstab(np.full(200, True), right["b"]), ("a", "b"))
    assert mc.bootstrap(always, n_resamples=2).estimate.tolist()[0] == 1


@needs("omnibus")
def test_right_and_wrong_of_three_models_are_cochrans():
    table = RNG.integers(1, 30, (2, 2, 2))
    preds = mc.io.from_counts(table, ("a", "b", "c"))
    right = 1 - np.repeat(np.indices((2, 2, 2)).reshape(3, -1), table.ravel(), axis=1)
    found = mc.inference.omnibus_test(preds, "mean_score")
    assert found.statistic == pytest.approx(cochrans_q(right.T).statistic)


def test_a_series_of_joint_counts_is_everything_of_all_models():
    counts = FRAME.groupby(["b", "y_true", "a"]).size()
    found = mc.io.from_counts(counts)
    assert found.models == ("b", "a")
    pd.testing.assert_series_equal(estimates(found[["a", "b"]]), estimates(WHOLE))
    expected, p = (
        mc.paired_test(x, "a", "b", "f1_macro", method="wald").p_value for x in (WHOLE, found)
    )
    assert p == pytest.approx(expected)


@needs("unpaired")
def test_two_matrices_meet_in_an_unpaired_test():
    a, b = (mc.io.from_counts(confusion_matrix(TRUE, SAID[m]), m) for m in "ab")
    found = mc.inference.unpaired_test(a, b, "accuracy", method="welch")
    expected = stats.ttest_ind(SAID["a"] == TRUE, SAID["b"] == TRUE, equal_var=False)
    assert found.p_value == pytest.approx(expected.pvalue)


@needs("classical")
def test_millions_of_samples_are_compared():
    preds = mc.io.from_counts([[3_000_000, 20_000], [30_000, 1_000_000]], ("a", "b"))
    found = mc.paired_test(preds, "a", "b", "mean_score", method="mcnemar-chi2")
    assert found.difference == pytest.approx(-10_000 / 4_050_000)
    assert found.statistic == pytest.approx(10_000**2 / 50_000)
    matrix = mc.io.from_counts([[3_000_000, 20_000], [30_000, 1_000_000]], "a")
    row = mc.compare(matrix, "accuracy", n_resamples=99).scores.iloc[0]
    assert row.ci_low < 4_000_000 / 4_050_000 < row.ci_high
    assert row.standard_error == pytest.approx(np.sqrt(4 / 4.05 * 0.05 / 4.05 / 4_050_000))


@pytest.mark.parametrize("counts", [[[5.0, 1.0], [0.0, 4.0]], np.array([[5, 1], [0, 4]], "uint8")])
def test_whole_numbers_of_any_type_are_counts(counts):
    assert len(mc.io.from_counts(counts, "a")) == 10
