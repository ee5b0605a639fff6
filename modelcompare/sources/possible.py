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
from collections.abc import Mapping
from dataclasses import dataclass

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


def check_possible(sketch: Sketch, name: str) -> None:
    """Refuse a sketch whose numbers are those of no test set, and say which."""
    _Checked(sketch, name).check()


@dataclass(frozen=True)
class _Checked:
    """A sketch, and the file that it came from."""

    sketch: Sketch
    name: str

    def check(self) -> None:
        self._check_shapes()
        for (statistic, model), numbers in self.sketch.numbers.items():
            self._check_range(statistic, model, numbers)
        self._check_sum("count", EVERY_MODEL)
        for model in self.sketch.models:
            self._check_errors(model)
        if self.sketch.about.labels is None:
            return
        self._check_sum("support", EVERY_MODEL)
        for model in self.sketch.models:
            self._check_of_classes(model, "hits", "predicted", "confusion")
            self._check_of_classes(model, "soft_hits", "soft_predicted", "soft_confusion")
            self._check_decisions(model)
            self._check_losses(model)

    # -- each by itself -----------------------------------------------------------------------

    def _check_shapes(self) -> None:
        about, found = self.sketch.about, {each.name: each for each in self.sketch.about.statistics}
        for name in ("count", *(["support"] if about.labels is not None else [])):
            if name not in found:
                raise ValueError(
                    f"{self.name} lacks the statistic {name!r}, which all others need."
                )
        for name, (axes, shared) in SHAPES.items():
            each = found.get(name)
            if each is not None and (each.class_axes, each.shared, each.width) != (axes, shared, 1):
                raise ValueError(f"{self.name} describes {name!r} as no sketch does; sketch again.")

    def _check_range(self, statistic: str, model: str, numbers: FloatArray) -> None:
        low, high = self._range(statistic)
        n = self._weight
        spare = self._spare(statistic) * n + np.finfo(np.float64).tiny
        with np.errstate(invalid="ignore"):
            over, under = numbers > high * n + spare, numbers < low * n - spare
        empty = (self.sketch.counts == 0)[:, None]
        bad = ~np.isfinite(numbers) | over | under | (empty & (numbers != 0))
        told = "no sum of {n:,} samples"
        self._refuse(bad, statistic, model, numbers, told)
        if self._counts(statistic):
            self._refuse(numbers != np.rint(numbers), statistic, model, numbers, "no whole number")

    def _range(self, statistic: str) -> tuple[float, float]:
        if statistic in self.sketch.about.judged:
            return _SHARE
        if statistic == "squared_errors" and self.sketch.n_classes == 2:
            return _SHARE
        found = RANGES.get(statistic)
        if found is None:
            starts = (each for each in RANGES if each.endswith("_") and statistic.startswith(each))
            found = RANGES.get(next(starts, ""), (-math.inf, math.inf))
        return found

    def _counts(self, statistic: str) -> bool:
        about = self.sketch.about
        if about.weighted or (about.soft_truth and statistic != "count"):
            return False
        return statistic in about.judged or statistic.startswith(_WHOLE)

    def _check_sum(self, statistic: str, model: str) -> None:
        """The classes' numbers add up to the samples."""
        total = self.sketch.numbers[statistic, model].sum(axis=1)
        samples, n = self.sketch.counts, self._weight[:, 0]
        bad = (n != samples) & (not self.sketch.about.weighted) if statistic == "count" else False
        spare = self._spare(statistic) * n
        missing = statistic == "soft_predicted" and self.sketch.about.missing_mass
        bad = bad | (total > n + spare) | ((total < n - spare) & (not missing))
        self._refuse(bad[:, None], statistic, model, total[:, None], "not the sum of {n:,} samples")

    # -- together -----------------------------------------------------------------------------

    def _check_of_classes(self, model: str, hits: str, predicted: str, cells: str) -> None:
        """Hits, predictions and truths are the diagonal and the margins of a confusion matrix."""
        found = self._found(model, hits, predicted, cells)
        support, spare = self._support, self._spare(hits) * self._weight
        if predicted in found:
            self._check_sum(predicted, model)
        if hits in found:
            bad = found[hits] > support + spare
            self._refuse(bad, hits, model, found[hits], "more than the class has samples")
        if {hits, predicted} <= {*found}:
            bad = found[hits] > found[predicted] + spare
            self._refuse(bad, hits, model, found[hits], f"more than {predicted!r} of the class")
            missed, wrong = support - found[hits], found[predicted] - found[hits]
            bad = missed + wrong > missed.sum(axis=1, keepdims=True) + 2 * spare
            told = f"in no confusion matrix beside {predicted!r} and 'support'"
            self._refuse(bad, hits, model, found[hits], told)
        if cells in found:
            self._check_cells(model, found, hits, predicted, cells)

    def _check_cells(
        self, model: str, found: Mapping[str, FloatArray], hits: str, predicted: str, cells: str
    ) -> None:
        k = self.sketch.n_classes
        matrix = found[cells].reshape(-1, k, k)
        spare = self._spare(cells) * self._weight
        sums: dict[str, FloatArray] = {
            "support": matrix.sum(axis=2), predicted: matrix.sum(axis=1),
            hits: np.diagonal(matrix, axis1=1, axis2=2),
        }  # fmt: skip
        beside = {**found, "support": self._support}
        for name, told in sums.items():
            if name in beside and not (name == "support" and self.sketch.about.missing_mass):
                bad = np.abs(told - beside[name]) > spare
                self._refuse(bad, cells, model, told, f"not what {name!r} is")

    def _check_decisions(self, model: str) -> None:
        """The predicted class has the largest probability: 1 / k at least, others half at most."""
        found = self._found(model, "hits", "predicted", "soft_hits", "soft_predicted")
        if len(found) < 4:
            return
        k, n, support = self.sketch.n_classes, self._weight, self._support
        sides = (
            ("soft_hits", found["hits"], found["soft_hits"], support),
            ("soft_predicted", found["predicted"], found["soft_predicted"], n),
            ("soft_predicted", found["predicted"] - found["hits"],
             found["soft_predicted"] - found["soft_hits"], n - support),
        )  # fmt: skip
        spare = self._spare("soft_hits") * n
        for statistic, decided, mass, of in sides:
            bad = mass > decided + (of - decided) / 2 + spare
            if not self.sketch.about.missing_mass:
                bad |= mass < decided / k - spare
            told = "not what probabilities add up to whose largest ones make 'hits' and 'predicted'"
            self._refuse(bad, statistic, model, found[statistic], told)

    def _check_losses(self, model: str) -> None:
        """Losses are averages of functions of the true class's probability, which is told too."""
        found = self._found(model, "soft_hits", "squared_errors", "negative_log_likelihood")
        about, n = self.sketch.about, self._weight
        if "soft_hits" not in found or about.soft_truth or about.missing_mass:
            return
        rest = n - found["soft_hits"].sum(axis=1, keepdims=True)
        k, spare = self.sketch.n_classes, 10 * SUM_TOLERANCE * n
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
                told = "not what probabilities have that add up to 'soft_hits'"
                self._refuse(bad, statistic, model, found[statistic], told)

    def _check_errors(self, model: str) -> None:
        """A mean is no larger than that of the sizes, and than the root of that of the squares."""
        names = "value_errors", "absolute_value_errors", "squared_value_errors"
        found = self._found(model, *names)
        signed, sizes, squares = (found.get(name) for name in names)
        n = self._weight
        if signed is not None and sizes is not None:
            bad = np.abs(signed) > sizes * (1 + _ROUNDING)
            self._refuse(bad, names[0], model, signed, f"more than {names[1]!r}")
        for name, sums in ((names[0], signed), (names[1], sizes)):
            if sums is not None and squares is not None:
                bad = sums**2 > n * squares * (1 + _ROUNDING)
                self._refuse(bad, name, model, sums, f"too much for the squares, {names[2]!r}")

    # -- workers ------------------------------------------------------------------------------

    @property
    def _weight(self) -> FloatArray:
        return self.sketch.numbers["count", EVERY_MODEL]

    @property
    def _support(self) -> FloatArray:
        return self.sketch.numbers["support", EVERY_MODEL]

    def _found(self, model: str, *statistics: str) -> dict[str, FloatArray]:
        numbers = self.sketch.numbers
        return {each: numbers[each, model] for each in statistics if (each, model) in numbers}

    def _spare(self, statistic: str) -> float:
        """By what share of the samples a sum may be off: rows may sum to 1 nearly."""
        soft = self.sketch.about.soft_truth or not statistic.startswith(_WHOLE)
        return SUM_TOLERANCE if soft else _ROUNDING

    def _refuse(
        self, bad: BoolArray, statistic: str, model: str, numbers: AnyArray, told: str
    ) -> None:
        """Refuse the first of the numbers that are bad, and tell its bucket."""
        if not bad.any():
            return
        place = tuple(np.argwhere(bad)[0])
        bucket = int(place[0])
        whose = f" of model {model!r}" if model else ""
        what = told.format(n=int(self.sketch.counts[bucket]))
        raise ValueError(
            f"{self.name}: {statistic!r}{whose} is {numbers[place]:g} in bucket {bucket:,}, "
            f"{what}; the sketch is damaged, sketch the predictions again."
        )
