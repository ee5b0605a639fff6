"""Predictions from confidences that are not full distributions: n-best lists, and bins."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arguments import checked
from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.data import checks
from modelcompare.data.predictions import Predictions
from modelcompare.data.truths import occurring
from modelcompare.plugins.confidences.words import Listed, Unlisted
from modelcompare.words import (
    check_mapping,
    check_number,
    check_sequence,
    shown,
)

# Answers of a list, with their probabilities.
Answers = list[tuple[Any, float]]
NBest = Sequence[Sequence[tuple[Any, float]] | Mapping[Any, float]]


@checked(Predictions)
def from_nbest(
    y_true: ArrayLike, lists: Mapping[str, NBest], *, kind: Listed = "labels",
    labels: ArrayLike | None = None, unlisted: Unlisted = "unassigned", **options: Any,
) -> Predictions:  # fmt: skip
    """Make predictions from truncated lists of the likeliest answers and their probabilities.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, or reference texts.
    lists : mapping of str to sequence
        For each model and sample, pairs of (answer, probability) in any order, or a mapping. Their
        probabilities sum to 1 or less.
    kind : {"labels", "texts"}
        Type of the answers. ``cslot_error_rate`` and ``cspan_f1`` take the expectation over a list
        of texts, other metrics of texts the likeliest one.
    labels : array-like, optional
        The classes; those that occur in `y_true` or a list, sorted, by default.
    unlisted : {"unassigned", "spread"}
        Treatment of the probability that a list of labels leaves out: it goes to no class, so that
        classes that are not listed get none; or in equal shares to these classes. With texts it is
        the probability of an empty text.
    **options
        As for Predictions.

    Raises
    ------
    ValueError
        If a list is empty, repeats an answer, or sums to more than 1.

    Examples
    --------
    >>> preds = from_nbest(["day", "city"], {"nlu": [[("city", 0.5), ("day", 0.3)], {"city": 0.9}]})
    >>> preds.probabilities("nlu").round(2).tolist()
    [[0.5, 0.3], [0.9, 0.0]]
    >>> missing_mass(preds).round(3).to_dict()
    {'nlu': 0.15}
    """
    check_mapping("lists", lists, "lists, e.g. {'nlu': [[('city', 0.9)]]}")
    given = {model: check_sequence("lists", rows, "lists") for model, rows in lists.items()}
    pairs = {model: [_answers(model, row) for row in rows] for model, rows in given.items()}
    if kind == "texts":
        _check_lists(pairs, len(check_sequence("y_true", y_true, "texts")))
        arrays = {m: np.fromiter(map(tuple, rows), dtype=object) for m, rows in pairs.items()}
        return Predictions(y_true, arrays, kind="text_lists", **options)
    truth = checks.as_array(y_true, "`y_true`")
    if truth.ndim != 1:
        raise ValueError(f"`y_true` must have shape (n_samples,), got {truth.shape}.")
    _check_lists(pairs, len(truth))
    if labels is None:
        answers = [[answer for answer, _ in row] for rows in pairs.values() for row in rows]
        labels = occurring([truth.tolist(), *answers]).tolist()
    classes = checks.as_array(labels)
    return Predictions(
        y_true, {model: _matrix(model, rows, classes, unlisted) for model, rows in pairs.items()},
        kind="probabilities", labels=classes, missing_mass=True, **options,
    )  # fmt: skip


@checked(Predictions)
def from_bins(
    y_true: ArrayLike, y_pred: Mapping[str, ArrayLike], bins: Mapping[str, ArrayLike],
    values: Mapping[Hashable, float] | Literal["fit"], *, labels: ArrayLike | None = None,
    unlisted: Unlisted = "spread", **options: Any,
) -> Predictions:  # fmt: skip
    """Make predictions from labels with a quantized confidence, such as HIGH, MED or LOW.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred, bins : mapping of str to array-like of shape (n_samples,)
        For each model its labels, and the bin of its confidence in each. Bins are names of
        any origin; `modelcompare.metrics.ece` puts a number on an edge into the bin above.
    values : mapping of bin to float, or "fit"
        The confidence of each bin; "fit" takes each model's fraction of correct labels in the bin
        on this test set. `bin_values` fits on other data, which are independent of this test set.
    labels : array-like, optional
        The classes; those that occur, sorted, by default.
    unlisted : {"unassigned", "spread"}
        Treatment of the rest of the probability, as in `from_nbest`.
    **options
        As for Predictions.

    Raises
    ------
    ValueError
        If a bin has no value, a value is outside [0, 1], or the rest, spread over the other
        classes, would exceed the predicted one.

    Examples
    --------
    >>> preds = from_bins([0, 1, 1], {"a": [0, 1, 0]}, {"a": ["HIGH", "LOW", "LOW"]},
    ...                   {"HIGH": 0.9, "LOW": 0.6})
    >>> preds.probabilities("a").round(2).tolist()
    [[0.9, 0.1], [0.4, 0.6], [0.6, 0.4]]
    """
    check_mapping("y_pred", y_pred, "labels, e.g. {'nlu': y_pred}")
    check_mapping("bins", bins, "bins, e.g. {'nlu': ['HIGH', 'LOW']}")
    if values != "fit":
        if not isinstance(values, Mapping):
            raise TypeError(
                f"`values` must map bins to confidences, or be 'fit', got {shown(values)}."
            )
        for value in values.values():
            check_number("values", value, at_most=1.0)
    predicted = {model: checks.as_array(array) for model, array in y_pred.items()}
    lists = {}
    for model, array in predicted.items():
        if model not in bins:
            raise ValueError(f"`bins` lacks model {model!r}.")
        of_model = checks.as_array(bins[model])
        table = bin_values(y_true, array, of_model) if values == "fit" else values
        lists[model] = _confident(model, array, of_model, dict(table))
    if labels is None:
        everything = [checks.as_array(y_true), *predicted.values()]
        labels = occurring(array.tolist() for array in everything).tolist()
    classes = checks.as_array(labels)
    # The label stays the model's decision, for any value of its bin.
    needed = checks.above_equal(len(classes)) if unlisted == "spread" else 1e-9
    least = min(p for rows in lists.values() for ((_, p),) in rows)
    if values == "fit":
        lists = {m: [[(a, max(p, needed))] for ((a, p),) in rows] for m, rows in lists.items()}
    elif least < needed:
        raise ValueError(
            f"a value of {least:g} is no more than an equal share of {len(classes)} classes, so "
            "the predicted one would not be the likeliest; use unlisted='unassigned'."
            if unlisted == "spread"
            else f"a value of {least:g} leaves a label without probability; give it a little."
        )
    return from_nbest(y_true, lists, labels=classes, unlisted=unlisted, **options)


@checked()
def bin_values(y_true: ArrayLike, y_pred: ArrayLike, bins: ArrayLike) -> dict[Hashable, float]:
    """Compute the fraction of correct labels in each confidence bin.

    Examples
    --------
    >>> bin_values([0, 1, 1], [0, 1, 0], ["HIGH", "LOW", "LOW"])
    {'HIGH': 1.0, 'LOW': 0.5}
    """
    truth, predicted, found = (checks.as_array(array) for array in (y_true, y_pred, bins))
    if not len(truth) == len(predicted) == len(found):
        raise ValueError("`y_true`, `y_pred` and `bins` must have the same length.")
    right = truth == predicted
    return {name: float(right[found == name].mean()) for name in dict.fromkeys(found.tolist())}


@checked()
def missing_mass(predictions: Predictions) -> Any:
    """Compute the mean probability that each model's lists leave out, as a Series by model."""
    given = {model: predictions.probabilities(model) for model in predictions.models}
    listed = {m: float(p.sum(axis=1, dtype=np.float64).mean()) for m, p in given.items()}
    return 1 - pd.Series(listed)


