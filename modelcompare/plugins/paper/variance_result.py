"""Bootstrap distributions of metrics at several sizes of the test set, their tests and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.arguments import checked, one_level
from modelcompare.data.sizes import n_seen
from modelcompare.data.test_set import TestSet
from modelcompare.engine.axis import LongColumns
from modelcompare.engine.contrasts import Sample
from modelcompare.engine.design import Design
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.engine.scope import Scope
from modelcompare.plugins.paper.efficiency import (
    efficiency_table,
    relative_efficiency,
    separations,
    variance_ratios,
)
from modelcompare.plugins.paper.figures import (
    LINE_STYLES,
    differing_labels,
    draw_bands,
    draw_lines,
    log_with_zero,
    model_keys,
    range_note,
    ratio_axis,
)
from modelcompare.plugins.paper.pairs import PAPER_PAIRS, MetricPairs, Pair, part_of
from modelcompare.plugins.paper.variance_tables import key_of_sizes, table_of_sizes, table_of_tests
from modelcompare.plugins.paper.verdicts import of_variances
from modelcompare.report.document import Document
from modelcompare.report.fields import HIDDEN, Field, columns, frame, member
from modelcompare.report.figures.layout import Caption, draw_panels, wrapped
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.style import (
    MAX_LINES,
    MODEL_COLOURS,
    MUTED,
    Look,
    plain_axes,
)
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import interval_title
from modelcompare.report.result import Result
from modelcompare.report.tables import rows_at
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.words import check_count, label_name, signature, value_name

REPLICATE_NOTE = (
    "F, Bartlett and Levene compare bootstrap replicates, as the paper does: their p-values shrink "
    "as resamples are added and are no evidence about the metrics. The interval of the variance "
    "ratio does not depend on the number of resamples."
)

# Figures of variances, and of values, in Yacouby & Axman (2020).
_PAPER_FIGURES = dict(zip(PAPER_PAIRS, ((1, 2), (5, 3), (6, 4)), strict=True))
# Classes with a panel each, and with several.
_MAX_PANELS, _MAX_ROWS = 12, 6


def plot_variances(
    study: VarianceStudy, pair: int | Pair = 0, *, label: Any = None, n_columns: int | None = None,
    ax: Axes | None = None,
) -> Figure:  # fmt: skip
    """Plot variances of both metrics of a pair against the ratio (figures 1, 5, 6).

    A panel for each class; a colour for each model, solid for the first metric and dashed for
    the second. With more than twelve models the median and the range of 90 % of them are drawn.
    If a variance is 0 the scale includes 0.
    """
    if n_columns is not None:
        check_count("n_columns", n_columns, at_least=1, at_most=100)
    names = _named_pair(study, pair)
    whole = rows_at(study.distribution, metric=names[0], ratio=study.ratios[0])
    labels, shown = differing_labels(whole, "estimate", label, _MAX_PANELS if ax is None else 1)
    n_columns = min(n_columns or 3, len(labels))
    title = (
        f"Variance of {names[0]} and {names[1]}: {study.n_samples:,} samples, "
        f"{study.n_resamples:,} resamples{_in_the_paper(names, 0)}"
    )
    keys = [*model_keys(study.models), *_metric_keys(names, study.models)]
    caption = Caption(title, study.signature, shown, range_note(study.models), keys, "variance")
    drawn = study.distribution["metric"].isin(names)
    if labels[0] is not None:
        drawn &= study.distribution["label"].isin(labels)
    rows = study.distribution[drawn]

    def draw(place: int, axes: Axes) -> None:
        for name, line in zip(names, LINE_STYLES, strict=True):
            part = rows_at(rows, metric=name, label=labels[place])
            draw_lines(axes, part, "variance", study.models, line)
        plain_axes(axes, label_name(labels[place]) or names[0])
        ratio_axis(axes, study.ratios, last=place + n_columns >= len(labels))

    return draw_panels(
        caption, wrapped([partial(draw, place) for place in range(len(labels))], n_columns),
        (2.7, 2.5), ax=ax, least_width=5.0,
        finish=partial(log_with_zero, rows["variance"]), sharex=True, sharey=True,
    )  # fmt: skip


def plot_intervals(
    study: VarianceStudy, pair: int | Pair = 0, *, label: Any = None, ax: Axes | None = None
) -> Figure:
    """Plot values with bands against the ratio, for both metrics of a pair (figures 2, 3, 4).

    A row of panels for each class, with a shared scale, and a colour for each model.
    """
    names = _named_pair(study, pair)
    whole = rows_at(study.distribution, metric=names[0], ratio=study.ratios[0])
    labels, shown = differing_labels(whole, "estimate", label, _MAX_ROWS if ax is None else 1)
    title = (
        f"{' and '.join(names)}: {study.n_samples:,} samples, mean and "
        f"{interval_title(study.confidence_level)} of {study.n_resamples:,} resamples"
        f"{_in_the_paper(names, 1)}"
    )
    keys = model_keys(study.models)
    caption = Caption(title, study.signature, shown, range_note(study.models), keys)

    def draw(name: str, of: Any, axes: Axes) -> None:
        part = rows_at(study.distribution, metric=name, label=of)
        if len(study.models) > MAX_LINES:
            draw_lines(axes, part, "mean", study.models)
        else:
            draw_bands(axes, part, "ratio", "mean", study.models)
        plain_axes(axes, value_name(name, of))
        ratio_axis(axes, study.ratios, last=of is labels[-1])

    panels = [[partial(draw, name, of) for name in names] for of in labels]
    return draw_panels(caption, panels, (3.5, 2.3), ax=ax, sharex=True, sharey="row")


def _in_the_paper(pair: Pair, place: int) -> str:
    """Return the number of the paper's figure of a pair; empty if it has none."""
    number = _PAPER_FIGURES.get(pair)
    return f" (figure {number[place]} of Yacouby and Axman 2020)" if number else ""


