"""Results of promptfoo, as ``promptfoo eval -o results.json`` or ``results.jsonl`` writes them.

promptfoo/promptfoo 0.123.1, src/types/index.ts (EvaluateResult, ResultFailureReason; a failure of
kind 2 is an error, not an answer) and src/evaluator.ts (buildCompletedPrompts): a column of its
table is a provider with a prompt, and so is a model here; each repetition of a test has an index of
its own, and all have the same variables.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

import pandas as pd

from modelcompare.readers.formats.base import Format, Opened
from modelcompare.readers.records import SCORE, Records

_FIELDS = ("provider", "vars", "success", "score", "namedScores")
_ERROR = 2
_LONGEST_LABEL = 40
_LONGEST_ID = 80
_BESIDE = ("description", "vars", "failureReason", "error", "latencyMs", "cost")

_Result = dict[str, Any]
_Name = TypeVar("_Name", bound=Hashable)


def recognises(file: Opened) -> bool:
    """Return whether a file holds results with a provider, variables and scores."""
    if file.kind == "jsonl":
        return {*_FIELDS} <= {*file.payload.frame.columns}
    results = _listed(file.payload)
    first = results[0] if results else None
    return isinstance(first, dict) and first.keys() >= {*_FIELDS}


def read_results(files: Sequence[Opened]) -> Records:
    """Rows by provider and prompt, test and repetition.

    The prompt is part of a model's name where there are several.
    """
    results = [(file, result) for file in files for result in _results(file)]
    models = _models(results)
    ids = _ids([result for _, result in results])
    frame = pd.DataFrame({"model": models, "id": ids})
    runs = frame.groupby(["model", "id"]).cumcount() + 1
    if (runs > 1).any():
        frame.insert(1, "run", runs)
    scores = pd.DataFrame([_scores(file, result) for file, result in results])
    beside = pd.DataFrame([_beside(file, result) for file, result in results])
    return Records(
        frame=pd.concat([frame, scores.add_prefix(SCORE)], axis=1),
        beside=beside.dropna(axis="columns", how="all"), kind="scores",
    )  # fmt: skip


def _listed(document: Any) -> list[Any]:
    """The results in a document, which stand in a summary, alone or in a larger report."""
    for _ in range(2):
        document = document.get("results") if isinstance(document, dict) else document
    return document if isinstance(document, list) else []


def _results(file: Opened) -> list[_Result]:
    """The results of a file in the order of its tests and columns."""
    results = _rows(file.payload.frame) if file.kind == "jsonl" else _listed(file.payload)
    for number, result in enumerate(results, start=1):
        if not (isinstance(result, dict) and result.keys() >= {*_FIELDS}):
            raise ValueError(
                f"{file.name}: result {number:,} lacks one of {', '.join(_FIELDS)}; write the "
                "results again with promptfoo."
            )
    return sorted(
        results, key=lambda result: (_index(result, "testIdx"), _index(result, "promptIdx"))
    )


def _rows(frame: pd.DataFrame) -> list[_Result]:
    """Rows without the cells that their lines lacked."""
    is_there = frame.notna().to_numpy()
    rows = zip(frame.to_dict("records"), is_there, strict=True)
    return [
        {str(name): cell for (name, cell), there in zip(row.items(), mask, strict=True) if there}
        for row, mask in rows
    ]


def _index(result: _Result, name: str) -> int:
    value = result.get(name)
    return int(value) if isinstance(value, int | float) and math.isfinite(value) else 0


def _models(results: Sequence[tuple[Opened, _Result]]) -> list[str]:
    """Name of the column of promptfoo's table that each result stands in."""
    prompts = [*dict.fromkeys(_prompt(result) for _, result in results)]
    labels = {
        prompt: prompt if len(prompt) <= _LONGEST_LABEL and "\n" not in prompt else f"prompt {n}"
        for n, prompt in enumerate(prompts, start=1)
    }
    found = []
    for file, result in results:
        provider, prompt = _provider(result), _prompt(result)
        name = provider if len(prompts) == 1 else f"{provider} / {labels[prompt]}"
        column = (file.path, str(result.get("promptIdx")), provider, prompt)
        found.append(((file.path, name), column))
    return [name if n == 1 else f"{name} #{n}" for (_, name), n in _numbered(found)]


def _numbered(named: Iterable[tuple[_Name, Hashable]]) -> list[tuple[_Name, int]]:
    """Names, and which of the things of that name each is the name of."""
    things: dict[_Name, dict[Hashable, int]] = {}
    found = []
    for name, thing in named:
        of_name = things.setdefault(name, {})
        found.append((name, of_name.setdefault(thing, len(of_name) + 1)))
    return found


def _provider(result: _Result) -> str:
    provider = result["provider"]
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    return str(provider)


def _prompt(result: _Result) -> str:
    prompt = result.get("prompt")
    return str(prompt.get("label", "") if isinstance(prompt, dict) else prompt)


def _ids(results: Sequence[_Result]) -> list[str]:
    """Names of tests; those of the same description, variables and assertions are one."""
    found = []
    for result in results:
        test = _test(result)
        variables = test.get("vars") or result["vars"] or {}
        described = str(test.get("description") or _listed_vars(variables))
        identity = json.dumps([described, variables, test.get("assert")], sort_keys=True)
        found.append((described[:_LONGEST_ID] or "test", identity))
    return [name if n == 1 else f"{name} ({n})" for name, n in _numbered(found)]


def _listed_vars(variables: Any) -> str:
    if not isinstance(variables, dict):
        return str(variables)
    return ", ".join(f"{name}={value}" for name, value in variables.items())


def _test(result: _Result) -> dict[str, Any]:
    test = result.get("testCase")
    return test if isinstance(test, dict) else {}


def _scores(file: Opened, result: _Result) -> dict[str, float]:
    """Success, score and named scores; those of an error are missing."""
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
    if _is_error(result):
        return dict.fromkeys(scores, math.nan)
    return {name: float(value) for name, value in scores.items()}


def _is_error(result: _Result) -> bool:
    """Return whether there was no answer to score, which before 2024-11 no field said."""
    if "failureReason" in result:
        return bool(result["failureReason"] == _ERROR)
    return bool(result.get("error")) and not result.get("gradingResult")


def _beside(file: Opened, result: _Result) -> dict[str, Any]:
    test = _test(result)
    return {
        "file": file.name,
        "provider": _provider(result),
        "prompt": _prompt(result),
        "metadata": test.get("metadata"),
        **{name: test.get(name, result.get(name)) for name in _BESIDE},
    }


FORMAT = Format("promptfoo results", frozenset({"json", "jsonl"}), recognises, read_results)
