"""Probabilities that are rounded to a few values."""

from __future__ import annotations

import numpy as np

from modelcompare.arguments import checked
from modelcompare.arrays import mass_edges
from modelcompare.data import checks
from modelcompare.data.kinds import PROBABILITIES
from modelcompare.data.predictions import Predictions
from modelcompare.data.variants import with_models


@checked()
def quantize(predictions: Predictions, n_bins: int = 3) -> Predictions:
    """Round each model's top confidence to one of a few values.

    Each model's confidences in its predicted labels are divided into `n_bins` bins of equal size
    and replaced by the mean of their bin; the other classes share the rest equally, or get nothing
    if the model gave a subset of its classes only. The result has the information of a label with
    HIGH, MED or LOW next to it.

    Parameters
    ----------
    predictions : Predictions
        Models with probabilities.
    n_bins : int
        Number of values.

    Examples
    --------
    >>> import modelcompare as mc
    >>> few = quantize(mc.load_example("snli")["mlp"], 3).probabilities("mlp").max(axis=1)
    >>> sorted({round(float(value), 2) for value in few})
    [0.45, 0.59, 0.82]
    """
    out = {}
    for model in predictions.models:
        p = predictions.probabilities(model).astype(np.float64)
        rows, top = np.arange(len(p)), predictions.predicted(model)
        confidence = p[rows, top]
        inside = np.searchsorted(mass_edges(confidence, n_bins), confidence, side="right")
        means = np.bincount(inside, confidence) / np.maximum(np.bincount(inside), 1)
        # Lists that were cut off stay so; elsewhere the predicted class stays the likeliest.
        whole = p.sum(axis=1) > 1 - checks.SUM_TOLERANCE
        value = np.where(
            whole, np.maximum(means[inside], checks.above_equal(p.shape[1])), means[inside]
        )
        rest = np.where(whole, (1 - value) / (p.shape[1] - 1), 0.0)
        q = np.repeat(rest[:, None], p.shape[1], axis=1)
        q[rows, top] = value
        out[model] = q
    return with_models(predictions, out, PROBABILITIES)
