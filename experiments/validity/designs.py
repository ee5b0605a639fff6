"""Two designs together: coverage, size, and gates at their margin.

Usage: python -m experiments.validity.designs [--trials 800] [--only REGEX] [--jobs 1]

Hard labels of two classes by two models, whose answers are right where a normal number is above 0:
the sum of a model's quality, the difficulty of the sample and noise. Designs add their part: of the
stratum, whose numbers of samples are fixed; of the cluster of 2, 5 or 8 samples, within strata; of
a model's run, of which there are five; of an autoregressive series (0.7); a weight that is larger
where samples are easier; a judge that is wrong more often where they are difficult, beside labels
by people on a quarter, more of them in some strata; three test sets that are not equally difficult.
Pairs of models are equal, with one of them better on other samples, or one is worse.

Coverage at 0.95 of a score and of the difference, their mean widths, of equal models the share of
p-values below 0.05, and of others how often a gate opens whose margin is the true difference, are
written to ``results/designs.csv``. Trials without a warning of few samples decide; cells that fall
short are simulated again in five times as many.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

import modelcompare as mc
from experiments.validity.by_cell import simulate

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "designs.csv"
WANTED, LARGEST, LEVEL = 0.935, 0.06, 0.95
DESIGNS = ("strata", "clusters", "weights", "runs", "judge", "time", "sets")
METRICS = ("accuracy", "f1_macro", "precision[1]")
N_SETS, N_RUNS, N_RESAMPLES = 3, 5, 199
# Samples, and runs, of the population whose values are the true ones.
N_WHOLE, N_RUNS_WHOLE = 200_000, 20
SIZES = np.array([2, 5, 8])
STRATA, SHARES = np.array([-0.6, 0.0, 0.6]), np.array([0.5, 0.3, 0.2])
LABELLED = np.array([0.15, 0.3, 0.45])
QUALITY = {"equal": (0.8, 0.8), "worse": (0.9, 0.65)}
# Standard deviations of clusters, the series and runs, the sets' range, the autocorrelation.
OF_CLUSTER, OF_TIME, OF_RUN, OF_SET, CARRIED = 0.6, 0.6, 0.1, 0.3, 0.7


def cells() -> list[Params]:
    """Return each two designs that are answered together, of few and of many samples."""
    return [
        {"designs": "+".join(both), "items": items, "models": models}
        for both in combinations(DESIGNS, 2)
        if _is_answered(both)
        for items in ((100,) if "sets" in both else (100, 400))
        for models in QUALITY
    ]


def _is_answered(both: Sequence[str]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            _asked(test_set(np.random.default_rng(0), both, 100, "equal"))
        except (ValueError, TypeError):
            return False
    return True


# -- the population -------------------------------------------------------------------------------


def draw(
    rng: np.random.Generator, designs: Collection[str], n: int, models: str, *,
    whole: bool = False, shift: float = 0.0,
) -> dict[str, Array]:  # fmt: skip
    """Draw the truth, answers (2, n_items, n_runs), and the columns of the designs.

    Runs of the `whole` population are evenly spread.
    """
    counts = np.round(SHARES * n).astype(int)
    stratum = np.repeat(np.arange(3), counts)
    cluster = np.arange(len(stratum))
    if "clusters" in designs:
        # Numbers of clusters are those of samples over their mean size.
        stratum = np.repeat(np.arange(3), counts // SIZES.mean().astype(int))
        sizes = rng.choice(SIZES, len(stratum))
        cluster = np.repeat(np.arange(len(stratum)), sizes)
        stratum = stratum[cluster]
    n = len(stratum)
    if "time" in designs and "clusters" not in designs:
        stratum = rng.permutation(stratum)
    if "strata" not in designs:
        stratum = rng.choice(3, cluster.max() + 1, p=SHARES)[cluster]
    easy = STRATA[stratum] + shift + 0.3 * rng.standard_normal(n)
    if "clusters" in designs:
        easy += OF_CLUSTER * rng.standard_normal(cluster.max() + 1)[cluster]
    if "time" in designs:
        easy += OF_TIME * _series(rng, n)
    truth = (rng.random(n) < 0.4).astype(int)
    n_runs = (N_RUNS_WHOLE if whole else N_RUNS) if "runs" in designs else 1
    spread = stats.norm.ppf((np.arange(n_runs) + 0.5) / n_runs)
    answers = []
    for quality in QUALITY[models]:
        own = 0.5 * rng.standard_normal((n, 1)) + rng.standard_normal((n, n_runs))
        if "runs" in designs:
            own += OF_RUN * (spread if whole else rng.standard_normal(n_runs))
        right = quality + easy[:, None] + own > 0
        answers.append(np.where(right, truth[:, None], 1 - truth[:, None]))
    verdict = np.where(1.5 + easy + rng.standard_normal(n) > 0, truth, 1 - truth)
    share = LABELLED[stratum] if "strata" in designs else np.full(n, 0.25)
    labelled = np.zeros(n, dtype=bool)
    for each in np.unique(share):
        here = np.flatnonzero(share == each)
        labelled[rng.permutation(here)[: round(each * len(here))]] = True
    weight = np.exp(0.5 * easy + 0.3 * rng.standard_normal(n))
    return {
        "truth": truth, "answers": np.array(answers), "strata": stratum, "groups": cluster,
        "sample_weight": weight, "judge": verdict, "labelled": labelled,
    }  # fmt: skip


def _series(rng: np.random.Generator, n: int) -> Array:
    """Return an autoregressive series of variance 1."""
    steps, out = rng.standard_normal(n), np.empty(n)
    out[0] = steps[0]
    for place in range(1, n):
        out[place] = CARRIED * out[place - 1] + np.sqrt(1 - CARRIED**2) * steps[place]
    return out


def _shifts(designs: Collection[str]) -> Iterable[float]:
    return OF_SET * np.linspace(-1, 1, N_SETS) if "sets" in designs else (0.0,)


@cache
def true_values(designs: tuple[str, ...], models: str) -> Array:
    """Return the true values of both models, (2, n_metrics), as means over runs and sets."""
    of_sets = []
    for number, shift in enumerate(_shifts(designs)):
        rng = np.random.default_rng(number)
        world = draw(rng, designs, N_WHOLE, models, whole=True, shift=shift)
        runs = {
            f"{model}{run}": answers
            for model, of_runs in zip("ab", world["answers"], strict=True)
            for run, answers in enumerate(of_runs.T)
        }
        weight = world["sample_weight"] if "weights" in designs else None
        whole = mc.Predictions(world["truth"], runs, sample_weight=weight)
        point = mc.bootstrap(whole, [*METRICS], n_resamples=2).point
        of_sets.append(point.reshape(2, -1, len(METRICS)).mean(axis=1))
    return np.mean(of_sets, axis=0)


def test_set(
    rng: np.random.Generator, designs: Sequence[str], n: int, models: str
) -> mc.Predictions | dict[str, mc.Predictions]:
    """Return a test set of these designs; several by their names."""
    found = {
        f"set {k}": _predictions(draw(rng, designs, n, models, shift=shift), designs)
        for k, shift in enumerate(_shifts(designs))
    }
    return found if "sets" in designs else found["set 0"]


def _predictions(world: dict[str, Array], designs: Collection[str]) -> mc.Predictions:
    n, n_runs = world["answers"].shape[1:]
    item, run = np.repeat(np.arange(n), n_runs), np.tile(np.arange(n_runs), n)
    columns = {"strata": "strata", "clusters": "groups", "weights": "sample_weight"}
    given: dict[str, Any] = {
        column: world[column][item] for name, column in columns.items() if name in designs
    }
    truth: Array = world["truth"][item].astype(float)
    if "judge" in designs:
        given["judge"] = world["judge"][item]
        truth = np.where(world["labelled"][item], truth, np.nan)
    if "runs" in designs:
        # Seeds are a model's own.
        given |= {"ids": item, "runs": {m: np.char.add(m, run.astype(str)) for m in "ab"}}
    outputs = {m: a.ravel() for m, a in zip("ab", world["answers"], strict=True)}
    found = mc.Predictions(truth, outputs, labels=[0, 1], **given)
    return mc.io.in_time_blocks(found, item) if "time" in designs else found


# -- trials ---------------------------------------------------------------------------------------


def _asked(found: mc.Predictions | dict[str, mc.Predictions]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return scores of the first model, and differences, a row for each metric."""
    if isinstance(found, dict):
        result = mc.compare_groups(found, [*METRICS], n_resamples=N_RESAMPLES)
        scores, differences = result.pooled_scores, result.pooled_differences
    else:
        compared = mc.compare(found, [*METRICS], n_resamples=N_RESAMPLES)
        scores, differences = compared.scores, compared.differences
    return scores[scores["model"] == "a"], differences


