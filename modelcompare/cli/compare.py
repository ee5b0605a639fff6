"""``modelcompare compare``: compare models on one test set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from modelcompare.cli.options import OutputOptions, ReadingOptions, ResamplingOptions, expanded
from modelcompare.cli.output import check_outputs, emit, emit_figure

# Spelt out here, because the rooms that define them are slow to import; the tests compare them.
Method = Literal[
    "BCa", "percentile", "basic", "normal", "studentized", "logit", "wilson", "clopper-pearson",
    "jeffreys", "delong",
]  # fmt: skip
Test = Literal["sign-flip", "permutation", "bootstrap", "wald"]
Correction = Literal["holm", "hommel", "bonferroni", "sidak", "fdr_bh", "fdr_by", "max-t", "none"]
_STATISTICS = "Statistics"
_EXAMPLES = """
[bold]Examples[/bold]

  modelcompare compare predictions.npz

  modelcompare compare predictions.csv --metric f1 --metric cf1 --true gold

  modelcompare compare bert.csv roberta.csv --id uid --plot forest.png

  modelcompare compare scores.tsv.gz --scores --lower-is-better -o table.tex

  modelcompare compare predictions.npz --format json --resamples 2000 --seed 7
"""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(name="compare", epilog=_EXAMPLES, no_args_is_help=True)(expanded(compare))


def compare(
    reading: ReadingOptions,
    *,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="NAME",
            help="What to measure (repeatable), e.g. accuracy, f1 (per class), f1_macro, cf1, mcc. "
            "By default accuracy, f1_macro and cf1_macro, or the mean of scores.",
            show_default=False,
            rich_help_panel=_STATISTICS,
        ),
    ] = None,
    method: Annotated[
        Method,
        typer.Option(
            metavar="NAME",
            help="Kind of interval: BCa, percentile, basic, normal, studentized, logit, wilson, "
            "clopper-pearson, jeffreys or delong.",
            rich_help_panel=_STATISTICS,
        ),
    ] = "BCa",
    test: Annotated[
        Test,
        typer.Option(
            metavar="NAME",
            help="Paired test of the differences: sign-flip, permutation, bootstrap or wald.",
            rich_help_panel=_STATISTICS,
        ),
    ] = "sign-flip",
    correction: Annotated[
        Correction,
        typer.Option(
            metavar="NAME",
            help="Adjustment for many pairs: holm, hommel, bonferroni, sidak, fdr_bh, fdr_by, "
            "max-t or none.",
            rich_help_panel=_STATISTICS,
        ),
    ] = "holm",
    confidence_level: Annotated[
        float,
        typer.Option(metavar="FRACTION", help="Of every interval.", rich_help_panel=_STATISTICS),
    ] = 0.95,
    alpha: Annotated[
        float,
        typer.Option(
            metavar="FRACTION",
            help="A difference counts where its adjusted p-value is below.",
            rich_help_panel=_STATISTICS,
        ),
    ] = 0.05,
    resampling: ResamplingOptions,
    output: OutputOptions,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="PATH",
            help="Write a forest plot too: .png, .pdf or .svg.",
            rich_help_panel="Output",
        ),
    ] = None,
) -> None:
    """Compare models on one test set: scores, intervals, differences of all pairs."""
    check_outputs(output, plot)
    predictions = reading.read()
    from modelcompare.comparison.compare import compare as compare_models

    result = compare_models(
        predictions,
        metric or None,
        n_resamples=resampling.resamples,
        confidence_level=confidence_level,
        method=method,
        test=test,
        correction=correction,
        alpha=alpha,
        n_jobs=resampling.jobs,
        rng=resampling.seed,
        progress=True,
    )
    emit(result, output)
    if plot is not None:
        emit_figure(plot, result.plot())
