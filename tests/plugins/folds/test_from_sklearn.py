"""Results of scikit-learn's cross-validation and searches are tables of folds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer, mean_squared_error
from sklearn.model_selection import GridSearchCV, cross_validate

import modelcompare as mc
from tests.plugged import needed

# It reads tables of scores.
needed("published")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(100, 3))
Y = (X[:, 0] + RNG.normal(size=100) > 0).astype(int)
MODELS = {"logit": LogisticRegression(), "flat": LogisticRegression(C=1e-4)}


def scored(scoring=None, models=MODELS, target=Y, **options):
    return {
        name: cross_validate(model, X, target, cv=10, scoring=scoring, **options)
        for name, model in models.items()
    }


def test_results_of_cross_validate_have_scores_and_sizes():
    results = scored(return_indices=True)
    found = mc.crossval.compare_folds(results)
    plain = {name: each["test_score"] for name, each in results.items()}
    expected = mc.crossval.compare_folds(plain, n_train=90, n_test=10, greater_is_better=True)
    assert found.differences.equals(expected.differences)
    with pytest.raises(ValueError, match="n_train"):
        mc.crossval.compare_folds(scored())


def test_several_scorers_are_metrics_and_negated_ones_are_better_where_they_are_greater():
    models = {"ridge": Ridge(), "shrunk": Ridge(1e4)}
    scoring = ["r2", "neg_mean_squared_error", "neg_root_mean_squared_error"]
    found = mc.crossval.compare_folds(
        scored(scoring, models, X[:, 0] + RNG.normal(size=100) / 9, return_indices=True)
    )
    assert {*found.scores["metric"]} == {*scoring}
    assert all("ridge has the highest mean" in line for line in found.verdict().splitlines())


def test_a_negated_score_in_a_table_is_better_where_it_is_greater():
    table = {"model": ["a"] * 5 + ["b"] * 5, "fold": [*range(5)] * 2, "metric": "neg_log_loss"}
    table["score"] = [-0.30, -0.31, -0.29, -0.32, -0.30, -0.50, -0.52, -0.49, -0.51, -0.50]
    found = mc.crossval.compare_folds(pd.DataFrame(table), n_train=4, n_test=1)
    assert "a has the highest mean" in found.verdict()


def test_a_scorer_that_contradicts_its_name_is_refused():
    scoring = {"rmse": make_scorer(mean_squared_error, greater_is_better=False)}
    results = scored(scoring, {"ridge": Ridge(), "shrunk": Ridge(1e4)}, X[:, 0])
    with pytest.raises(ValueError, match="rmse is better where it is lower"):
        mc.crossval.compare_folds(results, n_train=9, n_test=1)


def test_candidates_of_a_search_are_models_named_by_their_parameters():
    search = GridSearchCV(LogisticRegression(), {"C": [0.001, 1.0]}, cv=10).fit(X, Y)
    found = mc.crossval.compare_folds(search.cv_results_, n_train=9, n_test=1)
    means = found.scores.set_index("model")["mean"] if "mean" in found.scores else None
    assert {*found.scores["model"]} == {"C=0.001", "C=1.0"}
    if means is not None:
        assert means.to_numpy() == pytest.approx(search.cv_results_["mean_test_score"])
