"""Gates that are asked again and again: their error, power, and the gain of what they kept.

Usage: python -m experiments.validity.keep [--trials 800] [--only REGEX] [--jobs 1]

Test sets of 1,000 samples, on which a candidate changes 0.05, 0.1 or 0.2 of the answers. "looks":
one candidate, asked about 2, 5 or 20 times while samples are added, or at any time (accuracy: after
each sample from the 20th on; F1: after each 50). "candidates": up to 1,000 of them on the same
samples, all exactly at the threshold ("threshold"), or a search in which each is a change of the
last one kept and 1 in 40 is better ("search"). "kept": how often the corrected interval of a gain
contains it, of gains that were kept. "judge": one gate beside a judge at levels of many candidates
(`keep_judged`).

The threshold is minus the margin, or 0 for a margin of 0 (superiority). Error: the share of trials
in which a gate opens for a true gain at the threshold, or, with control "share", the mean share of
these among those kept. Power of non-inferiority is at gain 0, of superiority at a gain that one
gate shows with power 0.8; samples are those at the stop. Trials of accuracy are 5 times as many.
Coverage of gains in accuracy is a sum over all possible counts.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import logsumexp, ndtr, ndtri

from experiments.validity import keep_judged
from experiments.validity.by_cell import simulate
from experiments.validity.keep_worlds import (
    BASE,
    Gates,
    apart,
    changed,
    draw,
    gain_in_accuracy,
    gain_of,
    rates_of,
    tables_of,
)
from modelcompare.plugins.any_time.betting import _BETS
from modelcompare.plugins.ledgers.levels import level_of_candidate, level_of_look, share_of
from modelcompare.plugins.ledgers.report import _row

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "keep.csv"
WANTED, LARGEST = 0.935, 0.06
ALPHA, N_SAMPLES, N_STEPS = 0.05, 1_000, 20
MANY = (1, 20, 100, 1_000)
# Looks, and their spending; none is at any time.
PLANS: list[tuple[int, Any]] = [
    (1, "obrien-fleming"),
    *((looks, name) for name in ("obrien-fleming", "pocock") for looks in (2, 5, 20)),
]
# Rules of candidates: control, and the planned number.
RULES: list[tuple[Any, int | None]] = [
    ("any", None), *(("any", k) for k in MANY[1:]), ("share", None),
]  # fmt: skip
# Better candidates of a search: one of so many, standard errors above the threshold, and the most.
BETTER, AWAY, MOST = 40, 4.0, 4
NUMBERS = ("error", "power", "coverage")
_FIRST_SAMPLE, _FEWEST_KEPT, _BATCH = 20, 400, 20_000
# Probability of being kept below which the gain of what was kept is not simulated.
_LEAST_LIKELY = {"accuracy": 1e-6, "f1_macro": 1e-3}


def cells() -> list[Params]:
    """Return all studies, metrics, disagreements and margins."""
    every = [
        {"study": study, "metric": metric, "disagreement": disagreement, "margin": margin}
        for study in ("looks", "threshold", "search", "kept")
        for metric in ("accuracy", "f1_macro")
        for disagreement in (0.05, 0.1, 0.2)
        for margin in (0.0, 0.02, 0.05)
    ]
    largest = {"looks": 0.05, "threshold": 0.02, "search": 0.02, "kept": 0.0}
    # Changes of a fifth of all answers are not possible for long.
    return [
        cell for cell in every
        if cell["margin"] <= largest[cell["study"]]
        and not (cell["study"] == "search" and cell["disagreement"] > 0.1)
    ] + keep_judged.cells()  # fmt: skip


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return the rows of a cell."""
    rng = np.random.default_rng(zlib.crc32(str(cell).encode()))
    n_trials *= 5 if cell["metric"] == "accuracy" else 1
    gates = Gates(cell["metric"], -cell["margin"])
    named = {"looks": of_looks, "kept": of_kept, "judge": keep_judged.of_judged}
    study = named.get(cell["study"], of_candidates)
    rows = pd.DataFrame(list(study(rng, cell, gates, n_trials)))
    gain_of.cache_clear()
    return pd.DataFrame([cell] * len(rows)).join(rows).assign(screened=gates.least)


