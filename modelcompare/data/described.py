"""Descriptions of predictions in text and in notebooks, and warnings about inferred classes."""

from __future__ import annotations

from html import escape
from typing import get_args

import numpy as np

from modelcompare.arrays import AnyArray, IntArray
from modelcompare.data.misspelt import Answers, check_guess, counted
from modelcompare.data.sizes import n_items, repeats, seen_runs
from modelcompare.data.test_set import TestSet
from modelcompare.escape import terminal
from modelcompare.words import SampleColumn, label_name

# Largest number of classes that are written out.
_MOST = 6


def described(predictions: TestSet) -> str:
    """Return one line about the test set, and one for each model."""
    p, access = predictions, predictions.access
    parts = [f"{len(p):,} {access.source.called}"]
    if repeats(p):
        parts = [f"{n_items(p):,} items x {seen_runs([p])} runs"]
    if p.labels is not None:
        shown = ", ".join(map(str, p.labels[:_MOST]))
        more = ", ..." if access.n_classes > _MOST else ""
        what = p.kind.axis or "classes"
        parts.append(f"{access.n_classes} {what} ({shown}{more})")
    parts.append(f"{len(p.models)} model{'s' if len(p.models) > 1 else ''}")
    names, beside = access.scores.names, access.scores.beside
    parts += [f"scores {', '.join(names)}"] if names else []
    parts += [f"scores beside {', '.join(beside)}"] if beside else []
    parts += [name for name in get_args(SampleColumn) if getattr(p, name) is not None]
    parts += [each.described for each in access.attachments.values()]
    if p.slices is not None:
        parts.append(f"slices by {', '.join(map(str, p.slices.columns))}")
    width = max(map(len, p.models))
    rows = [f"  {model:{width}}  {kind}" for model, kind in access.kinds.items()]
    if len(rows) > 12:
        rows = [*rows[:10], f"  ... and {len(rows) - 10} more"]
    return "\n".join(map(terminal, [f"Predictions: {', '.join(parts)}", *rows]))


def written_classes(predictions: TestSet) -> str:
    """Write the classes in their order, and which of two is the positive one; empty without."""
    kind = predictions.kind
    if predictions.labels is None or not kind.exclusive:
        return ""
    names = [*map(label_name, predictions.labels)]
    more = ", ..." if len(names) > _MOST else ""
    positive = "" if predictions.access.positive is None else f" (positive: {names[-1]})"
    return f"{', '.join(names[:_MOST])}{more}{positive}"


def described_in_html(predictions: TestSet) -> str:
    """Return the first line of `described`, and a table of the models."""
    head, *rows = map(escape, described(predictions).split("\n"))
    kinds = [row.strip().rpartition("  ")[::2] for row in rows if not row.startswith("  ...")]
    more = "".join(f"<p>{row.strip()}</p>" for row in rows if row.startswith("  ..."))
    cell = "<td style='padding-right: 1em; text-align: left'>"
    cells = "".join(f"<tr>{cell}{model.strip()}</td><td>{kind}</td></tr>" for model, kind in kinds)
    return f"<p>{head}</p><table><tr><th>model</th><th>outputs</th></tr>{cells}</table>{more}"


def check_classes(predictions: TestSet, classes: AnyArray) -> None:
    """Warn about inferred classes."""
    codes = predictions.access.hard_codes
    true = slice(0) if codes is None else np.flatnonzero(np.bincount(codes))
    check_guess(classes, classes[true], answers_of(predictions))


def answers_of(predictions: TestSet, times: IntArray | None = None) -> dict[str, Answers]:
    """Count the true and predicted classes of each model of labels, in rows of so many samples."""
    access = predictions.access
    codes = access.hard_codes
    if codes is None:
        return {}
    of_labels = [model for model, kind in access.kinds.items() if kind.coded]
    n_classes = access.n_classes
    return {m: counted(codes, predictions.predicted(m), n_classes, times) for m in of_labels}
