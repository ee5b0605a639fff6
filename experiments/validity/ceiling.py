"""Near the ceiling: intervals and gates of every metric where one to five errors are expected.

Usage: python -m experiments.validity.ceiling [--trials 800] [--only REGEX] [--metrics REGEX]
    [--jobs 1]

Models that err in 1, 2 or 5 of 40, 100 or 200 samples on average; 2, 3 or 10 classes, of equal
shares or with rare ones; probabilities that follow their labels, or for metrics of order two levels
of them as well. "one test": how often the default interval of a value, of that of a model with
three times the errors, of the difference of two equal models and of that from the worse one holds
the true one, and how often a gate opens at a margin that equals the latter (0.05). "corrected": how
often the intervals of 3, 8 or 20 models at Bonferroni's level hold together ("value"), that of the
lowest of them does ("worse"), and those of the differences from the first do ("equal").

A row that covers less than 0.935, or errs in more than 0.06, is simulated again in 4,000 trials,
where it passes at 0.93. Trials without a warning about the metric ("warned") are judged by
themselves ("silent", the lowest of the coverages). Where all trials together cover 0.945 at least,
at most a tenth may have a warning. Notes, that few samples determine a value or that a class in an
average is hardly predicted, are none. The true value of an average is the mean over the classes
that occur in the test set. The table goes on where the same code has stopped.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import modelcompare as mc
from experiments.validity.by_cell import AGAIN, simulate
from experiments.validity.catalogue import cell_id
from experiments.validity.two_models import LARGEST, LEVEL, WANTED, gate_ends, holds, values
from modelcompare.comparison.warned import warn_of_sparse_data

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "ceiling.csv"
# Samples whose values are taken for the true ones, and times as many errors of the third model.
MANY, WORSE = 200_000, 3
ACROSS = ("accuracy", "cohen_kappa", "matthews_corrcoef", "log_loss", "brier_score", "caccuracy")
AVERAGES = {
    "balanced_accuracy": "recall", "f1_macro": "f1", "f1_weighted": "f1",
    "precision_macro": "precision", "precision_weighted": "precision",
    "jaccard_macro": "jaccard", "cf1_macro": "cf1",
}  # fmt: skip
OF_CLASS = ("f1", "precision", "recall", "specificity")
ORDER = ("roc_auc", "average_precision")
ORDER_OF_MANY = {"roc_auc_ovr": "roc_auc", "average_precision_macro": "average_precision"}
OF_MANY = ("accuracy", "f1_macro", "cohen_kappa", "brier_score")
LOW_IS_GOOD, TWO_LEVELS = ("log_loss", "brier_score"), ", two levels"
# Trials whose test set has the same true classes, so that they are computed at once.
AT_ONCE = 20
COVERAGES, PASSED = ["value", "worse", "equal", "gap"], 0.93
# Of the trials: the least that are judged by themselves, and the most that may have a warning.
FEWEST, MOST, WELL = 0.1, 0.1, 0.945
NOISE = 2.5


def cells() -> list[Params]:
    """Return all errors, sizes, classes and shares; and numbers of models."""
    few = [(n, errors) for n in (40, 100, 200) for errors in (1, 2, 5)]
    one = [
        {"level": "one test", "n": n, "errors": errors, "classes": k, "shares": shares, "models": 3}
        for k in (2, 3, 10) for shares in ("even", "rare") for n, errors in few
    ]  # fmt: skip
    corrected = [
        {"level": "corrected", "n": n, "errors": errors, "classes": 2 if n == 100 else 3,
         "shares": "even", "models": models}
        for models in (3, 8, 20) for n, errors in few if n > 40
    ]  # fmt: skip
    return one + corrected


def metrics_of(cell: Params) -> list[str]:
    """Return the metrics of a cell, those of two levels of probabilities last."""
    order = ORDER if cell["classes"] == 2 else tuple(ORDER_OF_MANY)
    if cell["level"] == "corrected":
        return [*OF_MANY, *order[:1]]
    two = [f"{name}{TWO_LEVELS}" for name in ORDER if cell["classes"] == 2]
    return [*ACROSS, *AVERAGES, *OF_CLASS, *order, *two]


def shares_of(cell: Params) -> Array:
    """Return the share of each class: the last one, or all but the first of ten, may be rare."""
    k = cell["classes"]
    if cell["shares"] == "even":
        return np.full(k, 1 / k)
    rest = {2: [0.1], 3: [0.3, 0.1], 10: [0.05] * 9}[k]
    return np.array([1 - sum(rest), *rest])


# -- test sets ------------------------


def draw(rng: np.random.Generator, cell: Params, n: int, trials: int) -> tuple[Array, Array]:
    """Draw true classes (n,) and those that models name on each of some test sets of them.

    Two equal models and a worse one share half of the first one's errors; models at a corrected
    level are equal, with separate errors. Of shape (trials, models, n).
    """
    k, rate = cell["classes"], cell["errors"] / cell["n"]
    truth, shape = rng.choice(k, n, p=shares_of(cell)), (trials, cell["models"], n)
    wrong = rng.random(shape) < rate
    if cell["level"] == "one test":
        rates = np.array([rate, rate, WORSE * rate])[:, None]
        common = rng.random((trials, 1, n)) < rate / 2
        wrong = common | (rng.random(shape) < (rates - rate / 2) / (1 - rate / 2))
    return truth, (truth + wrong * rng.integers(1, k, shape)) % k


def graded(rng: np.random.Generator, named: Array, truth: Array, k: int) -> Array:
    """Return probabilities of which those of the named classes are the largest; errors' less so."""
    wrong = named != truth
    return _spread(named, 0.1 + np.abs(rng.normal(np.where(wrong, 0.7, 2.5), 1 - 0.3 * wrong)), k)


