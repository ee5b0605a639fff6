"""Functions, scores with rare failures, calibration errors, sets, heavy tails: cells of the grid.

Each part draws test sets from a population whose values are known, calls one public function with
its defaults, and notes whether an interval covers, a test rejects, or a gate passes; and whether
there was a `SparseDataWarning`: the note that few samples decide is none.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from scipy import stats

import modelcompare as mc
from modelcompare.metrics import SparseDataWarning

Params = dict[str, Any]
Array = np.ndarray[Any, Any]
Found = dict[str, dict[str, float]]

_LARGE = 400_000
_ALPHA = 0.05


def cells(tier: str) -> list[Params]:
    """Return the cells of a tier."""
    if tier == "quick":
        return [
            {"part": "functions", "metric": "largest", "n": 100, "models": 3},
            {"part": "score gate", "n": 50, "failing": 0.02, "loss": 0.8},
            {"part": "sets", "sets": 5, "n": 50, "share": 0.97},
        ]
    parts = (_functions, _score_gates, _calibration_errors, _sets, _heavy_tails, _unpaired)
    return [cell for part in parts for cell in part()]


def _functions() -> Iterator[Params]:
    for metric, n in product(FUNCTIONS, (30, 100, 300)):
        for models in (2, 3, 6):
            yield {"part": "functions", "metric": metric, "n": n, "models": models}
        if metric != "largest":
            yield {"part": "functions", "metric": metric, "n": n, "models": 2, "laws": "unlike"}


def _score_gates() -> Iterator[Params]:
    noisy = {"part": "score gate", "noise": 0.05}
    for failing, loss, n in product((0.01, 0.02, 0.05, 0.1), (0.5, 0.8, 1.0), (40, 100, 200, 1000)):
        yield {**noisy, "n": n, "failing": failing, "loss": loss}
    # Where the margin is about three ranges over n, one unseen failure decides.
    for n, noise in product((50, 54, 60, 64), (0.0, 0.05)):
        yield {"part": "score gate", "n": n, "failing": 0.05, "loss": 1.0, "noise": noise}
    yield {**noisy, "n": 50, "failing": 0.02, "loss": 0.8}
    for failing, n in product((0.02, 0.1), (40, 200, 1000)):
        yield {"part": "score gate", "n": n, "failing": failing, "loss": 0.8}
    for n, unit in product((100, 400), ("clusters", "weights")):
        yield {"part": "score gate", "n": n, "failing": 0.05, "loss": 0.8, "unit": unit}
    for failing, n in product((0.02, 0.1), (100, 1000)):
        yield {"part": "score gate", "n": n, "failing": failing, "loss": 0.8, "gain": 0.0}


def _calibration_errors() -> Iterator[Params]:
    for laws, classes, n in product(("calibrated", "overconfident", "unlike"), (2, 10),
                                    (100, 300, 1000)):  # fmt: skip
        yield {"part": "calibration errors", "laws": laws, "n_classes": classes, "n": n}


def _sets() -> Iterator[Params]:
    for sets, n, share in product((2, 5, 10, 20), (50, 200), (0.5, 0.9, 0.97, 1.0)):
        yield {"part": "sets", "sets": sets, "n": n, "share": share}
    for sets in (2, 10):
        yield {"part": "sets", "sets": sets, "n": 50, "share": 0.9, "gap": 0.05}


def _heavy_tails() -> Iterator[Params]:
    for law, n in product(("normal", "lognormal(1)", "lognormal(2)", "t(3)"), (50, 100, 300, 1000)):
        yield {"part": "means", "law": law, "n": n}
        yield {"part": "means", "law": law, "n": n, "laws": "unlike"}
    for law, n in (("lognormal(1)", 15), ("exponential", 15), ("exponential", 50)):
        yield {"part": "means", "law": law, "n": n}
    for law, n in product(("normal", "t(3)", "lognormal(1)"), (50, 100, 300)):
        yield {"part": "regression", "law": law, "n": n}


def _unpaired() -> Iterator[Params]:
    for (n_a, n_b), share in product(((40, 400), (40, 40), (100, 1000)), (0.5, 0.8, 0.95, 0.99)):
        yield {"part": "unpaired", "n": n_a, "n_b": n_b, "share": share, "metric": "accuracy"}
    for n_a, n_b in ((100, 1000), (200, 200)):
        yield {"part": "unpaired", "n": n_a, "n_b": n_b, "share": 0.1, "metric": "f1"}
    for n_a, n_b in ((40, 400), (40, 40)):
        yield {"part": "unpaired", "n": n_a, "n_b": n_b, "share": 0.5, "metric": "mean_score"}


def run_cell(params: Params, n_trials: int, seed: int) -> dict[str, dict[str, float]]:
    """Return means over the trials by ``metric quantity`` and measure."""
    trial = TRIALS[params["part"]]
    sums: dict[str, dict[str, list[float]]] = {}
    for child in np.random.SeedSequence(seed).spawn(n_trials):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = trial(params, np.random.default_rng(child))
        texts = [str(w.message) for w in caught if issubclass(w.category, SparseDataWarning)]
        for name, measures in found.items():
            warned = float(any(_is_about(text, name) for text in texts))
            for measure, value in _with_warnings(measures, warned).items():
                if not np.isnan(value):
                    sums.setdefault(name, {}).setdefault(measure, []).append(float(value))
    # Each measure has the number of trials of its quantity: those that had an interval.
    means: dict[str, dict[str, float]] = {}
    for name, measures in sums.items():
        n = min(map(len, measures.values()))
        means[name] = {measure: float(np.mean(v)) for measure, v in measures.items()}
        means[name]["n_trials"] = n
    return means


def _is_about(text: str, name: str) -> bool:
    """Return whether a warning is about a ``metric quantity``, not about another of the call.

    It names models, pairs of models, or neither where it is about all of them. A statement about a
    single test set is about that set's values, not about pooled ones.
    """
    metric, _, quantity = name.rpartition(" ")
    if metric not in text or text.startswith("set"):
        return False
    pairs, models = "'m0' - 'm1'" in text, re.search(r" of 'm\d'", text) is not None
    if quantity == "score":
        return models or not pairs
    return quantity != "difference" or pairs or not models


def _with_warnings(measures: dict[str, float], warned: float) -> dict[str, float]:
    out = measures | {"warned": warned}
    for bad, name in (("rejected", "rejected, unwarned"), ("false finding", "found, unwarned")):
        if bad in measures:
            out[name] = measures[bad] * (1 - warned)
    if "covered" in measures:
        out["covered or warned"] = max(measures["covered"], warned)
    return out


def _judged(low: float, high: float, truth: float, bounds: tuple[float, float]) -> dict[str, float]:
    """Return whether an interval covers, its width, and whether it leaves the metric's range."""
    if np.isnan(low) or np.isnan(high):
        return {}
    outside = low < bounds[0] - 1e-9 or high > bounds[1] + 1e-9
    return {
        "covered": float(low - 1e-12 <= truth <= high + 1e-12), "width": high - low,
        "width 0": float(low == high), "outside its range": float(outside),
    }  # fmt: skip


