"""Ratios of one class's counts, declared by what a sample of each outcome adds to them.

For one class a sample is a true positive (TP), a false negative (FN), a false positive (FP) or a
true negative (TN). Recall is ``TP / (TP + FN)``, F1 is ``2 TP / (2 TP + FN + FP)``. A metric whose
record holds its `ClassRatio` has intervals in closed form, a test that counts all swaps, and bounds
of missing results: nothing else needs to be known of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from modelcompare.arrays import FloatArray

Four = tuple[float, float, float, float]
_ROUNDING = 1e-12


@dataclass(frozen=True)
class ClassRatio:
    """Contributions of a sample to a ratio's numerator and denominator.

    Called with totals of hits, predicted and support (or of their soft twins), each of shape
    (..., n_classes), it gives numerators and denominators of that shape.

    Parameters
    ----------
    numerator, denominator : tuple of 4 floats
        Of a true positive, a false negative, a false positive and a true negative.

    Examples
    --------
    >>> miss_rate = ClassRatio(numerator=(0, 1, 0, 0), denominator=(1, 1, 0, 0))
    >>> hits, predicted, support = np.array([[8.0, 3.0], [9.0, 4.0], [10.0, 3.0]])
    >>> miss_rate(hits, predicted, support)
    (array([2., 0.]), array([10.,  3.]))
    """

    numerator: Four
    denominator: Four

    def __call__(
        self, hits: FloatArray, predicted: FloatArray, support: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        numerator, denominator = (
            _combined(four, hits, predicted, support) for four in (self.numerator, self.denominator)
        )
        return numerator, denominator

    def of_sample(self, n_classes: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return what one sample adds to the sums over classes: if it is right, and if wrong."""
        right, wrong = (
            (
                four[0] + (n_classes - 1) * four[3],
                four[1] + four[2] + (n_classes - 2) * four[3],
            )
            for four in (self.numerator, self.denominator)
        )  # fmt: skip
        return (right[0], wrong[0]), (right[1], wrong[1])

    @property
    def is_of_class_alone(self) -> bool:
        """Return whether true negatives add nothing."""
        return self.numerator[3] == self.denominator[3] == 0

    @property
    def is_share(self) -> bool:
        """Return whether there are successes, all of one weight, and failures."""
        top, bottom = np.array(self.numerator), np.array(self.denominator)
        alike = (top == bottom) & (top == top.max())
        return bool(top.max() > 0 and bottom.min() >= 0 and (alike | (top == 0)).all()) and bool(
            self.failure.any()
        )

    @property
    def success(self) -> FloatArray:
        """1 for the outcomes that are successes."""
        return (np.array(self.numerator) != 0).astype(np.float64)

    @property
    def failure(self) -> FloatArray:
        """1 for the outcomes that are failures."""
        return (np.array(self.denominator) != 0) - self.success

    @property
    def success_weight(self) -> float:
        """Weight of a success, a."""
        return max(self.numerator)

    @property
    def failure_weights(self) -> FloatArray:
        """Weights of the failures, 0 for other outcomes."""
        return np.array(self.denominator) * self.failure


def _combined(
    four: Four, hits: FloatArray, predicted: FloatArray, support: FloatArray
) -> FloatArray:
    """Weigh the four outcomes, as TP = hits, FN = support - hits and FP = predicted - hits."""
    tp, fn, fp, tn = four
    # Weights that cancel, such as those of F0.3, leave what rounding does of them.
    of_hits = tp - fn - fp + tn
    of_hits = of_hits if abs(of_hits) > _ROUNDING * max(map(abs, four)) else 0.0
    # In this order sums of whole numbers and of weights round as the textbook formulas do.
    terms = [(fn - tn, support), (fp - tn, predicted), (of_hits, hits)]
    if tn:
        terms.insert(0, (tn, support.sum(axis=-1, keepdims=True)))
    found: FloatArray | None = None
    for weight, counts in terms:
        if weight:
            term = counts if weight == 1 else weight * counts
            found = term if found is None else found + term
    return np.zeros_like(support) if found is None else found
