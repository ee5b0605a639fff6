"""Rows of the tables of other tests."""

from functools import cache

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import modelcompare as mc
from modelcompare.plugs import plugins
from tests.senseless import PLAIN, Door

SIZES = {"n_train": 9, "n_test": 1}
WIDE = {"a": [0.1, 0.2, 0.4, 0.3], "b": [0.3, 0.1, 0.2, 0.35]}


@cache
def _estimators():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    y = (x[:, 0] + rng.normal(size=60) > 0).astype(int)
    models = {"logistic": LogisticRegression(), "bayes": GaussianNB()}
    return mc.crossval.compare_estimators(models, x, y, cv=3, metrics=["accuracy", "f1"])


# The plugin of published results reads tables of scores.
TABLES = "published" in plugins()
UNANSWERED = {} if TABLES else {"compare_folds": "published"}


def _of_tables(**rows):
    """Rows of tables of scores, where there are any."""
    return rows if TABLES else {}


MADE = {"FoldComparison of estimators": _estimators} | _of_tables(
    FoldComparison=lambda: mc.crossval.compare_folds(_estimators().folds)
)
PICKLED = _of_tables(
    folds=lambda _: mc.crossval.compare_folds(
        pd.DataFrame(np.random.default_rng(7).random((10, 2)), columns=["a", "b"]),
        n_train=90, n_test=10, greater_is_better=True,
    ),
)  # fmt: skip
# Truth and two models as in tests/comparison/test_signs.py, whose b is worse than a.
SIGNED = _of_tables(
    folds=lambda losses: mc.crossval.compare_folds(
        losses, n_train=4, n_test=1, greater_is_better=False
    ),
)
UNDIRECTED = _of_tables(
    folds=lambda scores: mc.crossval.compare_folds(scores, **SIZES),
)
HOSTILE = _of_tables(
    folds=lambda models: mc.crossval.compare_folds(
        pd.DataFrame({model: [0.5, 0.6, 0.4 + k] for k, model in enumerate(models)}),
        n_train=2, n_test=1, greater_is_better=True,
    ),
)  # fmt: skip


def _of_threads():
    x = np.random.default_rng(0).normal(size=(90, 3))
    models = {"bayes": GaussianNB(), "most": DummyClassifier()}
    found = mc.crossval.compare_estimators(models, x, np.arange(90) % 3, cv=3)
    return [found.scores]


_RANKS = ("folds.csv", "--n-train", "80", "--n-test", "20", "--higher-is-better")
ASKED = _of_tables(**{"ranks: folds": (_RANKS, "folds")})
WORK = {"compare_estimators": _of_threads}
TRUTH = PLAIN.y_true
X = np.random.default_rng(1).normal(size=(40, 2)) + np.asarray(TRUTH)[:, None]


def _models(*, fitted):
    made = {"bayes": GaussianNB(), "dummy": DummyClassifier()}
    return {name: e.fit(X, TRUTH) for name, e in made.items()} if fitted else made


def DOORS():
    return {
        "compare_estimators": Door(
            mc.crossval.compare_estimators, {"estimators": _models(fitted=False), "X": X, "y": TRUTH, "cv": 2},
            ("X", "y", "groups"),
        ),
        **_of_tables(compare_folds=Door(
            mc.crossval.compare_folds,
            {"table": {"a": [0.1, 0.2, 0.4], "b": [0.3, 0.1, 0.2]}, "n_train": 2, "n_test": 1,
             "greater_is_better": True},
        )),
        "FoldComparison.with_rope": Door(_estimators().with_rope, {"rope": 0.02}),
        "compare_scorers": Door(
            mc.crossval.compare_scorers,
            {"estimators": _models(fitted=True), "X": X, "y": TRUTH, "scoring": "accuracy", "n_resamples": 20},
            ("X", "y", "groups"),
        ),
    }  # fmt: skip