def _both(
    result: Any, metric: str, truth: tuple[float, float], bounds: tuple[float, float]
) -> Found:
    """Return the first model's score and the first difference of one metric, judged."""
    scores = result.scores.query("metric == @metric").iloc[0]
    out = {f"{metric} score": _judged(scores.ci_low, scores.ci_high, truth[0], bounds)}
    if len(result.differences):
        row, extent = result.differences.query("metric == @metric").iloc[0], bounds[1] - bounds[0]
        out[f"{metric} difference"] = _judged(
            row.ci_low, row.ci_high, truth[0] - truth[1], (-extent, extent)
        )
    return out


# -- custom functions, medians and quantiles of errors ------------------------


def largest(y_true: Array, y_pred: Array) -> float:
    """Return the largest absolute error."""
    return float(np.abs(y_true - y_pred).max())


def ninth_decile(y_true: Array, y_pred: Array) -> float:
    """Return the 90 % quantile of the absolute errors."""
    errors = np.abs(y_true - y_pred)
    place = int(np.ceil(0.9 * len(errors))) - 1
    return float(np.partition(errors, place)[place])


def own_rmse(y_true: Array, y_pred: Array) -> float:
    """Return the root of the mean squared error."""
    return float(np.sqrt(np.mean((y_true - y_pred) ** 2)))


