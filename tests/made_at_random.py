"""Small test sets and options drawn at random, and what must be true of every answer."""

from __future__ import annotations

import math
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd

import modelcompare as mc
from modelcompare import words

Draw = np.random.Generator
Question = tuple[str, Callable[[], Any]]

METRICS = {
    "labels": [
        "accuracy", "f1", "f1_macro", "precision", "recall_weighted", "f2_macro", "jaccard_micro",
        "mcc", "kappa", "balanced_accuracy", "specificity", "zero_one_loss",
    ],
    "probabilities": [
        "accuracy", "f1", "cf1", "cf1_macro", "cprecision", "log_loss", "brier_score", "ece",
        "debiased_ece", "roc_auc", "roc_auc_ovr", "average_precision", "average_precision_macro",
        "cmcc", "mce_mass", "top_2_accuracy", "roc_auc_at_0.2",
    ],
    "values": ["rmse", "mse", "mae", "r2", "pearson", "spearman", "median_absolute_error", "explained_variance", "kendall", "msle", "perplexity"],
    "scores": ["mean_score"],
    "texts": ["wer", "cer", "bleu", "chrf", "exact_match", "ter", "wer_per_text"],
}  # fmt: skip


def predictions(draw: Draw) -> tuple[mc.Predictions, str]:
    """A small test set, and the kind of its outputs."""
    n = int(draw.integers(2, 31))
    n_models = int(draw.choice([1, 2, 2, 2, 3, 4]))
    kind = str(draw.choice(["labels", "probabilities", "values", "scores", "texts"]))
    truth, outputs, labels = _DRAWN[kind](draw, n, n_models)
    if len(outputs) > 1 and draw.random() < 0.15:
        outputs["m1"] = outputs["m0"]
    options: dict[str, Any] = {} if labels is None else {"labels": labels}
    if draw.random() < 0.25:
        options["sample_weight"] = _weights(draw, n)
    if draw.random() < 0.25:
        options["groups"] = draw.integers(0, draw.integers(1, n + 1), n)
    elif draw.random() < 0.2:
        options["strata"] = draw.integers(0, 3, n)
    if draw.random() < 0.2:
        options["runs"] = draw.integers(0, 2, n)
    if draw.random() < 0.2:
        options["slices"] = {"half": draw.integers(0, 2, n)}
    if kind == "scores":
        better = bool(draw.integers(2))
        return mc.Predictions.from_scores(outputs, greater_is_better=better, **options), kind
    return mc.Predictions(truth, outputs, kind=kind, **options), kind


def _labels(draw: Draw, n: int, n_models: int) -> Any:
    names = [["a", "b"], [0, 1], ["x", "y", "z"], list(range(5))][draw.integers(4)]
    seen = names[: draw.integers(1, len(names) + 1)]
    truth = draw.choice(seen, n)
    said = {f"m{i}": np.where(draw.random(n) < draw.choice([0, 0.5, 0.9, 1]), truth,
                              draw.choice(names, n)) for i in range(n_models)}  # fmt: skip
    return truth, said, names


def _probabilities(draw: Draw, n: int, n_models: int) -> Any:
    names = [["a", "b"], [0, 1, 2], list(range(6))][draw.integers(3)]
    truth = draw.choice(names[: draw.integers(1, len(names) + 1)], n)
    said = {}
    for i in range(n_models):
        p = draw.dirichlet(np.full(len(names), draw.choice([0.05, 1.0, 20.0])), n)
        if draw.random() < 0.2:
            p = np.eye(len(names))[draw.integers(0, len(names), n)]
        if draw.random() < 0.1:
            p = np.tile(p[:1], (n, 1))
        said[f"m{i}"] = p
    return truth, said, names


def _values(draw: Draw, n: int, n_models: int) -> Any:
    truth = _numbers(draw, n)
    return truth, {f"m{i}": draw.choice([0, 1]) * truth + _numbers(draw, n)
                   for i in range(n_models)}, None  # fmt: skip


def _scores(draw: Draw, n: int, n_models: int) -> Any:
    return None, {f"m{i}": _numbers(draw, n) for i in range(n_models)}, None


