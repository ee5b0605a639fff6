"""ROC and precision-recall curves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.report.figures.layout import Caption, draw_panels
from modelcompare.report.figures.selection import first_models
from modelcompare.report.figures.style import MAX_LINES, MUTED, Look, looks, plain_axes
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import BETWEEN, format_percent
from modelcompare.report.tables import rows_at
from modelcompare.words import CurveKind, label_name

CHANCE = Look(MUTED, line=":")
# A curve has too many points for a marker at each.
_MARKS = 9


@dataclass(frozen=True)
class Curves:
    """Curves of all models for one class; without a band the areas have no intervals."""

    points: pd.DataFrame = field(repr=False)
    band: pd.DataFrame = field(repr=False)
    areas: pd.DataFrame = field(repr=False)
    kind: CurveKind
    label: Any
    share: float
    n_samples: int
    confidence_level: float


def plot_curve(result: Curves, signature: str, *, ax: Axes | None = None) -> Figure:
    """Draw all models' curves for one class in one square, with pointwise bands if any."""
    roc = result.kind == "roc"
    order = result.areas.sort_values("area", ascending=False, kind="stable", ignore_index=True)
    models, shown = first_models(order["model"].tolist(), MAX_LINES, "those of the largest area")
    level = format_percent(result.confidence_level)
    banded = len(result.band) > 0
    title = (
        f"{'ROC' if roc else 'Precision and recall'}, positive class {label_name(result.label)}: "
        f"{result.n_samples:,} samples{f', {level} bands' if banded else ''}"
    )
    areas = order.set_index("model")
    keys = [
        (f"{model}  {_area(areas.loc[model], 'AUC' if roc else 'AP')}", look)
        for model, look in looks(models)
    ]
    note = f"bands: {level} at each x by itself; " if banded else ""
    caption = Caption(title, signature, shown, f"{note}dotted: chance", [*keys, ("chance", CHANCE)])

    def draw(axes: Axes) -> None:
        plain_axes(axes)
        x, y = ([0, 1], [0, 1]) if roc else ([0, 1], [result.share, result.share])
        axes.plot(x, y, **CHANCE.options(linewidth=1))
        for model, look in looks(models):
            _draw_curve(axes, result, model, look)
        axes.set(xlim=(0, 1), ylim=(0, 1.01), aspect="equal")
        axes.set_xlabel("false positive rate" if roc else "recall")
        axes.set_ylabel("recall" if roc else "precision")

    return draw_panels(caption, [[draw]], (4.8, 4.6), ax=ax)


def _area(row: Any, name: str) -> str:
    """Return the area, with its interval if it has one."""
    interval = (
        "" if np.isnan(row["ci_low"]) else f" ({row['ci_low']:.3f}{BETWEEN}{row['ci_high']:.3f})"
    )
    return f"{name} {row['area']:.3f}{interval}"


def _draw_curve(axes: Axes, result: Curves, model: str, look: Look) -> None:
    band = rows_at(result.band, model=model)
    if len(band):
        ends = (band["ci_low"], band["ci_high"])
        axes.fill_between(band["x"], *ends, color=look.colour, alpha=0.18, linewidth=0)
    points = rows_at(result.points, model=model)
    if result.kind == "roc":
        x, y = (np.r_[0.0, points[name]] for name in ("false_positive_rate", "recall"))
        way = "default"
    else:
        x, y = points["recall"].to_numpy(), points["precision"].to_numpy()
        way = "steps-pre"
    step = max(1, len(x) // _MARKS)
    axes.plot(x, y, drawstyle=way, **look.options(markevery=step))
