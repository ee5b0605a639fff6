"""What a sketch of many rows costs beside reading them, and a gate on it.

Run: ``python experiments/benchmarks/sketches.py [ROWS]``, a million by default. Two models of three
classes with probabilities, in Parquet; wanted: the sketch within three times the time in which
pyarrow reads the file, the gate under 0.2 s for any number of rows.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from time import perf_counter

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import modelcompare as mc
from modelcompare.plugins.large.queries import DatabaseTable, sketch_query

BLOCK = 65_536
CLASSES = ["contradiction", "entailment", "neutral"]
SKILLS = {"a": 1.2, "b": 1.1}
METRICS = ["accuracy", "f1_macro", "cf1_macro"]


def write(path: Path, n: int) -> None:
    """Write predictions as Parquet, a row group for each block."""
    rng = np.random.default_rng(0)
    with pq.ParquetWriter(path, _table(rng, 0, 2).schema) as writer:
        for start in range(0, n, BLOCK):
            writer.write_table(_table(rng, start, min(start + BLOCK, n)))


def _table(rng: np.random.Generator, start: int, stop: int) -> pa.Table:
    n = stop - start
    y = rng.integers(0, 3, n)
    columns = {"item": np.arange(start, stop), "y_true": np.array(CLASSES)[y]}
    for model, skill in SKILLS.items():
        logits = rng.normal(size=(n, 3))
        logits[np.arange(n), y] += skill
        odds = np.exp(logits)
        p = odds / odds.sum(axis=1, keepdims=True)
        columns |= {f"{model}:{name}": p[:, k] for k, name in enumerate(CLASSES)}
    return pa.table(columns)


def blocks(path: Path) -> Iterator[mc.Predictions]:
    """Predictions of one row group after another."""
    codes = pa.array(CLASSES)
    for batch in pq.ParquetFile(path).iter_batches(BLOCK):
        outputs = {
            model: np.column_stack([batch.column(f"{model}:{name}") for name in CLASSES])
            for model in SKILLS
        }
        y_true = pa.compute.index_in(batch.column("y_true"), codes).to_numpy()
        yield mc.Predictions(y_true, outputs, labels=range(3), ids=batch.column("item").to_numpy())


def on_two_threads(path: Path) -> None:
    """Sketch the blocks of a file on two threads."""
    with mc.config_context(n_jobs=2):
        mc.io.sketch(blocks(path), METRICS)


def seconds(work: Callable[[], object]) -> float:
    """Time of one run."""
    start = perf_counter()
    work()
    return perf_counter() - start


def interleaved(works: Mapping[str, Callable[[], object]], rounds: int = 5) -> Iterator[str]:
    """Median time of each, and the median of its ratio to the first of the same round."""
    times = np.array([[seconds(work) for work in works.values()] for _ in range(rounds)])
    for name, took, ratio in zip(
        works, np.median(times, axis=0), np.median(times / times[:, :1], axis=0), strict=True
    ):
        yield f"  {name:34} {took:7.3f} s {ratio:6.2f} x"


def main(n: int = 1_000_000) -> None:
    """Print the times of one pass and of gates, medians of interleaved runs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "predictions.parquet")
        write(path, n)
        print(
            f"{n:,} rows, 2 models x 3 classes, {path.stat().st_size / 2**20:,.0f} MiB of Parquet"
        )
        passes = {
            "pyarrow reads the file": lambda: pq.read_table(path),
            "blocks of predictions": lambda: sum(map(len, blocks(path))),
            "a sketch of them": lambda: mc.io.sketch(blocks(path), METRICS),
            "the same, n_jobs=2": lambda: on_two_threads(path),
            "a sketch of a scan": lambda: mc.io.sketch(mc.io.scan_predictions(path), METRICS),
            "DuckDB, by the query": lambda: queried(path),
        }
        print(*interleaved(passes), sep="\n")
        sketched = mc.io.sketch(blocks(path), METRICS)
        saved = sketched.save(Path(folder, "day.sketch.parquet"))
        gates = {
            "a gate on the sketch": lambda: gate(sketched),
            "reading the sketch, and the gate": lambda: gate(mc.io.read_sketch(saved)),
        }
        print(f"the sketch has {saved.stat().st_size / 2**10:,.0f} KiB")
        print(*interleaved(gates), sep="\n")


def queried(path: Path) -> mc.io.Sketch:
    """The sketch that DuckDB makes of the file."""
    source = DatabaseTable("duckdb", f"'{path}'", CLASSES)
    query = sketch_query(source, true="y_true", models=[*SKILLS], id="item")
    with duckdb.connect() as connection:
        return mc.io.read_sketch(connection.sql(query).df())


def gate(sketched: mc.io.Sketch) -> None:
    """Two rules at once."""
    mc.gate(sketched, "a", "b", ["f1_macro:-0.01", "cf1_macro:-0.01"])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
