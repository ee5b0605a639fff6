"""Confidences that are rounded to a few values."""

import numpy as np
import pytest

import modelcompare as mc
from tests.plugged import needs


def test_quantized_confidences_keep_decisions_and_means():
    preds = mc.load_example("snli")
    few = mc.io.quantize(preds, 4)
    for model in preds.models:
        assert (few.predicted(model) == preds.predicted(model)).all()
        top = few.probabilities(model).max(axis=1)
        assert len(np.unique(top.round(12))) == 4
        assert top.mean() == pytest.approx(preds.probabilities(model).max(axis=1).mean(), abs=1e-3)
    with pytest.raises(ValueError, match="`n_bins` must be at least 1"):
        mc.io.quantize(preds, 0)


@needs("confidences")
def test_quantizing_a_cut_list_leaves_it_cut():
    cut = mc.io.from_nbest([0, 1], {"m": [[(0, 0.3)], [(1, 0.2)]]})
    np.testing.assert_allclose(mc.io.quantize(cut, 1).probabilities("m"), [[0.25, 0], [0, 0.25]])
