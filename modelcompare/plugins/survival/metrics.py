"""Metrics of times until an event, of which some are censored: c-index and Brier score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.metrics.base import AnyMetric, Factory, OrderMetric, Outcomes, divide
from modelcompare.metrics.defined import any_sample
from modelcompare.metrics.ranking import Evaluate
from modelcompare.metrics.running_sums import Groups, by_sample
from modelcompare.metrics.variants import number
from modelcompare.options import check_positive
from modelcompare.plugins.survival.censoring import BrierErrors, Pairs, truth_of, uncensored
from modelcompare.plugins.survival.left_out import brier, harrell, in_closed_form, recomputed, uno


def _has_pairs(outcomes: Outcomes, *, tau: float | None = None) -> Iterator[BoolArray]:
    """Defined where an event has a later sample: both sides of the time that parts most of each."""
    time, event = truth_of(outcomes)
    counts = event if tau is None else event & (time < tau)
    times = np.sort(time)
    events = np.searchsorted(np.sort(time[counts]), times, side="right")
    later = len(times) - np.searchsorted(times, times, side="right")
    split = times[np.minimum(events, later).argmax()]
    yield counts & (time <= split)
    yield time > split


def _prepare_c_index(outcomes: Outcomes) -> Evaluate:
    pairs, event = Pairs.of(outcomes), truth_of(outcomes)[1][:, None]

    def evaluate(weights: FloatArray) -> FloatArray:
        weights = by_sample(weights)
        return pairs.share(weights, weights * event)

    return evaluate


def _prepare_ipcw(outcomes: Outcomes, *, tau: float | None) -> Evaluate:
    pairs, (time, event) = Pairs.of(outcomes), truth_of(outcomes)
    groups = Groups.of(time)
    counts = (event if tau is None else event & (time < tau))[:, None]

    def evaluate(weights: FloatArray) -> FloatArray:
        weights = by_sample(weights).astype(np.float64)
        left = uncensored(groups, event, weights)[1 + groups.codes]
        return pairs.share(weights, divide(weights * counts, left**2, 0.0))

    return evaluate


def _ipcw_jackknife(outcomes: Outcomes, weights: FloatArray, *, tau: float | None) -> FloatArray:
    if in_closed_form(weights):
        return uno(outcomes, weights, tau=tau)
    return recomputed(_prepare_ipcw(outcomes, tau=tau), weights)


def _prepare_brier(outcomes: Outcomes) -> Evaluate:
    (time, event), errors = truth_of(outcomes), BrierErrors.of(outcomes)
    groups = Groups.of(time)

    def evaluate(weights: FloatArray) -> FloatArray:
        weights = by_sample(weights).astype(np.float64)
        left = uncensored(groups, event, weights)
        of_gone = divide(weights, left[1 + groups.codes], 0.0).T @ errors.gone
        of_alive = divide(errors.alive.T @ weights, left[errors.reached], 0.0).sum(axis=0)
        return divide(of_gone + of_alive, weights.sum(axis=0))

    return evaluate


def _brier_jackknife(outcomes: Outcomes, weights: FloatArray) -> FloatArray:
    if in_closed_form(weights):
        return brier(outcomes, weights)
    return recomputed(_prepare_brier(outcomes), weights)


def c_index_ipcw_metric(*, tau: float | None = None) -> OrderMetric:
    """Return Uno's c-index, of events before a time if one is given."""
    if tau is not None:
        check_positive("tau", tau)
    return replace(
        C_INDEX, prepare=partial(_prepare_ipcw, tau=tau),
        jackknife=partial(_ipcw_jackknife, tau=tau), defined_by=partial(_has_pairs, tau=tau),
        name="c_index_ipcw" if tau is None else f"c_index_ipcw_at_{number(tau)}",
        family="c_index_ipcw", variant="" if tau is None else "events before a time",
        factory=Factory(
            c_index_ipcw_metric, {"tau": tau}, "c_index_ipcw_at_{tau}",
            meanings={"tau": ("float, optional", "Time before which events count.")},
        ),
        description="""
        Uno's c-index: concordant pairs, weighted by the probability not to be censored.

        Estimates the share of concordant pairs without censoring, which Harrell's does not if
        censoring hides late events: each event has the weight 1 / G(t)^2, G being Kaplan and
        Meier's estimate of the probability not to be censored by then, on this test set. The last
        events have large weights where many are censored; ``c_index_ipcw_at_36`` counts events
        before time 36 only. Censoring must not depend on the outputs.""",
        references=(
            "Uno, Cai, Pencina, D'Agostino & Wei (2011), Statistics in Medicine 30, 1105-1117.",
        ),
        example=""">>> truth = [[2, 1], [3, 0], [4, 1], [6, 1]]
        >>> round(c_index_ipcw(truth, [9, 5, 4, 7]), 4)
        0.5714""",
    )  # fmt: skip


C_INDEX = OrderMetric(
    name="c_index", needs="risks", prepare=_prepare_c_index, jackknife=harrell,
    defined_by=_has_pairs,
    description="""
    Harrell's c-index: share of comparable pairs in which the higher risk has the earlier event.

    Depends on the order of the risks only; equal risks count half. Pairs in which the earlier
    sample is censored are left out, so its value depends on the censoring (`c_index_ipcw` corrects
    that), and it does not notice risks that are too high throughout (`integrated_brier_score`
    does). 0.5 for chance.""",
    references=("Harrell, Lee & Mark (1996), Statistics in Medicine 15, 361-387.",),
    example=">>> c_index([[2, 1], [3, 0], [4, 1], [6, 1]], [9, 5, 4, 7])\n0.75",
)  # fmt: skip

INTEGRATED_BRIER_SCORE = OrderMetric(
    name="integrated_brier_score", needs="survival_probabilities", prepare=_prepare_brier,
    jackknife=_brier_jackknife,
    greater_is_better=False, bounds=(0.0, np.inf), defined_by=any_sample,
    description="""Squared error of survival probabilities, averaged over time.

    At a time, samples with an earlier event should have the probability 0, and later ones 1; those
    that were censored before have weight 0, and others are weighted by the probability not to be
    censored. Measures calibration and order together. Times are the columns, averaged by the
    trapezoidal rule; compare models at the same times.""",
    references=(
        "Graf, Schmoor, Sauerbrei & Schumacher (1999), Statistics in Medicine 18, 2529-2545.",
    ),
    example=""">>> survival = [[0.5, 0.25], [0.75, 0.5], [1.0, 0.75], [0.75, 0.5]]
    >>> truth = [[2, 1], [3, 0], [4, 1], [6, 1]]
    >>> round(integrated_brier_score(truth, survival, labels=[2.0, 5.0]), 4)
    0.207""",
)  # fmt: skip

METRICS: tuple[AnyMetric, ...] = (C_INDEX, c_index_ipcw_metric(), INTEGRATED_BRIER_SCORE)
