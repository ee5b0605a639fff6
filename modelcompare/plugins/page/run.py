"""``modelcompare report``: a page to show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from modelcompare.cli.output import check_paths, check_suffix, document_of
from modelcompare.cli.reading import Reading
from modelcompare.cli.streams import say
from modelcompare.comparison.compare import compare
from modelcompare.comparison.compare_groups import MIN_SIZE, compare_groups
from modelcompare.comparison.result import Comparison
from modelcompare.data.predictions import Predictions
from modelcompare.data.sizes import n_seen
from modelcompare.plugins.page.page import check_html, page
from modelcompare.plugs import rows
from modelcompare.report.result import Result
from modelcompare.report.writers.files import write_text

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
    write_text(path, page(document_of(result), more))
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
