"""Seeds from the argument `rng`, and child seeds for each component of a study."""

from __future__ import annotations

from typing import Any

import numpy as np

RngLike = int | np.integer[Any] | np.random.Generator | np.random.SeedSequence | None

# A stream for each purpose, so that a bootstrap and a permutation of one seed are independent.
BOOTSTRAP, MASKS, SUBSAMPLE, STRATUM, _PART = range(5)


def seed_sequence(rng: RngLike) -> np.random.SeedSequence:
    """Convert the argument `rng` (SPEC 7) to a SeedSequence.

    A Generator is advanced, so that a second call draws other numbers; an int or a SeedSequence
    always gives the same.
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
    """Return a number for scikit-learn's `random_state`."""
    return int(seed_sequence(rng).generate_state(1)[0])


def rng_label(rng: RngLike) -> str:
    """Return the name of a source of randomness for a signature."""
    if isinstance(rng, int | np.integer):
        return str(int(rng))
    return "unseeded" if rng is None else "generator"


def child_seed(seed: np.random.SeedSequence, *key: int) -> np.random.SeedSequence:
    """Return a separate, reproducible seed for one component of a study."""
    return stream(seed, _PART, *key)


def stream(seed: np.random.SeedSequence, purpose: int, *key: int) -> np.random.SeedSequence:
    """Return the seed of one stream of random numbers, by purpose and block."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, purpose, *key))
