import re

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

import modelcompare as mc
from modelcompare import UndefinedMetricWarning
from modelcompare.metrics import METRICS
from tests.plugged import needs

Y_TRUE, Y_PRED = [0, 1, 2, 2, 1, 0, 2], [0, 1, 1, 2, 0, 0, 2]


@pytest.mark.parametrize("average", [None, "macro", "micro", "weighted"])
@pytest.mark.parametrize(
    ("function", "reference"),
    [
        (mc.metrics.f1, sk.f1_score),
        (mc.metrics.precision, sk.precision_score),
        (mc.metrics.recall, sk.recall_score),
        (mc.metrics.jaccard, sk.jaccard_score),
    ],
)
def test_they_take_and_give_what_scikit_learns_do(function, reference, average):
    weight = np.arange(1, 8)
    found = function(Y_TRUE, Y_PRED, average=average, sample_weight=weight)
    expected = reference(Y_TRUE, Y_PRED, average=average, sample_weight=weight)
    np.testing.assert_allclose(found, expected, atol=1e-14)


def test_binary_average_looks_at_one_class():
    y_true, y_pred = ["spam", "ham", "spam", "ham"], ["spam", "spam", "ham", "ham"]
    assert mc.metrics.f1(y_true, y_pred, average="binary", positive="spam") == 0.5
    with pytest.raises(
        ValueError,
        match=r"average='binary' is of one class, and nothing determines which of 'ham' and 'spam' ",
    ):
        mc.metrics.f1(y_true, y_pred, average="binary")


def test_each_function_is_the_registered_metric_of_its_name():
    rng = np.random.default_rng(0)
    y_true, y_prob = rng.integers(0, 3, 40), rng.dirichlet(np.ones(3), 40)
    preds = mc.Predictions(y_true, {"a": y_prob})
    for name in ("accuracy", "balanced_accuracy", "f1", "precision", "recall", "specificity",
                 "jaccard", "matthews_corrcoef", "cohen_kappa", "cf1", "cprecision", "crecall",
                 "caccuracy", "brier_score", "log_loss"):  # fmt: skip
        metric = mc.get_metric(name)
        output = y_prob if metric.needs == "probabilities" else y_prob.argmax(axis=1)
        found = getattr(mc.metrics, name)(y_true, output)
        expected = mc.bootstrap(preds, name, n_resamples=2).estimate.to_numpy()
        np.testing.assert_allclose(np.ravel(found), expected, atol=1e-14)
    assert mc.metrics.fbeta(y_true, y_prob.argmax(1), beta=2, average="macro") == pytest.approx(
        sk.fbeta_score(y_true, y_prob.argmax(1), beta=2, average="macro")
    )


def test_undefined_values_are_reported():
    with pytest.warns(UndefinedMetricWarning, match="precision is 0 / 0 here"):
        assert np.isnan(mc.metrics.precision([0, 1], [0, 0])[1])
    assert mc.metrics.precision([0, 1], [0, 0], zero_division=0)[1] == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mc.metrics.f1([0, 1], [0]), "`y_true` (2) and the model's output (1) must have "
         "the same, positive number of rows."),
        (lambda: mc.metrics.f1([0, 1], [0, 1], average="samples"), "`average` must be one of macro, "
         "micro, weighted, binary, got 'samples'."),
        (lambda: mc.metrics.f1([0, 1, 1], [0, 1, 1], labels=[0, 0, 1]), "`labels` must be distinct, "
         "got 0, 0, 1."),
        (lambda: mc.metrics.f1([0, 1, 1], [0, 1, 1], labels=[]), "`labels` is empty; name the classes, "
         "or leave it out."),
        (lambda: mc.metrics.f1([0, 1], [[0.7, 0.3], [0.2, 0.8]]), "`y_pred` must give one label for "
         "each sample, got shape (2, 2); of probabilities take the likeliest class, or ask a metric "
         "of probabilities."),
        (lambda: mc.Predictions([0, 1], {"a": [[0.7, 0.3], [0.2, 0.8]]}, kind="labels"), "model 'a' "
         "must give one label for each sample, got shape (2, 2); of probabilities take the likeliest "
         "class, or ask a metric of probabilities."),
        (lambda: mc.metrics.fbeta([0, 1], [0, 1], beta=-1), "`beta` must be finite and at least "
         "0, got -1."),
        (lambda: mc.diagnostics.confusion_matrix([0, 1], [0, 1], normalize="rows"), "`normalize` must be one of "
         "true, pred, all, got 'rows'."),
        (lambda: mc.get_metric("f1_makro"), "unknown metric 'f1_makro'; did you mean f1_macro, "
         "cf1_macro or f1_micro?"),
    ],
)  # fmt: skip
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call()


