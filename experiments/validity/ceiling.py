"""Near the ceiling: intervals, gates and corrected levels where one to five errors are expected.

Usage: python -m experiments.validity.ceiling [--trials 800] [--only REGEX] [--jobs 1]

Models that err in 1, 2 or 5 of 40, 100 or 200 samples on average; 2, 3 or 10 classes, of equal
shares or with rare ones; probabilities that follow their labels, or two levels of them. "values":
how often the default interval of a value, of the difference of two equal models and of that from a
model with three times the errors holds the true one, and how often a gate opens at a margin that
equals the difference (0.05). "corrected": how often the intervals of 3, 8 or 20 models hold
together at Bonferroni's level, those of their differences from the first do, and that of the worst.

Trials without a warning are judged by themselves as well ("silent"), and their share is given. The
true value of an average is the mean over the classes that occur in the test set.
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
from experiments.validity.by_cell import simulate
from experiments.validity.catalogue import cell_id
from experiments.validity.two_models import ALPHA, LARGEST, LEVEL, WANTED, holds
from modelcompare.comparison.tails import heavy_models, heavy_pairs, log_spreads
from modelcompare.comparison.warned import _Sparse
from modelcompare.intervals.auto import FEW

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "ceiling.csv"
# Samples whose values are taken for the true ones, and times as many errors of the third model.
MANY, WORSE = 300_000, 3
OF_CLASS = ("f1", "precision", "recall")
AVERAGES = {
    "balanced_accuracy": "recall", "f1_macro": "f1", "f1_weighted": "f1",
    "precision_macro": "precision", "jaccard_macro": "jaccard",
}  # fmt: skip
OF_ALL = ("accuracy", "cohen_kappa", "matthews_corrcoef", "log_loss", "brier_score")
ORDER = ("roc_auc", "average_precision")
LOW_IS_GOOD = ("log_loss", "brier_score")
# Trials whose test set has the same true classes, so that they are computed at once.
AT_ONCE = 16
# Share of trials that may be silent for these to be judged, and to warn where all hold.
FEWEST, MOST_WARNED = 0.1, 0.1


def cells() -> list[Params]:
    """Return all errors, sizes, classes, shares and probabilities; and numbers of models."""
    few = [(n, errors) for n in (40, 100, 200) for errors in (1, 2, 5)]
    values = [
        {"kind": "values", "n": n, "errors": errors, "classes": classes, "shares": shares,
         "models": 3, "outputs": outputs}
        for classes in (2, 3, 10) for shares in ("even", "rare") for n, errors in few
        for outputs in (("graded", "levels") if classes == 2 else ("graded",))
    ]  # fmt: skip
    corrected = [
        {"kind": "corrected", "n": n, "errors": errors, "classes": classes, "shares": "even",
         "models": models, "outputs": "graded"}
        for models in (3, 8, 20) for classes in (2, 3) for n, errors in few if n > 40
    ]  # fmt: skip
    return values + corrected


def shares_of(cell: Params) -> Array:
    """Return the share of each class: the last one, or all but the first of ten, may be rare."""
    k = cell["classes"]
    if cell["shares"] == "even":
        return np.full(k, 1 / k)
    rest = {2: [0.1], 3: [0.3, 0.1], 10: [0.05] * 9}[k]
    return np.array([1 - sum(rest), *rest])


def draw(rng: np.random.Generator, cell: Params, n: int, trials: int) -> mc.Predictions:
    """Draw test sets of the same true classes, each of some models.

    They are two equal models and a worse one, which share half of the first one's errors, or equal
    models with errors of their own.
    """
    k, rate, outputs = cell["classes"], cell["errors"] / cell["n"], {}
    truth = rng.choice(k, n, p=shares_of(cell))
    for place in range(trials):
        common = rng.random(n) < rate / 2
        for model in range(cell["models"]):
            own = (WORSE if cell["kind"] == "values" and model == 2 else 1) * rate
            wrong = rng.random(n) < own
            if cell["kind"] == "values":
                wrong = common | (rng.random(n) < (own - rate / 2) / (1 - rate / 2))
            named = (truth + wrong * rng.integers(1, k, n)) % k
            outputs[f"{place} {model}"] = _probabilities(rng, truth, named, cell)
    return mc.Predictions(truth, outputs, kind="probabilities", labels=[*range(k)])


def _probabilities(rng: np.random.Generator, truth: Array, named: Array, cell: Params) -> Array:
    """Return probabilities of which those of the named classes are the largest."""
    k, n, rows = cell["classes"], len(truth), np.arange(len(truth))
    sure = np.full(n, 2.0)
    if cell["outputs"] == "graded":
        wrong = named != truth
        sure = 0.1 + np.abs(rng.normal(np.where(wrong, 0.7, 2.5), np.where(wrong, 0.7, 1.0)))
    top = np.exp(sure) / (np.exp(sure) + k - 1)
    out = np.repeat(((1 - top) / (k - 1))[:, None], k, axis=1)
    out[rows, named] = top
    return out


def metrics_of(cell: Params) -> list[str]:
    """Return the metrics of a cell; of two levels of probabilities those of order."""
    order = ORDER if cell["classes"] == 2 else ()
    if cell["outputs"] == "levels":
        return [*order]
    if cell["kind"] == "corrected":
        return ["accuracy", "f1_macro", "cohen_kappa", "brier_score", *order[:1]]
    return [*OF_ALL, *AVERAGES, *OF_CLASS, *order]


def measured(preds: mc.Predictions, metrics: Sequence[str]) -> Any:
    """Return the values of all models, without resamples."""
    return mc.bootstrap(preds, [*metrics], n_resamples=2)


def true_values(rng: np.random.Generator, cell: Params) -> dict[str, Array]:
    """Return values of the models, (n_models,), or (n_models, n_classes) of each class."""
    classes = {*AVERAGES.values(), *OF_CLASS} if cell["outputs"] == "graded" else set()
    asked = [name for name in metrics_of(cell) if name not in AVERAGES and name not in classes]
    found = measured(draw(rng, cell, MANY, 1), [*asked, *sorted(classes)])
    out = {}
    for name in [*asked, *sorted(classes)]:
        out[name] = found.point[:, found.evaluation.metric_slice(name)]
    return {name: value if name in classes else value[:, 0] for name, value in out.items()}


def of_trial(name: str, truth: Mapping[str, Array], present: Array, cell: Params) -> Array:
    """Return the true values of a metric on a test set with some of the classes."""
    if name in OF_CLASS:
        return truth[name][:, -1] if present[-1] else np.full(cell["models"], np.nan)
    if name not in AVERAGES:
        return truth[name]
    weight = present * (shares_of(cell) if name == "f1_weighted" else 1.0)
    return truth[AVERAGES[name]] @ weight / weight.sum()


def warned(found: Any, score: Any, apart: Any, pairs: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return which values, and differences, are warned of."""
    sparse = _Sparse(found, score, apart, pairs)
    few, few_apart = score.n_informative < FEW, np.zeros(apart.low.shape, dtype=bool)
    for metric in found.evaluation.metrics:
        where = found.evaluation.metric_slice(metric.name)
        few[:, where] |= getattr(metric, "average", None) == "macro" and sparse._behind_macro < FEW
        spreads = log_spreads(found.evaluation, metric)
        if spreads is not None:
            few[:, where] |= heavy_models(few[:, where], spreads)
            few_apart[:, where] = heavy_pairs(few_apart[:, where], few[:, where], spreads, pairs)
    return few, few_apart | few[pairs[0]] | few[pairs[1]]