def _spread(named: Array, log_odds: Array, k: int) -> Array:
    """Return probabilities of named classes over the others', which are equal."""
    top = 1 / (1 + (k - 1) * np.exp(-log_odds))
    out = np.repeat(((1 - top) / (k - 1))[..., None], k, axis=-1)
    np.put_along_axis(out, named[..., None], top[..., None], axis=-1)
    return out


def predictions(truth: Array, probabilities: Array) -> mc.Predictions:
    """Return predictions of all models of all trials, (..., n, k)."""
    n, k = probabilities.shape[-2:]
    models = dict(zip(map(str, range(10**6)), probabilities.reshape(-1, n, k), strict=False))
    return mc.Predictions(truth, models, kind="probabilities", labels=[*range(k)])


# -- the truth ------------------------


def population(cell: Params) -> tuple[Array, Array, Array]:
    """Return true classes, named classes of the better and of the worse model, and each one's.

    Every class has its share of errors, evenly over the other classes, up to rounding: values of
    hard labels are then those of the population.
    """
    k, rate = cell["classes"], cell["errors"] / cell["n"]
    sizes = np.round(MANY * shares_of(cell)).astype(int)
    truth = np.repeat(np.arange(k), sizes)
    place = np.concatenate([(np.arange(size) + 0.5) / size for size in sizes])
    rates = np.array([rate, WORSE * rate])[:, None]
    other = 1 + np.floor(place / rates * (k - 1)).astype(int)
    named = (truth + np.where(place < rates, other, 0)) % k
    of_model = np.zeros(cell["models"], dtype=int)
    of_model[2:] = cell["level"] == "one test"
    return truth, named, of_model


def true_values(rng: np.random.Generator, cell: Params, metrics: Sequence[str]) -> dict[str, Array]:
    """Return the models' values, (n_models,) or of each class (n_models, n_classes)."""
    (truth, named, of_model), k, found = population(cell), cell["classes"], {}
    outputs = graded(rng, named, truth, k)
    classes = {AVERAGES.get(name, name) for name in metrics if name in (*AVERAGES, *OF_CLASS)}
    asked = [*({*metrics} & {*ACROSS}), *sorted(classes)]
    if asked:
        of_all = values(predictions(truth, outputs), asked)
    for name in asked:
        point = of_all.point[:, of_all.evaluation.metric_slice(name)]
        found[name] = point if name in classes else point[:, 0]
    for name in metrics:
        plain, *levels = name.split(TWO_LEVELS)
        kind = ORDER_OF_MANY.get(plain, plain)
        if kind not in ORDER:
            continue
        scores = _spread(named, np.full(named.shape, 2.0), k) if levels else outputs
        of = [1] if kind == plain else range(k)
        value = np.array([[_order(kind, truth == c, one[:, c]) for c in of] for one in scores])
        found[name] = value[:, 0] if kind == plain else value
    return {name: value[of_model] for name, value in found.items()}


