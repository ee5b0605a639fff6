"""Populations with known values, from which test sets are drawn.

Each is made from plain numbers by `world_of`, draws a `modelcompare.Predictions` of some models
named m0, m1, ... and knows the models' true values. The true value of a class is the population's;
that of an average is the mean of these over the classes that are in the test set's truth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np
from scipy import optimize, stats

import modelcompare as mc
from experiments.validity.label_worlds import (
    AVERAGES,
    Array,
    LabelWorld,
    Units,
    value_of_confusion,
)
from experiments.validity.score_world import ScoreWorld


class Population(Protocol):
    """Where test sets come from."""

    def draw(self, rng: np.random.Generator) -> mc.Predictions:
        """A test set."""
        ...

    def truth(self, metric: str, label: int | None, preds: mc.Predictions) -> Array:
        """Value of each model, for the classes that this test set has."""
        ...


@dataclass(frozen=True)
class TextWorld:
    """Texts of lognormal lengths, with wrong words at a rate of the text's own.

    Parameters
    ----------
    n : int
        Texts.
    sigma : float
        Of the logarithm of the lengths; 0 for texts of 20 words each.
    rates : tuple of float
        Mean share of wrong words of each model.
    agreement : float
        Share of texts in which both models make the same errors.
    """

    n: int
    sigma: float = 1.0
    rates: tuple[float, ...] = (0.15, 0.15)
    agreement: float = 0.3

    def draw(self, rng: np.random.Generator) -> mc.Predictions:
        """A test set of references and hypotheses."""
        length = np.ceil(20 * np.exp(self.sigma * rng.standard_normal(self.n))).astype(int)
        common, alike = self._errors(rng), rng.random(self.n) < self.agreement
        outputs = {}
        for model, rate in enumerate(self.rates):
            hardness, u = (
                np.where(alike, a, b) for a, b in zip(common, self._errors(rng), strict=True)
            )
            wrong = stats.binom.ppf(u, length, stats.beta.ppf(hardness, 5 * rate, 5 * (1 - rate)))
            outputs[f"m{model}"] = [
                "b " * int(w) + "a " * int(k - w) for w, k in zip(wrong, length, strict=True)
            ]
        return mc.Predictions(["a " * k for k in length], outputs, kind="texts")

    def _errors(self, rng: np.random.Generator) -> tuple[Array, Array]:
        return rng.random(self.n), rng.random(self.n)

    def truth(self, metric: str, label: int | None, preds: mc.Predictions) -> Array:  # noqa: ARG002
        """Lengths say nothing of errors, so the rate of all words is the mean of the texts'."""
        return np.array(self.rates)


@dataclass(frozen=True)
class MeanWorld:
    """Per-example scores of known means: normal, or m1 exponential and so of another shape.

    Parameters
    ----------
    means : tuple of float
        Of each model.
    units : Units
        Clusters, strata and weights.
    skewed : bool
        Whether every other model's scores are exponential around their mean.
    correlation : float
        Between models, on the normal scale.
    """

    means: tuple[float, ...]
    units: Units
    skewed: bool = False
    correlation: float = 0.5

    def draw(self, rng: np.random.Generator) -> mc.Predictions:
        """A test set of scores."""
        columns = self.units.columns(rng)
        common = rng.standard_normal(self.units.n)
        if "groups" in columns:
            common = rng.standard_normal(self.units.clusters)[columns["groups"]]
        outputs = {}
        for model, mean in enumerate(self.means):
            own = rng.standard_normal(self.units.n)
            z = np.sqrt(self.correlation) * common + np.sqrt(1 - self.correlation) * own
            if self.skewed and model % 2:
                z = stats.expon.ppf(stats.norm.cdf(z)) - 1
            outputs[f"m{model}"] = mean + z
        return mc.Predictions.from_scores(outputs, greater_is_better=True, **columns)

    def truth(self, metric: str, label: int | None, preds: mc.Predictions) -> Array:  # noqa: ARG002
        """The means."""
        return np.array(self.means)


@dataclass(frozen=True)
class SoftWorld:
    """Probabilities: two classes of `ScoreWorld`, or more by a softmax of noisy scores.

    Parameters
    ----------
    n : int
        Samples.
    scores : ScoreWorld
        The models' skills and thresholds, and the share of the positive class of two.
    classes : int
        Of equal shares, if more than two.
    """

    n: int
    scores: ScoreWorld
    classes: int = 2
    _size: int = field(default=400_000, repr=False)

    def draw(self, rng: np.random.Generator) -> mc.Predictions:
        """A test set."""
        return self._predictions(self.n, rng)

    def _predictions(self, n: int, rng: np.random.Generator) -> mc.Predictions:
        y, p = self.scores.draw(n, rng) if self.classes == 2 else self._softmax(n, rng)
        outputs = {f"m{i}": row for i, row in enumerate(p)}
        return mc.Predictions(y, outputs, labels=np.arange(self.classes), kind="probabilities")

    def _softmax(self, n: int, rng: np.random.Generator) -> tuple[Array, list[Array]]:
        y = rng.integers(0, self.classes, n)
        common, rho = rng.standard_normal((n, self.classes)), self.scores.correlation
        out = []
        for skill in self.scores.skills:
            own = rng.standard_normal((n, self.classes))
            score = 1.5 * (np.sqrt(rho) * common + np.sqrt(1 - rho) * own)
            score[np.arange(n), y] += 1.5 * skill
            out.append(np.exp(score - score.max(axis=1, keepdims=True)))
        return y, [e / e.sum(axis=1, keepdims=True) for e in out]

    def truth(self, metric: str, label: int | None, preds: mc.Predictions) -> Array:
        """Values in a large sample, averages from those of the classes."""
        if metric not in AVERAGES:
            return self._values[metric if label is None else (metric, label)]
        present, shares = np.unique(preds.access.codes), self._values["shares"]
        values = [self._values[AVERAGES[metric], k] for k in present]
        weights = shares[present] if metric == "f1_weighted" else None
        return np.average(values, axis=0, weights=weights)

    @cached_property
    def _values(self) -> dict[Any, Array]:
        preds = self._predictions(self._size, np.random.default_rng(2**31))
        metrics = ["accuracy", "precision", "recall", "f1", "cf1", "log_loss", "matthews_corrcoef"]
        if self.classes == 2:
            metrics.append("roc_auc")
        frame = mc.bootstrap(preds, metrics, n_resamples=2).estimate
        out: dict[Any, Array] = {"shares": np.bincount(preds.access.codes) / len(preds)}
        for (metric, label), part in frame.groupby(level=["metric", "label"], dropna=False):
            key = metric if label is None or label != label else (metric, int(label))
            out[key] = part.to_numpy()
        return out