def one_trial(cell: Params, seed: int, true: Array) -> pd.DataFrame:
    """Return coverage, widths, p-values and the gates of one test set, a row for each metric."""
    designs = cell["designs"].split("+")
    found = test_set(np.random.default_rng(seed), designs, cell["items"], cell["models"])
    gap, equal = true[0] - true[1], cell["models"] == "equal"
    rules = [f"{metric}:-{margin:.12f}" for metric, margin in zip(METRICS, gap, strict=True)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores, differences = _asked(found)
        few = any(each.category is mc.SparseDataWarning for each in caught)
        opens = np.full(len(METRICS), np.nan) if equal else _opened(found, rules)
    rows: dict[str, Any] = {"metric": METRICS, "few": few, "opens": opens}
    for what, frame, value in (("score", scores, true[0]), ("difference", differences, gap)):
        low, high = (frame[end].to_numpy() for end in ("ci_low", "ci_high"))
        rows[f"covered, {what}"] = (low <= value + 1e-12) & (value <= high + 1e-12)
        rows[f"width, {what}"] = high - low
    rows["p below 0.05"] = differences["p_value"].to_numpy() < 0.05 if equal else np.nan
    return pd.DataFrame(rows)


def _opened(found: mc.Predictions | dict[str, mc.Predictions], rules: list[str]) -> Array:
    """Return whether each gate at the true difference opens."""
    if isinstance(found, dict):
        rules = ["mean({}):{}".format(*rule.rsplit(":", 1)) for rule in rules]
    try:
        gate = mc.gate(found, "a", "b", rules, n_resamples=N_RESAMPLES)
    except ValueError:  # not answered, while `compare_groups` answers
        return np.full(len(rules), np.nan)
    return np.array([answer == "shown" for answer in gate.answers], dtype=float)


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return the shares of a cell's trials, of all and of those without a warning."""
    true = true_values(tuple(cell["designs"].split("+")), cell["models"])
    seed = zlib.crc32(str(cell).encode())
    every = pd.concat([one_trial(cell, seed + trial, true) for trial in range(n_trials)])
    every = every.astype({"opens": float, "p below 0.05": float})
    rows = every.groupby("metric", sort=False).mean()
    rows = rows.rename(columns={"few": "warned"}).assign(trials=n_trials)
    enough = every[~every["few"]].groupby("metric")
    for name in ("covered, score", "covered, difference", "p below 0.05", "opens"):
        rows[f"{name}, not warned"] = enough[name].mean()
    rows["not warned"] = enough["few"].count()
    rows["not warned"] = rows["not warned"].fillna(0)
    return pd.DataFrame([cell] * len(rows)).join(rows.reset_index())


def short(rows: pd.DataFrame) -> pd.Series:
    """Return which rows fall short where at least a quarter of the trials had no warning."""
    sound = rows["not warned"] >= rows["trials"] / 4
    low = rows[["covered, score, not warned", "covered, difference, not warned"]].min(axis=1)
    high = rows[["p below 0.05, not warned", "opens, not warned"]].max(axis=1)
    return sound & ((low < WANTED) | (high > LARGEST))


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the extremes of each two designs."""
    rows = {}
    for designs, part in table.groupby("designs", sort=False):
        sound = part[part["not warned"] >= part["trials"] / 4]
        rows[designs] = {
            "rows": str(len(part)), "sound": str(len(sound)), "short": str(short(part).sum()),
            "lowest, score": sound["covered, score, not warned"].min(),
            "lowest, difference": sound["covered, difference, not warned"].min(),
            "largest p": sound["p below 0.05, not warned"].max(),
            "largest gate": sound["opens, not warned"].max(),
            "warned": part["warned"].mean(),
        }  # fmt: skip
    return pd.DataFrame.from_dict(rows, orient="index")


if __name__ == "__main__":
    simulate(__doc__, cells(), simulated, verdict, RESULTS, short=short, resumes=("designs",))
