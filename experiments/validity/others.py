"""Operating points, calibration, mAP, agreement, ranking, rates, errors, the best model: coverage.

Usage: python -m experiments.validity.others [--trials 800] [--only REGEX] [--jobs 1]

Each cell draws test sets from a population whose values are known (by arithmetic, or of a very
large sample), and calls one public function with its defaults but for the number of resamples.
Measures are coverage at 0.95, and the shares of equal models that differ, and that a gate calls
better, at 0.05. ``results/others.csv`` has the table; the worst of each part are printed.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize, special, stats

import modelcompare as mc
from experiments.validity.by_cell import simulate
from experiments.validity.catalogue import cell_id

Params = dict[str, Any]
Array = np.ndarray[Any, Any]
Found = dict[str, float]
RESULTS = Path(__file__).resolve().parent / "results" / "others.csv"
WANTED, SIZE, N_RESAMPLES, LARGE = 0.935, 0.06, 499, 400_000
# Distance of the scores of both classes, and the targets of operating points.
SKILL, TARGETS = 1.5, {"recall": 0.8, "false_positive_rate": 0.1, "precision": 0.8}


def cells() -> list[Params]:
    """Return all cells; those of a part differ in their number of samples, and one more number."""
    at = [
        {"part": f"operating point, {'target' if at else 'threshold'}", "what": wish, "n": n,
         "share": share}
        for at, wish, (n, share) in product(
            (False, True), TARGETS, ((100, 0.5), (100, 0.2), (400, 0.1)))
    ]  # fmt: skip
    lines = [
        {"part": "calibration line", "what": law, "n": n, "share": 0.0}
        for law, n in product(("calibrated", "overconfident"), (50, 100, 400))
    ]
    tables = [
        {"part": "agreement", "what": "kappa", "n": n, "share": share}
        for n, share in product((50, 200), (0.5, 0.1))
    ]
    ranking = [
        {"part": "ranking", "what": metric, "n": n, "share": 0.0}
        for metric, n in product((*OF_QUERIES, *OF_VALUES), (30, 100))
    ]
    detection = [{"part": "detection", "what": "map", "n": n, "share": 0.0} for n in (30, 100)]
    rates = [
        {"part": "rates", "what": "a class", "n": n, "share": share}
        for n, share in product((40, 100, 400), (0.5, 0.1))
    ]
    errors = [
        {"part": "errors", "what": metric, "n": n, "share": 0.0}
        for metric, n in product(OF_ERRORS, (40, 100, 400))
    ]
    best = [
        {"part": "best of equal models", "what": f"{n_models} models", "n": n, "share": RIGHT}
        for n_models, n in product((2, 20, 100), (50, 200))
    ]
    return [*at, *lines, *tables, *ranking, *detection, *rates, *errors, *best]


def covers(low: float, high: float, truth: float) -> float:
    """Return whether an interval holds the true value; NaN without an interval."""
    return float(low - 1e-12 <= truth <= high + 1e-12) if low <= high else np.nan


def both(preds: mc.Predictions, metric: str, truth: float, rng: np.random.Generator) -> Found:
    """Judge a score, the difference of two equal models, its test, and a gate."""
    result = mc.compare(preds, metric, n_resamples=N_RESAMPLES, rng=rng)
    score, pair = result.scores.iloc[0], result.differences.iloc[0]
    # Of equal models one is significantly better than the other in 0.05.
    gate = mc.decide(preds, "a", "b", metric, kind="superior", n_resamples=N_RESAMPLES, rng=rng)
    return {
        "covered, score": covers(score.ci_low, score.ci_high, truth),
        "covered, difference": covers(pair.ci_low, pair.ci_high, 0.0),
        "rejected": float(pair.p_value < 0.05), "passed": float(gate.passed),
    }  # fmt: skip


# -- operating points ------------------------


def point_of(cut: float, share: float) -> dict[str, float]:
    """Return the values at a threshold in the population."""
    hits, alarms = stats.norm.sf(cut - SKILL), stats.norm.sf(cut)
    right, wrong = share * hits, (1 - share) * alarms
    return {"recall": hits, "false_positive_rate": alarms, "precision": right / (right + wrong)}


def operating_point(cell: Params, rng: np.random.Generator) -> Found:
    """Judge the values at the chosen threshold, or at the target for any threshold."""
    wish, at_target = cell["what"], cell["part"].endswith("target")
    y = (np.arange(cell["n"]) < round(cell["share"] * cell["n"])).astype(int)
    z = rng.standard_normal(cell["n"]) + SKILL * y
    preds = mc.Predictions(y, {"a": stats.norm.cdf(z)}, labels=[0, 1], kind="probabilities")
    row = mc.diagnostics.operating_point(
        preds, **{wish: TARGETS[wish]}, at_target=at_target, n_resamples=N_RESAMPLES, rng=rng
    ).iloc[0]
    if np.isnan(row.threshold):
        return {}
    cut = stats.norm.ppf(row.threshold)
    if at_target:
        cut = optimize.brentq(
            lambda t: point_of(t, cell["share"])[wish] - TARGETS[wish], -6, 8, xtol=1e-10
        )
    truth = point_of(cut, cell["share"])
    return {
        f"covered, {name}": covers(row[f"{name}_low"], row[f"{name}_high"], truth[name])
        for name in TARGETS if not (at_target and name == wish)
    }  # fmt: skip


# -- calibration lines ------------------------


def calibration_line(cell: Params, rng: np.random.Generator) -> Found:
    """Judge slope and intercept: the log-odds of an overconfident model are twice the true ones."""
    odds = rng.normal(0.3, 1.2, cell["n"])
    y = (rng.random(cell["n"]) < special.expit(odds)).astype(int)
    times = 2.0 if cell["what"] == "overconfident" else 1.0
    preds = mc.Predictions(y, {"a": special.expit(times * odds)}, labels=[0, 1])
    row = mc.diagnostics.calibration_line(preds).iloc[0]
    found = {"covered, slope": covers(row.slope_low, row.slope_high, 1 / times)}
    ends = row.intercept_low, row.intercept_high
    return found | {"covered, intercept": covers(*ends, _intercept(times))}


@cache
def _intercept(times: float) -> float:
    """Return what is added to the log-odds of a model so that its mean probability is right."""
    odds = np.random.default_rng(0).normal(0.3, 1.2, 10 * LARGE)
    mean = special.expit(odds).mean()
    return float(optimize.brentq(lambda b: special.expit(times * odds + b).mean() - mean, -2, 2))


# -- tables of agreement ------------------------


def _ratings(n: int, share: float, rng: np.random.Generator) -> Array:
    """Draw ratings of three annotators of two classes, each right in 0.85."""
    truth = rng.random(n) < share
    return np.where(rng.random((3, n)) < 0.85, truth, ~truth).T.astype(int)


@cache
def _agreements(share: float) -> tuple[float, float]:
    """Return the share of pairs of ratings that agree, and Fleiss' kappa."""
    same = 0.85**2 + 0.15**2
    rated = share * 0.85 + (1 - share) * 0.15
    chance = rated**2 + (1 - rated) ** 2
    return same, (same - chance) / (1 - chance)