def trials(
    rng: np.random.Generator, cell: Params, truth: Mapping[str, Array], n_trials: int
) -> dict[str, pd.DataFrame]:
    """Return the marks of some test sets, by metric."""
    metrics, many = metrics_of(cell), cell["models"]
    preds = draw(rng, cell, cell["n"], n_trials)
    present = np.bincount(preds.codes, minlength=cell["classes"]) > 0
    found, corrected = measured(preds, metrics), cell["kind"] == "corrected"
    level = 1 - (1 - LEVEL) / many if corrected else LEVEL
    first = np.repeat(np.arange(n_trials) * many, many - 1)
    pairs = first, first + np.tile(np.arange(1, many), n_trials)
    score = found.score_interval("auto", level)
    apart = found.difference_interval(*pairs, "auto", level)
    gate = found.difference_interval(*pairs, "auto", 1 - 2 * ALPHA)
    few, few_apart = warned(found, score, apart, pairs)
    out = {}
    for name in metrics:
        place = found.evaluation.metric_slice(name).stop - 1
        true = of_trial(name, truth, present, cell)
        gaps = (true[0] - true[1:])[None]
        low, high = (end[:, place].reshape(n_trials, -1) for end in (score.low, score.high))
        ends = [end[:, place].reshape(n_trials, -1) for end in (apart.low, apart.high)]
        held, held_apart = holds(low, high, true), holds(*ends, gaps)
        few_values = few[:, place].reshape(n_trials, -1)
        few_gaps = few_apart[:, place].reshape(n_trials, -1)
        if corrected:
            pick = np.max if name in LOW_IS_GOOD else np.min
            worst = holds(pick(low, axis=1), pick(high, axis=1), pick(true))
            marks = {"value": held.min(axis=1), "worse": worst, "equal": held_apart.min(axis=1)}
            few_values, few_gaps = few_values.any(axis=1), few_gaps.any(axis=1)
            few_marks = {"value": few_values, "worse": few_values, "equal": few_gaps}
        else:
            marks = {"value": held[:, 0], "worse": held[:, 2]}
            few_marks = {"value": few_values[:, 0], "worse": few_values[:, 2]}
            # The worse model is claimed to be as good as it is.
            ends = [end[:, place].reshape(n_trials, -1) for end in (gate.low, gate.high)]
            opens = ends[0] > gaps if name in LOW_IS_GOOD else ends[1] < gaps
            opens = np.where(np.isnan(held_apart), np.nan, opens)
            marks |= {"equal": held_apart[:, 0], "gap": held_apart[:, 1], "gate": opens[:, 1]}
            few_marks |= {"equal": few_gaps[:, 0], "gap": few_gaps[:, 1], "gate": few_gaps[:, 1]}
        silent = {
            f"silent {mark}": np.where(few_marks[mark], np.nan, x) for mark, x in marks.items()
        }
        out[name] = pd.DataFrame({**marks, **silent, "warned": few_marks["value"]}, dtype=float)
    return out


