"""Compare files of public repositories as a newcomer would, beside the numbers of their authors.

Usage: python -m experiments.real_files FOLDER, in which clones are as OWNER/NAME. It writes the
tables into results.md and second.md; a harvest without any clone in the folder is left alone.
"""

from __future__ import annotations

import json
import math
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.real_files.cases import CASES, Case

_HEAD = ("repository", "file", "command", "before", "tries", "answer", "reference", "by")
_TOLERANCE = 5e-7
_PAGES = {1: "results.md", 2: "second.md"}


def _asked(case: Case, clones: Path) -> tuple[int, str, str]:
    """Return the exit code of a command on the files of a case, what it printed, and its errors."""
    root = clones / case.repository
    paths = [path for pattern in case.files for path in sorted(root.glob(pattern))]
    command, *options = shlex.split(case.command)
    few = ["--resamples", "99"] if command == "compare" else []
    typed = [sys.executable, "-m", "modelcompare", command, *map(str, paths), *options, *few]
    done = subprocess.run([*typed, "--format", "json"], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def _value(case: Case, document: dict[str, Any]) -> float:
    """Return the value of the model and metric in a document."""
    for table, column in (("ranks", "mean_rank"), ("scores", "mean")):
        if table in document and case.metric == column:
            return next(row[column] for row in document[table] if row["model"] == case.model)
    metric = {case.metric, "mean_score"}
    rows = (row for row in document["scores"] if row["model"] == case.model)
    return next(row["estimate"] for row in rows if row["metric"] in metric)


def row(case: Case, clones: Path) -> tuple[list[str], bool]:
    """Return the row of a case, and whether the answer is the reference's."""
    code, printed, errors = _asked(case, clones)
    if case.refused:
        holds = code == 2 and case.refused in errors
        answer, reference = "refused, with the way out" if holds else errors, ""
    elif code:
        holds, answer, reference = False, errors, f"{case.value:.6g}"
    else:
        value = _value(case, json.loads(printed))
        holds = math.isclose(value, case.value, abs_tol=_TOLERANCE)
        answer, reference = f"{value:.6g}", f"{case.value:.6g}"
        answer = f"{case.metric} of {case.model}: {answer}"
    files = ", ".join(pattern.rpartition("/")[2] for pattern in case.files)
    cells = [
        f"{case.repository} {case.commit}", files, f"`{case.command}`", case.before,
        f"{case.tries}", answer, reference, case.source,
    ]  # fmt: skip
    return [" ".join(cell.replace("|", "\\|").split()) for cell in cells], holds


def main() -> None:
    """Ask each case, and write the table."""
    clones = Path(sys.argv[1])
    for harvest, page in _PAGES.items():
        cases = [case for case in CASES if case.harvest == harvest]
        if any((clones / case.repository).is_dir() for case in cases):
            _write([row(case, clones) for case in cases], Path(__file__).with_name(page))


def _write(found: Sequence[tuple[list[str], bool]], page: Path) -> None:
    """Write the table of a harvest, and print what is not as the reference."""
    lines = [_HEAD, ["---"] * len(_HEAD), *(cells for cells, _ in found)]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    page.write_text(f"{text}\n", "utf-8")
    wrong = [cells for cells, holds in found if not holds]
    for cells in wrong:
        print(" | ".join(cells), flush=True)
    print(f"{page.name}: {len(found)} files or folders, {len(wrong)} not as the reference")


if __name__ == "__main__":
    main()
