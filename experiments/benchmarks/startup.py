"""How long the command line takes, against importing what it works with.

Run: ``python experiments/benchmarks/startup.py``. ``--help`` is to take 0.7 of what importing
scipy.stats and pandas takes: the command line must import neither before a command runs. To compare
two models of 300 samples, read from a file, is to take 1.5 times what importing numpy and pandas
takes: nothing heavier than scipy.special and scipy.sparse may be on its way.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

ROUNDS = 11
# Modules are compiled once, as where the package is installed.
ENVIRONMENT = {name: value for name, value in os.environ.items() if "BYTECODE" not in name}


def small(folder: Path) -> Path:
    """Two models of 300 samples in a file."""
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 3, 300)
    models = {
        name: np.where(rng.random(300) < share, y_true, rng.integers(0, 3, 300))
        for name, share in (("a", 0.8), ("b", 0.7))
    }
    path = folder / "small.csv"
    pd.DataFrame({"y_true": y_true} | models).to_csv(path, index=False)
    return path


def commands(path: Path) -> dict[str, tuple[list[str], str]]:
    """What is timed, and what each is measured by."""
    program = [sys.executable, "-m", "modelcompare"]
    stats, frames = "import scipy.stats, pandas", "import numpy, pandas"
    return {
        stats: ([sys.executable, "-c", stats], stats),
        "modelcompare --help": ([*program, "--help"], stats),
        "modelcompare compare --help": ([*program, "compare", "--help"], stats),
        frames: ([sys.executable, "-c", frames], frames),
        "modelcompare compare small.csv": ([*program, "compare", str(path)], frames),
    }


def seconds(command: list[str]) -> float:
    """Time one run."""
    start = time.perf_counter()
    subprocess.run(command, check=True, env=ENVIRONMENT, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        rows = commands(small(Path(folder)))
        # In turn, so that a busy moment hits all of them.
        rounds = [{name: seconds(row[0]) for name, row in rows.items()} for _ in range(ROUNDS)]
    best = {name: min(times[name] for times in rounds) for name in rows}
    for name, (_, beside) in rows.items():
        print(f"{name:32}{best[name]:8.3f} s{best[name] / best[beside]:8.2f} of {beside}")
