"""``modelcompare report FILE --classes``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from modelcompare.cli.output import Output
from modelcompare.cli.reading import Reading
from modelcompare.plugins.class_report.report import classification_report


def report(
    reading: Reading, *, classes: bool, metrics: Sequence[str] | None = None,
    output: Path | None = None, **options: Any,
) -> None:  # fmt: skip
    """Print the table of the classes, or write it to a file."""
    del classes
    if metrics is not None:
        raise ValueError("--classes has precision, recall and F1; leave -m out, or --classes.")
    written = Output(output=output)
    written.check(reading.files)
    written.emit(classification_report(reading.read(), **options), inputs=reading.files)
