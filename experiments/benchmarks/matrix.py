"""CPU seconds and memory of default calls as models, samples and classes grow.

Run: ``python experiments/benchmarks/matrix.py [--rows PART] [--limit SECONDS]``. Each row is one
call of a public function with its defaults (9,999 resamples), in a separate process that has made
its data and a small call before. Ratios are to the row named in the same line. A call that takes
longer than the limit is stopped, and the line reads so. Memory is the peak of the call beyond what
the process had before it, its data included; it is read from /proc, so this runs on Linux. Where a
call is expected to take a second or more, that estimate, by which `compare` warns, is printed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import evalica
import numpy as np
import pandas as pd
import pyarrow.csv
import pyarrow.parquet
from sklearn.metrics import accuracy_score, f1_score
from sklearn.preprocessing import MultiLabelBinarizer

import modelcompare as mc
from modelcompare.comparison.correction import Procedure
from modelcompare.plugins.plan.duration import expected_seconds
from modelcompare.results import Comparison, GroupComparison

LIMIT = 120


@dataclass(frozen=True)
class Row:
    """A call, what it is compared with, and the most that it should take.

    Parameters
    ----------
    make : callable
        Makes the data.
    call : callable
        What is timed, of these data.
    beside : str
        Row of which the seconds are a multiple; empty for seconds themselves.
    wanted : float, optional
        The most seconds, or the largest multiple.
    memory : float, optional
        The most MiB beyond the data.
    """

    make: Callable[[], object]
    call: Callable[[object], object]
    beside: str = ""
    wanted: float | None = None
    memory: float | None = None


def scored(n: int, models: int, classes: int) -> mc.Predictions:
    """Make probabilities of models of spread-out skills."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, classes, n)
    outputs = {}
    for model in range(models):
        logits = rng.standard_normal((n, classes), np.float32)
        logits[np.arange(n), truth] += 1.5 + model / models
        np.exp(logits, out=logits)
        logits /= logits.sum(axis=1, keepdims=True)
        outputs[f"m{model:03}"] = logits
    return mc.Predictions(truth, outputs, labels=np.arange(classes), normalize=True)


def labelled(n: int, models: int, classes: int) -> mc.Predictions:
    """Make labels of models that are right on about eight samples in ten."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, classes, n)
    outputs = {
        f"m{model:03}": np.where(
            rng.random(n) < 0.75 + 0.1 * model / models, truth, rng.integers(0, classes, n)
        )
        for model in range(models)
    }
    return mc.Predictions(truth, outputs, labels=np.arange(classes))


def valued(n: int) -> mc.Predictions:
    """Make two models' predictions of a number."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=n)
    return mc.Predictions(
        truth, {f"m{model}": truth + rng.normal(size=n) * (1 + model / 9) for model in range(2)}
    )


def suite(models: int, sets: int, items: int, runs: int) -> dict[str, mc.Predictions]:
    """Make labels of three classes on test sets, of the same runs of models on all sets."""
    rng = np.random.default_rng(0)
    item, run = (each.ravel() for each in np.indices((items, runs)))
    of_runs, found = rng.normal(0, 0.02, (models, runs)), {}
    for place in range(sets):
        truth = rng.integers(0, 3, items)[item]
        outputs = {
            f"m{model:03}": np.where(
                rng.random(len(item)) < 0.6 + 0.2 * model / models + of_runs[model, run],
                truth, (truth + rng.integers(1, 3, len(item))) % 3,
            )
            for model in range(models)
        }  # fmt: skip
        found[f"s{place}"] = mc.Predictions(truth, outputs, groups=item, runs=run)
    return found


def judged(n: int, models: int, classes: int) -> mc.Predictions:
    """Make the same models with labels of 500 samples, and a judge that is right on nine in ten."""
    rng, every = np.random.default_rng(1), scored(n, models, classes)
    truth = np.asarray(every.y_true)
    verdicts = np.where(rng.random(n) < 0.9, truth, rng.integers(0, classes, n))
    seen = np.where(np.arange(n) < 500, truth.astype(float), np.nan)
    outputs = {model: every.probabilities(model) for model in every.models}
    return mc.Predictions(seen, outputs, labels=np.arange(classes), judge=verdicts)


def rows_of_labels(n: int, classes: int, suffix: str) -> str:
    """Write a numeric id, a truth and three models' labels, texts, to a file."""
    rng, words = np.random.default_rng(0), np.array([f"class {k}" for k in range(classes)])
    truth = rng.integers(0, classes, n)
    columns = {"y_true": truth} | {
        f"m{model}": np.where(rng.random(n) < 0.8, truth, rng.integers(0, classes, n))
        for model in range(3)
    }
    frame = pd.DataFrame({"id": np.arange(n)} | {h: words[c] for h, c in columns.items()})
    path = f"{tempfile.mkdtemp()}/rows.{suffix}"
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    return path


