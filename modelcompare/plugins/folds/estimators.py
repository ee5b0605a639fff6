"""`compare_estimators`: cross-validation, out-of-fold predictions and fold-level tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arguments import checked
from modelcompare.arrays import AnyArray, IntArray
from modelcompare.data.predictions import Predictions
from modelcompare.directions import known_direction
from modelcompare.engine.axis import joined_frame, long_columns
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.parallel import progress_bar
from modelcompare.execution import execution
from modelcompare.metrics import AnyMetric, resolve_metrics
from modelcompare.metrics.registry import MetricLike
from modelcompare.plugins.folds.fold_comparison import (
    FOLDS,
    FoldComparison,
    FoldSettings,
    check_fold_correction,
    compare_on_folds,
    with_pooled,
)
from modelcompare.plugins.folds.words import FoldTest
from modelcompare.resampling.seeds import RngLike, random_state, rng_label
from modelcompare.words import Correction, check_count, check_mapping, optional


@checked()
def compare_estimators(
    estimators: Mapping[str, Any], X: Any, y: ArrayLike, *, cv: Any = 10,
    metrics: MetricLike | Sequence[MetricLike] | None = None, groups: ArrayLike | None = None,
    positive: Any = None, test: FoldTest = "corrected-t", correction: Correction = "holm",
    alpha: float = 0.05, confidence_level: float = 0.95,
    rng: RngLike = 0,
) -> FoldComparison:  # fmt: skip
    """Cross-validate scikit-learn estimators on the same splits and compare them.

    Metrics of labels are computed from `predict` (so tuned thresholds apply), all others from the
    probabilities if every estimator has them.

    Parameters
    ----------
    estimators : mapping of str to estimator
        Each is cloned and fitted on the training part of every split.
    X : array-like, sparse matrix, DataFrame, or list
        Features, in any form that the estimators accept.
    y : array-like of shape (n_samples,)
        Labels, or real values for regressors.
    cv : int, "loo", "5x2", or splitter
        Number of folds (stratified for classifiers, whole groups if `groups` are given),
        leave-one-out (leave-one-group-out with `groups`), five repeats of two folds, or any
        splitter of scikit-learn, e.g. repeated k-fold. If `cv` is a number, samples are shuffled by
        `rng`, except with `groups`.
    metrics : name, metric, callable, or sequence of these, optional
        As in `compare`.
    groups : array-like of shape (n_samples,), optional
        Samples of one group stay together, and are resampled together later.
    positive : optional
        The positive one of two classes, as for `Predictions`.
    test : {"corrected-t", "5x2cv-t", "5x2cv-f"}
        Fold-level test: Nadeau & Bengio's, or Dietterich's and Alpaydin's for ``cv="5x2"``.
    correction, alpha, confidence_level
        As in `compare`, for the mean differences of the pairs by one metric; "max-t" needs
        replicates and does not apply.
    rng
        As in `compare`; it shuffles the splits, and estimators keep their own `random_state`.

    Returns
    -------
    FoldComparison
        `folds`, `scores`, `differences`, and out-of-fold `predictions`, which its method `compare`
        compares. Folds of a single sample have no value and are left out; where all are, as after
        leave-one-out, values and differences are those of the pooled predictions, as `compare`
        has them. `FoldComparison.with_rope` changes the region of practical equivalence of the
        Bayesian correlated t-test, without another fit.

    Raises
    ------
    ImportError
        If scikit-learn is not installed.
    ValueError
        If a test does not fit the splits.

    Examples
    --------
    >>> import modelcompare as mc
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> result = mc.crossval.compare_estimators({"bayes": GaussianNB(), "prior": DummyClassifier()},
    ...                                *load_iris(return_X_y=True), cv=5, metrics="accuracy")
    >>> result.differences[["model_a", "model_b", "difference", "better"]].round(2)
      model_a model_b  difference better
    0   bayes   prior        0.62  bayes
    """
    check_estimators(estimators)
    check_fold_correction(correction)
    y = np.asarray(y)
    chosen_splitter = splitter(cv, y, groups, classify(estimators), random_state(rng))
    splits = list(chosen_splitter.split(X, y, groups))
    parts = repeats(splits, len(y))
    n_alone = sum(len(held) < 2 for _, held in splits)
    if not parts and n_alone == len(splits):
        raise ValueError(
            f"each of the {len(splits):,} test parts of `cv` has one sample, which has no value, "
            "and together they do not test every sample once; use larger test parts, or cv='loo'."
        )
    if test != "corrected-t" and [len(part) for part in parts] != [2] * 5:
        raise ValueError(f"`test='{test}'` needs five repeats of 2 folds; use cv='5x2'.")
    found = replace(cross_validate(estimators, X, y, splits, groups=groups), positive=positive)
    settings = FoldSettings(
        test=test, correction=correction, alpha=alpha, confidence_level=confidence_level
    )
    compared = _on_folds(found, parts, metrics, settings)
    note = f"{n_alone:,} of {len(splits):,} folds are left out: they have one sample, and no value."
    compared = replace(
        compared, predictions=tuple(found.read(part, soft=False) for part in parts),
        probabilities=tuple(found.read(part, soft=True) for part in parts if found.disagree),
        seed_label=rng_label(rng), notes=(note,) if n_alone else (),
    )  # fmt: skip
    if n_alone < len(splits):
        return compared
    return with_pooled(
        compared, metrics, correction=correction, alpha=alpha, confidence_level=confidence_level,
        rng=rng,
    )  # fmt: skip


def _on_folds(
    found: OutOfFold, repeats: Sequence[Sequence[int]],
    metrics: MetricLike | Sequence[MetricLike] | None, settings: FoldSettings,
) -> FoldComparison:  # fmt: skip
    """Compare the values of all models on each fold; metrics of labels use `predict`."""
    sizes = np.array([(len(train), len(held)) for train, held in found.splits])
    # A fold of one sample (leave-one-out) has no value.
    used = np.flatnonzero(sizes[:, 1] > 1)
    repeat_of = {fold: number for number, part in enumerate(repeats) for fold in part}
    chosen: Sequence[AnyMetric] = ()
    frames = []
    for fold in used.tolist():
        decided, soft = found.read([fold], soft=False), found.read([fold], soft=True)
        chosen = resolve_metrics(metrics, soft)
        parts = [Evaluation(decided if m.kind.coded else soft, [m]) for m in chosen]
        n_train, n_test = sizes[fold]
        rows = {
            "repeat": repeat_of.get(fold, 0), "fold": fold, "n_train": n_train, "n_test": n_test,
            "model": np.array(soft.models, dtype=object),
        }  # fmt: skip
        keys = [key for part in parts for key in part.keys]
        values = np.hstack([part.estimate() for part in parts])
        frames.append(long_columns(rows, keys, value=values))
    none = pd.DataFrame(columns=FOLDS).astype({"value": float})
    return compare_on_folds(
        joined_frame(frames) if frames else none,
        sizes[used if len(used) else slice(None)].mean(axis=0),
        {m.name: known_direction(m.name, m.greater_is_better) for m in chosen}, settings,
    )  # fmt: skip


Split = tuple[IntArray, IntArray]


def check_estimators(estimators: Mapping[str, Any]) -> None:
    """Raise unless scikit-learn is installed and names are mapped to estimators."""
    optional("sklearn.model_selection", "this needs scikit-learn", "sklearn")
    check_mapping("estimators", estimators, "estimators")
    for name, estimator in estimators.items():
        if not hasattr(estimator, "fit"):
            raise TypeError(f"`estimators` maps {name!r} to {estimator!r}, which cannot be fitted.")


def rows_of(X: Any, rows: IntArray) -> Any:
    """Return some rows of an array, sparse matrix, DataFrame or list."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "tocsr"):
        return X.tocsr()[rows]
    return X[rows] if hasattr(X, "shape") else [X[row] for row in rows]


