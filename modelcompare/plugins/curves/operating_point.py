"""Operating points: thresholds that reach a target, with intervals for new samples."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import betainc, expit

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray, IntArray
from modelcompare.data.predictions import Predictions
from modelcompare.data.sizes import n_seen
from modelcompare.engine.sample_weights import resampled_weights
from modelcompare.intervals import percentile_interval, proportion_interval
from modelcompare.intervals.ratios import normal_quantile
from modelcompare.metrics.base import divide
from modelcompare.metrics.ranking import Descending
from modelcompare.plugins.curves.one_class import OneClass, share_of_all
from modelcompare.resampling.seeds import RngLike
from modelcompare.words import check_number

_POINT = ("threshold", "precision", "recall", "false_positive_rate")
_COLUMNS = [f"{name}{end}" for name in _POINT for end in ("", "_low", "_high")]
# False positives at the chosen threshold below which resamples know too little of others.
_FEW = 5


@checked()
def operating_point(
    predictions: Predictions, *, precision: float | None = None, recall: float | None = None,
    false_positive_rate: float | None = None, threshold: float | None = None, label: Any = None,
    at_target: bool = False, n_resamples: int = 9999, confidence_level: float = 0.95,
    rng: RngLike = 0,
) -> pd.DataFrame:  # fmt: skip
    """Find the threshold that reaches a target precision, recall or false positive rate.

    Of all thresholds with at least the target precision, or at most the target false positive rate,
    the lowest is chosen (highest recall); of those with at least the target recall, the highest.
    Values on the samples on which the threshold was chosen are optimistic. The intervals are for
    new samples: a threshold is chosen on each resample too, and its values on the resample are
    compared with those on the test set, so that the intervals allow for the optimism and for the
    uncertainty of the choice. For narrower intervals choose the threshold on other data and pass it
    as `threshold`. All this is for the threshold that was chosen. The value at the target itself,
    such as the false positive rate at a recall of 0.8, whichever threshold has that in the
    population, has other intervals: `at_target`.

    Of samples with fewer than five false positives at the threshold with a target precision,
    resamples vary too little. The recall there has a lower end from that of the precision and the
    number of samples above the threshold; at the target, from the thresholds whose precision is
    significantly above it, and 0 if there is none.

    Parameters
    ----------
    predictions : Predictions
        Models with probabilities, or raw scores of two classes.
    precision, recall, false_positive_rate, threshold : float
        Exactly one of them: a target, or a given threshold.
    label : label, optional
        The class against the others; of two the positive one by default.
    at_target : bool
        Intervals of the values at the target in the population: percentiles of those at the
        thresholds chosen on resamples. The targeted column has none.
    n_resamples, confidence_level, rng
        Options of the intervals: of the threshold, percentiles of those chosen on resamples; of the
        other columns, intervals of the values at the chosen threshold in the population.

    Returns
    -------
    DataFrame
        A row for each model: model, and threshold, precision, recall and false_positive_rate, each
        with its _low and _high, and n_undefined: number of resamples on which no threshold reaches
        the target, or a value is 0 / 0.

    Raises
    ------
    ValueError
        If not exactly one target or threshold is given, it is not a fraction, or `at_target` is
        used without a target.

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
    if at_target and wish == "threshold":
        raise ValueError(
            "`at_target` needs a target, and `threshold` is none; give e.g. recall=0.8."
        )
    whole, drawn = resampled_weights(predictions, "average_precision_macro", n_resamples, rng)
    one = OneClass.of(predictions, label)
    if wish == "threshold" and one.raw:
        check_number(wish, value, at_least=-math.inf)
    else:
        check_number(wish, value, at_most=1.0)
    rows = []
    for model, ordered, scores in one.models:
        # If scores have single precision, 0.7 means 0.7 in single precision.
        kept = predictions.output(model).array.dtype.type(value) if wish == "threshold" else value
        # A result that rows repeat is one trial.
        unit = float(whole.mean()) * len(predictions) / n_seen(predictions, model)
        points = _Points(wish, float(kept), scores, unit, at_target)
        rows.append({"model": model, **points.row(ordered, whole, drawn(), confidence_level)})
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class _Points:
    """Choice of thresholds, and the counts and trials of the values at them.

    Weights are divided by their mean, so that a sample counts as one trial.
    """

    wish: str
    value: float
    scores: FloatArray
    unit: float
    at_target: bool = False

    def row(
        self, ordered: Descending, weights: FloatArray, blocks: Iterable[FloatArray], level: float
    ) -> dict[str, object]:
        """Return the values at the chosen threshold, with their intervals."""
        whole = _from_nothing(ordered.counts(weights))
        best = self.chosen(*whole)
        parts = []
        for drawn in blocks:
            resampled = _from_nothing(ordered.counts(drawn))
            chosen = self.chosen(*resampled)
            there = self.at(resampled, np.broadcast_to(best, chosen.shape))
            parts.append((self.at(resampled, chosen), self.at(whole, chosen), there, chosen))
        found, checked, there, places = (
            np.concatenate(each, -1) for each in zip(*parts, strict=True)
        )
        limits = percentile_interval(self.thresholds(places)[:, None], confidence_level=level)
        observed = self.at(whole, best)[..., 0]
        low, high = (
            self._at_target(observed, found, level) if self.at_target
            else _chosen_interval(observed, found, checked, level)
        )  # fmt: skip
        if self.wish == "precision" and observed[0, 2] < _FEW:
            least = (
                self._surely_above(whole, best, there, level) if self.at_target
                else _by_precision(observed, low[0], level)
            )  # fmt: skip
            low = np.fmin(low, least)
        values = np.r_[self.thresholds(best), divide(*observed)]
        ends = np.array([np.r_[limits.low, low], np.r_[limits.high, high]])
        numbers = np.vstack([values, np.where(np.isnan(values), np.nan, ends)]).T.ravel()
        undefined = np.isnan(divide(*found)).any(axis=0)
        return dict(zip(_COLUMNS, numbers, strict=True), n_undefined=int(undefined.sum()))

    def chosen(self, hits: FloatArray, alarms: FloatArray) -> IntArray:
        """Return the column of the threshold chosen in each row; -1 if none reaches the target."""
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

    def at(self, counts: tuple[FloatArray, FloatArray], chosen: IntArray) -> FloatArray:
        """Return counts and trials at some columns, of shape (2, 3, n_columns).

        They are those of precision, recall and the false positive rate.
        """
        hits, alarms = counts
        rows = np.arange(len(chosen)) if len(hits) > 1 else 0
        right, wrong = hits[rows, chosen], alarms[rows, chosen]
        trials = np.broadcast_arrays(right + wrong, hits[:, -1], alarms[:, -1])
        found = np.array([[right, right, wrong], trials], dtype=np.float64)
        found[..., chosen < 0] = np.nan
        return found / self.unit

    def _at_target(
        self, observed: FloatArray, found: FloatArray, level: float
    ) -> tuple[FloatArray, FloatArray]:
        """Return intervals of the values at the target: percentiles, with half a count added."""
        with_half = [(counts + 0.5) / (trials + 1) for counts, trials in (observed, found)]
        limits = percentile_interval(with_half[1].T, confidence_level=level)
        shares = divide(*observed)
        low, high = np.fmin(limits.low, shares), np.fmax(limits.high, shares)
        targeted = np.array(_POINT[1:]) == self.wish
        return np.where(targeted, np.nan, low), np.where(targeted, np.nan, high)

    def _surely_above(
        self, whole: tuple[FloatArray, FloatArray], best: IntArray, drawn: FloatArray, level: float
    ) -> FloatArray:
        """Return values at the lowest threshold whose precision is significantly above the target.

        Of the thresholds from the chosen one up, by the binomial mid-p-value; 0 if there is none.
        Trials are divided by the variance in resamples of the excess of hits over that of as many
        independent samples.
        """
        upto = slice(int(best[0]) + 1)
        hits, alarms = (counts[0, upto] / self.unit for counts in whole)
        miss = 1 - self.value
        excess = miss * drawn[0, 1] - self.value * drawn[0, 2]
        of_independent = miss**2 * hits[-1] + self.value**2 * alarms[-1]
        times = max(float(excess.var() / of_independent), 1.0)
        # The incomplete beta function needs parameters above 0.
        right, wrong = (np.maximum(counts / times, 1e-9) for counts in (hits, alarms))
        p_value = (
            betainc(right, wrong + 1, self.value) + betainc(right + 1, wrong, self.value)
        ) / 2  # fmt: skip
        sure = np.flatnonzero(p_value < (1 - level) / 2)
        place = sure[-1:] if len(sure) else np.array([0])
        return np.nan_to_num(divide(*self.at(whole, place)))[:, 0]

    def thresholds(self, chosen: IntArray) -> FloatArray:
        """Return the thresholds at chosen columns, or the given threshold if there is one."""
        if self.wish == "threshold":
            return np.full(len(chosen), self.value)
        return np.where(chosen < 0, np.nan, np.r_[np.inf, self.scores][chosen])


