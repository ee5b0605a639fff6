"""Single samples: the loss of each, and those on which two models disagree."""

from __future__ import annotations

from itertools import compress

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.outcomes import Outcomes


def loss(outcomes: Outcomes) -> FloatArray:
    """Return the number of labels that are wrong or missing."""
    return np.abs(outcomes.predicted_indicator - outcomes.truth).sum(axis=1, keepdims=True)


def disagreements(predictions: TestSet, a: Outcomes, b: Outcomes) -> pd.DataFrame:
    """Return sets of labels as texts, and the share of labels on which the models differ."""
    names = [] if predictions.labels is None else [*map(str, predictions.labels)]

    def written(rows: FloatArray) -> list[str]:
        return [", ".join(compress(names, row)) for row in rows]

    truth, sets = a.truth, (a.predicted_indicator, b.predicted_indicator)
    right = [(rows == truth).all(axis=1).astype(int) for rows in sets]
    return pd.DataFrame({
        "y_true": written(truth), "predicted_a": written(sets[0]), "predicted_b": written(sets[1]),
        "right": right[0] - right[1], "distance": np.abs(sets[0] - sets[1]).mean(axis=1),
    })  # fmt: skip
