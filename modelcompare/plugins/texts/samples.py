"""Single samples: the loss of each, and those on which two models disagree."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.outcomes import Outcomes
from modelcompare.plugins.texts.scores import EXACT, likeliest


def loss(outcomes: Outcomes) -> FloatArray:
    """Return 0 for a reference and 1 for other texts."""
    return 1 - EXACT.compute(outcomes)


def disagreements(predictions: TestSet, a: Outcomes, b: Outcomes) -> pd.DataFrame:
    """Return texts, of a list the most probable, and the share of words that are not in both."""
    right, texts = np.zeros(len(predictions)), [likeliest(each.output) for each in (a, b)]
    if predictions.y_true is not None:
        right = (EXACT.compute(a) - EXACT.compute(b))[:, 0]
    return pd.DataFrame({
        "y_true": predictions.y_true, "predicted_a": texts[0], "predicted_b": texts[1],
        "right": right.astype(int), "distance": _unshared(*texts),
    })  # fmt: skip


def _unshared(a: list[str], b: list[str]) -> FloatArray:
    """Return the share of the words of two texts that are not in both."""
    words = [(Counter(x.split()), Counter(y.split())) for x, y in zip(a, b, strict=True)]
    shares = [1 - 2 * (x & y).total() / max((x + y).total(), 1) for x, y in words]
    return np.array(shares, dtype=np.float64)
