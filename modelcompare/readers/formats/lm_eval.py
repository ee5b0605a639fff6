"""Sample logs of lm-evaluation-harness (``--log_samples``).

Fields as in lm_eval 0.4.13: ``example`` in evaluator.py, names of folders and files in
loggers/evaluation_tracker.py (github.com/EleutherAI/lm-evaluation-harness). Logs before 0.4.7
name neither filters nor metrics.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format, check_named, each, score_columns
from modelcompare.readers.records import Records

_FIELDS = frozenset({"doc_id", "target", "filtered_resps"})
_KNOWN = _FIELDS | {
    "doc", "arguments", "resps", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash",
    "task", "task_name",
}  # fmt: skip
# Fields that are not kept beside the scores: keys, and constants.
_NOT_BESIDE = ("doc_id", "filter", "metrics", "arguments")
# Fields that the logs of one task share.
_SAME = ("task", "task_name", "target", "doc_hash", "target_hash")
# Scores of leaderboards, which come first.
_FIRST = ("acc", "exact_match")
_NAME = re.compile(
    r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.(jsonl|parquet)(\.gz)?"
)


def _read(file: File) -> Records:
    logged: pd.DataFrame = file.payload
    keys = logged[[name for name in ("filter", "doc_id") if name in logged]]
    check_named(keys, file.name)
    names = sorted(_metrics(logged), key=lambda name: name not in _FIRST)
    scores, others = score_columns({name: logged[name] for name in names}, file.name)
    named_by_path = {}
    beside = logged.drop(columns=[*_NOT_BESIDE, *({*names} - {*others})], errors="ignore")
    if named := _NAME.fullmatch(file.name):
        named_by_path = {"model": file.path.absolute().parent.name, "set": named["task"]}
        beside = beside.assign(date=named["date"])
    frame = keys.rename(columns={"doc_id": "id"}).assign(**named_by_path, **scores)
    same = tuple(name for name in _SAME if name in beside.columns)
    return Records(frame=frame, beside=beside, kind="scores", same=same)


def _metrics(logged: pd.DataFrame) -> list[str]:
    """Return the metrics: those that the rows list, or else the other numeric fields."""
    if "metrics" not in logged.columns:
        others = logged.drop(columns=[*_KNOWN], errors="ignore")
        return [name for name, column in others.items() if column.dtype.kind in "iufb"]
    listed = [names for names in logged["metrics"] if isinstance(names, list | np.ndarray)]
    found = dict.fromkeys(str(name) for names in listed for name in names)
    return [name for name in found if name in logged.columns]


FORMAT = Format(
    "lm-evaluation-harness", frozenset({"jsonl", "parquet"}), each(_read), fields=_FIELDS
)
