"""Arrays as a user gives them to a plain function -> Outcomes and weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modelcompare import checks
from modelcompare.arrays import FloatArray
from modelcompare.kinds import Output
from modelcompare.metrics.base import Needs, Outcomes


def read_outcomes(
    y_true: ArrayLike | None,
    y_output: ArrayLike,
    kind: Needs,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> tuple[Outcomes, FloatArray, list[object]]:
    """Check one model's arrays and bring them into the form that statistics take.

    Returns
    -------
    outcomes : Outcomes
        Truth and output, as codes where they are labels.
    weights : ndarray of shape (n_samples,)
        Sample weights, ones if not given.
    names : list
        The classes; empty outside classification.

    Raises
    ------
    ValueError
        If shapes disagree, values are missing, or a label is not in `labels`.
    """
    output = checks.as_array(y_output)
    truth = output if y_true is None else checks.as_array(y_true)
    if len(truth) != len(output) or len(truth) == 0:
        raise ValueError(
            f"`y_true` ({len(truth)}) and the model's output ({len(output)}) must have the same, "
            "positive number of rows."
        )
    weights = checks.weights(sample_weight, len(truth))
    weights = np.ones(len(truth)) if weights is None else weights
    if kind in ("values", "scores"):
        values = checks.real_values(output, "the model's output")
        y = checks.real_values(truth, "`y_true`")
        return Outcomes(Output(kind, values), y_true=y), weights, []
    if kind in ("texts", "text_lists"):
        said = getattr(checks, kind)(output, "the model's output")
        return Outcomes(Output(kind, said), y_true=checks.texts(truth, "`y_true`")), weights, []
    distribution = truth if truth.ndim == 2 else None
    classes = _classes(truth, output, labels, kind)
    if distribution is not None:
        distribution = checks.probabilities("`y_true`", distribution, classes, normalize=False)
        codes = distribution.argmax(axis=1)
    else:
        checks.check_defined(truth, "`y_true`")
        codes = checks.codes("`y_true`", truth, classes)
    if kind == "labels":
        checks.check_defined(output, "`y_pred`")
        array: NDArray[np.generic] = checks.codes("`y_pred`", output, classes)
    else:
        if output.ndim == 1:
            output = np.stack([1 - output.astype(np.float64), output], axis=1)
        array = checks.probabilities("`y_prob`", output, classes, normalize=False)
    outcomes = Outcomes(
        Output(kind, array),
        codes,
        len(classes),
        truth,
        true_distribution=distribution,
        weight=weights,
    )
    return outcomes, weights, classes.tolist()


def _classes(
    truth: NDArray[np.generic],
    output: NDArray[np.generic],
    labels: ArrayLike | None,
    kind: Needs,
) -> NDArray[np.generic]:
    if labels is not None:
        return checks.as_array(labels)
    if truth.ndim == 2:
        return np.arange(truth.shape[1])
    if output.ndim == 2:
        found = np.unique(truth)
        return found if len(found) == output.shape[1] else np.arange(output.shape[1])
    if kind == "probabilities":
        return np.unique(truth)
    return np.unique(np.concatenate([truth, output]))
