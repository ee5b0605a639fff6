"""Maps of probabilities: one temperature, a line for each class's logarithm, isotonic, beta.

Each is fitted by weighted log loss, or by squares if isotonic, and maps probabilities of shape
(n_samples, n_classes) to others. Maps of one class against the rest are of the second class alone
if there are two, and are scaled to a sum of 1 otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit, log_softmax, softmax

from modelcompare.arrays import AnyArray, FloatArray, IntArray

Method: TypeAlias = Literal["temperature", "vector", "isotonic", "beta"]

# Smallest probability whose logarithm is taken, and the range of a temperature.
_SMALLEST, _COLDEST, _HOTTEST = 1e-12, 0.01, 100.0
# Newton's steps, and the change at which they end.
_STEPS, _SETTLED = 60, 1e-10
# Weight of the squared distance from the map that changes nothing, in samples: without it, classes
# that are separated have no finite lines.
_RIDGE = 1e-2


class Map(NamedTuple):
    """A fitted map of probabilities, and its parameters, from which similar fits start."""

    apply: Callable[[Any, FloatArray], FloatArray]
    parameters: Any

    def __call__(self, p: FloatArray) -> FloatArray:
        return self.apply(self.parameters, p)


class _Samples(NamedTuple):
    """Probabilities of all classes, or of one; true classes, or members; weights."""

    p: FloatArray
    truth: AnyArray
    weights: FloatArray


def fitted(
    method: Method, p: FloatArray, codes: IntArray, weights: FloatArray, like: Map | None = None
) -> Map:
    """Fit a map.

    Parameters
    ----------
    method : str
        Name of the map.
    p : ndarray of shape (n_samples, n_classes)
        Probabilities.
    codes : ndarray of int of shape (n_samples,)
        True classes.
    weights : ndarray of shape (n_samples,)
        Weights of the samples; 0 leaves one out.
    like : Map, optional
        The same map fitted on similar samples, from which it starts.
    """
    some = weights > 0
    samples = _Samples(p[some], codes[some], weights[some])
    fit, apply = _METHODS[method]
    return Map(apply, fit(samples, None if like is None else like.parameters))


def _logs(p: FloatArray) -> FloatArray:
    return np.log(np.maximum(p.astype(np.float64), _SMALLEST))


def _temperature(samples: _Samples, start: float | None) -> float:
    """Fit one exponent of all probabilities, 1 / T (Guo et al. 2017).

    The loss is convex in it; its steps are Newton's, or halve the range where these leave it.
    """
    logs, weights = _logs(samples.p), samples.weights
    logs -= logs.max(axis=1, keepdims=True)
    of_truth = logs[np.arange(len(logs)), samples.truth]
    low, high, exponent = 1 / _HOTTEST, 1 / _COLDEST, start or 1.0
    for _ in range(_STEPS):
        share = softmax(exponent * logs, axis=1)
        mean = (share * logs).sum(axis=1)
        slope = float(weights @ (mean - of_truth))
        curve = float(weights @ ((share * logs * logs).sum(axis=1) - mean * mean))
        low, high = (exponent, high) if slope < 0 else (low, exponent)
        step = exponent - slope / curve if curve > 0 else np.inf
        last, exponent = exponent, step if low < step < high else (low + high) / 2
        if abs(exponent - last) <= _SETTLED * exponent:
            break
    return exponent


def _of_temperature(exponent: float, p: FloatArray) -> FloatArray:
    return np.asarray(softmax(exponent * _logs(p), axis=1))


def _vector(samples: _Samples, start: FloatArray | None) -> FloatArray:
    """Fit a line in the logarithm of each class's probability (Guo et al. 2017)."""
    logs, n_classes = _logs(samples.p), samples.p.shape[1]
    truth, plain = np.eye(n_classes)[samples.truth], np.repeat([1.0, 0.0], n_classes)

    def loss(line: FloatArray) -> tuple[float, FloatArray]:
        odds = log_softmax(logs * line[:n_classes] + line[n_classes:], axis=1)
        away = (np.exp(odds) - truth) * samples.weights[:, None]
        slope = np.concatenate([(away * logs).sum(axis=0), away.sum(axis=0)])
        value = -float(samples.weights @ (odds * truth).sum(axis=1))
        return _with_ridge(value, slope, line - plain)

    return _least(loss, plain if start is None else start)


