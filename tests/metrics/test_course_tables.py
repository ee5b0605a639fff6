"""The worked tables of the course material: notebook, lecture and slides."""

import numpy as np
import pytest

import modelcompare as mc

# Rows are true classes, columns predicted ones: pos, neg, neutral.
LABELS = ["pos", "neg", "neutral"]
EX1 = [[15, 10, 100], [10, 15, 10], [10, 100, 1000]]
EX2 = [[0, 0, 125], [0, 0, 35], [0, 0, 1110]]
EX3 = [[1, 0, 124], [0, 1, 24], [0, 0, 1110]]
EX4 = [[15, 10, 100], [10, 15, 10], [10, 100, 100_000]]
NAN = np.nan


def samples(matrix, labels=LABELS):
    cells = [(t, p, n) for t, row in zip(labels, matrix, strict=True)
             for p, n in zip(labels, row, strict=True)]  # fmt: skip
    truth = np.repeat([t for t, _, _ in cells], [n for _, _, n in cells])
    predicted = np.repeat([p for _, p, _ in cells], [n for _, _, n in cells])
    return truth, predicted


def values(matrix, name, **options):
    truth, predicted = samples(matrix)
    preds = mc.Predictions(truth, {"a": predicted}, labels=LABELS)
    return mc.bootstrap(preds, name, n_resamples=2, **options).point[0]


@pytest.mark.parametrize(
    ("matrix", "name", "expected"),
    [
        (EX1, "precision", [0.428571, 0.120000, 0.900901]),
        (EX2, "precision", [NAN, NAN, 0.874016]),
        (EX3, "precision", [1.0, 1.0, 0.882353]),
        (EX1, "recall", [0.120000, 0.428571, 0.900901]),
        (EX3, "recall", [0.008, 0.040, 1.000]),
        (EX1, "f1", [0.187500, 0.187500, 0.900901]),
        (EX3, "f1", [0.015873, 0.076923, 0.937500]),
        (EX4, "f1", [0.187500, 0.187500, 0.999]),
    ],
)
def test_the_notebooks_tables(matrix, name, expected):
    np.testing.assert_allclose(values(matrix, name), expected, atol=5e-4)


def test_the_notebooks_f1_is_undefined_where_precision_is():
    expected = [NAN, NAN, 0.932773]
    np.testing.assert_allclose(values(EX2, "f1", zero_division="paper"), expected, atol=5e-7)
    # The count formula calls the same F1 0: nothing found of something that is there.
    np.testing.assert_allclose(values(EX2, "f1"), [0, 0, 0.932773], atol=5e-7)


def test_the_notebooks_averages():
    assert values(EX1, "f1_macro") == pytest.approx(np.mean([0.1875, 0.1875, 0.900901]), abs=1e-6)
    weights = np.array([125, 25, 1110])
    expected = np.average([0.015873, 0.076923, 0.9375], weights=weights)
    assert values(EX3, "f1_weighted") == pytest.approx(expected, abs=1e-6)
    # The summed one-against-rest matrix of ex1: 1030 hits, 240 misses, 240 false alarms.
    assert values(EX1, "f1_micro") == pytest.approx(2 * 1030 / (2 * 1030 + 240 + 240))
    assert values(EX1, "f1_micro") == values(EX1, "accuracy")
    assert values(EX2, "accuracy") > values(EX1, "accuracy")


def test_a_classifier_that_says_the_majority_class():
    truth, predicted = ["A"] * 95 + ["B"] * 5, ["A"] * 100
    assert mc.metrics.accuracy(truth, predicted) == 0.95
    assert mc.metrics.zero_one_loss(truth, predicted) == pytest.approx(0.05)
    # The slides' macro-averaged accuracy: 100 % for A, 0 % for B.
    assert mc.metrics.balanced_accuracy(truth, predicted) == 0.5
    assert mc.metrics.recall(truth, predicted).tolist() == [1, 0]


def test_the_exercise_of_ten_objects():
    truth, predicted = list("AAAAABBBBB"), list("AABAAABAAB")
    matrix = mc.diagnostics.confusion_matrix(truth, predicted)
    tp, fn, fp, tn = (matrix.loc[t, p] for t, p in (("A", "A"), ("A", "B"), ("B", "A"), ("B", "B")))
    assert (tp, fn, fp, tn) == (4, 1, 3, 2)
    options = {"average": "binary", "positive": "A"}
    assert mc.metrics.accuracy(truth, predicted) == 0.6
    assert mc.metrics.precision(truth, predicted, **options) == pytest.approx(4 / 7)
    assert mc.metrics.recall(truth, predicted, **options) == 0.8
    assert mc.metrics.f1(truth, predicted, **options) == pytest.approx(2 / 3)
    assert mc.metrics.specificity(truth, predicted, **options) == 0.4


