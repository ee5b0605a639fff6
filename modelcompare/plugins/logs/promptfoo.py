"""Results of promptfoo, as ``promptfoo eval -o results.json`` or ``results.jsonl`` writes them.

promptfoo/promptfoo 0.123.1, src/types/index.ts (EvaluateResult, ResultFailureReason; a failure of
kind 2 is an error, not an answer) and src/evaluator.ts (buildCompletedPrompts): a column of its
table is a provider with a prompt, and so is a model here; each repetition of a test has its own
index, and all have the same variables.

## logs

- [promptfoo](https://www.promptfoo.dev) | `.json`, `.jsonl` | `results.results` with `provider` and
  `vars` | provider, and prompt where there are several | one | the variables; repeats are runs |
  `success`, `score`, every named score; errors (`failureReason` 2) are missing | `modelcompare
  compare formats/promptfoo/results.json --missing worst`
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format, is_missing
from modelcompare.readers.formats.rows import with_run_numbers
from modelcompare.readers.records import SCORE, Records

_FIELDS = ("provider", "vars", "success", "score", "namedScores")
_ERROR = 2
_LONGEST_LABEL = 40
_LONGEST_ID = 80
_BESIDE = ("description", "vars", "failureReason", "error", "latencyMs", "cost")

_Result = dict[str, Any]


def read_results(files: Sequence[File]) -> Records:
    """Read rows by provider and prompt, test and repetition.

    The prompt is part of a model's name if there are several.
    """
    results = [(file, result) for file in files for result in _results(file)]
    beside = pd.DataFrame([_beside(file, result) for file, result in results])
    index = [(str(file.path), str(result.get("promptIdx"))) for file, result in results]
    frame = pd.DataFrame(
        {
            "model": _models(beside["provider"], beside["prompt"], index),
            "id": _ids([result for _, result in results]),
        }
    )
    frame, _ = with_run_numbers(frame)
    scores = pd.DataFrame([_scores(file, result) for file, result in results])
    return Records(
        frame=pd.concat([frame, scores.add_prefix(SCORE)], axis=1),
        beside=beside.dropna(axis="columns", how="all"), kind="scores", answers=True,
        greater_is_better=True,
    )  # fmt: skip


def _within(document: Any) -> list[Any]:
    """Return the results in a document: a summary, alone or in a larger report."""
    for _ in range(2):
        document = document.get("results") if isinstance(document, dict) else document
    return document if isinstance(document, list) else []


def _is_result(result: Any) -> bool:
    return isinstance(result, dict) and result.keys() >= {*_FIELDS}


def _results(file: File) -> list[_Result]:
    """Return the results of a file in the order of its tests and columns."""
    results = _rows(file.payload) if file.kind == "jsonl" else _within(file.payload)
    for number, result in enumerate(results, start=1):
        if not _is_result(result):
            raise ValueError(
                f"{file.name}: result {number:,} lacks one of {', '.join(_FIELDS)}; write the "
                "results again with promptfoo."
            )
    return sorted(
        results, key=lambda result: (_index(result, "testIdx"), _index(result, "promptIdx"))
    )


def _rows(frame: pd.DataFrame) -> list[_Result]:
    """Return rows without the cells that their lines lacked."""
    return [
        {str(name): cell for name, cell in row.items() if not is_missing(cell)}
        for row in frame.to_dict("records")
    ]


def _index(result: _Result, name: str) -> int:
    value = result.get(name)
    return int(value) if isinstance(value, int | float) and math.isfinite(value) else 0


def _models(
    providers: pd.Series[str], prompts: pd.Series[str], index: Sequence[tuple[str, str]]
) -> list[str]:
    """Return the column of promptfoo's table that each result is in."""
    texts = prompts.unique()
    labels = {
        text: text if len(text) <= _LONGEST_LABEL and "\n" not in text else f"prompt {n}"
        for n, text in enumerate(texts, start=1)
    }
    names = providers if len(texts) == 1 else providers + " / " + prompts.map(labels)
    columns = [*zip(index, prompts, strict=True)]
    return _number_repeated(names, columns, "{} #{}", by=[file for file, _ in index])


def _number_repeated(
    names: Sequence[str] | pd.Series[str], things: Sequence[Any], form: str,
    by: Sequence[str] | None = None,
) -> list[str]:  # fmt: skip
    """Number repeated names of different things, from the second on."""
    named = pd.DataFrame({"name": names, "by": by, "thing": things})
    number = named.groupby(["by", "name"], dropna=False, sort=False)["thing"].transform(
        lambda each: pd.factorize(each)[0] + 1
    )
    return [name if n == 1 else form.format(name, n) for name, n in zip(names, number, strict=True)]


def _provider(result: _Result) -> str:
    provider = result["provider"]
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    return str(provider)


def _ids(results: Sequence[_Result]) -> list[str]:
    """Name the tests; equal description, variables and assertions make one test."""
    names, identities = [], []
    for result in results:
        test = _test(result)
        variables = test.get("vars") or result["vars"] or {}
        listed = variables if isinstance(variables, dict) else {}
        described = ", ".join(f"{name}={value}" for name, value in listed.items())
        described = str(test.get("description") or described or variables or "")
        names.append(described[:_LONGEST_ID] or "test")
        identities.append(json.dumps([described, variables, test.get("assert")], sort_keys=True))
    return _number_repeated(names, identities, "{} ({})")


def _test(result: _Result) -> dict[str, Any]:
    test = result.get("testCase")
    return test if isinstance(test, dict) else {}


def _scores(file: File, result: _Result) -> dict[str, float]:
    """Return success, score and named scores; all are missing for an error."""
    named = result["namedScores"] if isinstance(result["namedScores"], dict) else {}
    scores = {"success": result["success"], "score": result["score"]}
    for name, value in named.items():
        scores[f"namedScores/{name}" if name in ("success", "score") else name] = value
    for name, value in scores.items():
        if not isinstance(value, bool | int | float):
            raise ValueError(
                f"{file.name}: {name} of {_provider(result)} in test {result.get('testIdx')} is "
                f"{json.dumps(value)}, which is no number; correct it, or run promptfoo again."
            )
    return {name: math.nan if _is_error(result) else float(value) for name, value in scores.items()}


def _is_error(result: _Result) -> bool:
    """Return whether there was no answer to score; no field shows it before 2024-11."""
    if "failureReason" in result:
        return bool(result["failureReason"] == _ERROR)
    return bool(result.get("error")) and not result.get("gradingResult")


def _beside(file: File, result: _Result) -> dict[str, Any]:
    test, prompt = _test(result), result.get("prompt")
    return {
        "file": file.name,
        "provider": _provider(result),
        "prompt": str(prompt.get("label", "") if isinstance(prompt, dict) else prompt),
        "metadata": test.get("metadata"),
        **{name: test.get(name, result.get(name)) for name in _BESIDE},
    }


FORMAT = Format(
    "promptfoo results", frozenset({"json", "jsonl"}), read_results, fields=frozenset(_FIELDS),
    looks_like=lambda file: file.kind == "jsonl" or any(map(_is_result, _within(file.payload)[:1])),
)  # fmt: skip
