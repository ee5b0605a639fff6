"""What labels and probabilities in Parquet cost as rows grow, and what 10^9 rows would cost.

Run: ``python experiments/benchmarks/billion_rows.py [--rows N ...]``. Two models of three classes.
Processor seconds of a separate process each, in rounds: every task at every size, then again; the
least of the rounds counts. The slope is that between the logarithms of the last two sizes; by it,
or by 1 if it is less, the last point is continued to 10^9 rows. Wanted of labels: a scan within
twice DuckDB's GROUP BY of the same columns, a sketch within three times pyarrow's reading of them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from larger_than_memory import write

import modelcompare as mc

LABELS = ["accuracy", "f1_macro"]
SOFT = [*LABELS, "cf1_macro"]
BILLION = 10**9


def grouped(path: str) -> None:
    """Count distinct rows in DuckDB, on one thread."""
    columns = ", ".join(pq.read_schema(path).names)
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.sql(f"SELECT {columns}, COUNT(*) FROM '{path}' GROUP BY ALL").fetchall()


def read(path: str) -> None:
    """Read a file in parts, as larger files must be."""
    with pq.ParquetFile(path) as file:
        for _ in file.iter_batches(2**20, use_threads=False):
            pass


def sketched(path: str, metrics: list[str]) -> None:
    """Sketch a file on one thread."""
    with mc.config_context(n_jobs=1):
        mc.io.sketch(mc.io.scan_predictions(path), metrics)


# Each task, of a file of labels or of probabilities, and what it is compared with.
TASKS: dict[str, tuple[Callable[[str], object], bool, str]] = {
    "pyarrow reads labels": (read, True, ""),
    "DuckDB groups labels": (grouped, True, ""),
    "a scan of labels, 9,999 resamples": (
        lambda path: mc.bootstrap(mc.io.scan_predictions(path), LABELS),
        True, "DuckDB groups labels",
    ),
    "a sketch of labels": (
        lambda path: sketched(path, LABELS),
        True, "pyarrow reads labels",
    ),
    "pyarrow reads probabilities": (read, False, ""),
    "a sketch of probabilities": (
        lambda path: sketched(path, SOFT),
        False, "pyarrow reads probabilities",
    ),
    "probabilities by normal intervals and 9,999 swaps": (
        lambda path: mc.compare(mc.io.scan_predictions(path), SOFT, method="normal"),
        False, "pyarrow reads probabilities",
    ),
}  # fmt: skip


def measure(task: str, path: str) -> None:
    """Do a task after a tiny one, which imports what it needs, and print its processor seconds."""
    work, hard, _ = TASKS[task]
    pa.set_cpu_count(1)
    duckdb.sql("SET threads = 1")
    with tempfile.TemporaryDirectory() as folder:
        tiny = Path(folder, "tiny.parquet")
        write(tiny, 2_000, labels=hard)
        work(str(tiny))
    start = time.process_time()
    work(path)
    print(json.dumps(time.process_time() - start))


def measured(rows: list[int], rounds: int, folder: Path) -> dict[str, list[float]]:
    """Return the least seconds of each task at each number of rows."""
    found = {task: np.full(len(rows), np.inf) for task in TASKS}
    for _ in range(rounds):
        for place, n_rows in enumerate(rows):
            for task, (_, hard, _) in TASKS.items():
                path = folder / f"{n_rows}{hard}.parquet"
                if not path.exists():
                    write(path, n_rows, labels=hard)
                command = [sys.executable, __file__, "--measure", task, str(path)]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                seconds = json.loads(done.stdout.splitlines()[-1])
                found[task][place] = min(found[task][place], seconds)
                print(f"  {n_rows:,} rows, {task}: {seconds:.2f} s", file=sys.stderr)
    return {task: seconds.tolist() for task, seconds in found.items()}


def table(rows: list[int], found: dict[str, list[float]]) -> list[str]:
    """Return the points of each task, its slope, 10^9 rows by it, and the ratio."""
    heads = "".join(f"{n:>14,}" for n in rows)
    lines = [f"{'processor seconds, rows':50}{heads}  slope  10^9 rows  ratio at the last"]
    for task, seconds in found.items():
        slope = np.log(seconds[-1] / seconds[-2]) / np.log(rows[-1] / rows[-2])
        minutes = seconds[-1] * (BILLION / rows[-1]) ** max(slope, 1) / 60
        beside = TASKS[task][2]
        ratio = f"{seconds[-1] / found[beside][-1]:6.2f} of '{beside}'" if beside else ""
        points = "".join(f"{each:14.2f}" for each in seconds)
        lines.append(f"{task:50}{points}{slope:7.2f}{minutes:7.1f} min{ratio}")
    return lines


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=[10**5, 10**6])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--measure", nargs=2)
    asked = parser.parse_args()
    if asked.measure:
        measure(*asked.measure)
        return
    with tempfile.TemporaryDirectory() as folder:
        found = measured(asked.rows, asked.rounds, Path(folder))
    print(f"2 models x 3 classes, the least of {asked.rounds} rounds, one thread")
    print("\n".join(table(asked.rows, found)))


if __name__ == "__main__":
    main()
