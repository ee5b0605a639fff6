import re

import numpy as np
import pandas as pd
import pytest

from modelcompare import Predictions
from modelcompare.data.checks import DataWarning, softmax
from modelcompare.data.kinds import all_kinds

PROBS = [[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]]


def test_kinds_follow_shape_and_content():
    assert Predictions([0, 1], {"a": [1, 1]}).output("a").kind == "labels"
    assert Predictions(["x", "y"], {"a": ["y", "y"]}).output("a").kind == "labels"
    assert Predictions([0, 1, 1], {"a": PROBS}).output("a").kind == "probabilities"
    assert Predictions([0, 1], {"a": [0.2, 0.9]}).output("a").kind == "probabilities"
    assert Predictions([0.5, 1.25], {"a": [0.2, 0.9]}).output("a").kind == "values"
    assert Predictions(None, {"a": [0.2, 0.9]}).output("a").kind == "scores"


def test_one_probability_per_sample_is_that_of_the_positive_class():
    preds = Predictions(["no", "yes"], {"a": [0.25, 0.75]})
    assert preds.probabilities("a").tolist() == [[0.75, 0.25], [0.25, 0.75]]
    preds = Predictions(["no", "yes"], {"a": [0.25, 0.75]}, positive="no")
    assert preds.labels.tolist() == ["yes", "no"]
    assert preds.probabilities("a")[:, 1].tolist() == [0.25, 0.75]


NO_MATCH = [
    (["no", "yes", "yes"], ["No", "Yes", "No"], "'No' looks like 'no' (they differ in case)"),
    (["true", "false"] * 2, ["True", "False"] * 2, "'False' looks like 'false' (they differ in"),
    (["a", "b", "b"], ["a ", "b ", "b"], None),
    (["a", "b", "b"], ["a ", "b ", "b "], "'a ' looks like 'a' (they differ in blanks)"),
    (["1", "2"], ["01", "02"], "'01' looks like '1' (they differ in how a number is written)"),
    (["Yes", "no"] * 4, ["yes", "no"] * 4, "'yes' looks like 'Yes' (they differ in case)"),
    ([0, 1, 2, 1, 0], [1, 2, 3, 2, 1], "they are off by one; count both from 0, or both from 1"),
    ([1, 2] * 4, [0, 1] * 4, "they are off by one"),
    (["a b", "c d"], ["a c", "d"], "if it is right, pass all classes as `labels`; for texts pass"),
]


@pytest.mark.parametrize(("y_true", "y_pred", "remedy"), NO_MATCH)
def test_labels_that_do_not_match_are_refused_unless_they_are_named(y_true, y_pred, remedy):
    if remedy is not None:
        with pytest.raises(
            ValueError, match=f"the labels of model 'm' do not.*{re.escape(remedy)}"
        ):
            Predictions(y_true, {"m": y_pred})
    declared = Predictions(y_true, {"m": y_pred}, labels=sorted({*y_true, *y_pred}))
    assert declared.predicted("m").tolist() == [
        declared.labels.tolist().index(label) for label in y_pred
    ]


def test_single_misspelt_labels_warn():
    with pytest.warns(
        DataWarning, match=r"gives 'yes' for 1 samples; .* but 'Yes' \(they differ in"
    ):
        Predictions(["Yes", "no", "Yes"], {"m": ["yes", "no", "Yes"]})


@pytest.mark.parametrize(
    ("y_true", "outputs"),
    [
        ([0, 1, 1, 1], {"m": [0, 7, 7, 7]}),
        (["Polish", "polish", "en"], {"m": ["en", "en", "polish"]}),
        ([0, 1, 1, 1], {"always": [2, 2, 2, 2], "now and then": [0, 1, 2, 1]}),
        ([0, 1, 1, 1], {"one above": [1, 2, 2, 1]}),
        ([1, 2, 3, 4], {"below": [1, 1, 2, 0]}),
    ],
)
def test_a_class_that_the_test_set_lacks_is_no_mismatch(y_true, outputs):
    assert Predictions(y_true, outputs).models == tuple(outputs)


