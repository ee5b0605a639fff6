"""Results of evaluation tools without a row for each sample: MTEB's are read, others refused.

Fields as in mteb 1.12 and 2.20 (results/MODEL/REVISION/TASK.json), lm_eval 0.4 (results_DATE.json),
EvalPlus 0.3 (eval_results.json), BigCode's harness (evaluation_results.json) and SWE-bench 4
(report.json of one instance).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.base import cells_of
from modelcompare.readers.tables import lookup
from modelcompare.words import optional

_MTEB = {"task_name", "mteb_version", "scores"}
# Keys of a document, what it is, and what to do.
_KNOWN = (
    (
        _MTEB, "a task's result by MTEB",
        "rank the folder of all models: modelcompare ranks results/",
    ),
    (
        {"results", "configs"}, "the means of lm-evaluation-harness",
        "compare its logs of samples (--log_samples), or make a table for `modelcompare ranks` "
        "with one metric of each task, in rows such as dataset,model,score = arc_easy,gpt2,0.61",
    ),
    (
        {"eval", "hash"}, "the result of EvalPlus",
        "modelcompare compare reads it, a file for each model, if it has base_status and "
        "plus_status of each solution",
    ),
    (
        {"pass@1"}, "the pass rates of BigCode's harness",
        "compare the logs.json of tasks that write one, or make a table for `modelcompare compare` "
        "with a row for each program, as model,item,attempt,score = coder,HumanEval/0,1,0",
    ),
    (
        {"accuracy"}, "an accuracy",
        "compare a log of samples (OpenCompass writes one with --dump-eval-details), or make a "
        "table for `modelcompare ranks` with rows such as dataset,model,score = arc_easy,gpt2,0.61",
    ),
    (
        {"patch_successfully_applied", "resolved"}, "the report of one SWE-bench instance",
        "compare the reports of whole runs, MODEL.RUN.json",
    ),
)  # fmt: skip


def refuse_unread(file: File) -> NoReturn:
    """Refuse a document that is no log and no table, with what it is and the table to make."""
    inside = [file.payload, *(file.payload.values() if isinstance(file.payload, dict) else ())]
    for keys, what, remedy in _KNOWN:
        if any(isinstance(each, dict) and keys <= {*each} for each in inside):
            raise ValueError(f"{file.name} is {what}, not a row for each sample; {remedy}.")
    queries = [*file.payload.values()] if isinstance(file.payload, dict) else []
    if queries and all(isinstance(each, dict) and each for each in queries):
        cells = [cell for each in queries for cell in each.values()]
        if all(isinstance(cell, int | float) for cell in cells):
            raise ValueError(
                f"{file.name} has a number for each document of each query, as runs and judgements "
                "of retrieval have; compare them written as TREC does: a run in lines of query, "
                "Q0, document, rank, score, tag (q1 Q0 d3 1 0.7 bm25), judgements in lines of "
                "query, 0, document, relevance (q1 0 d3 1)."
            )
    raise ValueError(
        f"{file.name} has no known format; give a table (csv, jsonl, parquet) of one row for each "
        "sample, or a log that `modelcompare` knows (README, Your predictions)."
    )


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
