"""Cross-validation: splits, fits on every split, outputs on what was held out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.engine.parallel import progress_bar
from modelcompare.words import check_count, check_mapping

Split = tuple[IntArray, IntArray]


def scikit_learn() -> Any:
    """scikit-learn, or what to install."""
    try:
        import sklearn
        import sklearn.base
        import sklearn.model_selection
    except ImportError as error:
        raise ImportError('this needs scikit-learn: pip install "modelcompare[sklearn]"') from error
    return sklearn


def check_estimators(estimators: Mapping[str, Any]) -> None:
    """Refuse what is no mapping of names to estimators."""
    check_mapping("estimators", estimators, "estimators")
    for name, estimator in estimators.items():
        if not hasattr(estimator, "fit"):
            raise TypeError(f"`estimators` maps {name!r} to {estimator!r}, which cannot be fitted.")


def rows_of(X: Any, rows: IntArray) -> Any:
    """Some rows of an array, sparse matrix, DataFrame or list."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "tocsr"):
        return X.tocsr()[rows]
    return X[rows] if hasattr(X, "shape") else [X[row] for row in rows]


def splitter(sklearn: Any, cv: Any, y: AnyArray, groups: Any, classifies: bool, seed: int) -> Any:
    """Splitter of scikit-learn behind a number, a name, or itself."""
    selection = sklearn.model_selection
    if cv == "loo":
        return selection.LeaveOneOut() if groups is None else selection.LeaveOneGroupOut()
    if cv == "5x2":
        if groups is not None:
            raise ValueError("`cv='5x2'` would tear groups apart; pass a number of folds.")
        kind = selection.RepeatedStratifiedKFold if classifies else selection.RepeatedKFold
        return kind(n_splits=2, n_repeats=5, random_state=seed)
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        check_count("cv", cv, at_most=len(y))
        if groups is not None:
            return selection.GroupKFold(int(cv))
        kind = selection.StratifiedKFold if classifies else selection.KFold
        return kind(int(cv), shuffle=True, random_state=seed)
    if isinstance(cv, str) or not hasattr(cv, "split"):
        raise TypeError(f"`cv` must be a number of folds, 'loo', '5x2' or a splitter, got {cv!r}.")
    return selection.check_cv(cv, y, classifier=classifies)


@dataclass(frozen=True)
class Answer:
    """What a fitted estimator says of some samples: by `predict`, and by `predict_proba`."""

    decided: AnyArray
    probabilities: FloatArray | None

    @property
    def likeliest(self) -> IntArray | None:
        """Place of the likeliest class among the labels."""
        return None if self.probabilities is None else self.probabilities.argmax(axis=1)


Respond = Callable[[Any, Any], Answer]


def responder(estimators: Mapping[str, Any], labels: AnyArray | None) -> Respond:
    """Decisions, and probabilities over all labels where every estimator has them."""
    if labels is None or not all(hasattr(e, "predict_proba") for e in estimators.values()):
        return lambda estimator, part: Answer(np.asarray(estimator.predict(part)), None)

    def both(estimator: Any, part: Any) -> Answer:
        found = np.asarray(estimator.predict_proba(part), dtype=np.float64)
        out = np.zeros((len(found), len(labels)))
        # A fold's training part may lack a class.
        out[:, np.searchsorted(labels, estimator.classes_)] = found
        return Answer(np.asarray(estimator.predict(part)), out)

    return both


def fitted(
    sklearn: Any, estimators: Mapping[str, Any], X: Any, y: AnyArray, splits: Sequence[Split],
    respond: Respond, n_jobs: int | None, progress: bool,
) -> dict[str, list[Answer]]:  # fmt: skip
    """For each model its answers on the test part of each split."""
    from joblib import Parallel, delayed

    def one(estimator: Any, train: IntArray, held: IntArray) -> Answer:
        fitted = sklearn.base.clone(estimator).fit(rows_of(X, train), y[train])
        return respond(fitted, rows_of(X, held))

    tasks = (
        delayed(one)(estimator, train, held)
        for estimator in estimators.values()
        for train, held in splits
    )
    found = []
    with progress_bar(len(estimators) * len(splits), progress) as bar:
        for output in Parallel(n_jobs=n_jobs, return_as="generator")(tasks):
            found.append(output)
            bar.update(1)
    return {
        name: found[place * len(splits) : (place + 1) * len(splits)]
        for place, name in enumerate(estimators)
    }


def repeats(splits: Sequence[Split], n_samples: int) -> list[list[int]]:
    """Consecutive splits whose test parts are all samples, each once."""
    repeats, part, seen = [], [], np.zeros(n_samples, dtype=int)
    for place, (_, held) in enumerate(splits):
        seen[held] += 1
        part.append(place)
        if (seen == 1).all():
            repeats.append(part)
            part, seen = [], np.zeros(n_samples, dtype=int)
        elif seen.max() > 1:
            return []
    return repeats
