"""Metrics of times until an event, of which some are censored: c-index and Brier score.

A pair of samples is comparable if the one with the earlier time had its event then. In the order of
times, at equal times events before censored samples, these are pairs of an event and a later
sample. A sample of weight w counts as w equal samples.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from modelcompare.arrays import CACHE_BYTES, AnyArray, BoolArray, FloatArray
from modelcompare.metrics.base import AnyMetric, Factory, OrderMetric, Outcomes, divide
from modelcompare.metrics.ranking import Evaluate
from modelcompare.metrics.ranks import Concordant
from modelcompare.metrics.running_sums import Below, Groups, by_sample, partners
from modelcompare.metrics.variants import number
from modelcompare.options import check_positive


def _truth(outcomes: Outcomes) -> tuple[FloatArray, BoolArray]:
    """Return the time of each sample, and whether it had its event then."""
    time, event = outcomes.true_values.T
    return time, event == 1


@dataclass(frozen=True)
class _Pairs:
    """Comparable pairs, and parts of them in which the later sample has the higher risk.

    The earlier samples are numbered after all samples: a sample has two weights, as the later one,
    and as the earlier one, which is 0 if it is censored.
    """

    comparable: Below
    orders: Concordant
    n: int

    @classmethod
    def of(cls, outcomes: Outcomes) -> _Pairs:
        """Order the samples by time, and by risk."""
        time, event = _truth(outcomes)
        n, places = len(time), np.unique(time, return_inverse=True)[1]
        times = Groups.of((2.0 * places + ~event).astype(np.float64))
        before = times.starts[times.codes[times.order]]
        comparable = Below(n + times.order, times.order, before, before)
        return cls(comparable, Concordant(times, Groups.of(outcomes.values)), n)

    @property
    def discordant(self) -> Iterable[Below]:
        """Parts of the pairs whose order of risks is wrong; ties count half."""
        return (replace(below, adders=self.n + below.adders) for below in self.orders)

    def share(self, later: AnyArray, earlier: AnyArray) -> FloatArray:
        """Compute the share of concordant pairs under weights (n_samples, n_resamples)."""
        weights = np.concatenate([later, earlier])
        parts = (below.read(weights)[0] for below in self.discordant)
        discordant = sum(parts, np.zeros(weights.shape[1]))
        return 1 - divide(discordant, self.comparable.read(weights)[0])

    def left(self, later: FloatArray, earlier: FloatArray) -> FloatArray:
        """Compute that share without each sample, under one vector of weights."""
        weights = np.concatenate([later, earlier])
        discordant, pairs = (_left(p, weights) for p in (self.discordant, [self.comparable]))
        return 1 - divide(discordant, pairs)


def _left(parts: Iterable[Below], weights: FloatArray) -> FloatArray:
    """Sum the pairs that remain without each sample."""
    later, earlier = np.split(weights * partners(parts, weights), 2)
    left = later.sum() - later - earlier
    return np.where(left <= 1e-12 * later.sum(), 0.0, left)


def _prepare_c_index(outcomes: Outcomes) -> Evaluate:
    pairs, event = _Pairs.of(outcomes), _truth(outcomes)[1][:, None]

    def evaluate(weights: FloatArray) -> FloatArray:
        weights = by_sample(weights)
        return pairs.share(weights, weights * event)

    return evaluate


def _c_index_jackknife(outcomes: Outcomes, weights: FloatArray) -> FloatArray:
    return _Pairs.of(outcomes).left(weights, weights * _truth(outcomes)[1])


def _uncensored(groups: Groups, event: BoolArray, weights: FloatArray) -> FloatArray:
    """Return Kaplan and Meier's estimate of the probability not to be censored by each time.

    Before and at all distinct times, (1 + n_times, n_resamples), of samples grouped by time. At
    equal times, events come before censored samples.
    """
    censored = np.where(event[:, None], 0.0, weights)
    order, starts = groups.order, groups.starts[:-1]
    everyone = np.add.reduceat(weights[order], starts, axis=0)
    censored = np.add.reduceat(censored[order], starts, axis=0)
    later = np.cumsum(everyone[::-1], axis=0)[::-1] - everyone
    steps = divide(later, later + censored, 1.0)
    return np.concatenate([np.ones((1, weights.shape[1])), np.cumprod(steps, axis=0)])


def _prepare_ipcw(outcomes: Outcomes, *, tau: float | None) -> Evaluate:
    pairs, (time, event) = _Pairs.of(outcomes), _truth(outcomes)
    groups = Groups.of(time)
    counts = (event if tau is None else event & (time < tau))[:, None]

    def evaluate(weights: FloatArray) -> FloatArray:
        weights = by_sample(weights).astype(np.float64)
        uncensored = _uncensored(groups, event, weights)[1 + groups.codes]
        return pairs.share(weights, divide(weights * counts, uncensored**2, 0.0))

    return evaluate


def _ipcw_jackknife(outcomes: Outcomes, weights: FloatArray, *, tau: float | None) -> FloatArray:
    """Compute Uno's c-index without each sample, some samples at a time."""
    evaluate, samples = _prepare_ipcw(outcomes, tau=tau), np.arange(len(weights))
    step = max(1, CACHE_BYTES // (8 * len(weights)))
    parts = [samples[start : start + step, None] for start in range(0, len(weights), step)]
    return np.concatenate([evaluate(np.where(samples == part, 0.0, weights)) for part in parts])


def _prepare_brier(outcomes: Outcomes) -> Evaluate:
    (time, event), survival = _truth(outcomes), outcomes.probabilities
    times = np.asarray(outcomes.labels, dtype=np.float64)
    groups = Groups.of(time)
    # Of the trapezoidal rule, over the range of times.
    steps = np.diff(times) / (times[-1] - times[0])
    parts = (np.r_[steps, 0.0] + np.r_[0.0, steps]) / 2
    gone = event[:, None] & (time[:, None] <= times)
    errors = (gone * survival**2) @ parts
    alive = np.where(time[:, None] > times, (1 - survival) ** 2, 0.0) * parts
    reached = np.searchsorted(np.unique(time), times, side="right")

    def evaluate(weights: FloatArray) -> FloatArray:
        weights = by_sample(weights).astype(np.float64)
        uncensored = _uncensored(groups, event, weights)
        of_gone = divide(weights, uncensored[1 + groups.codes], 0.0).T @ errors
        of_alive = divide(alive.T @ weights, uncensored[reached], 0.0).sum(axis=0)
        return divide(of_gone + of_alive, weights.sum(axis=0))

    return evaluate


def c_index_ipcw_metric(*, tau: float | None = None) -> OrderMetric:
    """Return Uno's c-index, of events before a time if one is given."""
    if tau is not None:
        check_positive("tau", tau)
    return replace(
        C_INDEX, prepare=partial(_prepare_ipcw, tau=tau),
        jackknife=partial(_ipcw_jackknife, tau=tau),
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
    name="c_index", needs="risks", prepare=_prepare_c_index, jackknife=_c_index_jackknife,
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
    greater_is_better=False, bounds=(0.0, np.inf),
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
