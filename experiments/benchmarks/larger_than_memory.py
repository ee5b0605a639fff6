"""What a row costs in a scan of a Parquet file, and how much memory: beside the rows in memory.

Run: ``python experiments/benchmarks/larger_than_memory.py [--rows N ...] [--resamples B]``. Two
models of three classes; accuracy, macro F1 and its soft twin, resampled; then what is compared by
default where the rows do not fit into memory, also in clusters of four rows, whose sums do, and
labels, whose distinct rows alone are resampled.
Each is measured in a separate process, whose largest size is its peak memory, in processor
seconds, so that a busy machine changes little. Targets: the cost of a row the same within 15 %
for any number of rows, at most 1.5 of what it is in memory, and under 600 MB at 50 million
rows, which take a quarter of an hour: ``--rows 1000000 50000000 --scan-only``.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import modelcompare as mc
from modelcompare.plugins.large import planning

METRICS = ["accuracy", "f1_macro", "cf1_macro"]
CLASSES = ("negative", "neutral", "positive")
AT_ONCE = 2**18


def write(path: Path, n_rows: int, *, labels: bool, clusters: bool = False) -> None:
    """A file of two models' probabilities, or labels, made and written some rows at a time.

    Clusters have four rows each, in any places of the file.
    """
    rng = np.random.default_rng(0)
    writer = None
    for start in range(0, n_rows, AT_ONCE):
        n = min(AT_ONCE, n_rows - start)
        true = rng.integers(0, 3, n)
        columns: dict[str, object] = {"y_true": pa.array(np.array(CLASSES)[true])}
        if clusters:
            # A factor that scatters the rows of a cluster over the file.
            rows = np.arange(start, start + n, dtype=np.uint64)
            columns["document"] = rows * np.uint64(0x9E3779B1) % np.uint64(max(1, n_rows // 4))
        for model in ("cnn", "lstm"):
            scores = rng.gumbel(size=(n, 3)) + 2 * np.eye(3)[true]
            odds = np.exp(scores)
            if labels:
                columns[model] = pa.array(np.array(CLASSES)[odds.argmax(axis=1)])
                continue
            p = odds / odds.sum(axis=1, keepdims=True)
            columns |= {f"{model}:{label}": p[:, j] for j, label in enumerate(CLASSES)}
        table = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def measure(task: str, path: str, n_resamples: int) -> None:
    """Do a task, and print the processor's seconds and this process's peak memory in MiB."""
    tiny = pa.table({"y_true": [0, 1] * 9, "a:0": [0.5] * 18, "a:1": [0.5] * 18})
    mc.bootstrap(
        mc.io.scan_predictions(tiny), METRICS, n_resamples=2
    )  # What is imported is no cost.
    start = time.process_time()
    if task == "memory":
        mc.bootstrap(mc.read_predictions(path), METRICS, n_resamples=n_resamples)
    elif task == "compare":
        mc.compare(mc.io.scan_predictions(path), METRICS, method="normal", test="wald")
    elif task == "clusters":
        planning._SHARE = 0  # As if the rows did not fit.
        scan = mc.io.scan_predictions(path, columns={"groups": "document"})
        mc.compare(scan, METRICS, method="normal", test="wald", n_resamples=n_resamples)
    elif task == "labels":
        mc.bootstrap(mc.io.scan_predictions(path), METRICS[:2], n_resamples=n_resamples)
    else:
        mc.bootstrap(mc.io.scan_predictions(path), METRICS, n_resamples=n_resamples)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak": peak}))


def measured(task: str, path: Path, n_resamples: int) -> dict[str, float]:
    """The same in a separate process."""
    command = [sys.executable, __file__, "--measure", task, str(path), str(n_resamples)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def line_of(what: str, n_rows: int, found: dict[str, float]) -> str:
    """One line of the answer."""
    cost = found["seconds"] / n_rows * 1e6
    return (
        f"  {n_rows:>12,} rows, {what}: {found['seconds']:.1f} s, {cost:.2f} microseconds a row, "
        f"peak {found['peak']:,.0f} MiB"
    )


def main() -> None:
    """Print the cost of a row at several numbers of rows."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, nargs="+", default=[2**18, 2**19])
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--scan-only", action="store_true")
    parser.add_argument("--measure", nargs=3)
    asked = parser.parse_args()
    if asked.measure:
        task, path, n_resamples = asked.measure
        measure(task, path, int(n_resamples))
        return
    print(f"2 models x 3 classes, {', '.join(METRICS)}, {asked.resamples:,} resamples")
    costs = []
    with tempfile.TemporaryDirectory() as folder:
        for n_rows in asked.rows:
            soft, hard, grouped = (
                Path(folder, f"{x}.parquet") for x in ("soft", "hard", "grouped")
            )
            write(soft, n_rows, labels=False)
            write(grouped, n_rows, labels=False, clusters=True)
            write(hard, n_rows, labels=True)
            scan = measured("scan", soft, asked.resamples)
            costs.append(scan["seconds"] / n_rows)
            print(line_of("scanned", n_rows, scan))
            if not asked.scan_only:
                memory = measured("memory", soft, asked.resamples)
                print(line_of("in memory", n_rows, memory))
                ratio = scan["seconds"] / memory["seconds"]
                print(f"  {'':12} scanned takes {ratio:.2f} of the time in memory")
            print(line_of("compared by normal intervals and Wald's test", n_rows,
                       measured("compare", soft, 0)))  # fmt: skip
            print(line_of("clusters of four, resampled", n_rows,
                       measured("clusters", grouped, asked.resamples)))  # fmt: skip
            print(line_of("labels", n_rows, measured("labels", hard, asked.resamples)))
    print(f"  the dearest row costs {max(costs) / min(costs):.2f} of the cheapest")


if __name__ == "__main__":
    main()
