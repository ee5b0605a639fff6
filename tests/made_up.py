"""Predictions with known skills."""

from functools import cache

import numpy as np

import modelcompare as mc


def made_up(n=400, skills=(1.8, 1.5, 1.0, 0.4), seed=0, **columns):
    rng = np.random.default_rng(seed)
    y_true = np.r_[0, 1, 2, rng.choice(3, n - 3, p=[0.5, 0.35, 0.15])]
    outputs = {}
    for i, skill in enumerate(skills):
        logits = rng.normal(size=(n, 3)) + skill * np.eye(3)[y_true]
        outputs[f"m{i}"] = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return mc.Predictions(y_true, outputs, **columns)


@cache
def sliced():
    """Predictions with subgroups by language."""
    return made_up(200, slices={"lang": np.resize(["en", "de"], 200)})
