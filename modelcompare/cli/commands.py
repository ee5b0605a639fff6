"""Rows of the table of commands -> commands of the application."""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import LazyLoader, find_spec, module_from_spec
from itertools import groupby
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import click

from modelcompare.cli.keys import key_and_value, keyed
from modelcompare.cli.options import READ, Group
from modelcompare.options import REQUIRED, Option
from modelcompare.plugs import load, needed
from modelcompare.spelling import did_you_mean
from modelcompare.words import listed

# Panels of options in the order of the help, and the widest first column of its lists.
_PANELS = ("Arguments", "Options", "Input", "Statistics", "Query", "Output")
_COLUMN = 24
# Choices that a brief help lists all of.
_FEW = 4


@dataclass(frozen=True)
class Addition:
    """Options that a plugin adds to a command.

    Parameters
    ----------
    command : str
        Name of the command.
    options : tuple of Option
        Its options; the choices of one that the command has are added to the command's.
    place : str
        The function, ``module:function`` of `package`, that is called if the first option is given;
        it is None otherwise. By default the function of the command.
    package : str
        The package of the function.
    help : str
        Paragraphs that the help of the command has more.
    examples : tuple of str
        Arguments after the name of the command.
    used : collection of str, optional
        Names of the options that go with the first one, besides the output's; all by default.
    """

    command: str
    options: tuple[Option, ...]
    place: str = ""
    package: str = __package__
    help: str = ""
    examples: tuple[str, ...] = ()
    used: Collection[str] | None = None


@dataclass(frozen=True)
class Command:
    """A command of the program.

    Parameters
    ----------
    name : str
        On the command line; both names for a command within another.
    place : str
        The function that it calls, ``module:function`` of `package`, with the options by name.
    options : tuple of Option or Group
        Its options; a group is one argument, and an option without a value is left out.
    help : str
        Its help text.
    examples : tuple of str
        Arguments after the name.
    fixed : mapping
        Arguments of the function that are always the same.
    alone : mapping
        Names of the options that ask another question, each with those of the options that go with
        it, besides the output's.
    package : str
        The package of the function.
    group : str
        Help of the command that it is within.
    additions : tuple of Addition
        Those that call another function.
    """

    name: str
    place: str
    options: tuple[Option | Group, ...]
    help: str
    examples: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    alone: Mapping[str, Collection[str]] = field(default_factory=dict)
    package: str = __package__
    group: str = ""
    additions: tuple[Addition, ...] = ()

    def added(self, more: Addition) -> Command:
        """Add options of a plugin."""
        own = [self._joined(each, more.options) for each in self.options]
        names = {each.name for each in self.options}
        used = {} if more.used is None else {more.options[0].name: more.used}
        return replace(
            self, options=(*own, *(each for each in more.options if each.name not in names)),
            help=f"{inspect.cleandoc(self.help)}\n\n{inspect.cleandoc(more.help)}".strip(),
            examples=(*self.examples, *more.examples), alone={**self.alone, **used},
            additions=(*self.additions, more) if more.place else self.additions,
        )  # fmt: skip

    @staticmethod
    def _joined(own: Option | Group, others: Sequence[Option]) -> Option | Group:
        """Return an option with the choices, and the help, of those of its name."""
        for other in others:
            if isinstance(own, Option) and own.name == other.name and own != other:
                names = (*get_args(own.type), *get_args(other.type))
                own = replace(own, type=Literal[names], help=f"{own.help}; {other.help}.")
        return own

    @property
    def keys(self) -> tuple[Option, ...]:
        """Options that are given as ``--read KEY=VALUE``."""
        return tuple(key for each in self.options if isinstance(each, Group) for key in each.keys)


class Program(click.Group):
    """A group that lists its commands in their own order."""

    def list_commands(self, _: click.Context) -> list[str]:
        """Return the names of the commands in the order in which they were added."""
        return [*self.commands]


