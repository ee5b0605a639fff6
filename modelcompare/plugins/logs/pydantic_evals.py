"""Reports of Pydantic Evals, as its ``EvaluationReportAdapter`` writes them.

pydantic-evals 2.62, reporting: a case has scores and assertions by name, each with a ``value``, and
texts as ``labels``; of repeated runs it has the name of the case as ``source_case_name``. Cases
whose task failed have no result.

## logs

- [Pydantic Evals](https://ai.pydantic.dev/evals/) | `.json`, a report by `EvaluationReportAdapter`
  | `cases` with `inputs`, `scores` and `assertions` | the file | one | the case; repeats are runs |
  every score and assertion; of cases that failed they are missing | `modelcompare compare
  formats/pydantic_evals/small.json formats/pydantic_evals/large.json --missing drop`
"""

from __future__ import annotations

import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format
from modelcompare.readers.formats.rows import Row, of_rows
from modelcompare.readers.records import SCORE
from modelcompare.readers.tables import lookup

_FIELDS = {"name", "scores", "assertions", "inputs"}


def _cases(file: File) -> pd.DataFrame:
    failed = lookup(file.payload, ["failures"])
    cases = [*file.payload["cases"], *(failed if isinstance(failed, list) else ())]
    return pd.DataFrame([*map(_case, cases)], dtype=object)


def _case(case: Row) -> Row:
    named = {kind: lookup(case, [kind]) for kind in ("scores", "assertions", "labels")}
    values = {
        kind: {name: lookup(each, ["value"]) for name, each in found.items()}
        for kind, found in named.items() if isinstance(found, dict)
    }  # fmt: skip
    scores = {**values.get("scores", {}), **values.get("assertions", {})}
    return {
        "id": lookup(case, ["source_case_name"]) or lookup(case, ["name"]),
        **{SCORE + name: value for name, value in scores.items()}, **values.get("labels", {}),
        **{key: lookup(case, [key]) for key in ("metadata", "metrics", "task_duration")},
    }  # fmt: skip


def _is_report(file: File) -> bool:
    cases = lookup(file.payload, ["cases"])
    return isinstance(cases, list) and bool(cases) and all(
        isinstance(each, dict) and {*each} >= _FIELDS for each in cases
    )  # fmt: skip


FORMAT = Format(
    "Pydantic Evals report", frozenset({"json"}), of_rows(_cases), looks_like=_is_report
)
