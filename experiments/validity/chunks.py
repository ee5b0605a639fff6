"""Finished chunks of trials: a line of a file each, and one archive that the repository keeps."""

from __future__ import annotations

import json
import lzma
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from modelcompare.report.writers.files import write_all


class ChunkFile:
    """One JSON line for each finished chunk of trials; a line that was cut off counts as none.

    Beside the file there may be an archive, `archive_path`, of chunks that count like its lines.

    Parameters
    ----------
    path : Path
        Made when the first chunk is added.
    code : str
        Fingerprint of the code under test; chunks of other code are left alone.
    also : sequence of str, optional
        Fingerprints of other code whose chunks count too, behind those of `code`; None for any.
    """

    def __init__(self, path: Path, code: str, also: Sequence[str] | None = ()) -> None:
        self.path, self.code = path, code
        self.archive_path = path.with_name("trials.jsonl.xz")
        codes = sorted({line["code"] for line in self._lines()} - {code}) if also is None else also
        self.counted = (*codes, code)

    def chunks(self) -> dict[tuple[str, int, int], dict[str, Any]]:
        """The finished chunks by (cell, trials, number), each once.

        Those of the archive come first, then those of the newest code.
        """
        found = [line for line in self._lines() if line["code"] in self.counted]
        found.sort(key=lambda line: ("archived" in line, self.counted.index(line["code"])))
        return {(line["cell"], line["trials"], line["chunk"]): line for line in found}

    @property
    def n_of_other_code(self) -> int:
        """Chunks that other code made."""
        return sum(line["code"] not in self.counted for line in self._lines())

    def add(self, cell: str, trials: int, chunk: int, rows: Sequence[Sequence[Any]]) -> None:
        """Append a chunk in one write."""
        line = {"cell": cell, "trials": trials, "chunk": chunk, "code": self.code, "rows": rows}
        with self.path.open("ab") as file:
            file.write((json.dumps(line) + "\n").encode())

    def mend(self) -> None:
        """Cut off what an interrupted write has left."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            whole = self.path.read_bytes().rfind(b"\n") + 1
            with self.path.open("r+b") as file:
                file.truncate(whole)

    def archive(self) -> None:
        """Add up the chunks that count, by cell and code, in the archive; refuse to lose others."""
        lost = {line["code"] for line in self._lines() if "archived" in line} - {*self.counted}
        if lost:
            raise ValueError(
                f"{self.archive_path.name} holds chunks of other code, which would be "
                "lost; count them too (--also), or move the file away."
            )
        parts: dict[tuple[str, int, str], list[dict[str, Any]]] = defaultdict(list)
        for (cell, trials, _), line in sorted(self.chunks().items()):
            parts[cell, trials, line["code"]].append(line)
        lines = [
            {
                "cell": cell,
                "trials": trials,
                "chunks": [line["chunk"] for line in part],
                "code": code,
                "rows": _added_up(part),
            }
            for (cell, trials, code), part in parts.items()
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        packed = lzma.compress(text.encode())
        write_all(self.archive_path.parent, {self.archive_path.name: packed})

    def _lines(self) -> Iterator[dict[str, Any]]:
        if self.path.exists():
            with self.path.open() as file:
                yield from (json.loads(line) for line in file if line.endswith("\n"))
        if self.archive_path.exists():
            with lzma.open(self.archive_path, "rt") as archive:
                for line in map(json.loads, archive):
                    numbers, rows = line.pop("chunks"), line.pop("rows")
                    for number in numbers:
                        # The rows are those of all its chunks together.
                        yield {**line, "archived": True, "chunk": number, "rows": rows}
                        rows = []


def _added_up(lines: Sequence[dict[str, Any]]) -> list[list[Any]]:
    """Number, total and squares of each measure over all lines."""
    sums: dict[tuple[str, ...], list[float]] = {}
    for line in lines:
        for *key, n, total, squares in line["rows"]:
            so_far = sums.setdefault(tuple(key), [0, 0.0, 0.0])
            for place, part in enumerate((n, total, squares)):
                so_far[place] += part
    # Nine digits are more than any table shows, and take half the room.
    return [
        [*key, n, *(float(f"{part:.9g}") for part in (total, squares))]
        for key, (n, total, squares) in sums.items()
    ]
