"""The head of a model card: its results in YAML, as the Hugging Face Hub reads them.

https://github.com/huggingface/hub-docs/blob/main/modelcard.md
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from modelcompare.comparison.result import Comparison
from modelcompare.report import escape
from modelcompare.words import Kind, label_name, value_name

_TASKS: dict[Kind, str] = {
    "labels": "classification", "probabilities": "classification", "values": "regression",
    "texts": "text-generation", "text_lists": "text-generation", "scores": "evaluation",
}  # fmt: skip
# What https://hf.co/metrics calls otherwise; an average is an argument there.
_TYPES = {
    "matthews_corrcoef": "matthews_correlation", "pearson": "pearsonr", "spearman": "spearmanr",
    "r2": "r_squared", "bleu": "sacrebleu",
}  # fmt: skip
_AVERAGED = re.compile(r"(f1|precision|recall)_(macro|micro|weighted)")


def metadata(
    result: Comparison, model: str, *, task: str | None, dataset: str | None
) -> dict[str, Any]:
    """Name the model, what it was measured on, and every value that is defined, unrounded."""
    predictions = result.bootstrap.evaluation.predictions
    scores = result.scores[(result.scores["model"] == model) & result.scores["estimate"].notna()]
    values = zip(scores["metric"], scores["label"], scores["estimate"], strict=True)
    measured = dataset or predictions.name or "test set"
    found = {
        "task": {"type": task or _TASKS[predictions.output(model).kind]},
        "dataset": {"type": measured, "name": measured},
        "metrics": [_metric(*value) for value in values if math.isfinite(value[2])],
    }
    return {"model-index": [{"name": model, "results": [found]}]}


def _metric(name: str, label: Any, value: float) -> dict[str, Any]:
    averaged = _AVERAGED.fullmatch(name)
    kind = averaged[1] if averaged else _TYPES.get(name, name)
    entry: dict[str, Any] = {"type": kind, "value": float(value), "name": value_name(name, label)}
    if averaged:
        entry["args"] = {"average": averaged[2]}
    elif label_name(label):
        entry["args"] = {"label": label_name(label)}
    return entry


def front_matter(content: dict[str, Any]) -> str:
    """Write metadata as the block of YAML that a card begins with.

    >>> print(front_matter({"model-index": [{"name": "a: b", "value": 1e-05}]}))
    ---
    model-index:
    - name: "a: b"
      value: 1.0e-05
    ---
    """
    return "\n".join(["---", *_lines(content), "---"])


def _lines(content: dict[str, Any] | list[Any]) -> Iterator[str]:
    """Yield the lines of nested mappings and lists."""
    if isinstance(content, list):
        for part in content:
            first, *others = _lines(part)
            yield f"- {first}"
            yield from (f"  {line}" for line in others)
        return
    for name, part in content.items():
        if part == []:
            yield f"{name}: []"
        elif isinstance(part, dict | list):
            yield f"{name}:"
            inside = "  " if isinstance(part, dict) else ""
            yield from (f"{inside}{line}" for line in _lines(part))
        else:
            yield f"{name}: {escape.yaml(part)}"
