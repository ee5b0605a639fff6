"""What pairs of models did with the samples of each class, and with the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.labels import Labels


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
    def per_class(cls, rows: Labels, a: IntArray, b: IntArray) -> PairCounts:
        """Counts of every class."""
        own, both = rows.pair_sums(a, b)
        members = np.stack([rows.support, rows.multiplicity.sum() - rows.support], axis=-1)
        return cls._of(both, own[a], own[b], members)

    @classmethod
    def overall(cls, rows: Labels, a: IntArray, b: IntArray) -> PairCounts:
        """Counts of right answers; there are no others."""
        right = np.array([said == rows.codes for said in rows.predicted], float)
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


def pair_counts(evaluation: Evaluation, a: IntArray, b: IntArray, *, per_class: bool) -> PairCounts:
    """Counts of every class, or of right answers; gone through once for all metrics."""
    count = PairCounts.per_class if per_class else PairCounts.overall
    return evaluation.once(
        ("pair counts", per_class, a.tobytes(), b.tobytes()),
        lambda: count(labelled_rows(evaluation), a, b),
    )


def labelled_rows(evaluation: Evaluation) -> Labels:
    """True and predicted classes, which must be there."""
    if evaluation.labelled is None:
        raise ValueError("counts of a class need true labels.")
    return evaluation.labelled