def _numbers(draw: Draw, n: int) -> Any:
    scale = 10.0 ** draw.choice([0] * 20 + [-8, 8, -17, 17, -300, 300])
    shape = draw.integers(4)
    if shape == 0:
        return np.full(n, scale * draw.normal())
    if shape == 1:
        return scale * draw.integers(0, 2, n)
    return scale * (draw.normal(size=n) + 3 * draw.integers(0, 2))


def _texts(draw: Draw, n: int, n_models: int) -> Any:
    def some() -> str:
        return " ".join(draw.choice(["the", "cat", "sat", "on", "mats"], draw.integers(0, 6)))

    truth = np.array([some() or "the" for _ in range(n)], dtype=object)
    said = {
        f"m{i}": np.array([t if draw.random() < 0.5 else some() for t in truth], dtype=object)
        for i in range(n_models)
    }
    return truth, said, None


def _weights(draw: Draw, n: int) -> Any:
    weights = draw.choice([0.0, 1.0, 2.5, 1e-9, 1e9], n, p=[0.2, 0.4, 0.3, 0.05, 0.05])
    return weights if weights.any() else np.ones(n)


_DRAWN: dict[str, Callable[[Draw, int, int], Any]] = {
    "labels": _labels, "probabilities": _probabilities, "values": _values, "scores": _scores,
    "texts": _texts,
}  # fmt: skip


def questions(draw: Draw) -> list[Question]:
    """A comparison of a test set drawn at random, and one other question about it."""
    preds, kind = predictions(draw)
    several = [str(name) for name in draw.permutation(METRICS[kind])[: draw.integers(1, 4)]]
    compared = {
        **_common(draw), "metrics": several, "test": _one_of(draw, words.PairsTest),
        "method": "auto" if draw.random() < 0.5 else _one_of(draw, words.IntervalMethod),
        "correction": _one_of(draw, words.Correction), "family": _one_of(draw, words.Family),
        "scheme": _one_of(draw, words.Scheme) if draw.random() < 0.3 else "multinomial",
        "confidence_level": float(draw.choice([0.5, 0.8, 0.95, 0.999])),
        "baseline": preds.models[-1] if draw.random() < 0.3 else None,
    }  # fmt: skip
    others = _others(draw, preds, several[0])
    return [
        ("compare", lambda: mc.compare(preds, **compared)),
        others[draw.integers(len(others))],
    ]


def _others(draw: Draw, preds: mc.Predictions, metric: str) -> list[Question]:
    label = None if preds.labels is None else preds.labels.tolist()[0]
    of_value = {"metric": metric}
    if mc.get_metric(metric).per_class:
        of_value["label"] = label
    options = {**of_value, **_common(draw)}
    alternative, unpaired = _one_of(draw, words.Alternative), _one_of(draw, words.UnpairedTest)
    last = preds[preds.models[-1]]
    alone = [(f"unpaired_test {unpaired}", lambda: mc.unpaired_test(
        preds["m0"], last, method=unpaired, alternative=alternative, **options
    ))]  # fmt: skip
    if len(preds.models) == 1:
        return alone
    test, kind = _one_of(draw, words.PairedTest), _one_of(draw, words.Decision)
    margin = float(draw.choice([1e-9, 0.01, 0.1, 10]))
    interval = "auto" if draw.random() < 0.5 else _one_of(draw, words.IntervalMethod)
    return [
        *alone,
        (f"paired_test {test}", lambda: mc.paired_test(
            preds, "m0", "m1", method=test, alternative=alternative, **options
        )),
        (f"decide {kind}", lambda: mc.decide(
            preds, "m0", "m1", kind=kind, margin=margin, method=interval, **options
        )),
        ("sample_size", lambda: mc.sample_size(preds, "m0", "m1", **of_value)),
    ]  # fmt: skip


def _one_of(draw: Draw, choices: Any) -> Any:
    return get_args(choices)[draw.integers(len(get_args(choices)))]


def _common(draw: Draw) -> dict[str, Any]:
    return {
        "n_resamples": int(draw.integers(20, 100)), "rng": int(draw.integers(1000)),
        "zero_division": [math.nan, math.nan, 0, 1, "paper"][draw.integers(5)],
    }  # fmt: skip


