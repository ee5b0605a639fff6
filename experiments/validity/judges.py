"""Labels by people beside a judge: coverage, size, and gates at their margin.

Usage: python -m experiments.validity.judges [--trials 800] [--only REGEX] [--jobs 1]

Test sets of 2,000 samples of which people labelled 20 to 300, drawn at random; a judge is right on
0.5, 0.8 or 0.98 of them. Worlds are classes and their shares with hard answers ("even", "rare 0.2",
"rare 0.05", "three", "ten"), probabilities ("soft"), scores of 0 and 1 with a judge of each answer
("scores"), and scores with a judge of numbers ("numbers"). Pairs of models are equal, one is worse,
or the judge favours the worse one: it copies a fifth of its answers.

Coverage at 0.95 of a score and of the difference, their mean widths, also relative to those of the
labels alone, of equal models the share of p-values below 0.05, and of others how often a gate opens
whose margin is the true difference, are written to ``results/judges.csv``. Trials without a warning
of few labels decide.
"""

from __future__ import annotations

import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

import modelcompare as mc
from experiments.validity.by_cell import simulate
from modelcompare.data.checks import DataWarning

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "judges.csv"
WANTED, LARGEST = 0.935, 0.06
N_SAMPLES, N_WHOLE = 2_000, 400_000
# Trials whose labels alone are compared as well.
BESIDE = 40
# Shares of the classes, and the metrics.
WORLDS: dict[str, tuple[tuple[float, ...], tuple[str, ...]]] = {
    "even": ((0.5, 0.5), ("accuracy", "cohen_kappa")),
    "rare 0.2": ((0.8, 0.2), ("f1[1]", "recall[1]")),
    "rare 0.05": ((0.95, 0.05), ("f1[1]",)),
    "three": ((0.5, 0.3, 0.2), ("accuracy", "f1_macro", "cohen_kappa")),
    "ten": ((0.1,) * 10, ("accuracy", "f1_macro")),
    "soft": ((0.6, 0.4), ("roc_auc", "brier_score", "cf1_macro")),
    "scores": ((), ("mean_score",)),
    "numbers": ((), ("mean_score",)),
}
# Share of samples on which both models answer by the same draw, and that a judge copies.
TOGETHER, COPIED = 0.7, 0.2


def cells() -> list[Params]:
    """Return all worlds, numbers of labels, judges, qualities and pairs of models."""
    return [
        {"world": world, "labels": labels, "judge": judge, "right": right, "pair": pair}
        for world in WORLDS
        for labels in (20, 50, 100, 300)
        for judge in (0.5, 0.8, 0.98)
        for right, pair in ((0.8, "worse"), (0.95, "equal"), (0.8, "favoured"))
    ]


def draw(rng: np.random.Generator, cell: Params, n: int) -> tuple[Array, Any, Any, Any]:
    """Draw the truth, the outputs of two models, and a judge's verdicts.

    Truth and outputs of scores are the same: what people say of each model's answer.
    """
    second = cell["right"] - (0.0 if cell["pair"] == "equal" else 0.05)
    shares = WORLDS[cell["world"]][0] or (0.5, 0.5)
    truth = rng.choice(len(shares), n, p=shares)
    same = rng.random(n) < TOGETHER
    common, own = rng.random(n), rng.random((2, n))
    levels = np.where(same, common, own)
    step, judged = rng.integers(1, len(shares), (3, n)), rng.random(n) < cell["judge"]
    answers = [
        np.where(
            level < quality, truth, (truth + np.where(same, step[0], step[k + 1])) % len(shares)
        )
        for k, (level, quality) in enumerate(zip(levels, (cell["right"], second), strict=True))
    ]
    wrong = (truth + rng.integers(1, len(shares), n)) % len(shares)
    verdict = np.where(judged, truth, wrong)
    copied = (rng.random(n) < COPIED) & (cell["pair"] == "favoured")
    if cell["world"] in ("scores", "numbers"):
        people = [(answer == truth).astype(float) for answer in answers]
        said = [np.where(judged, x, 1 - x) for x in people]
        said[1] = np.where(copied, 1.0, said[1])
        if cell["world"] == "numbers":
            noise = rng.standard_normal((4, n))
            people = [x + 0.5 * noise[k] for k, x in enumerate(people)]
            said = [x + 0.5 * noise[2 + k] for k, x in enumerate(said)]
        return truth, people, people, said
    verdict = np.where(copied, answers[1], verdict)
    if cell["world"] != "soft":
        return truth, answers, answers, verdict
    sure = special.expit(1.5 * (2 * np.array(answers) - 1) + rng.standard_normal((2, n)))
    return truth, [np.stack([1 - p, p], axis=1) for p in sure], answers, verdict


def whole(cell: Params) -> mc.Predictions:
    """Return a large test set with all labels, whose values are the true ones."""
    truth, outputs, _, _ = draw(np.random.default_rng(1), cell, N_WHOLE)
    models = dict(zip("ab", outputs, strict=True))
    if cell["world"] in ("scores", "numbers"):
        return mc.Predictions.from_scores(models, greater_is_better=True)
    return mc.Predictions(truth, models)


