"""Intervals, families of tests, single tests and gates where data are sparse, by simulation.

Usage: python -m experiments.validity.grid [--tier quick|full] [--jobs 2] [-o FOLDER]; ``make
validate`` and ``make validate-quick`` run it. Each finished chunk of trials is a line of
``FOLDER/chunks.jsonl``: a run that was stopped goes on where it was. What falls short of the
package's promises is printed first; then come ``summary.md`` and a csv for each type of cell.
"""

from __future__ import annotations

import argparse
import ast
import gc
import hashlib
import importlib
import os
import re
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

import modelcompare as mc
from experiments.validity import catalogue, cells
from experiments.validity.catalogue import Cell, cell_id
from experiments.validity.chunks import ChunkFile
from experiments.validity.promises import falls_short
from experiments.validity.results import announcement, by_cell, summary, table_of
from modelcompare.report.writers.files import write_text

HERE = Path(__file__).resolve().parent
TRIALS = {"quick": 200, "full": 800}
CHUNK = 50
# Modules of this folder whose cells are taken too: each with cells(tier), a list of dicts, and
# run_cell(params, n_trials, seed), which gives mean values by "metric quantity" and measure.
MODULES: tuple[str, ...] = (
    "intervals_on_sparse_data", "calibration", "sketched", "beyond_labels", "joined_units",
    "agreement", "widths", "yardstick",
)  # fmt: skip
_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef


def cells_of(tier: str) -> list[Cell]:
    """The cells of a tier; each has an id."""
    found = catalogue.quick() if tier == "quick" else catalogue.full()
    for name in MODULES:
        found += [{**params, "kind": name} for params in _module(name).cells(tier)]
    if len({*map(cell_id, found)}) < len(found):
        raise ValueError("two cells have the same id.")
    return found


def _module(name: str) -> Any:
    return importlib.import_module(f"experiments.validity.{name}")


def run_chunk(cell: Cell, n_trials: int, chunk: int) -> list[Sequence[Any]]:
    """Simulate one chunk; its numbers depend on nothing but the cell and the chunk's number."""
    # Holm's correction collects garbage at each call; there is less to look through.
    gc.freeze()
    name = zlib.crc32(cell_id(cell).encode())
    seed = int(np.random.SeedSequence([name, n_trials, chunk]).generate_state(1)[0])
    if cell["kind"] in cells.MEASURES:
        return list(cells.run_cell(cell, n_trials, seed))
    params = {key: value for key, value in cell.items() if key != "kind"}
    return _rows(_module(cell["kind"]).run_cell(params, n_trials, seed), n_trials)


def _rows(means: Mapping[str, Mapping[str, float]], n_trials: int) -> list[Sequence[Any]]:
    """What a module found, as rows of `cells.run_cell`: ``metric quantity`` -> measure -> mean."""
    rows: list[Sequence[Any]] = []
    for name, found in means.items():
        metric, _, quantity = name.rpartition(" ")
        n = int(found.get("n_trials", n_trials))
        for measure, mean in found.items():
            if measure != "n_trials" and not np.isnan(mean):
                rows.append((metric, quantity, "default", measure, n, n * mean, n * mean**2))
    return rows


def simulate(
    chosen: list[Cell],
    trials: int,
    file: ChunkFile,
    *,
    jobs: int = 1,
    chunk: int = CHUNK,
    first: int = 0,
) -> None:
    """Run the chunks from `first` on that the file does not have, the first of every cell first."""
    file.mend()
    done = file.chunks()
    todo = [
        (cell, number)
        for number in range(first, -(-trials // chunk))
        for cell in chosen
        if (cell_id(cell), chunk, number) not in done
    ]

    def one(cell: Cell, number: int) -> tuple[str, int, list[Sequence[Any]]]:
        return cell_id(cell), number, run_chunk(cell, chunk, number)

    results = Parallel(n_jobs=jobs, return_as="generator_unordered")(
        delayed(one)(cell, number) for cell, number in todo
    )
    for name, number, rows in tqdm(results, total=len(todo), unit="chunk", file=sys.stderr):
        file.add(name, chunk, number, rows)


def fingerprint(
    own: Sequence[str] = ("cells", "worlds", "label_worlds", "score_world", *MODULES),
) -> str:
    """A short hash of the package and of the simulation, without their comments and docstrings."""
    package = sorted(Path(mc.__file__).parent.rglob("*.py"))
    digest = hashlib.sha256()
    for path in [*package, *(HERE / f"{name}.py" for name in own)]:
        tree = ast.parse(path.read_bytes())
        for node in ast.walk(tree):
            if isinstance(node, _DOCUMENTED) and ast.get_docstring(node) is not None:
                del node.body[0]
        digest.update(ast.dump(tree).encode())
    return digest.hexdigest()[:12]


def write(file: ChunkFile, chosen: list[Cell], folder: Path, say: Callable[[str], None]) -> bool:
    """Print what falls short, write the tables, and return whether all promises hold."""
    results = table_of(file.chunks().values(), chosen)
    answer = announcement(results)
    say(answer)
    for kind, part in results.groupby("kind"):
        columns = [c for c in part.columns if c not in ("kind", "null_cell")]
        table = by_cell(part) if kind.startswith("intervals") else part[columns]
        write_text(folder / f"{kind}.csv", table.to_csv(index=False, float_format="%.5g"))
    write_text(folder / "short.csv", falls_short(results).to_csv(index=False))
    write_text(folder / "summary.md", summary(results))
    return answer.startswith("Nothing")


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, judge, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tier", choices=sorted(TRIALS), default="full")
    parser.add_argument("--trials", type=int, help="of each cell; 200 or 800 by the tier")
    parser.add_argument("--chunk", type=int, default=CHUNK, help="trials in a chunk")
    parser.add_argument("--first", type=int, default=0, help="chunk to begin with, of each cell")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="regular expression of the cells' ids")
    parser.add_argument("--also", nargs="*", default=(), metavar="CODE",
                        help="other code whose chunks count; any where none is named")  # fmt: skip
    parser.add_argument("--tables", action="store_true", help="simulate nothing, write the tables")
    parser.add_argument("--archive", action="store_true", help="put all chunks that count into one")
    parser.add_argument("--list", action="store_true", help="print the ids and stop")
    parser.add_argument("-o", "--output", type=Path, help="HERE/results or HERE/results/quick")
    options = parser.parse_args(arguments)
    chosen = [cell for cell in cells_of(options.tier) if re.search(options.only, cell_id(cell))]
    if not chosen:
        parser.error(f"--only {options.only!r} fits no cell; --list prints their ids.")
    if options.list:
        print("\n".join(map(cell_id, chosen)))
        return
    default = HERE / "results" / ("quick" if options.tier == "quick" else "")
    folder = options.output or default
    file = ChunkFile(
        folder / "chunks.jsonl", fingerprint(), None if options.also == [] else options.also
    )
    if file.n_of_other_code:
        print(f"{file.n_of_other_code:,} chunks of other code are left out.", file=sys.stderr)
    trials = options.trials or TRIALS[options.tier]
    if not options.tables:
        simulate(chosen, trials, file, jobs=options.jobs, chunk=options.chunk, first=options.first)
    if options.archive:
        file.archive()
    if not write(file, chosen, folder, print):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
