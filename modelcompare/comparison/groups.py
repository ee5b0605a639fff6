"""The result of `compare_groups`: models in the subgroups of a test set, or in other groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.comparison import subgroups
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.forest import group_panel, keys_of
from modelcompare.comparison.pair_tables import pair_table
from modelcompare.comparison.result import DIFFERENCES, SCORES, Comparison
from modelcompare.engine.scope import Scope
from modelcompare.report.document import Document, Finding
from modelcompare.report.fields import HIDDEN, Field, Member, frame, member, members_from, value
from modelcompare.report.figures.interval_rows import Row
from modelcompare.report.figures.layout import Caption, draw_panels, wrapped
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.selection import among, models_by_class, part_shown
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import interval_title
from modelcompare.report.result import Result
from modelcompare.report.tables import VALUE, Table, column, interval_column
from modelcompare.words import signature

# Panels of a figure, and rows of a panel.
_MOST_PANELS, _MOST_ROWS = 4, 60
_TYPES = {"set": str, "slice": str, "n_samples": int}


def plot_groups(
    result: GroupComparison, metric: str | None = None, *, ax: Axes | None = None
) -> Figure:
    """Draw the scores in each group, for one metric or for all metrics that are not per class.

    Subgroups are in the order of `scores`, each with its best models. Metrics per class have a
    panel for each class.
    """
    first = result._first
    named = [among("metric", metric, first.metrics)] if metric else result._averages
    places = [at for at, key in enumerate(first.keys) if key.metric in (named or first.metrics[:1])]
    places, most = places[:_MOST_PANELS], models_by_class(len(result.results), _MOST_ROWS)
    groups = [result._ordered(first.keys[at].metric) for at in places]
    drawn = [
        group_panel({g: result._found[g] for g in own}, at, most, result._rows_above(at, most))
        for own, at in zip(groups, places, strict=True)
    ]
    panels, heights = zip(*drawn, strict=True)
    shown = part_shown(min(most, len(first.models)), len(first.models), "model", "the best")
    caption = Caption(
        f"{len(result.results)} {result._called}, "
        f"{result.size}; scores with {interval_title(first.confidence_level)}",
        result.signature, shown, "colours: tests against the best of the group", keys_of(first),
    )  # fmt: skip
    return draw_panels(caption, wrapped([*panels], 2), (4.4, max(heights)), ax=ax)


# Columns that name a subgroup.
_GROUP = (Field("slice"), Field("value", "label"), Field("n_samples"))


@dataclass(frozen=True, kw_only=True)
class GroupComparison(Result, stem="groups", title="Subgroups", version=3):
    """Comparisons of the same models in each subgroup of a test set.

    Attributes
    ----------
    results : dict of (str, object) to Comparison
        One comparison for each subgroup by its slice and value.
    n_samples : int
        Number of samples of the whole test set.
    left_out : DataFrame
        Subgroups that are too small, and samples without one (value None): slice, value, n_samples.
    models : tuple of str
    notes : tuple of str
        Scope of the conclusions: runs, if there are several.
    scope : Scope
        Runs and labels that the answers are about.
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
    scope: Scope = field(repr=False, metadata=HIDDEN)
    size: str = field(metadata=HIDDEN)

    _members: ClassVar[tuple[Member, ...]] = members_from(
        "_first", "n_resamples", "confidence_level", "alpha", "method", "test", "correction"
    )
    # What the groups are called in a figure.
    _called: ClassVar[str] = "subgroups"
    plot = Plots(groups=plot_groups)

    @property
    def _first(self) -> Compared:
        """Evidence of the first group, which shares its settings with the others."""
        return next(iter(self.results.values())).evidence

    @property
    def _found(self) -> dict[Any, Compared]:
        """Evidence of each group."""
        return {key: result.evidence for key, result in self.results.items()}

    @property
    def _averages(self) -> list[str]:
        """Metrics that are not per class."""
        return [name for name, info in self._first.metric_info.items() if not info.per_class]

    @cached_property
    @member(*_GROUP, *SCORES)
    def scores(self) -> pd.DataFrame:
        """Scores of all subgroups: slice, value, n_samples, and columns of `Comparison.scores`.

        Of each metric the subgroup in which its best model is worst comes first.
        """
        return self._in_order(self._stacked(attrgetter("scores")))

    @cached_property
    @member(*_GROUP, *DIFFERENCES)
    def differences(self) -> pd.DataFrame:
        """Differences in all groups: group columns, then those of `Comparison.differences`."""
        return self._in_order(self._stacked(attrgetter("differences")))

    def _ordered(self, metric: str) -> list[Any]:
        """Return the keys of the groups, in the order of `scores`."""
        return sorted(self.results, key=lambda key: self._places[(metric, *key)])

    @cached_property
    def _places(self) -> dict[Any, int]:
        """Order of subgroups, by metric, slice and value."""
        return subgroups.worst_first(self._stacked(attrgetter("scores")), self._first.upwards)

    def _in_order(self, frame: pd.DataFrame) -> pd.DataFrame:
        keys = zip(frame["metric"], frame["slice"], frame["value"], strict=True)
        order = np.argsort([self._places[key] for key in keys], kind="stable")
        return frame.iloc[order].reset_index(drop=True)

    def _names_of(self, key: Any) -> dict[str, Any]:
        """Return the cells that name a group."""
        found = self.results[key].evidence
        return {"slice": key[0], "value": key[1], "n_samples": found.n_samples}

    def _stacked(self, frame_of: Callable[[Comparison], pd.DataFrame]) -> pd.DataFrame:
        frames = []
        for key, result in self.results.items():
            frame = frame_of(result)
            named = pd.DataFrame(self._names_of(key), index=frame.index, dtype=object)
            frames.append(pd.concat([named, frame], axis=1))
        stacked = pd.concat(frames, ignore_index=True)
        return stacked.astype({name: kind for name, kind in _TYPES.items() if name in stacked})

    @property
    def signature(self) -> str:
        first = self._first
        return signature(
            "compare_groups", n=self.n_samples, **self.scope.counts,
            generalize_to=self.scope.generalize_to, B=first.n_resamples, ci=first.method,
            test=first.test, adjust=first.correction, rng=self.rng_label,
            **self.scope.at_hand,
        )  # fmt: skip

    def document(self) -> Document:
        named = (VALUE, "model", "estimate", interval_column(self._first.confidence_level))
        figures = {"scores": self.plot.groups}
        return self._document(self._tables(*named), findings=self._findings, figures=figures)

    def verdict(self) -> str:
        """Return a sentence for each value: how the models compare in the groups."""
        return "\n".join(self.document().sentences)

    @property
    def _findings(self) -> list[Finding | str]:
        return [*subgroups.subgroup_findings(self._found), *self.notes]

    def _rows_above(self, _at: int, _most: int) -> list[Row]:
        """Rows of a figure above those of the groups."""
        return []

    @property
    def _how(self) -> tuple[dict[str, bool | None], float, str]:
        return self._first.upwards, self._first.confidence_level, self._first.correction

    def _tables(self, *named: Any) -> dict[str, Table]:
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


def document_below(whole: Comparison, groups: GroupComparison) -> Document:
    """Return the document of a test set with that of its subgroups below: where they differ."""
    found, shown = groups._found, groups.document()
    few = {f"{name} = {value}": own.few for (name, value), own in found.items()}
    findings = [*subgroups.subgroup_findings(found), *map(Finding, subgroups.common_notes(few))]
    tables = dict(shown.tables)
    if "leads" in tables:
        tables["leads"] = subgroups.lead_table(found, groups._places, whole.evidence)
    return whole.document().with_more(replace(shown, findings=findings, tables=tables))
