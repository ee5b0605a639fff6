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

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from modelcompare.arrays import CACHE_BYTES, AnyArray, FloatArray, IntArray
from modelcompare.data.checks import warn_of_data
from modelcompare.engine.memory import check_memory
from modelcompare.plugins.battles.influences import DETERMINED, Influences, group_sums, of_places

FIRST, SECOND, TIE = 0, 1, 2
# Newton's method takes about eight steps; effects that decide every battle grow without end.
_MOST_STEPS = 40
_LAST_STEP = 1e-10
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
    weight : ndarray of shape (n_battles,), optional
        Positive weights of the battles, in any unit; by default they are equal.
    """

    models: tuple[str, ...]
    first: IntArray
    second: IntArray
    outcome: IntArray
    effects: Mapping[str, FloatArray] = field(default_factory=dict)
    cluster: IntArray | None = None
    weight: FloatArray | None = None

    @property
    def weights(self) -> FloatArray:
        """Weights whose sum is the effective number of battles, (sum w)^2 / sum w^2."""
        if self.weight is None:
            return np.ones(len(self.first))
        return np.asarray(self.weight * (self.weight.sum() / (self.weight @ self.weight)))


@dataclass(frozen=True)
class Strengths:
    """Strengths of models, whose sum is 0, and other effects, in log-odds.

    Parameters
    ----------
    strength : ndarray of shape (n_models,)
        Maximum of the likelihood.
    effects : ndarray of shape (n_effects,)
        Effects, in the order of the battles' effects.
    influences : Influences
        Those at the fit without a battle's cluster, with the weighted mean 0.
    """

    strength: FloatArray
    effects: FloatArray
    influences: Influences


class _Rows(NamedTuple):
    """Battles, of which some count by a weight.

    `design` is a sparse matrix (n_rows, n_parameters); eta is its product with the parameters.
    """

    design: Any
    outcome: AnyArray
    weight: AnyArray

    @property
    def each(self) -> tuple[IntArray, FloatArray]:
        """Places and numbers of the design, as many in each row."""
        shape = len(self.outcome), -1
        return self.design.indices.reshape(shape), self.design.data.reshape(shape)


class _Slopes(NamedTuple):
    """The likelihood at some parameters: its value, and derivatives by those of each row.

    `score` is by eta and delta, of shape (2, n_rows); `information` has their variances and their
    covariance, of shape (3, n_rows).
    """

    value: float
    score: FloatArray
    information: FloatArray


def fit_strengths(battles: Battles) -> Strengths:
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
    weight = battles.weights
    n_models, n_kept = len(battles.models), len(battles.models) + len(battles.effects)
    what = f"the strengths of {n_models:,} models, by the battles of each two of them,"
    remedy = "keep the rows of fewer models, of those with the most battles"
    check_memory(8 * 5 * n_kept**2, what, remedy)  # wins, ties, both, information, inverse
    wins, ties = _counts(battles)
    counts = wins + wins.T + ties
    if not wins.any():
        raise ValueError("no battle was won: ties alone do not determine strengths.")
    _refuse_apart(battles.models, counts)
    model = _Model(n_models, bool(ties.any()), tuple(battles.effects))
    types, type_of = _types(battles)
    rows = model.rows(types, np.bincount(type_of, weight).astype(np.float64))
    model.check(rows)
    reason = _without_maximum(battles.models, wins, ties)
    if reason:
        _warn_of_halves(reason, n_models)
        halves, at = _halves(battles, model, counts)
        rows = _joined(rows, halves)
    parameters, inverse = model.maximum(rows)
    alike = battles.cluster is None and battles.weight is None and not reason
    whole = model.rows(types, np.ones(len(types.first))) if alike else model.rows(battles, weight)
    scores = _scores(model, whole, parameters, inverse, battles.cluster)
    if reason:
        carried = group_sums(at, np.sqrt(halves.weight) / weight[at], len(weight))
        scores = scores + carried @ model.scores(halves, model.slopes(halves, parameters).score)
    basis = np.vstack([inverse[:, :n_kept] * weight.sum(), np.zeros(n_kept)])
    scores = sparse.hstack([scores, np.ones((scores.shape[0], 1))], format="csr")
    of_type = np.bincount(type_of, weight) if alike else weight
    basis[-1] = -(of_type @ scores @ basis) / weight.sum()
    found = Influences(scores, basis, type_of if alike else None)
    return Strengths(parameters[:n_models], parameters[n_models:n_kept], found)


def _types(battles: Battles) -> tuple[Battles, IntArray]:
    """Return one battle of each type, and the type of each battle.

    With effects each battle is its own.
    """
    if battles.effects:
        return battles, np.arange(len(battles.first))
    pair = battles.first * len(battles.models) + battles.second
    type_of, types = pd.factorize(pair * 3 + battles.outcome)
    pair, outcome = np.divmod(types, 3)
    first, second = np.divmod(pair, len(battles.models))
    return Battles(battles.models, first, second, outcome), type_of


def _scores(
    model: _Model, rows: _Rows, parameters: FloatArray, inverse: FloatArray,
    cluster: IntArray | None,
) -> Any:  # fmt: skip
    """Return each battle's score at the fit without its cluster, to first order."""
    scores = model.scores(rows, model.slopes(rows, parameters).score)
    places, numbers = rows.each
    moved = np.empty((2, len(places)))
    group = np.arange(len(places)) if cluster is None else cluster
    sums, order = group_sums(group, rows.weight) @ scores, np.argsort(group, kind="stable")
    step = max(1, CACHE_BYTES // len(parameters))
    for at in range(0, len(order), step):
        here = order[at : at + step]
        own, group_of = np.unique(group[here], return_inverse=True)
        change = sums[own] @ inverse
        by_place = change[group_of[:, None], places[here]]
        moved[:, here] = (by_place * numbers[here]).sum(axis=1), change[group_of, -1]
    return model.scores(rows, model.slopes(rows, parameters, moved).score)


def _joined(rows: _Rows, more: _Rows) -> _Rows:
    design = sparse.vstack([rows.design, more.design], format="csr")
    return _Rows(design, *map(np.concatenate, zip(rows[1:], more[1:], strict=True)))


def _counts(battles: Battles) -> tuple[FloatArray, FloatArray]:
    """Add the weights of battles that each model won against each other one, and of ties."""
    m = len(battles.models)
    pair, weight = battles.first * m + battles.second, battles.weights
    types = (battles.outcome == outcome for outcome in (FIRST, SECOND, TIE))
    tables = [np.bincount(pair[kind], weight[kind], minlength=m * m) for kind in types]
    won, lost, tied = np.reshape(tables, (3, m, m)).astype(np.float64)
    return won + lost.T, tied + tied.T


def _refuse_apart(models: tuple[str, ...], counts: FloatArray) -> None:
    """Refuse sets of models without a battle between them."""
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
    leads = (wins > 0) | (ties > 0)
    of_set = connected_components(leads, connection="strong")[1]
    beyond = leads & (of_set[:, None] != of_set)
    reasons = []
    for what, axis in (("lost to", 0), ("won against", 1)):
        alone = ~np.isin(of_set, of_set[beyond.any(axis=axis)])
        if beyond.any() and alone.any():
            names = _listed(models, np.flatnonzero(alone))
            reasons.append(f"{names} never {what}, or tied with, any of the others")
    n_connected, _ = connected_components(wins > 0, connection="strong")
    if not reasons and n_connected == len(models):
        return "no model lost to one that it won against, directly or through others"
    return " and ".join(reasons)


def _warn_of_halves(reason: str, n_models: int) -> None:
    warn_of_data(
        f"{reason}, so strengths would be infinite: half a win was added to each side of every "
        f"pair, weighed by the pair's share of what the battles determine ({n_models - 1:,} "
        f"battle{'s' * (n_models > 2)} in all). More battles of these models would settle it.",
    )


def _halves(battles: Battles, model: _Model, counts: FloatArray) -> tuple[_Rows, IntArray]:
    """Return half a win for each side of every pair, by leverage; and the battle that carries it.

    These are the first and the last battle of the pair.
    """
    n_models, first, second = len(counts), battles.first, battles.second
    inverse = np.linalg.inv(np.diag(counts.sum(axis=1)) - counts + 1 / n_models)
    one, other = np.nonzero(np.triu(counts))
    own = np.diagonal(inverse)
    leverage = counts[one, other] * (own[one] + own[other] - 2 * inverse[one, other])
    pair = np.minimum(first, second) * n_models + np.maximum(first, second)
    earliest = np.unique(pair, return_index=True)[1]
    latest = len(pair) - 1 - np.unique(pair[::-1], return_index=True)[1]
    wins = Battles(
        battles.models, np.r_[one, other], np.r_[other, one], np.full(2 * len(one), FIRST),
        dict.fromkeys(battles.effects, np.zeros(2 * len(one))),
    )  # fmt: skip
    return model.rows(wins, np.tile(leverage / 2, 2)), np.r_[earliest, latest]


@dataclass(frozen=True)
class _Model:
    """Bradley and Terry's model, or with ties Davidson's, of so many models and some effects.

    Parameters are the strengths, the effects, and with ties `delta`.
    """

    n_models: int
    has_ties: bool
    effects: tuple[str, ...]

    @property
    def equal(self) -> FloatArray:
        """Parameters of models of equal strength, without effects."""
        return np.zeros(self.n_models + len(self.effects) + self.has_ties)

    @property
    def at_delta(self) -> FloatArray:
        """1 for `delta`, 0 for the other parameters."""
        return np.r_[self.equal[1:], float(self.has_ties)]

    def rows(self, battles: Battles, weight: FloatArray) -> _Rows:
        """Return a row for each battle."""
        ones = np.ones(len(weight))
        effects = [np.full(len(weight), self.n_models + k) for k in range(len(self.effects))]
        columns = np.column_stack([battles.first, battles.second, *effects])
        numbers = np.column_stack([ones, -ones, *battles.effects.values()])
        design = of_places(columns, numbers, len(self.equal))
        return _Rows(design, battles.outcome, weight)

    def slopes(
        self, rows: _Rows, parameters: FloatArray, moved: FloatArray | None = None
    ) -> _Slopes:
        """Compute the likelihood, and its derivatives, at some parameters.

        They are less by `moved` in eta and in delta of each row.
        """
        of_eta, of_delta = np.zeros((2, 1)) if moved is None else moved
        eta = rows.design @ parameters - of_eta
        tie = np.broadcast_to((parameters[-1] if self.has_ties else -np.inf) - of_delta, eta.shape)
        utility = np.stack([eta / 2, -eta / 2, tie])
        share = utility - np.logaddexp.reduce(utility, axis=0)
        value = rows.weight @ share[rows.outcome, np.arange(len(eta))]
        win, loss, tied = np.exp(share)
        side = np.array([0.5, -0.5, 0.0])[rows.outcome]
        half = (win - loss) / 2
        score = np.stack([side - half, (rows.outcome == TIE) - tied])
        information = np.stack([(win + loss) / 4 - half**2, tied * (1 - tied), -tied * half])
        return _Slopes(float(value), score, information)

    def information(self, rows: _Rows, of_rows: FloatArray) -> FloatArray:
        """Compute the information; strengths have a fixed sum."""
        m, (of_eta, of_delta, both) = self.n_models, of_rows * rows.weight
        crossed = np.outer(rows.design.T @ both, self.at_delta)
        out: FloatArray = (rows.design.T.multiply(of_eta) @ rows.design).toarray()
        out += crossed + crossed.T + np.diag(of_delta.sum() * self.at_delta)
        out[:m, :m] += 1 / m
        return out

    def check(self, rows: _Rows) -> None:
        """Refuse effects that cannot be distinguished from strengths."""
        information = self.information(rows, self.slopes(rows, self.equal).information)
        size = np.linalg.eigvalsh(information)
        if size[0] < DETERMINED * size[-1]:
            raise ValueError(
                f"the battles do not determine {self._effects} beside the strengths: it is equal "
                "in all battles, or follows from the models; leave it out."
            )

    def maximum(self, rows: _Rows) -> tuple[FloatArray, FloatArray]:
        """Return the parameters at the maximum, and the inverse information there."""
        parameters, found = self.equal, self.slopes(rows, self.equal)
        # Where an effect decides every battle, the information vanishes.
        with suppress(np.linalg.LinAlgError):
            for _ in range(_MOST_STEPS):
                inverse = np.linalg.inv(self.information(rows, found.information))
                by_eta, by_delta = found.score * rows.weight
                step = inverse @ (rows.design.T @ by_eta + by_delta.sum() * self.at_delta)
                least = found.value - 1e-9 * abs(found.value)
                found = self.slopes(rows, parameters + step)
                while found.value < least:
                    step = step / 2
                    found = self.slopes(rows, parameters + step)
                parameters = parameters + step
                if np.abs(step).max() < _LAST_STEP:
                    inverse[: self.n_models, : self.n_models] -= 1 / self.n_models
                    return parameters, np.asarray(inverse, dtype=np.float64)
        raise ValueError(
            f"the likelihood has no maximum: {self._effects} decides nearly every battle, so its "
            "effect would be infinite; leave it out, or add battles."
        )

    @property
    def _effects(self) -> str:
        return " and ".join(map(repr, self.effects)) or "the share of ties"

    def scores(self, rows: _Rows, score: FloatArray) -> Any:
        """Return the derivatives by all parameters per unit of weight of each row."""
        places, numbers = rows.each
        numbers = numbers * score[0][:, None]
        if self.has_ties:
            last = np.full(len(places), len(self.equal) - 1)
            places, numbers = np.c_[places, last], np.c_[numbers, score[1]]
        return of_places(places, numbers, len(self.equal))


def _listed(models: tuple[str, ...], places: AnyArray) -> str:
    """Write the first names of some models."""
    names = ", ".join(models[place] for place in places[:_NAMED])
    return names + (f" and {len(places) - _NAMED:,} more" if len(places) > _NAMED else "")
