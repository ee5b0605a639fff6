"""Details of Hugging Face's lighteval.

Columns as in lighteval 0.13.0: ``DetailsLogger.Detail`` in logging/info_loggers.py, ``Doc`` in
tasks/requests.py, names of folders and files in logging/evaluation_tracker.py
(github.com/huggingface/lighteval). Details before 0.11 have other columns and no ids.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.base import (
    Format,
    cells_of,
    check_named,
    each,
    keys_of,
    score_columns,
)
from modelcompare.readers.records import Records

_FIELDS = frozenset({"doc", "metric", "model_response"})
_NAME = re.compile(r"details_.+_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.parquet")


def _read(file: File) -> Records:
    details: pd.DataFrame = file.payload
    docs, metrics = details["doc"], details["metric"]
    sets, ids = cells_of(docs, "task_name"), cells_of(docs, "id")
    check_named({"task_name": sets, "id": ids}, file.name)
    values = {name: cells_of(metrics, name) for name in keys_of(metrics)}
    scores, others = score_columns(values, file.name)
    beside = {
        "query": cells_of(docs, "query"), "gold": [_gold(doc) for doc in docs],
        "doc": docs, "model_response": details["model_response"], **others,
    }  # fmt: skip
    named_by_path = {}
    if named := _NAME.fullmatch(file.name):
        beside["date"] = named["date"]
        folder = file.path.absolute().parent
        named_by_path = {"model": _model(folder.parent)} if folder.name == named["date"] else {}
    return Records(
        frame=pd.DataFrame({**named_by_path, "set": sets, "id": ids, **scores}),
        beside=pd.DataFrame(beside), kind="scores", same=("query", "gold"),
    )  # fmt: skip


def _gold(doc: dict[str, Any]) -> str:
    """Return the right choices as one text."""
    choices, places = _listed(doc.get("choices")), _listed(doc.get("gold_index"))
    return " | ".join(str(choice) for place, choice in enumerate(choices) if place in places)


def _listed(cell: Any) -> list[Any]:
    return list(cell) if isinstance(cell, list | np.ndarray) else [cell]


def _model(folder: Path) -> str:
    """Return the model of a folder of details: ``details/ORGANISATION/NAME``."""
    parts = folder.parts
    if "details" not in parts:
        return folder.name.removeprefix("details_")
    last = len(parts) - parts[::-1].index("details")
    return "/".join(parts[last:])


FORMAT = Format(
    "lighteval", frozenset({"parquet"}), each(_read), fields=_FIELDS,
    looks_like=lambda file: isinstance(file.payload["doc"].iloc[0], dict),
)  # fmt: skip
