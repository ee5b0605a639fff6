"""compare_estimators: cross-validation into predictions and fold-level tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arguments import checked
from modelcompare.comparison.compare import compare
from modelcompare.comparison.cross_validation import (
    OutOfFold,
    check_estimators,
    classify,
    cross_validate,
    repeats,
    scikit_learn,
    splitter,
)
from modelcompare.comparison.folds import (
    FOLDS,
    FoldComparison,
    check_fold_correction,
    compare_on_folds,
)
from modelcompare.comparison.result import Comparison
from modelcompare.data.predictions import Predictions
from modelcompare.engine.axis import score_frame
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import AnyMetric, default_metrics, resolve_metrics
from modelcompare.metrics.registry import MetricLike
from modelcompare.resampling.seeds import RngLike, random_state, rng_label
from modelcompare.words import Correction, FoldTest, signature


@dataclass(frozen=True)
class EstimatorComparison(FoldComparison):
    """Estimators compared by cross-validation: a `FoldComparison`, and the predictions behind it.

    Attributes
    ----------
    predictions : tuple of Predictions
        Out-of-fold predictions, one test set of all samples for each repeat; empty where the splits
        do not cover every sample once. Probabilities, where every estimator gives them and
        `predict` names the likeliest class; else what `predict` says.
    probabilities : tuple of Predictions
        The same by `predict_proba`, where `predict` names other classes than the likeliest ones
        (a tuned threshold, say); else empty.
    """

    predictions: tuple[Predictions, ...] = field(repr=False)
    probabilities: tuple[Predictions, ...] = field(repr=False)
    seed_label: str = field(repr=False)

    stem: ClassVar[str] = "estimators"
    _members: ClassVar[str] = """
        test correction rope confidence_level seed_label signature
        folds: repeat fold n_train n_test model metric label value:estimate
        scores: model metric label mean sd n_folds
        differences: model_a model_b metric label difference standard_error ci_low ci_high statistic
          p_value p_adjusted better p_a p_equivalent p_b
    """

    @property
    def signature(self) -> str:
        return signature("compare_estimators", **self._made, rng=self.seed_label)

    def compare(
        self, metrics: MetricLike | Sequence[MetricLike] | None = None, **options: Any
    ) -> Comparison:
        """Compare the out-of-fold predictions of the first repeat as one test set.

        This asks another question than the fold-level tests: which of these *predictions* are
        better, given the models that were trained, not which *estimator* is. Metrics of labels
        look at what `predict` says, all others at the probabilities.
        """
        if not self.predictions:
            raise ValueError(
                "the splits do not predict every sample once; use k-fold or leave-one-out splits."
            )
        decided = self.predictions[0]
        if metrics is None or not self.probabilities:
            return compare(decided, metrics, **options)
        soft = self.probabilities[0]
        of_labels = {m.needs == "labels" for m in resolve_metrics(metrics, soft)}
        if len(of_labels) > 1:
            raise ValueError(
                "`predict` does not always name the likeliest class here, so metrics of labels and "
                "metrics of probabilities are of different predictions; compare them in two calls."
            )
        return compare(decided if of_labels == {True} else soft, metrics, **options)


@checked()
def compare_estimators(
    estimators: Mapping[str, Any], X: Any, y: ArrayLike, *, cv: Any = 10,
    metrics: MetricLike | Sequence[MetricLike] | None = None, groups: ArrayLike | None = None,
    test: FoldTest = "corrected-t", correction: Correction = "holm", alpha: float = 0.05,
    rope: float = 0.01, confidence_level: float = 0.95, n_jobs: int | None = None, rng: RngLike = 0,
    progress: bool = False,
) -> EstimatorComparison:  # fmt: skip
    """Cross-validate scikit-learn estimators on the same splits and compare them.

    Metrics of labels look at what `predict` says (a tuned threshold counts), all others at the
    probabilities, where every estimator gives them.

    Parameters
    ----------
    estimators : mapping of str to estimator
        Each is cloned and fitted on the training part of every split.
    X : array-like, sparse matrix, DataFrame, or list
        Whatever the estimators take.
    y : array-like of shape (n_samples,)
        Labels, or real values for regressors.
    cv : int, "loo", "5x2", or splitter
        Number of folds (stratified for classifiers, whole groups where `groups` are given),
        leave-one-out (one group, where there are any), five repeats of two folds, or any splitter
        of scikit-learn (repeated k-fold, say). Numbered folds are shuffled by `rng`, except those
        of groups.
    metrics : name, metric, callable, or sequence of these, optional
        As in `compare`.
    groups : array-like of shape (n_samples,), optional
        Samples of one group stay together, and are resampled together later.
    test : {"corrected-t", "5x2cv-t", "5x2cv-f"}
        Fold-level test: Nadeau & Bengio's, or Dietterich's and Alpaydin's for ``cv="5x2"``.
    correction, alpha, confidence_level
        As in `compare`, for the mean differences of the pairs by one metric; "max-t" needs
        replicates and does not apply.
    rope : float
        Half width of the region of practical equivalence of the Bayesian correlated t-test, in
        units of the metric.
    n_jobs, rng, progress
        As in `compare`, over splits and estimators; `rng` shuffles the splits, and estimators keep
        their own `random_state`.

    Returns
    -------
    EstimatorComparison
        `folds`, `scores`, `differences`, and out-of-fold `predictions`. Folds of a single sample
        have no value and are left out: leave-one-out gives `predictions` to `compare` and no more.

    Raises
    ------
    ImportError
        Without scikit-learn.
    ValueError
        If a test does not fit the splits.

    Examples
    --------
    >>> import modelcompare as mc
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> result = mc.compare_estimators({"bayes": GaussianNB(), "prior": DummyClassifier()},
    ...                                *load_iris(return_X_y=True), cv=5, metrics="accuracy")
    >>> result.differences[["model_a", "model_b", "difference", "better"]].round(2)
      model_a model_b  difference better
    0   bayes   prior        0.62  bayes
    """
    sklearn = scikit_learn()
    check_estimators(estimators)
    check_fold_correction(correction)
    y = np.asarray(y)
    chosen_splitter = splitter(
        sklearn, cv, y, groups, classify(sklearn, estimators), random_state(rng)
    )
    splits = list(chosen_splitter.split(X, y, groups))
    parts = repeats(splits, len(y))
    if test != "corrected-t" and [len(part) for part in parts] != [2] * 5:
        raise ValueError(f"`test='{test}'` needs five repeats of 2 folds; use cv='5x2'.")
    found = cross_validate(
        sklearn, estimators, X, y, splits, groups=groups, n_jobs=n_jobs, progress=progress
    )
    compared = _on_folds(
        found, parts, metrics, test=test, correction=correction, alpha=alpha, rope=rope,
        confidence_level=confidence_level,
    )  # fmt: skip
    return EstimatorComparison(
        **vars(compared),
        predictions=tuple(found.read(part, soft=False) for part in parts),
        probabilities=tuple(found.read(part, soft=True) for part in parts if found.disagree),
        seed_label=rng_label(rng),
    )  # fmt: skip


def _on_folds(
    found: OutOfFold, repeats: Sequence[Sequence[int]],
    metrics: MetricLike | Sequence[MetricLike] | None, **options: Any,
) -> FoldComparison:  # fmt: skip
    """Compare the values of all models on each fold: of labels by `predict`."""
    sizes = np.array([(len(train), len(held)) for train, held in found.splits])
    # A fold of one sample (leave-one-out) has no metric of its own.
    used = np.flatnonzero(sizes[:, 1] > 1)
    repeat_of = {fold: number for number, part in enumerate(repeats) for fold in part}
    chosen: Sequence[AnyMetric] = ()
    frames = []
    for fold in used.tolist():
        decided, soft = found.read([fold], soft=False), found.read([fold], soft=True)
        chosen = resolve_metrics(default_metrics(soft) if metrics is None else metrics, soft)
        parts = [Evaluation(decided if m.needs == "labels" else soft, [m]) for m in chosen]
        frame = score_frame(
            soft.models, [key for part in parts for key in part.keys],
            value=np.hstack([part.estimate() for part in parts]),
        )  # fmt: skip
        n_train, n_test = sizes[fold]
        frame = frame.assign(
            repeat=repeat_of.get(fold, 0), fold=fold, n_train=n_train, n_test=n_test
        )
        frames.append(frame[FOLDS])
    none = pd.DataFrame(columns=FOLDS).astype({"value": float})
    return compare_on_folds(
        pd.concat(frames, ignore_index=True) if frames else none,
        sizes[used if len(used) else slice(None)].mean(axis=0),
        {m.name: m.greater_is_better for m in chosen}, **options,
    )  # fmt: skip
