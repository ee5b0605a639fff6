"""`compare_scorers`: comparison of fitted estimators by scikit-learn's scorers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from modelcompare.arguments import checked
from modelcompare.arrays import AnyArray
from modelcompare.comparison.compare import compare
from modelcompare.comparison.result import Comparison
from modelcompare.data.predictions import Predictions
from modelcompare.metrics import CallableMetric, from_callable
from modelcompare.plugins.folds.estimators import (
    check_estimators,
    classify,
    rows_of,
)
from modelcompare.words import check_mapping, check_sequence

Scorer = Callable[[Any, Any, Any], float]
# Scorers whose value depends neither on the value of 0 / 0 nor on the classes in a resample.
_SAME = {
    "accuracy", "balanced_accuracy", "f1_macro", "f1_micro", "f1_weighted", "jaccard_macro",
    "jaccard_micro", "jaccard_weighted", "precision_micro", "recall_micro", "recall_weighted",
}  # fmt: skip


@checked(compare)
def compare_scorers(
    estimators: Mapping[str, Any], X: Any, y: ArrayLike,
    scoring: str | Scorer | Sequence[str | Scorer] | Mapping[str, str | Scorer], *,
    groups: ArrayLike | None = None, **options: Any,
) -> Comparison:  # fmt: skip
    """Compare fitted estimators on a test set by scikit-learn's scorers.

    If all scorers are names of metrics with the same definition in this package (``f1_macro``,
    ``accuracy``), the comparison uses those, which is fast; otherwise scorers are called on every
    resample.

    Parameters
    ----------
    estimators : mapping of str to fitted estimator
        Fitted estimators; they are not fitted again.
    X, y
        The test set.
    scoring : name, scorer, sequence or mapping of these
        scikit-learn's scorer names ("f1_macro", "neg_log_loss"), objects of `make_scorer`, or
        functions ``scorer(estimator, X, y)``; higher is better. A mapping names them.
    groups : array-like of shape (n_samples,), optional
        Cluster of each sample.
    **options
        As for `compare`; use few `n_resamples` if scorers are slow.

    Raises
    ------
    ImportError
        If scikit-learn is not installed.
    ValueError
        If a scorer's name is unknown, or one occurs twice.

    Examples
    --------
    >>> import modelcompare as mc
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.metrics import fbeta_score, make_scorer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> fitted = {"bayes": GaussianNB().fit(X, y), "prior": DummyClassifier().fit(X, y)}
    >>> f2 = make_scorer(fbeta_score, beta=2, average="macro")
    >>> result = mc.crossval.compare_scorers(fitted, X, y, {"f2": f2}, n_resamples=50)
    >>> result.scores[["model", "metric", "estimate"]].round(3)
       model metric  estimate
    0  bayes     f2     0.960
    1  prior     f2     0.238
    """
    check_estimators(estimators)
    named = _named(scoring)
    truth = np.asarray(y)
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if n_rows != len(truth):
        raise ValueError(f"`X` has {n_rows:,} rows and `y` {len(truth):,}; give one for each.")
    same = all(name == scorer and name in _SAME for name, scorer in named.items())
    if same and classify(estimators):
        predicted = {name: estimator.predict(X) for name, estimator in estimators.items()}
        preds = Predictions(truth, predicted, kind="labels", groups=groups)
        return compare(preds, list(named), **options)
    from sklearn.metrics import get_scorer

    fitted = tuple(estimators.values())
    metrics = [_metric(name, get_scorer(s), fitted, X, truth) for name, s in named.items()]
    numbers = {
        name: place * len(truth) + np.arange(len(truth)) for place, name in enumerate(estimators)
    }
    return compare(Predictions.from_scores(numbers, groups=groups), metrics, **options)


def _metric(
    name: str, scorer: Scorer, estimators: Sequence[Any], X: Any, y: AnyArray
) -> CallableMetric:
    """Wrap a scorer as a metric of row numbers, which count the rows of all estimators."""

    def score(_: None, numbers: AnyArray) -> float:
        if len(numbers) == 0:
            return float("nan")
        rows = numbers.astype(np.intp)
        estimator = estimators[rows[0] // len(y)]
        rows %= len(y)
        return float(scorer(estimator, rows_of(X, rows), y[rows]))

    return from_callable(score, name=name, needs="scores")


def _named(scoring: Any) -> dict[str, str | Scorer]:
    from sklearn.metrics import get_scorer_names

    if isinstance(scoring, Mapping):
        check_mapping("scoring", scoring, "scorers")
        several, names = [*scoring.values()], [*scoring]
    else:
        single = isinstance(scoring, str) or callable(scoring)
        several = [scoring] if single else [*check_sequence("scoring", scoring, "scorers")]
        names = [s if isinstance(s, str) else _name_of(s) for s in several]
    for scorer in several:
        if not (scorer in get_scorer_names() if isinstance(scorer, str) else callable(scorer)):
            raise ValueError(
                f"`scoring` must hold scorers or names of scikit-learn's, got {scorer!r}; "
                "sklearn.metrics.get_scorer_names() lists them."
            )
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated or not names:
        raise ValueError(
            f"`scoring` {'names ' + repeated[0] + ' twice' if repeated else 'is empty'}; pass a "
            "mapping of names to scorers."
        )
    return dict(zip(names, several, strict=True))


def _name_of(scorer: Any) -> str:
    function = getattr(scorer, "_score_func", scorer)
    return str(getattr(function, "__name__", type(function).__name__))
