"""Averages over classes of which one is hardly ever, or never, predicted: coverage of the defaults.

Usage: python -m experiments.validity.never_predicted [--trials 800] [--only REGEX] [--jobs 1]

Two, three or ten classes; a model predicts the last one for some of its members, and for some
others: 0.02 to 5 predictions of it are expected. The other model predicts all classes, or avoids
the same one. For the averages of precision, F1 and recall: how often the default interval of the
value of the first, and of the difference, holds the population's, and how often a gate at a margin
of the true difference opens (0.05), either way. The true precision of a class that is hardly ever
predicted is that of its rare predictions, mostly near 1. No trial is left out: each has a warning.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import modelcompare as mc
from experiments.validity.by_cell import simulate
from experiments.validity.catalogue import cell_id
from experiments.validity.two_models import LARGEST, LEVEL, WANTED, gate_ends, holds, values

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "never_predicted.csv"
METRICS = ("precision_macro", "precision_weighted", "f1_macro", "f1_weighted", "recall_macro")
SHARES = {
    2: (0.85, 0.15), 3: (0.5, 0.4, 0.1), 10: (0.2, 0.2, 0.2, 0.2, *[1 / 30] * 6),
}  # fmt: skip
RIGHT, OTHER, ALIKE = 0.8, 0.75, 0.8


def cells() -> list[Params]:
    """Return all numbers of classes, shares that are predicted as the last class, and rivals."""
    return [
        {"classes": k, "n": n, "hit": hit, "false": false, "rival": rival}
        for k, n in ((2, 150), (3, 200), (10, 400))
        for hit, false in ((0.002, 0.0), (0.02, 0.0), (0.02, 0.003), (0.1, 0.001))
        for rival in ("all classes", "the same")
    ]  # fmt: skip


def tables(cell: Params) -> list[Array]:
    """Return the confusion matrices of both models, whose sums are 1."""
    rare = _table(cell, RIGHT, (cell["hit"], cell["false"]))
    last = (cell["hit"], cell["false"]) if cell["rival"] == "the same" else None
    return [rare, _table(cell, OTHER, last)]


def _table(cell: Params, right: float, last: tuple[float, float] | None) -> Array:
    shares = np.array(SHARES[cell["classes"]])
    k = len(shares)
    table = np.where(np.eye(k, dtype=bool), right, (1 - right) / (k - 1))
    if last is not None:
        hit, false = last
        others = np.where(np.eye(k - 1, dtype=bool), right, (1 - right) / max(k - 2, 1))
        table[:-1, :-1] = others / others.sum(axis=1, keepdims=True) * (1 - false)
        table[:-1, -1] = false
        table[-1] = (1 - hit) / (k - 1)
        table[-1, -1] = hit
    return table * shares[:, None]


def true_values(table: Array) -> list[float]:
    """Return the population's values of the metrics."""
    counts = np.diag(table), table.sum(axis=0), table.sum(axis=1)
    return [float(mc.get_metric(name).value(*counts)) for name in METRICS]


def draw(rng: np.random.Generator, cell: Params) -> mc.Predictions:
    """Draw a test set of both models."""
    shares, n = np.array(SHARES[cell["classes"]]), cell["n"]
    truth, common = rng.choice(len(shares), n, p=shares), rng.random(n)
    alike, outputs = rng.random(n) < ALIKE, {}
    for model, table in zip("ab", tables(cell), strict=True):
        u = np.where(alike, common, rng.random(n))
        steps = np.cumsum(table / shares[:, None], axis=1)[truth]
        outputs[model] = np.minimum((u[:, None] >= steps).sum(axis=1), len(shares) - 1)
    return mc.Predictions(truth, outputs, kind="labels", labels=np.arange(len(shares)))


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return a row for each metric."""
    rng = np.random.default_rng(zlib.crc32(cell_id({"kind": "never_predicted", **cell}).encode()))
    truth = np.array([true_values(table) for table in tables(cell)])
    gap, pair, marks = truth[0] - truth[1], (np.array([0]), np.array([1])), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(n_trials):
            found = values(draw(rng, cell), METRICS)
            score = found.score_interval("auto", LEVEL)
            apart = found.difference_interval(*pair, "auto", LEVEL)
            low, high = gate_ends(found, pair)
            marks.append([
                holds(score.low[0], score.high[0], truth[0]),
                holds(apart.low[0], apart.high[0], gap),
                low[0] > gap, high[0] < gap,
                score.high[0] - score.low[0], apart.high[0] - apart.low[0],
            ])  # fmt: skip
    means = np.mean(np.array(marks, dtype=float), axis=0)
    names = ["covered", "difference", "gate", "other gate", "width", "width of difference"]
    rows = pd.DataFrame(means.T, columns=names).assign(trials=n_trials)
    rows.insert(0, "metric", METRICS)
    return pd.DataFrame([cell] * len(rows)).join(rows)


def short(table: pd.DataFrame) -> pd.Series:
    """Return which rows fall short of coverage, or err more often."""
    errors = table[["gate", "other gate"]].max(axis=1)
    return (table[["covered", "difference"]].min(axis=1) < WANTED) | (errors > LARGEST)


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the extremes of each metric and number of classes."""
    rows = [
        {"metric": metric, "classes": k, "cells": len(part),
         "lowest, values": part["covered"].min(), "differences": part["difference"].min(),
         "largest, gates": part[["gate", "other gate"]].max(axis=None)}
        for (metric, k), part in table.groupby(["metric", "classes"], sort=False)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print the extremes."""
    simulate(__doc__, cells(), simulated, verdict, RESULTS, arguments, short)


if __name__ == "__main__":
    main()