class Panelled(click.Command):
    """A command whose help lists its options by panel, and keys of --read below them."""

    _params: list[click.Parameter]

    def __init__(self, *args: Any, options: Sequence[Option], keys: Sequence[Option],
                 everything: bool, **more: Any):  # fmt: skip
        super().__init__(*args, **more)
        self.options = {option.name: option for option in options}
        self.keys, self.everything = keys, everything

    @property
    def params(self) -> list[click.Parameter]:
        """The options for click, declared when they are used: a list of commands needs none."""
        self._params = self._params or [
            _parameter(each, everything=self.everything) for each in self.options.values()
        ]
        return self._params

    @params.setter
    def params(self, declared: list[click.Parameter]) -> None:
        self._params = declared

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of each panel."""
        records = [(self._panel(param), self._record(param, ctx)) for param in self.params]
        shown = sorted((each for each in records if each[1]), key=lambda x: _PANELS.index(x[0]))
        for panel, rows in groupby(shown, lambda each: each[0]):
            with formatter.section(panel):
                formatter.write_dl([row for _, row in rows if row], _COLUMN)
        if self.keys:
            with formatter.section("Keys of --read"):
                formatter.write_dl([(key_and_value(key), key.help) for key in self.keys], _COLUMN)

    def _panel(self, param: click.Parameter) -> str:
        of_its_own = "Arguments" if isinstance(param, click.Argument) else "Options"
        return self.options[str(param.name)].panel or of_its_own

    def _record(self, param: click.Parameter, ctx: click.Context) -> tuple[str, str] | None:
        """Return names and meaning of what the help lists; nothing for a hidden option."""
        if isinstance(param, click.Option):
            return param.get_help_record(ctx)
        option, required = self.options[str(param.name)], "  [required]" if param.required else ""
        return str(option.metavar), option.help + required


def make_command(command: Command, *, everything: bool = False) -> click.Command:
    """Return a command of the application; without arguments it shows its help if it needs some.

    Its help shows the options that most users need, or everything.
    """
    options = [*_options(command)]

    def answer(**given: Any) -> None:
        values = {each.name: _plain(each, given[each.name]) for each in options}
        _check_repeats(options, values)
        _check_alone(command, options, values)
        _defer_unused()
        arguments = _collected(command, values)
        settings = load("modelcompare.execution:SETTINGS")
        how = {name: arguments.pop(name) for name in settings if name in arguments}
        configured = load("modelcompare.arguments:config_context")(progress=True, **how)
        with configured, load("modelcompare.engine.parallel:watched")():
            _function(command, values)(**command.fixed, **arguments)

    return Panelled(
        command.name.split()[-1], callback=answer, help=inspect.cleandoc(command.help),
        epilog=_epilog(command, options, everything=everything), options=options,
        keys=command.keys if everything else (), everything=everything,
        no_args_is_help=any(option.default is REQUIRED for option in options),
    )  # fmt: skip


def _function(command: Command, given: Mapping[str, Any]) -> Callable[..., None]:
    """Load the function of a command, or of the addition whose option was given."""
    chosen = (each for each in command.additions if given[each.options[0].name] is not None)
    row = next(chosen, command)
    found: Callable[..., None] = load(f"{row.package}.{row.place}")
    return found


def _epilog(command: Command, options: Sequence[Option], *, everything: bool) -> str | None:
    """Return the text below the options: examples, and how to see the other options."""
    parts = []
    if command.examples:
        lines = [f"  modelcompare {command.name} {each}".rstrip() for each in command.examples]
        parts.append("\n".join(["\b", "Examples:", *lines]))
    n_hidden = len(command.keys) + sum(each.advanced and not each.hidden for each in options)
    if n_hidden and not everything:
        parts.append(f"--help-all shows {n_hidden} more options and all choices.")
    return "\n\n".join(parts) or None


def _options(command: Command) -> Iterator[Option]:
    for each in command.options:
        yield from each.options if isinstance(each, Group) else (each,)
    if command.keys:
        yield READ


def _parameter(option: Option, *, everything: bool) -> click.Parameter:
    """Declare an option to click."""
    kind, repeatable = _type_of(option)
    needed = option.default is REQUIRED
    shared: dict[str, Any] = {"type": kind, "metavar": option.metavar, "required": needed}
    if (complete := option.complete) is not None:
        # click passes the context and the parameter too, and what is typed last.
        shared["shell_complete"] = lambda *typed: complete(typed[-1])
    if not option.flag.startswith("-"):
        shared["metavar"] = f"{option.metavar}..." if repeatable else option.metavar
        return click.Argument([option.name], nargs=-1 if repeatable else 1, **shared)
    if not needed:
        shared["default"] = option.default
    return click.Option(
        [option.name, *(option.flags.split() or [option.flag])], multiple=repeatable,
        # Without a default, False would let the value of a required option be left out.
        is_flag=True if kind is bool else None,
        hidden=option.hidden or (option.advanced and not everything),
        help=_text(option, everything=everything),
        **shared,
    )  # fmt: skip


def _type_of(option: Option) -> tuple[Any, bool]:
    """Return the type of an option's values for click, and whether it may be repeated."""
    # An option that may be left out is of a type or None.
    kind = option.type
    if get_origin(kind) in (UnionType, Union):
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
    repeatable = get_origin(kind) is list
    (kind,) = get_args(kind) if repeatable else (kind,)
    if get_origin(kind) is Literal:
        return _Choice(get_args(kind), option.flag), repeatable
    if kind is Path:
        return click.Path(path_type=Path), repeatable
    if option.at_least is not None:
        return click.IntRange(option.at_least), repeatable
    return kind, repeatable


