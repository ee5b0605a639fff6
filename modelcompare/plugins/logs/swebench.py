"""Run reports of SWE-bench, ``MODEL.RUN.json``: which instances a model resolved.

SWE-bench/SWE-bench v5.0.1 (7a21e05), swebench/harness/reporting.py writes them (also 4.1.0, whose
lists are the same); docs/guides/evaluation.md defines them. Resolution rates count empty
patches as failures, and so does the score here: the model gave no answer. An error is no result.

## logs

- [SWE-bench](https://github.com/SWE-bench/SWE-bench) | `MODEL.RUN.json` | `resolved_ids`,
  `unresolved_ids` | the file's name; several reports of a model are runs | one | instance; its
  repository is the cluster where there are several | resolved is 1, unresolved and empty patches 0,
  errors and incomplete ones missing | `modelcompare compare formats/swebench --missing worst`
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format
from modelcompare.readers.records import Records
from modelcompare.readers.tables import lookup

# django__django-11099, or, of Multi-SWE-bench, cli/cli:pr-513.
_INSTANCE = r"^(.+?)(?::pr)?-\d+$"
# Lists of a report: the status and the score of their instances.
_OUTCOMES = {
    "resolved_ids": ("resolved", 1.0),
    "unresolved_ids": ("unresolved", 0.0),
    "empty_patch_ids": ("empty_patch", 0.0),
    "error_ids": ("error", math.nan),
    "incomplete_ids": ("incomplete", math.nan),
}


def read_reports(files: Sequence[File]) -> Records:
    """Read rows by report and instance; an id starts with its repository.

    Instances without a prediction in any report are left out.
    """
    rows = pd.concat([_instances(file).assign(file=n) for n, file in enumerate(files)])
    tried = rows.loc[rows["status"] != "incomplete", "id"]
    rows = rows[rows["id"].isin(tried)].reset_index(drop=True)
    beside = rows[["status", "reason"]].dropna(axis="columns", how="all")
    # Files are named MODEL.RUN.json, or by the folders that hold them.
    found = [re.fullmatch(r"(.+)\.([^.]+)\.json(?:\.gz)?", file.name) for file in files]
    names = [(match[1], match[2]) for match in found if match]
    known = ["file"]
    if len({*names}) == len(files):
        known = ["model", "run"]
        named = pd.DataFrame(names, columns=["model", "run_id"]).iloc[rows["file"]]
        rows["model"] = named["model"].to_numpy()
        beside = beside.assign(run_id=named["run_id"].to_numpy())
        if len({model for model, _ in names}) < len(names):
            rows["run"] = rows.groupby("model")["file"].rank("dense").astype(int)
    repositories = rows["id"].str.extract(_INSTANCE, expand=False)
    if repositories.notna().all():
        rows["group"] = repositories
    columns = [c for c in (*known, "group", "id", "score:resolved") if c in rows.columns]
    return Records(frame=rows[columns], beside=beside, kind="scores")


def _instances(file: File) -> pd.DataFrame:
    listed = [
        (name, score, status)
        for key, (status, score) in _OUTCOMES.items()
        for name in _names(file, key)
    ]
    rows = pd.DataFrame(listed, columns=["id", "score:resolved", "status"])
    if (rows["status"] == "incomplete").all():
        raise ValueError(
            f"{file.name}: the report has no instance with a prediction; name a report of a run "
            "that has some."
        )
    reasons = lookup(file.payload, ["failure_reasons"])
    return rows.assign(reason=rows["id"].map(reasons if isinstance(reasons, dict) else {}))


def _names(file: File, key: str) -> list[str]:
    names = file.payload.get(key, [])
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise ValueError(f"{file.name}: {key} must be a list of instance ids.")
    return names


FORMAT = Format(
    "SWE-bench report", frozenset({"json"}), read_reports,
    looks_like=lambda file: all(
        isinstance(lookup(file.payload, [key]), list) for key in ("resolved_ids", "unresolved_ids")
    ),
)  # fmt: skip