def agreement(cell: Params, rng: np.random.Generator) -> Found:
    """Judge tables of annotators and of models."""
    ratings, (same, kappa) = _ratings(cell["n"], cell["share"], rng), _agreements(cell["share"])
    if len(np.unique(ratings)) < 2:
        return {}
    people = mc.diagnostics.annotator_agreement(ratings, n_resamples=N_RESAMPLES, rng=rng)
    preds = mc.Predictions(ratings[:, 0], {"a": ratings[:, 1], "b": ratings[:, 2]}, labels=[0, 1])
    models = mc.diagnostics.model_agreement(preds, n_resamples=N_RESAMPLES, rng=rng)
    truths = {"percent_agreement": same, "fleiss_kappa": kappa, "krippendorff_alpha": kappa,
              "agreement": same, "kappa": kappa}  # fmt: skip
    return {
        f"covered, {row.statistic}": covers(row.ci_low, row.ci_high, truths[row.statistic])
        for table in (people, models) for row in table.itertuples() if row.statistic in truths
    }  # fmt: skip


# -- ranking ------------------------


def _queries(n: int, rng: np.random.Generator) -> dict[str, Array]:
    """Return nDCG at 10, average precision and reciprocal rank of 20 documents, 3 relevant."""
    relevant = np.arange(20) < 3
    order = np.argsort(-(rng.standard_normal((n, 20)) + 1.2 * relevant), axis=1)
    gain = relevant[order].astype(float)
    discount = 1 / np.log2(np.arange(20) + 2)
    precision = np.cumsum(gain, axis=1) / np.arange(1, 21)
    return {
        "ndcg": (gain * discount)[:, :10].sum(axis=1) / discount[:3].sum(),
        "average precision": (gain * precision).sum(axis=1) / 3,
        "reciprocal rank": 1 / (1 + gain.argmax(axis=1)),
    }


