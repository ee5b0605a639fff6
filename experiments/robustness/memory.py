"""Peak memory of commands in separate processes, by samples, models and classes."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments.robustness.commands import Command

Row = dict[str, str | int | float]


@dataclass(frozen=True)
class Case:
    """A command, and the test set that it reads."""

    command: str
    n_samples: int
    n_models: int
    n_classes: int
    soft: bool = False

    @property
    def size(self) -> str:
        """How large its input is."""
        kind = "probabilities" if self.soft else "labels"
        return f"{self.n_samples:,} x {self.n_models} x {self.n_classes} {kind}"


_COMPARE = "compare"
CASES = (
    *(Case(_COMPARE, n, 2, 3) for n in (1_000, 100_000, 1_000_000)),
    *(Case(_COMPARE, 10_000, models, 3) for models in (10, 100)),
    *(Case(_COMPARE, 10_000, 2, classes) for classes in (150, 1_000)),
    *(Case(_COMPARE, n, 2, 3, soft=True) for n in (1_000, 100_000, 1_000_000)),
    Case(_COMPARE, 10_000, 30, 3, soft=True),
    Case(_COMPARE, 10_000, 10, 150, soft=True),
    Case("gate --baseline m0 --candidate m1 -m accuracy --margin 0.01", 100_000, 2, 3),
    Case("sketch -o x.sketch.parquet", 1_000_000, 2, 3),
    Case("report -o x.html", 10_000, 10, 3, soft=True),
    Case("variance --pair f1_macro", 10_000, 3, 3, soft=True),
    Case("agreement --pair f1_macro", 10_000, 3, 3, soft=True),
)  # fmt: skip


def run(keep: Callable[[list[Row]], None]) -> None:
    """Measure each case, and keep its row."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.npz"
        for case in CASES:
            _write(case, path)
            name, _, options = case.command.partition(" ")
            few = "" if name in ("sketch", "variance", "agreement") else "--resamples 999"
            started = time.monotonic()
            peak = peak_of(Command(name, f"{name} p.npz {options} {few}"), Path(folder))
            keep([{
                "command": name, "size": case.size, "input MiB": _mib(path.stat().st_size),
                "peak MiB": _mib(peak), "seconds": round(time.monotonic() - started, 1),
            }])  # fmt: skip


def peak_of(command: Command, folder: Path) -> int:
    """Return the peak memory of a command in bytes."""
    process = command.start(folder)
    assert process.stderr is not None
    stderr = process.stderr.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    # A gate may well answer no.
    if process.returncode not in (0, 1):
        sys.exit(f"{command.arguments} failed: {stderr}")
    # Linux counts in KiB, others in bytes.
    return used.ru_maxrss * (1024 if sys.platform == "linux" else 1)


def _write(case: Case, path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, case.n_classes, case.n_samples)
    right = rng.random((case.n_models, case.n_samples)) < 0.7
    predicted = [
        np.where(each, truth, rng.integers(0, case.n_classes, case.n_samples)) for each in right
    ]
    if case.soft:
        noise = rng.random((case.n_samples, case.n_classes), dtype=np.float32)
        predicted = [_probabilities(each, noise) for each in predicted]
    np.savez(path, y_true=truth, **{f"m{place}": each for place, each in enumerate(predicted)})


def _probabilities(predicted: np.ndarray, noise: np.ndarray) -> np.ndarray:
    odds = noise.copy()
    odds[np.arange(len(predicted)), predicted] += noise.shape[1] / 2
    return odds / odds.sum(axis=1, keepdims=True)


def _mib(n_bytes: int) -> int:
    return -(-n_bytes // 2**20)
