"""Two classes and models whose scores are normal around +-skill / 2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import modelcompare as mc

_LARGE = 2_000_000


@dataclass(frozen=True)
class ScoreWorld:
    """A population of samples and the models on it.

    Parameters
    ----------
    share : float
        Of the positive class.
    skills, thresholds : tuple of float
        For each model, the distance of its score's means, and the score above which it
        predicts positive.
    correlation : float
        Between the models' scores of one sample.
    cluster : int
        Samples that share their noise; 1 for independent samples.
    """

    share: float = 0.5
    skills: tuple[float, ...] = (1.5,)
    thresholds: tuple[float, ...] = (0.0,)
    correlation: float = 0.5
    cluster: int = 1

    def draw(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Classes, and probabilities of the positive class of shape (n_models, n)."""
        y = (rng.random(n) < self.share).astype(int)
        if self.cluster > 1:
            y = np.repeat(y[:: self.cluster], self.cluster)[:n]
        common = rng.standard_normal(n)
        if self.cluster > 1:
            common = np.repeat(common[:: self.cluster], self.cluster)[:n]
        scores = []
        for skill, threshold in zip(self.skills, self.thresholds, strict=True):
            own = rng.standard_normal(n)
            if self.cluster > 1:
                own = (own + np.repeat(own[:: self.cluster], self.cluster)[:n]) / np.sqrt(2)
            noise = np.sqrt(self.correlation) * common + np.sqrt(1 - self.correlation) * own
            score = skill * (y - 0.5) + noise + np.log(self.share / (1 - self.share)) / 2
            scores.append(1 / (1 + np.exp(-(1.5 * score - threshold))))
        return y, np.array(scores)

    def predictions(self, n: int, seed: int) -> mc.Predictions:
        """A test set of this world."""
        y, p = self.draw(n, np.random.default_rng(seed))
        groups = np.arange(n) // self.cluster if self.cluster > 1 else None
        return mc.Predictions(
            y, {f"m{i}": row for i, row in enumerate(p)}, labels=[0, 1], kind="probabilities",
            groups=groups,
        )  # fmt: skip

    @classmethod
    def of_equal_value(cls, metric: str, share: float) -> ScoreWorld:
        """Two models of equal skill and "f1" or "cf1", one precise, the other complete."""

        def value(threshold: float) -> float:
            y, p = cls(share, (1.5,), (threshold,)).draw(_LARGE, np.random.default_rng(7))
            positive = p[0] > 0.5 if metric == "f1" else p[0]
            return 2 * (positive * y).sum() / (positive.sum() + y.sum())

        wanted, low, high = value(0.9), -4.0, -0.7
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (middle, high) if value(middle) < wanted else (low, middle)
        return cls(share, (1.5, 1.5), (0.9, (low + high) / 2))

    def truth(self, metrics: tuple[str, ...]) -> np.ndarray:
        """Values in the population, of shape (n_models, n_metrics)."""
        y, p = self.draw(_LARGE, np.random.default_rng(2**31))
        preds = mc.Predictions(
            y, {f"m{i}": row for i, row in enumerate(p)}, labels=[0, 1], kind="probabilities"
        )
        return mc.bootstrap(preds, list(metrics), n_resamples=2).point
