"""What a comparison costs as test sets, models, classes and resamples grow.

Run: ``python experiments/benchmarks/scaling.py [-o FOLDER]``. Each of the four is varied with the
others at their base; the median of three interleaved runs of the public
function, or one that takes longer than a second. Writes
``scaling.csv`` and ``scaling.png``, and prints for each line the slope between its last two points
(1: twice as many cost twice as much) and where it bends: up to there the fixed cost is the larger
part, by a fit of ``fixed + each * x`` in relative errors.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.optimize import nnls

import modelcompare as mc

BASE = {"samples": 5_000, "models": 4, "classes": 3, "resamples": 1_000}
VARIED = {
    "samples": (500, 2_000, 8_000, 32_000, 128_000),
    "models": (2, 4, 8, 16, 32),
    "classes": (2, 6, 20, 60, 180),
    "resamples": (100, 400, 1_600, 6_400, 25_600),
}
TASKS: dict[str, Callable[[mc.Predictions, int], object]] = {
    "bootstrap, F1": lambda p, b: mc.bootstrap(p, "f1_macro", n_resamples=b),
    "bootstrap, cF1": lambda p, b: mc.bootstrap(p, "cf1_macro", n_resamples=b),
    "compare, F1": lambda p, b: mc.compare(p, "f1_macro", n_resamples=b).scores,
    "compare, cF1": lambda p, b: mc.compare(p, "cf1_macro", n_resamples=b).scores,
}
RUNS = 3
LONG = 1.0  # seconds that need no second run


def simulated(samples: int, models: int, classes: int) -> mc.Predictions:
    """Probabilities of models of spread-out skills."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, classes, samples)
    outputs = {}
    for i in range(models):
        logits = rng.standard_normal((samples, classes))
        logits[np.arange(samples), y_true] += 1.5 + i / models
        weights = np.exp(logits)
        outputs[f"m{i:02}"] = weights / weights.sum(axis=1, keepdims=True)
    return mc.Predictions(y_true, outputs, labels=np.arange(classes))


def seconds(sizes: dict[str, int]) -> dict[str, float]:
    """Median seconds of each task at one size, the tasks interleaved."""
    preds = simulated(sizes["samples"], sizes["models"], sizes["classes"])
    times: dict[str, list[float]] = {name: [] for name in TASKS}
    for _ in range(RUNS):
        for name, task in TASKS.items():
            if sum(times[name]) > LONG:
                continue
            start = time.perf_counter()
            task(preds, sizes["resamples"])
            times[name].append(time.perf_counter() - start)
    return {name: median(of_task) for name, of_task in times.items()}


def measured() -> pd.DataFrame:
    """Seconds by what is varied, how many of it, and task."""
    rows = []
    # Too few resamples for many pairs: what is found does not matter here.
    warnings.simplefilter("ignore")
    seconds(BASE)  # what is imported once
    for varied, values in VARIED.items():
        for value in values:
            found = seconds(BASE | {varied: value})
            rows += [(varied, value, task, took) for task, took in found.items()]
            print(f"{value:>9,} {varied}: " + ", ".join(f"{t} {s:.3f} s" for t, s in found.items()))
    return pd.DataFrame(rows, columns=["varied", "value", "task", "seconds"])


def slopes(frame: pd.DataFrame) -> pd.DataFrame:
    """Slope at the end of each line, its fixed cost, and where it bends."""
    rows = []
    for (varied, task), line in frame.groupby(["varied", "task"], sort=False):
        x, y = line["value"].to_numpy(float), line["seconds"].to_numpy()
        slope = np.log(y[-1] / y[-2]) / np.log(x[-1] / x[-2])
        (fixed, each), _ = nnls(np.stack([1 / y, x / y], axis=1), np.ones(len(y)))
        rows.append((varied, task, slope, fixed, fixed / each if each > 0 else np.inf))
    return pd.DataFrame(rows, columns=["varied", "task", "slope", "fixed seconds", "bends at"])


def drawn(frame: pd.DataFrame, path: Path) -> None:
    """One panel for each of what is varied."""
    figure, panels = plt.subplots(2, 2, figsize=(9, 7), sharey=True, layout="constrained")
    for (varied, part), panel in zip(frame.groupby("varied", sort=False), panels.flat, strict=True):
        for (task, line), marker in zip(part.groupby("task", sort=False), "os^D", strict=True):
            panel.loglog(line["value"], line["seconds"], marker=marker, label=task)
        rest = ", ".join(f"{n:,} {name}" for name, n in BASE.items() if name != varied)
        panel.set(xlabel=varied, title=rest)
        panel.set_xticks(VARIED[varied], [f"{value:,}" for value in VARIED[varied]])
        panel.minorticks_off()
        panel.title.set_fontsize("small")
        panel.grid(alpha=0.3)
    for panel in panels[:, 0]:
        panel.set_ylabel("seconds")
    panels[0, 0].legend()
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Costs as sizes grow.")
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).parent / "results")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    table = measured()
    table.to_csv(folder / "scaling.csv", index=False, float_format="%.4f")
    drawn(table, folder / "scaling.png")
    print(slopes(table).to_string(index=False, float_format="{:,.3g}".format))
