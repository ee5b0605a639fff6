import inspect
from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from modelcompare.cli.options import OutputOptions, ReadingOptions, ResamplingOptions, expanded


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