OF_QUERIES = ("ndcg", "average precision", "reciprocal rank")
# Correlation of the truth with each model's values; of both the ranks' have closed forms.
OF_VALUES, CORRELATION = ("spearman", "kendall"), 0.7


@cache
def _mean_of_queries(metric: str) -> float:
    return float(_queries(LARGE, np.random.default_rng(1))[metric].mean())


def ranking(cell: Params, rng: np.random.Generator) -> Found:
    """Judge means over queries of two equal models, or rank correlations."""
    n, metric = cell["n"], cell["what"]
    if metric in OF_QUERIES:
        scores = {model: _queries(n, rng)[metric] for model in "ab"}
        preds = mc.Predictions.from_scores(scores, bounds=(0, 1), greater_is_better=True)
        return both(preds, "mean_score", _mean_of_queries(metric), rng)
    y, rest = rng.standard_normal(n), rng.standard_normal((2, n))
    values = CORRELATION * y + np.sqrt(1 - CORRELATION**2) * rest
    truth = 6 * np.arcsin(CORRELATION / 2) / np.pi
    if metric == "kendall":
        truth = 2 * np.arcsin(CORRELATION) / np.pi
    return both(mc.Predictions(y, dict(zip("ab", values, strict=True))), metric, truth, rng)


# -- detection ------------------------


def _boxes(n: int, rng: np.random.Generator) -> tuple[dict[str, Any], list[list[dict[str, Any]]]]:
    """Draw images with squares of two labels, and what two equal detectors find of them."""
    images = [{"id": k, "width": 400, "height": 400} for k in range(n)]
    categories = [{"id": 1, "name": "car"}, {"id": 2, "name": "dog"}]
    objects, found = [], [[], []]
    for image in range(n):
        # Objects of an image are easy or hard together.
        ease = rng.normal(0.8, 0.8)
        for place in rng.permutation(16)[: 1 + rng.poisson(2)]:
            corner, side = 100 * np.array(divmod(int(place), 4)) + 10, rng.uniform(30, 60)
            box, label = [*corner.astype(float), side, side], int(rng.random() < 0.3) + 1
            objects.append({"id": len(objects) + 1, "image_id": image, "category_id": label,
                            "bbox": box, "area": side**2, "iscrowd": 0})  # fmt: skip
            for detector in found:
                if rng.random() < special.expit(ease + rng.normal()):
                    moved = (np.array(box) + rng.normal(0, 4, 4)).tolist()
                    detector.append(_detected(image, label, moved, ease + rng.normal()))
                if rng.random() < 0.3:
                    box_beside = [*(corner + 50.0).tolist(), 30.0, 30.0]
                    detector.append(_detected(image, label, box_beside, rng.normal() - 0.8))
    return {"images": images, "categories": categories, "annotations": objects}, found


def _detected(image: int, label: int, box: list[float], odds: float) -> dict[str, Any]:
    score = float(special.expit(odds))
    return {"image_id": image, "category_id": label, "bbox": box, "score": score}


def _detections(n: int, rng: np.random.Generator) -> mc.Predictions:
    truth, (a, b) = _boxes(n, rng)
    return mc.io.from_coco(truth, {"a": a, "b": b})


@cache
def _map() -> float:
    """Return the mAP of both detectors together on 16,000 images."""
    preds = _detections(16_000, np.random.default_rng(2))
    return float(mc.bootstrap(preds, "map", n_resamples=2).point.mean())


def detection(cell: Params, rng: np.random.Generator) -> Found:
    """Judge the mAP of two equal detectors."""
    return both(_detections(cell["n"], rng), "map", _map(), rng)


