"""The result of `compare`: two long frames, a verdict, a signature, and ways to show them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd

from modelcompare.comparison.disagreements import disagreements
from modelcompare.comparison.evidence import Evidence
from modelcompare.comparison.method import comparison_code, comparison_method
from modelcompare.comparison.notes import design, notes
from modelcompare.comparison.pairwise import (
    corrected_bounds,
    lead_frame,
    max_t_bounds,
    simultaneous_scores,
    standing_frame,
)
from modelcompare.comparison.plots import ComparisonFigures
from modelcompare.comparison.standings import rank_bounds
from modelcompare.comparison.verdict import Verdict
from modelcompare.engine.axis import pair_frame, score_frame
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.engine.units import THESE_RUNS, for_these_runs
from modelcompare.intervals import difference_method
from modelcompare.report.compared import Compared
from modelcompare.report.comparison_tables import (
    comparison_figures,
    comparison_tables,
    printed_tables,
)
from modelcompare.report.document import Document, Finding
from modelcompare.report.figures.plots import Plots
from modelcompare.report.numbers import decimals_for
from modelcompare.report.result import Result
from modelcompare.significance.studentized import n_groups
from modelcompare.words import Simultaneous, check_choice, signature

_SETTINGS = (
    "name", "n_samples", "n_resamples", "confidence_level", "alpha", "method", "test", "correction",
    "models",
)  # fmt: skip


@dataclass(frozen=True)
class Comparison(Evidence, Result):
    """Scores and paired differences of models on one test set: `Evidence`, as frames and texts.

    Attributes
    ----------
    rng_label : str
        The seed, as far as it can be named.
    warned : tuple of str
        What too few samples or resamples keep from being known or shown, as it was warned of.
    left_out : tuple of str
        Why a metric is not among those compared by default.
    """

    rng_label: str
    warned: tuple[str, ...] = field(default=(), repr=False)
    left_out: tuple[str, ...] = field(default=(), repr=False)

    stem: ClassVar[str] = "compare"
    page_title: ClassVar[str] = "Scores and differences"
    _members: ClassVar[str] = """
        name:text_or_none n_samples n_resamples confidence_level alpha method test correction models
        verdict signature
        scores: model metric label estimate standard_error ci_low ci_high n_undefined rank rank_low
          rank_high method
        differences: model_a model_b metric label difference standard_error ci_low ci_high p_value
          p_adjusted better method test
    """
    plot = Plots(
        lambda result: ComparisonFigures(result._compared, result),
        forest=ComparisonFigures.forest, ranks=ComparisonFigures.ranks,
        differences=ComparisonFigures.differences, heatmap=ComparisonFigures.heatmap,
        raincloud=ComparisonFigures.raincloud, confusion=ComparisonFigures.confusion,
        roc=ComparisonFigures.roc, pr=ComparisonFigures.pr,
    )  # fmt: skip

    @property
    def name(self) -> str | None:
        """Source of the predictions."""
        return self.bootstrap.evaluation.predictions.name

    @cached_property
    @one_blas_thread()
    def scores(self) -> pd.DataFrame:
        """One row for each model, metric and class.

        Columns: model, metric, label (missing for averages), estimate, standard_error (of the
        influences; of medians and functions, which these do not describe, the bootstrap's), ci_low,
        ci_high, n_undefined (resamples without a value), rank (1 is best), rank_low and rank_high
        (the ranks that the corrected tests leave open), method (what the interval was made with).
        """
        interval = self.score_interval
        rank_low, rank_high = rank_bounds(self.better)
        return score_frame(
            self.models, self.keys, estimate=self.point,
            standard_error=self.bootstrap.moments.standard_error(),
            ci_low=interval.low, ci_high=interval.high, n_undefined=self.bootstrap.n_undefined,
            rank=self.ranks, rank_low=rank_low, rank_high=rank_high, method=interval.method,
        )  # fmt: skip

    @cached_property
    @one_blas_thread()
    def differences(self) -> pd.DataFrame:
        """One row for each pair of models, metric and class.

        Columns: model_a, model_b, metric, label, difference (a - b), standard_error, ci_low,
        ci_high, p_value, p_adjusted, better (the better model where p_adjusted < alpha; missing
        where the two cannot be told apart), method and test (what the interval and the p-value were
        made with).
        """
        tests = [self.tests_used.get(key.metric, self.test) for key in self.keys]
        interval = self.difference_interval
        return pair_frame(
            self.models, *self.pairs, self.keys, difference=self.difference,
            standard_error=self.error, ci_low=interval.low, ci_high=interval.high,
            p_value=self.p_values, p_adjusted=self.p_adjusted, better=self.winner,
            method=interval.method,
            test=np.broadcast_to(np.array(tests, dtype=object), self.p_values.shape),
        )  # fmt: skip

    @cached_property
    def standings(self) -> pd.DataFrame:
        """Tiers and letters of models, a row for each model, metric and class.

        Columns: model, metric, label, estimate, tier (one more than the models that are shown to be
        better, each than the next, down to this one), may_be_best (no model is shown to be better:
        with family-wise corrected tests these hold the best model at the confidence 1 - alpha),
        letters (two models share one exactly if they are not shown to differ), p_best (share of
        resamples in which the model is best: how often these samples, drawn anew, put it first; not
        the probability that it is the best).
        """
        return standing_frame(self)

    @cached_property
    def leads(self) -> pd.DataFrame:
        """Differences as people read them: the leader minus every other model, best first.

        Columns: model (the leader of the metric and class), other, metric, label, lead (positive
        where `model` is better, whichever way the metric points), standard_error, ci_low and
        ci_high (corrected like the p-value beside them), p_adjusted, at_odds (whether the interval
        leaves 0 out though p_adjusted is not below 1 - confidence_level, or the reverse).
        With a `baseline` the model of a row is each other model, and `other` the baseline.

        Both are corrected for the same tests, and can part all the same: a p-value that steps down
        is smaller than the interval's level asks for, and one that counts swaps inverts no formula.
        """
        return lead_frame(self)

    @cached_property
    def all_leads(self) -> pd.DataFrame:
        """`leads` of every pair: the better model minus the other."""
        return lead_frame(self, every=True)

    @cached_property
    def corrected_differences(self) -> pd.DataFrame:
        """`differences` with intervals corrected like the p-values beside them, as figures draw."""
        low, high = corrected_bounds(self, np.arange(len(self.pairs[0])))
        return self.differences.assign(ci_low=low.ravel(), ci_high=high.ravel())

    @one_blas_thread()
    def simultaneous_intervals(self, of: Simultaneous = "differences") -> pd.DataFrame:
        """Intervals that cover all differences, or all scores, of a metric at once.

        Parameters
        ----------
        of : {"differences", "scores"}
            Of differences every half-width is the same multiple of its standard error: the quantile
            of the largest studentized deviation of the replicates over all pairs and classes of the
            metric (max-t). A resample on which one of them has no value counts as an infinite
            deviation, so where these are more than 1 - confidence_level nothing is excluded.

            Of scores they are intervals of the comparison's method at the level of this quantile,
            or of Bonferroni's correction where that asks for less. Whichever model is then looked
            at, the best one too, is covered; the interval of the best of 20 equal models in
            `scores` covers its value in 0.75 of all test sets, as it is best by luck too.

        Returns
        -------
        DataFrame
            Columns model_a, model_b, metric, label, difference, ci_low, ci_high; of scores model,
            metric, label, estimate, ci_low, ci_high, method.
        """
        check_choice("of", of, Simultaneous)
        if of == "scores":
            found = simultaneous_scores(self)
            return score_frame(
                self.models, self.keys, estimate=self.point,
                ci_low=found.low, ci_high=found.high, method=found.method,
            )  # fmt: skip
        low, high = max_t_bounds(self)
        frame = self.differences[["model_a", "model_b", "metric", "label", "difference"]].copy()
        return frame.assign(ci_low=low.ravel(), ci_high=high.ravel())

    def disagreements(self, model_a: str, model_b: str) -> pd.DataFrame:
        """Samples on which two models disagree, largest disagreement first.

        Columns: id (or the row's number, from 0), y_true (not of scores), said_a and said_b (what
        each gave, or held the likeliest), p_a and p_b (of its own label, where it gave
        probabilities), right (the model that is right, nearer to the truth, or better by its score;
        missing where neither is), apart (of labels the distance of the distributions in total
        variation, of texts the share of words not in both, else the difference).
        """
        return disagreements(self.bootstrap.evaluation.predictions, model_a, model_b).table

    def verdict(self) -> str:
        """One honest sentence per metric: who leads, who is tied with whom, what would settle it.

        Metrics per class get one sentence per class.
        """
        return "\n".join(finding.text for finding in self._findings)

    @property
    def signature(self) -> str:
        """Line that says how the numbers were made, for papers and logs.

        Examples
        --------
        >>> import modelcompare as mc
        >>> preds = mc.Predictions([0, 1] * 9, {"a": [0, 1] * 8 + [1, 1], "b": [1, 1] * 9})
        >>> mc.compare(preds, "accuracy", n_resamples=99, method="basic").signature
        'modelcompare:0.1.0|n:18|B:99|ci:basic|test:studentized-permutation|adjust:holm|tests:1|rng:0'
        """
        evaluation = self.bootstrap.evaluation
        predictions, paired = evaluation.predictions, len(self.models) > 1
        clusters = "clusters" if predictions.sums is None else "buckets"
        groups = n_groups(evaluation, self.test) if paired else None
        intervals = [self.method, *([difference_method(self.method)] if paired else [])]
        tests = [self.test, *self.tests_used.values()]
        corrections = [self.correction, *self.corrections_used.values()]
        return signature(
            {"n": self.n_samples},
            {clusters: evaluation.units.n_units} if predictions.groups is not None else "",
            THESE_RUNS if self.notes else "",
            {
                "B": self.n_resamples, "ci": "/".join(dict.fromkeys(intervals)),
                "test": "/".join(dict.fromkeys(tests)),
                "adjust": "/".join(dict.fromkeys(corrections)),
            },
            {"family": "all"} if self.family == "all" else "",
            {"baseline": self.baseline} if self.baseline else "",
            {"tests": "+".join(str(size) for size in self.family_sizes.values())}
            if paired and self.correction != "none"
            else "",
            {"rng": self.rng_label},
            {"groups": groups} if groups else "",
            "stratified" if evaluation.units.strata is not None else "",
            self.bootstrap.scheme if self.bootstrap.scheme != "multinomial" else "",
            "collapsed" if evaluation.collapsed else "",
            *(f"{m.name}:[{m.signature()}]" for m in evaluation.metrics if m.signature),
        )  # fmt: skip

    def decimals(self, metric: str) -> int:
        """Digits after the point that a metric's standard errors bear, in tables and sentences."""
        return self._decimals[metric]

    @cached_property
    def _decimals(self) -> dict[str, int]:
        errors = self.scores.groupby("metric")["standard_error"]
        return {metric: decimals_for(errors.get_group(metric)) for metric in self.metrics}

    @property
    def headline(self) -> str:
        """Source, and numbers of models and samples."""
        models = f"{len(self.models):,} model{'s' * (len(self.models) != 1)}"
        name = f"{self.name}: " if self.name else ""
        return f"{name}{models}, {self.n_samples:,} samples"

    @property
    def notes(self) -> tuple[str, ...]:
        """Scope of the answer: the runs at hand, where there are several."""
        return for_these_runs(self.bootstrap.evaluation.predictions)

    @property
    def _findings(self) -> list[Finding]:
        leads = self.leads if len(self.models) > 1 else pd.DataFrame()
        verdict = Verdict(self, leads, self._decimals)
        return [*verdict.findings, *map(Finding, self.notes)]

    @property
    def remarks(self) -> dict[str, list[str]]:
        """For each metric what its table does not show by itself."""
        found = {metric: notes(self, metric) for metric in self.metrics}
        found[self.metrics[-1]] += self.left_out
        return found

    @property
    def _compared(self) -> Compared:
        """The comparison as tables and figures take it."""
        return Compared(
            self.headline, self.signature, self.name, self.scores, self.differences,
            lambda every: self.all_leads if every else self.leads,
            lambda: self.corrected_differences,
            {name: info.greater_is_better for name, info in self.metric_info.items()},
            self._decimals, {metric: self.n_tests(metric) for metric in self.metrics},
            self.n_samples, self.n_resamples, self.alpha, self.confidence_level, self.method,
            self.test, self.correction, self.corrections_used, self.family, self.baseline,
            self.rng_label,
        )  # fmt: skip

    def document(self) -> Document:
        evaluation, findings, compared = self.bootstrap.evaluation, self._findings, self._compared
        sources = {metric.name: metric.references for metric in evaluation.metrics}
        method, references = comparison_method(compared, sources, design(evaluation))
        settings = {name: getattr(self, name) for name in _SETTINGS}
        tables = comparison_tables(compared, self.remarks)
        return self._document(
            tables, figures=comparison_figures(compared, tables), headline=self.headline,
            findings=findings,
            frames=lambda: {"scores": self.scores, "differences": self.differences},
            printed=lambda: printed_tables(compared),
            settings=settings | {"verdict": [finding.text for finding in findings]},
            notes=self.warned, method=method, references=references,
            reproduce=comparison_code(compared),
        )  # fmt: skip
