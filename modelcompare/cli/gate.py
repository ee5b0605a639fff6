"""``modelcompare gate``: an exit code that a release pipeline can act on."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from modelcompare.cli.options import ReadingOptions, ResamplingOptions, Text, class_named, option
from modelcompare.words import Decision, GateFormat, listed


def gate(
    reading: ReadingOptions,
    *,
    baseline: Annotated[str, option("MODEL", "What is in use.")],
    candidate: Annotated[str, option("MODEL", "What would replace it.")],
    metric: Annotated[str, option("NAME", "What counts.", "--metric", "-m")] = "f1_macro",
    margin: Annotated[
        float | None,
        option(
            "NUMBER",
            "Smallest difference that matters, in units of the metric; needed unless --superior.",
        ),
    ] = None,
    non_inferior: Annotated[
        bool, option("", "Pass if not worse (the default).", "--non-inferior")
    ] = False,
    superior: Annotated[bool, option("", "Pass if better by the margin.", "--superior")] = False,
    equivalent: Annotated[
        bool, option("", "Pass if within the margins (TOST).", "--equivalent")
    ] = False,
    label: Annotated[Text, option("CLASS", "The class, for a metric per class.")] = None,
    alpha: Annotated[float, option("FRACTION", "One-sided level.")] = 0.05,
    format: Annotated[
        GateFormat, option("FORM", f"{listed(GateFormat)}; github is a workflow annotation.")
    ] = "text",
    resampling: ResamplingOptions,
) -> None:
    """Exit with 0 if the candidate passes, 1 if it is not shown to, 2 if the input is bad."""
    asked: dict[Decision, bool] = {
        "non-inferior": non_inferior, "superior": superior, "equivalent": equivalent,
    }  # fmt: skip
    chosen = [kind for kind, wanted in asked.items() if wanted]
    if len(chosen) > 1:
        raise ValueError(f"--{chosen[0]} and --{chosen[1]} exclude each other; ask for one.")
    kind: Decision = chosen[0] if chosen else "non-inferior"
    if margin is None and kind != "superior":
        raise ValueError(f"--margin is needed to ask for {kind}: how much worse would matter?")
    predictions = reading.read()
    from modelcompare.questions.decide import decide

    result = decide(
        predictions, baseline, candidate, metric, kind=kind, margin=margin or 0.0,
        label=class_named(predictions, label), alpha=alpha,
        **resampling.options(),
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
