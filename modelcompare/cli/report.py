"""``modelcompare report``: a page to show."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from modelcompare.cli.output import check_paths, document_of
from modelcompare.cli.reading import Reading
from modelcompare.cli.streams import say, typed
from modelcompare.comparison.compare import compare
from modelcompare.comparison.compare_groups import MIN_SIZE, compare_groups
from modelcompare.comparison.result import Comparison
from modelcompare.data.predictions import Predictions
from modelcompare.data.sizes import n_seen
from modelcompare.plugs import rows
from modelcompare.report.result import Result
from modelcompare.report.writers.files import write_text
from modelcompare.report.writers.page import check_html, page

_PAGE = ("", ".html", ".htm")


def report(
    reading: Reading, *, metrics: Sequence[str] | None = None, output: Path | None = None,
    **options: Any,
) -> None:  # fmt: skip
    """Write a self-contained HTML page of a comparison."""
    path = output or Path("report.html")
    check_suffix(path, _PAGE)
    check_paths([path], reading.files)
    check_html()
    preds = reading.read(sliced=True)
    result = compare(preds, metrics, **options)
    more = [found.document() for found in _more(preds, result, {**options, "metrics": metrics})]
    write_text(path, page(document_of(result), more, command=typed()))
    say(f"wrote {path}")


def _more(preds: Predictions, result: Comparison, options: Mapping[str, Any]) -> Iterator[Result]:
    """Yield further results: subgroups, and those of plugins."""
    if preds.access.sums is not None:
        return
    if preds.slices is not None:
        largest = max(preds.slices[name].value_counts().max() for name in preds.slices)
        if largest * n_seen(preds) // len(preds) >= MIN_SIZE:
            yield compare_groups(preds, **options)
        else:
            say(f"modelcompare: no subgroup has {MIN_SIZE} samples; the page leaves them out.")
    for more in rows("pages"):
        yield from more(preds, result)


def check_suffix(path: Path, known: Collection[str]) -> None:
    """Refuse a file whose suffix is none of those that are written."""
    if path.suffix.lower() not in known:
        *names, last = filter(None, known)
        raise ValueError(
            f"{path}: {', '.join(names)} or {last} is written here; choose such a name."
        )
