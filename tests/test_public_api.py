"""Public names, their parameters and defaults are those of tests/public_api.txt, and the stubs have them.

``python -m tests.test_public_api`` writes these files again; what they lose or change breaks a user's script.
"""

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys

import pytest

import modelcompare
from modelcompare import cli, metrics, plugs, testing
from modelcompare.report.figures.plots import Plots
from modelcompare.report.result import Result
from tests.pages import ROOT
from tests.public import public
from tests.stubs import stubs

FILE = ROOT / "tests" / "public_api.txt"
COMMAND = "python -m tests.test_public_api"
# Classes whose members are shown once and not again with every class that inherits them.
BASES = {Result, metrics.BaseMetric}


def snapshot():
    """The rest of the line of each public name: its parameters, its value or nothing."""
    found = {}
    for name, thing in public().items():
        found |= described(f"modelcompare.{name}", thing)
    for name in sorted(
        {*exported(metrics), *plugs.public(metrics.__name__), *metrics.METRICS, *metrics.FAMILIES}
    ):
        thing = getattr(metrics, name)
        alias = getattr(modelcompare, name, None) is thing
        place = f"modelcompare.metrics.{name}"
        found |= {place: f" = modelcompare.{name}"} if alias else described(place, thing)
    for name in exported(testing):
        found |= described(f"modelcompare.testing.{name}", getattr(testing, name))
    # What all results offer, and what the `plot` of each draws.
    found |= members("result", Result)
    for place, plot in every_plot().items():
        found |= {
            f"{place}.{name}": parameters(draw, bound=True) for name, draw in plot.figures.items()
        }
    program = cli.application(everything=True)
    for name, command in every_command(program):
        found |= options(f"$ modelcompare {name}", command)
    return found


def every_command(program):
    """Commands and then those within others, by their names."""
    within = {
        f"{name} {inner}": each
        for name, group in program.commands.items()
        for inner, each in getattr(group, "commands", {}).items()
    }
    return [*program.commands.items(), *within.items()]


