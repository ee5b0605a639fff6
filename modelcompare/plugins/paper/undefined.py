"""Frequency of undefined values (Yacouby & Axman 2020, section 4, benefit A)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import IntArray
from modelcompare.comparison.planning import Settings
from modelcompare.data.predictions import Predictions
from modelcompare.data.sizes import n_seen
from modelcompare.data.test_set import TestSet
from modelcompare.engine.axis import long_columns
from modelcompare.engine.parallel import progress_bar
from modelcompare.engine.scope import Scope
from modelcompare.plugins.paper.figures import plot_shares
from modelcompare.plugins.paper.pairs import (
    PAPER_PAIRS,
    PAPER_RATIOS,
    MetricPairs,
    Pair,
    at_part,
    check_ratios,
)
from modelcompare.plugins.paper.verdicts import of_undefined
from modelcompare.report.document import Document
from modelcompare.report.fields import HIDDEN, Field, frame
from modelcompare.report.figures.layout import Caption
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.result import Result
from modelcompare.report.tables import Column, Table, column, rows_at
from modelcompare.resampling.seeds import RngLike, child_seed, rng_label, seed_sequence
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.words import GeneralizeTo, ZeroDivision, giving, signature

# Classes that the table of the rarest shows.
_RAREST = 8


def plot_undefined(study: UndefinedStudy, ax: Axes | None = None) -> Figure:
    """Draw the share of undefined values against the ratio, soft twin beside hard."""
    table = study.table
    lines = table.assign(line=table["model"], share=table["pct_undefined"], series=table["metric"])
    title = (
        f"How often a metric has no value, mean over classes: {study.n_samples:,} samples, "
        f"{study.n_resamples:,} resamples"
    )
    caption = Caption(
        title, study.signature, note="thick: mean over models; thin: each model",
        y_label="% of resamples undefined",
    )  # fmt: skip
    pairs = study.metric_pairs.pairs
    words = pairs[0] if len(pairs) == 1 else ("the metric", "its counterpart")
    panels = {f"{a} and {b}": (a, b) for a, b in pairs}
    return plot_shares(
        lines, panels, words, caption, finish=lambda axes: axes.set_ylim(bottom=0), ax=ax
    )


@dataclass(frozen=True, kw_only=True)
class UndefinedStudy(Result, stem="undefined"):
    """Share of resamples in which each metric is 0 / 0.

    Attributes
    ----------
    table : DataFrame
        A row for each model, ratio, metric and class: model, ratio, n_samples, metric, label,
        support (samples of the class in the whole test set), n_undefined, pct_undefined.
    metric_pairs : MetricPairs
        Metrics that are compared.
    n_samples : int
        Size of the whole test set.
    n_resamples : int
        Resamples of each size.
    scope : Scope
        Runs that the shares are about.
    """

    table: pd.DataFrame = field(repr=False, metadata=frame(
        "model", "ratio", "n_samples", "metric", "label", Field("support", "count"), "n_undefined",
        Field("pct_undefined", "estimate"), name="undefined",
    ))  # fmt: skip
    n_samples: int = field(repr=False, metadata=HIDDEN)
    metric_pairs: MetricPairs = field(repr=False, metadata=HIDDEN)
    ratios: tuple[float, ...] = field(metadata=HIDDEN)
    n_resamples: int
    seed_label: str = field(repr=False)
    scope: Scope = field(repr=False, metadata=HIDDEN)

    plot = Plots(undefined=plot_undefined)

    @property
    def signature(self) -> str:
        return signature(
            "undefined_study", n=self.n_samples, **self.scope.settings, B=self.n_resamples,
            rng=self.seed_label,
        )  # fmt: skip

    @property
    def summary(self) -> pd.DataFrame:
        """Mean share over models and classes: metric, ratio, n_samples, pct_undefined."""
        keys = ["metric", "ratio", "n_samples"]
        return self.table.groupby(keys, sort=False)["pct_undefined"].mean().reset_index()

    def document(self) -> Document:
        summary = self.summary.pivot(index="metric", columns="ratio", values="pct_undefined")
        summary = summary[list(self.ratios)].reindex(dict.fromkeys(self.table["metric"]))
        summary.columns = [*map(at_part, self.ratios)]
        tables = {
            "by size": Table.of(
                "% undefined, mean over models and classes, by part of the test set",
                summary.reset_index(), "metric", *map(_percent, summary),
            )
        }  # fmt: skip
        smallest = rows_at(self.table, ratio=self.ratios[-1]).dropna(subset=["label"])
        of_classes = [pair for pair in self.metric_pairs.pairs if pair[0] in {*smallest["metric"]}]
        if of_classes:
            names = list(dict.fromkeys(of_classes[0]))
            means = smallest.pivot_table(
                index=["label", "support"], columns="metric", values="pct_undefined", sort=False
            )
            rarest = means[names].reset_index().sort_values("support", kind="stable")
            where = f"{at_part(self.ratios[-1])} of the test set, rarest classes"
            tables["by class"] = self._table(
                f"% undefined {where}, mean over models", rarest.head(_RAREST), "label",
                column("samples", "support", kind="count"), *map(_percent, names),
            )  # fmt: skip
        heading = "Undefined values, by size of the test set"
        found = [*self.verdict().splitlines(), *self.scope.notes]
        return self._document(tables, heading=heading, findings=found)

    def verdict(self) -> str:
        """Return how often the metrics have no value on the smallest test sets."""
        return "\n".join(of_undefined(self.table, self.n_resamples))


@checked(predictions=giving("rows", by_design=True))
def undefined_study(
    predictions: Predictions, pairs: Sequence[str | Pair] = PAPER_PAIRS, *,
    ratios: Sequence[float] = PAPER_RATIOS, n_resamples: int = 1000,
    generalize_to: GeneralizeTo = "auto", zero_division: ZeroDivision | None = None,
    rng: RngLike = 0,
) -> UndefinedStudy:  # fmt: skip
    """Count the test sets of each size on which a metric has no value.

    Every resample is a new test set, drawn with replacement from the whole one at the size of the
    ratio (m out of n).

    Parameters
    ----------
    predictions : Predictions
        Test set and models.
    pairs : sequence of (str, str) or str
        Pairs of metrics per class; a single name is paired with its probabilistic twin.
    ratios : sequence of float
        Sizes of the test sets, as parts of the whole one.
    n_resamples : int
        Test sets of each size.
    generalize_to : {"auto", "items", "items+runs"}
        What varies, as in `compare`. For new runs, as many runs are drawn again with the items.
    zero_division : float or "paper", optional
        By default the F1 of a class is undefined where precision or recall is, as in the paper; NaN
        keeps it defined unless a class is neither true nor predicted. Averages count undefined
        classes as 0, but with "paper" are undefined themselves.
    rng
        As in `variance_study`.

    Returns
    -------
    UndefinedStudy
        Frames `table` and `summary`, and a figure.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.Predictions([0] * 95 + [1] * 5, {"a": [[0.9, 0.1]] * 97 + [[0.2, 0.8]] * 3})
    >>> study = mc.studies.undefined_study(preds, ["precision"], ratios=[1.0, 0.2], n_resamples=200)
    >>> study.table.query("label == 1")[["ratio", "metric", "pct_undefined"]]
       ratio      metric  pct_undefined
    1    1.0   precision            8.0
    3    1.0  cprecision            0.0
    5    0.2   precision           54.0
    7    0.2  cprecision            0.0
    """
    metric_pairs = MetricPairs.of(pairs, predictions, zero_division)
    design = metric_pairs.prepare(predictions, Settings(generalize_to=generalize_to)).design
    sizes = check_ratios(ratios, n_seen(predictions))
    seed = seed_sequence(rng)
    support, known = {}, predictions.access.labelled
    if predictions.labels is not None and known.access.codes is not None:
        counts = class_counts(known)
        support = dict(zip(predictions.labels.tolist(), counts.tolist(), strict=True))
    rows = []
    with progress_bar(len(sizes) * len(predictions.models), unit=" parts") as bar:
        for place, ratio in enumerate(sizes):
            for model in predictions.models:
                # One model at a time: with 150 classes the replicates of many would not fit.
                evaluation = metric_pairs.evaluate(predictions[model])
                size = max(2, round(ratio * evaluation.units.size))
                own_seed = child_seed(seed, place)
                weights = BootstrapWeights(evaluation.units, n_resamples, own_seed, size=size)
                own = design.of_part(evaluation.predictions)
                replicates = own.estimator(evaluation).drawn(weights)[:, 0]
                n_undefined = np.count_nonzero(np.isnan(replicates), axis=0)
                n_samples = round(ratio * n_seen(predictions, model))
                rows.append(long_columns(
                    {"model": [model], "ratio": ratio, "n_samples": n_samples}, evaluation.keys,
                    n_undefined=n_undefined, pct_undefined=100 * n_undefined / n_resamples,
                ))  # fmt: skip
                bar.update()
    table = metric_pairs.frame(rows)
    table.insert(5, "support", table["label"].map(support))
    return UndefinedStudy(
        table=table, n_samples=n_seen(predictions), metric_pairs=metric_pairs, ratios=sizes,
        n_resamples=n_resamples, seed_label=rng_label(rng), scope=design.scope,
    )  # fmt: skip


def _percent(name: str) -> Column:
    return column(name, kind="estimate", decimals=1)


def class_counts(predictions: TestSet) -> IntArray:
    """Count the results of each true class, of which `n_seen` are all."""
    access = predictions.access
    counts = np.bincount(np.asarray(access.codes), minlength=access.n_classes)
    found: IntArray = counts * n_seen(predictions) // len(predictions)
    return found
