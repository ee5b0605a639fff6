"""Columns that agree by chance; beside kappa of statsmodels in tests/cli/test_no_models.py."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.readers.profile import agree_by_chance


def test_agreement_by_chance_has_the_classes_of_both_columns():
    four, two = np.arange(40) % 4, np.arange(40) // 4 % 2
    # Each class of one column is as often with each class of the other: kappa is 0 or below.
    assert agree_by_chance(two, four)
    assert agree_by_chance(four, two)
    # They are equal in three of four rows.
    assert not agree_by_chance(np.minimum(four, 2), four)
    assert not agree_by_chance(four, np.minimum(four, 2))


def test_agreement_with_one_class_is_not_said_to_be_chance():
    assert not agree_by_chance(np.arange(40) % 2, np.zeros(40, dtype=int))


def test_answers_that_the_truth_lacks_are_refused_beside_a_column_that_is_named_as_predictions():
    rng = np.random.default_rng(0)
    true = np.array(["a", "b"])[rng.integers(0, 2, 120)]
    right = np.where(rng.random(120) < 0.9, true, "b")
    other = np.where(rng.random(120) < 0.8, true, "c")
    frame = pd.DataFrame({"y_true": true, "cnn": right, "other": other})
    assert mc.read_predictions(frame).models == ("cnn", "other")
    with pytest.raises(ValueError, match="'other' has values that 'y_true' lacks, as no other"):
        mc.read_predictions(frame.rename(columns={"cnn": "pred_cnn"}))