# -- rates of one class, and errors of values ------------------------

# How often both models are right about each of the two classes.
SENSITIVITY, SPECIFICITY = 0.8, 0.9
OF_A_CLASS = ("fpr", "fnr", "false_discovery_rate", "false_omission_rate", "prevalence",
              "lr_positive", "lr_negative")  # fmt: skip
OF_ERRORS, PREDICTORS = ("rmsle", "adjusted_r2_3", "word_accuracy"), 3


def _rate(metric: str, share: float) -> float:
    """Return the true value of a rate, by arithmetic."""
    hit, miss = share * SENSITIVITY, share * (1 - SENSITIVITY)
    right, alarm = (1 - share) * SPECIFICITY, (1 - share) * (1 - SPECIFICITY)
    return {
        "fpr": 1 - SPECIFICITY, "fnr": 1 - SENSITIVITY, "prevalence": share,
        "false_discovery_rate": alarm / (hit + alarm), "false_omission_rate": miss / (miss + right),
        "lr_positive": SENSITIVITY / (1 - SPECIFICITY),
        "lr_negative": (1 - SENSITIVITY) / SPECIFICITY,
    }[metric]  # fmt: skip


def rates(cell: Params, rng: np.random.Generator) -> Found:
    """Judge the rates of the positive class, of one table of two equal models."""
    y = rng.random(cell["n"]) < cell["share"]
    if len(np.unique(y)) < 2:
        return {}
    right = rng.random((2, cell["n"])) < np.where(y, SENSITIVITY, SPECIFICITY)
    outputs = np.where(right, y, ~y).astype(int)
    preds = mc.Predictions(y.astype(int), dict(zip("ab", outputs, strict=True)), labels=[0, 1])
    asked = [f"{metric}[1]" for metric in OF_A_CLASS]
    result, found = mc.compare(preds, asked, n_resamples=N_RESAMPLES, rng=rng), {}
    scores = result.scores.query("model == 'a'").set_index("metric")
    for metric, name in zip(OF_A_CLASS, asked, strict=True):
        score, pair = scores.loc[metric], result.differences.set_index("metric").loc[metric]
        truth = _rate(metric, cell["share"])
        found[f"covered, {metric}"] = covers(score.ci_low, score.ci_high, truth)
        if metric == "prevalence":
            # The same of all models, and neither end is better.
            continue
        gate = mc.decide(preds, "a", "b", name, kind="superior", n_resamples=N_RESAMPLES, rng=rng)
        found |= {
            f"covered, {metric}, difference": covers(pair.ci_low, pair.ci_high, 0.0),
            f"rejected, {metric}": float(pair.p_value < 0.05),
            f"passed, {metric}": float(gate.passed),
        }
    return found


def errors(cell: Params, rng: np.random.Generator) -> Found:
    """Judge errors of two equal models, on the scale of logarithms, of squares, or of words."""
    n, metric = cell["n"], cell["what"]
    y, noise = rng.normal(2.0, 1.0, n), 0.5 * rng.standard_normal((2, n))
    if metric == "rmsle":
        values = np.maximum(np.expm1(np.abs(y) + noise), 0.0)
        preds = mc.Predictions(np.expm1(np.abs(y)), dict(zip("ab", values, strict=True)))
        return both(preds, metric, _log_error(), rng)
    if metric == "word_accuracy":
        return both(_sentences(n, rng), metric, 0.85, rng)
    truth = 1 - 0.25 * (n - 1) / (n - PREDICTORS - 1)  # errors' variance over that of y, adjusted
    return both(mc.Predictions(y, dict(zip("ab", y + noise, strict=True))), metric, truth, rng)


@cache
def _log_error() -> float:
    rng = np.random.default_rng(3)
    y, noise = np.abs(rng.normal(2.0, 1.0, 10 * LARGE)), 0.5 * rng.standard_normal(10 * LARGE)
    return float(np.sqrt(np.mean((np.maximum(y + noise, 0.0) - y) ** 2)))


