"""Calibration's test and interval: the cells of the grid."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import modelcompare as mc

Params = dict[str, Any]
N_BINS = 15
MODELS = ("calibrated", "shifted", "mild", "sure ones wrong", "overconfident")
_LARGE = 1_000_000


def cells(tier: str) -> list[Params]:
    """Models that are calibrated, mildly not and badly not, of two classes and of ten."""
    sizes = (100, 1000) if tier == "quick" else (100, 300, 1000, 5000)
    models = ("calibrated", "mild") if tier == "quick" else MODELS
    return [
        {"model": model, "n_classes": k, "n": n} for k in (2, 10) for model in models for n in sizes
    ]


def run_cell(params: Params, n_trials: int, seed: int) -> dict[str, dict[str, float]]:
    """Coverage and width of the interval of the error, and how often the test rejects.

    Of a model that is not calibrated a rejection is a finding.
    """
    seeds = np.random.SeedSequence(seed).generate_state(n_trials)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = pd.DataFrame([calibration_trial(params, int(s)) for s in seeds]).astype(float)
    mean = found.mean()
    rejected = "rejected" if params["model"] == "calibrated" else "found"
    return {
        "debiased_ece score": {
            "covered": mean["covered"],
            "width": mean["width"],
            "bias": mean["debiased"] - mean["truth"],
        },
        "ece score": {
            "covered by its bootstrap": mean["covered_before"],
            "bias": mean["plug_in"] - mean["truth"],
        },
        "calibration_test test": {rejected: mean["rejected"]},
    }


def top_labels(params: Params, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Confidence of the predicted class, and the chance that it is the true one."""
    least = 1 / params["n_classes"]
    rng = np.random.default_rng(seed)
    confidence = least + (1 - least) * rng.beta(2.5, 1, n)
    over = (confidence - least) / (1 - least)
    chance = {
        "calibrated": confidence,
        "shifted": confidence - 0.03,
        "mild": confidence - 0.06 * np.sin(np.pi * over) * (confidence - least),
        "sure ones wrong": np.where(confidence > 14 / 15, confidence - 0.12, confidence),
        "overconfident": least + 0.6 * (confidence - least),
    }[params["model"]]
    return confidence, np.clip(chance, 0, 1)


@cache
def true_error(model: str, n_classes: int) -> float:
    """Expected calibration error in the population, on the same bins."""
    confidence, chance = top_labels({"model": model, "n_classes": n_classes}, _LARGE, 2**31)
    bins = np.searchsorted(np.arange(1, N_BINS) / N_BINS, confidence, side="right")
    return float(np.abs(np.bincount(bins, chance - confidence, N_BINS)).sum() / _LARGE)


def calibration_trial(params: Params, seed: int) -> dict[str, float]:
    """One model's test set: what is estimated, whether its interval covers, whether it rejects."""
    confidence, chance = top_labels(params, params["n"], seed)
    right = np.random.default_rng([seed, 1]).random(params["n"]) < chance
    k = params["n_classes"]
    output = np.full((params["n"], k), ((1 - confidence) / max(k - 1, 1))[:, None])
    output[:, 0] = confidence
    preds = mc.Predictions(np.where(right, 0, 1), {"a": output}, labels=range(k))
    found = mc.inference.calibration_test(preds, n_resamples=199, rng=seed)
    truth = true_error(params["model"], k)
    boot = mc.bootstrap(preds, "ece", n_resamples=199, rng=seed)
    plug_in = boot.confidence_interval(method="percentile").iloc[0]
    rms = mc.metrics.rms_calibration_error(
        preds.access.codes, preds.probabilities("a"), labels=range(k)
    )
    return {
        "truth": truth,
        "plug_in": found.statistic,
        "debiased": found.estimate,
        "rms": rms,
        "covered": found.ci_low <= truth <= found.ci_high,
        "covered_before": plug_in.ci_low <= truth <= plug_in.ci_high,
        "width": found.ci_high - found.ci_low,
        "rejected": found.p_value <= 0.05,
    }
