"""The result of `compare_groups` of several test sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import compress
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare import plugs
from modelcompare.arrays import FloatArray
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.conclusion import conclusions_of_frames
from modelcompare.comparison.groups import GroupComparison, plot_groups
from modelcompare.comparison.pair_tables import pair_table
from modelcompare.comparison.result import DIFFERENCES, SCORES
from modelcompare.engine.axis import score_frame
from modelcompare.engine.influence import Pairs
from modelcompare.plugins.suites.findings import (
    mean_rows,
    orders,
    pooled_findings,
    saturation,
    set_findings,
    values_of,
)
from modelcompare.plugins.suites.pooled import Means, difference_frame
from modelcompare.plugins.suites.scope import notes_on_sets
from modelcompare.plugins.suites.weights import written_shares
from modelcompare.report.document import Document, Finding
from modelcompare.report.fields import HIDDEN, Field, member
from modelcompare.report.figures.interval_rows import Row
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import decimals_for
from modelcompare.report.tables import VALUE, Table, interval_column
from modelcompare.significance.pairwise import all_pairs
from modelcompare.words import signature


def plot_ranks(
    result: SuiteComparison, metric: str | None = None, *, ax: Axes | None = None
) -> Figure:
    """Draw mean ranks by a metric (default: the first); bars join models that do not differ."""
    chosen = metric or next(iter(result._ranked_places), result._first.metrics[0])
    drawn: Figure = result.friedman(chosen)._drawn(chosen, result.signature, ax)
    return drawn


@dataclass(frozen=True, kw_only=True)
class SuiteComparison(GroupComparison):
    """Comparisons of the same models on several test sets, and means over them.

    Attributes
    ----------
    results : dict of str to Comparison
        One comparison for each test set by its name.
    n_samples : int
        Number of samples of all test sets together.
    left_out : DataFrame
        Without rows.
    models : tuple of str
    notes : tuple of str
        Scope of the conclusions: runs, if there are several, and test sets that were dropped.
    scope : Scope
        Runs, labels and test sets that means are about.
    size : str
        Number of samples, or of items and runs, in words.
    shares : ndarray of shape (n_sets,)
        Share of each test set in their mean.
    """

    shares: FloatArray = field(repr=False, metadata=HIDDEN)

    _page_title: ClassVar[str] = "Test sets"
    _called: ClassVar[str] = "test sets"
    plot = Plots(critical_difference=plot_ranks, groups=plot_groups)

    @property
    def _weighed(self) -> dict[Any, Compared]:
        """Evidence of each test set that has a part in the means."""
        return dict(compress(self._found.items(), self.shares))

    @cached_property
    @member("set", *SCORES)
    def scores(self) -> pd.DataFrame:
        """Scores on all test sets, in the order given: set, and columns of `Comparison.scores`."""
        return self._stacked(attrgetter("scores"))

    @cached_property
    @member("set", *DIFFERENCES)
    def differences(self) -> pd.DataFrame:
        """Differences on all test sets: set, then columns of `Comparison.differences`."""
        return self._stacked(attrgetter("differences"))

    def _ordered(self, _metric: str) -> list[Any]:
        """Return the names of the test sets, in their order."""
        return [*self.results]

    def _names_of(self, key: Any) -> dict[str, Any]:
        """Return the cell that names a test set."""
        return {"set": key}

    @property
    def signature(self) -> str:
        first, pooled = self._first, self._pooled().low.method if self._can_be_pooled else None
        return signature(
            "compare_groups", sets=len(self.results), n=self.n_samples,
            **self.scope.counts, generalize_to=self.scope.generalize_to,
            B=first.n_resamples, ci=first.method, ci_pooled=pooled,
            weights=written_shares(self.shares), test_pooled="interval" if pooled else None,
            test=first.test, adjust=first.correction, rng=self.rng_label,
            **self.scope.at_hand,
        )  # fmt: skip

    def document(self) -> Document:
        named = (VALUE, "model", "estimate", interval_column(self._first.confidence_level))
        figures: dict[str, Callable[[], Figure]] = {"scores": self.plot.groups}
        if len(self.models) >= 3 and plugs.can_answer("friedman"):
            draw, info = self.plot.critical_difference, self._first.metric_info
            ranked = [x for x in self._averages if info[x].greater_is_better is not None]
            figures |= {f"ranks_{each}": partial(draw, each) for each in ranked}
        without = [] if self._can_be_pooled else ["pooled_scores", "pooled_differences"]
        tables = self._tables(*named)
        return self._document(tables, findings=self._findings, figures=figures, without=without)

    @property
    def _findings(self) -> list[Finding | str]:
        found: list[Finding | str] = []
        if self._can_be_pooled and len(self.models) > 1:
            first, means = self._first, (self.pooled_scores, self.pooled_differences)
            found += conclusions_of_frames(
                *means, "estimate", first.keys, first.metric_info, self._decimals_of_means,
                self._mean_of_sets.capitalize(),
            )  # fmt: skip
            found += pooled_findings(*means, self._weighed, self._mean_of_sets)
        if len(self.models) > 1:
            found += set_findings(self._found, self.models, self.saturation, self._ranked_places)
        return [*found, *notes_on_sets(self.scope), *self.notes]

    def _rows_above(self, at: int, most: int) -> list[Row]:
        """Rows of a figure with the means over test sets, if there are any."""
        if not self._can_be_pooled or len(self.models) < 2:
            return []
        frames = self.pooled_scores, self.pooled_differences, self._first
        return mean_rows(*frames, at, most, self._mean_of_sets)

    @property
    def _mean_of_sets(self) -> str:
        weighted = "weighted " if written_shares(self.shares) else ""
        return f"{weighted}mean of {len(self._weighed)} test sets"

    @property
    def _decimals_of_means(self) -> dict[str, int]:
        """Decimals that the intervals of the means justify, by metric."""
        quarters = (self.pooled_scores["ci_high"] - self.pooled_scores["ci_low"]) / 4
        widths = quarters.groupby(self.pooled_scores["metric"]).median()
        return {name: decimals_for([width]) for name, width in widths.items()}

    def _tables(self, *named: Any) -> dict[str, Table]:
        each = Table.of("Each test set", self.scores, "set", *named, decimals=None)
        if not self._can_be_pooled:
            return {"scores": each}
        title, means = self._mean_of_sets.capitalize(), self.pooled_differences
        pooled = Table.of(title, self.pooled_scores, *named, decimals=None)
        differences = pair_table("Differences of means", [VALUE], means, *self._how)
        return {"pooled": pooled, "differences": differences, "scores": each}

    @cached_property
    @member("model", "metric", "label", "estimate", "ci_low", "ci_high", optional=True)
    def pooled_scores(self) -> pd.DataFrame:
        """Mean over test sets.

        Columns: model, metric, label, estimate, ci_low, ci_high. The test sets are assumed
        independent. Of fixed sets, intervals generalize to other samples of the same sets, not to
        other sets. They are combined from the intervals of the sets by MOVER, and are no shorter
        than the combination of their half-widths. For new sets (``generalize_to="sets"``) they
        contain Student's interval with the spread over the sets, for new runs that with the
        variance over items and runs.
        """
        pooled = self._pooled()
        interval = pooled.interval(self._first.method, self._first.confidence_level)
        return score_frame(
            self.models, self._first.keys, estimate=pooled.estimate, ci_low=interval.low,
            ci_high=interval.high,
        )  # fmt: skip

    @cached_property
    @member(
        "model_a", "model_b", "metric", "label", "difference", "ci_low", "ci_high", "p_value",
        "p_adjusted", "better", optional=True,
    )  # fmt: skip
    def pooled_differences(self) -> pd.DataFrame:
        """Differences of the means over test sets.

        Columns: model_a, model_b, metric, label, difference, ci_low, ci_high, p_value, p_adjusted,
        better. Intervals are computed like those of `pooled_scores`, from each set's intervals of
        differences. A p-value is below alpha if the interval at 1 - alpha excludes 0. `test` is
        not used: it applies to a single set.
        """
        pairs = all_pairs(len(self.models))
        return difference_frame(self._pooled(pairs), self.models, pairs, self._first)

    @cached_property
    @member(
        "set", "model_a", "model_b", "metric", "label", "n_samples", Field("n_needed", "size"),
        Field("share_needed", "share"), optional=True,
    )  # fmt: skip
    def saturation(self) -> pd.DataFrame:
        """Samples of each test set, beside those that its observed differences need.

        Columns: set, model_a, model_b, metric, label, n_samples, n_needed (with power 0.8 at the
        level of Bonferroni's correction for all sets and pairs, if the true difference is the
        observed one), share_needed (n_samples / n_needed; for new runs, of items and runs
        together). A set with a share below 1 for all pairs no longer separates these models.
        """
        return saturation(self._found)

    @cached_property
    @member("metric", "set_a", "set_b", Field("kendall", "estimate"), optional=True)
    def orders(self) -> pd.DataFrame:
        """Agreement of each two test sets' orders of the models; not for metrics per class.

        Columns: metric, set_a, set_b, kendall (tau-b: 1 for the same order, -1 for the reverse).
        """
        return orders(self._found, self.models, self._ranked_places)

    def friedman(self, metric: str) -> Any:
        """Compare mean ranks over test sets by Friedman's test and Nemenyi's test of all pairs.

        Parameters
        ----------
        metric : str
            The metric whose values are ranked; not per class.
        """
        if len(self.models) < 3:
            raise ValueError(f"Friedman's test needs 3 models, there are {len(self.models)}.")
        if not isinstance(metric, str) or metric not in self._first.metric_info:
            raise ValueError(
                f"metric {metric!r} was not compared; there are {', '.join(self._first.metrics)}."
            )
        info = self._first.metric_info[metric]
        if info.per_class:
            raise ValueError(f"metric {metric!r} is per class; name an average.")
        values = values_of(self._found, self.models, self._ranked_places[metric])
        if np.isnan(values).any():
            raise ValueError("ranks need the values of all models on all test sets.")
        return plugs.behind("friedman")(
            pd.DataFrame(values, columns=list(self.models)), metric, test="nemenyi",
            alpha=self._first.alpha, greater_is_better=info.greater_is_better,
        )  # fmt: skip

    @property
    def _ranked_places(self) -> dict[str, list[int]]:
        """Position of the value on every test set, of each metric that is not per class."""
        return {
            name: [each.slice_of(name).start for each in self._found.values()]
            for name, info in self._first.metric_info.items() if not info.per_class
        }  # fmt: skip

    @property
    def _can_be_pooled(self) -> bool:
        """True if the test sets have the same classes."""
        keys = self._first.keys
        return all(each.keys == keys for each in self._found.values())

    def _pooled(self, pairs: Pairs | None = None) -> Means:
        """Return means of the models' values, or of the differences of `pairs`."""
        if not self._can_be_pooled:
            raise ValueError(
                "the test sets have different classes, so metrics per class cannot be pooled; name "
                "averages, e.g. f1_macro."
            )
        samples, shares = [x.bootstrap for x in self._weighed.values()], self.shares
        return Means.of(samples, self.models, pairs, shares[shares > 0], self.scope)