def every_plot():
    """The figures of every class that offers some, wherever it is."""
    for found in pkgutil.walk_packages(modelcompare.__path__, "modelcompare."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    modules = [m for name, m in sys.modules.items() if name.split(".")[0] == "modelcompare"]
    kinds = {kind for m in modules for kind in vars(m).values() if inspect.isclass(kind)}
    kinds = sorted(kinds, key=lambda kind: kind.__name__)
    plots = {f"plot.{kind.__name__}": vars(kind).get("plot") for kind in kinds}
    return {place: plot for place, plot in plots.items() if isinstance(plot, Plots)}


def exported(module):
    """Names that a module imports in order to pass them on: ``import X as X``."""
    tree = ast.parse(inspect.getsource(module))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return [alias.asname for node in imports for alias in node.names if alias.asname]


def described(name, thing):
    if inspect.ismodule(thing):
        return {name: ""}
    if inspect.isclass(thing):
        made = "" if issubclass(thing, Result | Warning) else parameters(thing)
        return {name: made} | members(name, thing)
    if inspect.isroutine(thing):
        return {name: parameters(thing)}
    return {name: f" = {thing}" if isinstance(thing, tuple) else ""}


def members(name, kind):
    """Public methods and attributes of a class, with those that are shown with no other class."""
    ours = [base for base in kind.__mro__ if base.__module__.startswith("modelcompare")]
    ours = [base for base in ours if base is kind or base not in BASES]
    names = {member for base in ours for member in {**vars(base), **inspect.get_annotations(base)}}
    shown = {}
    for member in sorted(names):
        if not member.startswith("_"):
            shown[f"{name}.{member}"] = of_member(inspect.getattr_static(kind, member, None))
    return shown


def of_member(member):
    """Parameters of a method as one calls it; nothing for an attribute."""
    if isinstance(member, property):
        return ""
    function = getattr(member, "__func__", member)
    if not inspect.isfunction(function):
        return ""
    return parameters(function, bound=not isinstance(member, staticmethod))


def parameters(function, *, bound=False):
    """Names and defaults without annotations, which change no script."""
    signature = inspect.signature(function)
    kept = [
        each.replace(annotation=each.empty, default=Shown.of(each.default))
        for each in signature.parameters.values()
    ]
    without = signature.replace(
        parameters=kept[1:] if bound else kept, return_annotation=signature.empty
    )
    return str(without)


class Shown(str):
    """A default whose repr is the text itself."""

    def __repr__(self):
        return str(self)

    @classmethod
    def of(cls, default):
        return default if default is inspect.Parameter.empty else cls(plainly(default))


def plainly(value):
    """A repr that is the same in every process."""
    return getattr(value, "__name__", None) or re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def options(name, command):
    """A command and its options; arguments are given by place and have no name to keep."""
    shown = {name: ""}
    for option in command.params:
        if option.param_type_name == "option" and not option.hidden:
            plain = isinstance(option.default, str | int | float) and option.default is not False
            value = f" = {option.default}" if plain else ""
            shown[f"{name} {'/'.join([*option.opts, *option.secondary_opts])}"] = value
    return shown


def written(found):
    return "".join(f"{name}{rest}\n" for name, rest in found.items())


def read(text):
    """The rest of the line of each name; a name of a command holds blanks."""
    pattern = re.compile(r"(\$ modelcompare \S+(?: -\S+)?|[\w.]+)(.*)")
    return {line[1]: line[2] for line in map(pattern.fullmatch, text.splitlines())}


def differences(before, now):
    """Message for a change of the public API; nothing where it is as before."""
    lines = [f"vanished: {name}" for name in before if name not in now]
    lines += [f"new: {name}{now[name]}" for name in now if name not in before]
    for name in before:
        if before[name] != now.get(name, before[name]):
            lines += [f"changed: {name}\n  was {before[name]}\n  is  {now[name]}"]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def now():
    """In a separate process: other tests register metrics."""
    program = "from tests.test_public_api import *; sys.stdout.write(written(snapshot()))"
    run = [sys.executable, "-c", program]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    return read(done.stdout)


def test_the_public_api_is_the_one_that_is_written_down(now):
    changes = differences(read(FILE.read_text("utf-8")), now)
    assert not changes, (
        f"the public API is not that of tests/public_api.txt.\n{changes}\n"
        f"If it is meant, run `{COMMAND}`, commit the file and say it in CHANGELOG.md."
    )


def test_the_stubs_declare_what_the_modules_and_the_plugins_have():
    found = {path: path.read_text("utf-8") for path in stubs()}
    assert found == stubs(), f"run `{COMMAND}` and commit the files."


def test_every_kind_of_name_is_in_the_snapshot(now):
    assert now["modelcompare.compare"].startswith("(predictions, metrics=None, *, n_resamples=9999")
    assert (
        now["modelcompare.results.Comparison.scores"]
        == now["modelcompare.results.Comparison"]
        == ""
    )
    assert now["modelcompare.results.Comparison.verdict"].startswith("(")
    assert now["modelcompare.metrics.f1_macro"].startswith("(y_true, y_pred, *, labels=None")
    assert now["modelcompare.testing.assert_not_worse"]
    assert now["plot.Comparison.forest"].startswith("(")
    assert now["$ modelcompare gate --metric/-m"] == ""
    assert now["$ modelcompare gate --inconclusive-exit"] == " = 1"


def test_a_lost_name_a_new_one_and_another_default_are_distinguished():
    before = {"a.b": "(x=1)", "a.c": "", "$ modelcompare gate --seed": " = 0"}
    after = {"a.b": "(x=2)", "a.d": "()", "$ modelcompare gate --seed": " = 0"}
    assert read(written(before)) == before
    assert differences(before, before) == ""
    assert differences(before, after) == (
        "vanished: a.c\nnew: a.d()\nchanged: a.b\n  was (x=1)\n  is  (x=2)"
    )


if __name__ == "__main__":
    for path, text in {FILE: written(snapshot()), **stubs()}.items():
        path.write_text(text, "utf-8", newline="\n")
