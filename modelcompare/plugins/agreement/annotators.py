"""Agreement between annotators, and between models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arguments import checked
from modelcompare.comparison.bootstrap import bootstrap
from modelcompare.data.predictions import Predictions
from modelcompare.engine.design import design_of
from modelcompare.plugins.agreement.ratings import annotation_metrics, rating_counts
from modelcompare.resampling.seeds import RngLike, seed_sequence
from modelcompare.words import IntervalMethod, Level

_OF_MODELS = {"accuracy": "agreement", "zero_one_loss": "churn", "cohen_kappa": "kappa"}


@checked()
def annotator_agreement(
    ratings: ArrayLike, *, level: Level = "nominal", order: Sequence[Any] | None = None,
    groups: ArrayLike | None = None, method: IntervalMethod = "BCa", confidence_level: float = 0.95,
    n_resamples: int = 9999, rng: RngLike = 0,
) -> pd.DataFrame:  # fmt: skip
    """Measure the agreement of two or more annotators, with intervals over items.

    Parameters
    ----------
    ratings : array-like of shape (n_items, n_annotators)
        Labels or numbers; None or NaN if an annotator did not rate an item.
    level : {"nominal", "ordinal", "interval", "ratio"}
        Level of measurement of the categories, which defines distances in Krippendorff's alpha.
    order : sequence, optional
        The categories from lowest to highest; required for ordinal texts.
    groups : array-like of shape (n_items,), optional
        Cluster of each item (its document, say).
    method, confidence_level, n_resamples, rng
        Options of the bootstrap intervals, as in `compare`.

    Returns
    -------
    DataFrame
        A row each for percent_agreement (of two ratings of an item), fleiss_kappa (defined if all
        items have the same number of ratings) and krippendorff_alpha (for any numbers of ratings,
        missing ones allowed): statistic, estimate, standard_error, ci_low, ci_high.

    Raises
    ------
    ValueError
        If there is a single annotator or category, or a level does not fit the ratings.

    References
    ----------
    .. [1] Fleiss (1971), Psychological Bulletin 76, 378-382.
    .. [2] Krippendorff (2011), Computing Krippendorff's alpha-reliability.

    Examples
    --------
    >>> import modelcompare as mc
    >>> ratings = [["a", "a", "b"], ["b", "b", "b"], ["a", "a", "a"], ["b", "b", "a"]] * 5
    >>> mc.diagnostics.annotator_agreement(ratings)[["statistic", "estimate"]].round(3)
                statistic  estimate
    0   percent_agreement     0.667
    1        fleiss_kappa     0.333
    2  krippendorff_alpha     0.344
    """
    counts, categories = rating_counts(ratings, order)
    if level == "ordinal" and order is None and categories.dtype.kind not in "fiub":
        raise ValueError(
            f"ordinal texts need their order: order={categories.tolist()[:4]}, from low to high."
        )
    items = np.arange(len(counts), dtype=np.float64)
    preds = Predictions.from_scores({"annotators": items}, groups=groups)
    metrics = annotation_metrics(counts, categories, level)
    result = bootstrap(preds, metrics, n_resamples=n_resamples, rng=rng)
    frame = result.confidence_interval(method=method, confidence_level=confidence_level)
    frame = frame.rename(columns={"metric": "statistic"})
    return frame[["statistic", "estimate", "standard_error", "ci_low", "ci_high"]]


@checked()
def model_agreement(
    predictions: Predictions, *, method: IntervalMethod = "BCa", confidence_level: float = 0.95,
    n_resamples: int = 9999, rng: RngLike = 0,
) -> pd.DataFrame:  # fmt: skip
    """Measure how often models make the same decision, correct or not.

    Churn is the share of samples on which the decisions of two models differ. Users notice it when
    one model replaces another, even if accuracy stays the same.

    Parameters
    ----------
    predictions : Predictions
        Two or more models with labels or probabilities.
    method, confidence_level, n_resamples, rng
        Options of the bootstrap intervals, as in `compare`; all pairs share the same resamples.

    Returns
    -------
    DataFrame
        A row for each pair and statistic ("agreement", "churn" = 1 - agreement, "kappa"): model_a,
        model_b, statistic, estimate, standard_error, ci_low, ci_high.

    Raises
    ------
    ValueError
        If there is only one model, a model has neither labels nor probabilities, or models have
        separate runs, of which no two have a row in common.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.Predictions([0, 1] * 10, {"old": [0, 1] * 10, "new": [0, 1, 1, 1] * 5})
    >>> mc.diagnostics.model_agreement(preds)[["statistic", "estimate"]]
       statistic  estimate
    0  agreement      0.75
    1      churn      0.25
    2      kappa      0.50
    """
    if predictions.labels is None or len(predictions.models) < 2:
        raise ValueError("agreement is of two or more models with labels or probabilities.")
    design_of(predictions).check_common_rows()
    seed = seed_sequence(rng)
    decided = {m: predictions.labels[predictions.predicted(m)] for m in predictions.models}
    frames = []
    for place, reference in enumerate(predictions.models[1:], start=1):
        # Another model's decisions are used as true labels.
        part = Predictions(
            decided[reference], {m: decided[m] for m in predictions.models[:place]}, kind="labels",
            labels=predictions.labels, groups=predictions.groups, strata=predictions.strata,
            sample_weight=predictions.sample_weight,
        )  # fmt: skip
        names = list(_OF_MODELS)
        result = bootstrap(part, names, n_resamples=n_resamples, collapse=False, rng=seed)
        frame = result.confidence_interval(method=method, confidence_level=confidence_level)
        frames.append(frame.assign(model_b=reference))
    table = pd.concat(frames, ignore_index=True).rename(columns={"model": "model_a"})
    table["statistic"] = table["metric"].map(_OF_MODELS)
    columns = ["model_a", "model_b", "statistic", "estimate", "standard_error", "ci_low", "ci_high"]
    return table[columns]