def _order(kind: str, positive: Array, score: Array) -> float:
    return float(getattr(mc.metrics, kind)(positive.astype(int), score))


def of_trial(name: str, truth: Mapping[str, Array], present: Array, cell: Params) -> Array:
    """Return the true values of a metric on a test set with some of the classes."""
    if name in OF_CLASS:
        return truth[name][:, -1] if present[-1] else np.full(cell["models"], np.nan)
    if name not in AVERAGES and name not in ORDER_OF_MANY:
        return truth[name]
    weight = present * (shares_of(cell) if name.endswith("weighted") else 1.0)
    return truth[AVERAGES.get(name, name)] @ weight / weight.sum()


# -- trials ------------------------


def warned(found: Any, n_trials: int) -> Array:
    """Return which values of each trial have a warning, (n_trials, n_values)."""
    evaluation = found.evaluation
    out = np.zeros((n_trials, len(evaluation.keys)), dtype=bool)
    unbounded = [m.name for m in evaluation.metrics if not np.isfinite(m.bounds).all()]
    models, many = found.models, len(found.models) // n_trials
    for name in unbounded:
        where = evaluation.metric_slice(name)
        for trial in range(n_trials):
            own = evaluation.predictions[[*models[trial * many : (trial + 1) * many]]]
            pairs = np.zeros(many - 1, dtype=int), np.arange(1, many)
            out[trial, where] = bool(warn_of_sparse_data(values(own, [name]), pairs=pairs))
    return out


def trials(
    rng: np.random.Generator, cell: Params, truth: Mapping[str, Array], metrics: Sequence[str],
    n_trials: int,
) -> dict[str, pd.DataFrame]:  # fmt: skip
    """Return the marks of some test sets, by metric."""
    codes, named = draw(rng, cell, cell["n"], n_trials)
    present = np.bincount(codes, minlength=cell["classes"]) > 0
    outputs = {"": graded(rng, named, codes, cell["classes"])}
    if any(name.endswith(TWO_LEVELS) for name in metrics):
        outputs[TWO_LEVELS] = _spread(named, np.full(named.shape, 2.0), cell["classes"])
    out = {}
    for what, probabilities in outputs.items():
        asked = [name for name in metrics if name.endswith(TWO_LEVELS) == bool(what)]
        true = {name: of_trial(name, truth, present, cell) for name in asked}
        plain = {name.removesuffix(what): value for name, value in true.items()}
        found = judged(values(predictions(codes, probabilities), [*plain]), cell, plain)
        out |= {f"{name}{what}": marks for name, marks in found.items()}
    return out


def judged(found: Any, cell: Params, truth: Mapping[str, Array]) -> dict[str, pd.DataFrame]:
    """Return the marks of each metric, with a row for each trial."""
    many, corrected = cell["models"], cell["level"] == "corrected"
    n_trials = len(found.models) // many
    level = 1 - (1 - LEVEL) / many if corrected else LEVEL
    first = np.repeat(np.arange(n_trials) * many, many - 1)
    pairs = first, first + np.tile(np.arange(1, many), n_trials)
    score = found.score_interval("auto", level)
    apart = found.difference_interval(*pairs, "auto", level)
    gate = () if corrected else gate_ends(found, pairs)
    doubted, out = warned(found, n_trials), {}
    for name, true in truth.items():
        place, gaps, low_is_good = (
            found.evaluation.metric_slice(name).stop - 1, true[0] - true[1:], name in LOW_IS_GOOD,
        )  # fmt: skip
        low, high, *ends = (
            end[:, place].reshape(n_trials, -1)
            for each in (score, apart) for end in (each.low, each.high)
        )  # fmt: skip
        held, together = holds(low, high, true), holds(*ends, gaps)
        if corrected:
            pick = np.max if low_is_good else np.min
            worst = holds(pick(low, axis=1), pick(high, axis=1), pick(true))
            marks = {"value": held.min(axis=1), "worse": worst, "equal": together.min(axis=1)}
        else:
            at_low, at_high = (end[:, place].reshape(n_trials, -1) for end in gate)
            opens = at_low > gaps if low_is_good else at_high < gaps
            marks = {
                "value": held[:, 0], "worse": held[:, 2], "equal": together[:, 0],
                "gap": together[:, 1], "gate": np.where(np.isnan(together), np.nan, opens)[:, 1],
            }  # fmt: skip
        marks |= {"width": (high - low)[:, 0], "warned": doubted[:, place]}
        out[name] = pd.DataFrame(marks, dtype=float)
    return out


