"""Refuse impossible sums: a sketch is accepted only if some samples have its sums.

The range of a statistic for one sample (`RANGES`) bounds the sum of a bucket. Statistics are also
related: classes sum to the samples, hits and predictions are the diagonal and a margin of the
confusion matrix, the predicted class has the largest probability. Sums of labels that pass are
those of some samples; probabilities are checked class by class. For other statistics, those of
custom metrics, only finite numbers are required.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.data.checks import SUM_TOLERANCE
from modelcompare.data.sums import EVERY_MODEL
from modelcompare.metrics.counts import COUNTS, SOFT_COUNTS
from modelcompare.metrics.scoring import CELLS, COUNT, SOFT_CELLS
from modelcompare.plugins.large.sketches import Sketch

# Smallest and largest number of one sample, by the start of the statistic's name.
_SHARE, _AMOUNT = (0.0, 1.0), (0.0, math.inf)
# The largest negative logarithm of a probability in double precision.
_LOG = -math.log(np.finfo(np.float64).eps)
RANGES: dict[str, tuple[float, float]] = {
    **dict.fromkeys(
        (
            "count", "support", "hits", "predicted", "soft_hits", "soft_predicted", "confusion",
            "soft_confusion", "reciprocal_rank", "in_top_", "exact_text", "expected_exact_text",
            "calibration_", "brier_terms_",
        ),
        _SHARE,
    ),
    **dict.fromkeys(
        (
            "squared_value_errors", "absolute_value_errors", "squared_log_errors", "tokens",
            "slots", "word_edits", "character_edits", "word_error_rates", "bleu_", "chrf_", "ter_",
            "expected_",
        ),
        _AMOUNT,
    ),
    "squared_errors": (0.0, 2.0), "negative_log_likelihood": (0.0, _LOG),
    "divergence": (-2 * SUM_TOLERANCE, _LOG),
}  # fmt: skip
# Statistics whose numbers are counts of samples, where these have one class and no weights.
_WHOLE = ("count", "support", "hits", "predicted", "confusion", "in_top_", "exact_text")
# Statistics of classes, whose axes are the same in every sketch.
_KNOWN = {each.name: each for each in (COUNT, *COUNTS, *SOFT_COUNTS, CELLS, SOFT_CELLS)}
# Sums of weights differ in their last digits.
_ROUNDING = 1e-9

Limit: TypeAlias = tuple[str, str, FloatArray, Any, Any, str]
"""A statistic, its model, numbers of buckets, the least and the most they may be, and why."""


def check_possible(sketch: Sketch, name: str) -> None:
    """Refuse a sketch with impossible numbers, and name one of them."""
    about, found = sketch.about, {each.name: each for each in sketch.about.statistics}
    for statistic in ("count", *(["support"] if about.labels is not None else [])):
        if statistic not in found:
            raise ValueError(f"{name} lacks the statistic {statistic!r}, which all others need.")
    for statistic, described in found.items():
        known = _KNOWN.get(statistic)
        shape = described.class_axes, described.shared, described.width
        if known is not None and shape != (known.class_axes, known.shared, 1):
            raise ValueError(f"{name} describes {statistic!r} wrongly; sketch again.")
    for statistic, model, numbers, least, most, why in _limits(sketch):
        bad = ~(np.isfinite(numbers) & (least <= numbers) & (numbers <= most))
        if bad.any():
            place = tuple(np.argwhere(bad)[0])
            unit = int(place[0])
            whose = f" of model {model!r}" if model else ""
            what = why.format(n=int(sketch.counts[unit]))
            raise ValueError(
                f"{name}: {statistic!r}{whose} is {numbers[place]:g} in bucket "
                f"{unit % sketch.n_buckets:,}, "
                f"{what}; the sketch is damaged, sketch the predictions again."
            )


def _limits(sketch: Sketch) -> Iterator[Limit]:
    for statistic, model in sketch.numbers:
        yield from _of_range(sketch, statistic, model)
    yield _of_sum(sketch, "count", EVERY_MODEL)
    if not sketch.about.weighted:
        counts = sketch.counts[:, None]
        yield "count", EVERY_MODEL, _weight(sketch), counts, counts, "not the sum of {n:,} samples"
    for model in sketch.models:
        yield from _of_errors(sketch, model)
    if sketch.about.labels is None:
        return
    yield _of_sum(sketch, "support", EVERY_MODEL)
    for model in sketch.models:
        yield from _of_classes(sketch, model, "hits", "predicted", "confusion")
        yield from _of_classes(sketch, model, "soft_hits", "soft_predicted", "soft_confusion")
        yield from _of_decisions(sketch, model)
        yield from _of_losses(sketch, model)


# -- each by itself ---------------------------------------------------------------------------


def _of_range(sketch: Sketch, statistic: str, model: str) -> Iterator[Limit]:
    numbers, n = sketch.numbers[statistic, model], _weight(sketch)
    spare = _spare(sketch, statistic) + np.finfo(np.float64).tiny
    # Sums without samples are 0.
    low, high = (
        np.where(sketch.counts[:, None] > 0, n * end + by if math.isfinite(end) else end, 0.0)
        for end, by in zip(_range(sketch, statistic), (-spare, spare), strict=True)
    )
    yield statistic, model, numbers, low, high, "no sum of {n:,} samples"
    if _is_count(sketch, statistic):
        whole = np.rint(numbers)
        yield statistic, model, numbers, whole, whole, "no whole number"


def _range(sketch: Sketch, statistic: str) -> tuple[float, float]:
    of_two = statistic == "squared_errors" and sketch.access.n_classes == 2
    if of_two or statistic in sketch.about.binary:
        return _SHARE
    starts = (each for each in RANGES if each.endswith("_") and statistic.startswith(each))
    return RANGES.get(statistic) or RANGES.get(next(starts, ""), (-math.inf, math.inf))


def _is_count(sketch: Sketch, statistic: str) -> bool:
    about = sketch.about
    if about.weighted or (about.soft_truth and statistic != "count"):
        return False
    return statistic in about.binary or statistic.startswith(_WHOLE)


def _of_sum(sketch: Sketch, statistic: str, model: str) -> Limit:
    """Limit the sum of the classes' numbers to the samples."""
    total, n = sketch.numbers[statistic, model].sum(axis=1, keepdims=True), _weight(sketch)
    spare = _spare(sketch, statistic)
    least = -math.inf if statistic == "soft_predicted" and _partial(sketch) else n - spare
    return statistic, model, total, least, n + spare, "not the sum of {n:,} samples"


