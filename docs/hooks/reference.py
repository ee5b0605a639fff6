"""Reference: every public name from its docstring, every command from its options."""

import re
from collections.abc import Iterator
from inspect import ismodule

import click

import modelcompare
from modelcompare.cli import application
from modelcompare.cli.commands import Panelled, key_and_value
from modelcompare.cli.options import READING
from modelcompare.plugs import public

# Each page of names: its title. The first is of `modelcompare` itself, the others of its rooms.
_PAGES = {
    "main": "Main functions",
    "results": "Results",
    "inference": "Further tests",
    "studies": "Studies",
    "diagnostics": "Diagnostics",
    "crossval": "Cross-validation",
    "io": "Reading and building predictions",
}
_CODE = re.compile(r"(^```.*?^```$|^#[^\n]*$)", re.DOTALL | re.MULTILINE)
_TESTING = [
    *(f"modelcompare.testing.{n}" for n in dir(modelcompare.testing) if not n.startswith("_")),
    "modelcompare.pytest_plugin.model_gate",
]
_ABOUT_COMMANDS = """# Command line

Tables go to stdout, what was understood and warnings to stderr. For completion by Tab add
`eval "$(modelcompare --show-completion bash)"` to `~/.bashrc`; zsh and fish have their own.
"""
_MAKING = ("from_callable", "register", "load_metric", "soft_twin", "Quotient", "Statistic")


def public_names() -> dict[str, list[str]]:
    """Return the public names of each page."""
    rooms = [room for room in modelcompare.__all__ if ismodule(getattr(modelcompare, room))]
    found = {"main": [name for name in modelcompare.__all__ if name not in rooms]}
    for room in {*rooms} - {"metrics", "testing"}:
        module = getattr(modelcompare, room)
        names = [name for name in dir(module) if not name.startswith("_")]
        found[room] = [f"{room}.{n}" for n in names if not ismodule(getattr(module, n))]
    return found


_NAMES = "|".join(re.escape(name) for names in public_names().values() for name in names)
_NAME = re.compile(rf"(?<!\[)`mc\.({_NAMES})(?:\([^`\n]*\))?`(?!\])")


def pages() -> dict[str, str]:
    """Return the text of each page by its path in the site."""
    rooms = public_names()
    # Names of plugins are found where they are written: the room has no stub.
    plugged = {
        name: f"{plugin.package}.{place.replace(':', '.')}"
        for name, (plugin, place) in public("modelcompare.metrics").items()
    }
    shown = {
        page: (title, [f"modelcompare.{name}" for name in rooms.pop(page)])
        for page, title in _PAGES.items()
    }
    making = [plugged.get(name) or f"modelcompare.metrics.{name}" for name in _MAKING]
    shown["metrics"] = ("Making metrics", making)
    shown["testing"] = ("Testing", _TESTING)
    if rooms:
        raise LookupError(f"docs/hooks/reference.py has no page for the names of {sorted(rooms)}.")
    made = {f"reference/{page}.md": _page(*what) for page, what in shown.items()}
    return made | {"reference/command_line.md": _command_line()}


def linked(text: str) -> str:
    """Link public names in a page to the reference, except in headings and code."""
    parts = _CODE.split(text)
    parts[::2] = [_NAME.sub(r"[\g<0>][modelcompare.\1]", part) for part in parts[::2]]
    return "".join(parts)


def _page(title: str, names: list[str]) -> str:
    functions_first = sorted(names, key=lambda name: (name.rpartition(".")[2][0].isupper(), name))
    return f"# {title}\n\n" + "".join(f"::: {name}\n\n" for name in functions_first)


def _command_line() -> str:
    group = application(everything=True)
    parts = [_ABOUT_COMMANDS]
    for name, command in _commands(group):
        parts += [f"## {name}\n\n{command.help}\n", *_options(command), _examples(command)]
    parts += [
        "## --read\n\nKeys of `--read KEY=VALUE`, for every command that reads predictions.\n"
    ]
    parts += [f"`{key_and_value(key)}`\n:   {key.help}\n" for key in READING.keys]
    return "\n".join(parts)


def _commands(group: click.Group) -> Iterator[tuple[str, Panelled]]:
    """Yield every command with its name; of the studies with both names."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from ((f"{name} {of.name}", of) for of in command.commands.values())
        else:
            yield name, command


def _options(command: Panelled) -> list[str]:
    """A definition list of arguments and options."""
    meanings = ((each, command.options[each.name].help) for each in command.params)
    return [
        f"`{_spelled(each)}`\n:   {' '.join((getattr(each, 'help', '') or meaning).split())}\n"
        for each, meaning in meanings
    ]


def _spelled(param: click.Parameter) -> str:
    if isinstance(param, click.Argument):
        return param.metavar.removesuffix("...")
    words = ", ".join([*param.opts, *param.secondary_opts])
    return words if param.is_flag or not param.metavar else f"{words} {param.metavar}"


def _examples(command: click.Command) -> str:
    lines = re.findall(r"modelcompare .*", command.epilog or "")
    return "```console\n" + "".join(f"$ {line.strip()}\n" for line in lines) + "```\n"
