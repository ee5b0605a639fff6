"""Results of generated programs: EvalPlus, BigCodeBench, HumanEval and BigCode's harness.

evalplus/evalplus 0.3.1, evaluate.py: a solution passes the extended tests if it passes both; up to
0.1 (``base`` and ``plus``, lists of a status and the tests) a pass was "success".
bigcode-project/bigcodebench 0.2, evaluate.py: one ``status``. openai/human-eval 6d43fb9,
evaluation.py: ``passed``. bigcode-project/bigcode-evaluation-harness 8fc5bae, custom_metrics/
code_eval.py: for each problem, pairs of a number and a result with ``passed``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.rows import Row, of_rows, scored, stem_of
from modelcompare.readers.records import SCORE
from modelcompare.readers.tables import reached

_STATUS = {
    "pass": 1.0, "success": 1.0, "fail": 0.0, "failed": 0.0, "timeout": 0.0, "timed out": 0.0,
    "error": 0.0,
}  # fmt: skip
_PASSED = {True: 1.0, False: 0.0}
_ENDING = r"(samples)?[-_.]?eval_results|(samples)?\.?jsonl_results|logs"


def _solutions(file: File) -> Iterator[tuple[str, Row]]:
    """Yield the task and the results of each solution."""
    found = reached(file.payload, ["eval"])
    for task, solutions in found.items() if isinstance(found, dict) else ():
        if isinstance(solutions, dict):
            tests = [solutions.get(name) for name in ("base", "plus")]
            listed = zip_longest(*(test if isinstance(test, list) else [] for test in tests))
            solutions = [
                {"base_status": reached(base, ["0"]), "plus_status": reached(plus, ["0"])}
                for base, plus in listed
            ]
        for solution in solutions if isinstance(solutions, list) else []:
            yield task, solution if isinstance(solution, dict) else {}


def _first(file: File) -> Row:
    return next((solution for _, solution in _solutions(file)), {})


def _of_solutions(file: File) -> pd.DataFrame:
    tasks, solutions = zip(*_solutions(file), strict=True)
    table = pd.DataFrame(solutions, dtype=object)
    scores = {
        SCORE + name.removesuffix("_status"): scored(table[name], _STATUS, name, file.name)
        for name in ("base_status", "plus_status", "status")
        if name in table and table[name].notna().any()
    }
    if {SCORE + "base", SCORE + "plus"} <= {*scores}:
        both = zip(scores[SCORE + "base"], scores[SCORE + "plus"], strict=True)
        scores[SCORE + "plus"] = [base * plus for base, plus in both]
    table = table.drop(columns=["model", "id"], errors="ignore")
    return table.assign(id=tasks, model=stem_of(file, _ENDING), **scores)


def _of_completions(file: File) -> pd.DataFrame:
    table = file.payload
    passed = scored(table["passed"], _PASSED, "passed", file.name)
    model = stem_of(file, _ENDING)
    return table.assign(**{"id": table["task_id"], "model": model, SCORE + "passed": passed})


def _logged(file: File) -> list[Row]:
    """Return the results in a document of pairs for each problem; empty for another document."""
    found = file.payload if isinstance(file.payload, dict) else {}
    lists = [pairs if isinstance(pairs, list) else [None] for pairs in found.values()]
    results = [
        (problem, reached(pair, ["1"]))
        for problem, pairs in zip(found, lists, strict=True)
        for pair in pairs
    ]
    if not all(isinstance(each, dict) and "passed" in each for _, each in results):
        return []
    return [{"id": problem, **each} for problem, each in results]


def _of_logs(file: File) -> pd.DataFrame:
    table = pd.DataFrame(_logged(file), dtype=object)
    passed = scored(table["passed"], _PASSED, "passed", file.name)
    return table.assign(**{"model": stem_of(file, _ENDING), SCORE + "passed": passed})


def _has(*names: str) -> Any:
    return lambda file: not {*names}.isdisjoint(_first(file))


EVAL_PLUS = of_rows(
    "EvalPlus results", _of_solutions, kinds=frozenset({"json"}), looks_like=_has("base_status"),
    companions=r".*samples.*\.jsonl",
)  # fmt: skip
BIG_CODE_BENCH = of_rows(
    "BigCodeBench results", _of_solutions, kinds=frozenset({"json"}), looks_like=_has("status"),
    companions=r".*\.jsonl|.*pass_at_k\.json",
)  # fmt: skip
HUMAN_EVAL = of_rows(
    "HumanEval results", _of_completions, kinds=frozenset({"jsonl"}),
    fields=frozenset({"task_id", "completion", "passed"}),
)  # fmt: skip
BIG_CODE = of_rows(
    "BigCode results", _of_logs, kinds=frozenset({"json"}), looks_like=lambda f: bool(_logged(f)),
)  # fmt: skip
