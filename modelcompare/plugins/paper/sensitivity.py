"""Sensitivity of metrics to confidences alone (Yacouby & Axman 2020, section 5)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import cast

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray
from modelcompare.comparison.bootstrap_result import BootstrapResult
from modelcompare.comparison.planning import Settings, evaluate, prepare
from modelcompare.comparison.selected import places_of, select_values
from modelcompare.data.checks import softmax
from modelcompare.data.kinds import PROBABILITIES
from modelcompare.data.predictions import Predictions
from modelcompare.data.sizes import n_seen
from modelcompare.data.variants import with_attachment, with_models
from modelcompare.engine.axis import LongColumns, joined_frame, long_columns
from modelcompare.engine.scope import Scope
from modelcompare.metrics.classes import without_classes
from modelcompare.metrics.registry import MetricLike
from modelcompare.plugins.paper.figures import draw_bands, ticked_log
from modelcompare.plugins.paper.verdicts import of_sensitivity
from modelcompare.report.document import Document
from modelcompare.report.fields import HIDDEN, Field, frame
from modelcompare.report.figures.layout import Caption, draw_panels
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.selection import among, first_models
from modelcompare.report.figures.style import MAX_LINES, look_of_each, plain_axes
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import interval_title
from modelcompare.report.result import Result
from modelcompare.report.tables import VALUE, Table, column, interval_column, rows_at
from modelcompare.resampling.draws import standard_normal
from modelcompare.resampling.seeds import RngLike, child_seed, rng_label, seed_sequence
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.words import (
    GeneralizeTo,
    IntervalMethod,
    ZeroDivision,
    check_numbers,
    giving,
    signature,
)

DEFAULT_METRICS = ("accuracy", "f1_macro", "cf1_macro", "log_loss", "brier_score")
TEMPERATURES = (0.25, 0.5, 0.8, 1.25, 2.0, 4.0)
NOISES = (0.25, 0.5, 1.0, 2.0)


def plot_sensitivity(
    study: SensitivityStudy,
    ax: Axes | None = None,
    *,
    metric: str | None = None,
    change: str | None = None,
) -> Figure:
    """Draw the change of each metric against temperature and noise, a line for each model."""
    frame = rows_at(study.table, label=None)
    metrics, changes, everyone = (
        list(dict.fromkeys(frame[name])) for name in ("metric", "change", "model")
    )
    if not metrics:
        raise ValueError("there is no averaged metric to draw; study f1_macro, cf1_macro, say.")
    metrics = metrics if metric is None else [among("metric", metric, metrics)]
    changes = changes if change is None else [among("change", change, changes)]
    models, shown = first_models(everyone, MAX_LINES, "in the order given")
    title = (
        f"Same decisions, other confidences: {study.n_samples:,} samples, "
        f"{interval_title(study.confidence_level)}"
    )
    caption = Caption(title, study.signature, shown, keys=look_of_each(models), y_label="change")

    def draw(what: str, name: str, axes: Axes) -> None:
        plain_axes(axes, name)
        axes.axhline(0, color="black", linewidth=0.7)
        part = rows_at(frame, change=what, metric=name)
        draw_bands(axes, part, "level", "difference", models)
        below = what if what == "temperature" else "noise (sd of log-prob.)"
        ticked_log(axes, sorted({*part["level"]}), below, base=2)
        _keep_zero_readable(axes)

    panels = [[partial(draw, what, name) for name in metrics] for what in changes]
    return draw_panels(caption, panels, (2.3, 2.3), ax=ax, least_width=5.0, sharex="row")


@dataclass(frozen=True, kw_only=True)
class SensitivityStudy(Result, stem="sensitivity"):
    """Change of each metric when confidences change and decisions do not.

    Attributes
    ----------
    table : DataFrame
        A row for each model, change, level, metric and class: model, change ("temperature" or
        "noise"), level, metric, label, original, estimate, difference (estimate - original),
        standard_error, ci_low, ci_high (of the difference), moves (whether the interval excludes
        0).
    n_samples : int
        Size of the whole test set.
    scope : Scope
        Runs that the changes are about.
    """

    table: pd.DataFrame = field(repr=False, metadata=frame(
        "model", "change", "level", "metric", "label", Field("original", "estimate"), "estimate",
        "difference", "standard_error", "ci_low", "ci_high", Field("moves", "flag"),
        name="sensitivity",
    ))  # fmt: skip
    n_samples: int = field(repr=False, metadata=HIDDEN)
    n_resamples: int
    seed_label: str = field(repr=False)
    confidence_level: float
    scope: Scope = field(repr=False, metadata=HIDDEN)

    plot = Plots(sensitivity=plot_sensitivity)

    @property
    def signature(self) -> str:
        return signature(
            "sensitivity_study", n=self.n_samples, **self.scope.settings, B=self.n_resamples,
            rng=self.seed_label,
        )  # fmt: skip

    def document(self) -> Document:
        table = self.table
        # What did not move at all has no interval.
        moved = table["difference"] != 0
        frame = table.assign(
            what=table["change"] + [f" {level:g}" for level in table["level"]],
            ci_low=table["ci_low"].where(moved),
            ci_high=table["ci_high"].where(moved),
        )
        tables = {
            str(model): Table.of(
                str(model), part, column("change", "what"),
                VALUE, "estimate", column("moved by", "difference"),
                interval_column(self.confidence_level),
            )
            for model, part in frame.groupby("model", sort=False)
        }  # fmt: skip
        heading = "Same decisions, other confidences"
        found = [*self.verdict().splitlines(), *self.scope.notes]
        return self._document(tables, heading=heading, findings=found)

    def verdict(self) -> str:
        """Return which metrics move when confidences change and decisions do not."""
        return "\n".join(of_sensitivity(self.table))


def _keep_zero_readable(axes: Axes) -> None:
    """Keep a metric that does not move at all from being drawn on a scale of rounding errors."""
    low, high = axes.get_ylim()
    if high - low < 1e-3:
        axes.set_ylim(-0.01, 0.01)
    axes.locator_params(axis="y", nbins=5)


@checked(predictions=giving("rows", by_design=True))
def sensitivity_study(
    predictions: Predictions, metrics: MetricLike | Sequence[MetricLike] = DEFAULT_METRICS, *,
    temperatures: Sequence[float] = TEMPERATURES, noises: Sequence[float] = NOISES,
    n_resamples: int = 999, method: IntervalMethod | None = None,
    confidence_level: float = 0.95, generalize_to: GeneralizeTo = "auto",
    zero_division: ZeroDivision = math.nan, rng: RngLike = 0,
) -> SensitivityStudy:  # fmt: skip
    """Change the confidences, leave the top label, and see which metrics move.

    Parameters
    ----------
    predictions : Predictions
        Test set and models, all with probabilities.
    metrics : sequence
        What to watch.
    temperatures : sequence of float
        Log-probabilities are divided by each: below 1 sharpens, above 1 flattens.
    noises : sequence of float
        Standard deviations of normal noise on the log-probabilities; where it changes the top
        label, the two probabilities are swapped back.
    n_resamples, confidence_level
        As for `modelcompare.compare`, of the intervals of the changes.
    method : str, optional
        Their method, as in `compare`. By default "percentile", of the paired bootstrap; for new
        runs, and beside a judge, "auto".
    generalize_to : {"auto", "items", "items+runs"}
        What varies, as in `compare`.
    zero_division, rng
        As in `compare`.

    Raises
    ------
    ValueError
        If a model gave no probabilities, a level is not positive, or new runs are asked about and
        not known.

    Examples
    --------
    >>> import modelcompare as mc
    >>> study = mc.studies.sensitivity_study(
    ...     mc.load_example("snli")["bow_pair"], ["f1_macro", "cf1_macro"],
    ...     temperatures=[0.5], noises=[],
    ... )
    >>> study.table[["metric", "difference", "moves"]].round(3)
          metric  difference  moves
    0   f1_macro       0.000  False
    1  cf1_macro       0.075   True
    """
    asked = [("temperature", t) for t in check_numbers("temperatures", temperatures, positive=True)]
    asked += [("noise", n) for n in check_numbers("noises", noises, positive=True)]
    levels = list(dict.fromkeys(asked))
    if not levels:
        raise ValueError("`temperatures` and `noises` are both empty; give one at least.")
    plain, classes = without_classes(metrics, predictions)
    settings = Settings(generalize_to=generalize_to, zero_division=zero_division)
    of_all = prepare(predictions, plain, settings).sample
    design = of_all.design
    known = [*design.known("method"), "percentile"]
    method = method or cast("IntervalMethod", known[0])
    design.check("method", method)
    of_all.estimator.warnings(places_of(of_all.evaluation, classes))
    seed = seed_sequence(rng)
    rows = []
    for place, model in enumerate(predictions.models):
        probabilities = predictions.probabilities(model).astype(np.float64)
        variants = {model: probabilities}
        for number, (change, level) in enumerate(levels):
            own_seed = child_seed(seed, place, number)
            variants[f"{change} {level:g}"] = _changed(probabilities, change, level, own_seed)
        changed = _with_variants(predictions, model, variants)
        evaluation = evaluate(changed, plain, settings)
        weights = BootstrapWeights(evaluation.units, n_resamples, seed)
        every = BootstrapResult(evaluation, weights, design.of_part(changed))
        result = select_values(every, places_of(evaluation, classes))
        rows.append(_changes(result, levels, method, confidence_level))
    return SensitivityStudy(
        table=joined_frame(rows), n_samples=n_seen(predictions), n_resamples=n_resamples,
        seed_label=rng_label(rng), confidence_level=confidence_level,
        scope=design.scope,
    )  # fmt: skip


def _changed(
    probabilities: FloatArray, change: str, level: float, seed: np.random.SeedSequence
) -> FloatArray:
    """Probabilities with other confidences and the same top labels."""
    with np.errstate(divide="ignore"):
        logs = np.log(probabilities)
    if change == "temperature":
        logs = logs / level
    else:
        logs = logs + level * standard_normal(seed, probabilities.shape)
    changed = softmax(logs)
    rows = np.arange(len(changed))
    top, new = probabilities.argmax(axis=1), changed.argmax(axis=1)
    kept, moved = changed[rows, top].copy(), changed[rows, new].copy()
    changed[rows, new], changed[rows, top] = kept, moved
    # A tie that only rounding broke would change the first of equals.
    tied = changed.argmax(axis=1) != top
    changed[rows[tied], top[tied]] *= 1 + 1e-12
    return changed


def _changes(
    result: BootstrapResult, levels: list[tuple[str, float]], method: IntervalMethod, level: float
) -> LongColumns:
    """Changes of the first model, whose variants stand behind it as further models."""
    changed = np.arange(1, len(levels) + 1)
    original = np.zeros(len(levels), dtype=np.intp)
    interval = result.difference_interval(changed, original, method, level)
    error = result.standard_error((changed, original))
    difference = result.point[changed] - result.point[original]
    difference[np.abs(difference) <= 1e-12 * np.abs(result.point[original])] = 0.0
    changes, amounts = zip(*levels, strict=True)
    return long_columns(
        {"model": result.evaluation.models[0], "change": changes, "level": amounts},
        result.evaluation.keys, original=result.point[original], estimate=result.point[changed],
        difference=difference, standard_error=error, ci_low=interval.low, ci_high=interval.high,
        moves=(interval.low > 0) | (interval.high < 0),
    )  # fmt: skip


def _with_variants(
    predictions: Predictions, model: str, probabilities: Mapping[str, FloatArray]
) -> Predictions:
    """Return the same test set with variants of a model, which have its runs and attachments."""
    found = with_models(predictions, probabilities, PROBABILITIES)
    found = found.with_columns(runs=predictions.access.runs_of(model))
    for each in predictions.access.attachments.values():
        found = with_attachment(found, each.of_variants(model, [*probabilities]))
    return found
