"""Run every benchmark and keep what it printed, with the machine and the versions.

Run: ``python -m experiments.benchmarks [NAME ...] [-o FOLDER]``, or ``make bench``.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
LIBRARIES = ("modelcompare-stats", "numpy", "scipy", "pandas", "scikit-learn", "joblib", "pyarrow")


def machine() -> Iterator[str]:
    """What the figures depend on besides the code."""
    names = [line for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    cpu = names[0].partition(":")[2].strip() if names else platform.processor()
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    yield f"{cpu or platform.machine()}, {os.cpu_count()} cores, load {load}"
    yield f"Python {platform.python_version()}, " + ", ".join(
        f"{name} {version(name)}" for name in LIBRARIES
    )


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def run(script: Path) -> Iterator[str]:
    """Lines that a script prints, as they come; its failure is ours."""
    command = [sys.executable, "-u", str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield from map(str.rstrip, process.stdout)
    if process.returncode:
        sys.exit(f"{script.name} failed")


def scripts(names: list[str]) -> list[Path]:
    """The scripts of these names; all of them without a name."""
    found = {path.stem: path for path in sorted(HERE.glob("*.py")) if not path.stem.startswith("_")}
    strange = [name for name in names if name not in found]
    if strange:
        sys.exit(f"no benchmark {strange[0]!r}; there are {', '.join(found)}")
    return [found[name] for name in names] if names else list(found.values())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Run benchmarks and keep what they print.")
    parser.add_argument("names", nargs="*", help="some of them; all by default")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for script in scripts(options.names):
        kept = [*machine(), ""]
        print(f"== {script.name}")
        for line in run(script):
            print(line, flush=True)
            kept.append(line)
        (options.output / f"{script.stem}.txt").write_text("\n".join(kept) + "\n")
