"""Options that several commands share, in groups that a command asks for as one argument.

A command takes ``reading: ReadingOptions`` and is registered through `expanded`, which gives the
command line one option per field.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeGuard, get_type_hints

import typer

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from modelcompare.predictions import Predictions

Format = Literal["table", "csv", "json", "markdown", "latex", "html"]
_INPUT, _RESAMPLING, _OUTPUT = "Input", "Resampling", "Output"


@dataclass(frozen=True)
class ReadingOptions:
    """Which predictions to read, and how."""

    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            show_default=False,
            help="Predictions: csv, tsv, parquet, jsonl or npz; several files hold one model each.",
        ),
    ]
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="NAME",
            help="Keep this model (repeatable); all by default.",
            rich_help_panel=_INPUT,
        ),
    ] = None
    true: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of the true labels (y_true by default).",
            rich_help_panel=_INPUT,
        ),
    ] = None
    id: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column that names the samples.", rich_help_panel=_INPUT
        ),
    ] = None
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of clusters, which are resampled whole.",
            rich_help_panel=_INPUT,
        ),
    ] = None
    strata: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of strata, whose sizes are kept.",
            rich_help_panel=_INPUT,
        ),
    ] = None
    weight: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of sample weights.", rich_help_panel=_INPUT),
    ] = None
    slices: Annotated[
        list[str] | None,
        typer.Option(
            "--slice",
            metavar="COLUMN",
            help="Column that defines subgroups (repeatable).",
            show_default=False,
            rich_help_panel=_INPUT,
        ),
    ] = None
    kind: Annotated[
        Literal["auto", "labels", "probabilities", "values", "scores", "texts"],
        typer.Option(
            metavar="NAME",
            help="What the models gave: labels, probabilities, values (regression), scores or "
            "texts; by its look if auto.",
            rich_help_panel=_INPUT,
        ),
    ] = "auto"
    scores: Annotated[
        bool,
        typer.Option(
            "--scores",
            metavar="",
            help="The model columns are scores per example, not predictions.",
            rich_help_panel=_INPUT,
        ),
    ] = False
    score: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD",
            help="Field of the score in logs of lm-evaluation-harness.",
            rich_help_panel=_INPUT,
        ),
    ] = None
    lower_is_better: Annotated[
        bool,
        typer.Option(
            "--lower-is-better",
            metavar="",
            help="Low scores per example are good.",
            rich_help_panel=_INPUT,
        ),
    ] = False
    ids: Annotated[
        Literal["same", "intersect"],
        typer.Option(
            help="Files with different samples: refuse them, or keep the common ones.",
            rich_help_panel=_INPUT,
        ),
    ] = "same"
    missing: Annotated[
        Literal["raise", "drop"],
        typer.Option(
            help="Missing cells: refuse them, or drop rows that any model lacks.",
            rich_help_panel=_INPUT,
        ),
    ] = "raise"
    normalize: Annotated[
        bool,
        typer.Option(
            "--normalize",
            metavar="",
            help="Divide probabilities by their sum.",
            rich_help_panel=_INPUT,
        ),
    ] = False

    def read(self) -> Predictions:
        """Read the files and keep the models asked for."""
        from modelcompare.readers import read_predictions

        return read_predictions(
            self.files,
            true=self.true,
            id=self.id,
            groups=self.groups,
            strata=self.strata,
            weight=self.weight,
            slices=self.slices or (),
            kind=self.kind,
            models=self.model,
            scores=self.scores,
            lower_is_better=self.lower_is_better,
            score=self.score,
            ids=self.ids,
            missing=self.missing,
            normalize=self.normalize,
        )


@dataclass(frozen=True)
class ResamplingOptions:
    """How to draw."""

    resamples: Annotated[
        int,
        typer.Option(min=2, metavar="N", help="Number of resamples.", rich_help_panel=_RESAMPLING),
    ] = 9999
    seed: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", help="Seed of the random numbers.", rich_help_panel=_RESAMPLING
        ),
    ] = 0
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Threads; -1 for all processors. Results do not depend on it.",
            rich_help_panel=_RESAMPLING,
        ),
    ] = None


@dataclass(frozen=True)
class OutputOptions:
    """Where the answer goes, and in which form."""

    format: Annotated[
        Format | None,
        typer.Option(
            metavar="FORM",
            help="table, csv, json, markdown, latex or html; by default what the suffix of -o "
            "says, else a table.",
            rich_help_panel=_OUTPUT,
            show_default=False,
        ),
    ] = None
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="PATH", help="Write to a file.", rich_help_panel=_OUTPUT
        ),
    ] = None
    all: Annotated[
        bool,
        typer.Option(
            "--all", metavar="", help="Show every row of the table.", rich_help_panel=_OUTPUT
        ),
    ] = False


@dataclass(frozen=True)
class StudyOptions:
    """How a study draws."""

    resamples: Annotated[
        int,
        typer.Option(min=2, metavar="N", help="Resamples.", rich_help_panel=_RESAMPLING),
    ] = 1000
    seed: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", help="Seed of the random numbers.", rich_help_panel=_RESAMPLING
        ),
    ] = 0
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Threads; -1 for all processors. Results do not depend on it.",
            rich_help_panel=_RESAMPLING,
        ),
    ] = None

    def options(self) -> dict[str, Any]:
        """The same as arguments of a study."""
        return {"n_resamples": self.resamples, "rng": self.seed, "n_jobs": self.jobs}


@dataclass(frozen=True)
class StudyOutputOptions:
    """Where a study's tables and figures go."""

    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Write all tables (csv, md, tex) and figures (png, svg, pdf) into a folder.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None
    format: Annotated[
        Format | None,
        typer.Option(
            metavar="FORM",
            help="What to print: table, csv, json, markdown, latex or html.",
            show_default=False,
            rich_help_panel=_OUTPUT,
        ),
    ] = None
    all: Annotated[
        bool,
        typer.Option(
            "--all", metavar="", help="Show every row of the table.", rich_help_panel=_OUTPUT
        ),
    ] = False


def expanded(command: Callable[..., None]) -> Callable[..., None]:
    """Spread a command's groups of options into single parameters for typer.

    Parameters
    ----------
    command : callable
        Parameters annotated with one of the dataclasses above are spread; others stay.

    Returns
    -------
    callable
        With one parameter per option; it collects the groups again and calls `command`.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if _is_group(hint)}

    @wraps(command)
    def collect(**options: Any) -> None:
        for name, group in groups.items():
            values = {field.name: options.pop(field.name) for field in fields(group)}
            options[name] = group(**values)
        command(**options)

    parameters = list(_spread(inspect.signature(command), hints))
    vars(collect)["__signature__"] = inspect.Signature(parameters)
    collect.__annotations__ = {each.name: each.annotation for each in parameters}
    return collect


def _is_group(hint: Any) -> TypeGuard[type[DataclassInstance]]:
    """Recognise the dataclasses of options."""
    return isinstance(hint, type) and is_dataclass(hint)


def _spread(signature: inspect.Signature, hints: dict[str, Any]) -> Iterator[inspect.Parameter]:
    """Yield a parameter per option, all by keyword, so that defaults may come in any order."""
    for parameter in signature.parameters.values():
        hint = hints[parameter.name]
        if not _is_group(hint):
            yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hint)
            continue
        annotations = get_type_hints(hint, include_extras=True)
        for name, field in inspect.signature(hint).parameters.items():
            yield field.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=annotations[name])
