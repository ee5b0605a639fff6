"""Seeds: what a user may pass as `rng`, and children of a seed for each part of a study."""

from __future__ import annotations

from typing import Any

import numpy as np

RngLike = int | np.integer[Any] | np.random.Generator | np.random.SeedSequence | None

# A stream for each purpose, so that a bootstrap and a permutation of one seed are independent.
BOOTSTRAP, MASKS, SUBSAMPLE, STRATUM, _PART = range(5)


def seed_sequence(rng: RngLike) -> np.random.SeedSequence:
    """Turn what a user may pass as `rng` (SPEC 7) into a SeedSequence.

    A Generator is advanced, so that a second call with it draws other numbers; an int or a
    SeedSequence always gives the same.
    """
    if isinstance(rng, np.random.SeedSequence):
        return rng
    if isinstance(rng, np.random.Generator):
        return np.random.SeedSequence([int(word) for word in rng.integers(2**32, size=4)])
    if rng is None:
        return np.random.SeedSequence()
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer):
        raise TypeError(
            f"`rng` must be an int, a numpy Generator, a SeedSequence or None, got {rng!r}."
        )
    if rng < 0:
        raise ValueError(f"`rng` must not be negative, got {rng}.")
    return np.random.SeedSequence(int(rng))


def random_state(rng: RngLike) -> int:
    """Number for scikit-learn's `random_state`."""
    return int(seed_sequence(rng).generate_state(1)[0])


def rng_label(rng: RngLike) -> str:
    """Name a source of randomness in a signature, if it has a name."""
    if isinstance(rng, int | np.integer):
        return str(int(rng))
    return "unseeded" if rng is None else "generator"


def child_seed(seed: np.random.SeedSequence, *key: int) -> np.random.SeedSequence:
    """Separate, reproducible seed for one part of a study."""
    return stream(seed, _PART, *key)


def stream(seed: np.random.SeedSequence, purpose: int, *key: int) -> np.random.SeedSequence:
    """Seed of one stream of random numbers: of a purpose, and of a block or part of it."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, purpose, *key))