def splitter(cv: Any, y: AnyArray, groups: Any, classifies: bool, seed: int) -> Any:
    """Return the splitter of scikit-learn for `cv`: a number, a name, or a splitter."""
    from sklearn import model_selection as selection

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
    return cv


@dataclass(frozen=True)
class OutOfFold:
    """Outputs of estimators for the test parts of all splits.

    `decided` and `soft` are arrays by model and split: of `predict`, and of `predict_proba` over
    all labels if every estimator has it, else of `predict` too.
    """

    y: AnyArray
    labels: AnyArray | None
    groups: Any
    splits: Sequence[Split]
    decided: Mapping[str, Sequence[AnyArray]]
    soft: Mapping[str, Sequence[AnyArray]]
    positive: Any = None

    @cached_property
    def disagree(self) -> bool:
        """Return whether `predict` ever returns another class than the likeliest."""
        pairs = [
            (self.labels[probabilities.argmax(axis=1)], decided)
            for model in self.decided
            for decided, probabilities in zip(self.decided[model], self.soft[model], strict=True)
            if self.labels is not None and probabilities.ndim > decided.ndim
        ]
        return any((likeliest != decided).any() for likeliest, decided in pairs)

    def read(self, part: Sequence[int], *, soft: bool) -> Predictions:
        """Return some splits as one test set, in the order of the samples.

        If `predict` always returns the likeliest class, the outputs are probabilities in any case.
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
            positive=self.positive,
            ids=rows,
            groups=None if self.groups is None else np.asarray(self.groups)[rows],
        )


def cross_validate(
    estimators: Mapping[str, Any], X: Any, y: AnyArray, splits: Sequence[Split], *, groups: Any
) -> OutOfFold:
    """Fit every estimator on the training part of every split, and predict the test part."""
    from joblib import Parallel, delayed
    from sklearn.base import clone

    labels = np.unique(y) if classify(estimators) else None
    have_soft = all(hasattr(e, "predict_proba") for e in estimators.values())

    def one(estimator: Any, train: IntArray, held: IntArray) -> tuple[AnyArray, AnyArray]:
        fitted = clone(estimator).fit(rows_of(X, train), y[train])
        part = rows_of(X, held)
        decided = np.asarray(fitted.predict(part))
        if labels is None or not have_soft:
            return decided, decided
        found = np.asarray(fitted.predict_proba(part), dtype=np.float64)
        soft = np.zeros((len(found), len(labels)))
        # A class may be absent from the training part of a fold.
        soft[:, np.searchsorted(labels, fitted.classes_)] = found
        return decided, soft

    tasks = (
        delayed(one)(estimator, train, held)
        for estimator in estimators.values()
        for train, held in splits
    )
    found = []
    with progress_bar(len(estimators) * len(splits)) as bar:
        for output in Parallel(n_jobs=execution.get().n_jobs, return_as="generator")(tasks):
            found.append(output)
            bar.update(1)
    n = len(splits)
    decided, soft = (
        {name: outputs[k * n : (k + 1) * n] for k, name in enumerate(estimators)}
        for outputs in zip(*found, strict=True)
    )
    return OutOfFold(y, labels, groups, splits, decided, soft)


def classify(estimators: Mapping[str, Any]) -> bool:
    """Return whether all estimators are classifiers."""
    from sklearn.base import is_classifier

    return all(map(is_classifier, estimators.values()))


def repeats(splits: Sequence[Split], n_samples: int) -> list[list[int]]:
    """Group consecutive splits into repeats: each sample is tested once; empty if impossible."""
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