FUNCTIONS: dict[str, Any] = {
    "median_absolute_error": "median_absolute_error",
    "ninth_decile": ninth_decile,
    "largest": largest,
    "own_rmse": own_rmse,
}
# Value of |error| of a standard normal and of a standard exponential law, by which errors are
# divided, so that both values are 1.
_UNIT = {
    "median_absolute_error": (stats.halfnorm.median(), stats.expon.median()),
    "ninth_decile": (stats.halfnorm.ppf(0.9), stats.expon.ppf(0.9)),
    "own_rmse": (1.0, np.sqrt(2.0)),
    "largest": (1.0, 1.0),
}


def _uniforms(shape: tuple[int, int], rng: np.random.Generator, correlation: float = 0.5) -> Array:
    """Return uniform numbers (n_models, n) that are correlated between models."""
    common = rng.standard_normal(shape[1])
    own = rng.standard_normal(shape)
    return stats.norm.cdf(np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own)


def function_trial(params: Params, rng: np.random.Generator) -> Found:
    """Judge the default test of all pairs and, of two models, both intervals."""
    metric, models = params["metric"], params["models"]
    sizes = _uniforms((models, params["n"]), rng)
    errors = stats.halfnorm.ppf(sizes) / _UNIT[metric][0]
    if params.get("laws") == "unlike":
        errors[1] = stats.expon.ppf(sizes[1]) / _UNIT[metric][1]
    y = rng.standard_normal(params["n"])
    signs = rng.choice([-1.0, 1.0], params["n"])
    preds = mc.Predictions(y, {f"m{i}": y + signs * e for i, e in enumerate(errors)}, kind="values")
    pairs = models * (models - 1) // 2
    with warnings.catch_warnings():
        # Functions whose direction does not follow from their names; it is not asked for.
        warnings.filterwarnings("ignore", message=".*direction.*")
        result = mc.compare(
            preds, [FUNCTIONS[metric]], n_resamples=max(199, 40 * pairs - 1), rng=rng
        )
    shown = result.differences["better"].notna().any()
    unlike = params.get("laws") == "unlike"
    found: Found = {
        f"{metric} {'test' if unlike else 'family'}": {
            "rejected" if unlike else "false finding": float(shown)
        }
    }
    if models == 2 and metric != "largest":
        found |= _both(result, metric, (1.0, 1.0), (0.0, np.inf))
    return found


# -- gates on scores that rarely fail ------------------------


