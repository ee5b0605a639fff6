"""Cross-validation: splits, fits on every split, outputs on what was held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

from modelcompare.arrays import AnyArray, IntArray
from modelcompare.data.predictions import Predictions
from modelcompare.engine.parallel import progress_bar
from modelcompare.words import check_count, check_mapping, optional

Split = tuple[IntArray, IntArray]


def scikit_learn() -> Any:
    """scikit-learn, or what to install."""
    for module in ("sklearn.base", "sklearn.model_selection", "sklearn"):
        found = optional(module, "this needs scikit-learn", "sklearn")
    return found


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
class OutOfFold:
    """Outputs of estimators for the test parts of all splits.

    By model and split: `decided` by `predict`; `soft` by `predict_proba`, over all labels, where
    every estimator has it, else the same again.
    """

    y: AnyArray
    labels: AnyArray | None
    groups: Any
    splits: Sequence[Split]
    decided: Mapping[str, Sequence[AnyArray]]
    soft: Mapping[str, Sequence[AnyArray]]

    @cached_property
    def disagree(self) -> bool:
        """Return whether `predict` ever names another class than the likeliest."""
        pairs = [
            (self.labels[probabilities.argmax(axis=1)], decided)
            for model in self.decided
            for decided, probabilities in zip(self.decided[model], self.soft[model], strict=True)
            if self.labels is not None and probabilities.ndim > decided.ndim
        ]
        return any((likeliest != decided).any() for likeliest, decided in pairs)

    def read(self, part: Sequence[int], *, soft: bool) -> Predictions:
        """Some splits as one test set, in the order of the samples.

        Decisions that are the likeliest classes are given by their probabilities too.
        """
        outputs = self.soft if soft or not self.disagree else self.decided
        held = np.concatenate([self.splits[k][1] for k in part])
        order = np.argsort(held, kind="stable")
        rows = held[order]
        return Predictions(
            self.y[rows],
            {m: np.concatenate([found[k] for k in part])[order] for m, found in outputs.items()},
            kind="auto" if self.labels is not None else "values",
            labels=self.labels,
            ids=rows,
            groups=None if self.groups is None else np.asarray(self.groups)[rows],
        )


def cross_validate(
    sklearn: Any, estimators: Mapping[str, Any], X: Any, y: AnyArray, splits: Sequence[Split], *,
    groups: Any, n_jobs: int | None, progress: bool,
) -> OutOfFold:  # fmt: skip
    """Fit every estimator on the training part of every split, and ask it about the test part."""
    from joblib import Parallel, delayed

    labels = np.unique(y) if classify(sklearn, estimators) else None
    have_soft = all(hasattr(e, "predict_proba") for e in estimators.values())

    def one(estimator: Any, train: IntArray, held: IntArray) -> tuple[AnyArray, AnyArray]:
        fitted = sklearn.base.clone(estimator).fit(rows_of(X, train), y[train])
        part = rows_of(X, held)
        decided = np.asarray(fitted.predict(part))
        if labels is None or not have_soft:
            return decided, decided
        found = np.asarray(fitted.predict_proba(part), dtype=np.float64)
        soft = np.zeros((len(found), len(labels)))
        # A fold's training part may lack a class.
        soft[:, np.searchsorted(labels, fitted.classes_)] = found
        return decided, soft

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
    n = len(splits)
    decided, soft = (
        {name: outputs[k * n : (k + 1) * n] for k, name in enumerate(estimators)}
        for outputs in zip(*found, strict=True)
    )
    return OutOfFold(y, labels, groups, splits, decided, soft)


def classify(sklearn: Any, estimators: Mapping[str, Any]) -> bool:
    """Return whether all estimators are classifiers."""
    return all(sklearn.base.is_classifier(e) for e in estimators.values())


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
