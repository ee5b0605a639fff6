"""Rows of the tables of other tests."""

from functools import cache

import numpy as np

import modelcompare as mc
from tests.report import drawn


@cache
def costs(n_models, _):
    """Right answers and costs; each model is better, and costs more, than the one before."""
    rng = np.random.default_rng(0)
    scores = {
        name: {"correct": rng.random(240) < 0.4 + 0.5 * k / n_models,
               "cost_usd": rng.gamma(4, 1.3**k, 240)}
        for k, name in enumerate(drawn.preds(n_models, 3).models)
    }  # fmt: skip
    return mc.compare(mc.Predictions.from_scores(scores, name="made.csv"), **drawn.FEW)


FIGURES = {"pareto": lambda *size, **ax: costs(*size).plot.pareto(**ax)}
FIGURE_SIZES = {"pareto": [drawn.USUAL]}
