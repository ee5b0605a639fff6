"""``modelcompare metrics``: names and explanations of metrics."""

from __future__ import annotations

import math
import textwrap
from typing import get_args

from modelcompare import plugs
from modelcompare.cli.streams import answer, answer_document
from modelcompare.data.columns import Source
from modelcompare.directions import sentence
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.listing import searched
from modelcompare.metrics.named import METRICS
from modelcompare.metrics.registry import get_metric, register_others
from modelcompare.metrics.scoring import named_score
from modelcompare.metrics.terms import other_meaning, place_of, terms_of
from modelcompare.plugins.catalogue.documents import COLUMNS, OF_METRICS, whole_schema
from modelcompare.report.json_text import json_document
from modelcompare.words import Average

_WIDTH = 80
# Macro, micro and weighted.
_ALL_AVERAGES = 3
_SIDES = {True: "higher", False: "lower", None: "either"}


def metrics(
    *, name: str | None = None, format: str, search: str | None = None, schema: bool
) -> None:
    """List all metrics or those of a word, explain one, or print the schema of documents."""
    if schema:
        if name is not None:
            raise ValueError("--schema is of all documents; leave the metric's name out.")
        answer_document(json_document(whole_schema()))
        return
    if name is None:
        register_others()
        found = searched(METRICS.values(), search or "")
    elif search is None:
        found = [_made(name) or get_metric(name)]
    else:
        raise ValueError("--search lists metrics, and NAME explains one; leave one of them out.")
    if not found:
        where = place_of(search or "") or "modelcompare metrics lists all"
        raise ValueError(f"no metric is found by {search!r}; {where}.")
    if format == "json":
        facts = [_facts(each) for each in found]
        answer_document(json_document({"schema": f"modelcompare/{OF_METRICS}", "metrics": facts}))
    elif name is None:
        otherwise = textwrap.wrap(other_meaning(search or ""), _WIDTH)
        answer("\n".join([_table(found), *(["", *otherwise] if otherwise else [])]))
    else:
        answer(_page(found[0]))


def _made(name: str) -> AnyMetric | None:
    """Return the mean of a score that is computed from its source; None for other names."""
    source = Source(made=plugs.rows("scores"))
    is_made = any(each.name == name for each in source.made)
    return named_score(name, [name], source) if is_made else None


def _facts(metric: AnyMetric) -> dict[str, object]:
    """Return the members of a metric in a document, where an open end is null."""
    own = {"text": " ".join(metric.text.split()), "method": metric.strategy}
    return {each.name: getattr(metric, each.name, None) for each in COLUMNS} | own


def _table(found: list[AnyMetric]) -> str:
    """Return a line for each metric, with its averages and its soft twin."""
    header = ["metric", "better", "bounds", "needs", "also"]
    rows = [
        [
            of_one[0].name, _SIDES[of_one[0].greater_is_better], _bounds(of_one[0]),
            of_one[0].kind.title, _also(*of_one),
        ]
        for of_one in _grouped(found)
    ]  # fmt: skip
    made: dict[str, list[str]] = {}
    for each in plugs.rows("scores"):
        made.setdefault(each.called, []).append(each.name)
    scores = "".join(
        f", also {' and '.join(names)}, which {called} have" for called, names in made.items()
    )
    footer = (
        f"{len(found):,} name{'s' * (len(found) > 1)}; averages end in _macro, _micro and "
        "_weighted, soft (probabilistic) twins begin with c: f1_macro, cf1, cf1_macro. Names may "
        "have numbers: f2, cf0.5_macro, top_7_accuracy, ece_mass_20, roc_auc_at_0.05, p99.9, "
        'pinball_0.9, adjusted_r2_3. Other words are understood, such as "macro F1", AUC and '
        "mean_squared_error: --search WORD finds them, and modelcompare metrics NAME explains "
        f"one{scores}."
    )
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [header, *rows]
    ]
    return "\n".join([*lines, "", *textwrap.wrap(footer, _WIDTH)])


def _grouped(found: list[AnyMetric]) -> list[list[AnyMetric]]:
    """Return each metric with its averages and soft twins, if they are listed as well."""
    names = {each.name for each in found}
    soft = {each.soft.name: each.name for each in found if each.soft is not None}
    groups: dict[str, list[AnyMetric]] = {}
    for each in found:
        base, _, average = soft.get(each.name, each.name).rpartition("_")
        listed = average in get_args(Average) and base in names
        groups.setdefault(base if listed else soft.get(each.name, each.name), []).append(each)
    return [*groups.values()]


def _also(first: AnyMetric, *others: AnyMetric) -> str:
    """Return the averages of a metric, and whether it has a soft twin."""
    names = [each.name.removeprefix(first.name) for each in others]
    averages = [name for name in names if name.startswith("_")]
    endings = "averages" if len(averages) == _ALL_AVERAGES else " ".join(averages)
    return ", ".join(filter(None, [endings, "soft" * (f"c{first.name}" in names)]))


def _page(metric: AnyMetric) -> str:
    others = ", ".join(terms_of(metric.name))
    lines = [*textwrap.wrap(f"{metric.name}, also {others}" if others else metric.name, _WIDTH), ""]
    lines += textwrap.wrap(metric.summary, _WIDTH)
    if metric.variant:
        lines += textwrap.wrap(f"Here: {metric.variant}.", _WIDTH)
    for paragraph in metric.text.replace("`", "").split("\n\n"):
        lines += ["", *textwrap.wrap(" ".join(paragraph.split()), _WIDTH)]
    direction = sentence(metric.greater_is_better, "declared")
    per = "one value per class" if metric.per_class else "one value"
    facts = {
        "bounds": f"{_bounds(metric)}, {direction}, {per}",
        "needs": metric.kind.title,
        "method": f"{metric.strategy}: {metric.cost}",
    }
    lines += ["", *(f"  {key:8}{value}" for key, value in facts.items())]
    for place, reference in enumerate(metric.references):
        lead = "  source  " if place == 0 else " " * 10
        lines += textwrap.wrap(
            reference, _WIDTH, initial_indent=lead, subsequent_indent=" " * 12,
            break_on_hyphens=False,
        )  # fmt: skip
    return "\n".join(lines)


def _bounds(metric: AnyMetric) -> str:
    low, high = (
        f"{bound:g}" if math.isfinite(bound) else ("-inf" if bound < 0 else "inf")
        for bound in metric.bounds
    )
    return f"{low} to {high}"
