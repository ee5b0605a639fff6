"""Sample logs of lm-evaluation-harness (``--log_samples``).

Fields as in lm_eval 0.4.13: ``example`` in evaluator.py, names of folders and files in
loggers/evaluation_tracker.py (github.com/EleutherAI/lm-evaluation-harness). Logs before 0.4.7
name neither filters nor metrics.

## logs

- [lm-evaluation-harness](https://github.com/EleutherAI/lm-evaluation-harness) |
  `samples_TASK_DATE.jsonl` | fields `doc_id`, `target`, `filtered_resps` | the folder, or the
  file's name | the task in the file's name | `doc_id`; `--filter` where there are several; the
  newest of several dates | every metric that is a number for each sample | `modelcompare compare
  formats/lm_eval --read set=signs`
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format
from modelcompare.readers.formats.rows import of_rows
from modelcompare.readers.records import SCORE

_FIELDS = frozenset({"doc_id", "target", "filtered_resps"})
_KNOWN = _FIELDS | {
    "doc", "arguments", "resps", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash",
    "task", "task_name",
}  # fmt: skip
# Fields that are not kept beside the scores.
_NOT_BESIDE = ["metrics", "arguments"]
# Fields that the logs of one task share.
_SAME = ("task", "task_name", "target", "doc_hash", "target_hash")
# Scores of leaderboards, which come first.
_FIRST = ("acc", "exact_match")
_NAME = re.compile(
    r"samples_(?P<set>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.(jsonl|parquet)(\.gz)?"
)


def _samples(file: File) -> pd.DataFrame:
    logged: pd.DataFrame = file.payload
    names = sorted(_metrics(logged), key=lambda name: name not in _FIRST)
    scores = {SCORE + name: logged[name] for name in names}
    rows = logged.drop(columns=[*_NOT_BESIDE, *names], errors="ignore").assign(**scores)
    if named := _NAME.fullmatch(file.name):
        return rows.assign(model=file.path.absolute().parent.name, **named.groupdict())
    return rows


def _metrics(logged: pd.DataFrame) -> list[str]:
    """Return the metrics: those that the rows list, or else the other numeric fields."""
    if "metrics" not in logged.columns:
        others = logged.drop(columns=[*_KNOWN], errors="ignore")
        return [name for name, column in others.items() if column.dtype.kind in "iufb"]
    listed = [names for names in logged["metrics"] if isinstance(names, list | np.ndarray)]
    found = dict.fromkeys(str(name) for names in listed for name in names)
    return [name for name in found if name in logged.columns]


FORMAT = Format(
    "lm-evaluation-harness", kinds=frozenset({"jsonl", "parquet"}), fields=_FIELDS,
    read=of_rows(_samples, roles={"id": "doc_id"}, same=_SAME, is_log=True),
)  # fmt: skip
