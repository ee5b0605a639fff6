"""Hard predictions with known confusion matrices, and how their samples hang together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import modelcompare as mc

Array = np.ndarray
AVERAGES = {
    "f1_macro": "f1",
    "cf1_macro": "cf1",
    "f1_weighted": "f1",
    "balanced_accuracy": "recall",
}


@dataclass(frozen=True)
class Units:
    """How samples hang together, and what they weigh.

    Parameters
    ----------
    n : int
        Samples.
    clusters : int
        0 for independent samples.
    sizes : {"equal", "lognormal", "pareto", "half"}
        Law of the clusters' sizes; "half": one holds half the samples.
    strata : int
        Samples in each stratum; 0 for none.
    weighted : bool
        Whether samples have lognormal weights.
    """

    n: int
    clusters: int = 0
    sizes: str = "equal"
    strata: int = 0
    weighted: bool = False

    def cluster_of(self, rng: np.random.Generator) -> Array:
        """Cluster of each sample; every cluster has at least one."""
        g = self.clusters
        share = {
            "equal": lambda: np.ones(g),
            "lognormal": lambda: rng.lognormal(0, 1.5, g),
            "pareto": lambda: rng.pareto(1.1, g) + 1,
            "half": lambda: np.r_[g - 1.0, np.ones(g - 1)],
        }[self.sizes]()
        sizes = 1 + np.floor(share / share.sum() * (self.n - g)).astype(int)
        sizes[: self.n - sizes.sum()] += 1
        return np.repeat(np.arange(g), sizes)

    def columns(self, rng: np.random.Generator) -> dict[str, Array]:
        """The columns of a test set that say so."""
        out = {}
        if self.clusters:
            out["groups"] = self.cluster_of(rng)
        if self.strata:
            out["strata"] = np.arange(self.n) // self.strata
        if self.weighted:
            out["sample_weight"] = rng.lognormal(0, 1, self.n)
        return out


@dataclass(frozen=True)
class LabelWorld:
    """Classes and hard predictions; the confusion matrices are known.

    A model finds a sample of class k with the probability ``recalls[model][k]`` and otherwise names
    any other class. Both models of a sample use the same random number with probability
    `agreement`, and all samples of a cluster with probability `correlation`.

    Parameters
    ----------
    shares : array of shape (n_classes,)
        Of the classes.
    recalls : array of shape (n_models, n_classes)
        See above.
    units : Units
        Clusters, strata and weights.
    support : int
        Where above 0, each class has exactly so many samples.
    agreement, correlation : float
        See above.
    spread : float
        By which recalls differ between strata, up in one and down in the next.
    """

    shares: Array
    recalls: Array
    units: Units
    support: int = 0
    agreement: float = 0.6
    correlation: float = 0.3
    spread: float = 0.0

    def draw(self, rng: np.random.Generator) -> mc.Predictions:
        """A test set."""
        n, n_classes = self.units.n, len(self.shares)
        columns = self.units.columns(rng)
        cluster = columns.get("groups")
        if self.support:
            y = np.repeat(np.arange(n_classes), self.support)
        else:
            cumulative = np.cumsum(self.shares)
            y = np.searchsorted(cumulative, self._uniform(rng, cluster) * cumulative[-1], "right")
        common, alike = self._uniform(rng, cluster), rng.random(n) < self.agreement
        shift = 0.0
        if "strata" in columns:
            shift = self.spread * (1 - 2 * (columns["strata"] % 2))
        outputs = {}
        for model, recall in enumerate(self.recalls):
            u = np.where(alike, common, self._uniform(rng, cluster))
            outputs[f"m{model}"] = self._predicted(y, u, recall[y] + shift)
        return mc.Predictions(y, outputs, kind="labels", labels=np.arange(n_classes), **columns)

    def _uniform(self, rng: np.random.Generator, cluster: Array | None) -> Array:
        own = rng.random(self.units.n)
        if cluster is None:
            return own
        shared = rng.random(self.units.clusters)[cluster]
        return np.where(rng.random(self.units.n) < self.correlation, shared, own)

    def _predicted(self, y: Array, u: Array, recall: Array) -> Array:
        others = len(self.shares) - 1
        rest = np.clip((u - recall) / np.maximum(1 - recall, 1e-12), 0, 1 - 1e-12)
        return np.where(u < recall, y, (y + 1 + np.floor(rest * others).astype(int)) % (others + 1))

    def confusion(self, model: int) -> Array:
        """Shares of (true class, predicted class)."""
        recall, n_classes = self.recalls[model], len(self.shares)
        table = np.repeat((1 - recall)[:, None] / (n_classes - 1), n_classes, axis=1)
        np.fill_diagonal(table, recall)
        return table * self.shares[:, None] / self.shares.sum()

    def truth(self, metric: str, label: int | None, preds: mc.Predictions) -> Array:
        """Value of each model, from its confusion matrix."""
        present = np.unique(preds.access.codes)
        return np.array(
            [
                value_of_confusion(self.confusion(m), metric, label, present)
                for m in range(len(self.recalls))
            ]
        )


def value_of_confusion(table: Array, metric: str, label: int | None, present: Array) -> float:
    """A metric of a population, averages over the classes that are present."""
    true, predicted, hits = table.sum(axis=1), table.sum(axis=0), np.diag(table)
    per_class = {
        "precision": hits / predicted,
        "recall": hits / true,
        "f1": 2 * hits / (predicted + true),
    }
    if metric in per_class:
        return float(per_class[metric][label])
    if metric in AVERAGES:
        weights = true[present] if metric == "f1_weighted" else None
        return float(np.average(per_class[AVERAGES[metric]][present], weights=weights))
    if metric == "accuracy":
        return float(hits.sum())
    if metric == "matthews_corrcoef":
        spread = (1 - (true**2).sum()) * (1 - (predicted**2).sum())
        return float((hits.sum() - true @ predicted) / np.sqrt(spread))
    raise ValueError(f"the value of {metric!r} in a population of labels is not known.")