def by_pyarrow(path: str) -> object:
    """Read a file as pyarrow does."""
    return (pyarrow.csv.read_csv if path.endswith("csv") else pyarrow.parquet.read_table)(path)


def battles(n: int, models: int) -> pd.DataFrame:
    """Make battles of pairs of models, of which one in ten is a tie."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, models, n)
    second = (first + rng.integers(1, models, n)) % models
    won = rng.random(n) < 1 / (1 + np.exp((second - first) / models))
    outcome = np.where(rng.random(n) < 0.1, 2, np.where(won, 0, 1))
    names = np.array([f"m{model:03}" for model in range(models)], dtype=object)
    outcomes = np.array(["model_a", "model_b", "tie"], dtype=object)
    return pd.DataFrame({
        "model_a": names[first], "model_b": names[second], "winner": outcomes[outcome]
    })  # fmt: skip


def by_evalica(table: pd.DataFrame) -> object:
    """Fit Bradley and Terry's model to battles, without errors, as evalica does."""
    winner = evalica.Winner
    outcomes = {"model_a": winner.X, "model_b": winner.Y, "tie": winner.Draw}
    return evalica.bradley_terry(
        table["model_a"], table["model_b"], table["winner"].map(outcomes)
    ).scores


def label_sets(n: int, labels: int) -> tuple[list[list[str]], dict[str, list[list[str]]]]:
    """Make up to three labels of each sample, and two models that name them on seven in ten."""
    rng, names = np.random.default_rng(0), [f"l{label}" for label in range(labels)]

    def drawn() -> list[list[str]]:
        return [[names[k] for k in {*row}] for row in rng.integers(0, labels, (n, 3)).tolist()]

    truth = drawn()
    return truth, {
        model: [a if right else b for a, b, right in zip(
            truth, drawn(), (rng.random(n) < 0.7).tolist(), strict=True
        )]
        for model in ("m0", "m1")
    }  # fmt: skip


def by_sklearn(data: tuple[list[list[str]], dict[str, list[list[str]]]]) -> object:
    """Compute the same four values of both models on 20 resamples in a loop."""
    truth, outputs = data
    binarizer = MultiLabelBinarizer(sparse_output=True)
    true, rng = binarizer.fit_transform(truth), np.random.default_rng(0)
    return [
        [f1_score(true[rows], named[rows], average=average, zero_division=0)
         for average in ("micro", "macro", "samples")] + [accuracy_score(true[rows], named[rows])]
        for named in map(binarizer.transform, outputs.values())
        for rows in rng.integers(0, len(truth), (20, len(truth)))
    ]  # fmt: skip


def of_tables() -> Iterator[tuple[str, Row]]:
    """Yield calls on tables that are read, counted or sparse, each beside a peer."""
    for suffix in ("csv", "parquet"):
        for classes in (3, 10):
            make = partial(rows_of_labels, 1_000_000, classes, suffix)
            name = f"1,000,000 rows of {suffix}, {classes} classes"
            yield f"{name}, pyarrow", Row(make, by_pyarrow)
            yield name, Row(make, mc.read_predictions, f"{name}, pyarrow", 4)
    many = partial(battles, 1_000_000, 200)
    yield "1,000,000 battles, evalica", Row(many, by_evalica)
    yield "1,000,000 battles", Row(many, mc.from_battles, "1,000,000 battles, evalica", memory=300)
    sets = partial(label_sets, 20_000, 200)
    yield "20,000 label sets, a loop of 20", Row(sets, by_sklearn)
    beside = "20,000 label sets, a loop of 20"
    yield "20,000 label sets", Row(sets, lambda data: mc.compare(*data), beside, memory=300)


def sets_without_runs(models: int, sets: int, items: int) -> dict[str, mc.Predictions]:
    """Make labels of other samples on each test set."""
    whole = labelled(sets * items, models, 3)
    return {
        f"s{place}": whole.subset(np.arange(place * items, (place + 1) * items))
        for place in range(sets)
    }


def designed(n: int, models: int, classes: int, design: str) -> mc.Predictions:
    """Make probabilities of clusters of five, of five strata, or in the order of time."""
    rng, preds = np.random.default_rng(1), scored(n, models, classes)
    if design == "time":
        return mc.io.in_time_blocks(preds, np.arange(n))
    codes = np.arange(n) // 5 if design == "groups" else rng.integers(0, 5, n)
    return preds.with_columns(**{design: codes})


