"""Widths of default intervals of differences, beside those of other formulas: cells of the grid.

Clusters and texts of unequal sizes, a model and its twin, weights, few positives. Models differ in
half of the cells: where they are equal, any interval around 0 holds. The measures ``covered,
former`` and ``width over that of the former`` are of the formulas that the defaults were before;
``covered, narrow`` and ``width of the narrow one, over it`` of formulas that are narrower in some
cells and do not hold in all.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

import modelcompare as mc
from experiments.validity.cells import label_of
from experiments.validity.worlds import world_of
from modelcompare.engine.delong import delong_covariance
from modelcompare.engine.influence import pair_carriers, standard_errors
from modelcompare.intervals.influences import Estimates, difference_degrees, difference_interval
from modelcompare.intervals.sizes import effective_units
from modelcompare.metrics.base import Outcomes

Params = dict[str, Any]
Ends = tuple[float, float]
ONE_PAIR = np.array([0]), np.array([1])
Z = float(stats.norm.ppf(0.975))


def cells(tier: str) -> list[Params]:
    """Return cells of each population; of the quick tier the smallest."""
    found: list[Params] = []
    for clusters in (6, 8, 15, 30, 50):
        for sizes in ("equal", "lognormal", "pareto", "half"):
            shared = {"clusters": clusters, "sizes": sizes, "n": 20 * clusters}
            found += [
                {**shared, "world": "labels", "share": 0.3, "gap": gap, "metrics": "accuracy f1"}
                for gap in (0, 0.17)
            ]
    for n in (20, 50, 200):
        found += [
            {"n": n, "sigma": sigma, "world": "texts", "gap": gap, "metrics": "wer"}
            for sigma in (1.0, 1.5) for gap in (0, 0.1)
        ]  # fmt: skip
    for n in (50, 400):
        found += [
            {"n": n, "twins": law, "metrics": "mean_score", **how}
            for law in ("normal", "exponential")
            for how in ({"noise": 0.01}, *({"apart": m} for m in (1, 2, 3, 5)))
        ]  # fmt: skip
    found += [
        {"n": n, "odds_of_heavy": odds, "wrong": wrong, "metrics": "accuracy"}
        for n in (200, 1000)
        for odds in (1, 6) for wrong in ("0.05 0.05", "0.02 0.1")
    ]  # fmt: skip
    found += [
        {"n": 200, "positives": m, "means": means, "metrics": "roc_auc"}
        for m in (5, 10, 20)
        for means in ("1.5 1.5", "2.5 1", "3 2")
    ]
    return found[:: 25 if tier == "quick" else 1]


def run_cell(params: Params, n_trials: int, seed: int) -> dict[str, dict[str, float]]:
    """Return coverage and mean width of the default and of other formulas, by metric."""
    found: dict[str, list[dict[str, float]]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for trial in np.random.SeedSequence(seed).spawn(n_trials):
            preds, truth = _drawn(params, np.random.default_rng(trial))
            _count(found, params, preds, truth)
    return {
        f"{metric} difference": _summary(rows) | {"n_trials": len(rows)}
        for metric, rows in found.items()
    }


def _count(
    found: dict[str, list[dict[str, float]]],
    params: Params,
    preds: mc.Predictions,
    truth: Callable[[str], float],
) -> None:
    result = mc.bootstrap(preds, params["metrics"].split(), n_resamples=2)
    chosen = result.difference_interval(*ONE_PAIR, "auto", 0.95)
    former, narrow = _former(result), _narrow(params, result)
    for place, key in enumerate(result.evaluation.keys):
        if key.label != label_of(key.metric) or np.isnan(chosen.low[0, place]):
            continue
        value, row = truth(key.metric), {}
        intervals = {"": (chosen.low[0, place], chosen.high[0, place]), ", narrow": narrow}
        if not ("odds_of_heavy" in params or "positives" in params):
            intervals[", former"] = former[0][0, place], former[1][0, place]
        for name, ends in intervals.items():
            if ends is not None:
                row[f"covered{name}"] = float(ends[0] - 1e-12 <= value <= ends[1] + 1e-12)
                row[f"width{name}"] = float(ends[1] - ends[0])
        found.setdefault(key.metric, []).append(row)


def _summary(rows: list[dict[str, float]]) -> dict[str, float]:
    means = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
    if "width, former" in means:
        means["width over that of the former"] = means["width"] / means.pop("width, former")
    if "width, narrow" in means:
        means["width of the narrow one, over it"] = means.pop("width, narrow") / means["width"]
    return means


def _former(result: mc.results.BootstrapResult) -> tuple[np.ndarray, np.ndarray]:
    """Student's interval from the jackknife, effective clusters, and one unseen disagreement."""
    e, moments, a_b = result.evaluation, result.moments, ONE_PAIR
    (metric, *_), n = e.metrics, e.units.size
    carriers = pair_carriers(e, result.point, a_b, np.arange(len(e.keys)))
    size = effective_units(e, e.metrics).min(axis=0)[None]
    clustered = e.predictions.access.unit == "clusters"
    own = (moments.standard_error() ** 2).sum(axis=0) / len(e.predictions)
    error = np.sqrt(np.maximum(moments.standard_error(a_b) ** 2, own))
    skew = None
    if not clustered and np.isinf(metric.bounds).any():
        skew = np.clip(np.nan_to_num(6 * moments.acceleration(a_b)), -1, 1)
    degrees = difference_degrees(carriers, n, size if clustered else None)
    differences = Estimates(result.point[:1] - result.point[1:], error, degrees, size, skew)
    return difference_interval(differences, metric.bounds)


