"""What reading costs beside pandas alone: a hundred thousand columns, and a million rows.

Run: ``python experiments/benchmarks/wide_files.py``. Target: with one model asked for of a hundred
thousand, under 3 seconds more than pandas takes to read the file as texts.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import pandas as pd

import modelcompare as mc

N_COLUMNS, N_ROWS = 100_000, 1_000_000


def wide(path: Path) -> None:
    """Four samples of as many models as there are columns."""
    names = ",".join(f"m{i}" for i in range(N_COLUMNS))
    rows = [f"{label}{f',{label}' * N_COLUMNS}" for label in "xyxy"]
    path.write_text("\n".join([f"y_true,{names}", *rows]) + "\n")


def long(path: Path) -> None:
    """Two models on a million samples."""
    path.write_text("id,y_true,a,b\n" + "".join(f"{i},x,x,y\n{i + 1},y,y,y\n"
                                                 for i in range(0, N_ROWS, 2)))  # fmt: skip


def seconds(path: Path, models: list[str]) -> tuple[float, float]:
    """CPU seconds of pandas alone, and of the whole reading; the better of two runs each."""
    alone, ours = [], []
    for _ in range(2):
        start = time.process_time()
        pd.read_csv(path, dtype=str, na_filter=False)
        between = time.process_time()
        mc.read_predictions(path, models=models)
        alone.append(between - start)
        ours.append(time.process_time() - between)
    return min(alone), min(ours)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for write, models, what in (
            (wide, ["m5"], f"{N_COLUMNS:,} columns, one model asked for"),
            (long, ["a", "b"], f"{N_ROWS:,} rows, two models"),
        ):
            path = Path(folder) / f"{write.__name__}.csv"
            write(path)
            alone, ours = seconds(path, models)
            print(f"{what}: {ours:.1f} s, pandas alone {alone:.1f} s: {ours - alone:+.1f} s")
