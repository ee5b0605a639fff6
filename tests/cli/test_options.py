import inspect
import json
import sys
from dataclasses import dataclass, fields
from types import SimpleNamespace
from typing import Literal, get_args, get_origin

import pytest
from click.testing import CliRunner

import modelcompare as mc
from modelcompare import words
from modelcompare.cli.app import COMMANDS, application
from modelcompare.cli.commands import Command, make_command
from modelcompare.cli.options import OUTPUT, READING, Group
from modelcompare.data.kinds import all_kinds
from modelcompare.options import REQUIRED, Option
from modelcompare.plugs import load, merged
from modelcompare.readers.messages import ROLES
from modelcompare.readers.options import Columns
from tests.plugged import plugged


@dataclass(frozen=True)
class Colours:
    """Two options with defaults, one without."""

    paint: str
    shade: int = 3


PAINT = Option(name="paint", flags="PAINT", type=str, default=REQUIRED)
SHADE = Option(name="shade", type=int, default=3)
LOUD = Option(name="loud", flags="--loud", type=bool, default=False)
NAMES = Option(name="names", type=list[str] | None, parse=lambda names: [n.upper() for n in names])


@pytest.fixture
def called(monkeypatch):
    """Run a command with these options; what it calls is called with."""

    def _called(options, *arguments):
        seen = {}
        module = SimpleNamespace(draw=lambda **given: seen.update(given), Colours=Colours)
        monkeypatch.setitem(sys.modules, "modelcompare.cli.drawing", module)
        command = make_command(Command("draw", "drawing:draw", options, "Draw."))
        result = CliRunner().invoke(command, arguments)
        assert result.exit_code == 0, result.output
        return seen

    return _called


def test_a_group_of_options_arrives_as_one_argument(called):
    group = Group("colours", "drawing:Colours", (PAINT, SHADE))
    seen = called((group, LOUD), "red", "--loud", "--shade", "7")
    assert seen == {"colours": Colours("red", 7), "loud": True}
    assert called((group,), "red") == {"colours": Colours("red", 3)}


def test_an_option_that_is_not_given_is_left_to_the_library(called):
    assert called((LOUD, NAMES), "--names", "a") == {"loud": False, "names": ["A"]}
    assert called((LOUD, NAMES)) == {"loud": False}


def test_groups_share_no_name():
    names = [option.name for group in (READING, OUTPUT) for option in group.every]
    assert len(names) == len(set(names))


def standing_for(options, function):
    """Options that stand for a parameter of a function, each with that parameter."""
    known = inspect.signature(function, eval_str=True).parameters
    single = [each for each in options if isinstance(each, Option) and each.name in known]
    return [(each, known[each.name]) for each in single]


def choices_of(annotation):
    """Values of a Literal, which may be one of several types; none of other annotations."""
    parts = [annotation, *get_args(annotation)]
    return {name for part in parts if get_origin(part) is Literal for name in get_args(part)}


LIBRARY = {
    "compare": mc.compare, "groups": mc.compare_groups, "gate": mc.decide,
    "sample-size": mc.sample_size, "demo": mc.compare,
} | plugged("LIBRARY")  # fmt: skip
STANDING = {
    name: standing_for(next(row.options for row in COMMANDS if row.name == name), function)
    for name, function in LIBRARY.items()
} | {"reading": standing_for(READING.every, mc.read_predictions)}


@pytest.mark.parametrize("command", STANDING)
def test_defaults_of_a_command_are_those_of_the_library(command):
    for option, parameter in STANDING[command]:
        if option.default is None:
            assert parameter.default is not parameter.empty or option.name == "metric", option.name
        elif option.default is not REQUIRED:
            assert option.default == parameter.default, option.name


# Bounds are a choice of `compare`, and those of folds are of another function.
OF_MORE = {("reading", "missing"), ("ranks", "test")}


@pytest.mark.parametrize("command", STANDING)
def test_choices_of_a_command_are_those_of_the_library(command):
    for option, parameter in STANDING[command]:
        own, known = choices_of(option.type), choices_of(parameter.annotation)
        known |= {"auto", *all_kinds()} if option.name == "kind" else set()
        assert own <= known or not own or (command, option.name) in OF_MORE, option.name


def test_what_a_command_calls_takes_its_options():
    for row in COMMANDS:
        given = {each.name: None for each in row.options}
        for each in row.additions:
            inspect.signature(load(f"{each.package}.{each.place}")).bind(**row.fixed, **given)
            del given[each.options[0].name]
        inspect.signature(load(f"{row.package}.{row.place}")).bind(**row.fixed, **given)


def test_help_names_every_choice_of_the_library():
    page = " ".join(
        CliRunner(env={"COLUMNS": "200"})
        .invoke(application(everything=True), ["compare", "--help"])
        .output.split()
    )
    for choices in (words.IntervalMethod, words.CompareTest, words.Correction):
        assert words.listed(choices) in page
    assert words.listed(Literal[(*get_args(words.BasicFormat), *merged("writers"))]) in page


def test_a_command_that_needs_something_shows_its_help_when_it_gets_nothing():
    for row in COMMANDS:
        done = CliRunner().invoke(application(), [*row.name.split(), "--help"])
        assert done.exit_code == 0, done.output
        assert done.output.count(f"modelcompare {row.name} ") >= len(row.examples)
    assert "Usage" in CliRunner().invoke(application(), ["gate"]).output


COURSE = [[15, 10, 100], [10, 15, 10], [10, 100, 1000]]


@pytest.mark.filterwarnings("ignore::modelcompare.UndefinedMetricWarning")
def test_the_convention_is_an_option_of_commands(run, tmp_path):
    cells = [(i, j, 2) for i in range(3) for j in range(3) for _ in range(COURSE[i][j])]
    rows = [("y_true", "a", "b"), *cells]
    (tmp_path / "p.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))
    asked = "p.csv", "--seed", "1", "--resamples", "199"
    found = run("compare", *asked, "-m", "f1_macro", "--zero-division", "paper", "--format", "json")
    rows = json.loads(found.out)["scores"]
    assert [row["estimate"] for row in rows] == [pytest.approx(0.4253, abs=5e-5), None]
    gate = run(
        "gate", *asked, "--baseline", "a", "--candidate", "b", "-m", "precision_macro",
        "--superior", "--zero-division", "paper",
    )  # fmt: skip
    assert gate.code == 1
    refused = run("compare", *asked, "--zero-division", "2")
    assert "`--zero-division` must be 0, 1, NaN or 'paper', got '2'" in refused.err


def test_every_role_of_a_column_has_an_option_and_a_field():
    assert {*ROLES} <= {option.name for option in READING.every}
    assert {*ROLES} <= {field.name for field in fields(Columns)}
