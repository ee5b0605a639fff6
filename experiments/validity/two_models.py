"""Trials of two models under the defaults: coverage, gates at the margin, and the size of tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

import modelcompare as mc
from modelcompare.engine.influence import Pairs
from modelcompare.intervals.auto import FEW
from modelcompare.metrics.planning import range_of_samples
from modelcompare.questions.unseen import Unseen, ends_of_units

Array = np.ndarray
WANTED, LARGEST, LEVEL, ALPHA, N_SWAPS = 0.935, 0.06, 0.95, 0.05, 499
_APART = ["difference", "gate", "size"]


def values(preds: mc.Predictions, metrics: Sequence[str]) -> Any:
    """Return the values of all models, without resamples."""
    return mc.bootstrap(preds, [*metrics], n_resamples=2)


def trial(
    preds: mc.Predictions, metrics: Sequence[str], truth: Array, *, equal: bool,
    low_is_good: bool = False,
) -> dict[str, Array]:  # fmt: skip
    """Return the marks of a test set for each value, NaN where there is no interval.

    The marks: the interval of the first model's value holds the true one ("covered"), that of the
    difference does, a gate at the margin of the true difference opens, and the default test finds
    a difference of equal models ("size").

    Parameters
    ----------
    preds : Predictions
        Outputs of two models.
    metrics : sequence of str
        What is measured, in as many values as `truth` has columns.
    truth : array, shape (2, n_values)
        True values of the models.
    equal : bool
        Whether the models are equal, so that each difference that is found is an error.
    low_is_good : bool, default False
        Whether the upper bound of the difference decides a gate.

    Returns
    -------
    dict
        The marks, and where few samples decide, which has a note: ``"few"`` a value, ``"few
        apart"`` the difference.
    """
    found, pair = values(preds, metrics), (np.array([0]), np.array([1]))
    score = found.score_interval("auto", LEVEL)
    apart, (low, high) = found.difference_interval(*pair, "auto", LEVEL), gate_ends(found, pair)
    gap = truth[0] - truth[1]
    opens = high[0] < gap if low_is_good else low[0] > gap
    marks = {
        "covered": holds(score.low[0], score.high[0], truth[0]),
        "difference": holds(apart.low[0], apart.high[0], gap),
        "gate": np.where(np.isnan(low[0]), np.nan, opens),
        "size": np.full(len(gap), np.nan),
        "few": score.n_informative[0] < FEW,
        "few apart": apart.n_informative[0] < FEW,
    }
    if equal:
        compared = mc.compare(preds, [*metrics], n_resamples=N_SWAPS, correction="none")
        p = compared.differences["p_value"].to_numpy(float)
        marks["size"] = np.where(np.isnan(p), np.nan, p < ALPHA)
    return marks


def gate_ends(found: Any, pairs: Pairs) -> tuple[Array, Array]:
    """Return the bounds by which a gate decides, of shape (n_pairs, n_values).

    Failures that the test set does not contain widen them.
    """
    evaluation, n = found.evaluation, len(found.evaluation.predictions)
    bounds, errors = found.difference_interval(*pairs, "auto", 1 - 2 * ALPHA), found.moments
    low, high, error = bounds.low.copy(), bounds.high.copy(), errors.standard_error(pairs)
    for metric in evaluation.metrics:
        where = evaluation.metric_slice(metric.name)
        apart = (found.point[pairs[0]] - found.point[pairs[1]])[:, where]
        ends = ends_of_units(evaluation, metric, pairs, apart, n)
        if ends is None:
            continue
        least, most = range_of_samples(metric, evaluation.predictions)
        for row, value in np.ndindex(*apart.shape):
            reach = float(ends[0][row, value]), float(ends[1][row, value])
            place = row, where.start + value
            unseen = Unseen(apart[row, value], error[place], n, least, most, reach)
            low[place], high[place] = unseen.widened((low[place], high[place]), ALPHA)
    return low, high


def holds(low: Array, high: Array, truth: Array) -> Array:
    """Return 1 where an interval holds the true value, 0 where not, NaN where one is missing."""
    known = ~np.isnan(low) & ~np.isnan(high) & ~np.isnan(truth)
    return np.where(known, (low <= truth) & (truth <= high), np.nan)


def shares(trials: Sequence[Mapping[str, Array]], names: Mapping[str, int]) -> pd.DataFrame:
    """Return the means of marks over the trials without their note, a row for each named value.

    There is no mean of marks that fewer than half of the trials have.
    """
    rows = []
    for name, place in names.items():
        marks = pd.DataFrame([{what: of[what][place] for what in of} for of in trials], dtype=float)
        few, apart = marks.pop("few") == 1, marks.pop("few apart") == 1
        clear = marks.mask(few)
        clear[_APART] = marks[_APART].mask(apart)
        known = clear.count() >= len(trials) / 2
        rows.append({
            "metric": name, **clear.mean().where(known), "trials": len(trials),
            "warned": few.mean(), "covered, warned": marks["covered"][few].mean(),
        })  # fmt: skip
    return pd.DataFrame(rows)


def short(rows: pd.DataFrame) -> pd.Series:
    """Return which rows cover less than promised, or err more often."""
    covered = rows[["covered", "difference"]].min(axis=1)
    return (covered < WANTED) | (rows[["gate", "size"]].max(axis=1) > LARGEST)


def extremes(table: pd.DataFrame, by: Sequence[str], more: Sequence[str] = ()) -> pd.DataFrame:
    """Return the lowest coverage and the highest errors of each part of a table."""
    rows = []
    for keys, part in table.groupby([*by], sort=False):
        rows.append({
            **dict(zip(by, map(str, keys), strict=True)), "cells": len(part),
            "lowest, values": part["covered"].min(), "differences": part["difference"].min(),
            **part[[*more]].min(),
            "largest, gates": part["gate"].max(), "tests": part["size"].max(),
        })  # fmt: skip
    return pd.DataFrame(rows)
