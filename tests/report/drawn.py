"""What figures are drawn of, by the numbers of models and classes, and the texts on them."""

from functools import cache

import numpy as np
import pytest
from matplotlib.text import Text

import modelcompare as mc

# (models, classes)
USUAL, ONE_PAIR, MANY_MODELS, MANY_CLASSES, MOST = (5, 3), (2, 3), (30, 3), (5, 150), (30, 150)
FEW = {"n_resamples": 40}


@cache
def preds(n_models, n_classes):
    """Models that get better one by one, with long names; every class is there."""
    rng = np.random.default_rng(0)
    n = 240 if n_classes == 3 else 500
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
    labels = np.array([f"intent of class {k:03d}" for k in range(n_classes)])
    outputs = {}
    for i in range(n_models):
        logits = rng.normal(size=(n, n_classes)).astype(np.float32)
        logits[np.arange(n), y] += 1.5 + 2 * i / n_models
        p = np.exp(logits)
        outputs[f"roberta_large_mnli_{i:04d}"] = p / p.sum(axis=1, keepdims=True)
    return mc.Predictions(labels[y], outputs, labels=labels, name="made.npz", normalize=True)


def texts_drawn(figure):
    """Draw a figure, but for its pixels, and give every text drawn with its box."""
    found = []
    draw = Text.draw

    def record(text, renderer):
        if text.get_visible() and text.get_text().strip():
            found.append((text.get_text(), text.get_window_extent(renderer)))
        draw(text, renderer)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Text, "draw", record)
        figure.draw_without_rendering()
    return found


def touching(texts):
    """Pairs of texts whose boxes overlap by more than half a pixel."""
    edges = np.array([box.padded(-0.5).extents for _, box in texts])
    low, high = edges[:, None, :2], edges[:, None, 2:]
    overlap = ((low < edges[None, :, 2:]) & (edges[None, :, :2] < high)).all(axis=2)
    return [(texts[i][0], texts[j][0]) for i, j in np.argwhere(np.triu(overlap, 1))]
