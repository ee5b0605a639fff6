"""Which models are trained: those of the paper, a learning curve, and what makes them weak."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

SPACE: dict[str, tuple[Any, ...]] = {
    "blocks": (1, 2),
    "filters": (32, 64, 128, 256),
    "kernel_size": tuple(range(2, 17)),
    "embedding_dim": (64, 128, 256),
    "dropout": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5),
}
CURVE_PAIRS = (1_000, 3_000, 10_000, 20_000, 29_842)
CURVE_SEEDS = (0, 1, 2)
VARIANT_SEEDS = (1, 2, 3)

Pooling = Literal["positions", "tokens", "sentences", "interaction"]


@dataclass(frozen=True)
class Settings:
    """All that a model's training depends on.

    Attributes
    ----------
    data_share, n_pairs : float, int or None
        Share, or number, of the training pairs that are taken, validation included.
    pooling : {"positions", "tokens", "sentences", "interaction"}
        Mean over all positions, padding too; over tokens; of each sentence by itself; and of each
        with their differences and products.
    embedding_range : float
        The embedding starts uniform in plus and minus this.
    stop_on : {"loss", "accuracy"}
        What of the validation pairs stops training, and chooses the epoch whose weights are kept.
    """

    name: str
    seed: int
    blocks: int
    filters: int
    kernel_size: int
    embedding_dim: int
    dropout: float
    data_share: float = 1.0
    label_noise: float = 0.0
    batch_size: int = 128
    learning_rate: float = 1e-3
    max_epochs: int = 150
    patience: int = 8
    validation_share: float = 0.1
    n_pairs: int | None = None
    pooling: Pooling = "positions"
    embedding_range: float = 0.05
    stop_on: Literal["loss", "accuracy"] = "loss"


MIDDLE: dict[str, Any] = {
    "blocks": 2, "filters": 64, "kernel_size": 5, "embedding_dim": 128, "dropout": 0.2,
}  # fmt: skip
# What is changed of the middle model, one thing at a time.
VARIANTS: dict[str, dict[str, Any]] = {
    "as_trained": {},
    "pool_tokens": {"pooling": "tokens"},
    "pool_sentences": {"pooling": "sentences"},
    "pool_interaction": {"pooling": "interaction"},
    "embedding_wide": {"embedding_range": 0.5},
    "embedding_narrow": {"embedding_range": 0.005},
    "rate_3e-4": {"learning_rate": 3e-4},
    "rate_3e-3": {"learning_rate": 3e-3},
    "stop_on_accuracy": {"stop_on": "accuracy"},
    "wide_kernel": {"kernel_size": 15},
    "small": {"filters": 32, "embedding_dim": 64, "blocks": 1},
    "dropout_half": {"dropout": 0.5},
}
# Section 6.1 with a separate architecture for each model, as in its text.
_ARCHITECTURES: tuple[dict[str, Any], ...] = (
    {"blocks": 2, "filters": 256, "kernel_size": 10, "embedding_dim": 128, "dropout": 0.3},
    {"blocks": 1, "filters": 128, "kernel_size": 6, "embedding_dim": 128, "dropout": 0.2},
    {"blocks": 1, "filters": 64, "kernel_size": 4, "embedding_dim": 64, "dropout": 0.1},
)
_DEGRADED = (
    ("model1_full", 1.0, 0.0),
    ("model2_noise10", 0.667, 0.1),
    ("model3_noise20", 0.333, 0.2),
)


def section_61() -> list[Settings]:
    """The three models of section 6.1, of one architecture: less data and more noise each."""
    return [
        Settings(name=name, seed=seed, data_share=share, label_noise=noise, **MIDDLE)
        for seed, (name, share, noise) in enumerate(_DEGRADED, start=1)
    ]


def section_61_apart() -> list[Settings]:
    """The same with three architectures, the model of all data the largest."""
    return [
        replace(settings, name=settings.name.replace("model", "apart"), **architecture)
        for settings, architecture in zip(section_61(), _ARCHITECTURES, strict=True)
    ]


def section_62(n_models: int = 100, seed: int = 2020) -> list[Settings]:
    """Models with hyperparameters drawn from table 2, no two of them equal."""
    grid = list(itertools.product(*SPACE.values()))
    chosen = np.random.default_rng(seed).choice(len(grid), n_models, replace=False)
    return [
        Settings(f"m{i:03d}", 1000 + i, **dict(zip(SPACE, grid[position], strict=True)))
        for i, position in enumerate(chosen)
    ]


def paper() -> list[Settings]:
    """The 3 + 100 models."""
    return [*section_61(), *section_62()]


def curve() -> list[Settings]:
    """Ten of the hundred architectures, from few pairs to all, the small parts in the large."""
    return [
        replace(
            settings, name=f"curve_{n_pairs:05d}_{settings.name}_{repeat}",
            seed=settings.seed + 10_000 * repeat, n_pairs=n_pairs,
        )
        for repeat in CURVE_SEEDS
        for n_pairs in CURVE_PAIRS
        for settings in section_62()[::10]
    ]  # fmt: skip


def variants() -> list[Settings]:
    """The middle model as it was trained, and with one thing changed."""
    return [
        Settings(f"variant_{name}_{seed}", seed, **{**MIDDLE, **change})
        for seed in VARIANT_SEEDS
        for name, change in VARIANTS.items()
    ]


PLANS: dict[str, Callable[[], list[Settings]]] = {
    "paper": paper,
    "apart": section_61_apart,
    "curve": curve,
    "variants": variants,
}