def typical_error(cell: Params) -> float:
    """Return the standard error of a gain in accuracy."""
    return math.sqrt(cell["disagreement"] / N_SAMPLES)


# -- looks --------------------------------------------------------------------------------------


def of_looks(rng: np.random.Generator, cell: Params, gates: Gates, n_trials: int) -> Iterator[Any]:
    """Yield error, power and samples at the stop for each plan of looks."""
    power_at = 0.0 if cell["margin"] else (1.645 + 0.842) * typical_error(cell)
    found: dict[str, dict[str, Any]] = {}
    for what, gain in (("error", -cell["margin"]), ("power", power_at)):
        rates = rates_of(BASE, cell["disagreement"], gain, cell["metric"])
        shares = _shares(rates)
        # Gates for F1 are slow where they open.
        some = n_trials // (4 if what == "power" and cell["metric"] == "f1_macro" else 1)
        steps = rng.multinomial(N_SAMPLES // N_STEPS, shares, (some, N_STEPS))
        paths = steps.cumsum(axis=1).reshape(some, N_STEPS, 2, 2, 2)
        for looks, spending in PLANS:
            stops = _stops(gates, paths, looks, spending)
            found.setdefault(f"{spending}, {looks} looks", {}).update(_told(what, stops))
        if cell["metric"] == "accuracy":
            stops = _stops_by_betting(rng, gates, shares, n_trials)
        else:
            stops = _stops_of(paths, range(1, N_STEPS + 1), lambda x, _: gates.opens_at_any_time(
                x, ALPHA))  # fmt: skip
        found.setdefault("any time", {}).update(_told(what, stops))
    for plan, numbers in found.items():
        yield {"plan": plan, "trials": n_trials, **numbers}


def _shares(rates: Array) -> Array:
    """Return shares of the eight cells of a test set."""
    both = np.stack([BASE * (1 - rates), BASE * rates], axis=-1)
    both[:, 1, :] = both[:, 1, ::-1]
    return both.ravel()


def _told(what: str, stops: Array) -> dict[str, float]:
    """Return the share of gates that opened, and the mean number of samples at the stop."""
    opened = {what: float(np.isfinite(stops).mean())}
    return {**opened, "samples": float(np.minimum(stops, N_SAMPLES).mean())}


def _stops(gates: Gates, paths: Array, looks: int, spending: Any) -> Array:
    """Return numbers of samples at which gates with planned looks open; infinite if none does."""
    steps = range(N_STEPS // looks, N_STEPS + 1, N_STEPS // looks)
    return _stops_of(
        paths, steps,
        lambda x, k: gates.opens(
            x, np.full(len(x), level_of_look(range(1, k + 1), looks, ALPHA, spending)),
            early=k < looks,
        ),
    )  # fmt: skip


def _stops_of(paths: Array, steps: range, opens: Callable[[Array, int], Array]) -> Array:
    stops = np.full(len(paths), math.inf)
    for k, step in enumerate(steps, start=1):
        going = np.flatnonzero(np.isinf(stops))
        opened = opens(paths[going, step - 1], k)
        stops[going[opened]] = step * (N_SAMPLES // N_STEPS)
    return stops


def _stops_by_betting(
    rng: np.random.Generator, gates: Gates, shares: Array, n_trials: int
) -> Array:
    """Return the numbers of samples at which bounds by betting open the gate."""
    differ, net = apart(shares.reshape(2, 2, 2))
    chances = [(differ - net) / 2, 1 - differ, (differ + net) / 2]
    stops = np.full(n_trials, math.inf)
    n = np.arange(1, N_SAMPLES + 1)
    for trial in range(n_trials):
        gains = rng.choice(3, N_SAMPLES, p=chances) - 1
        counts = np.stack([(gains == x).cumsum() for x in (-1, 0, 1)])
        shown = log_wealths(counts, gates.threshold) > -math.log(ALPHA)
        first = np.flatnonzero(shown & (n >= _FIRST_SAMPLE))
        stops[trial] = first[0] + 1 if len(first) else math.inf
    return stops


def log_wealths(counts: Array, threshold: float) -> Array:
    """Return `log_wealth` of gains of -1, 0 and 1, counts of shape (3, n), at a threshold."""
    odds = (np.array([-1, 0, 1]) - threshold) / (threshold + 1)
    return np.asarray(logsumexp(np.log1p(np.outer(_BETS, odds)) @ counts, axis=0)) - math.log(
        len(_BETS)
    )


# -- candidates ---------------------------------------------------------------------------------


def of_candidates(
    rng: np.random.Generator, cell: Params, gates: Gates, n_trials: int
) -> Iterator[Any]:
    """Yield error, mean share of errors and of better ones kept, for each rule and number."""
    # In each search all are asked about; of planned numbers, so many.
    for control, planned in RULES:
        found = search(rng, cell, gates, n_trials, control, planned)
        for n in MANY if planned is None else [planned]:
            wrong, right = (x[:n].sum(axis=0) for x in found[:2])
            false_share = float((wrong / np.maximum(wrong + right, 1)).mean())
            error = false_share if control == "share" else float((wrong > 0).mean())
            rule = f"{control}, K" if planned else control
            yield {
                "plan": rule, "candidates": n, "trials": n_trials, "error": error,
                "power": float(right.sum() / max(found[2][:n].sum(), 1)) if right.any() else np.nan,
            }  # fmt: skip


def search(
    rng: np.random.Generator, cell: Params, gates: Gates, n_trials: int, control: Any,
    planned: int | None,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Return which candidates were kept wrongly, kept rightly, and better, by number and trial."""
    n = max(MANY) if planned is None else planned
    wrong, right, better = (np.zeros((n, n_trials), dtype=bool) for _ in range(3))
    tables = rng.multinomial(N_SAMPLES, BASE.ravel(), n_trials).reshape(n_trials, 2, 2)
    kept, since, gained = (np.zeros(n_trials, dtype=int) for _ in range(3))
    for k in range(n):
        since += 1
        if cell["study"] == "search":
            better[k] = (rng.random(n_trials) < 1 / BETTER) & (gained < MOST)
        counts = draw(rng, tables, _rates_of_each(cell, gained, kept - gained, better[k]))
        levels = [
            _level(k + 1, before, last, control, planned)
            for before, last in zip(kept.tolist(), since.tolist(), strict=True)
        ]
        opened = gates.opens(counts, np.array(levels))
        right[k], wrong[k] = opened & better[k], opened & ~better[k]
        if cell["study"] == "search":
            kept, gained, since = kept + opened, gained + right[k], np.where(opened, 0, since)
            tables = np.where(opened[:, None, None], tables_of(counts)[1], tables)
    return wrong, right, better


@cache
def _level(number: int, kept: int, since: int, control: Any, planned: int | None) -> float:
    return level_of_candidate(number, kept, since, ALPHA, control=control, n_candidates=planned)


def _rates_of_each(cell: Params, gained: Array, wrong: Array, better: Array) -> Array:
    """Return the rates of changes of each trial's baseline."""
    fixed = cell["disagreement"], cell["metric"], -cell["margin"], typical_error(cell)
    every, place = np.unique(np.stack([gained, wrong, better]), axis=1, return_inverse=True)
    found = np.stack([_rates(*fixed, *each) for each in every.T.tolist()])
    return found[place.ravel()]


@cache
def _rates(
    disagreement: float, metric: str, threshold: float, error: float, gained: int, wrong: int,
    better: int,
) -> Array:  # fmt: skip
    """Return rates of changes of a baseline after so many better and other ones were kept."""
    state = BASE
    for k in range(gained + wrong):
        state = changed(
            state, rates_of(state, disagreement, threshold + AWAY * error * (k < gained), metric)
        )
    return rates_of(state, disagreement, threshold + AWAY * error * better, metric)


# -- gains that were kept -----------------------------------------------------------------------


def of_kept(rng: np.random.Generator, cell: Params, gates: Gates, _: int) -> Iterator[Any]:
    """Yield the coverage of corrected intervals, by level and true gain."""
    for number in (1, 20) if cell["metric"] == "f1_macro" else MANY:
        level = ALPHA * share_of(number)
        detectable = (0.842 - float(ndtri(level))) * typical_error(cell)
        for times in (0.0, 0.5, 1.0, 2.0, 3.0):
            gain = times * detectable
            likely = float(ndtr(gain / typical_error(cell) + ndtri(level)))
            if gain > 0.9 * cell["disagreement"] or likely < _LEAST_LIKELY[cell["metric"]]:
                continue
            if cell["metric"] == "accuracy":
                chance, estimates = _kept_in_accuracy(cell["disagreement"], gates, level, gain)
            else:
                chance, estimates = _kept_by_chance(rng, cell, gates, level, gain, likely)
            told, middle, low, high, weight = np.array(estimates).T
            weight = weight / weight.sum()
            yield {
                "plan": f"candidate {number}", "gain": gain, "times": times, "power": chance,
                "trials": len(estimates) if cell["metric"] == "f1_macro" else np.nan,
                "coverage": weight @ ((low <= gain) & (gain <= high)),
                "told": weight @ told, "corrected": weight @ middle,
            }  # fmt: skip


def corrected(found: Any, level: float, threshold: float) -> tuple[float, ...]:
    """Return a gain that was kept and the corrected one with its interval, as `keep_report`."""
    first = {"gain": found.gain, "ci_low": found.bounds(level)[0], "margin": -threshold,
             "alpha": level, "kind": "non-inferior" if threshold else "superior"}  # fmt: skip
    model = {"name": ""}
    row = _row({"found": [first], "answer": "shown", "level": level, "number": 1, "when": "",
                "candidate": model, "baseline": model})  # fmt: skip
    return tuple(row[name] for name in ("gain", "corrected", "ci_low", "ci_high"))


def _kept_in_accuracy(
    disagreement: float, gates: Gates, level: float, gain: float
) -> tuple[float, list[tuple[float, ...]]]:
    """Return the chance of being kept, and corrected gains of all counts that are likely then."""
    differ = stats.binom(N_SAMPLES, disagreement)
    counts, chances = [], []
    for m in range(int(differ.ppf(1e-5)), int(differ.ppf(1 - 1e-5)) + 1):
        net = np.arange(-m, m + 1, 2)
        both = differ.pmf(m) * stats.binom(m, (1 + gain / disagreement) / 2).pmf((m + net) / 2)
        likely = [
            k for k in np.flatnonzero((net > 0) & (both > 1e-13)).tolist()
            if gates.is_open(N_SAMPLES, m, int(net[k]), level)
        ]  # fmt: skip
        counts += [(m, int(net[k])) for k in likely]
        chances += both[likely].tolist()
    total = sum(chances)
    return total, [
        (*corrected(gain_in_accuracy(N_SAMPLES, *each), level, gates.threshold), chance)
        for each, chance in zip(counts, chances, strict=True) if chance > 1e-4 * total
    ]  # fmt: skip


def _kept_by_chance(
    rng: np.random.Generator,
    cell: Params,
    gates: Gates,
    level: float,
    gain: float,
    likely: float,
) -> tuple[float, list[tuple[float, ...]]]:
    """Draw candidates until enough are kept, and return their share and their corrected gains."""
    shares = _shares(rates_of(BASE, cell["disagreement"], gain, cell["metric"]))
    estimates: list[tuple[float, ...]] = []
    n_asked = 0
    while len(estimates) < _FEWEST_KEPT:
        n = min(_BATCH, math.ceil(_FEWEST_KEPT / likely))
        counts = rng.multinomial(N_SAMPLES, shares, n).reshape(n, 2, 2, 2)
        opened = counts[gates.opens(counts, np.full(n, level))]
        n_asked += n
        estimates += [
            (*corrected(gain_of(tuple(x.ravel().tolist()), cell["metric"]), level,
                        gates.threshold), 1.0)
            for x in opened
        ]  # fmt: skip
    return len(estimates) / n_asked, estimates


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the extremes of each study, metric and plan."""
    found, table = [], table.reindex(columns=[*table, *{*NUMBERS} - {*table}])
    for (study, metric, plan), part in table.groupby(["study", "metric", "plan"], sort=False):
        found.append({
            "study": study, "metric": metric, "plan": plan, "rows": len(part),
            "largest error": part["error"].max(),
            "least power": part["power"].min() if study != "kept" else np.nan,
            "lowest coverage": part["coverage"].min(),
        })  # fmt: skip
    return pd.DataFrame(found)


if __name__ == "__main__":
    simulate(__doc__, cells(), simulated, verdict, RESULTS, resumes=("keep", "keep_judged"))
