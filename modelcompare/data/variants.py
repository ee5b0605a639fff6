"""Predictions on the same test set with other models or outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from modelcompare.arrays import AnyArray
from modelcompare.data.predictions import Predictions
from modelcompare.data.test_set import TestSet


def with_probabilities(predictions: TestSet, probabilities: Mapping[str, ArrayLike]) -> Predictions:
    """Return the same test set with other models, given by probabilities over the same classes."""
    return _rebuilt(predictions, probabilities, "probabilities")


def with_labels(predictions: TestSet, codes: Mapping[str, AnyArray]) -> Predictions:
    """Return the same test set with other models, given by predicted classes."""
    return _rebuilt(predictions, codes, "labels")


def with_arrays(predictions: TestSet, arrays: Sequence[AnyArray]) -> Predictions:
    """Return the same models with other outputs, of the one kind that they all have."""
    return with_outputs(predictions, dict(zip(predictions.models, arrays, strict=True)))


def with_outputs(predictions: TestSet, outputs: Mapping[str, AnyArray]) -> Predictions:
    """Return the same test set with other models, whose outputs are all of one kind."""
    (kind,) = {*predictions.kinds.values()}
    return _rebuilt(predictions, outputs, kind)


def with_shares(
    predictions: TestSet, shares: AnyArray, *, ids: AnyArray | None, groups: AnyArray | None
) -> Predictions:  # fmt: skip
    """Return the same outputs with a distribution over the classes as the truth of each sample."""
    outputs = {model: _given(predictions, model) for model in predictions.models}
    return _rebuilt(predictions, outputs, "auto", y_true=shares, ids=ids, groups=groups)


def joined(first: TestSet, second: TestSet) -> Predictions:
    """Join one model's samples of each of two test sets to one test set.

    Raises
    ------
    ValueError
        If the outputs are of different kinds, or over different labels.
    """
    (model,), (other,) = first.models, second.models
    kinds = first.kinds[model], second.kinds[other]
    labels = [None if p.labels is None else p.labels.tolist() for p in (first, second)]
    scores = first.score_names != second.score_names
    if kinds[0] != kinds[1] or labels[0] != labels[1] or scores:
        raise ValueError("the two test sets have different output types or labels.")

    # The two share no cluster, and samples weigh 1 on average in each.
    units = first.unit_of, first.unit_of.max() + 1 + second.unit_of
    weights = [p.weights / p.weights.mean() for p in (first, second)]
    truths = [each for p in (first, second) if (each := _truth(p)) is not None]
    outputs = first.output(model).array, second.output(other).array
    return _rebuilt(
        first, {model: np.concatenate(outputs)}, kinds[0],
        y_true=np.concatenate(truths) if len(truths) == 2 else None,
        groups=None if first.groups is None and second.groups is None else np.concatenate(units),
        sample_weight=None if not (first.weighted or second.weighted) else np.concatenate(weights),
        missing_mass=first.missing_mass or second.missing_mass,
        bounds=first.bounds if first.bounds == second.bounds else None,
        **dict.fromkeys(("ids", "strata", "runs", "slices", "name")),
    )  # fmt: skip


def _rebuilt(
    predictions: TestSet, outputs: Mapping[str, ArrayLike], kind: Any, **changes: Any
) -> Predictions:  # fmt: skip
    if kind == "labels" and predictions.labels is not None:
        outputs = {model: predictions.labels[np.asarray(a)] for model, a in outputs.items()}
    # Other models have no separate runs.
    found = {model: predictions.runs_of(model) for model in predictions.models}
    own = {*outputs} == {*found} and any(each is not predictions.runs for each in found.values())
    runs: Any = found if own else predictions.runs
    given = {
        "y_true": _truth(predictions), "outputs": outputs, "kind": kind,
        "labels": predictions.labels, "ids": predictions.ids, "groups": predictions.groups,
        "strata": predictions.strata, "runs": runs, "sample_weight": predictions.sample_weight,
        "slices": predictions.slices, "missing_mass": predictions.missing_mass,
        "greater_is_better": predictions.told_direction,
        "bounds": predictions.bounds if kind == "scores" else None,
        "score_names": predictions.score_names, "name": predictions.name,
    }  # fmt: skip
    return Predictions(**{**given, **changes})


def _truth(predictions: TestSet) -> AnyArray | None:
    if predictions.true_distribution is not None:
        return predictions.true_distribution
    return predictions.y_true


def _given(predictions: TestSet, model: str) -> AnyArray:
    output = predictions.output(model)
    if output.kind == "labels" and predictions.labels is not None:
        return predictions.labels[output.array]
    return output.array
