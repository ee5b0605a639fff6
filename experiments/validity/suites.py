"""Means over test sets, for these and for new ones, and gates of suites: coverage and size.

Usage: python -m experiments.validity.suites [--trials 800] [--only REGEX] [--jobs 1]

Two models on 3, 10 or 50 test sets of 40 or 200 items, with one run or with five runs that are
crossed with the sets. Scores are sums of the set, of an item, a run and the rest, normal ones or
signs of them (0 or 1), so that the true means are known. ``spread`` is the standard deviation of
the true difference of the models over the sets; they are constants where sets are fixed, and drawn
where they are new. Of a rare kind is a tenth of the sets, on which the first model loses 0.5: where
none is seen, no interval can allow for it, and the note of the answer states so. Gates are at the
margin: of the mean, of one set among others that hold, of any set where all are equal; "losses" are
shown for a set that has none. Coverage at 0.95 and shares of wrong answers at 0.05 are written to
``results/suites.csv``; the worst are printed.

"These sets, BCa" and "percentile" compare two ways to resample: the sets' own intervals "joined" as
those in closed form are, or the interval of the replicates "averaged" over the sets.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

import modelcompare as mc
from experiments.validity.by_cell import simulate
from experiments.validity.catalogue import cell_id
from modelcompare.engine.contrasts import Sample
from modelcompare.engine.design import design_of
from modelcompare.engine.influence import Pairs
from modelcompare.intervals import Interval, bca_interval, percentile_interval
from modelcompare.plugins.suites.means import MeanOfSets
from modelcompare.plugins.suites.pooled import Means
from modelcompare.plugins.suites.scope import scope_of_sets

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "suites.csv"
WANTED, LEVEL, SIZE = 0.935, 0.95, 0.06
AT_ONCE = 100
MEANS = (0.7, 0.65)
# Standard deviations of items, of rest, of runs, and of what the models have in common on a set.
ITEMS, REST, RUNS, SETS = 0.3, 0.3, 0.03, 0.1
SAME_ITEMS = 0.8
N_RUNS = 5
# Items of a gate's sets, share of the items that both models fail, and the margin.
GATE_ITEMS, FAILED, MARGIN = 200, 0.2, 0.05
# Methods that resample, and the number of resamples; of macro F1 the shares of right labels, and of
# the classes.
METHODS, N_RESAMPLES = ("auto", "percentile", "BCa"), 999
RIGHT, CLASSES = (0.8, 0.75), np.array([0.6, 0.25, 0.15])
# Share of the sets that are unlike the others, and how much the first model loses there.
RARE, LOST = 0.1, 0.5
RARE_KIND = "new sets, a rare kind"
GATES = ("mean", "mean of new sets", "mean, one set fails", "each", "any", "losses")


def cells() -> list[Params]:
    """Return the cells of coverage, and of gates at the margin."""
    coverage = [
        {"kind": f"{sets} sets", "scores": scores, "sets": n, "items": items, "spread": spread,
         "runs": runs}
        for sets in ("these", "new")
        for scores in ("normal", "0/1")
        for n in (3, 10, 50)
        for items in (40, 200)
        for spread in (0.0, 0.1)
        for runs in (1, N_RUNS)
    ]  # fmt: skip
    resampled = [
        {"kind": f"these sets, {method}", "scores": scores, "sets": n, "items": items,
         "spread": 0.0, "runs": 1}
        for method in METHODS
        for scores in ("0/1", "exponential", "macro F1")
        for n in (3, 10, 50)
        for items in (20, 40)
    ]  # fmt: skip
    gates = [
        {"kind": kind, "scores": "0/1", "sets": n, "items": GATE_ITEMS,
         "spread": 0.05 if kind == "mean of new sets" else 0.0, "runs": 1}
        for kind in GATES for n in (3, 10)
    ]  # fmt: skip
    rare = [
        {"kind": RARE_KIND, "scores": "normal", "sets": n, "items": 200, "spread": 0.0, "runs": 1}
        for n in (5, 15)
    ]
    return [*coverage, *resampled, *gates, *rare]


def effects(rng: np.random.Generator, cell: Params, n_trials: int) -> Array:
    """Return the effect of each set on each model, (2, n_trials, n_sets)."""
    n = cell["sets"]
    if cell["kind"] == "these sets":
        z = stats.norm.ppf((np.arange(n) + 0.5) / n)
        common, apart = SETS * z[::-1], cell["spread"] * z
        return np.broadcast_to(np.stack([common + apart, common])[:, None], (2, n_trials, n))
    common = SETS * rng.standard_normal((n_trials, n))
    first = common + cell["spread"] * rng.standard_normal((n_trials, n))
    if cell["kind"] == RARE_KIND:
        first = first - LOST * (rng.random((n_trials, n)) < RARE)
    return np.stack([first, common])


def draw(rng: np.random.Generator, cell: Params, n_trials: int) -> tuple[list[Array], Array]:
    """Draw scores of two models (n_trials, n_sets, n_items, n_runs), and their true means."""
    shape = (n_trials, cell["sets"], cell["items"], cell["runs"])
    common, by_set = rng.standard_normal(shape[:3]), effects(rng, cell, n_trials)
    found, truths = [], []
    for of_sets, mean in zip(by_set, MEANS, strict=True):
        own = rng.standard_normal(shape[:3])
        items = np.sqrt(SAME_ITEMS) * common + np.sqrt(1 - SAME_ITEMS) * own
        runs = rng.standard_normal((n_trials, 1, 1, shape[3])) * (shape[3] > 1)
        rest, spread = rng.standard_normal(shape), np.hypot(SETS, cell["spread"])
        if cell["scores"] == "normal":
            x = mean + of_sets[..., None, None] + ITEMS * items[..., None] + RUNS * runs
            found.append(x + REST * rest)
            rare = RARE * LOST * (cell["kind"] == RARE_KIND and not truths)
            truths.append(mean - rare + (of_sets[0].mean() if cell["kind"] == "these sets" else 0))
            continue
        # Latent numbers: effects on them are three times those on shares.
        latent = stats.norm.ppf(mean) * np.sqrt(2) + 3 * of_sets[..., None, None]
        found.append((latent + items[..., None] + 3 * RUNS * runs + rest > 0).astype(float))
        within = 2 + (3 * RUNS) ** 2 * (shape[3] > 1)
        centre = stats.norm.ppf(mean) * np.sqrt(2)
        if cell["kind"] == "these sets":
            truths.append(stats.norm.cdf((centre + 3 * of_sets[0]) / np.sqrt(within)).mean())
        else:
            of_all = within + 9 * (spread if not truths else SETS) ** 2
            truths.append(stats.norm.cdf(centre / np.sqrt(of_all)))
    return found, np.array(truths)


def ends(cell: Params, scores: Sequence[Array]) -> dict[str, Array]:
    """Return the intervals of all trials, (2, n_trials), of scores and of differences."""
    n_trials, n_sets, n_items, n_runs = scores[0].shape
    item, run = (each.ravel() for each in np.indices((n_items, n_runs)))
    columns = {"groups": item, "runs": run} if n_runs > 1 else {}
    samples = []
    for place in range(n_sets):
        outputs = {
            f"{m}{k}": x[k, place].ravel()
            for m, x in zip("ab", scores, strict=True) for k in range(n_trials)
        }  # fmt: skip
        preds = mc.Predictions.from_scores(outputs, greater_is_better=True, **columns)
        result = mc.bootstrap(preds, "mean_score", n_resamples=2)
        samples.append(replace(result, design=design_of(result.evaluation.predictions, "auto")))
    a, models = np.arange(n_trials), samples[0].models
    found = {}
    for name, pairs in (("score", None), ("difference", (a, a + n_trials))):
        interval = mean_of(samples, models, pairs, new="new" in cell["kind"]).interval(
            "auto", LEVEL
        )
        found[name] = np.stack([interval.low[:n_trials, 0], interval.high[:n_trials, 0]])
    return found


def mean_of(
    samples: Sequence[Sample], models: Sequence[str], pairs: Pairs | None, *, new: bool = False
) -> MeanOfSets:
    """Return the mean over test sets, of equal weights."""
    shares = np.full(len(samples), 1 / len(samples))
    scope = scope_of_sets([each.scope for each in samples], new_sets=new)
    return Means.of(samples, models, pairs, shares, scope).low


def averaged(mean: MeanOfSets, method: str) -> Interval:
    """Compute the interval of the replicates that are averaged over the sets."""
    if method == "percentile":
        return percentile_interval(mean.replicates, confidence_level=LEVEL)
    parts, error = mean.parts, mean.standard_error
    # Third moments of independent sets add up.
    cubes = [(part.standard_error / len(parts)) ** 3 * part.acceleration for part in parts]
    acceleration = np.divide(sum(cubes), error**3, out=np.zeros_like(error), where=error > 0)
    return bca_interval(mean.replicates, mean.estimate, acceleration, confidence_level=LEVEL)


def f1_of(right: float) -> float:
    """Return the macro F1 of a model that is right on this share of each class."""
    others = (1 - CLASSES) / 2
    hits = right * CLASSES
    return float(np.mean(2 * hits / (CLASSES + hits + (1 - right) * others)))


def drawn_sets(
    cell: Params, rng: np.random.Generator, n_trials: int
) -> tuple[list[mc.Predictions], tuple[float, float]]:
    """Draw test sets with two models for each trial, and their true values."""
    shape, scores = (cell["sets"], cell["items"], n_trials), cell["scores"]
    common = rng.standard_normal(shape)
    u = [
        stats.norm.cdf(np.sqrt(SAME_ITEMS) * common + np.sqrt(1 - SAME_ITEMS) * own)
        for own in rng.standard_normal((2, *shape))
    ]
    names = [f"{m}{k}" for m in "ab" for k in range(n_trials)]
    truths = {"0/1": (0.9, 0.85), "exponential": (1.0, 1.0), "macro F1": tuple(map(f1_of, RIGHT))}
    if scores == "macro F1":
        y = rng.choice(3, shape[:2], p=CLASSES)
        wrong = [(y[:, :, None] + rng.integers(1, 3, shape)) % 3 for _ in u]
        labels = [
            np.where(x < right, y[:, :, None], other)
            for x, right, other in zip(u, RIGHT, wrong, strict=True)
        ]
        outputs = np.concatenate(labels, axis=2)
        sets = [
            mc.Predictions(truth, dict(zip(names, x.T, strict=True)), labels=[0, 1, 2])
            for truth, x in zip(y, outputs, strict=True)
        ]
    else:
        of = stats.expon.ppf if scores == "exponential" else None
        numbers = [
            of(x) if of else (x < right) * 1.0 for x, right in zip(u, truths[scores], strict=True)
        ]
        sets = [
            mc.Predictions.from_scores(dict(zip(names, x.T, strict=True)), greater_is_better=True)
            for x in np.concatenate(numbers, axis=2)
        ]
    return sets, truths[scores]


def resampled(cell: Params, n_trials: int, rng: np.random.Generator) -> dict[str, float]:
    """Return the coverage of both ways to resample, for scores and differences."""
    method = cell["kind"].rpartition(" ")[2]
    metric = "f1_macro" if cell["scores"] == "macro F1" else "mean_score"
    at_once, covered = min(AT_ONCE // 4, n_trials), {}
    for _ in range(n_trials // at_once):
        sets, (of_a, of_b) = drawn_sets(cell, rng, at_once)
        draw = partial(mc.bootstrap, metrics=metric, n_resamples=N_RESAMPLES)
        samples = [draw(each, rng=int(rng.integers(2**30))) for each in sets]
        a = np.arange(at_once)
        for name, pairs, truth in (
            ("score", None, of_a), ("difference", (a, a + at_once), of_a - of_b),
        ):  # fmt: skip
            mean = mean_of(samples, samples[0].models, pairs)
            ways = {"joined": mean.interval(method, LEVEL)}
            if method != "auto":
                ways["averaged"] = averaged(mean, method)
            for way, found in ways.items():
                low, high = found.low[:at_once, 0], found.high[:at_once, 0]
                covered.setdefault(f"{way}, {name}", []).append((low <= truth) & (truth <= high))
    return {name: float(np.mean(each)) for name, each in covered.items()}


def coverage(cell: Params, n_trials: int, rng: np.random.Generator) -> dict[str, float]:
    """Return the coverage, and the median width, of scores and differences."""
    covered: dict[str, list[Array]] = {}
    width: dict[str, list[Array]] = {}
    for start in range(0, n_trials, AT_ONCE):
        scores, truths = draw(rng, cell, min(AT_ONCE, n_trials - start))
        wanted = {"score": truths[0], "difference": truths[0] - truths[1]}
        for name, (low, high) in ends(cell, scores).items():
            covered.setdefault(name, []).append((low <= wanted[name]) & (wanted[name] <= high))
            width.setdefault(name, []).append(high - low)
    found = {f"covered, {name}": float(np.concatenate(x).mean()) for name, x in covered.items()}
    return found | {f"width, {name}": float(np.median(np.concatenate(x)))
                    for name, x in width.items()}  # fmt: skip


def losses(cell: Params, rng: np.random.Generator) -> Array:
    """Return the share of items that the candidate alone fails on each set, at the margin."""
    kind, n = cell["kind"], cell["sets"]
    if kind == "mean":
        return np.full(n, MARGIN)
    if kind == "mean, one set fails":
        return np.where(np.arange(n) == 0, n * MARGIN, 0.0)
    if kind == "mean of new sets":
        # Two values at the same distance: their mean over new sets is the margin.
        return MARGIN + cell["spread"] * rng.choice([-1, 1], n)
    return np.where(np.arange(n) == 0, MARGIN, 0.0) if kind == "each" else np.zeros(n)


def suite(cell: Params, rng: np.random.Generator) -> dict[str, mc.Predictions]:
    """Draw 0/1 scores of two models on test sets with given losses of the candidate."""
    sets = {}
    for place, loss in enumerate(losses(cell, rng).tolist()):
        u = rng.random(cell["items"])
        old = (u >= FAILED).astype(float)
        if cell["kind"] == "any":
            # Equal models that differ on a tenth of the items.
            new = np.where(rng.random(len(u)) < 0.1, rng.random(len(u)) >= FAILED, old)
        else:
            new = old - (u >= 1 - max(loss, 0.0)) + (u < max(-loss, 0.0))
        sets[f"s{place}"] = mc.Predictions.from_scores(
            {"old": old, "new": new.astype(float)}, greater_is_better=True, bounds=(0, 1)
        )
    return sets


def is_wrong(cell: Params, rng: np.random.Generator) -> bool:
    """Return whether a gate at the margin is passed, or a loss shown where there is none."""
    sets, kind = suite(cell, rng), cell["kind"]
    if kind.startswith("mean"):
        generalize_to = "sets" if "new" in kind else "items"
        return mc.decide(
            sets, "old", "new", "mean_score", margin=MARGIN, generalize_to=generalize_to
        ).passed
    if kind == "losses":
        # A margin so small that nearly every difference by chance is beyond it.
        sets = suite({**cell, "kind": "any"}, rng)
        return mc.gate(sets, "old", "new", "each:-0.000001").answer == "shown otherwise"
    return mc.gate(sets, "old", "new", "any:+0" if kind == "any" else f"each:-{MARGIN}").passed


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return a row of the table."""
    rng = np.random.default_rng(zlib.crc32(cell_id({**cell, "study": "suites"}).encode()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "," in cell["kind"] and cell["kind"].startswith("these sets"):
            found = resampled(cell, n_trials, rng)
        elif cell["kind"] in GATES:
            found = {"wrong": float(np.mean([is_wrong(cell, rng) for _ in range(n_trials)]))}
        else:
            found = coverage(cell, n_trials, rng)
    return pd.DataFrame([{**cell, "trials": n_trials, **found}])


def short(table: pd.DataFrame) -> pd.Series:
    """Return which rows cover less than wanted, or have more wrong answers."""
    covered = table.filter(regex="^covered").min(axis=1).where(table["kind"] != RARE_KIND)
    wrong = table["wrong"] if "wrong" in table else pd.Series(np.nan, table.index)
    return (covered < WANTED) | (wrong > SIZE)


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the lowest coverage by kind and number of sets, and the largest share of errors."""
    rows = {}
    for (kind, sets, runs), part in table.groupby(["kind", "sets", "runs"], sort=False):
        row: dict[str, Any] = {"cells": str(len(part))}
        if kind in GATES:
            row["wrong answers"] = part["wrong"].max()
        elif kind.rpartition(" ")[2] in METHODS:
            row |= {name: part[name].min() for name in part.filter(regex="^joined|^averaged")}
        else:
            row |= {f"lowest, {name}": part[f"covered, {name}"].min()
                    for name in ("score", "difference")}  # fmt: skip
        rows[f"{kind}, {sets} sets, {runs} run{'s' * (runs > 1)}"] = row
    return pd.DataFrame.from_dict(rows, orient="index")


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print the worst."""
    simulate(__doc__, cells(), simulated, verdict, RESULTS, arguments, short)


if __name__ == "__main__":
    main()
