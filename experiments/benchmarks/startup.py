"""How long `modelcompare --help` takes, against importing scipy.stats and pandas.

Run: ``python experiments/benchmarks/startup.py``. The target is a ratio below 0.7: the command
line must import neither before a command runs.
"""

import subprocess
import sys
import time

ROUNDS = 11
COMMANDS = {
    "modelcompare --help": [sys.executable, "-m", "modelcompare", "--help"],
    "modelcompare compare --help": [sys.executable, "-m", "modelcompare", "compare", "--help"],
    "import scipy.stats, pandas": [sys.executable, "-c", "import scipy.stats, pandas"],
}


def seconds(command: list[str]) -> float:
    """Time one run."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def best_times(rounds: int = ROUNDS) -> dict[str, float]:
    """Time the commands in turn, so that a busy moment hits all of them; keep the best."""
    times = {name: float("inf") for name in COMMANDS}
    for _ in range(rounds):
        for name, command in COMMANDS.items():
            times[name] = min(times[name], seconds(command))
    return times


if __name__ == "__main__":
    times = best_times()
    reference = times["import scipy.stats, pandas"]
    for name, best in times.items():
        print(f"{name:30}{best:8.3f} s{best / reference:8.2f} of the imports")
