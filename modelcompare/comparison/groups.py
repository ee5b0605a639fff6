"""The result of `compare_groups`: models on several test sets, or in the subgroups of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import compress
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.comparison import subgroups
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.forest import group_panel, keys_of
from modelcompare.comparison.pair_tables import pair_table
from modelcompare.comparison.pooled import Means, difference_frame
from modelcompare.comparison.ranks import RankComparison, compare_ranks, diagram
from modelcompare.comparison.result import DIFFERENCES, SCORES, Comparison
from modelcompare.comparison.suite import (
    mean_rows,
    orders,
    pooled_findings,
    saturation,
    set_findings,
    values_of,
    written_shares,
)
from modelcompare.engine.axis import score_frame
from modelcompare.engine.influence import Pairs
from modelcompare.engine.scope import Scope
from modelcompare.report.document import Document, Finding
from modelcompare.report.fields import HIDDEN, Field, Member, frame, member, members_from, value
from modelcompare.report.figures.critical_difference import plot_critical_difference
from modelcompare.report.figures.interval_rows import Row
from modelcompare.report.figures.layout import Caption, draw_panels, wrapped
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.selection import among, models_by_class, part_shown
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import interval_title
from modelcompare.report.result import Result
from modelcompare.report.tables import VALUE, Table, column, interval_column
from modelcompare.significance.pairwise import all_pairs
from modelcompare.words import signature

# Panels of a figure, and rows of a panel.
_MOST_PANELS, _MOST_ROWS = 4, 60
_TYPES = {"set": str, "slice": str, "n_samples": int}


def plot_ranks(
    result: GroupComparison, metric: str | None = None, *, ax: Axes | None = None
) -> Figure:
    """Draw mean ranks by a metric (default: the first); bars join models that do not differ."""
    chosen = metric or next(iter(result._ranked_places), result._first.metrics[0])
    ranks = diagram(result.friedman(chosen))
    return plot_critical_difference(ranks, chosen, result.signature, ax=ax)


def plot_groups(
    result: GroupComparison, metric: str | None = None, *, ax: Axes | None = None
) -> Figure:
    """Draw the scores in each group, for one metric or for all metrics that are not per class.

    Subgroups are in the order of `scores`, each with its best models. Metrics per class have a
    panel for each class.
    """
    first = result._first
    named = [among("metric", metric, first.metrics)] if metric else [*result._ranked_places]
    places = [at for at, key in enumerate(first.keys) if key.metric in (named or first.metrics[:1])]
    places, most = places[:_MOST_PANELS], models_by_class(len(result.results), _MOST_ROWS)
    groups = [result._ordered(first.keys[at].metric) for at in places]
    drawn = [
        group_panel({g: result._found[g] for g in own}, at, most, result._mean_rows(at, most))
        for own, at in zip(groups, places, strict=True)
    ]
    panels, heights = zip(*drawn, strict=True)
    shown = part_shown(min(most, len(first.models)), len(first.models), "model", "the best")
    caption = Caption(
        f"{len(result.results)} {'test sets' if result._of_sets else 'subgroups'}, "
        f"{result.size}; scores with {interval_title(first.confidence_level)}",
        result.signature, shown, "colours: tests against the best of the group", keys_of(first),
    )  # fmt: skip
    return draw_panels(caption, wrapped([*panels], 2), (4.4, max(heights)), ax=ax)


# Columns that name a group: a test set, or a subgroup.
_GROUP = (
    Field("set", optional=True), Field("slice", optional=True),
    Field("value", "label", optional=True), Field("n_samples", optional=True),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class GroupComparison(Result, stem="groups", title="Test sets", version=3):
    """Comparisons of the same models on several test sets, or in each subgroup of one.

    Attributes
    ----------
    results : dict of str, or of (str, object), to Comparison
        One comparison for each test set by its name, or for each subgroup by its slice and value.
    n_samples : int
        Number of samples of the whole test set, or of all test sets together.
    left_out : DataFrame
        Subgroups that are too small, and samples without one (value None): slice, value, n_samples.
    models : tuple of str
    notes : tuple of str
        Scope of the conclusions: runs, if there are several, and test sets that were dropped.
    shares : ndarray of shape (n_sets,) or None
        Share of each test set in their mean; None for subgroups.
    scope : Scope
        Runs, labels and test sets that means are about.
    size : str
        Number of samples, or of items and runs, in words.
    """

    results: Mapping[Any, Comparison] = field(repr=False, metadata=HIDDEN)
    n_samples: int
    rng_label: str = field(repr=False, metadata=value(after="correction"))
    left_out: pd.DataFrame = field(repr=False, metadata=frame(
        "slice", Field("value", "label"), "n_samples", after="differences",
    ))  # fmt: skip
    notes: tuple[str, ...] = field(repr=False, metadata=value(in_row=False))
    models: tuple[str, ...] = field(metadata=HIDDEN)
    shares: FloatArray | None = field(repr=False, metadata=HIDDEN)
    scope: Scope = field(repr=False, metadata=HIDDEN)
    size: str = field(metadata=HIDDEN)

    _members: ClassVar[tuple[Member, ...]] = members_from(
        "_first", "n_resamples", "confidence_level", "alpha", "method", "test", "correction"
    )
    plot = Plots(critical_difference=plot_ranks, groups=plot_groups)

    @property
    def _first(self) -> Compared:
        """Evidence of the first group, which shares its settings with the others."""
        return next(iter(self.results.values())).evidence

    @property
    def _of_sets(self) -> bool:
        return self.shares is not None

    @property
    def _found(self) -> dict[Any, Compared]:
        """Evidence of each group."""
        return {key: result.evidence for key, result in self.results.items()}

    @property
    def _weighed(self) -> dict[Any, Compared]:
        """Evidence of each test set that has a part in the means."""
        return dict(compress(self._found.items(), () if self.shares is None else self.shares))

    @cached_property
    @member(*_GROUP, *SCORES)
    def scores(self) -> pd.DataFrame:
        """Scores of all groups: columns that name the group, then those of `Comparison.scores`.

        A test set is named by the column set, in the order given; a subgroup by slice, value and
        n_samples. Of each metric the subgroup in which its best model is worst comes first.
        """
        return self._in_order(self._stacked(attrgetter("scores")))

    @cached_property
    @member(*_GROUP, *DIFFERENCES)
    def differences(self) -> pd.DataFrame:
        """Differences in all groups: group columns, then those of `Comparison.differences`."""
        return self._in_order(self._stacked(attrgetter("differences")))

    def _ordered(self, metric: str) -> list[Any]:
        """Return the keys of the groups, in the order of `scores`."""
        keys = [*self.results]
        return keys if self._of_sets else sorted(keys, key=lambda k: self._places[(metric, *k)])

    @cached_property
    def _places(self) -> dict[Any, int]:
        """Order of subgroups, by metric, slice and value."""
        return subgroups.worst_first(self._stacked(attrgetter("scores")), self._first.upwards)

    def _in_order(self, frame: pd.DataFrame) -> pd.DataFrame:
        if self._of_sets:
            return frame
        keys = zip(frame["metric"], frame["slice"], frame["value"], strict=True)
        order = np.argsort([self._places[key] for key in keys], kind="stable")
        return frame.iloc[order].reset_index(drop=True)

    def _stacked(self, frame_of: Callable[[Comparison], pd.DataFrame]) -> pd.DataFrame:
        frames = []
        for key, result in self.results.items():
            frame, names = frame_of(result), {"set": key}
            if not self._of_sets:
                names = {"slice": key[0], "value": key[1], "n_samples": result.evidence.n_samples}
            named = pd.DataFrame(names, index=frame.index, dtype=object)
            frames.append(pd.concat([named, frame], axis=1))
        stacked = pd.concat(frames, ignore_index=True)
        return stacked.astype({name: kind for name, kind in _TYPES.items() if name in stacked})

    @property
    def signature(self) -> str:
        first, pooled = self._first, self._pooled().low.method if self._can_be_pooled else None
        return signature(
            "compare_groups", sets=len(self.results) if self._of_sets else None, n=self.n_samples,
            **self.scope.counts, generalize_to=self.scope.generalize_to,
            B=first.n_resamples, ci=first.method, ci_pooled=pooled,
            weights=written_shares(self.shares), test_pooled="interval" if pooled else None,
            test=first.test, adjust=first.correction, rng=self.rng_label,
            **self.scope.at_hand,
        )  # fmt: skip

    def document(self) -> Document:
        named = (VALUE, "model", "estimate", interval_column(self._first.confidence_level))
        tables = self._set_tables(*named) if self._of_sets else self._subgroup_tables(*named)
        figures: dict[str, Callable[[], Figure]] = {"scores": self.plot.groups}
        if self._of_sets and len(self.models) >= 3:
            draw, info = self.plot.critical_difference, self._first.metric_info
            ranked = [x for x in self._ranked_places if info[x].greater_is_better is not None]
            figures |= {f"ranks_{each}": partial(draw, each) for each in ranked}
        without = [] if self._can_be_pooled else ["pooled_scores", "pooled_differences"]
        without += [] if self._of_sets else ["saturation", "orders"]
        made = self._document(tables, findings=self._findings, figures=figures, without=without)
        return replace(made, title="Test sets" if self._of_sets else "Subgroups")

    def verdict(self) -> str:
        """Return a sentence for each value: of means over test sets, or of the subgroups."""
        return "\n".join(self.document().sentences)

    @property
    def _findings(self) -> list[Finding | str]:
        found: list[Finding | str] = []
        if self._can_be_pooled and len(self.models) > 1:
            means = self.pooled_scores, self.pooled_differences, self._weighed
            found += pooled_findings(*means, self._mean_of_sets)
        if self._of_sets and len(self.models) > 1:
            found += set_findings(self._found, self.models, self.saturation, self._ranked_places)
        found += [] if self._of_sets else subgroups.subgroup_findings(self._found)
        return [*found, *self.scope.notes_of_sets, *self.notes]

    def _mean_rows(self, at: int, most: int) -> list[Row]:
        """Rows of a figure with the means over test sets, if there are any."""
        if not self._can_be_pooled or len(self.models) < 2:
            return []
        frames = self.pooled_scores, self.pooled_differences, self._first
        return mean_rows(*frames, at, most, self._mean_of_sets)

    @property
    def _mean_of_sets(self) -> str:
        weighted = "weighted " if written_shares(self.shares) else ""
        return f"{weighted}mean of {len(self._weighed)} test sets"

    def _set_tables(self, *named: Any) -> dict[str, Table]:
        each = Table.of("Each test set", self.scores, "set", *named, decimals=None)
        if not self._can_be_pooled:
            return {"scores": each}
        title, means = self._mean_of_sets.capitalize(), self.pooled_differences
        pooled = Table.of(title, self.pooled_scores, *named, decimals=None)
        differences = pair_table("Differences of means", [VALUE], means, *self._how)
        return {"pooled": pooled, "differences": differences, "scores": each}

    @property
    def _how(self) -> tuple[dict[str, bool | None], float, str]:
        return self._first.upwards, self._first.confidence_level, self._first.correction

    def _subgroup_tables(self, *named: Any) -> dict[str, Table]:
        subgroup = column("subgroup", "slice", "value", kind="slice")
        tables = {"scores": Table.of(
            "Subgroups, worst first", self.scores, subgroup, "n_samples", *named, decimals=None,
            subtitle="by the value of each metric's best model", on_request=len(self.models) > 1,
        )}  # fmt: skip
        if len(self.models) > 1:
            differences = pair_table("Differences", [subgroup, VALUE], self.differences, *self._how)
            tables["differences"] = replace(differences, on_request=True)
            tables = {"leads": subgroups.lead_table(self._found, self._places), **tables}
        if len(self.left_out):
            tables["left_out"] = Table.of("Left out", self.left_out, subgroup, "n_samples")
        return tables

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
        self._check_sets()
        return saturation(self._found)

    @cached_property
    @member("metric", "set_a", "set_b", Field("kendall", "estimate"), optional=True)
    def orders(self) -> pd.DataFrame:
        """Agreement of each two test sets' orders of the models; not for metrics per class.

        Columns: metric, set_a, set_b, kendall (tau-b: 1 for the same order, -1 for the reverse).
        """
        self._check_sets()
        return orders(self._found, self.models, self._ranked_places)

    def friedman(self, metric: str) -> RankComparison:
        """Compare mean ranks over test sets by Friedman's test and Nemenyi's test of all pairs.

        Parameters
        ----------
        metric : str
            The metric whose values are ranked; not per class.
        """
        self._check_sets()
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
        return compare_ranks(
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
        """True if the groups are test sets with the same classes."""
        keys = self._first.keys
        return self._of_sets and all(each.keys == keys for each in self._found.values())

    def _check_sets(self) -> None:
        if not self._of_sets:
            raise ValueError(
                "subgroups of one test set are neither pooled nor ranked; give several test sets."
            )

    def _pooled(self, pairs: Pairs | None = None) -> Means:
        """Return means of the models' values, or of the differences of `pairs`."""
        self._check_sets()
        if not self._can_be_pooled:
            raise ValueError(
                "the test sets have different classes, so metrics per class cannot be pooled; name "
                "averages, e.g. f1_macro."
            )
        assert self.shares is not None  # noqa: S101  there are test sets
        samples, shares = [x.bootstrap for x in self._weighed.values()], self.shares
        return Means.of(samples, self.models, pairs, shares[shares > 0], self.scope)
