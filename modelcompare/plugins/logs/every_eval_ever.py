"""Samples in the schema of Every Eval Ever (``UUID_samples.jsonl``).

Fields as in its version 0.3.0: schemas/instance_level_eval.schema.json; a sample that several
metrics score has a record for each, and one that failed may have a single record whose score
is meaningless: converters/inspect/instance_level_adapter.py (github.com/evaleval/every_eval_ever).

## logs

- [Every Eval Ever](https://github.com/evaleval/every_eval_ever) | `*_samples.jsonl` |
  `schema_version`, `evaluation_id`, `sample_id` | `model_id` | `evaluation_name` | `sample_id`;
  epochs are runs | one for each `evaluation_result_id`; errors are missing | `modelcompare compare
  formats/every_eval_ever --missing drop`
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.readers.cell_types import Column
from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format, cells_of, check_named, is_missing
from modelcompare.readers.formats.rows import of_rows
from modelcompare.readers.records import SCORE

_NAMES = ("model_id", "evaluation_name", "sample_id")
_FIELDS = frozenset({"schema_version", "evaluation_id", "evaluation", *_NAMES})
# Name of the metric of records that name none: the schema's own word.
_UNNAMED = "score"
_BESIDE = (
    "metadata", "interaction_type", "evaluation", "output", "token_usage", "performance",
    "evaluation_id", "sample_hash",
)  # fmt: skip


def _samples(file: File) -> pd.DataFrame:
    records: pd.DataFrame = file.payload
    check_named(records[[*_NAMES]], file.name)
    given = pd.Series(cells_of(records["evaluation"], "score"), dtype=object)
    errors = _column(records, "error")
    given[(errors.notna() & (errors != "")).to_numpy()] = None
    metrics = _column(records, "evaluation_result_id").map(str, na_action="ignore")
    keys = _keys(records, metrics, file.name)
    place = keys.groupby([*keys], sort=False).ngroup().to_numpy()
    first = np.unique(place, return_index=True)[1]
    metrics = metrics.where(metrics.notna() | given.isna(), _UNNAMED)
    scores = {
        SCORE + name: given[metrics == name].set_axis(place[metrics == name])
        for name in metrics.dropna().unique()
    }
    references = cells_of(_column(records, "input").iloc[first], "reference")
    beside = records[[name for name in _BESIDE if name in records]].iloc[first]
    return pd.concat([keys.iloc[first], beside], axis="columns").reset_index(drop=True).assign(
        reference=[json.dumps(each, default=np.ndarray.tolist) for each in references],
        error=errors.groupby(place).first(), **scores,
    )  # fmt: skip


def _keys(records: pd.DataFrame, metrics: Column, where: str) -> pd.DataFrame:
    """Return model, test set, sample and, if repeated, run of each record."""
    keys = records[[*_NAMES]].set_axis(["model", "set", "id"], axis=1)
    epochs = cells_of(_column(records, "metadata"), "epoch")
    if all(isinstance(epoch, str | int) for epoch in epochs):
        keys.insert(2, "run", epochs)
    attempts = _attempts(keys, metrics)
    if max(attempts) == 1:
        return keys
    if "run" in keys:
        place = next(place for place, attempt in enumerate(attempts) if attempt > 1)
        raise ValueError(
            f"{where}: sample {keys['id'].iloc[place]!r} has several records of one metric and "
            f"epoch {keys['run'].iloc[place]}; keep one of them."
        )
    keys.insert(2, "run", attempts)
    return keys


def _attempts(keys: pd.DataFrame, metrics: Column) -> list[int]:
    """Count the attempts at a sample up to each record, which names its metric or failed."""
    latest: dict[Any, tuple[int, set[Any]]] = {}
    attempts = []
    for key, metric in zip(keys.itertuples(index=False), metrics, strict=True):
        named = None if is_missing(metric) else metric
        attempt, seen = latest.get(key, (1, set()))
        if named in seen or None in seen or (named is None and seen):
            attempt, seen = attempt + 1, set()
        latest[key] = attempt, seen | {named}
        attempts.append(attempt)
    return attempts


def _column(records: pd.DataFrame, name: str) -> Column:
    """Return a column, empty if the file lacks it."""
    empty = pd.Series(None, index=records.index, dtype=object)
    return records[name].astype(object) if name in records else empty


FORMAT = Format(
    "Every Eval Ever", kinds=frozenset({"jsonl", "parquet"}), fields=_FIELDS,
    read=of_rows(_samples, same=("reference",), is_log=True),
)  # fmt: skip
