"""Strengths from battles: coverage, size of the test, and the level of gates at their margin.

Usage: python -m experiments.validity.battles [--trials 800] [--only REGEX] [--jobs 1]

Models of equally spaced strengths (the best wins 92 % of its battles with the worst) meet 4, 10 or
30 times a pair, in random order. Battles are independent, or of 15 or 40 users, each of whom has a
taste: an own deviation of every model's strength, of standard deviation 0.7. Each user has battles
at random. True strengths are then those of the marginal fit, to infinitely many users. The two
models in the middle have equal strengths in half of the trials, whose p-values give the size of
the test. In "ties" a third of the battles of equal models are ties, and in "skewed" half of all
battles are those of two models, and users have lognormal numbers of battles. In "crossed" items
have tastes as users have; coverage with users or items alone is beside that with both. In
"weighted" strengths decide battles of one stratum more than those of another, which is drawn four
times as often and weighted back to an equal share.

Of five models (best, worst, next to the worst, two in the middle) and four of their pairs, the
lowest coverage at 0.95 of scores and of differences, mean widths, share of p-values up to 0.05 of
equal models, and how often a gate of one-sided level 0.05 opens whose margin is the true difference
(the worst pair and direction), are written to ``results/battles.csv``, with the share of trials in
which half wins were added. All trials count, with a warning or without one.
"""

from __future__ import annotations

import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import modelcompare as mc
from experiments.validity.by_cell import simulate

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "battles.csv"
WANTED, LARGEST = 0.935, 0.06
# Strengths are from -SPREAD to SPREAD; standard deviation of a user's taste for a model.
SPREAD, TASTE = 1.2, 0.7
# The log of Davidson's parameter: equal models tie in a third of their battles.
TIES = 0.0
# Half of the battles of the population are in each stratum, where strengths count by these scales;
# the first stratum is drawn so often, and weights make up for it.
SCALES, OFTEN = np.array([0.5, 1.5]), 0.8
# Models from which on more trials would take hours.
MANY = 50


def cells() -> list[Params]:
    """Return all numbers of models, battles and users, and cells with ties or of unequal sizes."""
    plain = [
        {"world": "plain", "models": models, "battles": battles, "users": users}
        for models in (5, 10, 50)
        for battles in (4, 10, 30)
        for users in (0, 15, 40)
    ]
    others = [
        {"world": world, "models": models, "battles": 10, "users": users}
        for world in ("ties", "skewed")
        for models in (5, 10)
        for users in (0, 40)
    ]
    crossed = [
        {"world": "crossed", "models": models, "battles": battles, "users": users, "items": items}
        for models, battles, users, items in (
            (5, 30, 15, 40), (5, 100, 40, 15), (10, 30, 40, 100)
        )
    ]  # fmt: skip
    weighted = [
        {"world": "weighted", "models": models, "battles": battles, "users": users}
        for models, battles in ((5, 10), (5, 30), (10, 10))
        for users in (0, 40)
    ]
    return [*plain, *others, *crossed, *weighted]


def strengths(cell: Params, *, equal: bool) -> Array:
    """Return the strengths of the models for a user without a taste."""
    found = np.linspace(-SPREAD, SPREAD, cell["models"])
    if equal:
        middle = cell["models"] // 2
        found[middle - 1 : middle + 1] = found[middle - 1 : middle + 1].mean()
    return found


