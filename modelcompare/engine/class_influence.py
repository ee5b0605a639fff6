"""Influences on the values of many classes, restricted to the units that affect each class.

A sample affects only the values of its true class and of its predicted class. With many classes
most influences are 0, and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeGuard

import numpy as np

from modelcompare.arrays import PASS_BYTES, FloatArray, IntArray
from modelcompare.engine.blocks import in_steps
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.leave_out import without
from modelcompare.engine.statistics import MANY_COLUMNS
from modelcompare.metrics.base import AnyMetric, Metric


def has_few_influences(metric: AnyMetric, evaluation: Evaluation) -> TypeGuard[Metric]:
    """True if a metric has a value for each of many classes, affected by few samples each."""
    p = evaluation.predictions
    if not (isinstance(metric, Metric) and metric.per_class and p.access.n_classes >= MANY_COLUMNS):
        return False
    one = slice(0, 1)
    outcomes = evaluation.outcomes(p.models[0], one)
    return (
        p.groups is None
        and evaluation.units.strata is None
        and all(evaluation.entries(s, outcomes, one) is not None for s in metric.statistics)
        and metric.class_ratio is not None
        and metric.class_ratio.is_of_class_alone
    )


def class_influences(
    evaluation: Evaluation, metric: Metric, estimate: FloatArray
) -> Iterator[tuple[int, IntArray, FloatArray]]:
    """Yield influences on each class's value, some units at a time.

    Parameters
    ----------
    evaluation : Evaluation
        Models and units.
    metric : Metric
        A metric for which `has_few_influences` is true.
    estimate : ndarray of shape (n_models, n_classes)
        Its values.

    Yields
    ------
    code : int
        The class.
    units : ndarray of int of shape (n_some,)
        Units that affect it, for any model.
    influence : ndarray of shape (n_models, n_some)
        NaN for a unit without which the value is undefined.
    """
    n_models = len(evaluation.models)
    step = max(1, PASS_BYTES // (8 * n_models * (n_models + 1)))
    for rows in in_steps(evaluation.units.row_blocks(), step):
        found = [
            _of_model(evaluation, metric, estimate, position, rows) for position in range(n_models)
        ]
        model = np.repeat(np.arange(n_models), [len(units) for _, units, _ in found])
        codes, units, influence = (np.concatenate(part) for part in zip(*found, strict=True))
        pairs, place = np.unique(codes * evaluation.units.n_units + units, return_inverse=True)
        matrix = np.zeros((n_models, len(pairs)))
        matrix[model, place] = influence
        code, unit = np.divmod(pairs, evaluation.units.n_units)
        edges = np.flatnonzero(np.diff(code, prepend=-1, append=estimate.shape[1]))
        for first, last in pairwise(edges.tolist()):
            yield int(code[first]), unit[first:last], matrix[:, first:last]


def _of_model(
    evaluation: Evaluation, metric: Metric, estimate: FloatArray, position: int, rows: slice
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return class, unit and influence of the samples of one model on the classes they affect."""
    totals = evaluation.parts(metric, evaluation.grand_total)
    outcomes = evaluation.outcomes(evaluation.models[position], rows)
    entries = [evaluation.entries(s, outcomes, rows) for s in metric.statistics]
    codes, numbers = (np.stack(part) for part in zip(*(e[1:] for e in entries if e), strict=True))
    out = []
    for place, chosen in enumerate(codes):
        # Each class once, even if several statistics have it.
        here = np.flatnonzero((codes[:place] != chosen).all(axis=0))
        code, left = chosen[here], []
        for part, other, number in zip(totals, codes, numbers, strict=True):
            total = part[min(position, len(part) - 1), code]
            rest = without(total, np.where(other[here] == code, number[here], 0.0))
            left.append(rest[:, None])
        change = estimate[position, code] - metric.value(*left)[:, 0]
        out.append((code, rows.start + here, (evaluation.units.size - 1) * change))
    joined = [np.concatenate(part) for part in zip(*out, strict=True)]
    affects = joined[2] != 0
    return joined[0][affects], joined[1][affects], joined[2][affects]
