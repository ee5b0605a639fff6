"""Totals of a long computation, stored in a folder, so that it can be resumed.

A folder belongs to one source of rows. Each computation over them (resamples of one seed) has a
separate file, named by a hash of everything that its totals depend on, so that totals are never
mixed.
"""

from __future__ import annotations

import hashlib
import io
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.data.test_set import Access
from modelcompare.paths import write_bytes
from modelcompare.resampling.weights import BootstrapWeights, Weights

_SOURCE = "source.json"
# Saving takes at most this share of the time.
_SHARE = 1 / 20


@dataclass
class Checkpoint:
    """The file of one computation: its totals after some row blocks.

    Parameters
    ----------
    path : Path
        Location of the file.
    """

    path: Path
    _next: float = field(default=0.0, init=False)

    @classmethod
    def of(
        cls, folder: Path, source: Mapping[str, object], task: Mapping[str, object]
    ) -> Checkpoint:
        """Return the checkpoint of a computation over a source, to which its folder must belong."""
        claim(folder, source)
        digest = hashlib.sha256(json.dumps(task, default=str).encode()).hexdigest()
        return cls(folder / f"totals-{digest[:24]}.npz")

    def load(self) -> tuple[int, list[FloatArray]]:
        """Read the number of row blocks added up, and the totals of each block of resamples."""
        if not self.path.exists():
            return 0, []
        try:
            with self.path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                places = range(len(stored.files) - 1)
                return int(stored["next"]), [stored[f"block_{place}"] for place in places]
        except (BadZipFile, KeyError, OSError, ValueError) as error:
            raise ValueError(f"{self.path} is damaged ({error}); delete it.") from error

    def save(self, done: int, totals: Sequence[FloatArray], *, last: bool) -> None:
        """Store the totals over so many row blocks, unless others were stored just before."""
        started = time.monotonic()
        if started < self._next and not last:
            return
        buffer = io.BytesIO()
        arrays: dict[str, Any] = {f"block_{place}": each for place, each in enumerate(totals)}
        np.savez(buffer, next=done, **arrays)
        write_bytes(self.path, buffer.getvalue())
        ended = time.monotonic()
        self._next = ended + (ended - started) / _SHARE


def checkpoint_of(
    access: Access[Any], weights: Weights, task: Mapping[str, object]
) -> Checkpoint | None:
    """Return the checkpoint of totals under drawn weights, of a scan with a folder for it.

    Weights that are not drawn need one pass only, and no checkpoint.
    """
    if access.checkpointed is None or not isinstance(weights, BootstrapWeights):
        return None
    folder, source, reading = access.checkpointed
    drawn = {name: getattr(weights, name) for name in ("n_resamples", "scheme", "size", "seed")}
    settings = {"weights": type(weights).__name__, **drawn, **task, **reading}
    return Checkpoint.of(folder, source, settings)


def claim(folder: Path, source: Mapping[str, object]) -> None:
    """Assign a folder to a source of rows.

    Raises
    ------
    ValueError
        If it belongs to another source.
    """
    folder.mkdir(parents=True, exist_ok=True)
    known, text = folder / _SOURCE, json.dumps(source, default=str, indent=1)
    if not known.exists():
        write_bytes(known, text.encode())
    elif known.read_text() != text:
        raise ValueError(
            f"{folder} contains checkpoints of other rows, or of these before they changed; name "
            "another folder, or delete it to start again."
        )