def _sentences(n: int, rng: np.random.Generator) -> mc.Predictions:
    """Draw sentences of 3 to 20 words, of which 0.15 are replaced by each model."""
    words = [rng.integers(0, 50, size) for size in rng.integers(3, 21, n)]
    spoilt = {m: [np.where(rng.random(len(w)) < 0.15, 99, w) for w in words] for m in "ab"}
    texts = {m: [" ".join(map(str, w)) for w in each] for m, each in spoilt.items()}
    return mc.Predictions([" ".join(map(str, w)) for w in words], texts, kind="texts")


# -- the best of equal models ------------------------

# Accuracy of all models, of which none depends on another.
RIGHT = 0.8


def best(cell: Params, rng: np.random.Generator) -> Found:
    """Judge the interval of the model that is right most often, alone and among those of all."""
    n_models, n = int(cell["what"].split()[0]), cell["n"]
    y = rng.integers(0, 2, n)
    outputs = np.where(rng.random((n_models, n)) < RIGHT, y, 1 - y)
    preds = mc.Predictions(y, {f"m{k}": each for k, each in enumerate(outputs)}, labels=[0, 1])
    result = mc.compare(preds, "accuracy", baseline="m0", n_resamples=N_RESAMPLES, rng=rng)
    alone, at_once = result.scores, result.simultaneous_intervals("scores")
    place = int(alone["estimate"].to_numpy().argmax())
    ends = (at_once[name].to_numpy() for name in ("ci_low", "ci_high"))
    wide, narrow = (each.iloc[place]["ci_high"] - each.iloc[place]["ci_low"]
                    for each in (at_once, alone))  # fmt: skip
    return {
        "alone": covers(*alone.iloc[place][["ci_low", "ci_high"]], RIGHT),
        "covered, at once": covers(*at_once.iloc[place][["ci_low", "ci_high"]], RIGHT),
        "covered, all": float(
            all(covers(low, high, RIGHT) for low, high in zip(*ends, strict=True))
        ),
        "times as wide": float(wide / narrow),
    }


# -- the table ------------------------

PARTS: dict[str, Callable[[Params, np.random.Generator], Found]] = {
    "operating point": operating_point, "calibration line": calibration_line,
    "agreement": agreement, "ranking": ranking, "detection": detection, "rates": rates,
    "errors": errors, "best of equal models": best,
}  # fmt: skip


def simulated(cell: Params, n_trials: int) -> pd.DataFrame:
    """Return a row for each measure: the share of the trials with a value, and their number."""
    trial, seed = PARTS[cell["part"].partition(",")[0]], zlib.crc32(cell_id(
        {"kind": "others", **cell}).encode())  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = pd.DataFrame(
            [trial(cell, np.random.default_rng(each)) for each in _seeds(seed, n_trials)]
        )
    return pd.DataFrame([
        {**cell, "measure": name, "trials": int(column.notna().sum()), "value": column.mean()}
        for name, column in found.items()
    ])  # fmt: skip


def _seeds(seed: int, n_trials: int) -> Iterator[np.random.SeedSequence]:
    yield from np.random.SeedSequence(seed).spawn(n_trials)


def short(table: pd.DataFrame) -> Array:
    """Return which rows cover less than wanted, or err more, beyond 2.5 standard errors."""
    covered = table["measure"].str.startswith("covered")
    limit = np.where(covered, WANTED, SIZE)
    noise = 2.5 * np.sqrt(limit * (1 - limit) / table["trials"])
    judged = covered | table["measure"].str.startswith(("rejected", "passed"))
    return judged & (np.where(covered, limit - table["value"], table["value"] - limit) > noise)


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return the lowest coverage, or the largest error, of each part and measure."""
    rows = {}
    for (part, measure), rest in table.groupby(["part", "measure"], sort=False):
        covered = measure.startswith("covered")
        worst = rest.loc[rest["value"].idxmin() if covered else rest["value"].idxmax()]
        rows[f"{part}: {measure}"] = {
            "cells": str(len(rest)), "short": str(int(short(rest).sum())), "worst": worst["value"],
            "where": f"{worst['what']}, n = {worst['n']}", "trials": str(worst["trials"]),
        }  # fmt: skip
    return pd.DataFrame.from_dict(rows, orient="index")


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print the worst."""
    simulate(__doc__, cells(), simulated, verdict, RESULTS, arguments)


if __name__ == "__main__":
    main()