def test_texts_and_numbers_that_look_alike_get_the_remedy():
    with pytest.raises(ValueError, match=r"'0' looks like 0 \(one is a text, the other is not\)"):
        Predictions([0, 1, 1], {"m": ["0", "1", "1"]})


@pytest.mark.parametrize("rows", [[0.5, 0.25, 1.5], [1, 2, 3], ["x", "y", "x"]])
def test_masked_entries_are_missing(rows):
    masked = np.ma.masked_array(rows, mask=[False, True, False])
    with pytest.raises(ValueError, match=r"(missing values|NaN or infinite) in 1 row \(row 1\)"):
        Predictions(masked, {"m": rows})


def test_predicted_class_is_the_first_of_ties():
    preds = Predictions([0, 1, 1], {"a": PROBS})
    assert preds.predicted("a").tolist() == [0, 0, 1]


def test_codes_index_labels_in_the_order_given():
    preds = Predictions(["b", "a", "b"], {"m": ["a", "a", "c"]}, labels=["c", "b", "a"])
    assert preds.access.codes.tolist() == [1, 2, 1]
    assert preds.predicted("m").tolist() == [2, 2, 0]
    assert preds.access.n_classes == 3


def test_labels_found_include_what_models_predict():
    assert Predictions([0, 1], {"a": [0, 7]}).labels.tolist() == [0, 1, 7]


@pytest.mark.parametrize("truth", [[0, 2], [0.0, 2.0]])
def test_whole_truth_indexes_columns_of_probabilities_even_if_a_class_is_absent(truth):
    preds = Predictions(truth, {"a": [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]]})
    assert preds.labels.tolist() == [0, 1, 2]


def test_soft_labels_keep_the_distribution_and_the_likeliest_class():
    preds = Predictions([[0.75, 0.25], [0.25, 0.75]], {"a": [[1, 0], [0, 1.0]]})
    assert preds.access.codes.tolist() == [0, 1]
    assert preds.access.true_distribution.tolist() == [[0.75, 0.25], [0.25, 0.75]]


def test_logits_become_probabilities_without_overflow():
    preds = Predictions.from_logits([0, 1], {"a": [[1000.0, 0.0], [0.0, 1000.0]]})
    assert preds.probabilities("a").tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_normalize_divides_by_the_sums():
    preds = Predictions([0, 1], {"a": [[3, 1], [2, 2.0]]}, normalize=True)
    assert preds.probabilities("a").tolist() == [[0.75, 0.25], [0.5, 0.5]]


