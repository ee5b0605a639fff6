"""Tables of MLflow's evaluations: ``eval_results_table.json``.

mlflow/mlflow 2 and 3, metrics/base.py and models/evaluation: a metric of each row is a column
``NAME/VERSION/score`` or, of metrics without a judge, ``NAME/VERSION``; its other columns
(``/justification``) describe the row.

## logs

- [MLflow](https://mlflow.org) | `eval_results_table.json` | columns `METRIC/v1/score` | the file |
  one | `inputs` | every metric | `modelcompare compare formats/mlflow/eval_results_table.json`
"""

from __future__ import annotations

import re

import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format
from modelcompare.readers.formats.rows import of_rows
from modelcompare.readers.records import SCORE

_METRIC = re.compile(r"(?P<name>.+)/v\d+(/score)?")
_INPUTS = ("inputs", "input", "question", "request", "request_id", "query")


def _evaluations(file: File) -> pd.DataFrame:
    table: pd.DataFrame = file.payload
    metrics = {heading: found["name"] for heading in table if (found := _METRIC.fullmatch(heading))}
    inputs = next((name for name in _INPUTS if name in table), None)
    if inputs is None:
        raise ValueError(
            f"{file.name}: no column names the rows ({', '.join(_INPUTS)}); keep one in the table "
            "that MLflow evaluates."
        )
    ids = table[inputs].map(lambda cell: cell if isinstance(cell, str) else str(cell))
    return table.rename(columns={each: SCORE + name for each, name in metrics.items()}).assign(
        id=ids
    )


FORMAT = Format(
    "MLflow evaluation", kinds=frozenset({"jsonl", "parquet"}), read=of_rows(_evaluations),
    looks_like=lambda file: any(map(_METRIC.fullmatch, map(str, file.payload.columns))),
)  # fmt: skip
