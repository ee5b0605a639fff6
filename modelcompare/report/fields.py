"""Fields of results, by name, and the text by which a result declares those of its document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Literal

# Format and alignment of the cells of a column.
Kind = Literal[
    "text",  # one name
    "label",  # a class, or what else the data hold
    "class",  # a class, which a terminal writes as a heading above its rows
    "leader",  # what rows are about, such as their leader, written in the heading too
    "model_a", "model_b",  # the sides of a difference a - b
    "value",  # a metric and a class
    "slice",  # a variable and its value, written as a heading too
    "estimate",  # a number with as many decimals as its row bears
    "difference",  # the same with its sign
    "interval",  # two ends
    "ranks",  # the lowest and the highest
    "p-value",
    "share",  # a fraction, written as a percentage
    "count",
    "size",  # a number by its three leading digits
    "setting",  # a number as it was given
    "given",  # a name, a text or a number that the data hold
    "flag",  # yes or no
]  # fmt: skip
HEADING: frozenset[Kind] = frozenset({"class", "leader", "slice"})
RIGHT: frozenset[Kind] = frozenset({"estimate", "difference", "share", "count", "size", "setting"})

# Fields that are not here are texts.
_NAMES: Mapping[Kind, str] = {
    "model_a": "model_a",
    "model_b": "model_b",
    "label": "label value",
    "given": "group group_a group_b id predicted_a predicted_b split worst_group y_true",
    "estimate": "accuracy area best ci_high ci_low confidence critical_difference debiased_ece "
    "difference_a difference_b distance estimate false_positive_rate gap high judge kendall "
    "largest_gap low lower mean mean_rank original part_high part_low people precision quantized "
    "raw recall sd "
    "separation_a separation_b separation_quantized separation_raw standard_deviation "
    "standard_error threshold upper variance variance_a variance_b variance_between variance_ratio "
    "samples_ratio pct_agree pct_separated pct_significant pct_undefined worst y",
    "difference": "difference gain lead",
    "p-value": "p_adjusted p_value p_value_a p_value_b p_value_standard_error",
    "share": "p_a p_b p_equivalent power saved share share_needed",
    "count": "B bin fold n n_agree n_bins n_folds n_labels n_missing n_models n_pairs n_resamples "
    "n_samples n_separated n_significant n_subsamples n_test n_train n_undefined rank rank_high "
    "rank_low repeat subsample support",
    "size": "cliffs_delta cohens_dz cost_item cost_run detectable interval_width n_items n_needed "
    "n_runs n_sets statistic worth",
    "setting": "alpha confidence_level level margin ratio rope x",
    "flag": "agree cheapest exact greater_is_better moves passed per_class reversed significant "
    "stratify",
}
FIELDS: Mapping[str, Kind] = {
    name: kind for kind, names in _NAMES.items() for name in names.split()
}
_TITLES: Mapping[str, str] = {
    "debiased_ece": "debiased error", "difference": "a - b", "estimate": "value", "label": "class",
    "n_samples": "n", "p_value": "p", "y_true": "truth",
}  # fmt: skip


def title_of(name: str) -> str:
    """Return the default title of a field's column.

    >>> title_of("p_value"), title_of("n_folds"), title_of("model_a")
    ('p', 'folds', 'model a')
    """
    return _TITLES.get(name, name.removeprefix("n_").replace("_", " "))


# name, ? where it may be missing, =attribute that gives it, :kind; a table's kind is empty.
_MEMBER = re.compile(r"(\w+)(\??)(?:=([\w.]+))?(:?)(\w*)")


@dataclass(frozen=True)
class Member:
    """A member of a JSON document: a value, or a table that has members itself."""

    name: str
    source: str  # the attribute, or the method, of the result that gives it
    kind: str  # its kind, if not that of its name; else empty
    optional: bool
    columns: list[Member] = field(default_factory=list)

    def of(self, result: object) -> Any:
        """Take it from a result: of a frame the columns that are declared."""
        found = attrgetter(self.source)(result)
        found = found() if callable(found) else found
        here = [each.name for each in self.columns if each.name in found or not each.optional]
        return found[here] if self.columns else found


def read_members(text: str) -> list[Member]:
    """Read the declaration of a document, in the syntax documented in `Result`.

    >>> values, rows = read_members("statistic tests=table: model kind:decision p_value?")
    >>> values.name, rows.source, [column.name for column in rows.columns]
    ('statistic', 'table', ['model', 'kind', 'p_value'])
    """
    members: list[Member] = []
    into = members
    for name, optional, source, colon, kind in _MEMBER.findall(text):
        member = Member(name, source or name, kind, bool(optional))
        if colon and not kind:
            members.append(member)
            into = member.columns
        else:
            into.append(member)
    if into is not members and not into:
        into.extend(each for each in members[:-1] if each.name != "signature")
    return members
