"""Folders of results by MTEB, or of models with ``.eval_results`` -> tables of scores.

Fields as in mteb 1.12 and 2.20 (results/MODEL/REVISION/TASK.json).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats import refuse_unread
from modelcompare.readers.formats.base import cells_of
from modelcompare.readers.opening import all_opened
from modelcompare.readers.tables import lookup
from modelcompare.words import optional

_MTEB = {"task_name", "mteb_version", "scores"}


def folder_table(folder: Path) -> pd.DataFrame:
    """Return the scores in a folder, a row for each model and benchmark."""
    of_hub = sorted(folder.rglob(".eval_results/*.yaml"))
    if of_hub:
        return eval_results_table(of_hub)
    with all_opened(folder) as files:
        return mteb_table(files)


def mteb_table(files: Sequence[File]) -> pd.DataFrame:
    """Return the main score of each model and task; of several subsets the mean, as MTEB's.

    The splits of training are left out. Revisions of a model are one model if no two have a task.
    """
    rows = []
    for file in files:
        if file.name == "model_meta.json":
            continue
        found = lookup(file.payload, ["scores"])
        if not isinstance(found, dict) or not {*file.payload} >= _MTEB:
            refuse_unread(file)
        tested = {split: subsets for split, subsets in found.items() if split != "train"} or found
        if len(tested) != 1:
            raise ValueError(
                f"{file.name} has scores of {', '.join(found) or 'no split'}; ranks need one "
                "split, so leave the others out of the file."
            )
        (subsets,) = tested.values()
        values = cells_of(subsets if isinstance(subsets, list) else [subsets], "main_score")
        task = file.payload["task_name"]
        if not isinstance(task, str) or not all(isinstance(x, int | float | None) for x in values):
            raise ValueError(
                f"{file.name} must have a text as task_name, and a number as main_score of each "
                "subset."
            )
        scores = pd.Series(values, dtype=float)
        if len(scores) > 1:
            task = f"{task} (mean of {len(scores)} subsets)"
        rows.append((*file.path.parts[-3:-1], task, scores.mean(skipna=False)))
    table = pd.DataFrame(rows, columns=["model", "revision", "dataset", "main_score"])
    if table.duplicated(["model", "dataset"]).any():
        table["model"] += "/" + table["revision"]
    return table.drop(columns="revision")


def eval_results_table(files: Sequence[Path]) -> pd.DataFrame:
    """Return the values of models on benchmarks from their ``.eval_results`` folders.

    Entries as in huggingface_hub 2.4 (parse_eval_result_entries); a model is called after the
    folder that holds its own.
    """
    yaml = optional("yaml", "reading .eval_results needs PyYAML", "yaml")
    rows = []
    for path in files:
        try:
            entries = yaml.safe_load(path.read_text("utf-8"))
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            why = " ".join(str(error).split())
            raise ValueError(f"{path.name} is not YAML ({why}).") from error
        for number, entry in enumerate(entries if isinstance(entries, list) else [None], start=1):
            names = [lookup(entry, ["dataset", key]) for key in ("id", "task_id")]
            value = lookup(entry, ["value"])
            if not all(isinstance(name, str) for name in names) or not isinstance(
                value, int | float
            ):
                raise ValueError(
                    f"{path.name}: entry {number} must have dataset.id, dataset.task_id and a "
                    "number as value; correct it as https://huggingface.co/docs/hub/eval-results."
                )
            benchmark = "/".join(name for name in names if name != "default")
            rows.append((path.parent.parent.name, benchmark, float(value)))
    return pd.DataFrame(rows, columns=["model", "dataset", "score"])


FOLDERS = (folder_table,)
