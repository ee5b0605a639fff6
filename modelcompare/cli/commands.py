"""Functions with groups of options -> commands of the application."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeGuard, get_type_hints

import typer

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

# Name of a command, what it calls, and examples of what follows the name.
Command = tuple[str, Callable[..., None], tuple[str, ...]]


def register(
    app: typer.Typer, name: str, command: Callable[..., None], examples: Sequence[str]
) -> None:
    """Add a command to the application; called with nothing, it shows its help if it needs more."""
    spread = expanded(command)
    needed = any(p.default is p.empty for p in inspect.signature(spread).parameters.values())
    title = f"[bold]Example{'s' if len(examples) > 1 else ''}[/bold]"
    lines = [title, *(f"  modelcompare {name} {example}".rstrip() for example in examples)]
    # Behind a first line, typer takes the examples' indent for that of the whole text.
    epilog = "\n" + "\n\n".join(lines) if examples else None
    app.command(name=name, epilog=epilog, no_args_is_help=needed)(spread)


def expanded(command: Callable[..., None]) -> Callable[..., None]:
    """Spread a command's groups of options into single parameters, which are collected again."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if _is_group(hint)}

    @wraps(command)
    def collect(**options: Any) -> None:
        _check_repeats(options)
        for name, group in groups.items():
            values = {field.name: options.pop(field.name) for field in fields(group)}
            options[name] = group(**values)
        from modelcompare.engine.parallel import watched

        with watched():
            command(**options)

    parameters = list(_spread(inspect.signature(command), hints))
    vars(collect)["__signature__"] = inspect.Signature(parameters)
    collect.__annotations__ = {each.name: each.annotation for each in parameters}
    return collect


def _check_repeats(options: Mapping[str, Any]) -> None:
    """Refuse what a repeatable option says twice: one of the two was meant to be another."""
    for name, values in options.items():
        given = Counter(values) if isinstance(values, list) else Counter()
        for value, times in given.most_common(1):
            if times > 1:
                flag = "FILE" if name == "files" else f"--{name.replace('_', '-')}"
                raise ValueError(f"{flag} is given {str(value)!r} twice; give each once.")


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
