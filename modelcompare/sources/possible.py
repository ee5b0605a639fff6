"""Refuse sums that no test set has: a sketch is believed only where samples could have made it.

What is known of a statistic is the range of one sample's number (`RANGES`), from which that of a
bucket's sum follows, and how statistics go together: classes add up to the samples, a confusion
matrix has the margins and the diagonal that are told, a probability of the predicted class is the
largest. Sums of labels that pass are those of some samples; of probabilities each class is looked
at by itself. Of statistics that are not named here, those of a user's own metrics, only that their
numbers are finite.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np

from modelcompare.arrays import AnyArray, BoolArray, FloatArray
from modelcompare.data.checks import SUM_TOLERANCE
from modelcompare.data.sums import EVERY_MODEL
from modelcompare.sources.sketches import Sketch

# Smallest and largest number of one sample, by the start of the statistic's name.
_SHARE, _AMOUNT = (0.0, 1.0), (0.0, math.inf)
# The largest negative logarithm of what double precision tells from 0.
_LOG = -math.log(np.finfo(np.float64).eps)
RANGES: dict[str, tuple[float, float]] = {
    **dict.fromkeys(
        (
            "count", "support", "hits", "predicted", "soft_hits", "soft_predicted", "confusion",
            "soft_confusion", "reciprocal_rank", "in_top_", "exact_text", "expected_exact_text",
            "calibration_", "murphy_",
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
# How many class axes statistics of classes have, and whether all models share one.
SHAPES: dict[str, tuple[int, bool]] = {
    "count": (0, True), "support": (1, True), "hits": (1, False), "predicted": (1, False),
    "soft_hits": (1, False), "soft_predicted": (1, False), "confusion": (2, False),
    "soft_confusion": (2, False),
}  # fmt: skip
# Sums of weights differ in their last digits.
_ROUNDING = 1e-9

Doubt: TypeAlias = tuple[str, str, AnyArray, BoolArray, str]
"""A statistic, its model, its numbers (or sums of them), which are impossible, and why."""


def check_possible(sketch: Sketch, name: str) -> None:
    """Refuse a sketch whose numbers are those of no test set, and say which."""
    _check_shapes(sketch, name)
    for statistic, model, numbers, bad, why in _doubts(sketch):
        if bad.any():
            place = tuple(np.argwhere(bad)[0])
            bucket = int(place[0])
            whose = f" of model {model!r}" if model else ""
            what = why.format(n=int(sketch.counts[bucket]))
            raise ValueError(
                f"{name}: {statistic!r}{whose} is {numbers[place]:g} in bucket {bucket:,}, "
                f"{what}; the sketch is damaged, sketch the predictions again."
            )


def _check_shapes(sketch: Sketch, name: str) -> None:
    about, found = sketch.about, {each.name: each for each in sketch.about.statistics}
    for statistic in ("count", *(["support"] if about.labels is not None else [])):
        if statistic not in found:
            raise ValueError(f"{name} lacks the statistic {statistic!r}, which all others need.")
    for statistic, (axes, shared) in SHAPES.items():
        each = found.get(statistic)
        if each is not None and (each.class_axes, each.shared, each.width) != (axes, shared, 1):
            raise ValueError(f"{name} describes {statistic!r} as no sketch does; sketch again.")


def _doubts(sketch: Sketch) -> Iterator[Doubt]:
    for (statistic, model), numbers in sketch.numbers.items():
        yield from _of_range(sketch, statistic, model, numbers)
    yield _of_sum(sketch, "count", EVERY_MODEL)
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


def _of_range(sketch: Sketch, statistic: str, model: str, numbers: FloatArray) -> Iterator[Doubt]:
    (low, high), n = _range(sketch, statistic), _weight(sketch)
    spare = _spare(sketch, statistic) + np.finfo(np.float64).tiny
    with np.errstate(invalid="ignore"):
        bad = (numbers > high * n + spare) | (numbers < low * n - spare)
    empty = (sketch.counts == 0)[:, None]
    bad |= ~np.isfinite(numbers) | (empty & (numbers != 0))
    yield statistic, model, numbers, bad, "no sum of {n:,} samples"
    if _is_count(sketch, statistic):
        yield statistic, model, numbers, numbers != np.rint(numbers), "no whole number"


def _range(sketch: Sketch, statistic: str) -> tuple[float, float]:
    of_two = statistic == "squared_errors" and sketch.n_classes == 2
    if of_two or statistic in sketch.about.judged:
        return _SHARE
    starts = (each for each in RANGES if each.endswith("_") and statistic.startswith(each))
    return RANGES.get(statistic) or RANGES.get(next(starts, ""), (-math.inf, math.inf))


def _is_count(sketch: Sketch, statistic: str) -> bool:
    about = sketch.about
    if about.weighted or (about.soft_truth and statistic != "count"):
        return False
    return statistic in about.judged or statistic.startswith(_WHOLE)


def _of_sum(sketch: Sketch, statistic: str, model: str) -> Doubt:
    """The classes' numbers add up to the samples."""
    total, n = sketch.numbers[statistic, model].sum(axis=1, keepdims=True), _weight(sketch)
    spare = _spare(sketch, statistic)
    bad = total > n + spare
    if not (statistic == "soft_predicted" and sketch.about.missing_mass):
        bad |= total < n - spare
    if statistic == "count" and not sketch.about.weighted:
        bad |= n != sketch.counts[:, None]
    return statistic, model, total, bad, "not the sum of {n:,} samples"


