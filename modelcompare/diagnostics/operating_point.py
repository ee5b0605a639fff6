"""Operating points: thresholds that reach what is wanted, with intervals for new samples."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray, IntArray
from modelcompare.comparison.one_class import OneClass, share_of_all
from modelcompare.data.predictions import Predictions
from modelcompare.diagnostics.curves import resampled_weights
from modelcompare.intervals import percentile_interval, proportion_interval
from modelcompare.intervals.ratios import normal_quantile
from modelcompare.metrics.base import divide
from modelcompare.metrics.ranking import Descending
from modelcompare.resampling.seeds import RngLike, seed_sequence
from modelcompare.words import check_number

_POINT = ("threshold", "precision", "recall", "false_positive_rate")


@checked()
def operating_point(
    predictions: Predictions, *, precision: float | None = None, recall: float | None = None,
    false_positive_rate: float | None = None, threshold: float | None = None, label: Any = None,
    n_resamples: int = 9999, confidence_level: float = 0.95, rng: RngLike = 0,
) -> pd.DataFrame:  # fmt: skip
    """Threshold that reaches a wanted precision, recall or false positive rate, with intervals.

    Of all thresholds that reach the wanted precision, or keep the false positive rate, the lowest
    is taken (most recall); of those that reach the wanted recall the highest. What it reaches on
    the samples that chose it is optimistic. The intervals are of what it reaches on new samples:
    each resample chooses again and is compared with these samples, so that they allow for the
    optimism and for the uncertainty of the choice. Choose it on other data and pass it as
    `threshold` for narrower ones.

    Parameters
    ----------
    predictions : Predictions
        Models with probabilities, or raw scores of two classes.
    precision, recall, false_positive_rate, threshold : float
        Exactly one: what is wanted, or a threshold that is given.
    label : label, optional
        The positive class; the second of two by default.
    n_resamples, confidence_level, rng
        Of the intervals: percentiles of the thresholds that resamples choose, and for the rest what
        this threshold reaches in the population.

    Returns
    -------
    DataFrame
        A row for each model: model, and threshold, precision, recall and false_positive_rate, each
        with its _low and _high, and n_undefined: resamples on which nothing reaches what is wanted,
        or a value is 0 / 0.

    Raises
    ------
    ValueError
        If not exactly one thing is wanted, or it is no fraction.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.Predictions([0, 0, 1, 1] * 10, {"a": [0.1, 0.4, 0.35, 0.8] * 10})
    >>> found = mc.diagnostics.operating_point(preds, precision=0.9)
    >>> found[["model", "threshold", "precision", "recall"]]
      model  threshold  precision  recall
    0     a        0.8        1.0     0.5
    """
    wishes = {
        "precision": precision, "recall": recall, "false_positive_rate": false_positive_rate,
        "threshold": threshold,
    }  # fmt: skip
    given = {name: value for name, value in wishes.items() if value is not None}
    if len(given) != 1:
        found = ", ".join(given) or "none"
        raise ValueError(f"give exactly one of {', '.join(wishes)}; got {found}.")
    ((wish, value),) = given.items()
    seed = seed_sequence(rng)
    whole, drawn_weights = resampled_weights(
        predictions, "average_precision_macro", n_resamples, seed
    )
    one = OneClass.of(predictions, label)
    if wish == "threshold" and one.raw:
        check_number(wish, value, at_least=-math.inf)
    else:
        check_number(wish, value, at_most=1.0)
    rows = []
    for model, ordered, scores in one.models:
        # A threshold of 0.7 means the 0.7 of single precision where scores have that.
        said = predictions.output(model).array.dtype.type(value) if wish == "threshold" else value
        points = _Points(wish, float(said), scores, float(whole.mean()))
        rows.append(
            {"model": model, **points.row(ordered, whole, drawn_weights(), confidence_level)}
        )
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class _Points:
    """The thresholds that are chosen, and the counts behind what they reach.

    Weights count in units of their mean, so that a sample is one trial.
    """

    wish: str
    value: float
    scores: FloatArray
    unit: float

    def row(
        self, ordered: Descending, weights: FloatArray, drawn_weights: Iterable[FloatArray],
        confidence_level: float,
    ) -> dict[str, object]:  # fmt: skip
        """Values at the chosen threshold, with their intervals."""
        whole = _from_nothing(ordered.counts(weights))
        observed = self.at(whole, self.chosen(*whole))
        drawn, checked, thresholds = [], [], []
        for resample in drawn_weights:
            resampled = _from_nothing(ordered.counts(resample))
            chosen = self.chosen(*resampled)
            drawn.append(self.at(resampled, chosen))
            checked.append(self.at(whole, chosen))
            thresholds.append(self.thresholds(chosen))
        count, trials = (np.vstack(parts) for parts in zip(*drawn, strict=True))
        of_whole = tuple(np.vstack(parts) for parts in zip(*checked, strict=True))
        low, high = _chosen_interval(
            (observed[0][0], observed[1][0]), (count, trials), (of_whole[0], of_whole[1]),
            confidence_level,
        )  # fmt: skip
        limits = percentile_interval(
            np.concatenate(thresholds)[:, None], confidence_level=confidence_level
        )
        found = np.r_[self.thresholds(self.chosen(*whole)), divide(*observed)[0]]
        ends = np.r_[limits.low, low], np.r_[limits.high, high]
        row: dict[str, object] = {}
        for place, name in enumerate(_POINT):
            row[name] = found[place]
            for side, end in zip(("low", "high"), ends, strict=True):
                row[f"{name}_{side}"] = np.nan if np.isnan(found[place]) else end[place]
        row["n_undefined"] = int(np.isnan(divide(count, trials)).any(axis=1).sum())
        return row

    def chosen(self, hits: FloatArray, alarms: FloatArray) -> IntArray:
        """Column of the threshold that each row chooses; -1 where none reaches what is wanted."""
        if self.wish == "threshold":
            reached = np.broadcast_to(np.r_[np.inf, self.scores] >= self.value, hits.shape)
        else:
            reached = {
                "recall": share_of_all(hits) >= self.value - 1e-12,
                "precision": divide(hits, hits + alarms) >= self.value - 1e-12,
                "false_positive_rate": share_of_all(alarms) <= self.value + 1e-12,
            }[self.wish] & (np.arange(hits.shape[1]) > 0)
        last = reached.shape[1] - 1 - reached[:, ::-1].argmax(axis=1)
        column = reached.argmax(axis=1) if self.wish == "recall" else last
        return np.where(reached.any(axis=1), column, -1)

    def at(
        self, counts: tuple[FloatArray, FloatArray], chosen: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Counts and trials of precision, recall and false positive rate at chosen columns."""
        hits, alarms = counts
        rows = np.arange(len(chosen)) if len(hits) > 1 else 0
        right, wrong = hits[rows, chosen], alarms[rows, chosen]
        count = np.stack([right, right, wrong], axis=1).astype(np.float64)
        trials = np.stack(
            np.broadcast_arrays(right + wrong, hits[:, -1], alarms[:, -1]), axis=1
        ).astype(np.float64)
        count[chosen < 0] = trials[chosen < 0] = np.nan
        return count / self.unit, trials / self.unit

    def thresholds(self, chosen: IntArray) -> FloatArray:
        """The thresholds themselves; the one that was given, if one was."""
        if self.wish == "threshold":
            return np.full(len(chosen), self.value)
        return np.where(chosen < 0, np.nan, np.r_[np.inf, self.scores][chosen])