@lru_cache(maxsize=64)
def _world(items: tuple[tuple[str, Any], ...]) -> Population:
    return _MAKERS[dict(items)["world"]](dict(items))


def world_of(params: Mapping[str, Any]) -> Population:
    """The population that a cell's parameters describe; made once in each process."""
    return _world(tuple(sorted((k, v) for k, v in params.items() if k not in _NOT_OF_THE_WORLD)))


_NOT_OF_THE_WORLD = frozenset({"kind", "metrics", "B"})


def _units(p: Mapping[str, Any]) -> Units:
    return Units(
        samples_of(p), p.get("clusters", 0), p.get("sizes", "equal"), p.get("strata", 0),
        p.get("weighted", False),
    )  # fmt: skip


def samples_of(p: Mapping[str, Any]) -> int:
    """Samples of a cell: as given, or classes times support."""
    return p["n"] if "n" in p else p["classes"] * p["support"]


def _labels(p: Mapping[str, Any]) -> LabelWorld:
    n_classes, models = p.get("classes", 2), p.get("models", 2)
    shares = np.ones(n_classes) / n_classes
    if "share" in p:
        shares = np.r_[1 - p["share"], np.full(n_classes - 1, p["share"] / (n_classes - 1))]
    low, high = p.get("low", 0.8), p.get("high", p.get("low", 0.8))
    # Golden steps spread the recalls evenly over the classes, in no order.
    recalls = np.tile(low + (high - low) * (np.arange(n_classes) * 0.618 % 1), (models, 1))
    if "trade" in p:
        recalls = _traded(p["trade"], shares, models)
    recalls[1:] -= _step(p, shares, recalls[0])
    return LabelWorld(
        shares, recalls, _units(p), p["support"] if p.get("drawn") == "fixed" else 0,
        p.get("agreement", 0.6), p.get("correlation", 0.3), 0.15 if p.get("strata") else 0.0,
    )  # fmt: skip


def _traded(trade: str, shares: Array, models: int) -> Array:
    """Recalls of two models of equal F1 that trade recall for precision, or equal macro F1."""
    if trade == "classes":
        recalls = np.linspace(0.95, 0.55, len(shares))
        return np.array([np.roll(recalls, m) for m in range(models)])
    recall, precision = map(float, trade.split("/"))
    share = shares[1]
    pairs = [(recall, precision), (precision, recall)]
    return np.array([[1 - share * r * (1 - q) / q / (1 - share), r] for r, q in pairs])


def _step(p: Mapping[str, Any], shares: Array, recall: Array) -> float:
    """What m1 loses of every recall, so that its value is lower by the gap."""
    gap = p.get("gap", 0.0)
    if not gap:
        return 0.0
    metric = p.get("gap_in", "accuracy")

    def lost(step: float) -> float:
        world = LabelWorld(shares, np.array([recall, recall - step]), Units(1))
        tables = [world.confusion(m) for m in (0, 1)]
        a, b = (value_of_confusion(t, metric, None, np.arange(len(shares))) for t in tables)
        return a - b - gap

    return float(optimize.brentq(lost, 0, recall.min()))


def _soft(p: Mapping[str, Any]) -> SoftWorld:
    models = p.get("models", 2)
    skills = (1.5, *[1.5 - p.get("gap", 0.0)] * (models - 1))
    scores = ScoreWorld(p.get("share", 0.5), skills, (0.0,) * models, p.get("correlation", 0.5))
    if "trade" in p:
        scores = ScoreWorld.of_equal_value(p["trade"], p.get("share", 0.3))
    return SoftWorld(samples_of(p), scores, p.get("classes", 2))


def _texts(p: Mapping[str, Any]) -> TextWorld:
    rates = (0.15, *[0.15 + p.get("gap", 0.0)] * (p.get("models", 2) - 1))
    return TextWorld(p["n"], p.get("sigma", 1.0), rates)


def _means(p: Mapping[str, Any]) -> MeanWorld:
    means = (0.0, *[-p.get("gap", 0.0)] * (p.get("models", 2) - 1))
    return MeanWorld(means, _units(p), p.get("skewed", False))


_MAKERS = {"labels": _labels, "soft": _soft, "texts": _texts, "means": _means}
