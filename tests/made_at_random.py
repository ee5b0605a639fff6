"""Small test sets and options drawn at random, and what must be true of every answer.

``python -m tests.made_at_random 20000`` asks that many, or from the first of two numbers to the
second, and prints what is wrong.
"""

from __future__ import annotations

import json
import math
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd

import modelcompare as mc
from modelcompare import words
from modelcompare.data.kinds import all_kinds
from tests.plugged import plugged
from tests.report.written import as_json, screen_text

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
    """A small test set, and the type of its outputs."""
    n = int(draw.integers(2, 31))
    n_models = int(draw.choice([1, 2, 2, 2, 3, 4]))
    kind = str(draw.choice([kind for kind in METRICS if kind in all_kinds()]))
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
    predicted = {f"m{i}": np.where(draw.random(n) < draw.choice([0, 0.5, 0.9, 1]), truth,
                              draw.choice(names, n)) for i in range(n_models)}  # fmt: skip
    return truth, predicted, names


def _probabilities(draw: Draw, n: int, n_models: int) -> Any:
    names = [["a", "b"], [0, 1, 2], list(range(6))][draw.integers(3)]
    truth = draw.choice(names[: draw.integers(1, len(names) + 1)], n)
    predicted = {}
    for i in range(n_models):
        p = draw.dirichlet(np.full(len(names), draw.choice([0.05, 1.0, 20.0])), n)
        if draw.random() < 0.2:
            p = np.eye(len(names))[draw.integers(0, len(names), n)]
        if draw.random() < 0.1:
            p = np.tile(p[:1], (n, 1))
        predicted[f"m{i}"] = p
    return truth, predicted, names


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
    predicted = {
        f"m{i}": np.array([t if draw.random() < 0.5 else some() for t in truth], dtype=object)
        for i in range(n_models)
    }
    return truth, predicted, None


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
    several = [
        str(name)
        for name in draw.permutation([m for m in METRICS[kind] if m in mc.metrics.METRICS])[
            : draw.integers(1, 4)
        ]
    ]
    compared = {
        **_common(draw), "metrics": several, "test": _one_of(draw, words.PairsTest),
        "method": "auto" if draw.random() < 0.5 else _one_of(draw, words.IntervalMethod),
        "correction": _one_of(draw, words.Correction), "family": _one_of(draw, words.Family),
        "scheme": _one_of(draw, words.Scheme) if draw.random() < 0.3 else "multinomial",
        "confidence_level": float(draw.choice([0.5, 0.8, 0.95, 0.999])),
        "baseline": preds.models[-1] if draw.random() < 0.3 else None,
    }  # fmt: skip
    comparison = "compare", lambda: mc.compare(preds, **compared)
    # Of one model a plugin alone asks more.
    others = _others(draw, preds, several[0])
    return [comparison, others[draw.integers(len(others))]] if others else [comparison]


