"""The application: its commands, and what becomes of errors and warnings."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from modelcompare.cli import compare, demo, gate, metrics, report, studies
from modelcompare.cli.options import Command, register

DONE, BAD_INPUT, INTERNAL_ERROR = 0, 2, 70

app = typer.Typer(
    name="modelcompare",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Compare models from their predictions on a test set: intervals, paired tests, figures.",
)
COMMANDS: tuple[Command, ...] = (
    (
        "compare",
        compare.compare,
        (
            "predictions.npz",
            "predictions.csv --metric f1 --metric cf1 --true gold",
            "bert.csv roberta.csv --id uid --plot forest.png",
            "scores.tsv.gz --scores --lower-is-better -o table.tex",
            "predictions.npz --format json --resamples 2000 --seed 7",
        ),
    ),
    (
        "gate",
        gate.gate,
        (
            "--baseline v1 --candidate v2 --metric f1_macro --margin 0.005 preds.npz",
            "--baseline v1 --candidate v2 --superior --format github preds.npz",
        ),
    ),
    *studies.COMMANDS,
    ("metrics", metrics.metrics, ("", "cf1_macro")),
    (
        "report",
        report.report,
        ("predictions.npz -o report.html", "predictions.npz --card cnn -o cnn.md --metric f1"),
    ),
    ("demo", demo.demo, ()),
)
for _row in COMMANDS:
    register(app, *_row)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line on what follows the program's name, ``sys.argv`` by default.

    The exit code is 0 if done, 2 for bad input, told in one line on stderr, and 70 for an error of
    the program itself, with its traceback. Code 1 is left to commands that can answer no.
    """
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            app(args=None if arguments is None else list(arguments), prog_name="modelcompare")
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else DONE
        except MemoryError as error:
            typer.echo(f"modelcompare: error: this does not fit into memory: {error}", err=True)
            return BAD_INPUT
        except (ValueError, OSError, ImportError) as error:
            typer.echo(f"modelcompare: error: {_message(error)}", err=True)
            return BAD_INPUT
        except Exception:
            traceback.print_exc()
            return INTERNAL_ERROR
    return DONE


@app.callback()
def _options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar="",
            help="Show the version and exit.",
            is_eager=True,
            callback=lambda asked: _print_version() if asked else None,
        ),
    ] = False,
) -> None:
    """Compare models from their predictions on a test set: intervals, paired tests, figures."""


def _print_version() -> None:
    """Print the version and leave."""
    from modelcompare import __version__

    typer.echo(f"modelcompare {__version__}")
    raise typer.Exit


def _message(error: Exception) -> str:
    """Write an error in one line."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())


def _show_warning(message: Warning | str, *_where: Any, **_more: Any) -> None:
    """Write a warning in one line, without the place in the code that gave it."""
    print(f"modelcompare: warning: {' '.join(str(message).split())}", file=sys.stderr)
