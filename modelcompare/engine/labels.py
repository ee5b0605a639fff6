"""True and predicted classes of all models, for every sample or for distinct rows.

Distinct rows are combinations of the true class, all models' predicted classes and the stratum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from modelcompare.arrays import EXACT_COUNTS, AnyArray, BoolArray, FloatArray, IntArray, joint
from modelcompare.data.kinds import LABELS
from modelcompare.data.outputs import Output
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.base import AnyMetric, Metric, Outcomes
from modelcompare.metrics.planning import scores_of
from modelcompare.metrics.quotient import divide

# A multinomial draw over distinct rows is faster only if they are few.
COLLAPSE_AT = 1 / 16
# Distinct rows, as columns of codes, and the number of samples that each represents.
Distinct: TypeAlias = tuple[list[IntArray], IntArray]
# Blocks whose distinct rows are joined at once.
_AT_ONCE = 64
# Share of all weights that rounding leaves where sums cancel.
_CANCELLED = 1e-12


@dataclass(frozen=True)
class Labels:
    """True and predicted classes of all models.

    Attributes
    ----------
    codes : ndarray of int of shape (n_rows,)
        True classes.
    predicted : sequence of ndarrays of int of shape (n_rows,)
        Predicted classes of each model.
    n_classes : int
    multiplicity : ndarray of int of shape (n_rows,)
        Number of samples that a row represents.
    weights : ndarray of shape (n_rows,) or None
        Sample weights, if each row represents one sample.
    strata : ndarray of int of shape (n_rows,) or None
    """

    codes: IntArray
    predicted: Sequence[IntArray]
    n_classes: int
    multiplicity: IntArray
    weights: FloatArray | None = None
    strata: IntArray | None = None

    @classmethod
    def of_each(cls, predictions: TestSet) -> Labels:
        """Return every sample as a row, identical or not."""
        access, weight = predictions.access, predictions.sample_weight
        assert access.codes is not None  # noqa: S101  checked by the caller
        predicted = [predictions.predicted(model) for model in predictions.models]
        times = np.ones(len(predictions), dtype=np.intp)
        return cls(access.codes, predicted, access.n_classes, times, weight)

    @classmethod
    def of_scores(cls, predictions: TestSet, metric: AnyMetric) -> Labels | None:
        """Return each sample as right (1) or wrong (0), for means of scores 0 and 1; else None."""
        if not isinstance(metric, Metric):
            return None
        kind = metric.kind
        if not kind.proportions or metric.of_items or not (metric.is_mean or metric.proportion):
            return None
        scores = [*scores_of(metric, predictions)]
        if not np.isin(scores, (0.0, 1.0)).all():
            return None
        ones, right = np.ones(len(scores[0]), np.intp), [each.astype(np.intp) for each in scores]
        return cls(ones, right, 2, ones, predictions.sample_weight)

    @property
    def n_rows(self) -> int:
        return len(self.codes)

    def outcomes(self, model: int, rows: slice) -> Outcomes:
        """Return the outcomes of some rows for one model."""
        output = Output(LABELS, self.predicted[model][rows])
        return Outcomes(output, self.codes[rows], self.n_classes)

    @property
    def right_or_wrong(self) -> Labels:
        """Labels of the same samples in one class, 1, predicted where a model is right."""
        right = [(named == self.codes).astype(np.intp) for named in self.predicted]
        return replace(self, codes=np.ones_like(self.codes), predicted=right, n_classes=2)

    def powered(self, power: int) -> FloatArray:
        """Return powers of the weights, summed over the samples of each row."""
        if self.weights is None:
            return self.multiplicity.astype(np.float64)
        return self.weights if power == 1 else self.weights**power

    @property
    def support(self) -> FloatArray:
        """Samples of each true class."""
        found = np.bincount(self.codes, self.multiplicity, self.n_classes)
        return found.astype(np.float64)

    @property
    def size_of_others(self) -> float:
        """Effective number of samples outside the most frequent class."""
        count, squares = (np.bincount(self.codes, self.powered(power)) for power in (1, 2))
        most = count.argmax()
        others, of_squares = (np.delete(sums, most).sum() for sums in (count, squares))
        return float(divide(others**2, of_squares, 0.0))

    def pair_cells(self, a: IntArray, b: IntArray, power: int = 1) -> FloatArray:
        """Sum powers of the weights by true class, model a and model b: in each class or not.

        Of shape (n_pairs, n_classes, 2, 2, 2).
        """
        weights = self.powered(power)
        members = np.bincount(self.codes, weights, self.n_classes)
        everything = np.stack([weights.sum() - members, members], axis=-1)
        own, both = self._pair_sums(a, b, power)
        of_a, of_b = own[a], own[b]
        cells = [everything - of_a - of_b + both, of_b - both, of_a - both, both]
        out = np.stack(cells, axis=-1).reshape(*both.shape, 2, 2)
        # Sums that cancel in exact arithmetic are 0.
        return np.where(np.abs(out) <= _CANCELLED * weights.sum(), 0.0, out)

    def _pair_sums(self, a: IntArray, b: IntArray, power: int) -> tuple[FloatArray, FloatArray]:
        """Sum powers of the weights of false alarms and of hits of each class.

        For each model (n_models, n_classes, 2), and for those that models a and b have in common
        (n_pairs, n_classes, 2).
        """
        if self.weights is None and self.n_classes < len(a):
            return self._sums_by_class(a, b)
        # Counting is faster than summing ones.
        weights = None
        if self.weights is not None or self.multiplicity.sum() != self.n_rows:
            weights = self.powered(power)

        def count(classes: IntArray, where: BoolArray) -> AnyArray:
            times = None if weights is None else weights[where]
            return np.bincount(classes[where], times, self.n_classes)

        def tally(named: IntArray, where: BoolArray) -> FloatArray:
            hits = count(self.codes, where & (named == self.codes))
            return np.stack([count(named, where) - hits, hits], axis=-1)

        named = self.predicted
        everywhere = np.ones(self.n_rows, dtype=bool)
        own = np.array([tally(one, everywhere) for one in named])
        both = np.array([tally(named[i], named[i] == named[j]) for i, j in zip(a, b, strict=True)])
        return own, both.reshape(len(a), self.n_classes, 2)

    def _sums_by_class(self, a: IntArray, b: IntArray) -> tuple[FloatArray, FloatArray]:
        """Count false alarms and hits of all pairs in one product for each class."""
        named = np.array(self.predicted)
        own = np.empty((len(named), self.n_classes, 2))
        both = np.empty((len(a), self.n_classes, 2))
        exact = self.multiplicity.sum() < EXACT_COUNTS
        times = self.multiplicity.astype(np.float32 if exact else np.float64)
        for code in range(self.n_classes):
            for place, here in enumerate((self.codes != code, self.codes == code)):
                chosen = (named[:, here] == code).astype(times.dtype)
                joint = (chosen * times[here]) @ chosen.T
                own[:, code, place], both[:, code, place] = np.diagonal(joint), joint[a, b]
        return own, both


def distinct_rows(
    metrics: Sequence[AnyMetric], predictions: TestSet, *, stratify: bool = True, required: bool
) -> Labels | None:
    """Return distinct combinations of the true class, all predicted classes, and the stratum.

    None if metrics depend on more than these, or rows do not weigh the same, or if they are more
    than a small share of the samples, unless they are required.

    Raises
    ------
    ValueError
        If they are required, and metrics or rows do not allow it.
    """
    head = predictions.access.head
    if (
        all(isinstance(m, Metric) and all(s.discrete for s in m.statistics) for m in metrics)
        and head.access.hard_codes is not None
        and head.access.plain
    ):
        return few_rows(predictions, 1 if required else COLLAPSE_AT, stratify=stratify)
    if required:
        raise ValueError(
            "`collapse=True` needs metrics of the true and predicted classes only, and no sample "
            "weights, groups or soft labels; leave `collapse` out."
        )
    return None


def few_rows(
    predictions: TestSet, share: float = COLLAPSE_AT, *, stratify: bool = False
) -> Labels | None:
    """Return the distinct rows of labels if they are at most a share of the samples."""
    most = int(share * len(predictions))
    key = "distinct", share, stratify
    return predictions.access.kept(key, lambda: _few(predictions, most, stratify=stratify))


def labels_of_blocks(predictions: TestSet) -> Labels | None:
    """Return the distinct rows of labels of a test set that is read block by block, if few."""
    access = predictions.access
    hard = access.head.access.hard_codes is not None and not access.weighted
    return few_rows(predictions) if hard and not predictions.kind.real else None


def _few(predictions: TestSet, most: int, *, stratify: bool) -> Labels | None:
    """Return the distinct rows if there are at most a given number of them."""
    parts: list[Distinct] = []
    stratum: IntArray | None = None
    n_before = 0
    for block, times in predictions.access.blocks_of_distinct():
        if stratify and stratum is None:
            # Counted rows have all strata; blocks are numbered by the strata of all rows.
            strata = (predictions if times is None else block).strata
            stratum = None if strata is None else np.unique(strata, return_inverse=True)[1]
        here = slice(n_before, n_before + len(block))
        n_before, own = here.stop, [] if stratum is None else [stratum[here]]
        assert block.access.codes is not None  # noqa: S101  checked by the caller
        columns = [block.access.codes, *(block.predicted(model) for model in block.models), *own]
        parts.append(_distinct(columns, times))
        if len(parts) > _AT_ONCE:
            parts = [_joined(parts)]
            if len(parts[0][1]) > most:
                return None
    (codes, *named), counts = parts[0] if len(parts) == 1 else _joined(parts)
    if len(counts) > most:
        return None
    strata = None if stratum is None else named.pop()
    return Labels(codes, named, predictions.access.n_classes, counts, strata=strata)


def _joined(parts: Sequence[Distinct]) -> Distinct:
    """Return the distinct rows of several parts, in the order of those of a whole test set."""
    columns = zip(*(columns for columns, _ in parts), strict=True)
    counts = np.concatenate([counts for _, counts in parts])
    return _distinct([np.concatenate(column) for column in columns], counts)


def _distinct(columns: Sequence[IntArray], times: IntArray | None) -> Distinct:
    """Return the distinct rows of columns of codes, sorted, and how often each occurs."""
    key = joint(columns)
    n_keys = int(key.max()) + 1
    if n_keys > len(key):
        _, places, key = np.unique(key, return_index=True, return_inverse=True)
        counts = np.bincount(key, times)
    else:
        # Identical rows are counted, not sorted; any of them represents all.
        counts = np.bincount(key, times, n_keys)
        place = np.empty(n_keys, dtype=np.intp)
        place[key] = np.arange(len(key))
        present = np.flatnonzero(counts)
        places, counts = place[present], counts[present]
    return [column[places] for column in columns], counts.astype(np.intp, copy=False)