# -- together ---------------------------------------------------------------------------------


def _of_classes(
    sketch: Sketch, model: str, hits: str, predicted: str, cells: str
) -> Iterator[Limit]:
    """Compare hits, predictions and truths with a confusion matrix's diagonal and margins."""
    found = _found(sketch, model, hits, predicted, cells)
    found["support"] = support = sketch.numbers["support", EVERY_MODEL]
    spare = _spare(sketch, hits)
    if predicted in found:
        yield _of_sum(sketch, predicted, model)
    if hits in found:
        right = found[hits]
        yield hits, model, right, -math.inf, support + spare, "more than the class has samples"
    if hits in found and predicted in found:
        named, missed = found[predicted], (support - right).sum(axis=1, keepdims=True)
        why = f"more than {predicted!r} of the class"
        yield hits, model, right, -math.inf, named + spare, why
        # Of each class the misses and the false alarms are not more than all misses.
        why = f"impossible in a confusion matrix with {predicted!r} and 'support'"
        yield hits, model, right, (support + named - missed) / 2 - spare, math.inf, why
    if cells in found:
        matrix = found[cells].reshape(-1, sketch.access.n_classes, sketch.access.n_classes)
        sums = {predicted: matrix.sum(axis=1), hits: np.diagonal(matrix, axis1=1, axis2=2)}
        if not _partial(sketch):
            sums = {"support": matrix.sum(axis=2), **sums}
        for name in [name for name in sums if name in found]:
            least, most = found[name] - spare, found[name] + spare
            yield cells, model, sums[name], least, most, f"not equal to {name!r}"


