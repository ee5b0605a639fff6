"""Faults, mutated files, memory, environments and bad input, each counted into a table.

Usage: python -m experiments.robustness [--only catalogue|memory|environments|fuzz|faults] [--times
N] [--command NAME ...] [--minutes M] [--cases C] [--jobs J] [--python PATH] [--environment NAME
...]; ``make robustness`` runs all. Each part writes its table into ``results/`` as soon as a row of
it is known, instead of the row that was there, and then the page of all tables.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial

from experiments.robustness import catalogue, commands, environments, faults, fuzz, memory
from experiments.robustness.tables import keep, table

PARTS = ("catalogue", "memory", "environments", "fuzz", "faults")


def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description="Try to break the package, and count.")
    parser.add_argument("--only", choices=PARTS, help="this part alone")
    parser.add_argument("--times", type=int, default=200, help="kills of each command (200)")
    names = [each.name for each in commands.COMMANDS]
    parser.add_argument("--command", nargs="*", default=[], choices=names, help="these alone")
    parser.add_argument("--minutes", type=float, default=60, help="of mutated files (60)")
    parser.add_argument("--cases", type=int, help="go on from seed to seed to so many in all")
    parser.add_argument("--seed", type=int, default=0, help="of kills and mutations (0)")
    parser.add_argument("--jobs", type=int, default=1, help="formats or commands at a time (1)")
    parser.add_argument("--python", default=sys.executable, help="of environments (this one)")
    parser.add_argument("--environment", nargs="*", default=[], help="these alone, by their names")
    asked = parser.parse_args()
    parts = {
        "catalogue": lambda: keep("catalogue", catalogue.counts(), ["of", "what"]),
        "memory": lambda: memory.run(partial(keep, "memory", key=["command", "size"])),
        "environments": lambda: environments.run(
            asked.python,
            asked.environment,
            partial(keep, "environments", key=["environment", "on"]),
        ),
        "fuzz": lambda: _fuzz(asked),
        "faults": lambda: faults.run(
            asked.times,
            asked.seed,
            asked.jobs,
            asked.command,
            partial(keep, "faults", key=["command", "fault"]),
        ),
    }
    for name in PARTS if asked.only is None else [asked.only]:
        parts[name]()


def _fuzz(asked: argparse.Namespace) -> None:
    """Mutate files for some minutes; or, from seed to seed, until the table has so many."""
    there = partial(keep, "fuzz", key=["format", "seed"])
    if asked.cases is None:
        fuzz.run(asked.minutes, asked.seed, asked.jobs, there)
        return
    while (kept := table("fuzz"))["cases"].sum() < asked.cases:
        fuzz.run(asked.minutes, int(kept["seed"].max()) + 1, asked.jobs, there)


if __name__ == "__main__":
    main()
