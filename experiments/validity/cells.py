"""What is measured in one cell of the grid: intervals, families, tests or gates.

A cell is a plain dict: its `kind` (a key of `MEASURES`), the parameters of a population (see
`worlds`), and for the metrics their names with blanks between. Only public functions are called,
with the defaults of the package but for `n_resamples`.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

import modelcompare as mc
from experiments.validity.worlds import samples_of, world_of
from modelcompare.engine.axis import ValueKey
from modelcompare.intervals import Interval

PER_CLASS = frozenset({"precision", "recall", "f1", "cf1"})
WHOLE = frozenset({"accuracy", "brier_score", "jaccard_micro", "log_loss", "mean_score", "wer"})
PROPORTIONS = frozenset({"accuracy", "precision", "recall"})
SCORE_METHODS = ("BCa", "percentile", "logit")
DIFFERENCE_METHODS = ("BCa", "percentile", "normal")
TESTS = ("sign-flip", "permutation", "bootstrap", "wald")
OWN_TESTS = {"accuracy": ("mcnemar-midp",), "roc_auc": ("delong",), "mean_score": ("t",)}
# Arguments of `compare` that a cell of families may name.
ASKED = ("correction", "family", "baseline")
_RARE = 1

Cell = Mapping[str, Any]
Row = tuple[str, str, str, str, int, float, float]
Ends = tuple[float, float]


class Tally:
    """Number, total and squares of every measure, by metric, quantity and method."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str, str, str], list[float]] = defaultdict(lambda: [0, 0, 0])

    def add(self, metric: str, quantity: str, method: str, measure: str, value: float) -> None:
        """Count one value of one trial."""
        sums = self._sums[metric, quantity, method, measure]
        for place, part in enumerate((1, float(value), float(value) ** 2)):
            sums[place] += part

    def rows(self) -> list[Row]:
        """(metric, quantity, method, measure, number, total, squares) of each."""
        return [(*key, int(n), total, squares) for key, (n, total, squares) in self._sums.items()]


def run_cell(params: Cell, n_trials: int, seed: int) -> list[Row]:
    """Simulate a chunk of trials of a cell."""
    tally, measure = Tally(), MEASURES[params["kind"]]
    for trial in np.random.SeedSequence(seed).spawn(n_trials):
        try:
            measure(params, np.random.default_rng(trial), tally)
        except ValueError:
            tally.add("", params["kind"], "default", "refused", 1)
    return tally.rows()


def expected_samples(params: Cell, metric: str) -> float:
    """Expected samples of the rarest class that the metric (``f1_macro``, ``f1[0]``) depends on."""
    n = samples_of(params)
    name, _, label = metric.partition("[")
    if name in WHOLE or params.get("world") in ("texts", "means"):
        return float(n)
    n_classes = params.get("classes") or params.get("n_classes") or 2
    # All classes but the first have the same share.
    rest = params.get("share") or (n_classes - 1) / n_classes
    if label.startswith("0"):
        return n * (1 - rest)
    return n * min(1 - rest, rest / (n_classes - 1))


def label_of(metric: str) -> int | None:
    """The class that is examined: of two the rare one."""
    return _RARE if metric in PER_CLASS else None


def _intervals(params: Cell, rng: np.random.Generator, tally: Tally) -> None:
    """Coverage and width of the default intervals of m0 and of m0 - m1, and of other methods."""
    world, metrics = world_of(params), params["metrics"].split()
    preds = world.draw(rng)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Intervals do not depend on the test, and Wald's is there with them.
        result = mc.compare(
            preds, metrics, n_resamples=params["B"], test="wald", correction="none", rng=rng
        )
    warned = any("cluster" in str(warning.message) for warning in caught)
    point = result.bootstrap.point
    found = {
        "score": (result.evidence.score_interval, point[0]),
        "difference": (result.evidence.difference_interval, point[0] - point[1]),
    }
    others = _other_intervals(result.bootstrap, preds, metrics)
    truths = {metric: world.truth(metric, label_of(metric), preds) for metric in metrics}
    for place, key in enumerate(result.bootstrap.evaluation.keys):
        metric = key.metric
        if key.label != label_of(metric):
            continue
        value = truths[metric]
        for quantity, (interval, estimates) in found.items():
            true = value[0] if quantity == "score" else value[0] - value[1]
            about, ends = (metric, quantity, "default"), _ends(interval, place)
            _judge(tally, about, ends, true)
            _judge_default(tally, about, ends, float(estimates[place]), true, warned)
            for method, of_keys in others[quantity].items():
                if key in of_keys:
                    _judge(tally, (metric, quantity, method), of_keys[key], true)


