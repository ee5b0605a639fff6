"""What goes to stdout and to stderr, and the command as it was typed."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextvars import ContextVar

from modelcompare.report.escape import terminal


def say(message: str) -> None:
    """Write a message to stderr, where it does not mix with the answer."""
    print(terminal(message), file=sys.stderr)


def answer(text: str) -> None:
    """Write text for people to stdout, in what the terminal knows."""
    print(text)


def answer_document(text: str) -> None:
    """Write a document to stdout, in UTF-8 as to a file, whatever the terminal knows."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())


_arguments: ContextVar[Sequence[str]] = ContextVar("arguments", default=())


def keep(arguments: Sequence[str]) -> None:
    """Remember what followed the program's name."""
    _arguments.set(tuple(arguments))


def typed() -> str:
    """The whole command as a shell takes it; empty where none runs."""
    return shlex.join(["modelcompare", *_arguments.get()]) if _arguments.get() else ""
