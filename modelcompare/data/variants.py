"""Predictions on the same test set with other models or another truth, and of two test sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.data.attachments import Attachment
from modelcompare.data.checks import frozen, read_only
from modelcompare.data.columns import Made, Source
from modelcompare.data.kinds import Kind
from modelcompare.data.outputs import Computed, Output
from modelcompare.data.predictions import Predictions
from modelcompare.data.test_set import TestSet
from modelcompare.data.truths import of_classes


def with_models(
    predictions: Predictions, outputs: Mapping[str, AnyArray | Computed], kind: Kind
) -> Predictions:
    """Return the same test set with other models, given by new arrays of the form in `Output`."""
    made = {
        model: Output(kind, given if isinstance(given, Computed) else read_only(given))
        for model, given in outputs.items()
    }
    # Other models have no separate runs.
    runs = predictions._own_runs if {*made} == {*predictions.models} else {}
    bounds = predictions.access.scores.bounds if kind.scored else None
    scores = replace(predictions.access.scores, beside=(), bounds=bounds)
    return predictions._replaced(made, _attachments={}, _own_runs=runs, _scores=scores)


def with_probabilities(
    predictions: Predictions, probabilities: Mapping[str, FloatArray]
) -> Predictions:
    """Return the same decisions with other probabilities of the classes."""
    outputs = {
        model: replace(
            predictions.output(model), given=read_only(p), order=None,
            decided=predictions.predicted(model),
        )
        for model, p in probabilities.items()
    }  # fmt: skip
    return predictions._replaced(outputs)


def with_source(
    predictions: Predictions, called: str | None = None, unread: Sequence[str] = (), *,
    made: tuple[Made, ...] = (), pseudo: bool = False,
) -> Predictions:  # fmt: skip
    """Return the same predictions with what is known of their source."""
    called = called or predictions.access.source.called
    source = Source(called, tuple(unread), made, pseudo=pseudo)
    return predictions._replaced(_source=source)


def with_blocks(predictions: Predictions, blocks: IntArray, times: IntArray) -> Predictions:
    """Return the same predictions with clusters that were found by their times and outputs."""
    found = predictions.with_columns(groups=blocks)
    hidden = {"blocks": found.groups, "times": frozen(times)}
    return found._replaced(_columns={**found._columns, **hidden})


def without_attachments(predictions: Predictions, weight: FloatArray | None) -> Predictions:
    """Return the same predictions with other weights and without what plugins attached."""
    columns = {**predictions._columns, "sample_weight": weight}
    return predictions._replaced(_attachments={}, _columns=columns)


def without_slices(predictions: Predictions, names: Sequence[str]) -> Predictions:
    """Return the same predictions without some of their slices."""
    slices = predictions.slices
    left = None if slices is None else slices.drop(columns=[*names])
    return predictions._replaced(_slices=None if left is None or left.empty else left)


def with_attachment(predictions: Predictions, attachment: Attachment) -> Predictions:
    """Return the same predictions with what a plugin attaches to their samples."""
    attached = {**predictions.access.attachments, attachment.name: attachment}
    return predictions._replaced(_attachments=attached)


def times_of_blocks(predictions: TestSet) -> AnyArray | None:
    """Return the order in time of samples whose clusters are those of `with_blocks`, else None."""
    groups, blocks = predictions.groups, predictions._column("blocks")
    # Others may have been given since.
    same = groups is not None and blocks is not None and np.array_equal(groups, blocks)
    return predictions._column("times") if same else None


def with_shares(
    predictions: Predictions, shares: AnyArray, *, ids: AnyArray | None, groups: AnyArray | None
) -> Predictions:  # fmt: skip
    """Return the same outputs with a distribution over the classes as the truth of each sample."""
    _, truth = of_classes(shares, predictions.labels, {}, ())
    columns = {**predictions._columns, **truth, "groups": groups, "items": None}
    return predictions._replaced(_columns={**columns, "ids": None if ids is None else frozen(ids)})


def as_labelled(
    predictions: Predictions, models: Sequence[str], rows: IntArray, weight: FloatArray | None,
    truth: AnyArray,
) -> Predictions:  # fmt: skip
    """Return rows of models, repeated or not, with other weights and true classes or scores.

    The `truth` has scores of each model, or one row of classes.
    """
    outputs = {model: predictions.output(model).rows(rows) for model in models}
    codes = {m: predictions._predicted[m][rows] for m in models if m in predictions._predicted}
    columns: dict[str, Any] = {**dict.fromkeys(predictions._columns), "sample_weight": weight}
    if predictions.labels is None:
        pairs = zip(outputs.items(), truth, strict=True)
        outputs = {model: replace(output, given=scores) for (model, output), scores in pairs}
    else:
        columns |= {"codes": truth[0], "y_true": predictions.labels[truth[0]]}
    return predictions._replaced(
        outputs, _columns=columns, _attachments={}, _slices=None, _own_runs={}, _predicted=codes
    )


def with_missing(predictions: Predictions, missing: Mapping[str, BoolArray]) -> Predictions:
    """Return the same predictions, which know the results that were missing."""
    outputs = {model: predictions.output(model) for model in predictions.models}
    return predictions._replaced(
        {model: replace(output, missing=missing.get(model)) for model, output in outputs.items()}
    )


def joined(first: Predictions, second: Predictions) -> Predictions:
    """Join one model's samples of each of two test sets to one test set.

    Raises
    ------
    ValueError
        If the outputs are of different kinds, or over different labels.
    """
    truth, *types = _types(first)
    if [truth, *types] != _types(second):
        raise ValueError("the two test sets have different output types or labels.")

    # The two share no cluster, and samples weigh 1 on average in each.
    both, access = (first, second), (first.access, second.access)
    mine, others = (each.unit_of for each in access)
    units = mine, mine.max() + 1 + others
    weights = [each.weights / each.weights.mean() for each in access]
    columns: dict[str, Sequence[Any]] = {n: [p._columns[n] for p in both] for n in truth}
    columns |= {"groups": units} if first.groups is not None or second.groups is not None else {}
    if first.runs is not None or second.runs is not None:
        own = (np.zeros(len(p)) if p.runs is None else p.access.runs_of(*p.models) for p in both)
        sides = zip("ab", map(np.asarray, own), strict=True)
        columns["runs"] = [[f"{side} {run}" for run in runs] for side, runs in sides]
    columns |= {"sample_weight": weights} if any(each.weighted for each in access) else {}
    made = {name: read_only(np.concatenate(parts)) for name, parts in columns.items()}
    (model,), (other,) = first.models, second.models
    scores, other_scores = (each.scores for each in access)
    bounds = scores.bounds if scores.bounds == other_scores.bounds else None
    return first._replaced(
        {model: first.output(model).then(second.output(other))},
        _columns={**dict.fromkeys(first._columns), **made},
        _missing_mass=any(each.missing_mass for each in access),
        _scores=replace(scores, bounds=bounds),
        _name=None, _slices=None, _own_runs={}, _attachments={},
    )  # fmt: skip


def _types(p: Predictions) -> list[Any]:
    """Return the columns of the truth, and the types of a test set that another one must share."""
    access = p.access
    truth = [n for n in ("y_true", "codes", "true_distribution") if p._columns.get(n) is not None]
    labels = None if p.labels is None else p.labels.tolist()
    return [truth, labels, *access.kinds.values(), access.scores.names, access.scores.beside]
