"""The result of `compare`: two long frames, a verdict, a signature, tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial, wraps
from typing import Any, ClassVar

import pandas as pd

from modelcompare.arguments import checked
from modelcompare.comparison import plots
from modelcompare.comparison.bootstrap_result import BootstrapResult
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.conclusion import conclusions, decision
from modelcompare.comparison.correction import max_t_bounds, simultaneous_scores
from modelcompare.comparison.forest import plot_comparison
from modelcompare.comparison.method import comparison_code, comparison_method
from modelcompare.comparison.tables import comparison_tables, printed_tables
from modelcompare.comparison.verdict import findings
from modelcompare.engine.axis import score_frame
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.plugs import behind, rows
from modelcompare.report.document import Document, Finding
from modelcompare.report.fields import HIDDEN, Field, Member, columns, member, members_from
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.types import Figure
from modelcompare.report.numbers import joined
from modelcompare.report.result import Result
from modelcompare.words import Simultaneous, check_choice

# Maximum length of the models' names in the title of a page.
_LONGEST_NAMES = 50


def _of_evidence(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """Turn a function that draws `Compared` into one that draws `Comparison`."""

    @wraps(draw)
    def drawn(result: Comparison, *arguments: Any, **options: Any) -> Figure:
        return draw(result.evidence, *arguments, **options)

    return drawn


SCORES = (
    "model", "metric", "label", "estimate", "standard_error", "ci_low", "ci_high", "n_undefined",
    "rank", "rank_low", "rank_high", "method",
)  # fmt: skip
DIFFERENCES = (
    "model_a", "model_b", "metric", "label", "difference", "standard_error", "ci_low", "ci_high",
    "p_value", "p_adjusted", "better", "method", "test",
)  # fmt: skip
DECISION = (
    "model", "other", "metric", "label", "lead", "ci_low", "ci_high", "p_adjusted", "detectable",
    "answer", Field("overall", json="text or none"),
)  # fmt: skip


@dataclass(frozen=True, repr=False, kw_only=True)
class Comparison(Result, stem="compare", title="Scores and differences", version=2):
    """Scores and paired differences of models on one test set.

    Attributes
    ----------
    evidence : Compared
        Settings, names and arrays behind the frames: `models`, `metrics`, `n_samples`, `alpha`,
        `p_values`, ...
    """

    evidence: Compared = field(metadata=HIDDEN)

    _members: ClassVar[tuple[Member, ...]] = (
        *members_from(
            "evidence", "name", "n_samples", "n_resamples", "confidence_level", "alpha", "method",
            "test", "correction", "models",
        ),
        Member("verdict", source="_sentences"),
        Member("decision", columns(*DECISION), source="decision", after="differences"),
    )  # fmt: skip
    plot = Plots(
        forest=_of_evidence(plots.forest), ranks=_of_evidence(plots.ranks),
        differences=_of_evidence(plots.differences),
        **{name: _of_evidence(draw) for name, draw, _ in rows("figures")},
    )  # fmt: skip

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.signature!r})"

    @property
    def bootstrap(self) -> BootstrapResult:
        """Values and replicates of all models, for other intervals without new draws."""
        return self.evidence.bootstrap

    @property
    @member(*SCORES)
    def scores(self) -> pd.DataFrame:
        """One row for each model, metric and class.

        Columns: model, metric, label (missing for averages), estimate, standard_error (from
        influence functions; for medians and functions, which they do not describe, from the
        bootstrap), ci_low, ci_high, n_undefined (resamples without a value), rank (1 is best),
        rank_low and rank_high (confidence bounds of the rank, from the corrected tests), method (of
        the interval).
        """
        return self.evidence.scores

    @property
    @member(*DIFFERENCES)
    def differences(self) -> pd.DataFrame:
        """One row for each pair of models, metric and class.

        Columns: model_a, model_b, metric, label, difference (a - b), standard_error, ci_low,
        ci_high, p_value, p_adjusted, better (the better model; missing where the two are not
        significantly different), method (of the interval) and test (of the p-value). A difference
        is significant where p_adjusted is below alpha. Of calibration errors and custom functions
        the test is of exchangeable models, which is more than equal values: there it is significant
        where its interval, corrected as in `leads`, excludes 0.
        """
        return self.evidence.differences

    @property
    def decision(self) -> pd.DataFrame:
        """The answer as a record; the first sentence of `verdict` puts it in words.

        One row for each value and other model: the rows of `leads`. Columns: model (the leader of
        the value or, with a `baseline`, each candidate), other (or the baseline), metric, label,
        lead, ci_low, ci_high, p_adjusted, detectable (the difference that this test set detects
        with power 0.8 at the corrected level), answer ("shown" if `model` is significantly better,
        "shown otherwise" if it is worse, else "not enough data") and overall (the answer to whether
        it is better in all averages of these two models here, or in all classes if there are no
        averages; missing if the directions are not known).
        """
        return decision(self.evidence)

    @property
    def standings(self) -> pd.DataFrame:
        """Tiers and letters of models, a row for each model, metric and class.

        Columns: model, metric, label, estimate, tier (one plus the length of the longest chain of
        models above it, each significantly better than the next), may_be_best (no model is
        significantly better: with family-wise corrected tests, these models include the best one
        with confidence 1 - alpha), letters (two models share a letter if and only if they are not
        significantly different), p_best (share of resamples in which the model is best; not the
        probability that it is the best).
        """
        return self.evidence.standings

    @checked()
    def leads(self, *, every: bool = False) -> pd.DataFrame:
        """Return differences from the leader: the leader minus every other model, best first.

        Parameters
        ----------
        every : bool
            Return all pairs: the better model minus the other.

        Returns
        -------
        DataFrame
            Columns model (the leader of the metric and class), other, metric, label, lead (positive
            where `model` is better, for either direction of the metric), standard_error, ci_low and
            ci_high (corrected like the p-value), p_adjusted, significant (as in `differences`),
            detectable (with power 0.8 at Bonferroni's level; missing for new runs). With a
            `baseline`, `other` is the baseline in each row and `model` each other model.

        Notes
        -----
        The p-value is that of the test, the interval that of the method: two methods may part.
        The interval is Bonferroni's; where that contains 0 and Holm's later steps make the p-value
        significant, it is at the level of the last of them. With intervals of later steps, all hold
        at once less often than the level, in 0.90 of the test sets at worst instead of 0.95: use
        correction="bonferroni" or `simultaneous_intervals` if all must.
        """
        return self.evidence.all_leads if every else self.evidence.leads

    @checked()
    def pareto(
        self, metrics: Sequence[str] | None = None, *, margins: Mapping[str, float] | None = None
    ) -> pd.DataFrame:
        """Return which models are on the Pareto front of several metrics, and which dominated.

        Parameters
        ----------
        metrics : sequence of str, optional
            Metrics of the comparison, such as a quality and a cost; all by default.
        margins : mapping of str to float, optional
            For some metrics the smallest difference that matters: a model that is worse by less is
            not worse. Without a margin it must be better.

        Returns
        -------
        DataFrame
            A row for each model. Columns model; status: "dominated" (another model is significantly
            better in one metric and not worse in the others), "front" (no model dominates it: it is
            significantly better than each other one in some metric, by more than its margin) or
            "undecided"; dominated_by (the models that dominate it); on_front (whether its estimates
            are on the front); p_front (share of resamples in which its values are; it describes the
            resamples, and is not the probability that the model is on the front).

        Notes
        -----
        All pairs and chosen metrics are one family, for any `family` and `correction` of the
        comparison. Holm's steps over the p-values show which model is better, and intervals
        at Bonferroni's level which is not worse by a margin. Dominance needs an answer in every
        metric (intersection-union test), so any model that is truly on the front is called
        dominated with a probability of at most `alpha`, and less often in simulations
        (experiments/validity/fronts.py). P-values of swaps are at least 1 / (n_resamples + 1), so
        `n_resamples` should be over 20 times the number of pairs and metrics.

        Examples
        --------
        >>> import modelcompare as mc
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> scores = {
        ...     model: {"correct": rng.random(400) < right, "cost_usd": rng.gamma(4, cost / 4, 400)}
        ...     for model, right, cost in [("small", 0.6, 1), ("large", 0.9, 9), ("old", 0.6, 8)]
        ... }
        >>> result = mc.compare(mc.Predictions.from_scores(scores))
        >>> result.pareto(margins={"correct": 0.15})[["model", "status", "dominated_by"]]
           model     status dominated_by
        0  small      front         None
        1  large      front         None
        2    old  dominated        small
        """
        frame: pd.DataFrame = behind("pareto")(self.evidence, metrics, margins)
        return frame

    @property
    def signature(self) -> str:
        """Settings and version behind the numbers, in one line for papers and logs.

        Examples
        --------
        >>> import modelcompare as mc
        >>> preds = mc.Predictions([0, 1] * 9, {"a": [0, 1] * 8 + [1, 1], "b": [1, 1] * 9})
        >>> mc.compare(preds, "accuracy", n_resamples=99, method="basic", test="wald").signature
        'modelcompare:0.1.0|n:18|B:99|ci:basic|test:wald|adjust:holm|tests:1|rng:0'
        """
        return self.evidence.signature

    @checked(of=partial(check_choice, choices=Simultaneous))
    @one_blas_thread()
    def simultaneous_intervals(self, of: Simultaneous = "differences") -> pd.DataFrame:
        """Compute intervals that cover all differences, or all scores, of a metric at once.

        Parameters
        ----------
        of : {"differences", "scores"}
            For differences, every half-width is the same multiple of its standard error: the
            quantile of the largest studentized deviation of the replicates over all pairs and
            classes of the metric (max-t). A resample on which one of them is undefined counts as an
            infinite deviation, so with a share of such resamples above 1 - confidence_level no
            value is excluded.

            For scores, intervals are those of the comparison's method, at the level of this
            quantile, or of Bonferroni's correction if that level is lower. They cover the value of
            a model that is selected afterwards, such as the best one. In contrast, the interval in
            `scores` of the best of 20 equal models covers its value in only 0.75 of all test sets,
            since selecting the best one favours lucky models.

        Returns
        -------
        DataFrame
            Columns model_a, model_b, metric, label, difference, ci_low, ci_high; for scores model,
            metric, label, estimate, ci_low, ci_high, method.
        """
        found = self.evidence
        if of == "scores":
            interval = simultaneous_scores(found)
            return score_frame(
                found.models, found.keys, estimate=found.point, ci_low=interval.low,
                ci_high=interval.high, method=interval.method,
            )  # fmt: skip
        low, high = max_t_bounds(found, found.confidence_level)
        frame = self.differences[["model_a", "model_b", "metric", "label", "difference"]].copy()
        return frame.assign(ci_low=low.ravel(), ci_high=high.ravel())

    def verdict(self) -> str:
        """Return the answer about all metrics, and a sentence per metric: the leader, ties with it.

        Metrics per class get one sentence per class. Where a difference is not significant, the
        sentence has the difference that this test set detects (power 0.8).
        """
        return "\n".join(self._sentences)

    @cached_property
    def _findings(self) -> list[Finding]:
        found = self.evidence
        return [*conclusions(found), *findings(found), *map(Finding, found.notes)]

    @property
    def _sentences(self) -> list[str]:
        return [finding.text for finding in self._findings]

    @property
    def _heading(self) -> str:
        """Title of a page, with the names of the models if they are few and short."""
        models = self.evidence.models
        names = joined(models)
        if len(models) == 1:
            return f"Scores of {names}"
        short = len(names) <= _LONGEST_NAMES
        return f"Comparison of {names if short else f'{len(models)} models'}"

    def document(self) -> Document:
        found = self.evidence
        tables = comparison_tables(found)
        method, references = comparison_method(found)
        figures: dict[str, Callable[[], Figure]] = {
            name: partial(plot_comparison, found, ("differences" if table.detail else "scores",),
                          metrics=[table.metric])
            for name, table in tables.items()
        }  # fmt: skip
        more = [name for name, _, has in rows("figures") if has is not None and has(found)]
        figures |= {name: getattr(self.plot, name) for name in more}
        return self._document(
            tables, figures=figures, heading=self._heading, headline=found.headline,
            findings=self._findings, printed=lambda: printed_tables(found), notes=found.warned,
            method=method, references=references, reproduce=comparison_code(found),
        )  # fmt: skip