def _plain(option: Option, value: Any) -> Any:
    """Return values of a repeatable option as a list, None where there may be none."""
    if not isinstance(value, tuple):
        return value
    return [*value] if value or get_origin(option.type) is list else None


def _text(option: Option, *, everything: bool) -> str:
    """Return the help of an option with its choices, the first of many where it is brief."""
    if "{choices}" not in option.help:
        return option.help
    # Of an option that may be left out, the type is a Literal or None.
    literal = option.type if get_origin(option.type) is Literal else get_args(option.type)[0]
    names = get_args(literal)
    few = everything or len(names) <= _FEW
    choices = listed(literal) if few else f"{', '.join(names[: _FEW - 1])}, ..."
    return option.help.replace("{choices}", choices)


def _collected(command: Command, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of the function, with groups made and missing options left out."""
    options = [*(each for each in _options(command) if each is not READ), *command.keys]
    beside = [option.flag for option in options]
    typed = {**given, **keyed(command.keys, given.get(READ.name) or (), beside)}
    values = {
        option.name: option.parse(typed[option.name])
        if option.parse and typed[option.name] is not None else typed[option.name]
        for option in options
    }  # fmt: skip
    for group in command.options:
        if isinstance(group, Group):
            own = {option.name: values.pop(option.name) for option in group.every}
            values[group.name] = load(f"{group.package}.{group.maker}")(**own)
    if "kind" in typed:  # which the metrics may imply
        values["reading"].asked = typed.get("metrics") or [typed.get("metric")]
    return {name: value for name, value in values.items() if value is not None}


class _Choice(click.Choice[str]):
    """A choice that names the flag where the value is one's name, as ``--kind superior`` is."""

    def __init__(self, choices: Sequence[str], flag: str) -> None:
        super().__init__(choices)
        self._flag = flag

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        params = [] if ctx is None else ctx.command.params
        if absent := needed(f"{self._flag} {value}"):
            return absent
        flags = [flag for each in params for flag in each.opts if flag == f"--{value}"]
        found = super().get_invalid_choice_message(value, ctx)
        return f"{found[:-1]}; {did_you_mean(flags)}" if flags else found


def _defer_unused() -> None:
    """Load modules that scipy asks numpy for, and that nothing here uses, only if they are used.

    They take a tenth of the start. A program that has numpy already may use them, and keeps them.
    """
    if "numpy" in sys.modules:
        return
    for name in ("f2py", "testing", "polynomial"):
        spec = find_spec(f"numpy.{name}")
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
            module = sys.modules[spec.name] = module_from_spec(spec)
            spec.loader.exec_module(module)
            setattr(sys.modules["numpy"], name, module)


def _check_alone(command: Command, options: Sequence[Option], given: Mapping[str, Any]) -> None:
    """Refuse options that have no effect beside one that asks another question."""
    for name, used in command.alone.items():
        other = next(option for option in options if option.name == name)
        for option in options if given[name] != other.default else ():
            idle = option.panel != "Output" and option.name not in (name, *used)
            if idle and given[option.name] not in (option.default, None, [], ()):
                what = option.flag if option.name != "files" else "FILE"
                raise ValueError(f"{what} has no effect with {other.flag}; leave it out.")


def _check_repeats(options: list[Option], given: Mapping[str, Any]) -> None:
    """Refuse a value that a repeatable option is given twice: one was meant to be another."""
    for option in options:
        values = given[option.name]
        counted = Counter(values) if isinstance(values, list) else Counter()
        for value, times in counted.most_common(1):
            if times > 1:
                raise ValueError(f"{option.flag} is given {str(value)!r} twice; give each once.")
