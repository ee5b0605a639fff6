"""Means of scores by people, with the scores of a judge as predictions (PPI++)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.plugins.judges.patterns import PARTS


class PredictedMean(NamedTuple):
    """A mean by a judge's numbers as predictions of those of people.

    Attributes
    ----------
    rest : ndarray of shape (n_labels,)
        Scores by people, less what the judge's numbers predict, from their mean on.
    slope : ndarray of shape (n_labels,)
        Coefficient of the judge's numbers for each label.
    judged, of_labels : ndarray of shape (n_samples,) or (n_labels,)
        Scores by the judge, and those of the samples with scores by people.
    """

    rest: FloatArray
    slope: FloatArray
    judged: FloatArray
    of_labels: FloatArray

    @classmethod
    def of(
        cls, people: FloatArray, judged: FloatArray, labelled: IntArray,
        coefficient: float | None = None,
    ) -> PredictedMean:  # fmt: skip
        """Predict scores by people.

        Parameters
        ----------
        people : ndarray of shape (n_labels,)
            Scores by people.
        judged : ndarray of shape (n_samples,)
            Scores by the judge.
        labelled : ndarray of int of shape (n_labels,)
            Positions of the samples with scores by people.
        coefficient : float, optional
            That of the judge's scores; by default the one of least variance, for each fifth of the
            labels from the others (cross-fitting).

        References
        ----------
        .. [1] Angelopoulos, Duchi & Zrnic (2023), PPI++: efficient prediction-powered inference.
        """
        f = judged[labelled]
        slope, place = np.empty(len(people)), np.argsort(np.lexsort((people, f)))
        for part in range(PARTS):
            here = place % PARTS == part
            covariance = np.cov(people[~here], f[~here])
            least = covariance[0, 1] / max(covariance[1, 1], 1e-300)
            slope[here] = least if coefficient is None else coefficient
        return cls(people - slope * (f - judged.mean()), slope, judged, f)

    @property
    def mean(self) -> float:
        """The mean over all samples."""
        return float(self.rest.mean())

    @property
    def variance(self) -> float:
        """Its variance; samples with scores by people are among those that the judge scored."""
        n, slope, covariance = len(self.rest), self.slope.mean(), np.cov(self.rest, self.of_labels)
        predicted = slope**2 * self.judged.var(ddof=1) + 2 * slope * covariance[0, 1]
        return float(covariance[0, 0] / n + predicted / len(self.judged))

    @property
    def degrees(self) -> float:
        """Degrees of freedom, by the labels that carry the variance."""
        centred = self.rest - self.rest.mean()
        carriers = (centred @ centred) ** 2 / max(float(np.sum(centred**4)), 1e-300)
        return float(max(2 * carriers - 1, 1.0))
