"""Choices that a text begins or abbreviates, for messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def choices_meant(value: object, known: Iterable[str], meanings: Mapping[Any, str]) -> str:
    """Ask whether choices are meant that a text begins or abbreviates, each with what it is for.

    Examples
    --------
    >>> choices_meant("pr", ["roc", "precision-recall"], {})
    '; did you mean precision-recall?'
    """
    text = _plain(value)
    found = [
        name for name in known
        if isinstance(name, str) and text
        and (_plain(name).startswith(text) or _is_short(text, name))
    ]  # fmt: skip
    named = [f"{name} ({meanings[name]})" if name in meanings else name for name in found]
    each = ("; " if meanings.keys() & {*found} else " or ").join(named)
    return f"; did you mean {each}?" if found else ""


def _plain(value: object) -> str:
    return str(value).casefold().replace("_", "-")


def _is_short(text: str, name: str) -> bool:
    """Return whether a text has the initials of a name."""
    return text == "".join(word[:1] for word in _plain(name).split("-"))
