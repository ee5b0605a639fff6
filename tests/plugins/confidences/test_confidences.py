"""N-best lists, binned confidences, and lists of texts."""

import numpy as np
import pytest

import modelcompare as mc

LISTS = [[("city", 0.5), ("day", 0.3)], [("day", 0.9)], {"time": 0.2, "city": 0.6}]
TRUTH = ["city", "city", "time"]


def test_lists_become_probabilities():
    preds = mc.io.from_nbest(TRUTH, {"a": LISTS})
    np.testing.assert_allclose(
        preds.probabilities("a"), [[0.5, 0.3, 0], [0, 0.9, 0], [0.6, 0, 0.2]]
    )
    assert preds.labels.tolist() == ["city", "day", "time"]
    assert mc.io.missing_mass(preds)["a"] == pytest.approx((0.2 + 0.1 + 0.2) / 3)
    spread = mc.io.from_nbest(TRUTH, {"a": LISTS}, unlisted="spread")
    np.testing.assert_allclose(
        spread.probabilities("a"), [[0.5, 0.3, 0.2], [0.05, 0.9, 0.05], [0.6, 0.2, 0.2]]
    )
    assert mc.io.missing_mass(spread)["a"] == pytest.approx(0)


def test_soft_metrics_of_a_truncated_list_count_what_is_listed():
    preds = mc.io.from_nbest(TRUTH, {"a": LISTS})
    found = mc.bootstrap(preds, ["crecall", "cprecision"], n_resamples=2).estimate["a"]
    assert found["crecall", "city"] == pytest.approx(0.5 / 2)
    assert found["cprecision", "city"] == pytest.approx(0.5 / 1.1)
    assert found["cprecision", "time"] == pytest.approx(1.0)
    # Slices and variants keep the mass that is missing.
    assert mc.io.missing_mass(preds.subset([0, 2]))["a"] == pytest.approx(0.2)


def test_a_class_off_the_list_has_no_rank():
    preds = mc.io.from_nbest(["day", "time", "city"], {"a": LISTS}, labels=["city", "day", "time"])
    found = mc.bootstrap(preds, ["mrr", "top_2_accuracy", "top_3_accuracy"], n_resamples=2).point[0]
    # Second of two; not on a list of one; first.
    assert found == pytest.approx([(1 / 2 + 0 + 1) / 3, 2 / 3, 2 / 3])


@pytest.mark.parametrize(
    ("lists", "options", "message"),
    [
        ([[("a", 0.9), ("b", 0.2)], [("a", 1)]], {}, r"sum to more than 1 in 1 row \(row 0\)"),
        ([[("a", 0.9), ("a", 0.1)], []], {}, r"empty or name an answer twice in 2 rows"),
        (
            [[("a", 1)], [("c", 1)]],
            {"labels": ["a", "b"]},
            r"not among the 2 classes in 1 row \(row 1\)",
        ),
        ([[("a", 1)], [("b", 1)]], {"unlisted": "drop"}, "must be one of unassigned, spread"),
        ([[("a", -0.1)], [("b", 1)]], {}, "negative probabilities"),
    ],
)
def test_bad_lists(lists, options, message):
    with pytest.raises(ValueError, match=message):
        mc.io.from_nbest(["a", "b"], {"m": lists}, **options)


def test_bins_become_their_values():
    preds = mc.io.from_bins(
        [0, 1, 2], {"a": [0, 1, 0]}, {"a": ["HIGH", "MED", "LOW"]},
        {"HIGH": 0.9, "MED": 0.6, "LOW": 0.4},
    )  # fmt: skip
    expected = [[0.9, 0.05, 0.05], [0.2, 0.6, 0.2], [0.4, 0.3, 0.3]]
    np.testing.assert_allclose(preds.probabilities("a"), expected)
    assert preds.predicted("a").tolist() == [0, 1, 0]


def test_fitted_values_are_the_share_of_right_labels():
    y, outputs = [0, 1, 1, 0, 1, 0], [0, 1, 1, 0, 0, 1]
    bins = ["HIGH"] * 3 + ["LOW"] * 3
    assert mc.io.bin_values(y, outputs, bins) == {"HIGH": 1.0, "LOW": pytest.approx(1 / 3)}
    preds = mc.io.from_bins(y, {"a": outputs}, {"a": bins}, "fit", unlisted="unassigned")
    assert preds.probabilities("a").max(axis=1) == pytest.approx([1] * 3 + [1 / 3] * 3)


@pytest.mark.parametrize(
    ("bins", "values", "message"),
    [
        ({"a": ["HIGH", "LOW"]}, {"HIGH": 1}, "lacks the bins 'LOW' of model 'a'"),
        (
            {"a": ["HIGH", "LOW"]},
            {"HIGH": 1.5, "LOW": 0},
            r"`values` must be in \[0, 1\], got 1\.5",
        ),
        (
            {"a": ["HIGH", "LOW"]},
            {"HIGH": 1, "LOW": 0.4},
            "no more than an equal share of 2 classes",
        ),
        ({"a": ["HIGH"]}, {"HIGH": 1}, "has 2 labels and 1 bins"),
        ({"b": ["HIGH"]}, {"HIGH": 1}, "`bins` lacks model 'a'"),
    ],
)
def test_bad_bins(bins, values, message):
    with pytest.raises(ValueError, match=message):
        mc.io.from_bins([0, 1], {"a": [0, 1]}, bins, values)


def test_a_bin_keeps_its_label_for_any_value():
    with pytest.raises(ValueError, match="no more than an equal share"):
        mc.io.from_bins([0, 1], {"a": [0, 1]}, {"a": ["H", "L"]}, {"H": 0.9, "L": 0.5})
    with pytest.raises(ValueError, match="leaves a label without probability"):
        mc.io.from_bins([0, 1], {"a": [0, 1]}, {"a": ["H", "L"]}, {"H": 0.9, "L": 0},
                     unlisted="unassigned")  # fmt: skip
    for unlisted in ("spread", "unassigned"):
        preds = mc.io.from_bins([0, 0, 1], {"a": [0, 1, 1]}, {"a": ["H", "L", "H"]}, "fit",
                             unlisted=unlisted)  # fmt: skip
        assert preds.predicted("a").tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("y_true", "lists", "options", "message"),
    [
        (
            [0, 1],
            [[("a", 0.5)], [(1, 0.5)]],
            {},
            "`y_true` or a model contains labels that cannot be ordered",
        ),
        ([0, 1], [], {}, "has 0 lists, `y_true` has 2 rows"),
        ([[1, 0], [0, 1]], [[(0, 1)], [(1, 1)]], {}, r"must have shape \(n_samples,\)"),
        ([0, 1], [[(0, 1)], [(1, 1)]], {"kind": "text"}, "`kind` must be one of labels, texts"),
    ],
)
def test_more_bad_lists(y_true, lists, options, message):
    with pytest.raises(ValueError, match=message):
        mc.io.from_nbest(y_true, {"m": lists}, **options)


def test_integer_bins_are_not_texts():
    with pytest.raises(ValueError, match="lacks the bins 1, 2"):
        mc.io.from_bins([0, 1, 1], {"a": [0, 1, 0]}, {"a": [1, 2, 2]}, {"1": 0.9, "2": 0.6})