def _from_nothing(counts: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Counts with a threshold above every score in front, which finds nothing."""
    hits, alarms = (np.insert(part, 0, 0, axis=1) for part in counts)
    return hits, alarms


def _chosen_interval(
    observed: tuple[FloatArray, FloatArray],
    drawn: tuple[FloatArray, FloatArray],
    checked: tuple[FloatArray, FloatArray],
    confidence_level: float,
) -> tuple[FloatArray, FloatArray]:
    """Interval of a proportion in the population, at a threshold that the sample chose.

    The best of many thresholds looks better than it is. How much, the resamples tell: each chooses
    a threshold of its own, and what that reaches on the resample is held against what it reaches on
    the samples themselves, which stand for the population. On the logit scale (half a count added)
    and in standard errors, the mean of these gaps is the optimism and their spread the uncertainty,
    choice included. A resample has fewer distinct samples than the data and can look too sure, so
    the spread is at least that of a binomial, and the interval at least Wilson's.

    Parameters
    ----------
    observed : tuple of ndarray of shape (n_values,)
        Counts and trials of the samples at the threshold they chose.
    drawn, checked : tuple of ndarray of shape (n_resamples, n_values)
        Counts and trials of each resample, and of the samples, at the threshold that the resample
        chose; NaN where it could choose none.
    confidence_level : float
        A fraction in (0, 1).
    """
    centre, error = _logit(*observed)
    (found, found_error), (true, _) = _logit(*drawn), _logit(*checked)
    gaps = np.where((drawn[1] > 0) & (checked[1] > 0), (found - true) / found_error, np.nan)
    known = ~np.isnan(gaps)
    n_known = np.maximum(known.sum(axis=0), 1)
    optimism = np.where(known, gaps, 0.0).sum(axis=0) / n_known
    spread = np.where(known, (gaps - optimism) ** 2, 0.0).sum(axis=0) / n_known
    half = normal_quantile(confidence_level) * np.maximum(np.sqrt(spread), 1.0)
    low, high = (expit(centre - (optimism + side * half) * error) for side in (1, -1))
    plain = proportion_interval("wilson", *observed, confidence_level=confidence_level)
    return np.minimum(low, plain.low), np.maximum(high, plain.high)


def _logit(count: FloatArray, trials: FloatArray) -> tuple[FloatArray, FloatArray]:
    share = (count + 0.5) / (trials + 1)
    error = 1 / np.sqrt(np.maximum(trials, 1.0) * share * (1 - share))
    return np.log(share / (1 - share)), error
