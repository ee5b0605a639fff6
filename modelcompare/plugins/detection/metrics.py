"""Mean average precision of detections, by COCO's rule.

An image has any number of objects of each label, and a model gives detections with scores, which
are matched with the objects at ten thresholds of their overlap (see `modelcompare.io.from_coco`).
The image is the sample: resamples and leave-one-out values weigh whole images.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.metrics.base import AnyMetric, OrderMetric, Outcomes, divide
from modelcompare.metrics.ranking import Evaluate
from modelcompare.plugins.detection.kinds import DETECTIONS, N_OVERLAPS

_RECALLS = np.linspace(0.0, 1.0, 101)


def _average_precision(
    objects: FloatArray, image: IntArray, matched: FloatArray, weights: FloatArray, *, highest: bool
) -> FloatArray:
    """Compute the mean over overlaps of one label, (n_resamples,); NaN without objects.

    Parameters
    ----------
    objects : ndarray of shape (n_images,)
        Number of objects in each image.
    image : ndarray of int of shape (n_detections,)
        Image of each detection, by decreasing score.
    matched : ndarray of shape (n_detections, n_overlaps)
        1 for a detection that matches an object, 0 if not, NaN if it is ignored.
    weights : ndarray of shape (n_resamples, n_images)
        Weights of the images.
    highest : bool
        Take the highest precision at each recall or above, as COCO; or that at the recall.
    """
    n, own = weights @ objects, weights[:, image]
    is_hit = matched == 1
    # Precision falls at a detection that is no hit: the highest ones are at hits.
    at = np.flatnonzero(is_hit.any(axis=1))
    given, found = np.cumsum(own, axis=1)[:, at], np.zeros(len(weights))
    for hit, ignored in zip(is_hit.T, np.isnan(matched).T, strict=True):
        left = np.cumsum(own * ignored, axis=1)[:, at] if ignored.any() else 0.0
        hits = np.cumsum(own[:, at] * hit[at], axis=1)
        # Read at a hit, precision is too high: half of it counts.
        half = 0.0 if highest else own[:, at] / 2
        precision = divide(np.maximum(hits - half, 0.0), given - left - half, 0.0)
        if highest:
            precision = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
        # No recall is reached before the first hit.
        recall = np.where(hits > 0, divide(hits, n[:, None], 0.0), -1.0)
        found += _at_recalls(precision, recall)
    return np.where(n > 0, found / len(is_hit.T), np.nan)


def _at_recalls(precision: FloatArray, recall: FloatArray) -> FloatArray:
    """Average the precision at 101 recalls, for each row of weights."""
    # Each recall is reached first at one of the detections, or at none.
    reached = np.diff(np.searchsorted(_RECALLS, recall, side="right"), axis=1, prepend=0)
    return (precision * reached).sum(axis=1) / len(_RECALLS)


def _prepare(outcomes: Outcomes, *, overlaps: slice, highest: bool = True) -> Evaluate:
    """Sort the detections of each label once."""
    image = np.repeat(np.arange(len(outcomes)), [len(rows) for rows in outcomes.output.array])
    rows = np.concatenate([*outcomes.output.array, np.empty((0, 2 + N_OVERLAPS))])
    labels = []
    for code, objects in enumerate(outcomes.truth.T):
        own = np.flatnonzero(rows[:, 0] == code)
        own = own[np.argsort(-rows[own, 1], kind="stable")]
        # Images with an object or a detection.
        at = image[own]
        images = np.union1d(np.flatnonzero(objects), at)
        label = objects[images], np.searchsorted(images, at), rows[own, 2:][:, overlaps]
        labels.append((images, label))

    def evaluate(weights: FloatArray) -> FloatArray:
        sums, counts = np.zeros((2, len(weights)))
        for images, label in labels:
            different, at = _distinct(weights[:, images].astype(np.float64))
            found = _average_precision(*label, different, highest=highest)[at]
            sums += np.nan_to_num(found)
            counts += ~np.isnan(found)
        return divide(sums, counts)

    return evaluate


def _any_object(outcomes: Outcomes) -> Iterator[BoolArray]:
    """Defined where an image has an object of any label."""
    yield outcomes.truth.max(axis=1, initial=0.0) > 0


def _distinct(weights: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return rows of weights without copies of the largest, and the place of each row in them.

    Without an image that has nothing of a label, the value of the label is the same.
    """
    largest = weights[weights.sum(axis=1).argmax()]
    other = (weights != largest).any(axis=1)
    return np.vstack([largest, weights[other]]), np.where(other, np.cumsum(other), 0)


MAP = OrderMetric(
    name="map", needs=DETECTIONS.name, prepare=partial(_prepare, overlaps=slice(None)),
    without_optimism=partial(_prepare, overlaps=slice(None), highest=False), defined_by=_any_object,
    description="""Mean average precision of detections over labels and ten overlaps, as COCO's.

    Average precision is the mean, over 101 recalls, of the highest precision at that recall or
    above. Labels without an object are left out; rare labels count as much as frequent ones. It
    depends on the order of the scores only, over all images. `map_50` and `map_75` take one overlap
    (intersection over union). The highest of noisy precisions is too high: the lower ends of its
    intervals are lower by its distance from the mean precision at the recalls.""",
    references=("Lin et al. (2014), Microsoft COCO, https://arxiv.org/abs/1405.0312.",),
    example=">>> round(map([[1], [1]], [[[0, 0.9, *[1] * 10]], []]), 4)\n0.505",
)  # fmt: skip


METRICS: tuple[AnyMetric, ...] = (
    MAP,
    *(replace(MAP, name=f"map_{name}", family="map", variant=f"an overlap of {name} %",
              prepare=partial(_prepare, overlaps=slice(k, k + 1)),
              without_optimism=partial(_prepare, overlaps=slice(k, k + 1), highest=False))
      for name, k in (("50", 0), ("75", 5))),
)  # fmt: skip
