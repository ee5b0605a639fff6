"""Tables of simulated cells from the command line: options, cell after cell, the verdict."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import Parallel, delayed

from experiments.validity.results import markdown
from modelcompare.report.writers.files import write_text

Params = dict[str, Any]


def simulate(
    about: str | None, cells: Sequence[Params], simulated: Callable[[Params, int], pd.DataFrame],
    verdict: Callable[[pd.DataFrame], pd.DataFrame], results: Path,
    arguments: Sequence[str] | None = None,
) -> None:  # fmt: skip
    """Parse options, simulate the cells, write the table as it grows, and print its verdict.

    Parameters
    ----------
    about : str, optional
        Docstring of the study, whose first line is its help.
    cells : sequence of dict
        The cells; ``--only`` keeps those whose values fit a regular expression.
    simulated : callable
        Function of a cell and a number of trials that returns its rows.
    verdict : callable
        Function of the table that returns what is printed.
    results : path
        File of the table, if ``-o`` names no other.
    arguments : sequence of str, optional
        Options; by default those of the command line.
    """
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=800, help="of a cell; 5 times if it is short")
    parser.add_argument("--only", default="", help="regular expression of a cell's values")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, default=results)
    options = parser.parse_args(arguments)
    chosen = [c for c in cells if re.search(options.only, " ".join(map(str, c.values())))]
    if not chosen:
        parser.error(f"--only {options.only!r} fits no cell.")
    tasks = (delayed(simulated)(cell, options.trials) for cell in chosen)
    parts: list[pd.DataFrame] = []
    for part in Parallel(n_jobs=options.jobs, return_as="generator")(tasks):
        parts.append(part)
        table = pd.concat(parts, ignore_index=True)
        write_text(options.output, table.to_csv(index=False, float_format="%.5g"))
    print(markdown(verdict(pd.concat(parts, ignore_index=True))))
