"""Explanations of metrics, read from their records."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from modelcompare.metrics.base import AnyMetric, Metric
from modelcompare.metrics.registry import ALIASES, METRICS, get_metric


@dataclass(frozen=True)
class Explanation:
    """Definition of a metric, the value encoded in it, its weaknesses and its references.

    Attributes
    ----------
    metric : Metric, OrderMetric or CallableMetric
        The metric itself: bounds, direction, needs, strategy.
    """

    metric: AnyMetric

    @property
    def family(self) -> str:
        """Name of the plain function that says the same."""
        return self.metric.family or self.metric.name

    @property
    def summary(self) -> str:
        """First sentence."""
        first = inspect.cleandoc(self.metric.description).partition("\n\n")[0]
        return first or "Registered without a description."

    @property
    def text(self) -> str:
        """Value encoded, weaknesses, range and direction."""
        rest = inspect.cleandoc(self.metric.description).partition("\n\n")[2]
        return f"{rest} {self.metric.merit}".strip()

    @property
    def variant(self) -> str:
        """Difference from its family; empty where there is none."""
        return self.metric.variant

    @property
    def references(self) -> tuple[str, ...]:
        """Sources."""
        return self.metric.references

    @property
    def cost(self) -> str:
        """Cost of a resample."""
        if isinstance(self.metric, Metric):
            costly = any(statistic.costly for statistic in self.metric.statistics)
            return "texts once" if costly else "one product"
        return "sort once" if self.metric.strategy == "order" else "one call"


def explain(name: str) -> Explanation:
    """Explain a metric by its name.

    Parameters
    ----------
    name : str
        As for `modelcompare.get_metric`.

    Raises
    ------
    ValueError
        If no metric has that name; the nearest names are listed.

    Examples
    --------
    >>> found = explain("cf1_macro")
    >>> found.family, found.summary
    ('cf1', 'Harmonic mean of cPrecision and cRecall (cF1).')
    >>> found.variant
    'the mean over classes'
    """
    return Explanation(get_metric(name))


def listed() -> list[Explanation]:
    """Explanations of every registered metric, in the order of the registry."""
    return [Explanation(metric) for metric in METRICS.values()]


def aliases_of(name: str) -> list[str]:
    """Other names of a metric."""
    return sorted(alias for alias, target in ALIASES.items() if target == name)