def score_gate_trial(params: Params, rng: np.random.Generator) -> Found:
    """Note whether a candidate passes whose loss is exactly the margin, or that loses nothing."""
    n, loss, failing = params["n"], params["loss"], params["failing"]
    options: dict[str, Any] = {}
    fails = rng.random(n) < failing
    if params.get("unit") == "clusters":
        options["groups"] = np.arange(n) // 4
        fails = (rng.random(n // 4) < failing)[options["groups"]]
    if params.get("unit") == "weights":
        options["sample_weight"] = rng.lognormal(0, 0.5, n)
    noise = params.get("noise", 0.0) * rng.uniform(-1, 1, n)
    # Where nothing fails there is room for noise on both sides.
    baseline = np.where(fails, 1.0, 0.9 if noise.any() else 1.0)
    candidate = np.where(fails, baseline - loss, baseline + noise)
    margin = failing * loss
    if "gain" in params:
        # Both models fail, each on separate samples, at half the rate: the true gain is 0.
        which = rng.random(n) < 0.5
        candidate = np.where(fails & which, baseline - loss, baseline)
        baseline = np.where(fails & ~which, baseline - loss, baseline)
    preds = mc.Predictions.from_scores(
        {"old": baseline, "new": candidate}, greater_is_better=True, **options
    )
    found = mc.decide(preds, "old", "new", "mean_score", margin=margin, n_resamples=999, rng=rng)
    passed = "power" if "gain" in params else "passed"
    return {
        "mean_score gate": {
            passed: float(found.passed),
            "not enough data": float(found.answer == "not enough data"),
        }
    }


# -- calibration errors through compare ------------------------


def _confidences(
    params: Params, n: int, rng: np.random.Generator
) -> tuple[tuple[Array, Array], Array]:
    """Return two models' confidences, and whether their common first choice is right.

    The chance of being right is v + w, and on average v of all with the same v: a model with
    confidence v + w and one with confidence v are both calibrated. An overconfident model has
    more than that.
    """
    least = 1 / params["n_classes"]
    over = {"calibrated": (1, 1), "overconfident": (0.6, 0.6), "unlike": (1, 0.6)}[params["laws"]]
    top = least + min(over) * (1 - least)
    v = least + (top - least) * rng.beta(2.5, 1, n)
    w = 0.5 * np.minimum(v - least, top - v) * rng.choice([-1.0, 1.0], n)
    right = rng.random(n) < v + w
    confidence = (least + (v + w - least) / over[0], least + (v - least) / over[1])
    return confidence, right


@cache
def _true_errors(laws: str, n_classes: int) -> tuple[float, float]:
    rng = np.random.default_rng(2**31)
    both, right = _confidences({"laws": laws, "n_classes": n_classes}, 5 * _LARGE, rng)
    out = []
    for confidence in both:
        bins = np.clip(np.ceil(confidence * 15).astype(int) - 1, 0, 14)
        gaps = np.bincount(bins, right - confidence, 15) / len(bins)
        # What is left of a calibrated model's gaps is chance.
        out.append(float(np.abs(gaps).sum()))
    over = {"calibrated": (1, 1), "overconfident": (0.6, 0.6), "unlike": (1, 0.6)}[laws]
    return (0.0 if over[0] == 1 else out[0], 0.0 if over[1] == 1 else out[1])


def calibration_trial(params: Params, rng: np.random.Generator) -> Found:
    """Judge both intervals of the calibration errors, and the test of the root mean square."""
    (a, b), right = _confidences(params, params["n"], rng)
    k = params["n_classes"]
    outputs = {}
    for name, confidence in (("m0", a), ("m1", b)):
        output = np.repeat(((1 - confidence) / (k - 1))[:, None], k, axis=1)
        output[:, 0] = confidence
        outputs[name] = output
    preds = mc.Predictions(np.where(right, 0, 1), outputs, labels=range(k))
    result = mc.compare(preds, ["ece", "debiased_ece"], n_resamples=199, rng=rng)
    truth = _true_errors(params["laws"], k)
    squares = mc.paired_test(preds, "m0", "m1", "rms_calibration_error", n_resamples=199, rng=rng)
    # Two calibrated models have equal errors and are not exchangeable.
    measure = "rejected" if params["laws"] == "calibrated" else "found"
    return {
        "rms_calibration_error test": {measure: float(squares.p_value < 0.05)},
    } | {
        name: judged
        for metric in ("ece", "debiased_ece")
        for name, judged in _both(result, metric, truth, (0.0, 1.0)).items()
    }


# -- several test sets ------------------------


def sets_trial(params: Params, rng: np.random.Generator) -> Found:
    """Judge the pooled accuracy and the pooled difference."""
    share, gap = params["share"], params.get("gap", 0.0)
    sets = {}
    for place in range(params["sets"]):
        y = rng.integers(2, size=params["n"])
        u = _uniforms((2, params["n"]), rng)
        right = u < np.array([[share], [share - gap]])
        outputs = {f"m{i}": np.where(row, y, 1 - y) for i, row in enumerate(right)}
        sets[f"set{place}"] = mc.Predictions(y, outputs, labels=[0, 1])
    result = mc.compare_groups(sets, "accuracy", n_resamples=399, rng=rng)
    score, pair = result.pooled_scores.iloc[0], result.pooled_differences.iloc[0]
    found: Found = {
        "accuracy score": _judged(score.ci_low, score.ci_high, share, (0, 1)),
        "accuracy difference": _judged(pair.ci_low, pair.ci_high, gap, (-1, 1)),
    }
    if not gap:
        found["accuracy test"] = {"rejected": float(pair.p_value < _ALPHA)}
    return found


# -- heavy tails ------------------------


def _drawn(law: str, u: Array) -> tuple[Array, float]:
    """Return numbers of a law from uniform ones, and the law's mean."""
    if law.startswith("lognormal"):
        sigma = float(law[10:-1])
        return stats.lognorm.ppf(u, sigma), float(np.exp(sigma**2 / 2))
    if law == "exponential":
        return stats.expon.ppf(u), 1.0
    return (stats.norm.ppf(u) if law == "normal" else stats.t.ppf(u, 3)), 0.0


def means_trial(params: Params, rng: np.random.Generator) -> Found:
    """Judge both intervals of a mean, and the default test of equal means."""
    u = _uniforms((2, params["n"]), rng)
    first, mean = _drawn(params["law"], u[0])
    second, _ = _drawn(params["law"], u[1])
    if params.get("laws") == "unlike":
        second = mean + stats.norm.ppf(u[1])
    preds = mc.Predictions.from_scores({"m0": first, "m1": second}, greater_is_better=True)
    result = mc.compare(preds, "mean_score", n_resamples=399, rng=rng)
    found = _both(result, "mean_score", (mean, mean), (-np.inf, np.inf))
    rejected = float(result.differences["p_value"].iloc[0] < _ALPHA)
    return found | {"mean_score test": {"rejected": rejected}}


def regression_trial(params: Params, rng: np.random.Generator) -> Found:
    """Judge the intervals of RMSE and R2 of errors with heavy tails."""
    n, law = params["n"], params["law"]
    if law.startswith("lognormal"):
        sizes, _ = _drawn(law, _uniforms((2, n), rng))
        errors = sizes * rng.choice([-1.0, 1.0], n)
        square = float(np.exp(2 * float(law[10:-1]) ** 2))
    else:
        errors, _ = _drawn(law, _uniforms((2, n), rng))
        square = 1.0 if law == "normal" else 3.0
    spread = 2 * np.sqrt(square)
    y = spread * rng.standard_normal(n)
    preds = mc.Predictions(y, {"m0": y + errors[0], "m1": y + errors[1]}, kind="values")
    result = mc.compare(preds, ["rmse", "r2"], n_resamples=399, rng=rng)
    root, r2 = float(np.sqrt(square)), 1 - square / spread**2
    return _both(result, "rmse", (root, root), (0, np.inf)) | _both(
        result, "r2", (r2, r2), (-np.inf, 1)
    )


# -- two test sets ------------------------


def unpaired_trial(params: Params, rng: np.random.Generator) -> Found:
    """Note whether two models of equal value on separate test sets are distinguished."""
    metric, sides = params["metric"], []
    for name, n, spread in (("a", params["n"], 1.0), ("b", params["n_b"], 3.0)):
        if metric == "mean_score":
            scores = {name: spread * rng.standard_normal(n)}
            sides.append(mc.Predictions.from_scores(scores, greater_is_better=True))
            continue
        positive = 0.5 if metric == "accuracy" else params["share"]
        y = (rng.random(n) < positive).astype(int)
        right = rng.random(n) < (params["share"] if metric == "accuracy" else 0.85)
        sides.append(mc.Predictions(y, {name: np.where(right, y, 1 - y)}, labels=[0, 1]))
    value = "f1[1]" if metric == "f1" else metric
    found = mc.inference.unpaired_test(*sides, value, n_resamples=399, rng=rng)
    return {f"{metric} test": {"rejected": float(found.p_value < _ALPHA)}}


TRIALS: dict[str, Callable[[Params, np.random.Generator], Found]] = {
    "functions": function_trial,
    "score gate": score_gate_trial,
    "calibration errors": calibration_trial,
    "sets": sets_trial,
    "means": means_trial,
    "regression": regression_trial,
    "unpaired": unpaired_trial,
}
