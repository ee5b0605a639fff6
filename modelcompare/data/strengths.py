"""Strengths of models from battles: Bradley and Terry's model, with ties Davidson's.

The log-odds that the first of two models wins, rather than the second, are ``eta``: the difference
of their strengths, plus the effects of what else may decide. With ties, utilities are ``eta / 2``,
``-eta / 2`` and ``delta`` for a tie. The likelihood is concave, so Newton's method finds its
maximum. A battle's score times the inverse information is its influence on all strengths, from
which errors follow without a second fit, for any clusters of battles. Scores are those at the fit
that leaves out the battle's cluster: a user's own battles pull the fit towards them, so the sum of
squares at the whole fit is too small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data.checks import warn_of_data

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
    cluster : ndarray of int of shape (n_battles,), optional
        Position of each battle's cluster; by default each battle is one.
    """

    models: tuple[str, ...]
    first: IntArray
    second: IntArray
    outcome: IntArray
    effects: Mapping[str, FloatArray] = field(default_factory=dict)
    cluster: IntArray | None = None


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
        Influence of each battle on each strength and effect, at the fit without its cluster;
        columns have the mean 0.
    """

    strength: FloatArray
    effects: FloatArray
    influence: FloatArray


class _Rows(NamedTuple):
    """Battles, or distinct ones and how often they occur."""

    first: AnyArray
    second: AnyArray
    outcome: AnyArray
    effects: AnyArray
    weight: AnyArray


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
    whole = _rows(battles)
    rows = _collapsed(whole)
    wins, ties = _counts(rows, len(battles.models))
    counts = wins + wins.T + ties
    if not wins.any():
        raise ValueError("no battle was won: ties alone do not determine strengths.")
    _refuse_apart(battles.models, counts)
    model = _Model(len(battles.models), bool(ties.any()), tuple(battles.effects))
    model.check(rows)
    halves, at = _halves(battles, counts)
    reason = _without_maximum(battles.models, wins, ties)
    if reason:
        _warn_of_halves(reason, len(battles.models))
        rows = _Rows(*map(np.concatenate, zip(rows, halves, strict=True)))
    parameters, inverse = model.maximum(rows)
    influence = _influences(model, whole, parameters, inverse, battles.cluster)
    if reason:
        by_half = model.influences(halves, model.slopes(halves, parameters).score, inverse)
        np.add.at(influence, at, np.sqrt(halves.weight)[:, None] * by_half)
    n_models, n_kept = len(battles.models), len(battles.models) + len(battles.effects)
    influence = influence[:, :n_kept] * len(influence)
    influence -= influence.mean(axis=0)
    return Strengths(parameters[:n_models], parameters[n_models:n_kept], influence)


def crossed(influence: FloatArray, clusters: Sequence[IntArray]) -> FloatArray:
    """Return influences whose sums by the first clusters vary as those by two kinds together.

    The covariance is that by either kind, less that by both at once (Cameron, Gelbach & Miller
    2011, Journal of Business & Economic Statistics 29, 238-249), with no variance below that by one
    kind. Influences are mapped to it with the least change, so all that takes clusters of the first
    kind takes both.
    """
    both = clusters[0] * (clusters[1].max() + 1) + clusters[1]
    first, second, inner = (_covariance(influence, codes) for codes in (*clusters, both))
    wanted = inner + _power(first - inner, 1.0) + _power(second - inner, 1.0)
    root, inverse = _power(first, 0.5), _power(first, -0.5)
    return influence @ inverse @ _power(root @ wanted @ root, 0.5) @ inverse


def _covariance(influence: FloatArray, cluster: IntArray) -> FloatArray:
    sums = pd.DataFrame(influence).groupby(cluster).sum().to_numpy()
    return np.asarray(sums.T @ sums * len(sums) / (len(sums) - 1))


def _power(matrix: FloatArray, power: float) -> FloatArray:
    """Return a power of a symmetric matrix, in the directions of its positive eigenvalues."""
    size, directions = np.linalg.eigh(matrix)
    positive = size > _DETERMINED * np.abs(size).max()
    raised = np.where(positive, size, 1.0) ** power * positive
    return np.asarray(directions * raised @ directions.T)


def _influences(
    model: _Model, rows: _Rows, parameters: FloatArray, inverse: FloatArray,
    cluster: IntArray | None,
) -> FloatArray:  # fmt: skip
    """Return each battle's influence at the fit without its cluster, to first order."""
    moved = model.influences(rows, model.slopes(rows, parameters).score, inverse)
    if cluster is None:
        cluster = np.arange(len(moved))
    else:
        moved = pd.DataFrame(moved).groupby(cluster).sum().to_numpy()
    without = model.slopes(rows, parameters - moved, cluster)
    return model.influences(rows, without.score, inverse)


