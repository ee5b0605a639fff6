"""Distinct rows of a scan and how often each occurs: all that metrics of classes look at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from modelcompare.engine.statistics import COLLAPSE_AT
from modelcompare.engine.units import DistinctRows
from modelcompare.sources.scanned import ScannedPredictions

# Blocks whose distinct rows are put together at once.
_AT_ONCE = 64


def distinct_rows(scan: ScannedPredictions, *, required: bool) -> DistinctRows | None:
    """Distinct combinations of the true class and all models' predicted classes.

    None where they are more than a small share of the rows, unless they are required.
    """
    grouped = None if required else COLLAPSE_AT * len(scan)
    held: list[DistinctRows] = []
    for block in scan.blocks():
        held.append(DistinctRows.of(block, None))
        if len(held) > _AT_ONCE:
            held = [_joined(held)]
            if grouped is not None and held[0].n_rows > grouped:
                return None
    found = _joined(held)
    return found if grouped is None or found.n_rows <= grouped else None


def _joined(parts: Sequence[DistinctRows]) -> DistinctRows:
    """The distinct rows of several parts, sorted as those of a whole are."""
    models = [*parts[0].predicted]
    rows = np.concatenate(
        [np.stack([part.codes, *part.predicted.values()], axis=1) for part in parts]
    )
    found, place = np.unique(rows, axis=0, return_inverse=True)
    times = np.concatenate([part.multiplicity for part in parts])
    multiplicity = np.bincount(place.ravel(), times).astype(np.intp)
    predicted = {model: found[:, column] for column, model in enumerate(models, 1)}
    return DistinctRows(found[:, 0], predicted, multiplicity, None, parts[0].n_classes)
