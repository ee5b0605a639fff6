"""The history of a ledger: what its file contains.

JSON lines. The first one holds the plan (rules, level, looks or candidates), each other one a
question with its answer. Every line contains the hash of the line before, so that an edited line is
found; that the end was cut off, or all lines replaced, only shows to those who kept the hash of
its last line, the head. An answer is written before it is given, under a lock, and the file is
replaced whole.

Every line contains a hash of all bytes before it, too. Where that of the last line agrees, the
lines are those that were checked when it was written, and only those that are needed are parsed.
Reports check every line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
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


class Lines(Sequence[Mapping[str, Any]]):
    """Lines of a ledger, which are parsed when they are read.

    Parameters
    ----------
    written : bytes
        The file; every line ends with a newline.
    start : int
        Position of the first of these lines in it.
    digest : hash, optional
        Hash of the file.
    """

    def __init__(self, written: bytes = b"", start: int = 0, digest: Any = None) -> None:
        self.written, self.start = written, start
        self.digest = hashlib.sha256(written) if digest is None else digest

    def __bool__(self) -> bool:
        return self.start < len(self.written)

    def __len__(self) -> int:
        return self._n_lines

    @cached_property
    def _n_lines(self) -> int:
        return self.written.count(b"\n", self.start)

    def __getitem__(self, place: Any) -> Any:
        if place == -1 and self:
            return json.loads(self.written[self.written.rfind(b"\n", 0, -1) + 1 :])
        if place == 0 and self:
            return json.loads(self.written[self.start : self.written.find(b"\n", self.start)])
        return json.loads(self.written[self.start :].splitlines()[place])

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return map(json.loads, self.written[self.start :].splitlines())

    def containing(self, text: str) -> list[Mapping[str, Any]]:
        """Return the lines in which a text is a value."""
        value, found, place = json.dumps(text).encode(), [], self.start
        while (place := self.written.find(value, place)) >= 0:
            begin = self.written.rfind(b"\n", 0, place) + 1
            place = self.written.find(b"\n", place)
            found.append(json.loads(self.written[begin:place]))
        return found

    def first(self) -> Lines:
        """Return the first line alone."""
        return Lines(self.written[: self.written.find(b"\n") + 1])

    def after_first(self) -> Lines:
        """Return the lines after the first one."""
        return Lines(self.written, self.written.find(b"\n") + 1, self.digest)

    def added(self, line: Mapping[str, Any]) -> Lines:
        """Return the lines with one more."""
        written, digest = f"{_text(line)}\n".encode(), self.digest.copy()
        digest.update(written)
        return Lines(self.written + written, digest=digest)

    @classmethod
    def checked(cls, written: bytes) -> Lines | None:
        """Return the lines of a file; None if those before the last one may have changed."""
        begin = written.rfind(b"\n", 0, -1) + 1
        digest = hashlib.sha256(memoryview(written)[:begin])
        try:
            last = json.loads(written[begin:])
            same = last["prefix"] == digest.hexdigest() and last["hash"] == _hash_of(last)
        except (ValueError, LookupError, TypeError):
            return None
        digest.update(written[begin:])
        return cls(written, digest=digest) if same else None


@dataclass(frozen=True)
class History:
    """A plan and the questions that were asked under it.

    Attributes
    ----------
    path : Path
        The file.
    lines : Lines
        Its lines; none if it does not exist.
    """

    path: Path
    lines: Lines = field(default_factory=Lines)

    @classmethod
    def read(cls, path: Path, *, full: bool = False) -> Self:
        """Read the file of a ledger; in `full`, check each line against the one before.

        Raises
        ------
        ValueError
            If a line is damaged, or was edited, removed or added.
        """
        if not path.exists():
            return cls(path)
        if not path.is_file():
            raise ValueError(f"{path} is no file; name one for the ledger.")
        # Of bytes only "\n" and "\r" end a line; names may contain other separators.
        written = path.read_bytes()
        if b"\r" in written or not written.endswith(b"\n"):
            written = b"".join(line + b"\n" for line in written.splitlines())
        lines = None if full else Lines.checked(written)
        if lines is None:
            _check_chain(path, written.splitlines())
            lines = Lines(written)
        if lines and not HEADER.items() <= lines[0].items():
            raise ValueError(
                f"{path} is no {HEADER['ledger']} of version {HEADER['version']}; name another "
                "file, or update modelcompare."
            )
        return cls(path, lines)

    @property
    def plan(self) -> Mapping[str, Any]:
        """The first line."""
        return self.lines[0]

    @cached_property
    def entries(self) -> Lines:
        """The questions, each with its answer."""
        return self.lines.after_first()

    @cached_property
    def kept(self) -> list[Mapping[str, Any]]:
        """The questions whose candidate was kept."""
        return [entry for entry in self.entries.containing("shown") if entry["answer"] == "shown"]

    @property
    def head(self) -> str:
        """Start of the hash of the last line."""
        return str(self.lines[-1]["hash"])[:HEX] if self.lines else ""

    def added(self, line: Mapping[str, Any]) -> Self:
        """Return the history with one more line, and the time at which it was added."""
        when = datetime.now(UTC).isoformat(timespec="seconds")
        previous = self.lines[-1]["hash"] if self.lines else ""
        prefix = self.lines.digest.hexdigest()
        found = _as_read({**line, "when": when, "previous": previous, "prefix": prefix})
        return replace(self, lines=self.lines.added({**found, "hash": _hash_of(found)}))

    def recorded(
        self, asked: Mapping[str, Any], level: float, answer: GateResult, **more: str
    ) -> Self:
        """Return the history with one more question, written before its answer is given."""
        found = self.added({
            "number": len(self.entries) + 1, **asked, "level": level, "answer": answer.answer,
            **more, "found": answer.recorded,
        })  # fmt: skip
        write_bytes(self.path, found.lines.written)
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


def _check_chain(path: Path, written: Sequence[bytes]) -> None:
    """Refuse a line that is damaged, or does not follow from the one before."""
    previous = ""
    for number, text in enumerate(written, start=1):
        try:
            line = json.loads(text)
            good = line["hash"] == _hash_of(line) and line["previous"] == previous
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path}, line {number} is no line of a ledger.") from None
        if not good:
            raise ValueError(
                f"{path}, line {number} was changed, or a line before it was removed or added, "
                "after it was written: its hash is another. A ledger that was edited shows "
                "nothing; restore it, or start another one with a fresh test set."
            )
        previous = line["hash"]


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