def _from_nothing(counts: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Prepend the counts at a threshold above all scores, which are 0."""
    hits, alarms = (np.insert(part, 0, 0, axis=1) for part in counts)
    return hits, alarms


def _chosen_interval(
    observed: FloatArray, drawn: FloatArray, checked: FloatArray, confidence_level: float
) -> tuple[FloatArray, FloatArray]:
    """Compute the interval of a population proportion at a threshold chosen on the sample.

    The proportion at the best of many thresholds is optimistic, and the resamples estimate the
    optimism: a threshold is chosen on each of them, and the proportion there is compared with that
    on the whole sample, which represents the population. The gaps are on the logit scale (half a
    count added), in standard errors: their mean is the optimism, and their standard deviation the
    uncertainty, which includes that of the choice. A resample has fewer distinct samples than the
    data, and the gaps can vary too little; so their standard deviation is at least the binomial
    one, and the interval contains Wilson's.

    Parameters
    ----------
    observed : ndarray of shape (2, n_values)
        Counts and trials on the sample, at the threshold chosen on it.
    drawn, checked : ndarray of shape (2, n_values, n_resamples)
        Counts and trials on each resample, and on the sample, at the threshold chosen on the
        resample; NaN if there was none.
    confidence_level : float
        Confidence level, in (0, 1).
    """
    centre, error = _logit(*observed)
    (found, found_error), (true, _) = _logit(*drawn), _logit(*checked)
    defined = (drawn[1] > 0) & (checked[1] > 0)
    gaps = np.ma.masked_where(~defined, (found - true) / found_error)
    optimism, spread = (each.filled(0.0) for each in (gaps.mean(axis=1), gaps.std(axis=1)))
    half = normal_quantile(confidence_level) * np.maximum(spread, 1.0)
    low, high = (expit(centre - (optimism + side * half) * error) for side in (1, -1))
    plain = proportion_interval("wilson", *observed, confidence_level=confidence_level)
    return np.minimum(low, plain.low), np.maximum(high, plain.high)


def _by_precision(observed: FloatArray, lowest: float, level: float) -> FloatArray:
    """Return a lower end of the recall from that of the precision; the others have none.

    A threshold with a target precision is chosen by the classes of the samples above it, not by
    their number, in which the error of the recall is binomial: recall is precision times the share
    of samples above, by the share of positives. Both errors are joined on the log scale.
    """
    (right, _, _), (above, positives, negatives) = observed
    of_number = normal_quantile(level) ** 2 * (1 / above - 1 / (positives + negatives))
    reach = np.hypot(np.log(right / above / lowest), np.sqrt(max(of_number, 0.0)))
    return np.array([np.nan, right / positives * np.exp(-reach), np.nan])


def _logit(count: FloatArray, trials: FloatArray) -> tuple[FloatArray, FloatArray]:
    share = (count + 0.5) / (trials + 1)
    error = 1 / np.sqrt(np.maximum(trials, 1.0) * share * (1 - share))
    return np.log(share / (1 - share)), error
