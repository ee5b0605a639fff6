"""Test sets of models with known accuracies."""

from pathlib import Path
from typing import Any

import numpy as np

import modelcompare as mc

N = 300
MODELS = {"old": 0.7, "close": 0.71, "bad": 0.5, "good": 0.9, "best": 0.99}


def columns(n: int = N, **accuracies: float) -> dict[str, Any]:
    """Return truth and outputs of two classes; the first rows are the same for every `n`."""
    most = 2000
    truth = np.random.default_rng(0).integers(0, 2, most)
    found: dict[str, Any] = {"y_true": truth[:n]}
    for seed, (model, accuracy) in enumerate({**MODELS, **accuracies}.items(), start=1):
        right = np.random.default_rng(seed).random(most) < accuracy
        found[model] = np.where(right, truth, 1 - truth)[:n]
    return found


def of(n: int = N, *, ids: bool = False, **options: Any) -> mc.Predictions:
    """Return predictions of all models."""
    found = columns(n)
    names = {"ids": [f"x{i:04d}" for i in range(n)]} if ids else {}
    return mc.Predictions(found.pop("y_true"), found, **names, **options)


def written(path: Path, n: int = N, order: Any = None) -> Path:
    """Write them as a table with ids."""
    found = {"id": [f"x{i:04d}" for i in range(n)], **columns(n)}
    rows = range(n) if order is None else order
    lines = [",".join(found), *(",".join(str(c[i]) for c in found.values()) for i in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
