"""Results of generated programs: EvalPlus, BigCodeBench, HumanEval and BigCode's harness.

evalplus/evalplus 0.3.1, evaluate.py: a solution passes the extended tests if it passes both; up to
0.1 (``base`` and ``plus``, lists of a status and the tests) a pass was "success".
bigcode-project/bigcodebench 0.2, evaluate.py: one ``status``. openai/human-eval 6d43fb9,
evaluation.py: ``passed``. bigcode-project/bigcode-evaluation-harness 8fc5bae, custom_metrics/
code_eval.py: for each problem, pairs of a number and a result with ``passed``.

## logs

- [EvalPlus](https://github.com/evalplus/evalplus) | `*_eval_results.json` | `eval` with
  `base_status` | the folder or the file | one | task; solutions are answers | `base`, and `plus`
  where both pass | `modelcompare compare formats/evalplus/70-bad/*.json
  formats/evalplus/70-g/*.json`
- [BigCodeBench](https://github.com/bigcode-project/bigcodebench) | `*_eval_results.json` | `eval`
  with `status` | the file | one | task; solutions are answers | `status` | `modelcompare compare
  formats/bigcodebench/*.json`
- [HumanEval](https://github.com/openai/human-eval) | `*_results.jsonl` | `task_id`, `completion`,
  `passed` | the file | one | task; samples are answers | `passed` | `modelcompare compare
  formats/humaneval/*.jsonl`
- [BigCode harness](https://github.com/bigcode-project/bigcode-evaluation-harness) | `logs.json` |
  pairs of a number and a result with `passed`, for each problem | the file | one | problem;
  programs are answers | `passed` | `modelcompare compare formats/bigcode/*_logs.json`
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format
from modelcompare.readers.formats.rows import RIGHT, Row, of_rows, scores_of, stem_of
from modelcompare.readers.records import SCORE
from modelcompare.readers.tables import lookup

_STATUS = {
    "pass": 1.0, "success": 1.0, "fail": 0.0, "failed": 0.0, "timeout": 0.0, "timed out": 0.0,
    "error": 0.0,
}  # fmt: skip
_ENDING = r"(samples)?[-_.]?eval_results|(samples)?\.?jsonl_results|logs"


def _solutions(file: File) -> list[Row]:
    """Return the results of each solution with its task."""
    found = lookup(file.payload, ["eval"])
    rows: list[Row] = []
    for task, solutions in found.items() if isinstance(found, dict) else ():
        if isinstance(solutions, dict):
            tests = [solutions.get(name) for name in ("base", "plus")]
            listed = zip_longest(*(test if isinstance(test, list) else [] for test in tests))
            solutions = [
                {"base_status": lookup(base, ["0"]), "plus_status": lookup(plus, ["0"])}
                for base, plus in listed
            ]
        for solution in solutions if isinstance(solutions, list) else []:
            rows.append({**(solution if isinstance(solution, dict) else {}), "id": task})
    return rows


def _of_solutions(file: File) -> pd.DataFrame:
    table = pd.DataFrame(_solutions(file), dtype=object)
    scores = {
        SCORE + name.removesuffix("_status"): scores_of(table[name], _STATUS, name, file.name)
        for name in ("base_status", "plus_status", "status")
        if name in table and table[name].notna().any()
    }
    if {SCORE + "base", SCORE + "plus"} <= {*scores}:
        both = zip(scores[SCORE + "base"], scores[SCORE + "plus"], strict=True)
        scores[SCORE + "plus"] = [base * plus for base, plus in both]
    return table.assign(model=stem_of(file, _ENDING), **scores)


def _programs(file: File) -> list[Row]:
    """Return the results in a document of pairs for each problem; empty for another document."""
    found = file.payload if isinstance(file.payload, dict) else {}
    rows = [
        {"id": problem, "result": lookup(pair, ["1"])}
        for problem, pairs in found.items()
        for pair in (pairs if isinstance(pairs, list) else [None])
    ]
    if not all(isinstance(row["result"], dict) and "passed" in row["result"] for row in rows):
        return []
    return [{"id": row["id"], **row["result"]} for row in rows]


def _with_passes(table: pd.DataFrame, file: File) -> pd.DataFrame:
    passed = scores_of(table["passed"], RIGHT, "passed", file.name)
    return table.assign(**{"model": stem_of(file, _ENDING), SCORE + "passed": passed})


def _has(name: str) -> Callable[[File], bool]:
    return lambda file: any(name in row for row in _solutions(file)[:1])


EVAL_PLUS = Format(
    "EvalPlus results", kinds=frozenset({"json"}), read=of_rows(_of_solutions, up=True),
    looks_like=_has("base_status"), companions=r".*samples.*\.jsonl",
)  # fmt: skip
BIG_CODE_BENCH = Format(
    "BigCodeBench results", kinds=frozenset({"json"}), read=of_rows(_of_solutions, up=True),
    looks_like=_has("status"), companions=r".*\.jsonl|.*pass_at_k\.json",
)  # fmt: skip
HUMAN_EVAL = Format(
    "HumanEval results", kinds=frozenset({"jsonl"}),
    read=of_rows(lambda file: _with_passes(file.payload.assign(id=file.payload["task_id"]), file)),
    fields=frozenset({"task_id", "completion", "passed"}),
)  # fmt: skip
BIG_CODE = Format(
    "BigCode results", kinds=frozenset({"json"}), looks_like=lambda file: bool(_programs(file)),
    read=of_rows(lambda file: _with_passes(pd.DataFrame(_programs(file), dtype=object), file)),
)  # fmt: skip
