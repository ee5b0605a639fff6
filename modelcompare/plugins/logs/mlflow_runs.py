"""Models named after the runs of MLflow that logged their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from modelcompare.readers.content import File

# The name of a run, and the length of the part of its id that is shown.
_RUN_NAME, _ID = Path("tags", "mlflow.runName"), 8


def named_by_mlflow(files: Sequence[File]) -> list[File]:
    """Name models after the runs of MLflow that logged the files; of one name also by their ids.

    MLflow writes ``RUN_ID/artifacts/...``, and the run's name into ``RUN_ID/tags/mlflow.runName``.
    """
    runs = {file.path: run for file in files if (run := _run_of(file.path)) is not None}
    names = {run: (run / _RUN_NAME).read_text(encoding="utf-8").strip() for run in runs.values()}
    counts = Counter(names.values())
    models = {
        run: name if counts[name] == 1 else f"{name} {run.name[:_ID]}"
        for run, name in names.items()
    }
    return [
        replace(file, model=models[runs[file.path]]) if file.path in runs else file
        for file in files
    ]  # fmt: skip


def _run_of(path: Path) -> Path | None:
    """Return the folder of the run of MLflow that logged a file, if it has a name."""
    above = (up.parent for up in path.parents if up.name == "artifacts")
    return next((run for run in above if (run / _RUN_NAME).is_file()), None)


NAMED = (named_by_mlflow,)