@pytest.mark.parametrize("normalize", [None, "true", "pred", "all"])
def test_confusion_matrix(normalize):
    names = ["x", "y", "z"]
    y_true, y_pred = [names[i] for i in Y_TRUE], [names[i] for i in Y_PRED]
    frame = mc.diagnostics.confusion_matrix(y_true, y_pred, normalize=normalize)
    expected = sk.confusion_matrix(y_true, y_pred, normalize=normalize)
    np.testing.assert_allclose(frame.to_numpy(), expected)
    assert frame.index.tolist() == frame.columns.tolist() == names
    assert isinstance(frame, pd.DataFrame)


def test_probabilistic_confusion_matrix_of_soft_labels():
    frame = mc.diagnostics.probabilistic_confusion_matrix(
        [[0.5, 0.5], [0, 1]], [[0.75, 0.25], [0.5, 0.5]]
    )
    assert frame.to_numpy().tolist() == [[0.375, 0.125], [0.875, 0.625]]


def test_soft_labels_share_their_sample_out_among_classes():
    rng = np.random.default_rng(0)
    truth, prob = rng.dirichlet(np.ones(3), 50), rng.dirichlet(np.ones(3), 50)
    for j, found in enumerate(mc.metrics.cprecision(truth, prob)):
        assert found == pytest.approx((truth[:, j] * prob[:, j]).sum() / prob[:, j].sum())
    for j, found in enumerate(mc.metrics.crecall(truth, prob)):
        assert found == pytest.approx((truth[:, j] * prob[:, j]).sum() / truth[:, j].sum())
    assert mc.metrics.caccuracy(truth, prob) == pytest.approx((truth * prob).sum() / 50)


@needs("calibration")
def test_unknown_options_are_refused():
    for call in (
        lambda: mc.metrics.brier_reliability([0, 1], [0.2, 0.7], n_bins=3),
        lambda: mc.metrics.f1_macro([0, 1], [0, 1], sample_wieght=[1, 1]),
        lambda: mc.metrics.cf1([0, 1], [0.2, 0.7], mean="macro"),
    ):
        with pytest.raises(TypeError, match="has no argument"):
            call()


def test_floats_may_be_the_names_of_two_classes():
    assert mc.metrics.roc_auc([0.0, 1.0, 1.0], [0.2, 0.9, 0.7]) == 1
    assert mc.metrics.brier_score([0.0, 1.0, 1.0], [0.2, 0.9, 0.7]) == pytest.approx(0.14 / 3)


@pytest.mark.parametrize("absent", [[True, True], [1.0, 1.0]])
def test_columns_of_classes_that_do_not_occur_are_numbered(absent):
    two, three = [[0.2, 0.8], [0.4, 0.6]], [[0.1, 0.8, 0.1], [0.2, 0.6, 0.2]]
    for columns in (two, three):
        found = mc.metrics.log_loss(absent, columns)
        assert found == mc.metrics.log_loss([1, 1], columns) == -np.log([0.8, 0.6]).mean()


def test_the_labels_of_a_function_are_those_of_its_outputs():
    seen = 0
    for name, metric in METRICS.items():
        _, has_labels, text = (getattr(mc.metrics, name).__doc__ or "").partition("labels : ")
        if has_labels:
            seen += 1
            meaning = text.splitlines()[1].strip()
            assert meaning.startswith("Increasing") == bool(metric.kind.axis), name
    assert seen > 50
