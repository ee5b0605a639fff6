"""A model card: evaluation data, values with intervals, values by subgroup, and calibration.

It begins with the results in YAML, as the Hugging Face Hub reads them:
https://github.com/huggingface/hub-docs/blob/main/modelcard.md
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from modelcompare import escape
from modelcompare.arguments import checked
from modelcompare.comparison.compare import compare
from modelcompare.comparison.compare_groups import compare_groups, slices_of, subgroups
from modelcompare.comparison.result import Comparison
from modelcompare.comparison.tables import better_side
from modelcompare.data.checks import check_models
from modelcompare.data.predictions import Predictions
from modelcompare.data.sizes import once
from modelcompare.data.test_set import TestSet
from modelcompare.metrics import METRICS, UndefinedMetricWarning
from modelcompare.metrics.registry import MetricLike
from modelcompare.plugins.paper.words import CardFormat
from modelcompare.report.json_text import json_document
from modelcompare.report.tables import Table, column, interval_column
from modelcompare.report.writers.formats import markdown
from modelcompare.words import (
    check_mapping,
    check_text,
    label_name,
    value_name,
)

# Metrics with other names at https://hf.co/metrics, where the average is an argument.
_TYPES = {
    "matthews_corrcoef": "matthews_correlation", "pearson": "pearsonr", "spearman": "spearmanr",
    "r2": "r_squared", "bleu": "sacrebleu",
}  # fmt: skip
_AVERAGED = re.compile(r"(f1|precision|recall)_(macro|micro|weighted)")


@checked(compare, task=check_text, dataset=check_text)
def model_card(
    predictions: Predictions, model: str, metrics: MetricLike | Sequence[MetricLike] | None = None,
    *, details: Mapping[str, str] | None = None, min_size: int = 30, task: str | None = None,
    dataset: str | None = None, form: CardFormat = "markdown", **options: Any,
) -> str:  # fmt: skip
    """Write the measured parts of a model card (Mitchell et al. 2019).

    The Markdown begins with the metadata that the Hugging Face Hub reads, so that it can be the
    README of a model there. Then come the evaluation data, values with intervals (by class for
    metrics per class), subgroups from worst to best, calibration if there are probabilities, and
    the other models for comparison. Parts that cannot be measured, such as the intended use, are
    given in `details`.

    Parameters
    ----------
    predictions : Predictions
        The test set; the other models are those that `model` is compared with.
    model : str
        The model that the card describes.
    metrics : name, metric, callable, or sequence of these, optional
        As in `compare`.
    details : mapping of str to str, optional
        Headings and texts for the top: ``{"Intended use": "..."}``; the texts are Markdown.
    min_size : int
        Smallest number of samples of a subgroup; smaller ones are listed without values.
    task, dataset : str, optional
        Their names on the Hub: ``"text-classification"``, ``"stanfordnlp/snli"``. By default the
        task is inferred from the predictions, and the dataset is the file that they were read from.
    form : {"markdown", "text", "json", "eval-results"}
        Markdown with the metadata, Markdown without them, or only the metadata, as JSON;
        "eval-results" is the YAML of a file in the folder ``.eval_results`` of a model on the
        Hub, of one value: `dataset` is the benchmark, `task` its task ("default" if not given).
    **options
        As for `compare`.

    Raises
    ------
    ValueError
        If the model or the form does not exist; if there is no single value for "eval-results".

    Examples
    --------
    >>> import modelcompare as mc
    >>> card = mc.studies.model_card(mc.load_example("snli"), "mlp", "accuracy", n_resamples=999)
    >>> "# Model card: mlp" in card.splitlines()
    True
    >>> print(card.partition("# ")[0])
    ---
    model-index:
    - name: "mlp"
      results:
      - task:
          type: "classification"
        dataset:
          type: "snli.npz"
          name: "snli.npz"
        metrics:
        - type: "accuracy"
          value: 0.57970...
          name: "accuracy"
    ---
    <BLANKLINE>
    """
    check_models(predictions.models, model=model)
    if details is not None:
        check_mapping("details", details, "texts", kind=str)
    with warnings.catch_warnings():
        # The card lists undefined values itself.
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        result = compare(predictions, metrics, **options)
        if form == "json":
            return json_document(metadata(result, model, task=task, dataset=dataset))
        if form == "eval-results":
            return "\n".join(_lines(_eval_results(result, model, task, dataset))) + "\n"
        tables = _tables(result, predictions, model, metrics, min_size, options)
    text = _text(result, model, details or {}, tables)
    if form == "text":
        return text
    return f"{front_matter(metadata(result, model, task=task, dataset=dataset))}\n\n{text}"


def _text(
    result: Comparison, model: str, details: Mapping[str, str], tables: Sequence[Table]
) -> str:
    """Join the title, `details`, the comparison with other models, and the tables."""
    parts = [f"# Model card: {escape.markdown(model)}"]
    for heading, text in details.items():
        parts += [f"## {escape.markdown(heading)}", text]
    if len(result.evidence.models) > 1:
        parts += ["## Compared with", *map(escape.markdown, result.document().sentences)]
    return "\n\n".join([*parts, markdown(tables, result.signature)])


def _tables(
    result: Comparison, predictions: Predictions, model: str, metrics: Any, min_size: int,
    options: Mapping[str, Any],
) -> list[Table]:  # fmt: skip
    tables = [_evaluation_data(once(predictions, model)), *_scores(result, model)]
    if predictions.slices is not None:
        tables.append(_subgroups(predictions, model, metrics, min_size, options))
    if predictions.access.kinds[model].distribution:
        tables.append(_calibration(predictions[model], options))
    return tables


def _evaluation_data(predictions: TestSet) -> Table:
    access = predictions.access
    rows = [("Samples", f"{len(predictions):,}")]
    if predictions.name is not None:
        rows.insert(0, ("Source", predictions.name))
    if predictions.groups is not None:
        rows.append(("Clusters", f"{len(np.unique(predictions.groups)):,}"))
    if predictions.labels is not None and access.codes is not None:
        support = np.bincount(access.codes, minlength=access.n_classes)
        for label, n in list(zip(predictions.labels.tolist(), support, strict=True))[:20]:
            rows.append((f"Class {label}", f"{n:,} ({100 * n / len(predictions):.1f} %)"))
        if access.n_classes > 20:
            rows.append((f"{access.n_classes - 20} more classes", ""))
    frame = pd.DataFrame(rows, columns=["what", "this"])
    return Table("Evaluation data", [column("", "what"), column("", "this")], frame)


def _scores(result: Comparison, model: str) -> list[Table]:
    frame = result.scores[result.scores["model"] == model]
    frame = frame.assign(label=frame["label"].where(frame["label"].notna(), "all"))
    tables = []
    for metric, part in frame.groupby("metric", sort=False):
        title = f"{metric} ({better_side(result.evidence, metric)})"
        columns = ("label", "estimate", interval_column(result.evidence.confidence_level))
        tables.append(Table.of(title, part, *columns, decimals=None))
    undefined = int(frame["n_undefined"].sum())
    if undefined:
        note = (
            f"{undefined:,} replicates were undefined (0 / 0); intervals that resample use the "
            "others."
        )
        tables[-1] = replace(tables[-1], notes=[note])
    return tables


def _subgroups(
    predictions: Predictions, model: str, metrics: Any, min_size: int, options: Mapping[str, Any]
) -> Table:
    if not subgroups(predictions, slices_of(predictions, None), min_size)[0]:
        nothing = pd.DataFrame(columns=["subgroup", "samples"])
        note = f"No subgroup has {min_size} samples."
        return Table("Subgroups", [column("subgroup"), column("samples")], nothing, notes=[note])
    # With one model there are no differences to correct for.
    kept = {name: value for name, value in options.items() if name != "correction"}
    found = compare_groups(predictions[model], metrics, min_size=min_size, **kept)
    small = [f"{row.slice} = {row.value} ({row.n_samples})" for row in found.left_out.itertuples()]
    table = found.document().tables["scores"]
    columns = [each for each in table.columns if each.title != "model"]
    return replace(
        table, columns=columns, notes=[f"Too small to report: {', '.join(small)}."] if small else []
    )


def _calibration(predictions: Predictions, options: Mapping[str, Any]) -> Table:
    names = [name for name in ("ece", "brier_score", "log_loss") if name in METRICS]
    drawn = ("n_resamples", "rng", "confidence_level", "scheme", "generalize_to")
    kept = {name: value for name, value in options.items() if name in drawn}
    result = compare(predictions, names, method="percentile", **kept)
    columns = ("metric", "estimate", interval_column(result.evidence.confidence_level))
    return Table.of("Calibration (lower is better)", result.scores, *columns, decimals=None)


def metadata(
    result: Comparison, model: str, *, task: str | None, dataset: str | None
) -> dict[str, Any]:
    """Return the model, the dataset, and all defined values, unrounded, as the Hub's metadata."""
    predictions = result.bootstrap.evaluation.predictions
    scores = result.scores[(result.scores["model"] == model) & result.scores["estimate"].notna()]
    values = zip(scores["metric"], scores["label"], scores["estimate"], strict=True)
    measured = dataset or predictions.name or "test set"
    found = {
        "task": {"type": task or predictions.access.kinds[model].task},
        "dataset": {"type": measured, "name": measured},
        "metrics": [_metric(*value) for value in values if math.isfinite(value[2])],
    }
    return {"model-index": [{"name": model, "results": [found]}]}


def _eval_results(
    result: Comparison, model: str, task: str | None, dataset: str | None
) -> list[Any]:
    """Return the one value as an entry of ``.eval_results`` (huggingface_hub, EvalResultEntry)."""
    scores = result.scores[result.scores["model"] == model]
    if dataset is None:
        raise ValueError("`dataset` must name the benchmark on the Hub, as 'cais/hle'.")
    if len(scores) != 1 or not math.isfinite(scores["estimate"].iloc[0]):
        values = ", ".join(map(value_name, scores["metric"], scores["label"]))
        raise ValueError(
            f"form='eval-results' has one value of a benchmark, got {values}; name one."
        )
    (found,) = scores.to_dict("records")
    level = 100 * result.evidence.confidence_level
    interval = f"{level:g} % CI {found['ci_low']:.6g} to {found['ci_high']:.6g}"
    name = value_name(found["metric"], found["label"])
    entry = {
        "dataset": {"id": dataset, "task_id": task or "default"}, "value": float(found["estimate"]),
        "notes": f"{name}, {interval}; {result.signature}",
    }  # fmt: skip
    return [entry]


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
    """Write metadata as the YAML block at the start of a card.

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