def draw(rng: np.random.Generator, cell: Params, strength: Array) -> pd.DataFrame:
    """Draw a table of battles."""
    one, other = np.triu_indices(cell["models"], 1)
    pair = np.tile(np.arange(len(one)), cell["battles"])
    if cell["world"] == "skewed":
        # All pairs meet once; of the other battles half are those of the last pair.
        moved = rng.random(len(pair)) < 0.5
        pair[len(one) :][moved[len(one) :]] = len(one) - 1
    swapped = rng.random(len(pair)) < 0.5
    first, second = (np.where(swapped, *sides) for sides in (
        (other[pair], one[pair]), (one[pair], other[pair])
    ))  # fmt: skip
    eta, frame = strength[first] - strength[second], pd.DataFrame()
    if cell["world"] == "weighted":
        kind = (np.arange(len(pair)) >= OFTEN * len(pair)).astype(int)
        frame["kind"] = kind = rng.permutation(kind)
        frame["weight"] = 0.5 / np.array([OFTEN, 1 - OFTEN])[kind]
        eta = eta * SCALES[kind]
    if cell["users"]:
        share = np.ones(cell["users"])
        if cell["world"] == "skewed":
            share = rng.lognormal(0.0, 0.75, cell["users"])
        user = rng.choice(cell["users"], len(pair), p=share / share.sum())
        taste = rng.normal(0.0, TASTE, (cell["users"], cell["models"]))
        eta = eta + taste[user, first] - taste[user, second]
        frame["user"] = user
    if "items" in cell:
        item = rng.integers(0, cell["items"], len(pair))
        taste = rng.normal(0.0, TASTE, (cell["items"], cell["models"]))
        eta = eta + taste[item, first] - taste[item, second]
        frame["item"] = item
    utility = [np.exp(eta / 2), np.exp(-eta / 2)]
    utility += [np.full(len(eta), np.exp(TIES))] if cell["world"] == "ties" else []
    level = rng.random(len(eta)) * sum(utility)
    winner = np.where(
        level < utility[0], "a", np.where(level < utility[0] + utility[1], "b", "tie")
    )
    names = np.array([f"m{i:02}" for i in range(cell["models"])])
    return frame.assign(model_a=names[first], model_b=names[second], winner=winner)


def true_strengths(cell: Params, strength: Array) -> Array:
    """Return the strengths of the marginal fit: to all battles of infinitely many users."""
    if not cell["users"] and cell["world"] != "weighted":
        return strength - strength.mean()
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    kinds = 2 if "items" in cell else 1
    spread = TASTE * np.sqrt(2 * kinds) if cell["users"] else 0.0
    scales = SCALES if cell["world"] == "weighted" else np.ones(1)
    eta = (strength[:, None] - strength)[..., None, None] * scales[:, None] + nodes * spread
    eta = eta.reshape(len(strength), len(strength), -1)
    weights = np.tile(weights / len(scales), len(scales))
    tie = np.exp(TIES) if cell["world"] == "ties" else 0.0
    total = np.exp(eta / 2) + np.exp(-eta / 2) + tie
    shares = [each / total @ (weights / weights.sum()) for each in (np.exp(eta / 2), tie)]
    found, gap = np.zeros(len(strength)), np.inf
    # Fixed points of the likelihood's equations, by small steps of the expected score.
    delta = TIES
    counts = (np.ones_like(eta[..., 0]) - np.eye(len(strength))) * cell["battles"]
    if cell["world"] == "skewed":
        others = (cell["battles"] - 1) / 2
        counts -= others * (counts > 0)
        moved = others * len(strength) * (len(strength) - 1) / 2
        counts[-1, -2], counts[-2, -1] = counts[-1, -2] + moved, counts[-2, -1] + moved
    while gap > 1e-10:
        fitted = found[:, None] - found
        of_tie = np.exp(delta) if tie else 0.0
        total = np.exp(fitted / 2) + np.exp(-fitted / 2) + of_tie
        win, tied = np.exp(fitted / 2) / total, of_tie / total
        score = counts * (shares[0] - win + (shares[1] - tied) / 2)
        step = score.sum(axis=1) / counts.sum(axis=1)
        found = found + step
        of_ties = float((counts * (shares[1] - tied)).sum() / counts.sum())
        delta += of_ties if tie else 0.0
        gap = max(np.abs(step).max(), abs(of_ties))
    return found - found.mean()