def complaints(ask: Callable[[], Any]) -> list[str]:
    """What is wrong with an answer; nothing if it is a message of ours, or numbers that agree."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = ask()
            wrong = list(_CHECKED[type(found)](found, bool(said)))
        except (ValueError, TypeError) as error:
            wrong = [] if _ours(error) else [f"not our words: {type(error).__name__}: {error}"]
        except Exception as error:
            wrong = [f"{type(error).__name__}: {error}"]
    raw = [w for w in said if not issubclass(w.category, UserWarning)]
    return wrong + [f"raw {w.category.__name__}: {w.message} {Path(w.filename).name}:{w.lineno}"
                    for w in raw]  # fmt: skip


def _ours(error: Exception) -> bool:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return Path(mc.__file__).parent in Path(last.filename).parents and (
        (last.line or "").startswith("raise")
    )


def _of_comparison(found: mc.Comparison, warned: bool) -> Iterator[str]:
    yield from _of_frame(found.scores, "estimate", warned)
    if len(found.models) > 1:
        yield from _of_frame(found.differences, "difference", warned)
        yield from _of_p_values(found.differences)
    if " nan" in found.verdict():
        yield f"verdict: {found.verdict()}"


def _of_frame(frame: pd.DataFrame, value: str, warned: bool) -> Iterator[str]:
    for row in frame.itertuples():
        point, low, high = getattr(row, value), row.ci_low, row.ci_high
        where = f"{value} of {row.metric} {row.label} by {row.method}"
        if math.isinf(point):
            yield f"{where} is {point}"
        elif math.isnan(point) or math.isnan(low) or math.isnan(high):
            if not warned:
                yield f"{where} is {point} ({low} to {high}) without a warning"
        elif not low <= point <= high:
            yield f"{where}: {point} is not within {low} to {high}"
        elif low == high and not warned:
            yield f"{where}: {point} has width 0"


def _of_p_values(frame: pd.DataFrame) -> Iterator[str]:
    for row in frame.itertuples():
        where = f"p of {row.metric} {row.label}"
        if math.isnan(row.p_value):
            if not math.isnan(row.difference):
                yield f"{where} is missing"
        elif not 0 < row.p_value <= 1:
            yield f"{where} is {row.p_value}"
        elif not row.p_value - 1e-12 <= row.p_adjusted <= 1:
            yield f"{where} is {row.p_value}, adjusted {row.p_adjusted}"


def _of_test(found: mc.PairedTestResult, warned: bool) -> Iterator[str]:
    if math.isinf(found.difference):
        yield f"difference is {found.difference}"
    if math.isnan(found.difference) and not warned:
        yield "a missing difference without a warning"
    if math.isnan(found.difference) != math.isnan(found.p_value):
        yield f"difference {found.difference}, p {found.p_value}"
    elif not (math.isnan(found.p_value) or 0 < found.p_value <= 1):
        yield f"p is {found.p_value}"


def _of_decision(found: mc.DecisionResult, warned: bool) -> Iterator[str]:
    if math.isinf(found.gain):
        yield f"gain is {found.gain}"
    elif not math.isnan(found.gain):
        if not found.ci_low <= found.gain <= found.ci_high:
            yield f"gain {found.gain} is not within {found.ci_low} to {found.ci_high}"
        elif found.ci_low == found.ci_high and not warned:
            yield f"gain {found.gain} has width 0"
        if not 0 < found.p_value <= 1:
            yield f"p is {found.p_value}"
    told = found.sentence().lower()
    if "about 0 " in told or (" inf" in told and found.answer != "not enough data"):
        yield found.sentence()


def _of_size(found: mc.SampleSize, _: bool) -> Iterator[str]:
    if not found.n_needed >= 2:
        yield f"n_needed is {found.n_needed}"
    if not (math.isfinite(found.difference) and math.isfinite(found.standard_deviation)):
        yield f"difference {found.difference}, standard deviation {found.standard_deviation}"
    if "about 0 " in found.sentence() or "nan" in found.sentence():
        yield found.sentence()


_CHECKED: dict[type, Callable[[Any, bool], Iterator[str]]] = {
    mc.Comparison: _of_comparison, mc.PairedTestResult: _of_test,
    mc.DecisionResult: _of_decision, mc.SampleSize: _of_size,
}  # fmt: skip
