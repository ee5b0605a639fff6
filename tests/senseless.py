"""Values that make no sense, by type of option, and public functions that must refuse them."""

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import modelcompare as mc
from modelcompare.plugs import plugins

NAN = math.nan
# Values without sense, by type of option; None is one of them where an option has no such default.
COUNT = [1.5, "100", True, -1, 0, 10**12, NAN, [5], {}]
FRACTION = [0, 1, NAN, "x", 95, -0.1, math.inf, True, [0.5], 1e-300]
CHOICE = ["x", "", 5, [], {}, NAN, b"x", True]
NUMBER = [NAN, math.inf, -1, "x", "0.1", True, [0.1], {}]
ZERO_DIVISION = [5, -1, 0.5, "x", math.inf, True, [], {}]
JOBS = [0, "x", 1e9, 1.5, True, [], NAN, 10**6]
RNG = ["x", -1, 1.5, True, [], {}, NAN]
FLAG = ["yes", 5, [], NAN, {}]
METRICS = [5, [], [["f1"]], "nonsense", {"f1": 1}, b"f1", NAN, [None], [5], object()]
METRIC = [5, [], ["f1"], "zzz", b"f1", NAN, {}, object()]
PAIRS = [5, [], "nonsense", [("f1",)], [("f1", "cf1", "f1")], [(1, 2)], [5], NAN, [["f1", None]]]
RATIOS = [5, 0.5, [], [0], [2], ["x"], [NAN], [True], "x", [[0.5]], [-1], [0.5, 0.5], NAN]
NUMBERS = [5, [0], ["x"], [NAN], [True], "x", [[0.5]], [-1], [math.inf], NAN]
COUNTS = [5, [], [0], ["x"], [1.5], [True], [10**12], "x", NAN]
NAMES = [5, [5], ["nobody"], "nobody", NAN, [[]], {"nobody": 1}]
TESTS = [5, [], ["x"], "x", [5], [[]], NAN, True]
MODEL = ["nobody", 5, [], NAN, ["a"], {}, True]
LABEL = ["nobody", 5, [], {}, NAN]
PREDICTIONS = ["file.csv", Path("file.csv"), pd.DataFrame({"a": [1]}), {"a": [1]}, [], 5, NAN]
TEXT = [5, [], {}, NAN, True, b"x"]
COLUMN = ["nobody", 5, [], {}, NAN, True, ["a"], b"a"]

