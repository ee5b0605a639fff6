"""Test sets that people labelled in part, with a judge of a known quality."""

from typing import Any

import numpy as np

import modelcompare as mc

Array = Any


def answers(
    rng: np.random.Generator, truth: Array, accuracy: float, n_classes: int
) -> Array:  # fmt: skip
    """Return the truth with errors."""
    wrong = (truth + rng.integers(1, n_classes, len(truth))) % n_classes
    return np.where(rng.random(len(truth)) < accuracy, truth, wrong)


def drawn(
    seed: int, n_labels: int = 100, n_samples: int = 1000, *, n_classes: int = 3,
    models: tuple[float, ...] = (0.85, 0.8), judge: float = 0.9, **options: Any,
) -> tuple[mc.Predictions, Array]:  # fmt: skip
    """Return predictions of models with a judge, and the whole truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_classes, n_samples)
    outputs = {
        f"m{k}": answers(rng, truth, accuracy, n_classes) for k, accuracy in enumerate(models)
    }
    verdicts = answers(rng, truth, judge, n_classes)
    seen = truth.astype(float)
    seen[rng.permutation(n_samples)[n_labels:]] = np.nan
    return mc.Predictions(seen, outputs, judge=verdicts, **options), truth
