"""Figures of a comparison: the curves of its models."""

from __future__ import annotations

from typing import Any

from modelcompare.comparison.compared import Compared
from modelcompare.comparison.plots import predictions_of
from modelcompare.plugins.curves.empirical import empirical_curves, plot_curve
from modelcompare.plugins.curves.one_class import OneClass
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.words import CurveKind


def roc(result: Compared, ax: Axes | None = None, *, label: Any = None) -> Figure:
    """Draw all models' ROC curves; `modelcompare.diagnostics.curve` draws their bands too."""
    return _curve(result, "roc", label, ax)


def pr(result: Compared, ax: Axes | None = None, *, label: Any = None) -> Figure:
    """Draw precision against recall; `modelcompare.diagnostics.curve` draws their bands too."""
    return _curve(result, "precision-recall", label, ax)


def _curve(result: Compared, kind: CurveKind, label: Any, ax: Axes | None) -> Figure:
    """Draw the empirical curves of all models, with their areas."""
    preds = predictions_of(result)
    one = OneClass.of(preds, label)
    found = empirical_curves(one, kind, preds.access.weights[None], result.confidence_level)
    return plot_curve(found, result.signature, ax=ax)


FIGURES = (("roc", roc, None), ("pr", pr, None))
