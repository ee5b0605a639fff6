"""Stdout and stderr, the typed command, and the exception for answers that are not written."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextvars import ContextVar

from modelcompare.escape import shell, terminal


class CannotWriteError(OSError):
    """An answer cannot be written to its file."""


def say(message: str) -> None:
    """Write a message to stderr, where it does not mix with the answer."""
    print(terminal(message), file=sys.stderr)
    _said.append(message.removeprefix("modelcompare: "))


def said() -> list[str]:
    """Return the messages of the command so far."""
    return list(dict.fromkeys(_said))


def answer(text: str) -> None:
    """Write text to stdout in the terminal's encoding."""
    print(text)


def answer_document(text: str) -> None:
    """Write a document to stdout, in UTF-8 as to a file, for any terminal."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())


_arguments: ContextVar[Sequence[str]] = ContextVar("arguments", default=())
# Of all threads, which warn as well.
_said: list[str] = []


def begin(arguments: Sequence[str]) -> None:
    """Keep the arguments of a command, and forget the messages of the last one."""
    _arguments.set(tuple(arguments))
    _said.clear()


def typed(*more: str) -> str:
    """Return the whole command, quoted for a shell, with more options; empty if none runs."""
    words = " ".join(["modelcompare", *map(shell, _arguments.get())])
    left = [each for each in more if f" {each} " not in f"{words} "]
    return " ".join([words, *left]) if _arguments.get() else ""
