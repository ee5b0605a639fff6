"""Detections: for each image, rows of a label, a score, and marks of a match at ten overlaps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from modelcompare.data import checks
from modelcompare.data.kinds import Kind
from modelcompare.data.truths import Inputs, numbers_of_labels

# Overlaps of a detection and an object at which they are matched, 0.5 to 0.95.
N_OVERLAPS = 10
_OBJECTS = "a row of counts for each sample, one for each label"
DETECTIONS = Kind(
    "label_detections", "detections", "detection",
    (
        ("y_true", "array-like of shape (n_images, n_labels)", "Objects of each label."),
        ("y_pred", "sequence of arrays of shape (n_detections, 12)",
         "For each image, rows of a label's code, the score, and 1, 0 or NaN for a match, none, "
         "or one to ignore, at ten overlaps."),
    ),
    truth=("y_true", "true_distribution"), read=f"{__name__}:read_detections",
    default_metrics=("map", "map_50"),
    alone="counts of objects, which do not show which object differs; compare the items by their "
    "counts.",
)  # fmt: skip
KINDS = (DETECTIONS,)


def read_detections(
    y_true: Any,
    outputs: Mapping[str, Any],
    labels: ArrayLike | None,
    declared: Kind,  # noqa: ARG001
) -> Inputs:
    """Check detections: rows of a label's code, a score, and marks of a match, for each image."""
    true, found = numbers_of_labels(y_true, labels, _OBJECTS, of="counts")
    width, arrays = 2 + N_OVERLAPS, {}
    for model, given in outputs.items():
        rows = [np.asarray(each if len(each) else np.empty((0, width)), float) for each in given]
        bad = [each.ndim != 2 or each.shape[1] != width for each in rows]
        what = f"model {model!r} must have rows of {width} numbers for each image"
        remedy = "make them with modelcompare.io.from_coco"
        checks.refuse_rows(np.array(bad, dtype=bool), what, remedy)
        arrays[model] = np.empty(len(rows), dtype=object)
        arrays[model][:] = rows
    checks.check_lengths(arrays, true, len(true))
    return true, arrays, dict.fromkeys(arrays, DETECTIONS), found
