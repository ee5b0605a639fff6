"""What pairs of models did with the samples of each class, and with the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.units import DistinctRows

# Counts below are exact in single precision.
_MOST_COUNTED = 2**24


@dataclass(frozen=True)
class PairCounts:
    """What two models did with the samples of a class (first two columns) and with the others.

    Each of shape (n_pairs, n_values, 2): of the members of the class, those predicted as such; of
    the others, those predicted as the class, too.

    Parameters
    ----------
    both, neither : ndarray
        Samples so predicted by both models, and by neither.
    only_a, only_b : ndarray
        By one model alone.
    """

    both: FloatArray
    neither: FloatArray
    only_a: FloatArray
    only_b: FloatArray

    @property
    def discordant(self) -> FloatArray:
        """Samples whose outputs a swap moves."""
        return self.only_a + self.only_b

    @classmethod
    def per_class(cls, rows: DistinctRows, a: IntArray, b: IntArray) -> PairCounts:
        """Counts of every class."""
        tally = _by_class if rows.n_classes < len(a) else _by_pair
        own, both = tally(rows, a, b)
        support = np.bincount(rows.codes, rows.multiplicity, rows.n_classes)
        members = np.stack([support, rows.multiplicity.sum() - support], axis=-1)
        return cls._of(both, own[a], own[b], members)

    @classmethod
    def overall(cls, rows: DistinctRows, a: IntArray, b: IntArray) -> PairCounts:
        """Counts of right answers; there are no others."""
        right = np.array([said == rows.codes for said in rows.predicted.values()], float)
        joint = (right * rows.multiplicity) @ right.T
        own = np.diagonal(joint)

        def column(numbers: FloatArray) -> FloatArray:
            return np.stack([numbers, np.zeros_like(numbers)], axis=-1)[:, None]

        members = np.array([rows.multiplicity.sum(), 0.0])
        return cls._of(column(joint[a, b]), column(own[a]), column(own[b]), members)

    @classmethod
    def _of(
        cls, both: FloatArray, own_a: FloatArray, own_b: FloatArray, members: FloatArray
    ) -> PairCounts:
        neither = members - own_a - own_b + both
        return cls(both, neither, own_a - both, own_b - both)


def _by_class(rows: DistinctRows, a: IntArray, b: IntArray) -> tuple[FloatArray, FloatArray]:
    """Hits and false alarms (n_models or n_pairs, n_classes, 2), of all pairs in one product."""
    said = np.array([*rows.predicted.values()])
    own = np.empty((len(said), rows.n_classes, 2))
    both = np.empty((len(a), rows.n_classes, 2))
    exact = rows.multiplicity.sum() < _MOST_COUNTED
    times = rows.multiplicity.astype(np.float32 if exact else np.float64)
    for code in range(rows.n_classes):
        for place, here in enumerate((rows.codes == code, rows.codes != code)):
            chosen = (said[:, here] == code).astype(times.dtype)
            joint = (chosen * times[here]) @ chosen.T
            own[:, code, place], both[:, code, place] = np.diagonal(joint), joint[a, b]
    return own, both


def _by_pair(rows: DistinctRows, a: IntArray, b: IntArray) -> tuple[FloatArray, FloatArray]:
    """The same, of all classes of a pair in one go."""
    codes, said = rows.codes, [*rows.predicted.values()]
    # Sums of ones are counted faster than added up.
    alone = rows.n_rows == rows.multiplicity.sum()

    def count(classes: IntArray, where: BoolArray) -> AnyArray:
        times = None if alone else rows.multiplicity[where].astype(np.float64)
        return np.bincount(classes[where], times, rows.n_classes)

    def tally(chosen: IntArray, where: BoolArray) -> FloatArray:
        hits = count(codes, where & (chosen == codes))
        return np.stack([hits, count(chosen, where) - hits], axis=-1)

    everywhere = np.ones(rows.n_rows, dtype=bool)
    own = np.array([tally(one, everywhere) for one in said])
    both = np.array([tally(said[i], said[i] == said[j]) for i, j in zip(a, b, strict=True)])
    return own, both.reshape(len(a), rows.n_classes, 2)


def pair_counts(evaluation: Evaluation, a: IntArray, b: IntArray, *, per_class: bool) -> PairCounts:
    """Counts of every class, or of right answers; gone through once for all metrics."""
    count = PairCounts.per_class if per_class else PairCounts.overall
    return evaluation.once(
        ("pair counts", per_class, a.tobytes(), b.tobytes()),
        lambda: count(labelled_rows(evaluation), a, b),
    )


def labelled_rows(evaluation: Evaluation) -> DistinctRows:
    """True and predicted classes, which must be there."""
    if evaluation.labelled is None:
        raise ValueError("counts of a class need true labels.")
    return evaluation.labelled
