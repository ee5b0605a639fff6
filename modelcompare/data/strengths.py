"""Strengths of models from battles: Bradley and Terry's model, with ties Davidson's.

The log-odds that the first of two models wins, rather than the second, are ``eta``: the difference
of their strengths, plus the effects of what else may decide. With ties, utilities are ``eta / 2``,
``-eta / 2`` and ``delta`` for a tie. The likelihood is concave, so Newton's method finds its
maximum. By the score of one battle times the inverse information, that battle's influence on all
strengths, errors follow without a second fit, for any clusters of battles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.data.checks import DataWarning
from modelcompare.words import warn_caller

FIRST, SECOND, TIE = 0, 1, 2
# Newton's method takes about eight steps; effects that decide every battle grow without end.
_MOST_STEPS = 40
_LAST_STEP = 1e-10
# Smallest eigenvalue of the information, relative to the largest, that is no rounding.
_DETERMINED = 1e-10
_NAMED = 5


@dataclass(frozen=True)
class Battles:
    """Battles of two models each.

    Parameters
    ----------
    models : tuple of str
        All models.
    first, second : ndarray of int of shape (n_battles,)
        Positions of the two models of each battle.
    outcome : ndarray of int of shape (n_battles,)
        `FIRST`, `SECOND` or `TIE`.
    effects : mapping of str to ndarray of shape (n_battles,)
        What else may decide, by name: numbers that favour the first model, or the second.
    """

    models: tuple[str, ...]
    first: IntArray
    second: IntArray
    outcome: IntArray
    effects: Mapping[str, FloatArray]


@dataclass(frozen=True)
class Strengths:
    """Strengths of models, whose sum is 0, and other effects, in log-odds.

    Parameters
    ----------
    strength : ndarray of shape (n_models,)
        Maximum of the likelihood.
    effects : ndarray of shape (n_effects,)
        Effects, in the order of the battles' effects.
    influence : ndarray of shape (n_battles, n_models + n_effects)
        Influence of each battle on each strength and effect; columns have the mean 0.
    """

    strength: FloatArray
    effects: FloatArray
    influence: FloatArray


class _Rows(NamedTuple):
    """Distinct battles, and how often they occur."""

    first: IntArray
    second: IntArray
    outcome: IntArray
    effects: FloatArray
    weight: FloatArray


class _Slopes(NamedTuple):
    """The likelihood at some parameters: its value, and derivatives by those of each row.

    `score` is by eta and delta, of shape (2, n_rows); `information` has their variances and their
    covariance, of shape (3, n_rows).
    """

    value: float
    score: FloatArray
    information: FloatArray


def fitted(battles: Battles) -> Strengths:
    """Return the strengths of all models, with the influence of each battle.

    Where the likelihood has no maximum, as one model won all its battles, half a win is added to
    each side of every pair, weighed by the leverage of the pair: its share of the ``n_models - 1``
    differences that the battles determine. Whole halves would add as many battles as there are
    pairs, and draw strengths of many models, or of few battles, to each other. Battles that all had
    one outcome hardly vary, so the influence of a half win, as that of a battle of its weight, is
    added to one of the pair's battles: errors are then at least those of the model.

    Raises
    ------
    ValueError
        If some models are not connected by battles, an effect is not determined, or all battles
        are ties.

    Warns
    -----
    DataWarning
        If half wins were added, with the models that make them necessary.

    References
    ----------
    .. [1] Bradley & Terry (1952), Biometrika 39, 324-345.
    .. [2] Davidson (1970), Journal of the American Statistical Association 65, 317-328.
    .. [3] Kosmidis & Firth (2009), Biometrika 96, 793-804 (half counts by leverage).
    """
    rows, place = _collapsed(battles)
    wins, ties = _counts(rows, len(battles.models))
    counts = wins + wins.T + ties
    if not wins.any():
        raise ValueError("no battle was won: ties alone do not determine strengths.")
    _refuse_apart(battles.models, counts)
    model = _Model(len(battles.models), bool(ties.any()), tuple(battles.effects))
    model.check(rows)
    every, at = rows, np.zeros(0, dtype=np.intp)
    reason = _without_maximum(battles.models, wins, ties)
    if reason:
        _warn_of_halves(reason, len(battles.models))
        every, at = _with_halves(rows, battles, counts)
    parameters, inverse = model.maximum(every)
    n_kept = len(battles.models) + len(battles.effects)
    moved = model.influences(every, model.slopes(every, parameters).score, inverse)[:, :n_kept]
    influence = moved[place] * len(place)
    of_halves = np.sqrt(every.weight[len(rows.weight) :, None]) * moved[len(rows.weight) :]
    np.add.at(influence, at, of_halves * len(place))
    influence -= influence.mean(axis=0)
    return Strengths(
        parameters[: len(battles.models)], parameters[len(battles.models) : n_kept], influence
    )


def _collapsed(battles: Battles) -> tuple[_Rows, IntArray]:
    """Return the distinct battles, and the position of each battle among them."""
    keys = {"first": battles.first, "second": battles.second, "outcome": battles.outcome}
    effects = {f"effect {name}": column for name, column in battles.effects.items()}
    frame = pd.DataFrame(keys | effects)
    place = frame.groupby([*frame], sort=False).ngroup().to_numpy()
    kept = frame.drop_duplicates()
    first, second, outcome = (kept[name].to_numpy() for name in keys)
    weight = np.bincount(place).astype(np.float64)
    return _Rows(first, second, outcome, kept[[*effects]].to_numpy(np.float64), weight), place


def _counts(rows: _Rows, n_models: int) -> tuple[FloatArray, FloatArray]:
    """Count how often each model won against each other one, and how often it tied."""
    wins, ties = np.zeros((2, n_models, n_models))
    for found, outcome in ((wins, FIRST), (wins.T, SECOND), (ties, TIE), (ties.T, TIE)):
        where = rows.outcome == outcome
        np.add.at(found, (rows.first[where], rows.second[where]), rows.weight[where])
    return wins, ties


def _reached(steps: BoolArray) -> BoolArray:
    """Return which models are reached from which by one step or several."""
    found = steps
    for _ in range(len(steps).bit_length()):
        found = found | (found.astype(np.float32) @ found.astype(np.float32) > 0)
    return found


def _refuse_apart(models: tuple[str, ...], counts: FloatArray) -> None:
    """Refuse sets of models without a battle between them."""
    together = _reached(counts > 0)[0]
    if not together.all():
        one, other = (_listed(models, np.flatnonzero(side)) for side in (together, ~together))
        raise ValueError(
            f"no battle connects {one} with {other}, directly or through others, so their "
            "strengths cannot be compared; add battles between them, or compare each set alone."
        )


def _without_maximum(models: tuple[str, ...], wins: FloatArray, ties: FloatArray) -> str:
    """Return why the likelihood has no maximum; empty if it has one.

    It has one if wins and ties lead from each model to each other, and some wins form a circle:
    without ties the first implies the second.
    """
    leads, circles = _reached((wins > 0) | (ties > 0)), _reached(wins > 0)
    np.fill_diagonal(leads, True)
    mutual = leads & leads.T
    reasons = []
    for what, others in (("lost to", leads.T), ("won against", leads)):
        alone = (others == mutual).all(axis=1) & ~mutual.all(axis=1)
        if alone.any():
            names = _listed(models, np.flatnonzero(alone))
            reasons.append(f"{names} never {what}, or tied with, any of the others")
    if not reasons and not np.diagonal(circles).any():
        return "no model lost to one that it won against, directly or through others"
    return " and ".join(reasons)


def _warn_of_halves(reason: str, n_models: int) -> None:
    warn_caller(
        f"{reason}, so strengths would be infinite: half a win was added to each side of every "
        f"pair, weighed by the pair's share of what the battles determine ({n_models - 1:,} "
        f"battle{'s' * (n_models > 2)} in all). More battles of these models would settle it.",
        DataWarning,
    )


def _with_halves(
    rows: _Rows, battles: Battles, counts: FloatArray
) -> tuple[_Rows, IntArray]:  # fmt: skip
    """Add half a win to each side of every pair, by leverage; return a battle for each, too."""
    n_models, n = len(counts), len(battles.first)
    inverse = np.linalg.inv(np.diag(counts.sum(axis=1)) - counts + 1 / n_models)
    one, other = np.nonzero(np.triu(counts))
    own = np.diagonal(inverse)
    leverage = counts[one, other] * (own[one] + own[other] - 2 * inverse[one, other])
    pair = (
        np.minimum(battles.first, battles.second) * n_models
        + np.maximum(battles.first, battles.second)
    )  # fmt: skip
    earliest = np.unique(pair, return_index=True)[1]
    latest = n - 1 - np.unique(pair[::-1], return_index=True)[1]
    n_halves = 2 * len(one)
    together = _Rows(
        np.concatenate([rows.first, one, other]), np.concatenate([rows.second, other, one]),
        np.concatenate([rows.outcome, np.full(n_halves, FIRST)]),
        np.concatenate([rows.effects, np.zeros((n_halves, rows.effects.shape[1]))]),
        np.concatenate([rows.weight, np.tile(leverage / 2, 2)]),
    )  # fmt: skip
    return together, np.concatenate([earliest, latest])


@dataclass(frozen=True)
class _Model:
    """Bradley and Terry's model, or with ties Davidson's, of so many models and some effects.

    Parameters are the strengths, the effects, and with ties `delta`.
    """

    n_models: int
    has_ties: bool
    effects: tuple[str, ...]

    def slopes(self, rows: _Rows, parameters: FloatArray) -> _Slopes:
        """Compute the likelihood of some rows, and its derivatives."""
        strength, effects = parameters[: self.n_models], parameters[self.n_models :]
        eta = strength[rows.first] - strength[rows.second]
        eta = eta + rows.effects @ effects[: len(self.effects)]
        tie = effects[-1] if self.has_ties else -np.inf
        utility = np.stack([eta / 2, -eta / 2, np.full(len(eta), tie)])
        share = utility - np.logaddexp.reduce(utility, axis=0)
        value = rows.weight @ share[rows.outcome, np.arange(len(eta))]
        win, loss, tied = np.exp(share)
        side = np.array([0.5, -0.5, 0.0])[rows.outcome]
        half = (win - loss) / 2
        score = np.stack([side - half, (rows.outcome == TIE) - tied])
        information = np.stack([(win + loss) / 4 - half**2, tied * (1 - tied), -tied * half])
        return _Slopes(float(value), score, information)

    def sums(self, rows: _Rows, by_eta: FloatArray, by_delta: FloatArray) -> FloatArray:
        """Sum numbers of rows by eta and delta, to numbers by parameter."""
        sides = (np.bincount(side, by_eta, self.n_models) for side in (rows.first, rows.second))
        of_ties = [by_delta.sum()] if self.has_ties else []
        return np.concatenate([np.subtract(*sides), rows.effects.T @ by_eta, of_ties])

    def information(self, rows: _Rows, of_rows: FloatArray) -> FloatArray:
        """Compute the information; strengths have a fixed sum."""
        m = self.n_models
        of_eta, of_delta, both = of_rows * rows.weight
        pairs = np.bincount(rows.first * m + rows.second, of_eta, m * m).reshape(m, m)
        pairs = pairs + pairs.T
        out = np.zeros((m + len(self.effects) + self.has_ties,) * 2)
        out[:m, :m] = np.diag(pairs.sum(axis=1)) - pairs + 1 / m
        columns = [(of_eta * effect, both * effect) for effect in rows.effects.T]
        columns += [(both, of_delta)] if self.has_ties else []
        for at, column in enumerate(columns, start=m):
            out[at] = out[:, at] = self.sums(rows, *column)
        return out

    @property
    def equal(self) -> FloatArray:
        """Parameters of models of equal strength, without effects."""
        return np.zeros(self.n_models + len(self.effects) + self.has_ties)

    def check(self, rows: _Rows) -> None:
        """Refuse effects that cannot be distinguished from strengths."""
        information = self.information(rows, self.slopes(rows, self.equal).information)
        size = np.linalg.eigvalsh(information)
        if size[0] < _DETERMINED * size[-1]:
            raise ValueError(
                f"the battles do not determine {self._effects} beside the strengths: it is equal "
                "in all battles, or follows from the models; leave it out."
            )

    def maximum(self, rows: _Rows) -> tuple[FloatArray, FloatArray]:
        """Return the parameters at the maximum, and the inverse information there."""
        parameters, found = self.equal, self.slopes(rows, self.equal)
        for _ in range(_MOST_STEPS):
            try:
                inverse: FloatArray = np.asarray(
                    np.linalg.inv(self.information(rows, found.information)), np.float64
                )
            except np.linalg.LinAlgError:
                break
            step: FloatArray = inverse @ self.sums(rows, *(found.score * rows.weight))
            least = found.value - 1e-9 * abs(found.value)
            found = self.slopes(rows, parameters + step)
            while found.value < least:
                step = step / 2
                found = self.slopes(rows, parameters + step)
            parameters = parameters + step
            if np.abs(step).max() < _LAST_STEP:
                inverse[: self.n_models, : self.n_models] -= 1 / self.n_models
                return parameters, inverse
        raise ValueError(
            f"the likelihood has no maximum: {self._effects} decides nearly every battle, so its "
            "effect would be infinite; leave it out, or add battles."
        )

    @property
    def _effects(self) -> str:
        return " and ".join(map(repr, self.effects)) or "the share of ties"

    def influences(self, rows: _Rows, score: FloatArray, inverse: FloatArray) -> FloatArray:
        """Return the change of all parameters per unit of weight of each row."""
        m, by_eta = self.n_models, score[0][:, None]
        out = (inverse[rows.first] - inverse[rows.second]) * by_eta
        for at, effect in enumerate(rows.effects.T, start=m):
            out += effect[:, None] * by_eta * inverse[at]
        if self.has_ties:
            out += score[1][:, None] * inverse[-1]
        found: FloatArray = out
        return found


def _listed(models: tuple[str, ...], places: AnyArray) -> str:
    """Write the first names of some models."""
    names = ", ".join(models[place] for place in places[:_NAMED])
    return names + (f" and {len(places) - _NAMED:,} more" if len(places) > _NAMED else "")
