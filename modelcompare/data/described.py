"""Short descriptions of predictions: in text, and as a table in notebooks."""

from __future__ import annotations

from html import escape
from typing import get_args

from modelcompare.data.test_set import TestSet
from modelcompare.words import SampleColumn


def described(predictions: TestSet) -> str:
    """Return one line about the test set, and one for each model."""
    p = predictions
    parts = [f"{len(p):,} samples"]
    if p.labels is not None:
        shown = ", ".join(map(str, p.labels[:6]))
        more = ", ..." if p.n_classes > 6 else ""
        parts.append(f"{p.n_classes} classes ({shown}{more})")
    parts.append(f"{len(p.models)} model{'s' if len(p.models) > 1 else ''}")
    parts += [f"scores {', '.join(p.score_names)}"] if p.score_names else []
    parts += [name for name in get_args(SampleColumn) if getattr(p, name) is not None]
    parts += [] if p.judge is None else [f"{p.judge.n_labels:,} labels by people, a judge"]
    if p.slices is not None:
        parts.append(f"slices by {', '.join(map(str, p.slices.columns))}")
    width = max(map(len, p.models))
    rows = [f"  {model:{width}}  {kind}" for model, kind in p.kinds.items()]
    if len(rows) > 12:
        rows = [*rows[:10], f"  ... and {len(rows) - 10} more"]
    return "\n".join([f"Predictions: {', '.join(parts)}", *rows])


def described_in_html(predictions: TestSet) -> str:
    """Return the first line of `described`, and a table of the models."""
    head, *rows = map(escape, described(predictions).split("\n"))
    kinds = [row.strip().rpartition("  ")[::2] for row in rows if not row.startswith("  ...")]
    more = "".join(f"<p>{row.strip()}</p>" for row in rows if row.startswith("  ..."))
    cell = "<td style='padding-right: 1em; text-align: left'>"
    cells = "".join(f"<tr>{cell}{model.strip()}</td><td>{kind}</td></tr>" for model, kind in kinds)
    return f"<p>{head}</p><table><tr><th>model</th><th>outputs</th></tr>{cells}</table>{more}"
