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

    @classmethod
    def per_class(cls, rows: Labels, a: IntArray, b: IntArray) -> PairCounts:
        """Counts of every class."""
        own, both = rows.pair_sums(a, b)
        members = np.stack([rows.support, rows.multiplicity.sum() - rows.support], axis=-1)
        neither = members - own[a] - own[b] + both
        return cls(both, neither, own[a] - both, own[b] - both)

    @classmethod
    def overall(cls, rows: Labels, a: IntArray, b: IntArray) -> PairCounts:
        """Counts of right answers; there are no others."""
        found = cls.per_class(rows.right_or_wrong, a, b)
        return cls(*(x[:, 1:] for x in (found.both, found.neither, found.only_a, found.only_b)))


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
