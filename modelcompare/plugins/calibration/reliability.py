"""Reliability diagrams: accuracy of predictions by their confidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray
from modelcompare.data.predictions import Predictions
from modelcompare.data.sizes import n_seen
from modelcompare.engine.sample_weights import resampled_weights
from modelcompare.intervals import percentile_interval, proportion_interval
from modelcompare.metrics import Outcomes
from modelcompare.metrics.base import divide
from modelcompare.metrics.subsets import class_code
from modelcompare.plugins.calibration.in_bins import interval_of_model, sums_in_bins
from modelcompare.plugins.calibration.metrics import bin_edges, indicators, top_label
from modelcompare.report.document import Document
from modelcompare.report.fields import Field, columns, frame, names_of
from modelcompare.report.figures.layout import Caption, draw_panels, wrapped
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.selection import among, first_models
from modelcompare.report.figures.style import CHANCE, LEADING, MAX_LINES, Look, describe, plain_axes
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import format_interval, interval_title
from modelcompare.report.result import Result
from modelcompare.report.tables import column, interval_column, rows_at
from modelcompare.resampling.seeds import RngLike
from modelcompare.words import Strategy, label_name, signature

_ERRORS = columns(
    "model", Field("debiased_ece", "estimate", "debiased error"), "ci_low", "ci_high",
)  # fmt: skip


def plot_reliability(
    result: Reliability, ax: Axes | None = None, *, model: str | None = None
) -> Figure:
    """Plot accuracy against confidence for each model, above the histogram of its confidences.

    If `ax` is given, only one model's diagram is drawn, without its histogram.
    """
    everyone = list(dict.fromkeys(result.table["model"]))
    asked = everyone if model is None else [among("model", model, everyone)]
    most = MAX_LINES if ax is None else 1
    models, shown = first_models(asked, most, "in the order given")
    of = "the predicted class" if result.label is None else label_name(result.label)
    caption = Caption(
        f"Reliability of the confidence in {of}: {result.n_samples:,} samples, "
        f"{interval_title(result.confidence_level)}",
        result.signature, shown,
        note="bands: interval of each bin; dotted: calibrated; below: number of samples\n"
        "ECE: expected calibration error, debiased",
    )  # fmt: skip

    def diagram(place: int, axes: Axes) -> None:
        _draw_reliability(axes, result, models[place])
        if ax is not None:
            axes.set_xlabel("confidence")
        elif place % 3 == 0:
            axes.set_ylabel("accuracy")

    def histogram(place: int, axes: Axes) -> None:
        _draw_histogram(axes, rows_at(result.table, model=models[place]))

    above, below = ([partial(draw, k) for k in range(len(models))] for draw in (diagram, histogram))
    rows = [row for pair in zip(wrapped(above), wrapped(below), strict=True) for row in pair]
    heights = [2.4, 0.8] * (len(rows) // 2)
    return draw_panels(caption, rows, (3.0, heights), ax=ax, least_width=4.4, sharex=True)


@dataclass(frozen=True, kw_only=True)
class Reliability(Result, stem="reliability", title="Calibration"):
    """Confidence and accuracy in each bin.

    Attributes
    ----------
    table : DataFrame
        A row for each model and non-empty bin: model, bin, low, high (edges of the bin), n (weight
        of its samples), confidence (mean), accuracy (share of correct predictions, or of `label`),
        ci_low, ci_high (of the accuracy), gap (confidence - accuracy).
    errors : DataFrame
        The debiased expected calibration error of each model on the same bins (as
        `modelcompare.inference.calibration_test`): model, debiased_ece, ci_low, ci_high; missing if
        samples have weights or clusters, or labels are soft.
    label
        The class whose probability is the confidence; None for the predicted class.
    n_samples : int
        Size of the test set.
    """

    table: pd.DataFrame = field(repr=False, metadata=frame(
        "model", Field("bin", "count", shown=False), Field("low", title="from"),
        Field("high", title="to"), Field("n", json="estimate"), Field("confidence", "estimate"),
        Field("accuracy", "estimate"), "ci_low", "ci_high", Field("gap", "estimate", shown=False),
        name="reliability",
    ))  # fmt: skip
    errors: pd.DataFrame = field(repr=False, metadata=frame(*_ERRORS))
    label: Any
    n_samples: int
    confidence_level: float

    plot = Plots(reliability=plot_reliability)

    @property
    def signature(self) -> str:
        of = "top" if self.label is None else str(self.label)
        bins = self.table["bin"].max() + 1
        return signature("reliability", bins=bins, label=of, level=self.confidence_level)

    def document(self) -> Document:
        interval = interval_column(self.confidence_level)
        tables = {
            "reliability": self._table(
                "Confidence and accuracy in each bin", self.table, "model",
                column("from", "low", decimals=2), column("to", "high", decimals=2), "n",
                "confidence", "accuracy", interval, decimals=3, on_request=True,
            ),
            "errors": self._whole_table(
                "errors", "Expected calibration error", self.confidence_level, decimals=3
            ),
        }  # fmt: skip
        return self._document(tables)


def _draw_reliability(axes: Axes, result: Reliability, model: str) -> None:
    bins = rows_at(result.table, model=model)
    plain_axes(axes, f"{model}\n{_error(rows_at(result.errors, model=model))}")
    axes.plot([0, 1], [0, 1], **CHANCE.options(linewidth=1))
    ends = bins["ci_low"], bins["ci_high"]
    axes.fill_between(bins["confidence"], *ends, color=LEADING, alpha=0.2, linewidth=0)
    (drawn,) = axes.plot(bins["confidence"], bins["accuracy"], **Look(LEADING, "o").options())
    describe(drawn, [_bin(row) for row in bins.itertuples()])
    axes.set(xlim=(0, 1), ylim=(0, 1.02))


def _bin(row: Any) -> str:
    """Describe a bin in words."""
    interval = format_interval(row.ci_low, row.ci_high, 3)
    right = f"came true {row.accuracy:.3f} ({interval})"
    return f"{row.model}: confidence {row.confidence:.3f}, {right}, n {row.n:,.0f}"


def _error(rows: pd.DataFrame) -> str:
    """Write the debiased calibration error with its interval, or why there is none."""
    (row,) = rows.itertuples()
    if np.isnan(row.debiased_ece):
        return "no ECE: samples are weighted or clustered"
    return f"ECE {row.debiased_ece:.3f} ({format_interval(row.ci_low, row.ci_high, 3)})"


def _draw_histogram(axes: Axes, bins: pd.DataFrame) -> None:
    plain_axes(axes, grid="y")
    # Bins of equally many samples may have width 0.
    width = (bins["high"] - bins["low"]).clip(lower=0.01)
    axes.bar(bins["low"], bins["n"] / width / bins["n"].sum(), width, align="edge",
             color=LEADING, alpha=0.35, linewidth=0.5, edgecolor="white")  # fmt: skip
    axes.set_yticks([])
    axes.set_xlabel("confidence")


@checked()
def reliability(
    predictions: Predictions, *, n_bins: int = 10, strategy: Strategy = "width", label: Any = None,
    confidence_level: float = 0.95, n_resamples: int = 999, rng: RngLike = 0,
) -> Reliability:  # fmt: skip
    """Bin the confidences, and compute the accuracy in each bin.

    Parameters
    ----------
    predictions : Predictions
        Models with probabilities.
    n_bins : int
        Number of bins.
    strategy : {"width", "mass"}
        Bins of equal width, or of equal total weight, for each model. A confidence at an edge
        belongs to the bin above, 1 to the last.
    label : label, optional
        The class whose probability is the confidence; by default the predicted class.
    confidence_level : float
        Confidence level of the intervals: Wilson's, or percentile bootstrap intervals if samples
        have weights or clusters.
    n_resamples, rng
        Number of these resamples, and their source of randomness.

    Raises
    ------
    ValueError
        If a model has no probabilities, or `label` is not a class.

    Examples
    --------
    >>> import modelcompare as mc
    >>> found = mc.diagnostics.reliability(mc.load_example("snli")["mlp"], n_bins=4)
    >>> found.table[["low", "high", "n", "confidence", "accuracy"]].round(2)
        low  high       n  confidence  accuracy
    0  0.25  0.50  2964.0        0.44      0.42
    1  0.50  0.75  4547.0        0.61      0.57
    2  0.75  1.00  2313.0        0.86      0.81
    """
    whole, drawn_weights = resampled_weights(predictions, "ece", n_resamples, rng)
    plain = predictions.access.plain and predictions.access.true_distribution is None
    frames, errors = [], []
    for model in predictions.models:
        confidence, right = confidences(predictions, model, label)
        edges = bin_edges(confidence, n_bins, strategy, predictions.sample_weight)
        inside = indicators(confidence, edges, strategy)
        columns = sums_in_bins(confidence, right, inside, whole)
        error = interval_of_model(columns, confidence_level) if plain else (np.nan,) * 3
        errors.append((model, *error))
        n, confident, hits = (column[0] for column in columns[:3])
        if plain:
            interval = proportion_interval("wilson", hits, n, confidence_level=confidence_level)
        else:
            # Not (drawn * right) @ inside: that product would be as large as the block of weights.
            inside_right = inside * right[:, None]
            draws = np.vstack([divide(w @ inside_right, w @ inside) for w in drawn_weights()])
            interval = percentile_interval(draws, confidence_level=confidence_level)
        bounds = np.r_[0.0, edges, 1.0]
        frame = pd.DataFrame({
            "model": model, "bin": np.arange(n_bins), "low": bounds[:-1], "high": bounds[1:],
            "n": n * n_seen(predictions, model) / len(predictions),
            "confidence": divide(confident, n), "accuracy": divide(hits, n),
            "ci_low": interval.low, "ci_high": interval.high,
        })  # fmt: skip
        frames.append(frame[frame["n"] > 0])
    table = pd.concat(frames, ignore_index=True)
    table["gap"] = table["confidence"] - table["accuracy"]
    of_models = pd.DataFrame(errors, columns=names_of(_ERRORS))
    return Reliability(
        table=table, errors=of_models, label=label, n_samples=n_seen(predictions),
        confidence_level=confidence_level,
    )  # fmt: skip


def confidences(predictions: Predictions, model: str, label: Any) -> tuple[FloatArray, FloatArray]:
    """Return each sample's confidence, and whether (for soft labels, how much) it is correct."""
    outcomes = Outcomes.of(predictions, model)
    if label is None:
        confidence, right = top_label(outcomes)
        return confidence[:, 0], right[:, 0]
    code = class_code("`label`", label, predictions)
    return outcomes.probabilities[:, code], outcomes.truth[:, code]
