"""Contradictions of intervals and p-values, and the power that their agreement costs: cells.

A difference is announced only if its interval excludes 0 and its p-value is below the level. Beside
it stands what the p-value alone would announce, for each difference by itself and corrected.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import numpy as np

import modelcompare as mc
from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.comparison import compare as comparing
from modelcompare.comparison.agreement import Bounds, agreed
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.correction import corrected_at, corrected_bounds, corrected_errors

Params = dict[str, Any]
METRICS = ("accuracy", "f1_macro", "cf1_macro")
# Advantages, in log odds, with which about half of the differences are found.
GAINS = {100: 0.45, 400: 0.2, 2000: 0.09}


def cells(tier: str) -> list[Params]:
    """Return sizes, numbers of models, shares of the rarest class, with and without a baseline."""
    sizes = [100] if tier == "quick" else GAINS
    return [
        {"n": n, "models": models, "rare": rare, "baseline": baseline}
        for n in sizes
        for models in (2, 3, 6)
        for rare in (0.05, 0.15)
        for baseline in ((0, 1) if models > 2 else (0,))
    ]


def run_cell(params: Params, n_trials: int, seed: int) -> dict[str, dict[str, float]]:
    """Return shares of the differences: announced, lost by the agreement, and contradicted."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for trial in np.random.SeedSequence(seed).generate_state(n_trials).tolist():
        before = _evidence(params, trial)
        for stage, evidence, ends in (
            ("before", before, corrected_at), ("", agreed(before), _extended),
        ):  # fmt: skip
            for metric, quantity, by_p, by_interval in _decisions(evidence, ends):
                measures = found[f"{metric} {quantity}"]
                measures[f"announced {stage}".strip()].append(float(by_p.mean()))
                measures[f"contradicted {stage}".strip()].append(
                    float((by_p != by_interval).mean())
                )
    out = {}
    for key, measures in found.items():
        means = {measure: float(np.mean(values)) for measure, values in measures.items()}
        out[key] = means | {"power lost": means["announced before"] - means["announced"]}
    return out


def _extended(evidence: Compared, rows: IntArray, _: FloatArray) -> FloatArray:
    return corrected_bounds(evidence, rows)


def _evidence(params: Params, seed: int) -> Compared:
    """Compare models by default, without the agreement of p-values and intervals."""
    preds = draw(params, np.random.default_rng(seed))
    with warnings.catch_warnings(), patch.object(comparing, "agreed", lambda evidence: evidence):
        warnings.simplefilter("ignore")
        result = mc.compare(
            preds, METRICS, n_resamples=999, rng=seed,
            baseline="m0" if params["baseline"] else None,
        )  # fmt: skip
    return result.evidence


def draw(params: Params, rng: np.random.Generator) -> mc.Predictions:
    """Draw models of which the first is better, and the others are equal."""
    n, rare = params["n"], params["rare"]
    y = rng.choice(3, n, p=[0.7, 0.3 - rare, rare])
    y[:3] = 0, 1, 2
    shared, outputs = rng.standard_normal((n, 3)), {}
    for model in range(params["models"]):
        odds = shared + 0.6 * rng.standard_normal((n, 3))
        odds[np.arange(n), y] += 1.0 + GAINS[n] * (model == 0)
        outputs[f"m{model}"] = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    return mc.Predictions(y, outputs, labels=range(3))


def _decisions(evidence: Compared, ends: Bounds) -> Iterator[tuple[str, str, BoolArray, BoolArray]]:
    """Yield metric, quantity, and whether p-values and intervals announce each lead of the best."""
    single, (a, b) = evidence.difference_interval, evidence.pairs
    together = ends(evidence, np.arange(len(a)), corrected_errors(evidence))
    of_best = (a == 0) | (b == 0)
    for place, key in enumerate(evidence.keys):
        for quantity, p_values, (low, high) in (
            ("alone", evidence.p_values, (single.low, single.high)),
            ("corrected", evidence.p_adjusted, together),
        ):
            by_p = p_values[of_best, place] < evidence.level
            excluded = (low[of_best, place] > 0) | (high[of_best, place] < 0)
            yield key.metric, quantity, by_p, excluded