def _other_intervals(
    replicated: mc.results.BootstrapResult, preds: mc.Predictions, metrics: list[str]
) -> dict[str, dict[str, dict[ValueKey, Ends]]]:
    """The intervals that one could have asked for by name, of m0 and of m0 - m1."""
    asked = [(replicated, method) for method in SCORE_METHODS]
    proportions = [metric for metric in metrics if metric in PROPORTIONS]
    if proportions:
        asked.append((mc.bootstrap(preds, proportions, n_resamples=2), "wilson"))
    scores, differences = {}, {}
    pair = np.array([0]), np.array([1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for result, method in asked:
            with suppress(ValueError):
                scores[method] = _by_key(result, result.score_interval(method, 0.95))
        for method in DIFFERENCE_METHODS:
            interval = replicated.difference_interval(*pair, method, 0.95)
            differences[method] = _by_key(replicated, interval)
    return {"score": scores, "difference": differences}


def _by_key(replicated: mc.results.BootstrapResult, interval: Interval) -> dict[ValueKey, Ends]:
    """Bounds of the first model's values, or of the first pair's differences."""
    return {key: _ends(interval, place) for place, key in enumerate(replicated.evaluation.keys)}


def _ends(interval: Interval, place: int) -> Ends:
    return float(interval.low[0, place]), float(interval.high[0, place])


def _holds(ends: Ends, value: float) -> bool:
    return bool(ends[0] - 1e-12 <= value <= ends[1] + 1e-12)


def _judge(tally: Tally, key: tuple[str, str, str], ends: Ends, truth: float) -> None:
    undefined = bool(np.isnan(ends).any())
    tally.add(*key, "undefined", undefined)
    if not undefined:
        tally.add(*key, "covered", _holds(ends, truth))
        tally.add(*key, "width", ends[1] - ends[0])
        tally.add(*key, "width 0", ends[0] == ends[1])


def _judge_default(
    tally: Tally, key: tuple[str, str, str], ends: Ends, estimate: float, truth: float, warned: bool
) -> None:
    if np.isnan(ends).any():
        return
    tally.add(*key, "covered or warned", warned or _holds(ends, truth))
    tally.add(*key, "warned", warned)
    tally.add(*key, "estimate left out", not _holds(ends, estimate))


def _families(params: Cell, rng: np.random.Generator, tally: Tally) -> None:
    """Whether the default comparison of exchangeable models finds anything at all.

    With ``family="all"`` the metrics are one family, and count once.
    """
    preds, metrics = world_of(params).draw(rng), params["metrics"].split()
    asked = {name: params[name] for name in ASKED if name in params}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = mc.compare(preds, metrics, n_resamples=params["B"], rng=rng, **asked)
    shown = result.differences["better"].notna()
    if asked.get("family") == "all":
        tally.add("all", "family", "default", "false finding", shown.any())
        return
    for metric in metrics:
        found = shown[result.differences["metric"] == metric]
        tally.add(metric, "family", "default", "false finding", found.any())


def _tests(params: Cell, rng: np.random.Generator, tally: Tally) -> None:
    """Whether the default test and the others reject at 5 %."""
    preds = world_of(params).draw(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for metric in params["metrics"].split():
            for test in ("default", *TESTS, *OWN_TESTS.get(metric, ())):
                chosen = {} if test == "default" else {"method": test}
                try:
                    found = mc.paired_test(
                        preds, "m0", "m1", (metric, label_of(metric)), n_resamples=params["B"],
                        rng=rng, **chosen,
                    )  # fmt: skip
                except ValueError:
                    tally.add(metric, "test", test, "refused", 1)
                    continue
                tally.add(metric, "test", test, "rejected", found.p_value < 0.05)


def _gates(params: Cell, rng: np.random.Generator, tally: Tally) -> None:
    """Whether a candidate that is worse by exactly the margin is let through."""
    preds, metric = world_of(params).draw(rng), params["gap_in"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = mc.decide(
            preds, "m0", "m1", metric, margin=params["gap"], n_resamples=params["B"], rng=rng
        )
    tally.add(metric, "gate", "default", "passed", found.passed)


MEASURES: dict[str, Callable[[Cell, np.random.Generator, Tally], None]] = {
    "intervals": _intervals,
    "families": _families,
    "tests": _tests,
    "gates": _gates,
}
