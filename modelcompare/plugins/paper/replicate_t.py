"""The t-test on bootstrap replicates, as papers run it: for reproduction, not for decisions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.significance.pairwise import Outcome, PairTest, PairView

Kind = Literal["welch", "paired"]


def replicate_t_p_values(
    replicates: FloatArray, model_a: IntArray, model_b: IntArray, *, kind: Kind
) -> FloatArray:
    """Return p-values of t-tests between models' replicates, of shape (n_pairs, n_values).

    The replicates are treated as independent observations, so the standard error shrinks with the
    root of their number: with enough resamples every difference is significant. This measures the
    effort of the simulation, not evidence about the models. Of the replicates, of shape
    (n_resamples, n_models, n_values), undefined ones are left out, model by model. "welch" is the
    two-sample t-test with unequal variances, "paired" that of the paired differences.
    """
    from scipy.special import stdtr

    with np.errstate(divide="ignore", invalid="ignore"):
        if kind == "welch":
            n, mean, error = _moments(replicates)
            difference, squared = mean[model_a] - mean[model_b], error[model_a] + error[model_b]
            parts = error**2 / (n - 1)
            df = squared**2 / (parts[model_a] + parts[model_b])
        else:
            # All pairs of one value at a time, as those of all values may not fit into memory.
            values = np.moveaxis(replicates, 2, 0)
            found = [_moments(x[:, model_a] - x[:, model_b]) for x in values]
            n, difference, squared = np.stack(found, axis=-1)
            df = n - 1
        t = difference / np.sqrt(squared)
        p_values = 2 * stdtr(df, -np.abs(t))
    return np.where((difference == 0) & (squared == 0), 1.0, p_values)


def _moments(x: FloatArray) -> FloatArray:
    """Return the number, the mean and its squared error of what is defined along the first axis."""
    n = np.count_nonzero(~np.isnan(x), axis=0).astype(np.float64)
    mean = np.nansum(x, axis=0) / n
    return np.stack([n, mean, np.nansum((x - mean) ** 2, axis=0) / (n * (n - 1))])


def _replicate_t(kind: Kind, view: PairView) -> Outcome:
    p_value = replicate_t_p_values(view.sample.drawn, view.model_a, view.model_b, kind=kind)
    return Outcome(view.estimate, p_value, len(view.sample.drawn), exact=False)


_KINDS: Mapping[str, Kind] = {"replicate-t": "welch", "replicate-paired-t": "paired"}
ROWS = tuple(
    PairTest(name, partial(_replicate_t, kind), alternatives=("two-sided",))
    for name, kind in _KINDS.items()
)
