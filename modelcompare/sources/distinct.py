"""Distinct rows of a scan and how often each occurs: all that metrics of classes look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from modelcompare.engine.statistics import COLLAPSE_AT
from modelcompare.engine.units import DistinctRows, collapsible
from modelcompare.metrics.base import AnyMetric
from modelcompare.sources.scanned import ScannedPredictions

# Blocks whose distinct rows are put together at once.
_AT_ONCE = 64


def distinct_rows(
    scan: ScannedPredictions, metrics: Sequence[AnyMetric], *, required: bool
) -> DistinctRows | None:
    """Distinct combinations of the true class and all models' predicted classes.

    None where metrics look at more than these, or where there are more of them than a small share
    of the rows, unless they are required.
    """
    if not collapsible(metrics, scan.head, required=required):
        return None
    most = len(scan) if required else int(COLLAPSE_AT * len(scan))
    return scan.kept(("distinct", required), lambda: _few(scan, most))


def _few(scan: ScannedPredictions, most: int) -> DistinctRows | None:
    """The distinct rows, where they are no more than so many."""
    counted = scan.counted()
    if counted is not None:
        rows, times = counted
        return _joined([replace(DistinctRows.of_each(rows), multiplicity=times)])
    held: list[DistinctRows] = []
    for block in scan.blocks():
        held.append(DistinctRows.of(block, None))
        if len(held) > _AT_ONCE:
            held = [_joined(held)]
            if held[0].n_rows > most:
                return None
    found = _joined(held)
    return found if found.n_rows <= most else None


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