def test_nothing_can_be_changed():
    y, probs = np.array([0, 1, 1]), np.array(PROBS)
    preds = Predictions(y, {"a": probs})
    y[0], probs[0, 0] = 1, 0.0
    assert preds.y_true.tolist() == [0, 1, 1]
    assert preds.probabilities("a")[0, 0] == 0.75
    with pytest.raises(ValueError, match="read-only"):
        preds.y_true[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        preds.output("a").array[0, 0] = 1


def test_models_are_chosen_in_the_order_named():
    preds = Predictions([0, 1], {"a": [0, 1], "b": [1, 1], "c": [0, 0]})
    assert preds[["c", "a"]].models == ("c", "a")
    assert preds["b"].models == ("b",)
    with pytest.raises(KeyError, match="unknown model 'cc'; there are a, b, c"):
        preds["cc"]
    with pytest.raises(ValueError, match="no model named"):
        preds[[]]


def test_subset_keeps_every_column_aligned():
    preds = Predictions(
        [0, 1, 1, 0], {"a": [0, 1, 0, 0]}, ids=["p", "q", "r", "s"], groups=[1, 1, 2, 2],
        sample_weight=[1, 2, 3, 4], slices={"lang": ["en", "de", "en", "de"]},
    )  # fmt: skip
    part = preds.subset([False, True, False, True])
    assert part.ids.tolist() == ["q", "s"]
    assert part.y_true.tolist() == [1, 0]
    assert part.predicted("a").tolist() == [1, 0]
    assert part.groups.tolist() == [1, 2]
    assert part.sample_weight.tolist() == [2, 4]
    assert part.slices["lang"].tolist() == ["de", "de"]
    assert preds.subset([3, 0]).ids.tolist() == ["s", "p"]
    with pytest.raises(ValueError, match=r"`rows` is a mask of shape \(3,\), but there are 4"):
        preds.subset([True, False, True])


def test_the_representation_names_what_is_there():
    preds = Predictions([0, 1, 1], {"a": PROBS, "long": [0, 1, 1]}, groups=[0, 0, 1])
    assert repr(preds) == (
        "Predictions: 3 samples, 2 classes (0, 1), 2 models, groups\n"
        "  a     probabilities\n"
        "  long  labels"
    )
    many = Predictions([0, 1], {f"m{i}": [0, 1] for i in range(20)})
    assert repr(many).endswith("\n  ... and 10 more")


GOOD = {"a": [0, 1, 1]}
BAD_INPUT = [
    (([0, 1], [0, 1]), {}, "`outputs` must map names to outputs, e.g. {'cnn': y_pred}, got [0, "
     "1]."),
    (([0, 1], {}), {}, "`outputs` is empty; give at least one."),
    (([0, 1], {"": [0, 1]}), {}, "model names must not be empty, got ''."),
    (([0, 1], {"a": [0, 1], "a ": [0, 1]}), {}, "model name 'a' occurs twice; names must be "
     "distinct."),
    (([0, 1], GOOD), {}, "model 'a' has 3 rows, `y_true` has 2; they must describe the same "
     "samples in the same order."),
    ((None, {"a": [1, 2], "b": [1, 2, 3]}), {}, "model 'b' has 3 rows, model 'a' has 2; they must "
     "describe the same samples in the same order."),
    (([0], {"a": [0]}), {}, "there is 1 sample; at least 2 are needed."),
    (([], {"a": []}), {}, "there are 0 samples; at least 2 are needed."),
    (([[[0]], [[1]]], {"a": [0, 1]}), {}, "`y_true` must have shape (n_samples,), or (n_samples, "
     "n_classes) for soft labels; got (2, 1, 1)."),
    (([0, 1], {"a": [[[0]], [[1]]]}), {}, "model 'a' must have shape (n_samples,) or (n_samples, "
     "n_classes), got (2, 1, 1)."),
    ((["x", None, "y"], GOOD), {}, "`y_true` has missing values in 1 row (row 1); drop these "
     "samples or fill them in."),
    ((["x", "y", "y"], {"a": ["x", None, None]}), {}, "model 'a' has missing values in 2 rows "
     "(first: 1, 2); drop these samples or fill them in."),
    ((["x", "y", "y"], {"a": ["x", 3, "y"]}), {}, "model 'a' mixes texts and numbers: not a text "
     "in 1 row (row 1); make them all of one type."),
    ((["x", "y", "y"], {"a": ["x", "z", "y"]}), {"labels": ["x", "y"]}, "model 'a' contains unknown "
     "labels ('z') in 1 row (row 1); known are 'x', 'y'. Pass all classes as `labels`."),
    (([1, 1, 1], {"a": [1, 1, 1]}), {}, "there is a single class (1); classification needs two. If "
     "the test set lacks the others, pass all of them as `labels`."),
    (([0, 1, 1], GOOD), {"labels": [0, 0, 1]}, "`labels` must be distinct, got 0, 0, 1."),
    (([0, 1, 1], {"a": [[0.5, 0.5], [0.5, 0.6], [0.2, 0.2]]}), {}, "model 'a' has probabilities "
     "that do not sum to 1 in 2 rows (first: 1, 2), e.g. to 1.1; pass normalize=True to divide by "
     "the sums."),
    (([0, 1, 1], {"a": [[0, 0], [1, 1], [1, 1.0]]}), {"normalize": True}, "model 'a' has "
     "probabilities that do not sum to 1 in 1 row (row 0), e.g. to 0; nothing to divide by."),
    (([0, 1, 1], {"a": [[1e308, 1e308], [1, 1], [1, 1.0]]}), {"normalize": True}, "model 'a' has "
     "probabilities that do not sum to 1 in 1 row (row 0), e.g. to inf; too large to divide by."),
    (([0, 1, 1], {"a": [[1e308, 1e308], [1, 0], [1, 0]]}), {}, "model 'a' has probabilities that "
     "do not sum to 1 in 1 row (row 0), e.g. to inf; pass normalize=True to divide by the sums."),
    (([0, 1, 1], {"a": [[1.5, -0.5], [1, 0], [1, 0]]}), {}, "model 'a' has negative probabilities "
     "in 1 row (row 0); for logits use Predictions.from_logits."),
    (([0, 1, 1], {"a": [[np.nan, 1], [1, 0], [1, 0]]}), {}, "model 'a' has NaN or infinite "
     "probabilities in 1 row (row 0)."),
    ((["x", "y", "y"], {"a": [[0.2, 0.3, 0.5]] * 3}), {}, "model 'a' has 3 columns of "
     "probabilities, but there are 2 labels ('x', 'y'); pass `labels` in the order of the "
     "columns."),
    (([0, 1, 2], {"a": [0.5, 0.1, 0.2]}), {}, "model 'a' gave real numbers for 3 classes; pass "
     "kind='values' (--kind values) for regression, or probabilities of shape (n_samples, n_classes)."),
    (([0, 1, 2], {"a": [0.5, 0.1, 0.2]}), {"kind": "probabilities"}, "model 'a' gave one "
     "probability per sample, which is for two classes only; give probabilities of shape "
     "(n_samples, n_classes)."),
    (([0.5, np.inf, 2], {"a": [0.5, 0.1, 0.2]}), {"kind": "values"}, "`y_true` is NaN or infinite "
     "in 1 row (row 1); drop these samples or fix them."),
    ((None, {"a": [0.5, np.nan, 2]}), {}, "model 'a' is NaN or infinite in 1 row (row 1); drop "
     "these samples or fix them."),
    ((None, {"a": ["x", "y"]}), {}, "model 'a' must contain numbers, got 'x'."),
    (([0, 1, 1], GOOD), {"kind": "logits"}, f"`kind` must be one of auto, labels, "
     f"probabilities, {', '.join([*all_kinds()][2:])}, got 'logits'."),
    (([0, 1, 1], GOOD), {"kind": np.array(["labels", "values"])}, f"`kind` must be one of auto, "
     f"{', '.join(all_kinds())}, got array(['labels', 'values'], dtype='<U6')."),
    (([0, 1, 1], GOOD), {"ids": [1, 2, 2]}, "`ids` repeats 1 ids (2); ids must be distinct. For "
     "clusters use `groups`, for several runs of an item `runs`."),
    (([0, 1, 1], GOOD), {"groups": [1, 2]}, "`groups` must have shape (3,), got (2,)."),
    (([0, 1, 1], GOOD), {"groups": [1, 2, np.nan]}, "`groups` has missing values in 1 row (row 2); "
     "drop these samples or fill them in."),
    (([0, 1, 1], GOOD), {"groups": [1, 1, 2], "strata": [0, 1, 1]}, "`groups` cross `strata` in 1 "
     "row (row 1); a cluster must lie in one stratum, or it cannot be drawn whole."),
    (([0, 1, 1], GOOD), {"sample_weight": [1, 2]}, "`sample_weight` must have shape (3,), got "
     "(2,)."),
    (([0, 1, 1], GOOD), {"sample_weight": [1, -2, 1]}, "`sample_weight` is negative in 1 row (row "
     "1)."),
    (([0, 1, 1], GOOD), {"sample_weight": [0, 0, 0]}, "`sample_weight` is 0 for every sample."),
    (([0, 1, 1], GOOD), {"slices": {"lang": ["en", "de"]}}, "`slices` must have shape (3,), got "
     "(2,)."),
    ((None, GOOD), {"kind": "labels"}, "`y_true` is missing; outputs of kind 'labels' need it."),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "options", "message"), BAD_INPUT)
