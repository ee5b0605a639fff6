"""Two models of two classes whose gain is set exactly, and gates that are asked many times.

Test sets are counts of samples by truth, answer of the baseline and answer of the candidate. Gates
are those of `modelcompare.decide`; for accuracy they depend on the numbers of samples that each
model alone gets right, and answers are remembered by these.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import lru_cache, partial
from itertools import product

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

import modelcompare as mc
from modelcompare.comparison.planning import Settings
from modelcompare.plugins.any_time.gain import GainAtAnyTime
from modelcompare.questions.gains import Gain

Array = np.ndarray
# Shares of truth and answer of the first baseline, whose accuracy is 0.6.
BASE = np.array([[0.36, 0.24], [0.16, 0.24]])
# Standard errors from the threshold, as a share of the normal quantile, below which no gate opens.
SCREEN = 0.75
_COMBINED = [*product((0, 1), repeat=3)]
_ON_DIAGONAL = np.eye(2, dtype=bool)


def values(tables: Array, metric: str) -> Array:
    """Return accuracy or macro F1 of tables by truth and answer, of shape (..., 2, 2)."""
    if metric == "accuracy":
        return np.trace(tables, axis1=-2, axis2=-1) / tables.sum((-2, -1))
    hits = np.diagonal(tables, axis1=-2, axis2=-1)
    return (2 * hits / (tables.sum(-1) + tables.sum(-2))).mean(-1)


def changed(state: Array, rates: Array) -> Array:
    """Return shares by truth and answer after a share `rates` of each cell has changed answer."""
    return state * (1 - rates) + (state * rates)[:, ::-1]


def rates_of(state: Array, disagreement: float, gain: float, metric: str) -> Array:
    """Return which share of each cell changes answer, for a disagreement and a true gain.

    Half of the losses are in each class, and half of the wins.
    """

    def rates(lost: float) -> Array:
        mass = np.where(_ON_DIAGONAL, lost, 1 - lost) * disagreement / 2
        return np.asarray(mass / state)

    def excess(lost: float) -> float:
        found = values(changed(state, rates(lost)), metric) - values(state, metric)
        return float(found) - gain

    found = rates(float(brentq(excess, 0, 1)))
    if found.max() > 1:
        raise ValueError(f"no candidate differs on {disagreement} and gains {gain} in {metric}.")
    return found


def draw(rng: np.random.Generator, tables: Array, rates: Array) -> Array:
    """Draw candidates of baselines: counts by truth, baseline and candidate, (..., 2, 2, 2)."""
    moved = rng.binomial(tables, rates)
    same = tables - moved
    # From [..., truth, baseline, changed] to [..., truth, baseline, candidate].
    found = np.stack([same, moved], axis=-1)
    found[..., 1, :] = found[..., 1, ::-1]
    return found


def tables_of(counts: Array) -> tuple[Array, Array]:
    """Return counts by truth and answer, of the baseline and of the candidate."""
    return counts.sum(-1), counts.sum(-2)


def _slopes(tables: Array, metric: str) -> Array:
    """Return the derivative of a metric by the share of each cell."""
    tables = tables / tables.sum((-2, -1), keepdims=True)
    if metric == "accuracy":
        return _ON_DIAGONAL - values(tables, metric)[..., None, None]
    found = np.zeros(tables.shape)
    for k in (0, 1):
        total = tables[..., k, :].sum(-1) + tables[..., :, k].sum(-1)
        f1 = 2 * tables[..., k, k] / total
        for truth, answer in product((0, 1), repeat=2):
            own = 2 * (truth == answer == k) - f1 * ((truth == k) + (answer == k) * 1)
            found[..., truth, answer] += own / total / 2
    return found


def normal_gain(counts: Array, metric: str) -> tuple[Array, Array]:
    """Return gains and their standard errors by the delta method, which screen what is asked."""
    a, b = tables_of(counts)
    n = counts.sum((-3, -2, -1))
    slopes = _slopes(b, metric)[..., :, None, :] - _slopes(a, metric)[..., :, :, None]
    variance = (counts * slopes**2).sum((-3, -2, -1)) / n**2
    return values(b, metric) - values(a, metric), np.sqrt(variance)


@lru_cache(maxsize=4_000)
def gain_of(counts: tuple[int, ...], metric: str, kind: type[Gain] = Gain) -> Gain:
    """Return the gain of a test set by its eight counts, as `decide` makes it."""
    truth, a, b = (np.repeat([each[k] for each in _COMBINED], counts) for k in range(3))
    preds = mc.Predictions(truth, {"a": a, "b": b}, labels=[0, 1])
    return kind.of(
        preds,
        ("b", "a"),
        metric,
        Settings(method="auto", generalize_to="auto"),
    )


def apart(counts: Array) -> tuple[Array, Array]:
    """Return how many samples the models answer differently, and how many more b gets right."""
    wins = counts[..., 0, 1, 0] + counts[..., 1, 0, 1]
    losses = counts[..., 0, 0, 1] + counts[..., 1, 1, 0]
    return wins + losses, wins - losses


def gain_in_accuracy(n: int, differ: int, net: int) -> Gain:
    """Return a gain in accuracy by how many samples the models answer differently, and the net."""
    wins = (differ + net) // 2
    losses, rest = differ - wins, n - differ
    return gain_of((rest // 2, losses, wins, 0, 0, 0, 0, rest - rest // 2), "accuracy")


class Gates:
    """Gates of one metric with one threshold: open if the lower bound of the gain is above it.

    Parameters
    ----------
    metric : {"accuracy", "f1_macro"}
    threshold : float
        0 to show that a candidate is better, minus the margin to show that it is not worse.
    """

    def __init__(self, metric: str, threshold: float) -> None:
        self.metric, self.threshold = metric, threshold
        # By n, disagreements and level: the largest net that is closed, the smallest that is open.
        self._known: dict[tuple[int, int, float], list[float]] = {}
        self.least = math.inf

    def opens(self, counts: Array, levels: Array, *, early: bool = False) -> Array:
        """Return which of many test sets of equal size open the gate at one-sided levels.

        Before the last look, F1 needs samples in favour of each model.
        """
        gain, error = normal_gain(counts, self.metric)
        away = (gain - self.threshold) / np.maximum(error, 1e-12) / -ndtri(levels)
        near = np.flatnonzero(away > SCREEN)
        found = np.zeros(len(counts), dtype=bool)
        if len(near):
            ask = self._of_accuracy if self.metric == "accuracy" else self._one_by_one
            found[near] = ask(counts[near], levels[near])
        if early and self.metric != "accuracy":
            opened = np.flatnonzero(found)
            found[opened] = [not self._gain(counts[k]).too_early for k in opened]
        self.least = min(self.least, away[found].min(initial=math.inf))
        return found

    def _one_by_one(self, counts: Array, levels: Array) -> Array:
        rows = zip(counts, levels.tolist(), strict=True)
        bounds = [self._gain(row).bounds(level)[0] for row, level in rows]
        return np.array(bounds) > self.threshold

    def _gain(self, counts: Array, kind: type[Gain] = Gain) -> Gain:
        return gain_of(tuple(counts.ravel().tolist()), self.metric, kind)

    def _of_accuracy(self, counts: Array, levels: Array) -> Array:
        n = int(counts[0].sum())
        differ, net = apart(counts)
        found = np.zeros(len(counts), dtype=bool)
        for m, level in {*zip(differ.tolist(), levels.tolist(), strict=True)}:
            here = (differ == m) & (levels == level)
            nets = np.unique(net[here]).tolist()
            first = bisect_left(nets, True, key=partial(self.is_open, n, m, level=level))
            found[here] = net[here] >= (nets[first] if first < len(nets) else math.inf)
        return found

    def is_open(self, n: int, differ: int, net: int, level: float) -> bool:
        """Return whether the gate for accuracy opens; a larger net opens it all the more."""
        known = self._known.setdefault((n, differ, level), [-math.inf, math.inf])
        if known[0] < net < known[1]:
            is_open = gain_in_accuracy(n, differ, net).bounds(level)[0] > self.threshold
            known[int(is_open)] = net
        return net >= known[1]

    def opens_at_any_time(self, counts: Array, level: float) -> Array:
        """Return which of many test sets open the gate with bounds for all numbers of samples."""
        gain, _ = normal_gain(counts, self.metric)
        found = np.zeros(len(counts), dtype=bool)
        for k in np.flatnonzero(gain > self.threshold):
            low, _ = self._gain(counts[k], GainAtAnyTime).bounds(level)
            found[k] = low > self.threshold
        return found