def _of_lines(line: FloatArray, p: FloatArray) -> FloatArray:
    slopes, offsets = line.reshape(2, -1)
    return np.asarray(softmax(_logs(p) * slopes + offsets, axis=1))


def _beta(samples: _Samples, start: FloatArray | None) -> FloatArray:
    """Fit ``a log p - b log(1 - p) + c`` with a and b from 0 up (Kull et al. 2017)."""
    terms, plain = _beta_terms(samples.p), np.array([1.0, 1.0, 0.0])

    def loss(line: FloatArray) -> tuple[float, FloatArray]:
        odds = terms @ line
        value = float(samples.weights @ (np.logaddexp(0, odds) - samples.truth * odds))
        slope = terms.T @ (samples.weights * (expit(odds) - samples.truth))
        return _with_ridge(value, slope, line - plain)

    return _least(loss, plain if start is None else start, [(0, None), (0, None), (None, None)])


def _beta_terms(p: FloatArray) -> FloatArray:
    return np.stack([_logs(p), -_logs(1 - p), np.ones(len(p))], axis=1)


def _of_beta(line: FloatArray, p: FloatArray) -> FloatArray:
    return np.asarray(expit(_beta_terms(p) @ line))


def _isotonic(samples: _Samples, _: object) -> FloatArray:
    """Fit a rising function of one probability (Zadrozny & Elkan 2002), linear between samples."""
    from scipy.optimize import isotonic_regression

    distinct, place = np.unique(samples.p.astype(np.float64), return_inverse=True)
    weight = np.bincount(place, samples.weights)
    share = np.bincount(place, samples.weights * samples.truth) / weight
    return np.stack([distinct, isotonic_regression(share, weights=weight).x])


def _of_isotonic(steps: FloatArray, p: FloatArray) -> FloatArray:
    return np.interp(p, *steps)


def _with_ridge(value: float, slope: FloatArray, apart: FloatArray) -> tuple[float, FloatArray]:
    return value + _RIDGE * float(apart @ apart), slope + 2 * _RIDGE * apart


def _least(loss: Callable[..., Any], start: FloatArray, bounds: Any = None) -> FloatArray:
    """Return where a convex loss is least."""
    from scipy.optimize import minimize

    options = {"ftol": 1e-13, "gtol": 1e-9, "maxiter": 1_000}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return np.asarray(found.x)


def _one_by_one(fit: Callable[..., Any], apply: Callable[..., FloatArray]) -> tuple[Any, Any]:
    """Return the fit of each class against the rest, and the map of all."""

    def fit_each(samples: _Samples, start: list[Any] | None) -> list[Any]:
        p, codes, weights = samples
        classes = [1] if p.shape[1] == 2 else range(p.shape[1])
        starts = start or [None] * len(classes)
        return [
            fit(_Samples(p[:, k], codes == k, weights), first)
            for k, first in zip(classes, starts, strict=True)
        ]

    def apply_each(parameters: list[Any], p: FloatArray) -> FloatArray:
        if len(parameters) == 1:
            second = apply(parameters[0], p[:, 1])
            return np.stack([1 - second, second], axis=1)
        found = np.stack([apply(each, p[:, k]) for k, each in enumerate(parameters)], axis=1)
        total = found.sum(axis=1, keepdims=True)
        # Where every class has none, they are equal.
        return np.where(total > 0, found / np.where(total > 0, total, 1.0), 1 / p.shape[1])

    return fit_each, apply_each


_METHODS: Mapping[str, tuple[Callable[..., Any], Callable[..., FloatArray]]] = {
    "temperature": (_temperature, _of_temperature),
    "vector": (_vector, _of_lines),
    "isotonic": _one_by_one(_isotonic, _of_isotonic),
    "beta": _one_by_one(_beta, _of_beta),
}
