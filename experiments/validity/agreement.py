"""What p-values announce, and what the intervals beside them: cells.

The corrected p-value announces a difference. Beside its share stand those of the differences whose
corrected interval excludes 0, of those that have both, and of those on which the two part; and in
how many families of equal models anything is announced.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import Any

import numpy as np

import modelcompare as mc

Params = dict[str, Any]
METRICS = ("accuracy", "f1_macro", "cf1_macro")
# Advantages, in log odds, with which about half of the differences are found.
GAINS = {100: 0.45, 400: 0.2, 2000: 0.09}


def cells(tier: str) -> list[Params]:
    """Return sizes, numbers of models, shares of the rarest class, and if a model is better."""
    sizes = [100] if tier == "quick" else GAINS
    return [
        {"n": n, "models": models, "rare": rare, "better": better}
        for n in sizes
        for models in (2, 5)
        for rare in (0.05, 0.15, 0.5)
        for better in (0, 1)
    ]


def run_cell(params: Params, n_trials: int, seed: int) -> dict[str, dict[str, float]]:
    """Return shares of the differences from the first model, and of the families with any."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for trial in np.random.SeedSequence(seed).generate_state(n_trials).tolist():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = mc.compare(
                draw(params, np.random.default_rng(trial)), metrics_of(params), n_resamples=999,
                rng=trial,
            )  # fmt: skip
        leads = result.leads(every=True)
        excludes = (leads["ci_low"] > 0) | (leads["ci_high"] < 0)
        for metric in metrics_of(params):
            rows = leads["metric"] == metric
            by_p, by_interval = leads.loc[rows, "significant"], excludes[rows]
            of_first = (leads.loc[rows, ["model", "other"]] == "m0").any(axis=1)
            measures = found[f"{metric} corrected"]
            if not params["better"]:
                measures["false finding"].append(float(by_p.any()))
                measures["false finding of intervals"].append(float(by_interval.any()))
            measures["announced"].append(float(by_p[of_first].mean()))
            measures["by intervals"].append(float(by_interval[of_first].mean()))
            measures["by both"].append(float((by_p & by_interval)[of_first].mean()))
            measures["part"].append(float((by_p != by_interval)[of_first].mean()))
    return {
        key: {measure: float(np.mean(values)) for measure, values in measures.items()}
        for key, measures in found.items()
    }


def metrics_of(params: Params) -> list[str]:
    """Return the metrics; of two classes the ROC AUC too."""
    return [*METRICS, *(["roc_auc"] if params["rare"] == 0.5 else [])]


def draw(params: Params, rng: np.random.Generator) -> mc.Predictions:
    """Draw models of which the first may be better, and the others are equal."""
    n, rare = params["n"], params["rare"]
    shares = [0.5, 0.5] if rare == 0.5 else [0.7, 0.3 - rare, rare]
    k = len(shares)
    y = rng.choice(k, n, p=shares)
    y[:k] = np.arange(k)
    shared, outputs = rng.standard_normal((n, k)), {}
    for model in range(params["models"]):
        odds = shared + 0.6 * rng.standard_normal((n, k))
        odds[np.arange(n), y] += 1.0 + GAINS[n] * params["better"] * (model == 0)
        outputs[f"m{model}"] = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    return mc.Predictions(y, outputs, labels=range(k))