def test_bad_input_gets_one_clear_error(arguments, options, message):
    with pytest.raises((ValueError, TypeError), match=f"^{re.escape(message)}$"):
        Predictions(*arguments, **options)


def test_logits_are_checked():
    with pytest.raises(ValueError, match=r"^logits of model 'a' are NaN or infinite in 1 row"):
        Predictions.from_logits([0, 1], {"a": [[np.nan, 0], [0, 1]]})
    with pytest.raises(ValueError, match=r"must be numbers of shape \(n_samples, n_classes\)"):
        Predictions.from_logits([0, 1], {"a": [[[0.5], [0.1]]] * 2})


def test_asking_for_probabilities_that_are_not_there():
    with pytest.raises(ValueError, match="model 'a' gave labels, not probabilities"):
        Predictions([0, 1, 1], GOOD).probabilities("a")


def test_slices_may_be_a_frame():
    preds = Predictions([0, 1], {"a": [0, 1]}, slices=pd.DataFrame({"lang": ["en", "de"]}))
    assert preds.slices.columns.tolist() == ["lang"]


@pytest.mark.parametrize(
    ("y_true", "answers", "labels"),
    [
        ([0, 1, 1, 0], [0, 1, 2, 0], [0, 1, 2]),
        ([False, True, True, False], [False, False, True, True], [False, True]),
    ],
)
def test_numbers_in_an_array_of_objects_are_numbers(y_true, answers, labels):
    preds = Predictions(np.array(y_true), {"a": np.array(answers, dtype=object), "b": y_true})
    assert preds.labels.tolist() == labels
    assert preds.labels.dtype == np.array(labels).dtype
    assert preds.predicted("a").tolist() == [labels.index(label) for label in answers]