def true_values(cell: Params) -> Array:
    """Return the true values, of shape (2, n_metrics)."""
    every = mc.bootstrap(whole(cell), list(WORLDS[cell["world"]][1]), n_resamples=2)
    return np.asarray(every.point)


def labelled(rng: np.random.Generator, cell: Params) -> mc.Predictions:
    """Return a test set with labels by people on some samples."""
    truth, outputs, _, verdict = draw(rng, cell, N_SAMPLES)
    seen = np.zeros(N_SAMPLES, dtype=bool)
    seen[rng.permutation(N_SAMPLES)[: cell["labels"]]] = True
    if cell["world"] in ("scores", "numbers"):
        scores = {m: np.where(seen, x, np.nan) for m, x in zip("ab", outputs, strict=True)}
        judge = dict(zip("ab", verdict, strict=True))
        return mc.Predictions.from_scores(scores, judge=judge, greater_is_better=True)
    models = dict(zip("ab", outputs, strict=True))
    return mc.Predictions(
        np.where(seen, truth, np.nan), models, judge=verdict,
        labels=range(len(WORLDS[cell["world"]][0])),
    )  # fmt: skip


def one_trial(cell: Params, seed: int, true: Array, *, beside: bool) -> pd.DataFrame:
    """Return coverage, widths, p-values and the gates of one test set, a row for each metric.

    With `beside`, also the widths of the labels alone.
    """
    preds, names = labelled(np.random.default_rng(seed), cell), list(WORLDS[cell["world"]][1])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = mc.compare(preds, names)
        kinds = {each.category for each in caught}
        alone = mc.compare(preds.access.labelled, names, test="wald") if beside else None
        # The bounds of `decide`, whose level is one-sided.
        pair = np.array([0]), np.array([1])
        gate = result.evidence.bootstrap.difference_interval(*pair, "auto", 0.9)
    gap, sign = true[0] - true[1], np.array([-1 if n == "brier_score" else 1 for n in names])
    worse = sign * gap > 1e-3
    opens = np.where(sign > 0, gate.high[0] < gap, gate.low[0] > gap)
    found: dict[str, Any] = {
        "metric": names, "few": mc.SparseDataWarning in kinds,
        "not drawn": DataWarning in kinds, "opens": np.where(worse, opens, np.nan),
    }  # fmt: skip
    frames = {
        "score": (result.scores[: len(names)], alone and alone.scores[: len(names)], true[0]),
        "difference": (result.differences, alone and alone.differences, gap),
    }
    for what, (frame, other, value) in frames.items():
        low, high = (frame[end].to_numpy() for end in ("ci_low", "ci_high"))
        found[f"covered, {what}"] = (low <= value + 1e-12) & (value <= high + 1e-12)
        found[f"width, {what}"] = high - low
        wide = np.nan if other is None else (other["ci_high"] - other["ci_low"]).to_numpy()
        found[f"relative width, {what}"] = (high - low) / wide
    equal = cell["pair"] == "equal"
    found["p below 0.05"] = result.differences["p_value"].to_numpy() < 0.05 if equal else np.nan
    return pd.DataFrame(found)


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return the shares of a cell's trials, of all and of those without a warning."""
    seed, true = zlib.crc32(str(cell).encode()), true_values(cell)
    every = pd.concat(
        [one_trial(cell, seed + trial, true, beside=trial < BESIDE) for trial in range(n_trials)],
        ignore_index=True,
    )
    every = every.astype({"opens": float, "p below 0.05": float})
    enough = every[~every["few"]]
    rows = every.groupby("metric", sort=False).mean()
    rows = rows.rename(columns={"few": "warned"}).assign(trials=n_trials)
    for name in ("covered, score", "covered, difference", "p below 0.05", "opens"):
        rows[f"{name}, not warned"] = enough.groupby("metric")[name].mean()
    rows["not warned"] = enough.groupby("metric")["few"].count()
    return pd.DataFrame([cell] * len(rows)).join(rows.reset_index())


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the extremes of cells with at least 200 trials without a warning, and of all."""
    found = []
    for world, part in table.groupby("world", sort=False):
        sound = part[part["not warned"] >= 200]
        found.append({
            "world": world, "rows": len(part),
            "sound": len(sound),
            "lowest, score": sound["covered, score, not warned"].min(),
            "lowest, difference": sound["covered, difference, not warned"].min(),
            "largest p": sound["p below 0.05, not warned"].max(),
            "largest gate": sound["opens, not warned"].max(),
            "of all: score": part["covered, score"].min(),
            "difference": part["covered, difference"].min(),
            "gate": part["opens"].max(),
            "relative width": part["relative width, difference"].median(),
        })  # fmt: skip
    return pd.DataFrame(found)


if __name__ == "__main__":
    simulate(__doc__, cells(), simulated, verdict, RESULTS)
