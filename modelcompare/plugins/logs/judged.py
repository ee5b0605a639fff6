"""Results of judges: AlpacaEval, MT-Bench and DeepEval.

tatsu-lab/alpaca_eval cd543a1, metrics/helpers.py: a preference is 1 where the baseline
(``generator_1``) wins, 2 where the model does, a number between them if it is weighted, 1.5 or 0
for a tie, and none where the judge failed; the win rate is its mean, less 1. lm-sys/FastChat
0e6d3e4, llm_judge/common.py (play_a_match_single): a score of -1 is no rating.
confident-ai/deepeval 4.3.1, test_run/api.py (LLMApiTestCase, MetricData) and test_run.py: a metric
with an error has no score.

## logs

- [AlpacaEval](https://github.com/tatsu-lab/alpaca_eval) | `annotations.json`, one or several |
  `generator_1`, `generator_2`, `preference` | `generator_2` | one; the baseline and the annotator
  must be the same | instruction | `win_rate`: the preference less 1, 0.5 for a tie; failed
  judgements are missing | `modelcompare compare formats/alpaca_eval/*/annotations.json`
- [MT-Bench](https://github.com/lm-sys/FastChat) | `gpt-4_single.jsonl` | `question_id`, `model`,
  `judge`, `score`, `turn` | `model` | one | question and turn; the question is the cluster |
  `score`; -1 (no rating) is missing | `modelcompare compare formats/mt_bench/gpt-4_single.jsonl
  --missing drop`
- [DeepEval](https://deepeval.com) | `test_run_*.json`, `.latest_test_run.json` | `testCases` with
  `metricsData` | the hyperparameter `model`, or the file | one | the input; repeats are answers |
  every metric; errors are missing | `modelcompare compare formats/deepeval/*.json --missing drop`
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format, is_missing
from modelcompare.readers.formats.rows import Row, of_rows
from modelcompare.readers.records import SCORE, Records
from modelcompare.readers.tables import lookup
from modelcompare.words import shown

_TIE, _UNRATED = 0, -1


def _preferences(file: File) -> pd.DataFrame:
    cells = enumerate(file.payload["preference"], start=1)
    wins = [_win(cell, number, file.name) for number, cell in cells]
    return file.payload.assign(**{SCORE + "win_rate": wins})


def _win(cell: Any, number: int, where: str) -> float:
    """Return the win of the model in a preference, 0 to 1."""
    if is_missing(cell):
        return math.nan
    if not isinstance(cell, Real) or not (cell == _TIE or 1 <= float(cell) <= 2):
        raise ValueError(
            f"{where}: the preference of annotation {number:,} is {shown(cell)}; it must be 1 (the "
            "baseline wins) to 2 (the model wins), or 0 for a tie."
        )
    return 0.5 if cell == _TIE else float(cell) - 1


def _grades(file: File) -> pd.DataFrame:
    table = file.payload
    question, turn = table["question_id"].astype(str), table["turn"].astype(str)
    rated = table["score"].where(table["score"] != _UNRATED)
    return table.assign(
        **{"group": question, "id": question + " turn " + turn, SCORE + "score": rated}
    )


def _run(file: File) -> Any:
    return lookup(file.payload, ["testRunData"]) or file.payload


def _cases(file: File) -> list[Any]:
    cases = lookup(_run(file), ["testCases"])
    return cases if isinstance(cases, list) else []


def _test_cases(file: File) -> pd.DataFrame:
    model = lookup(_run(file), ["hyperparameters", "model"])
    rows = pd.DataFrame([_case(case) for case in _cases(file)])
    return rows.assign(model=model) if isinstance(model, str) else rows


def _case(case: Any) -> Row:
    """Return the input and the scores of a test case."""
    metrics = lookup(case, ["metricsData"])
    scores = {
        f"{SCORE}{lookup(each, ['name'])}": None if lookup(each, ["error"]) else each.get("score")
        for each in (metrics if isinstance(metrics, list) else [])
        if isinstance(each, dict)
    }
    named = lookup(case, ["input"]) or lookup(case, ["name"]) or None
    return {"id": named, "success": lookup(case, ["success"]), **scores}


ALPACA_EVAL = Format(
    "AlpacaEval annotations", kinds=frozenset({"jsonl", "parquet"}),
    companions=r"(model|reference)_outputs\.json",
    fields=frozenset({"instruction", "generator_1", "generator_2", "preference"}),
    read=of_rows(
        _preferences, same=("baseline", "annotator"),
        roles={"model": "generator_2", "id": "instruction", "baseline": "generator_1"},
    ),
)  # fmt: skip
MT_BENCH = Format(
    "MT-Bench grading", kinds=frozenset({"jsonl"}), read=of_rows(_grades, up=True),
    fields=frozenset({"question_id", "model", "judge", "score", "turn"}),
)  # fmt: skip


def _read_test_runs(files: Sequence[File]) -> Records:
    """Read test runs; files name the models if several are of one, as of two prompts."""
    records = of_rows(_test_cases)(files)
    if "model" in records.frame and records.frame["model"].nunique() < len(files):
        return replace(records, frame=records.frame.drop(columns="model"))
    return records


DEEP_EVAL = Format(
    "DeepEval test run", kinds=frozenset({"json"}), read=_read_test_runs,
    looks_like=lambda file: lookup(_cases(file)[:1], ["0", "metricsData"]) is not None,
)  # fmt: skip
