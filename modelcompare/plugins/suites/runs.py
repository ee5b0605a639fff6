"""Runs and items of several test sets: what they add to the error of a mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.comparison.warned import warn_of_few
from modelcompare.engine.layers import Layers, centred, terms
from modelcompare.engine.runs import FEW_RUNS


def layers_of_sets(parts: Sequence[Layers], weights: FloatArray, *, crossed: bool) -> Layers:
    """Return the parts for a weighted mean over test sets, whose items are independent.

    The runs of all sets are the same where they are `crossed` with the sets, else separate.
    """
    powers = np.array([weights**2, weights**4])
    items = np.einsum("ts,strv->trv", powers, [part.items for part in parts])
    rest = [part.rest * w[:, None, None, None] for part, w in zip(parts, powers.T, strict=True)]
    runs = [w * part.runs for w, part in zip(weights.tolist(), parts, strict=True)]
    most = max(x.shape[-1] for x in runs)
    padded = [
        np.pad(x, [(0, 0)] * 3 + [(0, most - x.shape[-1])], constant_values=np.nan) for x in runs
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
    runs = np.stack([part.runs for part in parts])
    of_runs = runs.mean(axis=0)
    by_set, n_runs = centred(runs)
    left = by_set - by_set.mean(axis=0)
    degrees = (n_sets - 1.0) * (n_runs[0] - 1.0)
    squares = np.nansum(left**2, axis=(0, -1)) / degrees / (n_sets * n_runs[0])
    return Layers(found.items, terms(squares, degrees), of_runs)


def warn_of_few_sets(n_sets: int) -> None:
    """Warn where there are so few test sets that they decide about new ones."""
    if n_sets < FEW_RUNS:
        warn_of_few(f"{n_sets} test sets", "ones", "samples", "test sets")
