"""What a metric is and values: read from the docstring of the plain function of its family."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from modelcompare.metrics import (
    calibration_functions,
    functions,
    probability_functions,
    rank_functions,
    text_functions,
    value_functions,
)
from modelcompare.metrics.base import AnyMetric, Metric
from modelcompare.metrics.registry import ALIASES, METRICS, get_metric

_MODULES = (
    functions,
    probability_functions,
    rank_functions,
    calibration_functions,
    value_functions,
    text_functions,
)
FAMILIES: dict[str, Callable[..., Any]] = {
    name: function
    for module in _MODULES
    for name, function in vars(module).items()
    if inspect.isfunction(function) and function.__module__ == module.__name__ and name[0] != "_"
}
"""Every plain function, by its name."""

_VARIANTS = {
    "ovr": "each class against the rest",
    "ovo": "each pair of classes",
    "classwise": "each class's own probability",
    "mass": "bins of equally many samples",
    "per_text": "the mean of each text's own",
    "of_texts": "the geometric mean of each text's own",
    "macro": "the mean over classes",
    "weighted": "weighted by the classes' support",
    "micro": "the value of the classes' summed counts",
}
_VARIANT = re.compile(rf"_({'|'.join(_VARIANTS)}|at_[\d.]+|\d+)")
_FBETA = re.compile(r"f\d+(\.\d+)?")
_TOP_K = re.compile(r"top_\d+_accuracy")


@dataclass(frozen=True)
class Explanation:
    """What a metric is, what it values, where it misleads, and who says so.

    Attributes
    ----------
    metric : Metric, OrderMetric or CallableMetric
        The metric itself: bounds, direction, needs, road.
    family : str
        Name of the plain function whose docstring this is.
    summary, text : str
        Its first line, and the paragraphs after it.
    variant : str
        How the metric differs from its family; empty where it does not.
    references : tuple of str
        Sources.
    """

    metric: AnyMetric
    family: str
    summary: str
    text: str
    variant: str
    references: tuple[str, ...]

    @property
    def cost(self) -> str:
        """What a resample costs."""
        if isinstance(self.metric, Metric):
            costly = any(statistic.costly for statistic in self.metric.statistics)
            return "texts once" if costly else "one product"
        return "sort once" if self.metric.road == "order" else "one call"


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
    metric = get_metric(name)
    family, soft = family_of(metric.name)
    function = FAMILIES[family]
    doc = inspect.getdoc(function) or ""
    body = re.split(r"\n(?:Parameters|References|Examples)\n-+\n", doc)[0]
    summary, _, text = body.partition("\n")
    found = re.search(r"\nReferences\n-+\n(.*?)(?:\n\n|$)", doc, re.DOTALL)
    references = re.split(r"^\.\. \[\d+\] ", found[1], flags=re.MULTILINE)[1:] if found else []
    return Explanation(
        metric,
        family,
        summary.strip(),
        text.strip(),
        _variant_text(metric, soft),
        tuple(" ".join(reference.split()) for reference in references),
    )


def family_of(name: str) -> tuple[str, bool]:
    """Name of the plain function behind a metric, and whether the metric is its soft twin.

    Examples
    --------
    >>> family_of("roc_auc_ovr_weighted"), family_of("cwer"), family_of("top_5_accuracy")
    (('roc_auc', False), ('wer', True), ('top_k_accuracy', False))
    """
    if name in FAMILIES:
        return name, False
    if _TOP_K.fullmatch(name):
        return "top_k_accuracy", False
    stem = _VARIANT.sub("", name)
    if stem in FAMILIES:
        return stem, False
    if _FBETA.fullmatch(stem):
        return "fbeta", False
    return family_of(name[1:])[0], True


def listed() -> list[Explanation]:
    """Explanations of every registered metric, in the order of the registry."""
    return [explain(name) for name in METRICS]


def aliases_of(name: str) -> list[str]:
    """Other names of a metric."""
    return sorted(alias for alias, target in ALIASES.items() if target == name)


def _variant_text(metric: AnyMetric, soft: bool) -> str:
    parts = []
    if soft:
        parts.append(
            "the soft twin: probabilities in the place of decisions"
            if metric.needs != "text_lists"
            else "the soft twin: the expectation over the texts that a model lists"
        )
    if metric.name not in FAMILIES:
        parts += [_VARIANTS[found] for found in _VARIANT.findall(metric.name) if found in _VARIANTS]
    return "; ".join(parts)