def test_fractions_in_an_array_of_objects_are_no_labels():
    answers = np.array([0.25, 1.0, 0.0, 0.75], dtype=object)
    with pytest.raises(ValueError, match="model 'a' gave real numbers for 3 classes; pass"):
        Predictions([0, 1, 2, 1], {"a": answers})
    preds = Predictions([False, True, False, True], {"a": answers})
    assert preds.probabilities("a")[:, 1].tolist() == answers.tolist()


def test_blocks_have_all_rows_once_and_the_last_one_the_rest(monkeypatch):
    monkeypatch.setattr("modelcompare.data.predictions.ROW_BLOCK", 4)
    preds = Predictions(np.arange(10) % 2, {"a": np.ones(10, dtype=int)}, ids=np.arange(10))
    assert [block.ids.tolist() for block in preds.access.blocks()] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9],
    ]
    assert [len(block) for block in preds.access.blocks(2)] == [2]


def test_logits_of_one_class_are_beside_those_of_the_others():
    np.testing.assert_allclose(
        softmax(np.log([1.0, 3.0, 4.0])), [[0.5, 0.5], [0.25, 0.75], [0.2, 0.8]]
    )
    # The largest of each row is taken off it, so that none is too large or too small.
    np.testing.assert_allclose(
        softmax(np.array([[-900.0, -900.0], [900.0, -900.0]])), [[0.5, 0.5], [1, 0]]
    )


def test_weights_of_clusters_by_class_are_a_table_of_both():
    y = ["b", "c", "b", "c", "a", "a"]
    preds = Predictions(y, {"m": y}, groups=[0, 0, 1, 1, 2, 2], sample_weight=[1, 2, 3, 4, 5, 6])
    table = pd.crosstab(preds.groups, np.array(y), [1, 2, 3, 4, 5, 6], aggfunc="sum").fillna(0)
    np.testing.assert_array_equal(preds.access.unit_weights(by_class=True), table)