ROLES: dict[str, list[Any]] = {
    **dict.fromkeys(("true", "id", "groups", "strata", "runs", "weight", "pred", "event"), COLUMN),
    **dict.fromkeys(("model", "set", "filter", "nobody"), COLUMN), "annotators": CHOICE,
    "judge": [5, "x", [], [1], NAN, {"a": 5}], "label_weight": [5, "x", [], [1], NAN],
    "slices": [5, "y_true", [5], ["nobody"], NAN, True, b"x"],
    "score": ["nobody", 5, NAN, True, [5], b"x"],
    "battles": ["x", 5, [], [5], NAN, True, ["a", "b"], ["a", "b", "nobody"]],
}  # fmt: skip
OPTIONS: dict[str, list[Any]] = {
    "n_resamples": COUNT, "n_trials": COUNT, "n_bins": COUNT, "n_subsamples": COUNT, "size": COUNT,
    "min_size": COUNT, "confidence_level": FRACTION, "alpha": FRACTION, "power": FRACTION,
    "method": CHOICE, "test": CHOICE, "correction": CHOICE, "family": CHOICE, "scheme": CHOICE,
    "undefined": CHOICE, "kind": CHOICE, "strategy": CHOICE, "alternative": CHOICE,
    "level": CHOICE, "missing": CHOICE, "unlisted": CHOICE, "normalize": CHOICE, "margin": NUMBER, "rope": NUMBER,
    "cost_item": [*NUMBER, 0], "cost_run": [*NUMBER, 0],
    "difference": [NAN, math.inf, "x", [1], True], "zero_division": ZERO_DIVISION,
    "rng": RNG, "stratify": FLAG, "collapse": FLAG, "paired": FLAG, "sample_size": FLAG,
    "metrics": METRICS, "metric": METRIC, "pairs": PAIRS, "ratios": RATIOS,
    "temperatures": NUMBERS, "noises": NUMBERS, "tests": TESTS, "label": LABEL, "by": NAMES,
    "baseline": MODEL, "candidate": MODEL, "model": MODEL, "model_a": MODEL, "model_b": MODEL,
    "precision": [*NUMBER, 2], "recall": [*NUMBER, 2], "false_positive_rate": [*NUMBER, 2],
    "threshold": [*NUMBER, 2], "rules": [5, [], "x", [5], ["f1"], ["f1:-x"], NAN, [None]],
    "order": [5, "x", ["a"], NAN], "cv": [0, 1, 1.5, "x", True, [], -1, NAN, 10**12],
    "estimators": [5, {}, [], "x", NAN, {"a": 5}],
    "scoring": [5, [], {}, "nonsense", [5], NAN, {"f1": 5}],
    "task": TEXT, "dataset": TEXT, "form": CHOICE, "details": [5, "x", {"a": 5}, NAN, ["x"]],
    "name": ["nobody", 5, [], NAN],
    "at_target": FLAG, "looks": COUNT, "spending": CHOICE, "control": CHOICE, "candidates": COUNT,
    "ledger": [5, [], {}, NAN, True, "", Path("nowhere") / "l.jsonl"], "expect_head": [5, [], {}, NAN, True, ""],
    "pair": ["x", 5, -1, [], NAN, ("f1",), 0.5], "n_columns": COUNT,
    "values": [5, {}, "x", NAN, {"HIGH": 2}, {"HIGH": "x"}, {"HIGH": NAN}, []],
    "lists": [5, {}, "x", NAN, {"a": 5}, {"a": [5]}, {"a": [["x"]]}, {"a": [[("u", "x")]]}],
    "table": [5, {}, [], "x", NAN, {"a": 5}, {"a": [1, 2]}, {"a": [1, 2], "b": ["x", 1]}],
    "n_train": [*NUMBER, 0], "n_test": [*NUMBER, 0],
    "counts": [5, {}, [], "x", NAN, {"a": 5}, [[0.5]], [[-1, 2], [3, 4]], [[1, 2]], [["x"]]],
    "p_values": [5, {}, "x", NAN, ["x"], [2], [-1], [True], {"a": 0.1}],
    "bins": [5, {}, "x", NAN, {"a": 5}],
    "predictions": PREDICTIONS, "predictions_a": PREDICTIONS, "predictions_b": PREDICTIONS,
    "source": [5, [], {}, [5], {"a": 5}, NAN, True, b"x", object()],
    "generalize_to": CHOICE, "weights": [5, [], "x", NAN, True, {"x": "y"}, {"x": -1}],
    "na": [5, "x", [5], NAN, True, b"x"],
    "labels": [5, "x", [5], NAN, True, b"x", ["u", "u"]],
    "positive": [5, "x", [], [5], {}, NAN, True, b"x"],
    "slices": [5, "y_true", [5], ["nobody"], NAN, True, b"x"], "groups": COLUMN,
    "columns": [5, [], "x", NAN, *({role: bad} for role, values in ROLES.items() for bad in values)],
    "models": NAMES, "greater_is_better": FLAG,
    "bounds": [5, "x", NAN, True, [1], [1, 0], [0, NAN], (0, 1, 2), {"x": (0, 1)}, {"x": 5}],
    "missing_mass": FLAG, "ids": CHOICE,
    "buckets": COUNT, "salt": [5, [], {}, NAN, True, b"x"],
    "checkpoint": [5, [], {}, NAN, True, b"x", __file__],
    "rows": ["x", 5, NAN, [99], [-99], [[0]], ["a"], [0.5], [True], {}, 10**12],
    "outputs": [5, {}, [], "x", NAN, {5: [0, 1]}, {"": [0, 1]}, {"a": 5}, {"a": [None]}],
    "logits": [5, {}, [], "x", NAN, {"a": 5}, {"a": [1]}, {"a": [["x", "y"]] * 2}],
    "judge": [5, "x", [], [1], NAN, {"a": 5}], "label_weight": [5, "x", [], [1], NAN],
}  # fmt: skip


@dataclass
class Door:
    """A public function with arguments that it takes, some of which make other options apply."""

    call: Any
    arguments: dict[str, Any]
    data: tuple[str, ...] = ()
    instead: dict[str, list[Any]] = field(default_factory=dict)
    beside: dict[str, dict[str, Any]] = field(default_factory=dict)


def _preds() -> mc.Predictions:
    rng = np.random.default_rng(0)
    truth = np.arange(40) % 2
    chance = {name: rng.random(40) * 0.5 + truth * 0.4 for name in "abc"}
    return mc.Predictions(
        truth, {name: np.column_stack([1 - p, p]) for name, p in chance.items()},
        slices={"half": np.arange(40) // 20}, groups=np.arange(40) // 2,
        runs=np.arange(40) % 4 if "runs" in plugins() else None,
    )  # fmt: skip


PREDS = _preds()
PLAIN = PREDS.with_columns(groups=None, runs=None)
FEW = {"n_resamples": 20}