def surviving(n: int, models: int) -> mc.Predictions:
    """Make risks of samples whose times are censored for four in ten."""
    rng = np.random.default_rng(0)
    time, seen = rng.exponential(1, n), rng.random(n) < 0.6
    risks = {f"m{model}": rng.normal(size=n) - np.log(time) for model in range(models)}
    return mc.Predictions(np.column_stack([time, seen]), risks, kind="risks")


def designs_and_kinds() -> Iterator[tuple[str, Row]]:
    """Yield default calls on clusters, strata, time, survival times and many models."""
    base = "20,000 samples"
    yield base, Row(partial(scored, 20_000, 2, 3), compared())
    for design, wanted in (("groups", 2), ("strata", 4), ("time", 2)):
        make = partial(designed, 20_000, 2, 3, design)
        yield f"{base}, {design}", Row(make, compared(), base, wanted)
    make = partial(designed, 1_000_000, 2, 3, "time")
    yield "time blocks, 1,000,000 samples", Row(make, compared(), wanted=2)
    small = "c-index, 2,000 samples"
    yield small, Row(partial(surviving, 2_000, 2), compared("c_index"), wanted=1)
    yield (
        "c-index, 20,000 samples",
        Row(partial(surviving, 20_000, 2), compared("c_index"), small, 12),
    )
    yield (
        "1,000 models beside one",
        Row(
            partial(labelled, 1_000, 1_000, 3),
            lambda preds: mc.compare(preds, baseline="m000"),
            wanted=3,
        ),
    )
    for models, wanted in ((10, 1), (20, 2)):
        yield (
            f"{models} models, 20 sets, 1,000 items",
            Row(partial(sets_without_runs, models, 20, 1_000), mc.compare_groups, wanted=wanted),
        )


def compared(*metrics: str) -> Callable[[object], object]:
    """Return a comparison by some metrics, the default ones if none is named."""
    return lambda preds: mc.compare(preds, list(metrics) or None)


# What takes milliseconds is measured over so many calls.
_REPEATS = 20
_RULES = ["accuracy:-0.01", "f1_macro:-0.01", "recall[1]:-0.02", "cohen_kappa:-0.02"]


def repeated(call: Callable[[object], object]) -> Callable[[object], object]:
    """Return a function that repeats a call on the same predictions."""
    return lambda preds: [call(preds) for _ in range(_REPEATS)]


def beside_a_judge() -> Iterator[tuple[str, Row]]:
    """Yield short calls on labels of all samples, and the same beside a judge."""
    of_metric = compared("accuracy")
    calls = [(f"accuracy, {models} models", models, of_metric) for models in (2, 5, 10)]
    calls.append(("gate of four rules", 2, lambda preds: mc.gate(preds, "m000", "m001", _RULES)))
    for name, models, call in calls:
        yield name, Row(partial(scored, 10_000, models, 3), repeated(call))
        own = partial(judged, 10_000, models, 3)
        yield f"{name}, a judge", Row(own, repeated(call), name, 2)