def _named_pair(study: VarianceStudy, pair: int | Pair) -> Pair:
    pairs = study.pairs
    places = dict(enumerate(pairs)) | {names: names for names in pairs}
    asked = tuple(pair) if isinstance(pair, list) else pair
    if not isinstance(asked, int | tuple) or asked not in places:
        raise ValueError(f"`pair` {pair!r} was not studied; there are {pairs}.")
    return places[asked]


_VARIANCE_RATIO = Field("variance_ratio", "estimate")
# Columns of `VarianceStudy.tests`.
TESTS = columns(
    "model", "ratio", "n_samples", Field("subsample", "count"), "label", "metric_a", "metric_b",
    Field("variance_a", "estimate"), Field("variance_b", "estimate"), _VARIANCE_RATIO, "test",
    "statistic", "p_value",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class VarianceStudy(Result, stem="variance"):
    """Bootstrap distributions of metrics at several sizes of the test set.

    Attributes
    ----------
    predictions : Predictions
        The whole test set.
    pairs : tuple of (str, str)
        Metrics that are compared.
    ratios : tuple of float
        Parts of the test set, largest first.
    n_resamples, n_subsamples, confidence_level
        As passed to `variance_study`.
    distribution : DataFrame
        A row for each model, ratio, metric and class: model, ratio, n_samples, metric, label,
        estimate, mean, variance (within a down-sampling), variance_error (its Monte-Carlo standard
        error, of the number of resamples), variance_between (of the means of several
        down-samplings; missing if there is one), ci_low, ci_high (percentile), n_undefined
        (resamples without a value, over all down-samplings). With several down-samplings the other
        numbers are means over them, variance_error the error of the mean.
    tests : DataFrame
        A row for each model, ratio, down-sampling, class, pair of metrics and test of equal
        variances on the replicates: model, ratio, n_samples, subsample, label, metric_a,
        metric_b, variance_a, variance_b, variance_ratio, test, statistic, p_value.
    design : Design
        What varies.
    """

    predictions: TestSet = field(repr=False, metadata=HIDDEN)
    pairs: tuple[Pair, ...] = field(metadata=HIDDEN)
    ratios: tuple[float, ...] = field(metadata=HIDDEN)
    n_resamples: int
    n_subsamples: int
    confidence_level: float
    distribution: pd.DataFrame = field(repr=False, metadata=frame(
        "model", "ratio", "n_samples", "metric", "label", "estimate", "mean",
        Field("variance", "estimate"), Field("variance_error", "estimate"),
        Field("variance_between", "estimate"), "ci_low", "ci_high",
        "n_undefined", name="variance",
    ))  # fmt: skip
    tests: pd.DataFrame = field(repr=False, metadata=frame(*TESTS, name="variance_tests"))
    metric_pairs: MetricPairs = field(repr=False, metadata=HIDDEN)
    seed: np.random.SeedSequence = field(repr=False, metadata=HIDDEN)
    stratify: bool = field(repr=False)
    seed_label: str = field(repr=False)
    design: Design = field(repr=False, metadata=HIDDEN)

    plot = Plots(variances=plot_variances, intervals=plot_intervals)
    note: ClassVar[str] = REPLICATE_NOTE

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in the order given."""
        return self.predictions.models

    @property
    def scope(self) -> Scope:
        """Runs and labels that all of this is about."""
        return self.design.scope

    @property
    def n_samples(self) -> int:
        """Size of the whole test set."""
        return n_seen(self.predictions)

    @property
    def notes(self) -> tuple[str, ...]:
        """Note on the runs for which the study is, if there are several."""
        return self.scope.notes

    @property
    def signature(self) -> str:
        return signature(
            "variance_study", n=self.n_samples,
            **self.scope.settings,
            B=self.n_resamples, subsamples=self.n_subsamples, ci="percentile",
            rng=self.seed_label, stratified=self.stratify,
        )  # fmt: skip

    @cached_property
    @member(
        "model", "ratio", "n_samples", "label", "metric_a", "metric_b", _VARIANCE_RATIO, "ci_low",
        "ci_high",
    )  # fmt: skip
    def variance_ratios(self) -> pd.DataFrame:
        """Ratio of the two metrics' variances, with an interval that needs no resamples.

        Both variances, and the standard error of the logarithm of their ratio (delta method), are
        computed from the influence functions. For new runs the error is that of the jackknife,
        which leaves out items and runs and needs three runs. Columns: model, ratio, n_samples,
        label, metric_a, metric_b, variance_ratio, ci_low, ci_high.
        """
        rows_of = partial(
            variance_ratios, metric_pairs=self.metric_pairs, confidence_level=self.confidence_level
        )
        return self._over_ratios(rows_of).drop(columns="metric")

    @cached_property
    def separation(self) -> pd.DataFrame:
        """Distance of two models, in standard errors of their paired difference.

        Columns: model_a, model_b, ratio, n_samples, metric, label, difference (a - b),
        standard_error (influence functions), separation (their quotient), p_value (normal, for new
        runs Student's).
        """
        return self._over_ratios(separations)

    @member(
        "metric", "label", "ratio", "n_samples", "n_pairs", Field("n_separated", "count"),
        Field("pct_separated", "estimate"), name="separation", optional=True,
    )  # fmt: skip
    @checked()
    def separated(self, alpha: float | None = None) -> pd.DataFrame:
        """Share of model pairs that are separated at a level, by metric, class and ratio.

        The level is 1 - `confidence_level` of the study unless another one is given. Columns:
        metric, label, ratio, n_samples, n_pairs, n_separated, pct_separated.
        """
        level = one_level({"confidence_level": self.confidence_level})["alpha"]
        frame = self.separation
        frame = frame.assign(shown=frame["p_value"] < (level if alpha is None else alpha))
        keys = ["metric", "label", "ratio", "n_samples"]
        out = frame.groupby(keys, dropna=False, sort=False)["shown"].agg(["size", "sum"])
        out.columns = ["n_pairs", "n_separated"]
        out["pct_separated"] = 100 * out["n_separated"] / out["n_pairs"]
        return out.reset_index()

    @cached_property
    @member(
        "model_a", "model_b", "metric_a", "metric_b", "label", Field("separation_a", "estimate"),
        Field("separation_b", "estimate"), "samples_ratio", "ci_low", "ci_high", "agree",
        optional=True,
    )  # fmt: skip
    @one_blas_thread()
    def relative_efficiency(self) -> pd.DataFrame:
        """Samples that metric b needs for each sample of metric a, for the same separation.

        On the whole test set, for each pair of models: the squared ratio of the two metrics'
        separations. Below 1 metric b separates the two models with fewer samples than metric a; a
        lower variance alone does not imply this. The interval (delta method on the logarithm) is
        wide if one of the differences is uncertain. Columns: model_a, model_b, metric_a, metric_b,
        label, separation_a, separation_b, samples_ratio, ci_low, ci_high, agree (whether both
        metrics prefer the same model).
        """
        whole = self._sample(self.predictions)
        return relative_efficiency(whole, self.metric_pairs, self.confidence_level)

    def document(self) -> Document:
        several = len(self.models) > 1
        separated = self.separated() if several else None
        sized = [
            table_of_sizes(pair, self.distribution, self.variance_ratios, separated)
            for pair in self.pairs
        ]
        sized[-1] = replace(sized[-1], notes=[key_of_sizes(self.confidence_level)])
        tables = dict(zip(map(", ".join, self.pairs), sized, strict=True))
        tables["tests"] = table_of_tests(self.tests, self.note)
        of_pairs: tuple[str, ...] = ("separation", "relative_efficiency")
        if several:
            tables["efficiency"] = efficiency_table(self.relative_efficiency, self.confidence_level)
            of_pairs = ()
        figures = self._figures()
        notes = [*self.notes, *self.metric_pairs.notes(self.predictions)]
        found = [*self.verdict().splitlines(), *notes]
        heading = "Variances of metrics, by size of the test set"
        return self._document(
            tables, heading=heading, findings=found, figures=figures, without=of_pairs
        )

    def verdict(self) -> str:
        """Return one sentence for each pair of metrics: which varies less, and in how many cases.

        With several models, a second one has the pairs of models that each metric separates.
        """
        separated = self.separated() if len(self.models) > 1 else None
        return "\n".join(of_variances(self.pairs, self.variance_ratios, separated))

    def _figures(self) -> dict[str, Callable[[], Figure]]:
        figures: dict[str, Callable[[], Figure]] = {}
        firsts = [pair[0] for pair in self.pairs]
        for pair in self.pairs:
            # If a metric is the first of several pairs, file names need both names.
            name = pair[0] if firsts.count(pair[0]) == 1 else "_".join(pair)
            for place, (kind, draw) in enumerate(
                {"variances": self.plot.variances, "intervals": self.plot.intervals}.items()
            ):
                number = f"figure{_PAPER_FIGURES[pair][place]}_" if pair in _PAPER_FIGURES else ""
                figures[f"{number}{kind}_{name}"] = partial(draw, pair)
        return figures

    @one_blas_thread()
    def _over_ratios(
        self, rows_of: Callable[[Sample, Mapping[str, object]], Iterable[LongColumns]]
    ) -> pd.DataFrame:
        """Join the rows that `rows_of` yields for the part of the test set at each ratio."""
        rows: list[LongColumns] = []
        for ratio in self.ratios:
            part = part_of(self.predictions, ratio, self.seed, stratify=self.stratify)
            where = {"ratio": ratio, "n_samples": n_seen(part)}
            rows += rows_of(self._sample(part), where)
        return self.metric_pairs.frame(rows)

    def _sample(self, part: TestSet) -> Sample:
        """Return the values on a part of the test set and their errors, without resamples."""
        evaluation = self.metric_pairs.evaluate(part)
        none = BootstrapWeights(evaluation.units, 0, self.seed)
        return Sample(evaluation, none, self.design.of_part(part))


def _metric_keys(pair: Pair, models: Sequence[str]) -> list[tuple[str, Look]]:
    """Return the lines of both metrics for the legend; grey if colours denote models."""
    many = len(models) > MAX_LINES
    return [
        (name, Look(colour if many else MUTED, line=line))
        for name, line, colour in zip(pair, LINE_STYLES, MODEL_COLOURS, strict=False)
    ]
