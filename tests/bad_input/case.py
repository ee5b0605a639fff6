"""The two types of case in this catalogue: what is given, and word for word the message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Call:
    """A call of the library, given an empty folder, that must be refused."""

    name: str
    call: Callable[[Path], object]
    # `FOLDER` stands for the folder's path.
    message: str
    error: type[Exception] = ValueError


@dataclass(frozen=True)
class Run:
    """A command, run in a folder that holds the files given, that must be refused."""

    name: str
    arguments: str
    # What stands behind "modelcompare: error: " in the one line on stderr.
    message: str
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    code: int = 2
