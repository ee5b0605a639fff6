"""``modelcompare report``: a page to show, or the card of one model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from modelcompare.cli.options import ReadingOptions, ResamplingOptions, expanded

_EXAMPLES = """
[bold]Examples[/bold]

  modelcompare report predictions.npz -o report.html

  modelcompare report predictions.npz --card cnn -o cnn.md --metric f1
"""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(name="report", epilog=_EXAMPLES, no_args_is_help=True)(expanded(report))


def report(
    reading: ReadingOptions,
    *,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="NAME",
            help="What to measure (repeatable).",
            show_default=False,
        ),
    ] = None,
    card: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Write the model card of this model instead of a page.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            show_default=False,
            help="Where to; report.html or MODEL.md by default.",
        ),
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
    options: dict[str, Any] = {
        "n_resamples": resampling.resamples, "n_jobs": resampling.jobs, "rng": resampling.seed,
        "progress": True,
    }  # fmt: skip
    if card is not None:
        write_text(path, model_card(preds, card, metric, **options))
    else:
        from modelcompare.comparison.compare import compare

        compare(preds, metric, **options).to_html(path)
    typer.echo(f"wrote {path}", err=True)