MARKS = ("value", "worse", "equal", "gap", "gate")
SILENT = tuple(f"silent {mark}" for mark in MARKS)


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return a row for each metric of a cell; no mean of marks that few trials have."""
    rng = np.random.default_rng(zlib.crc32(cell_id({"kind": "ceiling", **cell}).encode()))
    at_once = max(1, AT_ONCE * 3 // cell["models"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        truth = true_values(rng, cell)
        batches = [trials(rng, cell, truth, at_once) for _ in range(-(-n_trials // at_once))]
    rows = []
    for name in metrics_of(cell):
        marks = pd.concat([of[name] for of in batches]).reindex(columns=[*MARKS, *SILENT, "warned"])
        known = marks.count() >= FEWEST * len(marks)
        rows.append({**cell, "metric": name, **marks.mean().where(known), "trials": len(marks)})
    return pd.DataFrame(rows)


COVERAGES = [*MARKS[:4], *SILENT[:4]]
GATES = ["gate", "silent gate"]


def short(table: pd.DataFrame) -> pd.Series:
    """Return which rows cover less than promised, or err more often."""
    return (table[COVERAGES].min(axis=1) < WANTED) | (table[GATES].max(axis=1) > LARGEST)


def needless(table: pd.DataFrame) -> pd.Series:
    """Return which rows warn often, though all intervals hold."""
    holding = table[["value", "equal", "gap"]].min(axis=1) >= 0.945
    return holding & (table["warned"] > MOST_WARNED)


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the extremes of each metric."""
    rows = []
    for (kind, metric), part in table.groupby(["kind", "metric"], sort=False):
        rows.append({
            "kind": kind, "metric": metric, "cells": len(part),
            "lowest, values": part[["value", "worse"]].min(axis=None),
            "silent": part[["silent value", "silent worse"]].min(axis=None),
            "differences": part[["equal", "gap"]].min(axis=None),
            "silent differences": part[["silent equal", "silent gap"]].min(axis=None),
            "largest, gates": part["gate"].max(), "warned": part["warned"].mean(),
        })  # fmt: skip
    return pd.DataFrame(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print the extremes."""
    simulate(__doc__, cells(), simulated, verdict, RESULTS, arguments, short)


if __name__ == "__main__":
    main()
