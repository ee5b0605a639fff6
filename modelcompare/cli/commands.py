"""Rows of the table of commands -> commands of the application."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Annotated, Any

import typer

from modelcompare.cli.options import Group
from modelcompare.options import REQUIRED, Option


@dataclass(frozen=True)
class Command:
    """A command of the program.

    Parameters
    ----------
    name : str
        On the command line.
    place : str
        What it calls, ``module:function`` of this package; options reach it by their names.
    options : tuple of Option or Group
        Its options; a group comes as one argument, and what has no value not at all.
    help : str
        What it does.
    examples : tuple of str
        What may follow the name.
    fixed : mapping
        Arguments of what it calls that are the same each time.
    """

    name: str
    place: str
    options: tuple[Option | Group, ...]
    help: str
    examples: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)


def register(app: typer.Typer, command: Command) -> None:
    """Add a command to the application; called with nothing, it shows its help if it needs more."""
    options = [*_options(command)]
    needed = any(option.default is REQUIRED for option in options)
    title = f"[bold]Example{'s' if len(command.examples) > 1 else ''}[/bold]"
    lines = [f"  modelcompare {command.name} {each}".rstrip() for each in command.examples]
    # Behind a first line, typer takes the examples' indent for that of the whole text.
    epilog = "\n" + "\n\n".join([title, *lines]) if lines else None

    def run(**given: Any) -> None:
        _check_repeats(options, given)
        with _load("engine.parallel:watched")():
            _load(f"cli.{command.place}")(**command.fixed, **_collected(command, given))

    parameters = [_parameter(option) for option in options]
    vars(run)["__signature__"] = inspect.Signature(parameters)
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    app.command(
        name=command.name, help=inspect.cleandoc(command.help), epilog=epilog,
        no_args_is_help=needed,
    )(run)  # fmt: skip


def _options(command: Command) -> Iterator[Option]:
    for each in command.options:
        yield from each.options if isinstance(each, Group) else (each,)


def _parameter(option: Option) -> inspect.Parameter:
    """Declare an option to typer; all by keyword, so that defaults may come in any order."""
    metavar = "" if option.type is bool else option.metavar
    shared: dict[str, Any] = {"metavar": metavar, "help": option.help, **option.more}
    if option.flag.startswith("-"):
        # Named even where typer would find the name: it adds a --no- to flags that are not.
        names = option.flags.split() or [option.flag]
        info = typer.Option(*names, rich_help_panel=option.panel, **shared)
    else:
        info = typer.Argument(**shared)
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[option.type, info],
        default=inspect.Parameter.empty if option.default is REQUIRED else option.default,
    )  # fmt: skip


def _collected(command: Command, given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of the function: groups made, what was not given left out."""
    values = {
        option.name: option.parse(given[option.name])
        if option.parse and given[option.name] is not None else given[option.name]
        for option in _options(command)
    }  # fmt: skip
    for group in command.options:
        if isinstance(group, Group):
            own = {option.name: values.pop(option.name) for option in group.options}
            values[group.name] = _load(f"cli.{group.maker}")(**own)
    return {name: value for name, value in values.items() if value is not None}


def _load(place: str) -> Any:
    """Import ``module:name`` of the library."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"modelcompare.{module}"), name)


def _check_repeats(options: list[Option], given: Mapping[str, Any]) -> None:
    """Refuse what a repeatable option says twice: one of the two was meant to be another."""
    for option in options:
        values = given[option.name]
        counted = Counter(values) if isinstance(values, list) else Counter()
        for value, times in counted.most_common(1):
            if times > 1:
                raise ValueError(f"{option.flag} is given {str(value)!r} twice; give each once.")
