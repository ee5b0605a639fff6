"""Sets of labels, and counts of objects in documents: coverage, gates and tests of the defaults.

Usage: python -m experiments.validity.label_sets [--trials 800] [--only REGEX] [--jobs 1]

"sets": samples with 5 or 20 labels, the rarest of which has 2 %, correlated within a sample; two
models give a probability of each label. "counts": documents with 2 or 10 objects of three labels on
average, very unevenly many, which differ in how hard they are. Models are equal, or the second one
is worse. For each metric: how often the default interval of a value, and of the
difference, holds its true value; how often a gate at a margin of the true difference opens (0.05);
and, of equal models, how often the default test finds a difference (0.05). Trials with fewer than
ten informative samples have a note, and are left out. The truth is that of a million samples.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, ndtri

import modelcompare as mc
from experiments.validity.by_cell import simulate
from experiments.validity.catalogue import cell_id
from experiments.validity.two_models import extremes, shares, short, trial, values

Params = dict[str, Any]
Array = np.ndarray
RESULTS = Path(__file__).resolve().parent / "results" / "label_sets.csv"
# Samples whose values are taken for the true ones.
MANY = 1_000_000
RAREST, N_OBJECT_LABELS = 0.02, 3
OF_SETS = ("f1", "f1_micro", "f1_macro", "f1_samples", "subset_accuracy", "cf1_micro", "lrap")
OF_COUNTS = ("f1", "precision_micro", "f1_micro", "f1_macro", "f1_samples", "jaccard_micro")


def cells() -> list[Params]:
    """Return all worlds, sizes, numbers of labels and differences."""
    sets = [
        {"world": "sets", "n": n, "labels": labels, "gap": gap}
        for n in (50, 200, 1000) for labels in (5, 20) for gap in (0.0, 0.5)
    ]  # fmt: skip
    counts = [
        {"world": "counts", "n": n, "objects": objects, "gap": gap}
        for n in (20, 50, 200) for objects in (2, 10) for gap in (0.0, 0.5)
    ]  # fmt: skip
    return [*sets, *counts]


def draw(rng: np.random.Generator, cell: Params, n: int) -> mc.Predictions:
    """Draw a test set of two models."""
    return (_sets if cell["world"] == "sets" else _counts)(rng, cell, n)


def _sets(rng: np.random.Generator, cell: Params, n: int) -> mc.Predictions:
    shares = np.geomspace(0.4, RAREST, cell["labels"])
    shape = n, cell["labels"]
    truth = 0.7 * rng.standard_normal((n, 1)) + rng.standard_normal(shape)
    truth = truth > ndtri(1 - shares) * np.hypot(0.7, 1)
    ease, outputs = 0.8 * rng.standard_normal(shape), {}
    for model, skill in (("a", 1.3), ("b", 1.3 - cell["gap"])):
        signal = skill * (2 * truth - 1) - 0.9
        outputs[model] = expit(signal + ease + 0.6 * rng.standard_normal(shape))
    return mc.Predictions(truth.astype(float), outputs, kind="label_probabilities")


def _counts(rng: np.random.Generator, cell: Params, n: int) -> mc.Predictions:
    k = N_OBJECT_LABELS
    sizes = rng.lognormal(-0.5, 1.0, (n, 1)) * cell["objects"] / k
    truth = rng.poisson(sizes, (n, k)).astype(float)
    hard, outputs = rng.standard_normal((n, 1)), {}
    for model, skill in (("a", 1.5), ("b", 1.5 - cell["gap"])):
        found = rng.binomial(truth.astype(int), expit(skill + hard))
        false = rng.poisson(0.3 * sizes, (n, k))
        outputs[model] = np.concatenate([found, found + false], axis=1)
    return mc.Predictions(truth, outputs, kind="label_counts", groups=np.arange(n))


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return a row for each metric; of labels, one for the rarest and one for the most frequent."""
    rng = np.random.default_rng(zlib.crc32(cell_id({"kind": "label_sets", **cell}).encode()))
    metrics = OF_SETS if cell["world"] == "sets" else OF_COUNTS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        truth = np.asarray(values(draw(rng, cell, MANY), metrics).point)
        trials = [
            trial(draw(rng, cell, cell["n"]), metrics, truth, equal=cell["gap"] == 0)
            for _ in range(n_trials)
        ]
    found = shares(trials, _places(metrics, cell.get("labels", N_OBJECT_LABELS)))
    return pd.DataFrame([cell] * len(found)).join(found)


def _places(metrics: Sequence[str], n_labels: int) -> dict[str, int]:
    """Return positions of values; labels are in order of their frequency."""
    rest = {name: n_labels + k for k, name in enumerate(metrics[1:])}
    return {"f1, most frequent": 0, "f1, rarest": n_labels - 1, **rest}


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the extremes of each world and metric."""
    return extremes(table, ["world", "metric"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print the extremes."""
    simulate(__doc__, cells(), simulated, verdict, RESULTS, arguments, short)


if __name__ == "__main__":
    main()
