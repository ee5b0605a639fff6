"""A loss of each sample for each output type: low where the output is right."""

from __future__ import annotations

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.metrics.outcomes import Outcomes


def of_scores(outcomes: Outcomes) -> FloatArray:
    """Return the scores, a column for each name."""
    return outcomes.output.array.reshape(len(outcomes), -1).astype(np.float64)


def of_labels(outcomes: Outcomes) -> FloatArray:
    """Return 0 for the true class and 1 for others; of soft labels, the share of others."""
    return 1 - outcomes.truth_of(outcomes.predicted)[:, None]


def of_probabilities(outcomes: Outcomes) -> FloatArray:
    """Return the probability of other classes than the true one."""
    return 1 - (outcomes.truth * outcomes.probabilities).sum(axis=1, keepdims=True)


def of_values(outcomes: Outcomes) -> FloatArray:
    """Return the absolute error."""
    return np.abs(outcomes.values - outcomes.true_values)[:, None]
