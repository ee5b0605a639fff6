"""Names of points, beside them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np

from modelcompare import escape
from modelcompare.report.figures.types import Axes

# Places of a name: nearer ones first, to the right first. Points (1/72 inch) from its point.
_PLACES = [*product((6, 13), (1, -1, 0), (1, -1, 0))]
_SIZE = 8
_PADDING = 2.0


def write_beside(axes: Axes, names: Sequence[str], x: Sequence[float], y: Sequence[float]) -> None:
    """Write the names of points beside them, where fewest other names, points and lines are."""
    taken = [box for line in axes.lines for box in _boxes(line)]
    for name, point in zip(names, zip(x, y, strict=True), strict=True):
        tried = [_written(axes, name, point, place) for place in _PLACES if any(place[1:])]
        boxes = [text.get_window_extent() for text in tried]
        crossed = [_n_crossed(box, taken, axes.bbox) for box in boxes]
        best = int(np.argmin(crossed))
        taken.append(boxes[best])
        for text in tried[:best] + tried[best + 1 :]:
            text.remove()


def _written(axes: Axes, name: str, point: tuple[float, float], place: tuple[int, int, int]) -> Any:
    distance, right, above = place
    return axes.annotate(
        escape.figure(name), point, (distance * right, distance * above), fontsize=_SIZE,
        textcoords="offset points", ha=("center", "left", "right")[right],
        va=("center", "bottom", "top")[above],
    )  # fmt: skip


def _boxes(line: Any) -> list[Any]:
    """Return boxes around the segments of a line, or around its only point."""
    from matplotlib.transforms import Bbox

    points = line.get_transform().transform(line.get_xydata())
    ends = pairwise(points) if len(points) > 1 else [(points[0], points[0])]
    around = _PADDING + (line.get_markersize() / 2 if line.get_marker() != "None" else 0.0)
    return [Bbox([np.minimum(*pair), np.maximum(*pair)]).padded(around) for pair in ends]


def _n_crossed(box: Any, taken: Sequence[Any], inside: Any) -> int:
    """Count what a box would cover; a box that leaves the axes comes last."""
    whole = inside.contains(*box.min) and inside.contains(*box.max)
    return sum(map(box.overlaps, taken)) + (0 if whole else len(taken))
