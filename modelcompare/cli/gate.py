"""``modelcompare gate``: an exit code that a release pipeline can act on."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import typer

from modelcompare.cli.options import ReadingOptions, ResamplingOptions, expanded

Kind = Literal["non-inferior", "superior", "equivalent"]
_EXAMPLES = """
[bold]Examples[/bold]

  modelcompare gate --baseline v1 --candidate v2 --metric f1_macro --margin 0.005 preds.npz

  modelcompare gate --baseline v1 --candidate v2 --superior --format github preds.npz
"""


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(name="gate", epilog=_EXAMPLES, no_args_is_help=True)(expanded(gate))


def gate(
    reading: ReadingOptions,
    *,
    baseline: Annotated[str, typer.Option(metavar="MODEL", help="What is in use.")],
    candidate: Annotated[str, typer.Option(metavar="MODEL", help="What would replace it.")],
    metric: Annotated[
        str, typer.Option("--metric", "-m", metavar="NAME", help="What counts.")
    ] = "f1_macro",
    margin: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="Smallest difference that matters, in units of the metric; needed unless "
            "--superior.",
            show_default=False,
        ),
    ] = None,
    non_inferior: Annotated[
        bool,
        typer.Option("--non-inferior", metavar="", help="Pass if not worse (the default)."),
    ] = False,
    superior: Annotated[
        bool, typer.Option("--superior", metavar="", help="Pass if better by the margin.")
    ] = False,
    equivalent: Annotated[
        bool, typer.Option("--equivalent", metavar="", help="Pass if within the margins (TOST).")
    ] = False,
    label: Annotated[
        str | None, typer.Option(metavar="CLASS", help="The class, for a metric per class.")
    ] = None,
    alpha: Annotated[float, typer.Option(metavar="FRACTION", help="One-sided level.")] = 0.05,
    format: Annotated[
        Literal["text", "github", "json"],
        typer.Option(metavar="FORM", help="text, github (workflow annotation) or json."),
    ] = "text",
    resampling: ResamplingOptions,
) -> None:
    """Exit with 0 if the candidate passes, 1 if it is not shown to, 2 if the input is bad."""
    asked: dict[Kind, bool] = {
        "non-inferior": non_inferior, "superior": superior, "equivalent": equivalent,
    }  # fmt: skip
    chosen = [kind for kind, wanted in asked.items() if wanted]
    if len(chosen) > 1:
        raise ValueError(f"--{chosen[0]} and --{chosen[1]} exclude each other; ask for one.")
    kind: Kind = chosen[0] if chosen else "non-inferior"
    if margin is None and kind != "superior":
        raise ValueError(f"--margin is needed to ask for {kind}: how much worse would matter?")
    predictions = reading.read()
    from modelcompare.questions.decide import decide

    labels = [] if predictions.labels is None else predictions.labels.tolist()
    result = decide(
        predictions, baseline, candidate, metric, kind=kind, margin=margin or 0.0,
        label=next((x for x in labels if str(x) == label), label), alpha=alpha,
        n_resamples=resampling.resamples, n_jobs=resampling.jobs, rng=resampling.seed,
    )  # fmt: skip
    if format == "json":
        # JSON has no NaN.
        values = {k: None if v != v else v for k, v in vars(result).items()}
        document = {**values, "sentence": result.sentence()}
        typer.echo(json.dumps(document, indent=2, default=str))
    elif format == "github":
        level = "notice" if result.passed else "error"
        typer.echo(f"::{level} title=modelcompare gate::{result.sentence()}")
    else:
        typer.echo(result.sentence())
    if not result.passed:
        raise typer.Exit(1)
