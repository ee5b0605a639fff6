"""Tables of simulated cells from the command line: options, cell after cell, the verdict."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import Parallel, delayed

from experiments.validity.grid import fingerprint
from experiments.validity.results import markdown
from modelcompare.report.writers.files import write_text

Params = dict[str, Any]


# Times as many trials of a cell that falls short.
AGAIN = 5


def simulate(
    about: str | None, cells: Sequence[Params], simulated: Callable[..., pd.DataFrame],
    verdict: Callable[[pd.DataFrame], pd.DataFrame], results: Path,
    arguments: Sequence[str] | None = None,
    short: Callable[[pd.DataFrame], pd.Series] | None = None, resumes: Sequence[str] = (),
    metrics_of: Callable[[Params], Sequence[str]] | None = None,
) -> None:  # fmt: skip
    """Parse options, simulate the cells, write the table as it grows, and print its verdict.

    The table keeps the rows of the cells that are not simulated.

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
    short : callable, optional
        Function of a cell's rows that returns which fall short; five times as many trials follow.
    resumes : sequence of str, optional
        Modules of the study: its rows have the fingerprint of their code and the package's, and
        cells that the table has of the same code, in as many trials, are left out.
    metrics_of : callable, optional
        Function of a cell that returns the names of its metrics, of which ``--metrics`` chooses
        some; they are a third argument of `simulated`, and other rows of the cell are kept.
    """
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=800, help="of a cell; 5 times if it is short")
    parser.add_argument("--only", default="", help="regular expression of a cell's values")
    parser.add_argument("--jobs", type=int, default=1)
    if metrics_of:
        parser.add_argument("--metrics", default="", help="regular expression of their names")
    parser.add_argument("-o", "--output", type=Path, default=results)
    options = parser.parse_args(arguments)
    chosen = [c for c in cells if re.search(options.only, " ".join(map(str, c.values())))]
    if not chosen:
        parser.error(f"--only {options.only!r} fits no cell.")
    # Read before hours of work, which an unreadable table would lose.
    rows, code = _known(options.output, cells), fingerprint(resumes) if resumes else None
    names: list[Sequence[str] | None] = [
        [name for name in metrics_of(cell) if re.search(options.metrics, name)]
        if metrics_of else None for cell in cells
    ]  # fmt: skip
    left = [
        place for place, cell in enumerate(cells)
        if cell in chosen and (names[place] is None or names[place])
        and not (code and place in rows and _is_done(rows[place], code, options, names[place]))
    ]  # fmt: skip
    tasks = (
        delayed(_rows)(cells[place], simulated, options.trials, short, names[place])
        for place in left
    )
    found = Parallel(n_jobs=options.jobs, return_as="generator")(tasks)
    for place, part in zip(left, found, strict=True):
        part = part.assign(code=code) if code else part
        if metrics_of and place in rows:
            every = pd.concat([rows[place], part]).drop_duplicates("metric", keep="last")
            every = every.set_index("metric", drop=False)
            part = every.loc[[name for name in metrics_of(cells[place]) if name in every.index]]
        rows[place] = part
        table = _joined(rows)
        write_text(options.output, table.to_csv(index=False, float_format="%.5g"))
    print(markdown(verdict(_joined(rows))))


def _joined(rows: Mapping[int, pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of all cells in their order."""
    return pd.concat([rows[place] for place in sorted(rows)], ignore_index=True)


def _rows(
    cell: Params, simulated: Callable[..., pd.DataFrame], n_trials: int,
    short: Callable[[pd.DataFrame], pd.Series] | None, names: Sequence[str] | None,
) -> pd.DataFrame:  # fmt: skip
    """Return the rows of a cell, of more trials where one falls short."""
    more = () if names is None else (names,)
    found = simulated(cell, n_trials, *more)
    return simulated(cell, AGAIN * n_trials, *more) if short and short(found).any() else found


def _is_done(
    part: pd.DataFrame, code: str, options: argparse.Namespace, names: Sequence[str] | None
) -> bool:
    """Return whether rows of a cell are of this code and of so many trials."""
    if names is not None:
        part = part[part["metric"].isin(names)]
        if len(part) < len(names):
            return False
    same = part.get("code", pd.Series("", index=part.index)) == code
    return bool(same.all() and (part["trials"] >= options.trials).all())


def _known(path: Path, cells: Sequence[Params]) -> dict[int, pd.DataFrame]:
    """Return the rows of a table by the positions of their cells."""
    if not path.exists():
        return {}
    table = pd.read_csv(path)
    found = {}
    for place, cell in enumerate(cells):
        if not {*cell} <= {*table}:
            continue
        own = pd.Series(True, index=table.index)
        for name, value in cell.items():
            own &= table[name].isna() if value is None else table[name] == value
        if own.any():
            found[place] = table[own]
    return found
