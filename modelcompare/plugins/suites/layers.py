"""Layers of several test sets: what items, and levels crossed with them, add to their mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.comparison.warned import warn_of_few
from modelcompare.engine.layers import Layers, centred, terms


def layers_of_sets(parts: Sequence[Layers], weights: FloatArray, *, crossed: bool) -> Layers:
    """Return the parts for a weighted mean over test sets, whose items are independent.

    Levels of all sets are the same where they are `crossed` with the sets, else separate.
    """
    powers = np.array([weights**2, weights**4])
    items = np.einsum("ts,strv->trv", powers, [part.items for part in parts])
    rest = [part.rest * w[:, None, None, None] for part, w in zip(parts, powers.T, strict=True)]
    levels = [w * part.levels for w, part in zip(weights.tolist(), parts, strict=True)]
    most = max(x.shape[-1] for x in levels)
    padded = [
        np.pad(x, [(0, 0)] * 3 + [(0, most - x.shape[-1])], constant_values=np.nan) for x in levels
    ]
    if crossed:
        return Layers(items, np.sum(rest, axis=0), np.sum(padded, axis=0))
    return Layers(items, np.concatenate(rest, axis=1), np.concatenate(padded))


def layers_of_new_sets(values: FloatArray, parts: Sequence[Layers], *, crossed: bool) -> Layers:
    """Return the parts for the mean of new sets, by the values (n_sets, n_rows, n_values)."""
    n_sets = len(values)
    found = Layers.of_items(values.var(axis=0, ddof=1) / n_sets, n_sets - 1.0)
    if not crossed:
        return found
    levels = np.stack([part.levels for part in parts])
    by_set, n_levels = centred(levels)
    left = by_set - by_set.mean(axis=0)
    degrees = (n_sets - 1.0) * (n_levels[0] - 1.0)
    squares = np.nansum(left**2, axis=(0, -1)) / degrees / (n_sets * n_levels[0])
    return Layers(found.items, terms(squares, degrees), levels.mean(axis=0))


def warn_of_few_sets(n_sets: int) -> None:
    """Warn where there are so few test sets that they decide about new ones."""
    warn_of_few(n_sets, "test sets", "ones", "samples", "test sets")