def _rows() -> Iterator[tuple[str, Row]]:
    for models, wanted in ((2, None), (10, 4), (32, 20), (100, 150)):
        base, memory = "" if models == 2 else "2 models", 256 if models == 100 else None
        yield (
            f"{models} models",
            Row(partial(scored, 10_000, models, 3), compared(), base, wanted, memory),
        )
    sizes = (
        (100_000, "", None), (1_000_000, "100,000 samples", 5),
        (11_000_000, "", None), (9_000_000, "11,000,000 samples", 2),
    )  # fmt: skip
    for n, base, wanted in sizes:
        yield f"{n:,} samples", Row(partial(scored, n, 2, 3), compared(), base, wanted)
    for base, n, models in (
        ("2 models", 10_000, 2), ("10 models", 10_000, 10), ("32 models", 10_000, 32),
        ("100 models", 10_000, 100), ("1,000,000 samples", 1_000_000, 2),
    ):  # fmt: skip
        yield f"{base}, a judge", Row(partial(judged, n, models, 3), compared(), base, 2)
    yield from beside_a_judge()
    yield from designs_and_kinds()
    for name, sizes_of, memory in (
        ("1,000,000 samples, 5 models", (1_000_000, 5, 3), 256),
        ("10 models, 150 classes", (10_000, 10, 150), None),
        ("10 models, 1,000 classes", (10_000, 10, 1_000), None),
        ("2 models, 1,000 classes", (10_000, 2, 1_000), 256),
        ("100 samples, 50 models, 10 classes", (100, 50, 10), None),
        ("60,000 samples, 10 models, 10 classes", (60_000, 10, 10), None),
    ):
        yield name, Row(partial(scored, *sizes_of), compared(), memory=memory)
    for classes, base, wanted in ((10, "", None), (1_000, "accuracy, 10 classes", 2)):
        yield (
            f"accuracy, {classes:,} classes",
            Row(partial(labelled, 10_000, 10, classes), compared("accuracy"), base, wanted),
        )
    for metric in ("cohen_kappa", "mcc"):
        yield (
            f"{metric}, 10 models",
            Row(partial(labelled, 10_000, 10, 10), compared(metric), wanted=3),
        )
    for metric in ("spearman", "kendall"):
        yield metric, Row(partial(valued, 10_000), compared(metric), wanted=1.5)
    million = 1_000_000
    yield "rmse, 1,000,000 samples", Row(partial(valued, million), compared("rmse"), wanted=3)
    yield "ece, 1,000,000 samples", Row(partial(scored, million, 2, 3), compared("ece"), wanted=3)
    yield (
        "50 models, 20 sets, 1,000 items, 5 runs",
        Row(
            partial(suite, 50, 20, 1_000, 5),
            lambda sets: mc.compare_groups(sets, "f1_macro").verdict(),
            wanted=20,
        ),
    )
    yield from of_tables()
    yield (
        "verdict of 1,000 classes",
        Row(
            lambda: mc.compare(labelled(20_000, 2, 1_000), "f1"),
            lambda found: found.verdict(),
            wanted=0.3,
        ),
    )


ROWS = dict(_rows())


def measure(row: Row) -> dict[str, float]:
    """Return CPU and wall seconds, and MiB, of a call in this process."""
    warnings.simplefilter("ignore")
    mc.compare(scored(100, 2, 3), ["accuracy", "cf1_macro", "ece"])  # Imports and compiles once.
    data = row.make()
    # From here on the peak is that of the call.
    Path("/proc/self/clear_refs").write_text("5")
    before = _memory("VmRSS")
    wall, cpu = time.perf_counter(), time.process_time()
    result = row.call(data)
    taken = time.process_time() - cpu, time.perf_counter() - wall
    found = {"cpu": taken[0], "wall": taken[1], "memory": _memory("VmHWM") - before}
    several = result.results.values() if isinstance(result, GroupComparison) else [result]
    evidence = [each.evidence for each in several if isinstance(each, Comparison)]
    found["expected"] = sum(
        expected_seconds(
            each.bootstrap.evaluation, len(each.pairs[0]), each.n_resamples, Procedure()
        ) for each in evidence
    )  # fmt: skip
    return found


def _memory(field: str) -> float:
    """Return a size in MiB that Linux knows of this process: VmRSS now, VmHWM at its peak."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(rf"^{field}:\s*(\d+) kB", status, re.MULTILINE)[1]) / 1024


def measured(name: str, limit: int) -> dict[str, float] | None:
    """Measure a row in a separate process; None if it took longer than a number of seconds."""
    command = [sys.executable, __file__, "--measure", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=True)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout)


def line(name: str, found: dict[str, float] | None, known: dict[str, float], limit: int) -> str:
    """Write one row."""
    row = ROWS[name]
    if found is None:
        return f"  {name:<38} more than {limit} s"
    known[name] = found["cpu"]
    text = f"  {name:<38} {found['cpu']:7.2f} s of CPU, {found['wall']:7.2f} s, "
    text += f"{found['memory']:6,.0f} MiB"
    if found.get("expected", 0.0) >= 1:
        text += f", expected {found['expected']:.1f} s"
    if row.memory is not None:
        text += f" (wanted {row.memory:g})"
    if row.beside in known:
        text += f"; {found['cpu'] / known[row.beside]:.1f} times {row.beside}"
    if row.wanted is not None:
        text += f" (wanted {row.wanted:g}{'' if row.beside else ' s'})"
    return text


def main() -> None:
    """Measure each row, or those whose names contain a text."""
    parser = argparse.ArgumentParser(description="Default calls as data grow.")
    parser.add_argument("--rows", default="", help="text in the names of the rows; all by default")
    parser.add_argument("--limit", type=int, default=LIMIT, help="seconds for a row and its data")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure is not None:
        print(json.dumps(measure(ROWS[options.measure])))
        return
    known: dict[str, float] = {}
    for name in ROWS:
        if options.rows in name:
            print(line(name, measured(name, options.limit), known, options.limit), flush=True)


if __name__ == "__main__":
    main()
