"""Mean average precision of detections, by COCO's rule.

An image has any number of objects of each label, and a model gives detections with scores, which
are matched with the objects at ten thresholds of their overlap (see `modelcompare.io.from_coco`).
The image is the sample: resamples and leave-one-out values weigh whole images.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.data.label_sets import N_OVERLAPS
from modelcompare.metrics.base import AnyMetric, OrderMetric, Outcomes, divide
from modelcompare.metrics.ranking import Evaluate

_RECALLS = np.linspace(0.0, 1.0, 101)


def _prepare(outcomes: Outcomes, *, overlaps: slice) -> Evaluate:
    """Sort the detections of each label once."""
    image = np.repeat(np.arange(len(outcomes)), [len(rows) for rows in outcomes.output.array])
    rows = np.concatenate([*outcomes.output.array, np.empty((0, 2 + N_OVERLAPS))])
    parts = []
    for label in range(outcomes.n_classes):
        own = np.flatnonzero(rows[:, 0] == label)
        own = own[np.argsort(-rows[own, 1], kind="stable")]
        parts += [(label, image[own], matched) for matched in rows[own, 2:][:, overlaps].T]

    def evaluate(weights: FloatArray) -> FloatArray:
        weights = np.asarray(weights, dtype=np.float64)
        objects = weights @ outcomes.truth
        sums, counts = np.zeros((2, len(weights)))
        for label, images, matched in parts:
            n = objects[:, label]
            found = _average_precision(weights[:, images], matched, n)
            sums += np.where(n > 0, found, 0.0)
            counts += n > 0
        return divide(sums, counts)

    return evaluate


def _average_precision(weights: FloatArray, matched: AnyArray, objects: FloatArray) -> FloatArray:
    """Average the highest precision at 101 recalls or above, for each row of weights.

    Of detections by decreasing score, 1 if they match an object, 0 if not, NaN if they are ignored.
    """
    hits = np.cumsum(weights * (matched == 1), axis=1)
    given = hits + np.cumsum(weights * (matched == 0), axis=1)
    precision = divide(hits, given, 0.0)
    precision = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    recall = divide(hits, objects[:, None], 0.0)
    reached = [np.searchsorted(row, _RECALLS) for row in recall]
    padded = np.column_stack([precision, np.zeros(len(weights))])
    return np.take_along_axis(padded, np.array(reached), axis=1).mean(axis=1)


MAP = OrderMetric(
    name="map", needs="label_detections", prepare=partial(_prepare, overlaps=slice(None)),
    description="""Mean average precision of detections over labels and ten overlaps, as COCO's.

    Average precision is the mean, over 101 recalls, of the highest precision at that recall or
    above. Labels without an object are left out; rare labels count as much as frequent ones. It
    depends on the order of the scores only, over all images. `map_50` and `map_75` take one overlap
    (intersection over union).""",
    references=("Lin et al. (2014), Microsoft COCO, https://arxiv.org/abs/1405.0312.",),
    example=">>> round(map([[1], [1]], [[[0, 0.9, *[1] * 10]], []]), 4)\n0.505",
)  # fmt: skip


METRICS: tuple[AnyMetric, ...] = (
    MAP,
    *(replace(MAP, name=f"map_{name}", prepare=partial(_prepare, overlaps=slice(k, k + 1)),
              family="map", variant=f"an overlap of {name} %")
      for name, k in (("50", 0), ("75", 5))),
)  # fmt: skip
