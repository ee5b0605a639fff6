"""Run reports of SWE-bench, ``MODEL.RUN.json``: which instances a model resolved.

SWE-bench/SWE-bench v5.0.1 (7a21e05), swebench/harness/reporting.py writes them (also 4.1.0, whose
lists are the same); docs/guides/evaluation.md says what they mean. Resolution rates count empty
patches as failures, and so does the score here: the model gave no answer. An error is no result.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import pandas as pd

from modelcompare.readers.formats.base import Format, Opened
from modelcompare.readers.records import Records

# django__django-11099, or, of Multi-SWE-bench, cli/cli:pr-513.
_INSTANCE = r"^(.+?)(?::pr)?-\d+$"
# Lists of a report: what its instances are called here, and their score.
_OUTCOMES = {
    "resolved_ids": ("resolved", 1.0),
    "unresolved_ids": ("unresolved", 0.0),
    "empty_patch_ids": ("empty_patch", 0.0),
    "error_ids": ("error", math.nan),
    "incomplete_ids": ("incomplete", math.nan),
}


def recognises(file: Opened) -> bool:
    """Return whether a document lists resolved and unresolved instances."""
    document = file.payload
    return isinstance(document, dict) and all(
        isinstance(document.get(key), list) for key in ("resolved_ids", "unresolved_ids")
    )


def read_reports(files: Sequence[Opened]) -> Records:
    """Rows by report and instance; the part of an id before its number is the repository.

    An instance that no report has a prediction for belongs to the data set, not to the comparison.
    """
    reports = [_instances(file) for file in files]
    rows = pd.concat(reports, keys=range(len(files)), names=["file"]).reset_index("file")
    tried = rows.loc[rows["status"] != "incomplete", "id"]
    rows = rows[rows["id"].isin(tried)].reset_index(drop=True)
    names = _models_and_runs(files)
    beside = rows[["status", "reason"]].dropna(axis="columns", how="all")
    if names is not None:
        rows["model"] = rows["file"].map({n: model for n, (model, _) in enumerate(names)})
        run_id = rows["file"].map({n: run for n, (_, run) in enumerate(names)})
        beside = beside.assign(run_id=run_id)
        if len({model for model, _ in names}) < len(names):
            rows["run"] = rows.groupby("model")["file"].rank("dense").astype(int)
    repositories = rows["id"].str.extract(_INSTANCE, expand=False)
    if repositories.notna().all():
        rows["group"] = repositories
    known = ["file"] if names is None else ["model", "run"]
    columns = [c for c in (*known, "group", "id", "score:resolved") if c in rows.columns]
    return Records(frame=rows[columns], beside=beside, kind="scores")


def _instances(file: Opened) -> pd.DataFrame:
    told = file.payload.get("failure_reasons")
    reasons = told if isinstance(told, dict) else {}
    rows: dict[str, dict[str, Any]] = {}
    for key, (status, score) in _OUTCOMES.items():
        for name in _names(file, key):
            if name in rows:
                raise ValueError(
                    f"{file.name}: {name} is listed as {rows[name]['status']} and as {status}; "
                    "write the report again, with one outcome for each instance."
                )
            rows[name] = {
                "id": name, "score:resolved": score, "status": status, "reason": reasons.get(name)
            }  # fmt: skip
    if all(row["status"] == "incomplete" for row in rows.values()):
        raise ValueError(
            f"{file.name}: the report has no instance with a prediction; name a report of a run "
            "that has some."
        )
    return pd.DataFrame([*rows.values()])


def _names(file: Opened, key: str) -> list[str]:
    names = file.payload.get(key, [])
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise ValueError(f"{file.name}: {key} must be a list of instance ids.")
    return names


def _models_and_runs(files: Sequence[Opened]) -> list[tuple[str, str]] | None:
    """Models and runs, if the names of the files are distinct and each is MODEL.RUN.json."""
    found = [re.fullmatch(r"(.+)\.([^.]+)\.json(?:\.gz)?", file.name) for file in files]
    names = [(match[1], match[2]) for match in found if match]
    return names if len({*names}) == len(files) else None


FORMAT = Format("SWE-bench report", frozenset({"json"}), recognises, read_reports)