# -- together ---------------------------------------------------------------------------------


def _of_classes(
    sketch: Sketch, model: str, hits: str, predicted: str, cells: str
) -> Iterator[Doubt]:
    """Hits, predictions and truths are the diagonal and the margins of a confusion matrix."""
    found, support = _found(sketch, model, hits, predicted, cells), _support(sketch)
    spare = _spare(sketch, hits)
    if predicted in found:
        yield _of_sum(sketch, predicted, model)
    if hits in found:
        right = found[hits]
        yield hits, model, right, right > support + spare, "more than the class has samples"
        if predicted in found:
            bad = right > found[predicted] + spare
            yield hits, model, right, bad, f"more than {predicted!r} of the class"
            missed, wrong = support - right, found[predicted] - right
            bad = missed + wrong > missed.sum(axis=1, keepdims=True) + 2 * spare
            why = f"in no confusion matrix beside {predicted!r} and 'support'"
            yield hits, model, right, bad, why
    if cells in found:
        matrix = found[cells].reshape(-1, sketch.n_classes, sketch.n_classes)
        sums: dict[str, FloatArray] = {
            predicted: matrix.sum(axis=1), hits: np.diagonal(matrix, axis1=1, axis2=2)
        }  # fmt: skip
        beside: Mapping[str, FloatArray] = found
        if not sketch.about.missing_mass:
            sums, beside = {"support": matrix.sum(axis=2), **sums}, {**found, "support": support}
        for name in [name for name in sums if name in beside]:
            bad = np.abs(sums[name] - beside[name]) > spare
            yield cells, model, sums[name], bad, f"not what {name!r} is"


def _of_decisions(sketch: Sketch, model: str) -> Iterator[Doubt]:
    """The predicted class has the largest probability: 1 / k at least, others half at most."""
    found = _found(sketch, model, "hits", "predicted", "soft_hits", "soft_predicted")
    if len(found) < 4:
        return
    n, support = _weight(sketch), _support(sketch)
    hits, predicted, soft_hits, soft_predicted = found.values()
    sides = (
        ("soft_hits", hits, soft_hits, support),
        ("soft_predicted", predicted, soft_predicted, n),
        ("soft_predicted", predicted - hits, soft_predicted - soft_hits, n - support),
    )
    spare = _spare(sketch, "soft_hits")
    for statistic, decided, mass, of in sides:
        bad = mass > decided + (of - decided) / 2 + spare
        if not sketch.about.missing_mass:
            bad |= mass < decided / sketch.n_classes - spare
        why = "not what probabilities add up to whose largest ones make 'hits' and 'predicted'"
        yield statistic, model, found[statistic], bad, why


def _of_losses(sketch: Sketch, model: str) -> Iterator[Doubt]:
    """Losses are averages of functions of the true class's probability, which is told too."""
    found = _found(sketch, model, "soft_hits", "squared_errors", "negative_log_likelihood")
    if "soft_hits" not in found or sketch.about.soft_truth or sketch.about.missing_mass:
        return
    n, k = _weight(sketch), sketch.n_classes
    rest = n - found["soft_hits"].sum(axis=1, keepdims=True)
    spare = 10 * SUM_TOLERANCE * n
    held = np.maximum(n, np.finfo(np.float64).tiny)
    halved = 2 if k == 2 else 1
    mean = np.clip(1 - rest / held, np.finfo(np.float64).eps, 1)
    bounds = {
        # Jensen's inequality below, the chord above.
        "squared_errors": (rest**2 / held * k / (k - 1) / halved, 2 * rest / halved),
        "negative_log_likelihood": (-n * np.log(mean), _LOG * rest),
    }
    for statistic, (low, high) in bounds.items():
        if statistic in found:
            bad = (found[statistic] < low - spare) | (found[statistic] > high + spare)
            why = "not what probabilities have that add up to 'soft_hits'"
            yield statistic, model, found[statistic], bad, why


def _of_errors(sketch: Sketch, model: str) -> Iterator[Doubt]:
    """A mean is no larger than that of the sizes, and than the root of that of the squares."""
    signed, sizes, squares = "value_errors", "absolute_value_errors", "squared_value_errors"
    found = _found(sketch, model, signed, sizes, squares)
    if {signed, sizes} <= {*found}:
        bad = np.abs(found[signed]) > found[sizes] * (1 + _ROUNDING)
        yield signed, model, found[signed], bad, f"more than {sizes!r}"
    if squares in found:
        most = _weight(sketch) * found.pop(squares) * (1 + _ROUNDING)
        for name, sums in found.items():
            yield name, model, sums, sums**2 > most, f"too much for the squares, {squares!r}"


# -- workers ----------------------------------------------------------------------------------


def _weight(sketch: Sketch) -> FloatArray:
    return sketch.numbers["count", EVERY_MODEL]


def _support(sketch: Sketch) -> FloatArray:
    return sketch.numbers["support", EVERY_MODEL]


def _found(sketch: Sketch, model: str, *statistics: str) -> dict[str, FloatArray]:
    numbers = sketch.numbers
    return {each: numbers[each, model] for each in statistics if (each, model) in numbers}


def _spare(sketch: Sketch, statistic: str) -> FloatArray:
    """By how much the sum of a bucket may be off: rows may sum to 1 nearly."""
    soft = sketch.about.soft_truth or not statistic.startswith(_WHOLE)
    return _weight(sketch) * (SUM_TOLERANCE if soft else _ROUNDING)
