"""Rows of the tables of other tests."""

from functools import cache

import numpy as np
import pandas as pd

import modelcompare as mc
from modelcompare.plugins.published.mean_ranks import compare_ranks
from tests.report import drawn
from tests.senseless import Door

TABLE = {"a": [0.9, 0.8, 0.7, 0.9], "b": [0.8, 0.7, 0.6, 0.95], "c": [0.5, 0.5, 0.4, 0.6]}
MADE = {
    "RankComparison": lambda: compare_ranks(
        pd.DataFrame(np.random.default_rng(0).random((4, 3)), columns=["m0", "m1", "m2"]),
        "accuracy",
        test="nemenyi",
        alpha=0.05,
        greater_is_better=True,
    ),
    "RankComparison of a table": lambda: mc.inference.critical_difference(
        TABLE, greater_is_better=True
    ),
}
PICKLED = {
    "critical_difference": lambda _: mc.inference.critical_difference(
        pd.DataFrame(np.random.default_rng(8).random((12, 3)), columns=list("abc")),
        greater_is_better=True,
    ),
}
# Commands whose refusals print commands.
ADVISING = {"ranks": True}
LIBRARY = {"ranks": mc.inference.critical_difference}
SIGNED = {
    "mean ranks": lambda losses: mc.inference.critical_difference(
        pd.DataFrame(losses | {"c": np.arange(5) + 3}), greater_is_better=False
    ),
}
UNDIRECTED = {"ranks": lambda scores: mc.inference.critical_difference(scores)}
HOSTILE = {
    "ranks": lambda models: mc.inference.critical_difference(
        {**dict(zip(models, ([1, 2], [2, 3]), strict=True)), "c": [0, 0]}, greater_is_better=True
    ),
}


@cache
def ranks(n_models, _):
    rng = np.random.default_rng(1)
    scores = {m: rng.normal(size=12) + i / 9 for i, m in enumerate(drawn.preds(n_models, 3).models)}
    return mc.inference.critical_difference(scores, greater_is_better=True)


FIGURES = {
    "critical_difference": lambda *size, **ax: ranks(*size).plot.critical_difference(**ax),
}
FIGURE_SIZES = {"critical_difference": [drawn.MANY_MODELS, drawn.USUAL]}
TITLES = {"critical_difference": "12 test sets"}
ASKED = {
    "ranks": (("sets.csv", "--higher-is-better"), "ranks"),
}


def DOORS():
    return {
        "from_counts": Door(
            mc.io.from_counts, {"counts": [[5, 1], [2, 4]], "models": "a"}, ("labels",),
            {"models": [5, [], [5], ["a", "a"], float("nan"), [[]], {"a": 1}]},
        ),
        "critical_difference": Door(
            mc.inference.critical_difference,
            {"table": {m: [0.1, 0.2, 0.4] for m in "abc"}, "greater_is_better": True},
        ),
        "from_results": Door(mc.io.from_results, {"table": {"a": [0.5, 0.6], "b": [0.7, 0.4]}}, ("table",)),
    }  # fmt: skip