def _rows(battles: Battles) -> _Rows:
    """Return a row for each battle."""
    n = len(battles.first)
    effects = np.array([*battles.effects.values()]).reshape(len(battles.effects), n).T
    return _Rows(battles.first, battles.second, battles.outcome, effects, np.ones(n))


def _collapsed(rows: _Rows) -> _Rows:
    """Return the distinct battles, with their numbers as weights."""
    frame = pd.DataFrame({"first": rows.first, "second": rows.second, "outcome": rows.outcome})
    frame = frame.join(pd.DataFrame(rows.effects).add_prefix("effect "))
    place = frame.groupby([*frame], sort=False).ngroup().to_numpy()
    kept = np.unique(place, return_index=True)[1]
    distinct = _Rows(*(column[kept] for column in rows))
    return distinct._replace(weight=np.bincount(place).astype(np.float64))


def _counts(rows: _Rows, n_models: int) -> tuple[FloatArray, FloatArray]:
    """Count how often each model won against each other one, and how often it tied."""
    wins, ties = np.zeros((2, n_models, n_models))
    for found, outcome in ((wins, FIRST), (wins.T, SECOND), (ties, TIE), (ties.T, TIE)):
        where = rows.outcome == outcome
        np.add.at(found, (rows.first[where], rows.second[where]), rows.weight[where])
    return wins, ties


def _refuse_apart(models: tuple[str, ...], counts: FloatArray) -> None:
    """Refuse sets of models without a battle between them."""
    from scipy.sparse.csgraph import connected_components

    of_set = connected_components(counts > 0, directed=False)[1]
    together = of_set == of_set[0]
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
    from scipy.sparse.csgraph import connected_components

    leads = (wins > 0) | (ties > 0)
    of_set = connected_components(leads, connection="strong")[1]
    beyond = leads & (of_set[:, None] != of_set)
    reasons = []
    for what, axis in (("lost to", 0), ("won against", 1)):
        alone = ~np.isin(of_set, of_set[beyond.any(axis=axis)])
        if beyond.any() and alone.any():
            names = _listed(models, np.flatnonzero(alone))
            reasons.append(f"{names} never {what}, or tied with, any of the others")
    n_sets, _ = connected_components(wins > 0, connection="strong")
    if not reasons and n_sets == len(models):
        return "no model lost to one that it won against, directly or through others"
    return " and ".join(reasons)


def _warn_of_halves(reason: str, n_models: int) -> None:
    warn_of_data(
        f"{reason}, so strengths would be infinite: half a win was added to each side of every "
        f"pair, weighed by the pair's share of what the battles determine ({n_models - 1:,} "
        f"battle{'s' * (n_models > 2)} in all). More battles of these models would settle it.",
    )


def _halves(battles: Battles, counts: FloatArray) -> tuple[_Rows, IntArray]:
    """Return half a win for each side of every pair, by leverage; and the battle that carries it.

    These are the first and the last battle of the pair.
    """
    n_models, n = len(counts), len(battles.first)
    inverse = np.linalg.inv(np.diag(counts.sum(axis=1)) - counts + 1 / n_models)
    one, other = np.nonzero(np.triu(counts))
    own = np.diagonal(inverse)
    leverage = counts[one, other] * (own[one] + own[other] - 2 * inverse[one, other])
    sides = np.sort(np.stack([battles.first, battles.second]), axis=0)
    pair = sides[0] * n_models + sides[1]
    earliest = np.unique(pair, return_index=True)[1]
    latest = n - 1 - np.unique(pair[::-1], return_index=True)[1]
    halves = _Rows(
        np.concatenate([one, other]), np.concatenate([other, one]),
        np.full(2 * len(one), FIRST), np.zeros((2 * len(one), len(battles.effects))),
        np.tile(leverage / 2, 2),
    )  # fmt: skip
    return halves, np.concatenate([earliest, latest])


@dataclass(frozen=True)
class _Model:
    """Bradley and Terry's model, or with ties Davidson's, of so many models and some effects.

    Parameters are the strengths, the effects, and with ties `delta`.
    """

    n_models: int
    has_ties: bool
    effects: tuple[str, ...]

    def slopes(self, rows: _Rows, parameters: FloatArray, at: IntArray | int = 0) -> _Slopes:
        """Compute the likelihood of some rows, and its derivatives.

        Parameters may be several sets, of which `at` gives that of each row.
        """
        sets = np.atleast_2d(parameters)
        eta = sets[at, rows.first] - sets[at, rows.second]
        effects = sets[at, self.n_models : self.n_models + len(self.effects)]
        eta = eta + (rows.effects * effects).sum(axis=1)
        tie = np.broadcast_to(sets[at, -1] if self.has_ties else -np.inf, eta.shape)
        utility = np.stack([eta / 2, -eta / 2, tie])
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