def _others(draw: Draw, preds: mc.Predictions, metric: str) -> list[Question]:
    label = None if preds.labels is None else preds.labels.tolist()[0]
    of_value = {"metric": metric}
    if mc.get_metric(metric).per_class:
        of_value["label"] = label
    options = {**of_value, **_common(draw)}
    alternative = _one_of(draw, words.Alternative)
    asked = {"alternative": alternative, **options}
    alone = [make(draw, preds, asked) for make in plugged("ALONE").values()]
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
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = ask()
            predicted = [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
            wrong = list(_CHECKED[type(found)](found, predicted))
        except (ValueError, TypeError) as error:
            wrong = [] if _ours(error) else [f"not our words: {type(error).__name__}: {error}"]
        except Exception as error:
            wrong = [f"{type(error).__name__}: {error}"]
    raw = [w for w in caught if not issubclass(w.category, UserWarning)]
    return wrong + [f"raw {w.category.__name__}: {w.message} {Path(w.filename).name}:{w.lineno}"
                    for w in raw]  # fmt: skip


def _ours(error: Exception) -> bool:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return Path(mc.__file__).parent in Path(last.filename).parents and (
        (last.line or "").startswith("raise")
    )


def _named(metric: str, predicted: list[str]) -> bool:
    """Whether a warning names a metric."""
    return any(re.search(rf"(?<![\w-]){re.escape(metric)}(?![\w-])", text) for text in predicted)


def _of_comparison(found: mc.results.Comparison, predicted: list[str]) -> Iterator[str]:
    yield from _of_frame(found.scores, "estimate", found.evidence.method, predicted)
    yield from _of_ranks(found)
    if len(found.evidence.models) > 1:
        yield from _of_frame(found.differences, "difference", found.evidence.method, predicted)
        yield from _of_p_values(found.differences)
    if " nan" in found.verdict():
        yield f"verdict: {found.verdict()}"
    if found.evidence.n_resamples % 4 == 0:
        yield from _of_tables(found)


def _of_frame(frame: pd.DataFrame, value: str, asked: str, predicted: list[str]) -> Iterator[str]:
    for row in frame.itertuples():
        point, low, high = getattr(row, value), row.ci_low, row.ci_high
        where = f"{value} of {row.metric} {row.label} by {row.method}"
        named = _named(row.metric, predicted)
        if math.isnan(point):
            if not named:
                yield f"{where} is missing without a warning"
        elif not math.isfinite(point):
            yield f"{where} is {point}"
        elif not low < high:
            # Calibration errors of clusters and weights have no interval, which the method names.
            if (asked == "auto" and row.method != "refused") or not named:
                yield f"{where}: {point} has {low} to {high}, {'' if named else 'not '}named"
        elif not (math.isfinite(low) and math.isfinite(high)) and not named:
            yield f"{where}: {point} has {low} to {high} without a warning"
        elif not low <= point <= high:
            yield f"{where}: {point} is not within {low} to {high}"


def _of_p_values(frame: pd.DataFrame) -> Iterator[str]:
    for row in frame.itertuples():
        where = f"p of {row.metric} {row.label}"
        if math.isnan(row.difference):
            if not (math.isnan(row.p_value) and math.isnan(row.p_adjusted)):
                yield f"{where} is {row.p_value} of no difference"
        elif not 0 < row.p_value <= 1:
            yield f"{where} is {row.p_value}"
        elif not row.p_value <= row.p_adjusted <= 1:
            yield f"{where} is {row.p_value}, adjusted {row.p_adjusted}"


def _of_ranks(found: mc.results.Comparison) -> Iterator[str]:
    n = len(found.evidence.models)
    ranks = {(row.metric, row.label, row.model): row for row in found.scores.itertuples()}
    for row in ranks.values():
        if not (1 <= row.rank <= n and 1 <= row.rank_low <= row.rank_high <= n):
            yield f"rank {row.rank} ({row.rank_low} to {row.rank_high}) of {n}"
    for row in found.differences.dropna(subset="better").itertuples():
        worse = {row.model_a: row.model_b, row.model_b: row.model_a}[row.better]
        first, second = (ranks[row.metric, row.label, m] for m in (row.better, worse))
        if not (first.rank < second.rank and first.rank_high < n and second.rank_low > 1):
            yield f"{row.metric}: {row.better} is better, yet ranks {first.rank}, {second.rank}"


def _of_tables(found: mc.results.Comparison) -> Iterator[str]:
    for written in (screen_text(found), found.to_markdown()):
        if not all(model in written for model in found.evidence.models):
            yield f"a model is missing: {written}"
    document = json.loads(as_json(found))
    if len(document["scores"]) != len(found.scores):
        yield f"{len(document['scores'])} scores in JSON"


def _of_test(found: mc.results.PairedTestResult, predicted: list[str]) -> Iterator[str]:
    if math.isnan(found.difference):
        if not _named(found.metric, predicted):
            yield f"difference of {found.metric} is missing without a warning"
        if not math.isnan(found.p_value):
            yield f"p is {found.p_value} of no difference"
    elif not math.isfinite(found.difference):
        yield f"difference is {found.difference}"
    elif not 0 < found.p_value <= 1:
        yield f"p is {found.p_value}"


def _of_decision(found: mc.results.DecisionResult, predicted: list[str]) -> Iterator[str]:
    if math.isnan(found.gain):
        if not _named(found.metric, predicted):
            yield f"gain in {found.metric} is missing without a warning"
    elif not math.isfinite(found.gain):
        yield f"gain is {found.gain}"
    elif not (found.ci_low <= found.gain <= found.ci_high and found.ci_low < found.ci_high):
        yield f"gain {found.gain} is not within {found.ci_low} to {found.ci_high}"
    elif not 0 < found.p_value <= 1:
        yield f"p is {found.p_value}"
    document = found.sentence().lower()
    if "about 0 " in document or (" inf" in document and found.answer != "not enough data"):
        yield found.sentence()


def _of_size(found: mc.results.SampleSize, _: list[str]) -> Iterator[str]:
    if not found.n_needed >= 2:
        yield f"n_needed is {found.n_needed}"
    if not (math.isfinite(found.difference) and math.isfinite(found.standard_deviation)):
        yield f"difference {found.difference}, standard deviation {found.standard_deviation}"
    if "about 0 " in found.sentence() or "nan" in found.sentence():
        yield found.sentence()


_CHECKED: dict[type, Callable[[Any, list[str]], Iterator[str]]] = {
    mc.results.Comparison: _of_comparison, mc.results.PairedTestResult: _of_test,
    mc.results.DecisionResult: _of_decision, mc.results.SampleSize: _of_size,
}  # fmt: skip


def complaints_of(seed: int) -> list[str]:
    """What is wrong with the answers to the questions of a seed."""
    try:
        asked = questions(np.random.default_rng(seed))
    except ValueError as error:
        # Test sets are refused too.
        return [] if str(error).endswith(".") else [str(error)]
    return [f"{name}: {wrong}" for name, ask in asked for wrong in complaints(ask)]


def _main(*numbers: str) -> None:
    seeds = range(*map(int, numbers))
    found = {seed: wrong for seed in seeds if (wrong := complaints_of(seed))}
    for seed, wrong in found.items():
        sys.stdout.write("\n  ".join([f"seed {seed}:", *wrong]) + "\n")
    sys.stdout.write(f"{len(seeds):,} test sets, {len(found):,} with something wrong\n")


if __name__ == "__main__":
    _main(*sys.argv[1:])