def _of_decisions(sketch: Sketch, model: str) -> Iterator[Limit]:
    """Bound probabilities by decisions: the predicted class has the largest one."""
    found = _found(sketch, model, "hits", "predicted", "soft_hits", "soft_predicted")
    if len(found) < 4:
        return
    n, support = _weight(sketch), sketch.numbers["support", EVERY_MODEL]
    hits, predicted, soft_hits, _ = found.values()
    # Of the samples of a class, of all, and of those of other classes.
    sides = (
        ("soft_hits", hits, support, 0.0),
        ("soft_predicted", predicted, n, 0.0),
        ("soft_predicted", predicted - hits, n - support, soft_hits),
    )
    spare = _spare(sketch, "soft_hits")
    why = "impossible for probabilities whose largest ones give 'hits' and 'predicted'"
    for statistic, decided, of, beside in sides:
        chance = decided / sketch.access.n_classes
        least = -math.inf if _partial(sketch) else beside + chance - spare
        most = beside + decided + (of - decided) / 2 + spare
        yield statistic, model, found[statistic], least, most, why


def _of_losses(sketch: Sketch, model: str) -> Iterator[Limit]:
    """Bound losses, which are means of functions of the true class's probability."""
    found = _found(sketch, model, "soft_hits", "squared_errors", "negative_log_likelihood")
    if "soft_hits" not in found or sketch.about.soft_truth or _partial(sketch):
        return
    n, k = _weight(sketch), sketch.access.n_classes
    rest = n - found["soft_hits"].sum(axis=1, keepdims=True)
    spare = 10 * SUM_TOLERANCE * n
    positive = np.maximum(n, np.finfo(np.float64).tiny)
    halved = 2 if k == 2 else 1
    mean = np.clip(1 - rest / positive, np.finfo(np.float64).eps, 1)
    bounds = {
        # Jensen's inequality below, the chord above.
        "squared_errors": (rest**2 / positive * k / (k - 1) / halved, 2 * rest / halved),
        "negative_log_likelihood": (-n * np.log(mean), _LOG * rest),
    }
    why = "impossible for probabilities that sum to 'soft_hits'"
    for statistic in [name for name in bounds if name in found]:
        least, most = bounds[statistic]
        yield statistic, model, found[statistic], least - spare, most + spare, why


def _of_errors(sketch: Sketch, model: str) -> Iterator[Limit]:
    """Bound the mean of absolute values by the root mean square."""
    sizes, squares = "absolute_value_errors", "squared_value_errors"
    found = _found(sketch, model, sizes, squares)
    if len(found) == 2:
        most = np.sqrt(np.maximum(_weight(sketch) * found[squares], 0.0)) * (1 + _ROUNDING)
        yield sizes, model, found[sizes], -most, most, f"too much for the squares, {squares!r}"


# -- workers ----------------------------------------------------------------------------------


def _weight(sketch: Sketch) -> FloatArray:
    return sketch.numbers["count", EVERY_MODEL]


def _partial(sketch: Sketch) -> bool:
    return sketch.about.missing_mass


def _found(sketch: Sketch, model: str, *statistics: str) -> dict[str, FloatArray]:
    numbers = sketch.numbers
    return {each: numbers[each, model] for each in statistics if (each, model) in numbers}


def _spare(sketch: Sketch, statistic: str) -> FloatArray:
    """Return the tolerance of a bucket's sum: rows may sum to 1 only approximately."""
    soft = sketch.about.soft_truth or not statistic.startswith(_WHOLE)
    return _weight(sketch) * (SUM_TOLERANCE if soft else _ROUNDING)
