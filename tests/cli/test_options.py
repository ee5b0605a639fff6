import inspect
from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from modelcompare import words
from modelcompare.cli.app import COMMANDS, application
from modelcompare.cli.commands import expanded
from modelcompare.cli.options import OutputOptions, ReadingOptions, ResamplingOptions


@dataclass(frozen=True)
class Colours:
    """Two options with defaults, one without."""

    paint: Annotated[str, typer.Argument()]
    shade: Annotated[int, typer.Option("--shade")] = 3


def _app(command):
    app = typer.Typer()
    app.command()(expanded(command))
    return app


def test_a_group_of_options_arrives_as_one_argument():
    seen = []

    def command(colours: Colours, *, loud: bool = False) -> None:
        seen.append((colours, loud))

    result = CliRunner().invoke(_app(command), ["red", "--loud", "--shade", "7"])
    assert result.exit_code == 0, result.output
    assert seen == [(Colours("red", 7), True)]


def test_defaults_of_a_group_hold():
    seen = []

    def command(colours: Colours) -> None:
        seen.append(colours)

    assert CliRunner().invoke(_app(command), ["red"]).exit_code == 0
    assert seen == [Colours("red", 3)]


def test_groups_share_no_name():
    groups = (ReadingOptions, ResamplingOptions, OutputOptions)
    names = [name for group in groups for name in inspect.signature(group).parameters]
    assert len(names) == len(set(names))


def test_help_names_every_choice_of_the_library():
    page = " ".join(
        CliRunner(env={"COLUMNS": "200"})
        .invoke(application(), ["compare", "--help"])
        .output.split()
    )
    for choices in (words.IntervalMethod, words.PairsTest, words.Correction, words.Format):
        assert words.listed(choices) in page


def test_a_command_that_needs_something_shows_its_help_when_it_gets_nothing():
    for name, _, examples in COMMANDS:
        done = CliRunner().invoke(application(), [name, "--help"])
        assert done.exit_code == 0, done.output
        assert done.output.count(f"modelcompare {name} ") >= len(examples)
    assert "Usage" in CliRunner().invoke(application(), ["gate"]).output
