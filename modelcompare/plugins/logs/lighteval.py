"""Details of Hugging Face's lighteval.

Columns as in lighteval 0.13.0: ``DetailsLogger.Detail`` in logging/info_loggers.py, ``Doc`` in
tasks/requests.py, names of folders and files in logging/evaluation_tracker.py
(github.com/huggingface/lighteval). Details before 0.11 have other columns and no ids.

## logs

- [lighteval](https://github.com/huggingface/lighteval) | `details_*.parquet` | columns `doc`,
  `metric`, `model_response` | `details/ORG/NAME/DATE/` | `doc.task_name` | `doc.id` | every metric
  | `modelcompare compare formats/lighteval`
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format, cells_of, keys_of
from modelcompare.readers.formats.rows import of_rows
from modelcompare.readers.records import SCORE
from modelcompare.readers.tables import lookup

_FIELDS = frozenset({"doc", "metric", "model_response"})
_NAME = re.compile(r"details_.+_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.parquet")


def _details(file: File) -> pd.DataFrame:
    docs, metrics = file.payload["doc"], file.payload["metric"]
    scores = {SCORE + name: cells_of(metrics, name) for name in keys_of(metrics)}
    described = {name: cells_of(docs, name) for name in ("task_name", "id", "query")}
    rows = file.payload[["doc", "model_response"]].assign(
        **described, gold=[_gold(doc) for doc in docs], **scores
    )
    if named := _NAME.fullmatch(file.name):
        folder = file.path.absolute().parent
        by_date = {"model": _model(folder.parent)} if folder.name == named["date"] else {}
        return rows.assign(date=named["date"], **by_date)
    return rows


def _gold(doc: Any) -> str:
    """Return the right choices as one text."""
    choices, places = (_as_list(lookup(doc, [name])) for name in ("choices", "gold_index"))
    return " | ".join(str(choice) for place, choice in enumerate(choices) if place in places)


def _as_list(cell: Any) -> list[Any]:
    return list(cell) if isinstance(cell, list | np.ndarray) else [cell]


def _model(folder: Path) -> str:
    """Return the model of a folder of details: ``details/ORGANISATION/NAME``."""
    parts = folder.parts
    if "details" not in parts:
        return folder.name.removeprefix("details_")
    last = len(parts) - parts[::-1].index("details")
    return "/".join(parts[last:])


FORMAT = Format(
    "lighteval", kinds=frozenset({"parquet"}), fields=_FIELDS,
    looks_like=lambda file: isinstance(file.payload["doc"].iloc[0], dict),
    read=of_rows(_details, roles={"set": "task_name"}, same=("query", "gold"), is_log=True),
)  # fmt: skip
