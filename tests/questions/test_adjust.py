"""Adjusted p-values against statsmodels, in the shape in which they came."""

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

import modelcompare as mc

METHODS = {
    "holm": "holm", "hochberg": "simes-hochberg", "hommel": "hommel", "bonferroni": "bonferroni", "sidak": "sidak",
    "fdr_bh": "fdr_bh", "fdr_by": "fdr_by",
}  # fmt: skip
P = np.random.default_rng(0).random((4, 5)) ** 3


@pytest.mark.parametrize("method", METHODS)
def test_it_is_statsmodels_whatever_the_shape(method):
    expected = multipletests(P.ravel(), method=METHODS[method])[1].reshape(P.shape)
    np.testing.assert_allclose(mc.inference.adjust(P, method), expected, rtol=1e-12)
    np.testing.assert_allclose(mc.inference.adjust(P.tolist(), method), expected, rtol=1e-12)
    frame = pd.DataFrame(P, index=list("wxyz"), columns=list("abcde"))
    found = mc.inference.adjust(frame, method)
    pd.testing.assert_frame_equal(found, pd.DataFrame(expected, frame.index, frame.columns))


def test_a_series_keeps_its_index_and_its_name():
    series = pd.Series([0.01, 0.04, 0.03], index=["a", "b", "c"], name="p")
    expected = pd.Series([0.03, 0.06, 0.06], index=["a", "b", "c"], name="p")
    pd.testing.assert_series_equal(mc.inference.adjust(series), expected)


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA])
def test_what_is_missing_does_not_count_and_stays(missing):
    np.testing.assert_allclose(mc.inference.adjust([0.01, missing, 0.04]), [0.02, np.nan, 0.04])
    series = pd.Series([0.01, missing, 0.04], dtype="Float64")
    np.testing.assert_allclose(mc.inference.adjust(series).to_numpy(float), [0.02, np.nan, 0.04])


def test_what_is_given_is_not_changed():
    p = np.array([0.01, 0.04, 0.03])
    mc.inference.adjust(p)
    assert p.tolist() == [0.01, 0.04, 0.03]
    assert mc.inference.adjust(p, "none").tolist() == p.tolist()