def simulated(cell: Params, n_trials: int, metrics: Sequence[str] = ()) -> pd.DataFrame:
    """Return a row for each metric; those that fall short are of five times as many trials."""
    table = _simulated(cell, n_trials, [*metrics] or metrics_of(cell))
    names, again = table["metric"], table["metric"][doubtful(table)]
    if again.empty:
        return table
    more = _simulated(cell, AGAIN * n_trials, [*again])
    every = pd.concat([table[~names.isin(again)], more]).set_index("metric", drop=False)
    return every.loc[names].reset_index(drop=True)


def _simulated(cell: Params, n_trials: int, asked: Sequence[str]) -> pd.DataFrame:
    """Return a row for each metric."""
    rng = np.random.default_rng(zlib.crc32(cell_id({"kind": "ceiling", **cell}).encode()))
    at_once = max(1, AT_ONCE * 3 // cell["models"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        truth = true_values(rng, cell, asked)
        batches = [
            trials(rng, cell, truth, asked, min(at_once, n_trials - done))
            for done in range(0, n_trials, at_once)
        ]
    return pd.DataFrame([
        row_of(cell, name, pd.concat([each[name] for each in batches])) for name in asked
    ])  # fmt: skip


def row_of(cell: Params, name: str, marks: pd.DataFrame) -> Params:
    """Return the means of the marks of all trials, and of those without a warning."""
    marks = marks.reindex(columns=[*COVERAGES, "gate", "width", "warned"])
    alone = marks[marks["warned"] == 0]
    alone = alone if len(alone) >= FEWEST * len(marks) else alone.iloc[:0]
    silent = {"silent": alone[COVERAGES].mean().min(), "silent gate": alone["gate"].mean()}
    return {**cell, "metric": name, **marks.mean(), **silent, "trials": len(marks)}


# -- the verdict ------------------------


def doubtful(table: pd.DataFrame) -> pd.Series:
    """Return which rows need more trials."""
    covered = table[[*COVERAGES, "silent"]].min(axis=1)
    return (covered < WANTED) | (table[["gate", "silent gate"]].max(axis=1) > LARGEST)


def short(table: pd.DataFrame) -> pd.Series:
    """Return which rows cover less than promised, or err more; of silent trials beyond noise."""
    alone = table["trials"] * (1 - table["warned"]).clip(lower=FEWEST)
    noise = NOISE * (table["warned"] > 0) / np.sqrt(alone)
    covers = (table[COVERAGES].min(axis=1) < PASSED) | (
        table["silent"] < PASSED - noise * np.sqrt(PASSED * (1 - PASSED))
    )
    errs = table["silent gate"] > LARGEST + noise * np.sqrt(LARGEST * (1 - LARGEST))
    return covers | errs | (table["gate"] > LARGEST)


def needless(table: pd.DataFrame) -> pd.Series:
    """Return which rows have a warning in many trials, though all intervals hold."""
    return (table[COVERAGES].min(axis=1) >= WELL) & (table["warned"] > MOST)


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the extremes of each metric."""
    rows, table = [], table.assign(short=short(table), needless=needless(table))
    for (level, metric), part in table.groupby(["level", "metric"], sort=False):
        rows.append({
            "level": level, "metric": metric, "cells": len(part), "short": part["short"].sum(),
            "lowest, values": part[["value", "worse"]].min(axis=None),
            "differences": part[["equal", "gap"]].min(axis=None),
            "silent": part["silent"].min(), "largest, gates": part["gate"].max(),
            "warned": part["warned"].mean(), "needless": part["needless"].sum(),
        })  # fmt: skip
    return pd.DataFrame(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print the extremes."""
    simulate(
        __doc__, cells(), simulated, verdict, RESULTS, arguments, resumes=("ceiling", "two_models"),
        metrics_of=metrics_of,
    )  # fmt: skip


if __name__ == "__main__":
    main()
