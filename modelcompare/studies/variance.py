"""How a metric's spread depends on the size of the test set (Yacouby & Axman 2020, section 6.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.data.predictions import Predictions
from modelcompare.engine.axis import pair_frame
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import influence_moments
from modelcompare.engine.parallel import one_blas_thread, progress_bar
from modelcompare.report.document import Document
from modelcompare.report.figures.plots import VariancePlots
from modelcompare.report.figures.studies import Distributions
from modelcompare.report.figures.types import Figure
from modelcompare.report.result import Result
from modelcompare.report.tables import Column, Table, rows_at
from modelcompare.resampling.seeds import RngLike, child_seed, rng_label, seed_sequence
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.significance.pairwise import all_pairs, pair_differences
from modelcompare.significance.variances import check_variance_tests
from modelcompare.sources.planning import serve
from modelcompare.studies.distributions import Part, distribution_frame, summarized, tests_frame
from modelcompare.studies.efficiency import efficiency_table, relative_efficiency, variance_ratios
from modelcompare.studies.pairs import (
    PAPER_PAIRS,
    PAPER_RATIOS,
    MetricPairs,
    Pair,
    check_ratios,
    part_of,
)
from modelcompare.words import VarianceTest, ZeroDivision, signature

PAPER_TESTS: tuple[VarianceTest, ...] = ("f", "bartlett", "levene")

REPLICATE_NOTE = (
    "F, Bartlett and Levene compare bootstrap replicates, as the paper does: their p-values shrink "
    "as resamples are added and are no evidence about the metrics. The interval of the variance "
    "ratio does not depend on the number of resamples."
)

_SHORT = {
    "f": "F", "bartlett": "Bartl.", "levene": "Lev.", "brown-forsythe": "Br.-F.",
    "fligner": "Fl.-K.", "pitman-morgan": "P.-M.",
}  # fmt: skip
_KEY = (
    "sd: standard deviation, var: ratio of variances a / b, medians over models and classes. CI>1: "
    "share whose interval of the variance ratio lies above 1. F, Bartlett and so on: share with "
    "p < 0.05. sep: share of model pairs separated (p < 0.05). Shares in %. "
)
_SUMMARY = {
    "ratio": Column("ratio", "setting"),
    "n": Column("n", "count"),
    "sd a": Column("sd a", "size"),
    "sd b": Column("sd b", "size"),
    "var": Column("var", "estimate", decimals=2),
}


@dataclass(frozen=True)
class VarianceStudy(Result):
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
        As given to `variance_study`.
    distribution : DataFrame
        A row for each model, ratio, metric and class: model, ratio, n_samples, metric, label,
        estimate, mean, variance (within a down-sampling), variance_between (of the means of
        several down-samplings; missing if there is one), ci_low, ci_high (percentile), n_undefined
        (resamples without a value, over all down-samplings). With several down-samplings the
        numbers are their means.
    tests : DataFrame
        A row for each model, ratio, down-sampling, class, pair of metrics and test of equal
        variances on the replicates: model, ratio, n_samples, subsample, label, metric_a,
        metric_b, variance_a, variance_b, variance_ratio, test, statistic, p_value.
    """

    predictions: Predictions = field(repr=False)
    pairs: tuple[Pair, ...]
    ratios: tuple[float, ...]
    n_resamples: int
    n_subsamples: int
    confidence_level: float
    distribution: pd.DataFrame = field(repr=False)
    tests: pd.DataFrame = field(repr=False)
    metric_pairs: MetricPairs = field(repr=False)
    seed: np.random.SeedSequence = field(repr=False)
    stratify: bool = field(repr=False)
    seed_label: str = field(repr=False)

    stem: ClassVar[str] = "variance"
    note: ClassVar[str] = REPLICATE_NOTE

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in the order given."""
        return self.predictions.models

    @property
    def n_samples(self) -> int:
        """Size of the whole test set."""
        return len(self.predictions)

    @property
    def signature(self) -> str:
        made = {
            "n": len(self.predictions), "B": self.n_resamples, "subsamples": self.n_subsamples,
            "ci": "percentile", "rng": self.seed_label,
        }  # fmt: skip
        return signature("variance_study", made, "stratified" if self.stratify else "")

    @cached_property
    def variance_ratios(self) -> pd.DataFrame:
        """Ratio of the two metrics' variances, with an interval that needs no resamples.

        Both variances, and how well the test set determines their ratio, follow from the influence
        functions (delta method on the logarithm). Columns: model, ratio, n_samples, label,
        metric_a, metric_b, variance_ratio, ci_low, ci_high.
        """
        level = self.confidence_level
        return self._over_ratios(lambda part: variance_ratios(part, self.metric_pairs, level))

    @cached_property
    def separation(self) -> pd.DataFrame:
        """How far apart two models are, in standard errors of their paired difference.

        Columns: model_a, model_b, ratio, n_samples, metric, label, difference (a - b),
        standard_error (influence functions), separation (their quotient).
        """
        return self._over_ratios(_separation)

    @checked()
    def separated(self, alpha: float = 0.05) -> pd.DataFrame:
        """Share of model pairs that are separated at a level, by metric, class and ratio.

        Columns: metric, label, ratio, n_samples, n_pairs, n_separated, pct_separated.
        """
        from scipy.special import ndtri

        frame = self.separation
        frame = frame.assign(shown=frame["separation"].abs() > ndtri(1 - alpha / 2))
        keys = ["metric", "label", "ratio", "n_samples"]
        out = frame.groupby(keys, dropna=False, sort=False)["shown"].agg(["size", "sum"])
        out.columns = ["n_pairs", "n_separated"]
        out["pct_separated"] = 100 * out["n_separated"] / out["n_pairs"]
        return out.reset_index()

    @cached_property
    @one_blas_thread()
    def relative_efficiency(self) -> pd.DataFrame:
        """How many samples metric b needs for each sample of metric a, for the same separation.

        On the whole test set, for each pair of models: the squared ratio of the two metrics'
        separations. Below 1 metric b tells the two models apart with fewer samples; a lower
        variance alone does not make it so. The interval (delta method on the logarithm) is wide
        where a difference is itself uncertain. Columns: model_a, model_b, metric_a, metric_b,
        label, separation_a, separation_b, samples_ratio, ci_low, ci_high, agree (whether
        both prefer the same model).
        """
        whole = self.metric_pairs.evaluate(self.predictions)
        return relative_efficiency(whole, self.metric_pairs, self.confidence_level)

    def document(self) -> Document:
        tables = {}
        for a, b in self.pairs:
            frame = self._summary((a, b))
            columns = [_SUMMARY.get(name, Column(name, "estimate", decimals=0)) for name in frame]
            notes = [_KEY + self.note] if (a, b) == self.pairs[-1] else []
            tables[f"{a}, {b}"] = Table(f"{a} (a) and {b} (b)", columns, frame, notes=notes)
        if len(self.models) > 1:
            tables["efficiency"] = efficiency_table(self.relative_efficiency, self.confidence_level)
        return self._document(tables, frames=self._frames, figures=self._figures())

    def _summary(self, pair: Pair) -> pd.DataFrame:
        """Make one row for each part of the test set; shares in percent."""
        sides = {"metric_a": pair[0], "metric_b": pair[1]}
        ratios = rows_at(self.variance_ratios, **sides)
        tests = rows_at(self.tests, **sides) if len(self.tests) else self.tests
        shown = self.separated() if len(self.models) > 1 else None
        rows = []
        for ratio in self.ratios:
            here = rows_at(self.distribution, ratio=ratio)
            of_ratio = rows_at(ratios, ratio=ratio)
            row = {"ratio": ratio, "n": here["n_samples"].iloc[0]}
            for side, name in zip("ab", pair, strict=True):
                row[f"sd {side}"] = np.sqrt(rows_at(here, metric=name)["variance"].median())
            row["var"] = of_ratio["variance_ratio"].median()
            row["CI>1"] = 100 * (of_ratio["ci_low"] > 1).mean()
            for test in dict.fromkeys(tests["test"]) if len(tests) else ():
                p = rows_at(tests, ratio=ratio, test=test)["p_value"]
                row[_SHORT[test]] = 100 * (p < 0.05).mean()
            for side, name in zip("ab", pair, strict=True):
                if shown is not None:
                    part = rows_at(shown, ratio=ratio, metric=name)
                    row[f"sep {side}"] = 100 * part["n_separated"].sum() / part["n_pairs"].sum()
            rows.append(row)
        return pd.DataFrame(rows)

    def _frames(self) -> dict[str, pd.DataFrame]:
        frames = {"variance": self.distribution, "variance_tests": self.tests}
        frames["variance_ratios"] = self.variance_ratios
        if len(self.models) > 1:
            frames["separation"] = self.separated()
            frames["relative_efficiency"] = self.relative_efficiency
        return frames

    def _figures(self) -> dict[str, Callable[[], Figure]]:
        figures: dict[str, Callable[[], Figure]] = {}
        firsts = [pair[0] for pair in self.pairs]
        for pair in self.pairs:
            # One metric beside two others needs both names.
            name = pair[0] if firsts.count(pair[0]) == 1 else "_".join(pair)
            figures[f"variances_{name}"] = partial(self.plot.variances, pair)
            figures[f"intervals_{name}"] = partial(self.plot.intervals, pair)
        return figures

    @property
    def plot(self) -> VariancePlots:
        """Figures: `plot()` and `plot.variances()`, `plot.intervals()`."""
        return VariancePlots(Distributions.of(self))

    @one_blas_thread()
    def _over_ratios(self, task: Any) -> pd.DataFrame:
        frames = []
        for ratio in self.ratios:
            part = part_of(self.predictions, ratio, self.seed, stratify=self.stratify)
            frame = task(self.metric_pairs.evaluate(part))
            place = [c for c in frame.columns if c.startswith("model")][-1]
            frame.insert(frame.columns.get_loc(place) + 1, "ratio", ratio)
            frame.insert(frame.columns.get_loc("ratio") + 1, "n_samples", len(part))
            frames.append(frame)
        return pd.concat(frames, ignore_index=True)


@checked()
def variance_study(
    predictions: Predictions, pairs: Sequence[str | Pair] = PAPER_PAIRS, *,
    ratios: Sequence[float] = PAPER_RATIOS, n_resamples: int = 1000, n_subsamples: int = 1,
    stratify: bool = False, confidence_level: float = 0.95,
    tests: Sequence[VarianceTest] = PAPER_TESTS, zero_division: ZeroDivision = "paper",
    n_jobs: int | None = None, rng: RngLike = 0, progress: bool = False,
) -> VarianceStudy:  # fmt: skip
    """Bootstrap metrics at several sizes of the test set and compare their variances.

    The test set is down-sampled without replacement to each ratio, and the part is bootstrapped at
    its own size (Yacouby & Axman 2020, section 6.1).

    Parameters
    ----------
    predictions : Predictions
        Test set and models.
    pairs : sequence of (str, str) or str
        Pairs of metrics; a single name is paired with its probabilistic twin.
    ratios : sequence of float
        Parts of the test set, in (0, 1].
    n_resamples : int
        Bootstrap resamples of each part.
    n_subsamples : int
        Repeat the down-sampling so often, and split the spread into within and between.
    stratify : bool
        Keep the proportions of the true classes when down-sampling.
    confidence_level : float
        Of the percentile intervals, and of the intervals of variance ratios.
    tests : sequence of str
        Tests of equal variance of the two metrics' replicates, see `variance_tests`. F, Bartlett
        and Levene reproduce the paper. They take the replicates for independent data, so their
        p-values shrink as `n_resamples` grows: they measure the effort of the simulation.
        "pitman-morgan" knows that the replicates are paired, and shrinks as well. The interval of
        `VarianceStudy.variance_ratios` does not depend on `n_resamples`.
    zero_division : float or "paper"
        See `modelcompare.get_metric`; by default, as in the paper, F1 is undefined where precision
        or recall is.
    n_jobs, rng, progress
        As in `compare`.

    Returns
    -------
    VarianceStudy
        Frames `distribution`, `tests`, `variance_ratios`, `separation`, `relative_efficiency`, and
        figures.

    Raises
    ------
    ValueError
        If a ratio leaves fewer than 2 samples, or pairs or tests are unknown.

    Notes
    -----
    A lower variance is not by itself better discrimination: a metric with half the spread and half
    the difference tells nothing more. Look at `separation` and `relative_efficiency`.

    References
    ----------
    .. [1] Yacouby & Axman (2020), https://aclanthology.org/2020.eval4nlp-1.9

    Examples
    --------
    >>> import modelcompare as mc
    >>> study = mc.variance_study(mc.load_example("snli"), [("f1_macro", "cf1_macro")],
    ...                           ratios=[1.0, 0.1], n_resamples=200)
    >>> study.distribution[["model", "ratio", "metric", "mean"]].head(2).round(2)
                 model  ratio     metric  mean
    0  hypothesis_only    1.0   f1_macro  0.61
    1  hypothesis_only    1.0  cf1_macro  0.51
    """
    check_variance_tests(tests)
    asked = MetricPairs.of(pairs, predictions, zero_division)
    predictions = serve(predictions, asked.metrics).predictions
    metric_pairs = MetricPairs.of(pairs, predictions, zero_division)
    sizes = check_ratios(ratios, len(predictions))
    seed = seed_sequence(rng)
    parts = []
    with progress_bar(len(sizes) * n_subsamples, progress, unit=" parts") as bar:
        for place, ratio in enumerate(sizes):
            for index in range(n_subsamples):
                part = part_of(predictions, ratio, seed, index=index, stratify=stratify)
                evaluation = metric_pairs.evaluate(part)
                own_seed = child_seed(seed, place, index)
                weights = BootstrapWeights(evaluation.units, n_resamples, own_seed)
                replicates = evaluation.replicates(weights, n_jobs=n_jobs)
                found = summarized(
                    evaluation.estimate(), replicates, confidence_level,
                    metric_pairs.positions(evaluation), tests, n_jobs=n_jobs,
                )  # fmt: skip
                parts.append(Part(ratio, index, len(part), *found))
                bar.update()
    return VarianceStudy(
        predictions=predictions, pairs=metric_pairs.pairs, ratios=sizes, n_resamples=n_resamples,
        n_subsamples=n_subsamples, confidence_level=confidence_level,
        distribution=distribution_frame(evaluation, parts, n_subsamples),
        tests=tests_frame(evaluation, metric_pairs, parts), metric_pairs=metric_pairs, seed=seed,
        stratify=stratify, seed_label=rng_label(rng),
    )  # fmt: skip


def _separation(evaluation: Evaluation) -> pd.DataFrame:
    estimate = evaluation.estimate()
    moments = influence_moments(evaluation, estimate)
    model_a, model_b = all_pairs(len(evaluation.models))
    difference = pair_differences(estimate, model_a, model_b)
    error = moments.pair_standard_error(model_a, model_b)
    with np.errstate(divide="ignore", invalid="ignore"):
        separation = np.where((difference == 0) & (error == 0), 0.0, difference / error)
    return pair_frame(
        evaluation.models, model_a, model_b, evaluation.keys, difference=difference,
        standard_error=error, separation=separation,
    )  # fmt: skip