def _narrow(params: Params, result: mc.results.BootstrapResult) -> Ends | None:
    """Formulas that did not hold: DeLong's error with few degrees, and effective counts."""
    apart = float(result.point[0, 0] - result.point[1, 0])
    if "positives" in params:
        covariance = delong_covariance(result.evaluation.predictions)[1]
        error = float(standard_errors(covariance[None], ONE_PAIR).item())
        half = float(stats.t.ppf(0.975, params["positives"] - 1)) * error
    elif "odds_of_heavy" in params:
        preds = result.evaluation.predictions
        w = preds.access.weights
        right = [preds.access.codes == Outcomes.of(preds, m).predicted for m in preds.models]
        n_e = w.sum() ** 2 / np.square(w).sum()
        b, c = ((w @ (x & ~y)) / w.sum() * n_e for x, y in (right, right[::-1]))
        half = Z * float(np.sqrt(b + c + 2 - (b - c) ** 2 / (n_e + 2)) / (n_e + 2))
    else:
        return None
    return apart - half, apart + half


def _drawn(
    params: Params, rng: np.random.Generator
) -> tuple[mc.Predictions, Callable[[str], float]]:
    """Draw a test set, and return it with the true difference of each metric."""
    if "positives" in params:
        means = np.array([*map(float, params["means"].split())])
        y = (np.arange(params["n"]) < params["positives"]).astype(int)
        noise = rng.standard_normal(len(y)) + rng.standard_normal((2, len(y)))
        p = stats.norm.cdf(y * means[:, None] + np.sqrt(0.5) * noise)
        outputs = {m: np.stack([1 - q, q], axis=1) for m, q in zip("ab", p, strict=True)}
        apart = float(-np.diff(stats.norm.cdf(means / np.sqrt(2))).item())
        return mc.Predictions(y, outputs, labels=[0, 1]), lambda _: apart
    if "odds_of_heavy" in params:
        heavy, u = rng.random(params["n"]) < 0.1, rng.random(params["n"])
        weights, odds = np.where(heavy, 10.0, 1.0), np.where(heavy, params["odds_of_heavy"], 1.0)
        a, b = (float(share) for share in params["wrong"].split())
        outputs = {"a": (u < a * odds).astype(int), "b": (u > 1 - b * odds).astype(int)}
        y, mean = np.zeros(params["n"], int), (params["odds_of_heavy"] + 0.9) / 1.9
        drawn = mc.Predictions(y, outputs, labels=[0, 1], kind="labels", sample_weight=weights)
        return drawn, lambda _: (b - a) * mean
    if "twins" in params:
        n = params["n"]
        draw = rng.standard_normal if params["twins"] == "normal" else rng.standard_exponential
        x = draw(n)
        twin = x + params.get("noise", 0) * rng.standard_normal(n)
        twin = np.where(rng.random(n) < params.get("apart", 0) / n, draw(n), twin)
        scores = {"a": x, "b": twin}
        return mc.Predictions.from_scores(scores, greater_is_better=True), lambda _: 0.0
    world = world_of(params)
    preds = world.draw(rng)
    return (
        preds,
        lambda metric: -float(np.diff(world.truth(metric, label_of(metric), preds)).item()),
    )
