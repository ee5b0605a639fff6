"""Times until an event, of which some are censored, and outputs of models of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.data import checks
from modelcompare.data.kinds import UNDECLARED, Kind
from modelcompare.plugins.survival.kinds import RISKS, SURVIVAL_PROBABILITIES

# The truth, the outputs and their types, and the times of survival probabilities.
Survival: TypeAlias = tuple[FloatArray, dict[str, AnyArray], dict[str, Kind], AnyArray | None]
_ROUNDING = 1e-8
_PAIRS = "a time and 1 if the event was seen then, 0 if the sample was censored"


def events_of(truth: FloatArray) -> FloatArray:
    """Return 1 for the samples with an event, (n_samples, 1): those that determine a value."""
    return truth[:, 1:]


def as_survival(
    y_true: Any, outputs: Mapping[str, Any], times: ArrayLike | None, declared: Kind
) -> Survival:
    """Check times, events and outputs: a risk for each sample, or its survival at each time.

    Raises
    ------
    ValueError
        If times are negative, events other than 0 and 1, or survival increases with time.
    """
    truth = _times_and_events(y_true)
    arrays = {m: checks.as_array(given, f"model {m!r}") for m, given in outputs.items()}
    checks.check_lengths(arrays, truth, len(truth))
    soft = {m: array.ndim == 2 for m, array in arrays.items()}
    wanted = all(soft.values()) if declared is UNDECLARED else declared.soft
    odd = next((m for m in arrays if soft[m] != wanted), None)
    if odd is not None:
        raise ValueError(
            f"model {odd!r} has outputs of shape {arrays[odd].shape}; give every model one risk "
            "for each sample (kind='risks'), or the probability to survive each of some times "
            "(kind='survival_probabilities')."
        )
    if not wanted:
        if times is not None:
            raise ValueError("`labels` are times of survival probabilities; leave them out.")
        return truth, arrays, dict.fromkeys(arrays, RISKS), None
    known = _times(times, truth)
    found = {m: _curves(array, known, f"model {m!r}") for m, array in arrays.items()}
    return truth, found, dict.fromkeys(found, SURVIVAL_PROBABILITIES), known


def _times_and_events(y_true: Any) -> FloatArray:
    """Return times and events, (n_samples, 2)."""
    if checks.is_structured(y_true):
        # As scikit-survival has them: a truth value and a number, in either order.
        fields = sorted(y_true.dtype.names, key=lambda name: y_true[name].dtype.kind == "b")
        pairs: Any = np.column_stack([y_true[name] for name in fields])
    else:
        rows = y_true.tolist() if isinstance(y_true, np.ndarray) else [*y_true]
        pairs = checks.as_array(rows, "`y_true`")
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(
            f"`y_true` must have two numbers for each sample, {_PAIRS}; got shape {pairs.shape}."
        )
    time, event = (checks.real_values(column, "`y_true`") for column in pairs.T)
    if np.isin(time, (0, 1)).all() and not np.isin(event, (0, 1)).all():
        raise ValueError(f"`y_true` must have {_PAIRS}, in this order; exchange the columns.")
    checks.refuse_rows(time < 0, "`y_true` has times below 0")
    checks.refuse_rows(~np.isin(event, (0, 1)), f"`y_true` must have {_PAIRS}, but does not")
    if not event.any():
        raise ValueError(
            "`y_true` has no event; every sample is censored (the second number is 0)."
        )
    return np.column_stack([time, event]).astype(np.float64)


def _times(given: ArrayLike | None, truth: FloatArray) -> FloatArray:
    """Return the times of survival probabilities."""
    if given is None:
        raise ValueError("survival probabilities need their times; pass them as `labels`.")
    times = checks.real_values(checks.as_array(given, "`labels`"), "`labels`")
    time = truth[:, 0]
    if len(times) < 2 or (np.diff(times) <= 0).any():
        raise ValueError("`labels` must be two or more increasing times.")
    if times[0] < time.min() or times[-1] >= time.max():
        raise ValueError(
            f"`labels` are times from {times[0]:g} to {times[-1]:g}, but samples were followed "
            f"from {time.min():g} to {time.max():g}; give times within, below the last."
        )
    return times.astype(np.float64)


def _curves(array: AnyArray, times: FloatArray, where: str) -> FloatArray:
    """Return survival probabilities, (n_samples, n_times)."""
    what = f"a probability for each of the {len(times)} times"
    found = checks.matrix(array, where, what, len(times), of="probabilities", at_most=1.0)
    rising = (np.diff(found, axis=1) > _ROUNDING).any(axis=1)
    what = f"{where} gives a probability to survive that increases with time"
    checks.refuse_rows(rising, what, "give 1 minus the probability of an event by each time")
    return found
