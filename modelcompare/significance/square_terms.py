"""Which sums the squares of residuals ``N - F D`` need beyond those of the statistics themselves.

The squares are ``N^2 - 2 F N D + F^2 D^2``. Many of these products are combinations of the
statistics or of one another: with counts of 0 and 1 all are, of soft counts all but two are shared
by every metric of them. What is a combination is found from the numbers: two columns whose sums
agree under random weights are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modelcompare.arrays import FloatArray

# Random weights under which sums are compared.
N_WEIGHTS = 16
# Places of N^2, N D and D^2 in the order in which they are looked for.
_ORDER = (0, 2, 1)
# What rounding leaves of sums; residuals may be as much smaller than N and D.
_TOLERANCE = 1e-12
# Weights are rounded, so that what cancels is 0; of larger ones rounding would leave noise.
_DECIMALS = 9
_LARGEST = 1e3


@dataclass(frozen=True)
class SquareTerms:
    """N^2, N D and D^2 of some metrics, each a combination of sources.

    Sources are the statistics, then N and D of each metric, then the products that are needed.

    Attributes
    ----------
    products : tuple of (int, int)
        Products that are no combination: of which metric, and which of the three.
    weights : tuple of tuple of dict
        Weight of each source, by its place, for the three products of each metric.
    """

    products: tuple[tuple[int, int], ...]
    weights: tuple[tuple[dict[int, float], ...], ...]

    @classmethod
    def of(
        cls, sources: Sequence[FloatArray], squares: Sequence[Sequence[FloatArray]]
    ) -> SquareTerms:
        """Find combinations.

        Parameters
        ----------
        sources : sequence of ndarray of shape (n_weights, n_models or 1, width)
            Sums, under random weights, of the statistics and then of each metric's N and D.
        squares : sequence of three such arrays for each metric
            Of N^2, N D and D^2.
        """
        n_statistics = len(sources) - 2 * len(squares)
        known, products = list(sources), []
        weights: list[tuple[dict[int, float], ...]] = [()] * len(squares)

        def size(metric: int) -> float:
            first = n_statistics + 2 * metric
            return sum(float(np.abs(part).sum()) for part in sources[first : first + 2])

        # Squares of little are often a part of others, and the others never of them.
        for metric in sorted(range(len(squares)), key=size):
            targets = squares[metric]
            own = range(n_statistics + 2 * metric, n_statistics + 2 * metric + 2)
            found: list[dict[int, float]] = [{}, {}, {}]
            for place in _ORDER:
                # Products first: where strata weigh nearly alike, statistics are nearly those.
                kept = range(len(sources), len(known))
                for candidates in (kept, [*range(n_statistics), *kept], [*own, *kept]):
                    found[place] = _combination(known, candidates, targets[place])
                    if found[place]:
                        break
                else:
                    found[place] = {len(known): 1.0}
                    known.append(targets[place])
                    products.append((metric, place))
            weights[metric] = tuple(found)
        return cls(tuple(products), tuple(weights))

    def hold_crosswise(
        self, linear: Sequence[FloatArray], crossed: Sequence[Sequence[FloatArray]]
    ) -> bool:
        """Whether products of two models' numbers are the same combinations as those of one's.

        They are where a combination holds for any numbers, and not because those of each model are
        0 or 1.

        Parameters
        ----------
        linear : sequence of ndarray
            What stands for sources that are no products: means of the two models'.
        crossed : sequence of three arrays for each metric
            Sums of N N', (N D' + D N') / 2 and D D'.
        """
        sources = [*linear, *(crossed[metric][place] for metric, place in self.products)]
        sizes = self.sums([np.abs(source) for source in sources], size=True)
        return all(
            bool((np.abs(found - wanted) <= _TOLERANCE * (size + np.abs(wanted))).all())
            for of_metric in zip(self.sums(sources), crossed, sizes, strict=True)
            for found, wanted, size in zip(*of_metric, strict=True)
        )

    def sums(self, sources: Sequence[FloatArray], *, size: bool = False) -> list[list[FloatArray]]:
        """Sums of the three products of each metric from those of all sources.

        Of their sizes the `size` of the terms together.
        """
        return [
            [_combined([(abs(weight) if size else weight, sources[place])
                        for place, weight in each.items()])
             for each in of_metric]
            for of_metric in self.weights
        ]  # fmt: skip


def _combined(terms: Sequence[tuple[float, FloatArray]]) -> FloatArray:
    (weight, first), *others = terms
    total = weight * first
    for weight, source in others:
        total = total + weight * source
    return total


def _combination(
    sources: Sequence[FloatArray], candidates: Sequence[int], target: FloatArray
) -> dict[int, float]:
    """Weights of candidates of the target's width that add up to it; empty if none do."""
    chosen = [place for place in candidates if sources[place].shape[-1] == target.shape[-1]]
    # As many numbers as equations solve anything; other models' equations may be the same ones.
    n_equations = target.shape[0] * target.shape[-1]
    if not chosen or 2 * len(chosen) > n_equations:
        return {}
    shape = np.broadcast_shapes(target.shape, *(sources[place].shape for place in chosen))
    design = np.stack([np.broadcast_to(sources[p], shape).ravel() for p in chosen], axis=1)
    wanted = np.broadcast_to(target, shape).ravel()
    scale = np.maximum(np.abs(design).max(axis=0), np.finfo(float).tiny)
    found = np.linalg.lstsq(design / scale, wanted, rcond=None)[0]
    weights = np.round(found / scale, _DECIMALS)
    size = np.abs(design) @ np.abs(weights) + np.abs(wanted)
    apart = np.abs(design @ weights - wanted)
    if np.abs(weights).max() > _LARGEST or (apart > _TOLERANCE * size).any():
        return {}
    needed = {place: float(w) for place, w in zip(chosen, weights, strict=True) if w}
    return needed or {chosen[0]: 0.0}
