"""The history of a ledger: what its file contains.

JSON lines. The first one holds the plan (rules, level, looks or candidates), each other one a
question with its answer. Every line contains the hash of the line before, so that an edited line is
found; that the end was cut off, or all lines replaced, only shows to those who kept the hash of
its last line, the head. An answer is written before it is given, under a lock, and the file is
replaced whole.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import numpy as np

from modelcompare.paths import write_bytes
from modelcompare.questions.gate_result import GateResult
from modelcompare.questions.rules import rule_text
from modelcompare.words import shown

HEADER = {"ledger": "modelcompare ledger", "version": 1}
# Parts of a plan as errors name them.
_NAMES = {
    "rules": "rules", "alpha": "level (--alpha)", "looks": "number of looks (--looks)",
    "spending": "spending of looks (--spending)",
    "control": "control of errors (--control)", "n_candidates": "planned number (--candidates)",
    "options": "options", "kind": "type of question",
}  # fmt: skip
HEX = 12


@dataclass(frozen=True)
class History:
    """A plan and the questions that were asked under it.

    Attributes
    ----------
    path : Path
        The file.
    lines : tuple of dict
        Its lines; none if it does not exist.
    """

    path: Path
    lines: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read the file of a ledger.

        Raises
        ------
        ValueError
            If a line is damaged, or was edited, removed or added.
        """
        if not path.exists():
            return cls(path)
        if not path.is_file():
            raise ValueError(f"{path} is no file; name one for the ledger.")
        lines: list[Mapping[str, Any]] = []
        # Of bytes only "\n" and "\r" end a line; names may contain other separators.
        for number, text in enumerate(path.read_bytes().splitlines(), start=1):
            try:
                line = json.loads(text)
                good = line["hash"] == _hash_of(line)
            except (ValueError, KeyError, TypeError):
                raise ValueError(f"{path}, line {number} is no line of a ledger.") from None
            if not good or line["previous"] != (lines[-1]["hash"] if lines else ""):
                raise ValueError(
                    f"{path}, line {number} was changed, or a line before it was removed or added, "
                    "after it was written: its hash is another. A ledger that was edited shows "
                    "nothing; restore it, or start another one with a fresh test set."
                )
            lines.append(line)
        if lines and not HEADER.items() <= lines[0].items():
            raise ValueError(
                f"{path} is no {HEADER['ledger']} of version {HEADER['version']}; name another "
                "file, or update modelcompare."
            )
        return cls(path, tuple(lines))

    @property
    def plan(self) -> Mapping[str, Any]:
        """The first line."""
        return self.lines[0]

    @property
    def entries(self) -> tuple[Mapping[str, Any], ...]:
        """The questions, each with its answer."""
        return self.lines[1:]

    @property
    def kept(self) -> list[Mapping[str, Any]]:
        """The questions whose candidate was kept."""
        return [entry for entry in self.entries if entry["answer"] == "shown"]

    @property
    def head(self) -> str:
        """Start of the hash of the last line."""
        return str(self.lines[-1]["hash"])[:HEX] if self.lines else ""

    def added(self, line: Mapping[str, Any]) -> Self:
        """Return the history with one more line, and the time at which it was added."""
        when = datetime.now(UTC).isoformat(timespec="seconds")
        previous = self.lines[-1]["hash"] if self.lines else ""
        found = _as_read({**line, "when": when, "previous": previous})
        return replace(self, lines=(*self.lines, {**found, "hash": _hash_of(found)}))

    def recorded(
        self, asked: Mapping[str, Any], level: float, answer: GateResult, **more: str
    ) -> Self:
        """Return the history with one more question, written before its answer is given."""
        found = self.added({
            "number": len(self.entries) + 1, **asked, "level": level, "answer": answer.answer,
            **more, "found": answer.recorded,
        })  # fmt: skip
        text = "".join(f"{_text(line)}\n" for line in found.lines)
        write_bytes(self.path, text.encode())
        return found

    def check_plan(self, asked: Mapping[str, Any]) -> None:
        """Refuse a question under another plan than that of the file."""
        for name, value in _as_read(asked).items():
            before = self.plan.get(name)
            if before != value:
                raise ValueError(
                    f"the {_NAMES[name]} of {self.path} cannot change: {_in_words(before)} when it "
                    f"was begun, {_in_words(value)} now. Ask as then, or begin another ledger with "
                    "a fresh test set."
                )

    @property
    def planned(self) -> int | None:
        """Planned number of looks or candidates."""
        return self.plan["looks" if self.plan["kind"] == "looks" else "n_candidates"]

    def check_left(self) -> None:
        """Refuse a question after the last planned one."""
        if self.planned is not None and len(self.entries) >= self.planned:
            raise ValueError(
                f"the {self.planned} planned {self.plan['kind']} of {self.path} are used, and "
                "alpha with them; begin another ledger with a fresh test set."
            )

    def check_head(self, expected: str | None) -> None:
        """Refuse a ledger whose last line is not the expected one."""
        if expected is not None and not (self.head and expected[:HEX] == self.head):
            raise ValueError(
                f"the head of {self.path} is {self.head or 'missing'}, not {expected} as expected "
                "(`expect_head`, --expect-head): its end was cut off, or others have asked since."
            )


def n_of(entry: Mapping[str, Any]) -> int:
    """Return the number of samples of a question."""
    return sum(entry.get("seen", entry["sizes"]).values())


def _in_words(value: Any) -> str:
    """Write a part of a plan."""
    if isinstance(value, list):
        return ", ".join(map(rule_text, value))
    return shown(value)


def _as_read(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as they are read from a file."""
    return dict(json.loads(json.dumps(values, default=_written)))


def _written(value: object) -> object:
    """Return what JSON has no type for: numbers of numpy as numbers, all else as text."""
    return value.item() if isinstance(value, np.number) else str(value)


def _text(line: Mapping[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def _hash_of(line: Mapping[str, Any]) -> str:
    """Return the hash of a line without its own."""
    rest = {name: value for name, value in line.items() if name != "hash"}
    return hashlib.sha256(_text(rest).encode()).hexdigest()
