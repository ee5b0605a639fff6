"""``modelcompare metrics``: names and explanations of metrics."""

from __future__ import annotations

import math
import textwrap

from modelcompare.cli.streams import answer, answer_document
from modelcompare.metrics.explain import Explanation, aliases_of, explain, listed
from modelcompare.report.json_text import json_document

SCHEMA = "modelcompare/metrics/1"
_WIDTH = 80
_NEEDS = {"text_lists": "text lists", "values": "real values"}


def metrics(*, name: str | None = None, format: str) -> None:
    """List all metrics, or explain one."""
    found = listed() if name is None else [explain(name)]
    if format == "json":
        facts = [_facts(each) for each in found]
        answer_document(json_document({"schema": SCHEMA, "metrics": facts}))
    elif name is None:
        answer(_table(found))
    else:
        answer(_page(found[0]))


def _facts(found: Explanation) -> dict[str, object]:
    metric = found.metric
    return {
        "name": metric.name,
        "summary": found.summary,
        "variant": found.variant,
        "text": " ".join(found.text.split()),
        # Written as JSON, which has no infinity, an open end is null.
        "bounds": metric.bounds,
        "greater_is_better": metric.greater_is_better, "needs": metric.needs,
        "per_class": metric.per_class, "road": metric.strategy, "cost": found.cost,
        "references": list(found.references),
    }  # fmt: skip


def _table(found: list[Explanation]) -> str:
    header = ["metric", "better", "bounds", "needs", "road", "cost"]
    rows = [
        [
            each.metric.name, "higher" if each.metric.greater_is_better else "lower", _bounds(each),
            _NEEDS.get(each.metric.needs, each.metric.needs), each.metric.strategy, each.cost,
        ]
        for each in found
    ]  # fmt: skip
    footer = (
        f"{len(found)} metrics. F-beta takes any beta (f2, cf0.5_macro), as do top_7_accuracy, "
        "ece_mass_20 and roc_auc_at_0.05 their numbers. Cost is that of a resample: one matrix "
        "product for all models and metrics, after texts were read once, or a pass over samples "
        "that were sorted once. modelcompare metrics NAME explains one."
    )
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [header, *rows]
    ]
    return "\n".join([*lines, "", *textwrap.wrap(footer, _WIDTH)])


def _page(found: Explanation) -> str:
    metric = found.metric
    names = [metric.name, *aliases_of(metric.name)]
    lines = [", also ".join([names[0], ", ".join(names[1:])]) if names[1:] else names[0], ""]
    lines += textwrap.wrap(found.summary, _WIDTH)
    if found.variant:
        lines += textwrap.wrap(f"Here: {found.variant}.", _WIDTH)
    for paragraph in found.text.replace("`", "").split("\n\n"):
        lines += ["", *textwrap.wrap(" ".join(paragraph.split()), _WIDTH)]
    direction = "higher is better" if metric.greater_is_better else "lower is better"
    per = "one value per class" if metric.per_class else "one value"
    facts = {
        "bounds": f"{_bounds(found)}, {direction}, {per}",
        "needs": _NEEDS.get(metric.needs, metric.needs),
        "road": f"{metric.strategy}: {found.cost}",
    }
    lines += ["", *(f"  {key:8}{value}" for key, value in facts.items())]
    for place, reference in enumerate(found.references):
        lead = "  source  " if place == 0 else " " * 10
        lines += textwrap.wrap(
            reference, _WIDTH, initial_indent=lead, subsequent_indent=" " * 12,
            break_on_hyphens=False,
        )  # fmt: skip
    return "\n".join(lines)


def _bounds(found: Explanation) -> str:
    low, high = (
        f"{bound:g}" if math.isfinite(bound) else ("-inf" if bound < 0 else "inf")
        for bound in found.metric.bounds
    )
    return f"{low} to {high}"
