"""What no swap of two models' outputs changes, and the bounds of their squares that follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.significance.sieve import SLACK, Span
from modelcompare.significance.swapped_sums import ROUNDING


@dataclass(frozen=True)
class Invariants:
    """What no swap changes of pairs and values, in arrays of one shape.

    Parameters
    ----------
    pooled : ndarray
        Pooled value F0.
    bottom : ndarray
        Sum of the two denominators.
    own, shared : ndarray
        Sums of ``r_a^2 + r_b^2`` and of ``2 r_a r_b``, where r is the residual N - F0 D.
    """

    pooled: FloatArray
    bottom: FloatArray
    own: FloatArray
    shared: FloatArray

    def of(self, pairs: IntArray) -> Invariants:
        """Those of some pairs."""
        return Invariants(*(part[pairs] for part in self._all))

    def at(self, pairs: IntArray, values: IntArray) -> Invariants:
        """Those of single pairs in single values, of shape (n,)."""
        return Invariants(*(part[pairs, values, 0] for part in self._all))

    def squares(
        self, share: FloatArray, square: FloatArray, cross: FloatArray, below: FloatArray
    ) -> FloatArray:
        """Sum of ``((1 - share) r_a - share r_b)^2``, in place of `square`.

        `share` is the first model's part of the denominators; `square`, `cross` and `below` are its
        sums of N^2, N D and D^2, which are used up. With F the first model's sum of r^2 it is
        ``(1 - share)^2 F + share^2 (own - F) - share (1 - share) shared``.
        """
        cross *= -2 * self.pooled
        below *= self.pooled**2
        square += cross
        square += below
        np.multiply(share, self.own + self.shared, out=cross)
        cross -= self.shared
        cross *= share
        np.multiply(share, -2, out=below)
        below += 1
        square *= below
        square += cross
        return square

    def all_usual(self, numerators: Span, denominators: Span) -> bool:
        """Whether every swap leaves both models a numerator and a denominator that are not 0."""
        tiny = ROUNDING * self.bottom
        return all(
            bool((low > tiny).all() and (high < total - tiny).all())
            for (low, high), total in (
                (denominators, self.bottom), (numerators, self.pooled * self.bottom),
            )
        )  # fmt: skip

    def bounds(self, denominators: Span) -> Span:
        """Between which numbers `squares` are, whatever the denominators in their span.

        With ``e = share - 1/2`` they are ``(own - shared) / 4 + e (own - 2 F) + e^2 (own +
        shared)``, and F is from 0 to own: near shares of one half they hardly vary.
        """
        apart = np.maximum(*(np.abs(end / self.bottom - 0.5) for end in denominators))
        reach = (apart + SLACK) * self.own + apart**2 * (self.own + self.shared)
        middle = (self.own - self.shared) / 4
        # Of residuals that are all 0 rounding leaves sums of either sign.
        return np.maximum(middle - reach, 0.0), np.maximum(middle + reach, 0.0)

    def nothing(self, size: float) -> FloatArray:
        """Squared scores that are rounding: of residuals, and of N and F0 D where those are 0."""
        return ROUNDING**2 * np.maximum(size * self.own / 4, (self.pooled * self.bottom) ** 2)

    @property
    def _all(self) -> tuple[FloatArray, ...]:
        return self.pooled, self.bottom, self.own, self.shared


def span_of(numbers: FloatArray) -> Span:
    """Ends of numbers (n_pairs, n_values, n_resamples)."""
    return numbers.min(axis=-1, keepdims=True), numbers.max(axis=-1, keepdims=True)