def _answers(model: str, row: Any) -> Answers:
    """Return the answers of one list with their probabilities."""
    answers = list(row.items()) if isinstance(row, Mapping) else row
    if not isinstance(answers, list | tuple) or not all(
        isinstance(pair, list | tuple) and len(pair) == 2 for pair in answers
    ):
        raise TypeError(
            f"`lists` of model {model!r} has {shown(row)}; a list has pairs of an "
            "answer and its probability."
        )
    return [(answer, check_number("lists", p, at_least=-math.inf))
            for answer, p in answers]  # fmt: skip


def _check_lists(pairs: Mapping[str, list[Answers]], n_samples: int) -> None:
    for model, rows in pairs.items():
        if len(rows) != n_samples:
            raise ValueError(
                f"model {model!r} has {len(rows):,} lists, `y_true` has {n_samples:,} rows."
            )
        bad = np.array([not row or len({a for a, _ in row}) < len(row) for row in rows], dtype=bool)
        checks.refuse_rows(bad, f"model {model!r} has lists that are empty or name an answer twice")


def _matrix(model: str, rows: list[Answers], classes: AnyArray, unlisted: Unlisted) -> FloatArray:
    """Return probabilities of shape (n_samples, n_classes)."""
    sample = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    place = {label: code for code, label in enumerate(classes.tolist())}
    unknown = np.array([any(answer not in place for answer, _ in row) for row in rows], dtype=bool)
    what = f"model {model!r} lists labels that are not among the {len(classes)} classes"
    checks.refuse_rows(unknown, what, "pass all classes as `labels`")
    code = np.array([place[answer] for row in rows for answer, _ in row])
    out = np.zeros((len(rows), len(classes)))
    out[sample, code] = [p for row in rows for _, p in row]
    rest = 1 - out.sum(axis=1)
    too_much = rest < -checks.SUM_TOLERANCE
    checks.refuse_rows(too_much, f"model {model!r} has lists that sum to more than 1")
    if unlisted == "spread":
        others = np.ones(out.shape)
        others[sample, code] = 0.0
        share = np.maximum(rest, 0.0) / np.maximum(others.sum(axis=1), 1.0)
        out += others * share[:, None]
    return out


def _confident(
    model: str, predicted: AnyArray, bins: AnyArray, table: dict[Any, float]
) -> list[Answers]:
    """Return lists of the predicted label alone, with the value of its bin."""
    unknown = sorted({repr(name) for name in bins.tolist() if name not in table})
    if unknown:
        raise ValueError(f"`values` lacks the bins {', '.join(unknown)} of model {model!r}.")
    if len(predicted) != len(bins):
        raise ValueError(
            f"model {model!r} has {len(predicted):,} labels and {len(bins):,} bins; give one "
            "for each."
        )
    pairs = zip(predicted.tolist(), bins.tolist(), strict=True)
    return [[(label, table[name])] for label, name in pairs]
