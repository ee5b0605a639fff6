"""The cases of cases.toml: files, a command, and its answer: a model's value, or a refusal."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Case:
    """A case; the file describes its fields."""

    repository: str
    commit: str
    files: list[str]
    command: str
    before: str
    source: str
    tries: int
    model: str = ""
    metric: str = ""
    value: float = 0.0
    refused: str = ""
    harvest: int = 1


_TEXT = Path(__file__).with_name("cases.toml").read_text("utf-8")
CASES = tuple(Case(**each) for each in tomllib.loads(_TEXT)["case"])
