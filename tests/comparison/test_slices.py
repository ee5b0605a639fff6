"""Subgroups."""

import pytest

import modelcompare as mc


def test_a_warning_names_the_subgroup_that_it_is_about():
    y = [0, 1] * 60
    preds = mc.Predictions(
        y, {"a": y, "b": [1, 0] * 8 + y[16:]}, slices={"year": ["old"] * 112 + ["new"] * 8}
    )
    with pytest.warns(mc.metrics.SparseDataWarning) as caught:
        mc.compare_groups(preds, "f1", n_resamples=99, min_size=4)
    with pytest.warns(mc.metrics.SparseDataWarning) as alone:
        mc.compare(preds.subset(range(112, 120)), "f1", n_resamples=99)
    (warning,) = caught
    assert str(warning.message).startswith(f"year = new: {alone[0].message}")
