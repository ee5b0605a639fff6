"""Results of OpenCompass, ``results/MODEL/DATASET.json`` with ``--dump-eval-details``.

open-compass/opencompass a5acc4b, tasks/openicl_eval.py (format_details) and
openicl/icl_evaluator/icl_base_evaluator.py (evaluate): ``details`` is an object of numbered samples
or a list of samples, in which several replications of a sample are lists. Where the evaluator gives
no ``correct``, equality of prediction and reference is used if it yields the accuracy in the file.

## logs

- [OpenCompass](https://github.com/open-compass/opencompass) | `results/MODEL/DATASET.json` with
  `--dump-eval-details` | `details` with `correct`, or `predictions` and `references` | the folder |
  the file | number of the sample; replications are answers | `correct`; where the file has none,
  equality if that is its accuracy | `modelcompare compare formats/opencompass --read set=letters`
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format, is_missing
from modelcompare.readers.formats.rows import RIGHT, Row, of_rows, scores_of
from modelcompare.readers.records import SCORE
from modelcompare.readers.tables import lookup

_CORRECT = ("correct", "is_correct", "cascade_correct")
_TOLERANCE = 1e-6


def _samples(file: File) -> list[Row]:
    """Return the samples in the details of a file."""
    details = lookup(file.payload, ["details"])
    if isinstance(details, dict):
        named = [(key, each) for key, each in details.items() if isinstance(each, dict)]
    else:
        listed = details if isinstance(details, list) else []
        named = [
            (each.get("example_abbr", str(place)), each)
            for place, each in enumerate(listed)
            if isinstance(each, dict)
        ]
    return [row for key, each in named for row in _replications({"id": key, **each})]


def _replications(sample: Row) -> list[Row]:
    """Return a row for each replication of a sample."""
    held = next((sample[name] for name in _CORRECT if isinstance(sample.get(name), list)), None)
    if held is None:
        return [sample]
    return [
        {key: _at(cell, place, len(held)) for key, cell in sample.items()}
        for place in range(len(held))
    ]


def _at(cell: Any, place: int, n: int) -> Any:
    return cell[place] if isinstance(cell, list) and len(cell) == n else cell


def _results(file: File) -> pd.DataFrame:
    table = pd.DataFrame(_samples(file), dtype=object)
    name = next((name for name in _CORRECT if name in table), None)
    right = _equal(table, file) if name is None else scores_of(table[name], RIGHT, name, file.name)
    # A file given by itself lies in the folder of its model.
    where = {} if file.in_folder else {"model": file.path.absolute().parent.name}
    return table.assign(
        set=file.path.name.partition(".json")[0], **where, **{SCORE + "correct": right}
    )


def _equal(table: pd.DataFrame, file: File) -> list[float]:
    """Return whether predictions equal references, if the mean is the accuracy in the file."""
    accuracy = file.payload.get("accuracy", file.payload.get("score"))
    if {"predictions", "references"} <= {*table} and not is_missing(accuracy):
        texts = table[["predictions", "references"]].astype(str)
        right = (texts["predictions"] == texts["references"]).astype(float)
        if isinstance(accuracy, int | float) and abs(100 * right.mean() - accuracy) < _TOLERANCE:
            return right.tolist()
    raise ValueError(
        f"{file.name}: its details do not show which samples are correct, and equality of "
        "predictions and references is not its accuracy; make a table with rows such as "
        "model,id,score = qwen,12,1, and give it to `modelcompare compare`."
    )


FORMAT = Format(
    "OpenCompass details", kinds=frozenset({"json"}), read=of_rows(_results),
    looks_like=lambda file: any(
        not {*_CORRECT, "predictions", "references"}.isdisjoint(sample)
        for sample in _samples(file)[:1]
    ),
)  # fmt: skip
