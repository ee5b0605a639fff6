"""What goes to stdout, and what to stderr."""

from __future__ import annotations

import sys

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
