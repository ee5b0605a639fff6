"""Stdout and stderr, the command as it was typed, and what ends it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextvars import ContextVar

import typer

from modelcompare.report.escape import terminal


class NotShown(typer.Exit):
    """The end of a gate that does not open."""


class CannotWriteError(OSError):
    """An answer cannot be written to its file, for whatever reason."""


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