def one_trial(cell: Params, seed: int, true: Array, strength: Array, *, equal: bool) -> Params:
    """Return coverage, widths, gates at their margins, and the p-value of equal models."""
    table = draw(np.random.default_rng(seed), cell, strength)
    middle, last = cell["models"] // 2, cell["models"] - 1
    kept = np.unique([0, 1, middle - 1, middle, last])
    pairs = [(0, 1), (0, middle), (0, last), (middle - 1, middle)]
    a, b = np.searchsorted(kept, pairs).T
    true, p_value = true[kept], np.nan
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        columns = {name: name for name in ("user", "item") if name in table}
        drawn = {"strata": "kind", "weight": "weight"} if "kind" in table else {}
        if "user" in columns:  # who has battles of both kinds
            drawn.pop("strata", None)
        preds = mc.from_battles(table, columns=columns | drawn)
        preds = preds[[f"m{at:02}" for at in kept]]
        found = mc.bootstrap(preds, n_resamples=2)
        alone = {}
        for kind in columns if "items" in cell else ():
            one = mc.from_battles(table[["model_a", "model_b", "winner", kind]])[[*preds.models]]
            one = mc.bootstrap(one, n_resamples=2).difference_interval(a, b, "auto", 0.95)
            alone[f"difference, {kind}s alone"] = one
        score, difference, gate = (
            found.score_interval("auto", 0.95), found.difference_interval(a, b, "auto", 0.95),
            # The bounds of `decide`, whose level is one-sided.
            found.difference_interval(a, b, "auto", 0.9),
        )  # fmt: skip
        if equal:
            two = preds.models[a[-1]], preds.models[b[-1]]
            p_value = mc.paired_test(preds, *two, "strength", n_resamples=199, rng=seed).p_value
    gap = true[a] - true[b]
    alone = {k: (i.low[:, 0] <= gap) & (gap <= i.high[:, 0]) for k, i in alone.items()}
    return {
        **alone,
        "covered, score": (score.low[:, 0] <= true) & (true <= score.high[:, 0]),
        "covered, difference": (difference.low[:, 0] <= gap) & (gap <= difference.high[:, 0]),
        "opens": np.concatenate([gate.low[:, 0] > gap, gate.high[:, 0] < gap]),
        "width, score": (score.high - score.low).mean(),
        "width, difference": (difference.high - difference.low).mean(),
        "p up to 0.05": p_value <= 0.05 + 1e-9 if equal else np.nan,
        "halved": any("half a win" in str(each.message) for each in caught),
    }  # fmt: skip


def short(table: pd.DataFrame) -> pd.Series:
    """Return which rows fall short, of those that would not take hours with more trials."""
    covered = table[["covered, score", "covered, difference"]].min(axis=1)
    errs = table[["p up to 0.05", "opens"]].max(axis=1) > LARGEST
    return ((covered < WANTED) | errs) & (table["models"] < MANY)


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return the shares of a cell's trials."""
    seed = zlib.crc32(str(cell).encode())
    worlds = [strengths(cell, equal=equal) for equal in (False, True)]
    true = [true_strengths(cell, strength) for strength in worlds]
    trials = [
        one_trial(cell, seed + at, true[at % 2], worlds[at % 2], equal=at % 2 == 1)
        for at in range(n_trials)
    ]
    means = {name: np.nanmean([each[name] for each in trials], axis=0) for name in trials[0]}
    return pd.DataFrame([{
        **cell, "trials": n_trials, "covered, score": means["covered, score"].min(),
        "covered, difference": means["covered, difference"].min(),
        "mean covered, score": means["covered, score"].mean(),
        "mean covered, difference": means["covered, difference"].mean(),
        "p up to 0.05": means["p up to 0.05"], "opens": means["opens"].max(),
        **{name: means[name] for name in ("width, score", "width, difference", "halved")},
        **{name: means[name].min() for name in means if name.endswith("alone")},
    }])  # fmt: skip


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the extremes of the cells, by world and number of users."""
    return table.groupby(["world", "users"], sort=False).agg(
        cells=("models", "size"),
        lowest_score=("covered, score", "min"),
        lowest_difference=("covered, difference", "min"),
        largest_p=("p up to 0.05", "max"),
        largest_gate=("opens", "max"),
    ).reset_index()  # fmt: skip


if __name__ == "__main__":
    simulate(__doc__, cells(), simulated, verdict, RESULTS, short=short)
