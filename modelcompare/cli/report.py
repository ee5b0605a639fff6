"""``modelcompare report``: a page to show, or the card of one model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from modelcompare.cli.options import ReadingOptions, ResamplingOptions, Text, Texts, option


def report(
    reading: ReadingOptions,
    *,
    metric: Annotated[
        Texts, option("NAME", "What to measure (repeatable).", "--metric", "-m")
    ] = None,
    card: Annotated[
        Text, option("MODEL", "Write the model card of this model instead of a page.")
    ] = None,
    output: Annotated[
        Path | None,
        option("PATH", "Where to; report.html or MODEL.md by default.", "--output", "-o"),
    ] = None,
    resampling: ResamplingOptions,
) -> None:
    """Write a self-contained HTML page of a comparison, or a model card in Markdown."""
    from modelcompare.report.files import check_writable, write_text
    from modelcompare.report.html import check_html
    from modelcompare.studies.card import model_card

    path = output or Path("report.html" if card is None else f"{card}.md")
    check_writable(path)
    if card is None:
        check_html()
    preds = reading.read()
    options = {**resampling.options(), "progress": True}
    if card is not None:
        write_text(path, model_card(preds, card, metric, **options))
    else:
        from modelcompare.comparison.compare import compare

        compare(preds, metric, **options).to_html(path)
    typer.echo(f"wrote {path}", err=True)
