"""``modelcompare metrics``: names and explanations of metrics."""

from __future__ import annotations

import math
import textwrap

from modelcompare import plugs
from modelcompare.cli.schema import COLUMNS, OF_METRICS, whole_schema
from modelcompare.cli.streams import answer, answer_document
from modelcompare.data.columns import Source
from modelcompare.directions import sentence
from modelcompare.metrics.base import AnyMetric
from modelcompare.metrics.named import METRICS, aliases_of
from modelcompare.metrics.registry import get_metric, register_others
from modelcompare.metrics.scoring import named_score
from modelcompare.report.json_text import json_document

_WIDTH = 80
_SIDES = {True: "higher", False: "lower", None: "either"}


def metrics(*, name: str | None = None, format: str, schema: bool) -> None:
    """List all metrics, explain one, or print the schema of documents."""
    if schema:
        if name is not None:
            raise ValueError("--schema is of all documents; leave the metric's name out.")
        answer_document(json_document(whole_schema()))
        return
    if name is None:
        register_others()
    found = [*METRICS.values()] if name is None else [_made(name) or get_metric(name)]
    if format == "json":
        facts = [_facts(each) for each in found]
        answer_document(json_document({"schema": f"modelcompare/{OF_METRICS}", "metrics": facts}))
    elif name is None:
        answer(_table(found))
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
    header = ["metric", "better", "bounds", "needs", "method", "cost"]
    rows = [
        [
            each.name, _SIDES[each.greater_is_better], _bounds(each),
            each.kind.title, each.strategy, each.cost,
        ]
        for each in found
    ]  # fmt: skip
    made: dict[str, list[str]] = {}
    for each in plugs.rows("scores"):
        made.setdefault(each.called, []).append(each.name)
    also = "".join(
        f", also {' and '.join(names)}, which {called} have" for called, names in made.items()
    )
    footer = (
        f"{len(found)} metrics. F-beta takes any beta (f2, cf0.5_macro), as do top_7_accuracy, "
        "ece_mass_20, roc_auc_at_0.05, p99.9 and pinball_0.9 their numbers. Cost is that of a "
        "resample: one matrix product for all models and metrics, after texts were read once, or a "
        f"pass over samples that were sorted once. modelcompare metrics NAME explains one{also}."
    )
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [header, *rows]
    ]
    return "\n".join([*lines, "", *textwrap.wrap(footer, _WIDTH)])


def _page(metric: AnyMetric) -> str:
    names = [metric.name, *aliases_of(metric.name)]
    lines = [", also ".join([names[0], ", ".join(names[1:])]) if names[1:] else names[0], ""]
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
