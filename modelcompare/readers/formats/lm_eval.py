"""Sample logs of lm-evaluation-harness (``--log_samples``).

Fields as in lm_eval 0.4.13: ``example`` in evaluator.py, names of folders and files in
loggers/evaluation_tracker.py (github.com/EleutherAI/lm-evaluation-harness). Logs before 0.4.7
name neither filters nor metrics.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from modelcompare.readers.formats.base import Format, Opened, check_named, each, score_columns
from modelcompare.readers.records import SCORE, Records

_FIELDS = frozenset({"doc_id", "target", "filtered_resps"})
_KNOWN = _FIELDS | {
    "doc", "arguments", "resps", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash",
    "task", "task_name",
}  # fmt: skip
# What the logs of one task share.
_SAME = ("task", "task_name", "target", "doc_hash", "target_hash")
# Scores that come first, being what a task's leaderboard shows.
_FIRST = ("acc", "exact_match")
_NAME = re.compile(
    r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.(jsonl|parquet)(\.gz)?"
)


def _recognises(file: Opened) -> bool:
    return {*file.payload.frame.columns} >= _FIELDS


def _read(file: Opened) -> Records:
    logged: pd.DataFrame = file.payload.frame
    naming = [name for name in ("doc_id", "filter") if name in logged.columns]
    check_named({name: logged[name] for name in naming}, file.name)
    names = sorted(_metrics(logged), key=lambda name: name not in _FIRST)
    scores = score_columns({name: logged[name] for name in names}, file.name)
    frame = pd.DataFrame({"id": logged["doc_id"], **scores})
    if "filter" in logged.columns:
        frame.insert(0, "filter", logged["filter"])
    _check_once(frame, file.name)
    scored = [name for name in names if SCORE + name in scores]
    beside = logged.drop(
        columns=["doc_id", "filter", "metrics", "arguments", *scored], errors="ignore"
    )
    named = _NAME.fullmatch(file.name)
    if named:
        frame.insert(0, "set", named["task"])
        beside = beside.assign(date=named["date"])
        frame.insert(0, "model", file.path.absolute().parent.name)
    return Records(
        frame=frame, beside=beside, kind="scores",
        same=tuple(name for name in _SAME if name in beside.columns),
    )  # fmt: skip


def _check_once(frame: pd.DataFrame, where: str) -> None:
    keys = [name for name in ("id", "filter") if name in frame]
    repeated = frame.duplicated(keys).to_numpy()
    if repeated.any():
        row = frame[keys].astype(object).iloc[int(repeated.argmax())]
        apart = f" for filter {row['filter']!r}" if "filter" in row else ", and no filter is named"
        raise ValueError(
            f"{where}: doc_id {row['id']!r} occurs several times{apart}; keep one row for each "
            "document and filter."
        )


def _metrics(logged: pd.DataFrame) -> list[str]:
    """Names of the metrics: those that the rows list, or the other fields that hold numbers."""
    if "metrics" not in logged.columns:
        others = logged.drop(columns=[*_KNOWN], errors="ignore")
        return [name for name, column in others.items() if column.dtype.kind in "iufb"]
    listed = [names for names in logged["metrics"] if isinstance(names, list | np.ndarray)]
    found = dict.fromkeys(str(name) for names in listed for name in names)
    return [name for name in found if name in logged.columns]


FORMAT = Format("lm-evaluation-harness", frozenset({"jsonl", "parquet"}), _recognises, each(_read))
