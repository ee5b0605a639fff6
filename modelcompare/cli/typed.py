"""The command that runs, as it was typed: a page shows how it was made."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextvars import ContextVar

_arguments: ContextVar[Sequence[str]] = ContextVar("arguments", default=())


def keep(arguments: Sequence[str]) -> None:
    """Remember what followed the program's name."""
    _arguments.set(tuple(arguments))


def typed() -> str:
    """The whole command as a shell takes it; empty where none runs."""
    return shlex.join(["modelcompare", *_arguments.get()]) if _arguments.get() else ""