def test_the_exercise_of_twenty_colours():
    colours = {"R": "Red", "B": "Blue", "G": "Green", "Y": "Yellow"}
    truth = [colours[c] for c in "RBGGBBRGYYYRBGGBRGYG"]
    predicted = [colours[c] for c in "RRBGBGRGYYYRRBGBRGYY"]
    matrix = mc.diagnostics.confusion_matrix(truth, predicted, labels=list(colours.values()))
    # The row that the slide fills in: two Blue taken for Red, two rightly for Blue.
    assert matrix.loc["Blue"].tolist() == [2, 2, 1, 0]
    assert matrix.to_numpy().tolist() == [[4, 0, 0, 0], [2, 2, 1, 0], [0, 2, 4, 1], [0, 0, 0, 4]]


def test_the_report_on_the_f1_slide():
    # 407 "not 1" and 43 "1"; recall 0.98 and 0.60 leave 399 and 26 hits.
    truth, predicted = samples([[400, 7], [17, 26]], ["not 1", "1"])
    found = [mc.metrics.precision(truth, predicted, labels=["not 1", "1"]),
             mc.metrics.recall(truth, predicted, labels=["not 1", "1"]),
             mc.metrics.f1(truth, predicted, labels=["not 1", "1"])]  # fmt: skip
    np.testing.assert_allclose(found, [[0.96, 0.79], [0.98, 0.60], [0.97, 0.68]], atol=0.005)
    averages = [mc.metrics.f1(truth, predicted, average="weighted"),
                mc.metrics.precision(truth, predicted, average="weighted")]  # fmt: skip
    np.testing.assert_allclose(averages, [0.94, 0.94], atol=0.005)


def test_average_precision_as_the_notebook_sums_it():
    rng = np.random.default_rng(0)
    y = rng.choice((0, 1), size=1000)
    probs = np.where(y == 0, rng.uniform(0.0, 0.3, 1000), rng.uniform(0.1, 0.4, 1000))
    recalls, precisions = [], []
    for threshold in sorted(set(probs)):
        predicted = probs >= threshold
        precisions.append(y[predicted].mean())
        recalls.append(predicted[y == 1].mean())
    recalls, precisions = [*recalls, 0.0], [*precisions, 1.0]
    total = sum((recalls[i] - recalls[i + 1]) * precisions[i] for i in range(len(precisions) - 1))
    assert mc.metrics.average_precision(y, probs) == pytest.approx(total)


def test_roc_contrasts_of_the_notebook():
    # Recall of A over its false positive rate, 1 - recall of B; more true negatives change it.
    small, large = [[15, 10], [100, 50]], [[15, 10], [100, 500]]
    for matrix, of_a, of_b, f1 in ((small, 0.90, 0.83, 0.21), (large, 3.6, 2.08, 0.21)):
        truth, predicted = samples(matrix, ["A", "B"])
        recall = mc.metrics.recall(truth, predicted)
        assert recall[0] / (1 - recall[1]) == pytest.approx(of_a, abs=0.006)
        assert recall[1] / (1 - recall[0]) == pytest.approx(of_b, abs=0.006)
        assert mc.metrics.f1(truth, predicted)[0] == pytest.approx(f1, abs=0.005)


def test_cross_entropy_and_divergence_are_one_on_hard_labels():
    p = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]])
    expected = -np.log([0.7, 0.8]).mean()
    assert mc.metrics.log_loss([0, 1], p) == pytest.approx(expected)
    assert mc.metrics.kl_divergence(np.eye(3)[[0, 1]], p) == pytest.approx(expected)


def test_the_paired_bootstrap_of_the_slides():
    # The share of resamples with delta(x*) >= 2 delta(x): 47 of 10,000 would be 0.0047.
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    a, b = (np.where(rng.random(200) < skill, y, 1 - y) for skill in (0.85, 0.75))
    preds = mc.Predictions(y, {"a": a, "b": b})
    found = mc.paired_test(preds, "a", "b", "accuracy", method="berg-kirkpatrick",
                           alternative="greater", n_resamples=999)  # fmt: skip
    draws = mc.bootstrap(preds, "accuracy", n_resamples=999).draws[:, :, 0]
    delta = (a == y).mean() - (b == y).mean()
    share = (draws[:, 0] - draws[:, 1] >= 2 * delta - 1e-12).mean()
    assert found.p_value == pytest.approx(share, abs=0.02)
