"""Every option of every public function refuses what makes no sense, by its name, in our words."""

import inspect
import math
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from tests.public import functions

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
COCO = {
    "images": [{"id": 1}, {"id": 2}],
    "categories": [{"id": 1, "name": "cat"}],
    "annotations": [],
}
COUNTS = [5, [], [0], ["x"], [1.5], [True], [10**12], "x", NAN]
NAMES = [5, [5], ["nobody"], "nobody", NAN, [[]], {"nobody": 1}]
TESTS = [5, [], ["x"], "x", [5], [[]], NAN, True]
MODEL = ["nobody", 5, [], NAN, ["a"], {}, True]
LABEL = ["nobody", 5, [], {}, NAN]
PREDICTIONS = ["file.csv", Path("file.csv"), pd.DataFrame({"a": [1]}), {"a": [1]}, [], 5, NAN]
TEXT = [5, [], {}, NAN, True, b"x"]
COLUMN = ["nobody", 5, [], {}, NAN, True, ["a"], b"a"]

OPTIONS: dict[str, list[Any]] = {
    "n_resamples": COUNT, "n_trials": COUNT, "n_bins": COUNT, "n_subsamples": COUNT, "size": COUNT,
    "min_size": COUNT, "confidence_level": FRACTION, "alpha": FRACTION, "power": FRACTION,
    "method": CHOICE, "test": CHOICE, "correction": CHOICE, "family": CHOICE, "scheme": CHOICE,
    "undefined": CHOICE, "kind": CHOICE, "strategy": CHOICE, "alternative": CHOICE,
    "level": CHOICE, "missing": CHOICE, "normalize": CHOICE, "margin": NUMBER, "rope": NUMBER,
    "cost_item": [*NUMBER, 0], "cost_run": [*NUMBER, 0],
    "difference": [NAN, math.inf, "x", [1], True], "zero_division": ZERO_DIVISION, "n_jobs": JOBS,
    "rng": RNG, "progress": FLAG, "stratify": FLAG, "collapse": FLAG, "paired": FLAG,
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
    "any_time": FLAG, "at_target": FLAG, "looks": COUNT, "spending": CHOICE, "control": CHOICE, "n_candidates": COUNT,
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
    "random": CHOICE, "weights": [5, [], "x", NAN, True, {"x": "y"}, {"x": -1}],
    "annotators": CHOICE, "true": COLUMN, "id": COLUMN, "groups": COLUMN, "strata": COLUMN, "runs": COLUMN,
    "weight": COLUMN, "pred": COLUMN, "event": COLUMN, "model_column": COLUMN, "set": COLUMN, "filter": COLUMN,
    "score": ["nobody", 5, NAN, True, [5], b"x"], "na": [5, "x", [5], NAN, True, b"x"],
    "labels": [5, "x", [5], NAN, True, b"x", ["u", "u"]],
    "positive": [5, "x", [], [5], {}, NAN, True, b"x"],
    "slices": [5, "y_true", [5], ["nobody"], NAN, True, b"x"],
    "models": NAMES, "scores": FLAG, "greater_is_better": FLAG,
    "bounds": [5, "x", NAN, True, [1], [1, 0], [0, NAN], (0, 1, 2), {"x": (0, 1)}, {"x": 5}],
    "missing_mass": FLAG, "ids": CHOICE, "score_names": NAMES,
    "buckets": COUNT, "salt": [5, [], {}, NAN, True, b"x"],
    "checkpoint": [5, [], {}, NAN, True, b"x", __file__],
    "rows": ["x", 5, NAN, [99], [-99], [[0]], ["a"], [0.5], [True], {}, 10**12],
    "outputs": [5, {}, [], "x", NAN, {5: [0, 1]}, {"": [0, 1]}, {"a": 5}, {"a": [None]}],
    "logits": [5, {}, [], "x", NAN, {"a": 5}, {"a": [1]}, {"a": [["x", "y"]] * 2}],
    "judge": [5, "x", [], [1], NAN, {"a": 5}], "label_weight": [5, "x", [], [1], NAN],
    "judge_tuned": FLAG, "battles": ["x", 5, [], [5], NAN, True, ["a", "b"], ["a", "b", "nobody"]],
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
        slices={"half": np.arange(40) // 20}, runs=np.arange(40) % 4, groups=np.arange(40) // 2,
    )  # fmt: skip


PREDS = _preds()
PLAIN = PREDS.without("groups", "runs")
FEW = {"n_resamples": 20}
LEDGER = Path(mkdtemp()) / "ledger.jsonl"
mc.keep(PLAIN, "a", "b", "f1_macro:+0", ledger=LEDGER, **FEW)
COUNTS = pd.DataFrame({
    "id": [0, 1] * 2, "model": [*"aabb"], "tp": [2, 1, 1, 2], "fp": [0, 1, 1, 0], "fn": [1, 1, 2, 0],
})  # fmt: skip
TWO = {"predictions": PLAIN, "model_a": "a", "model_b": "b", "metric": "accuracy"}
TRUTH = PLAIN.y_true
JUDGED = mc.Predictions(
    [*[0, 1, 1, 0, 1] * 4, *[None] * 20], {"a": [0, 1] * 20, "b": [1, 1, 0, 0] * 10},
    judge=[0, 1] * 20,
)  # fmt: skip
TABLE = pd.DataFrame({"y_true": [0, 1], "a": [0, 1], "b": [1, 1]})
LONG = pd.DataFrame(
    [(m, s, i, i % 2) for m in "ab" for s in "xy" for i in range(4)],
    columns=["model", "set", "item", "score"],
)
DATA = [5, "x", [], [1], [[1, 2]], [None, 1], NAN]
BESIDE = dict.fromkeys(("ids", "groups", "strata", "runs", "slices"), DATA)
X = np.random.default_rng(1).normal(size=(40, 2)) + np.asarray(TRUTH)[:, None]


def _estimators(fitted: bool) -> dict[str, Any]:
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    made = {"bayes": GaussianNB(), "dummy": DummyClassifier()}
    return {name: e.fit(X, TRUTH) for name, e in made.items()} if fitted else made


def _doors() -> dict[str, Door]:
    variance = mc.studies.variance_study(PLAIN, ["f1_macro"], ratios=[1.0], **FEW)
    agreement = mc.studies.agreement_study(PLAIN, ["f1_macro"], **FEW)
    sizes = mc.sample_size(**TWO)
    sets = mc.compare_groups({"x": PLAIN, "y": PLAIN}, "accuracy", **FEW)
    listed = {"y_true": ["u", "v"], "lists": {"a": [[("u", 0.5)], [("v", 0.5)]]}}
    binned = {
        "y_true": ["u", "v"], "y_pred": {"a": ["u", "u"]}, "bins": {"a": ["HIGH", "HIGH"]},
        "values": {"HIGH": 0.9}, "labels": ["u", "v"],
    }  # fmt: skip
    one = {"predictions_a": PLAIN["a"], "predictions_b": PLAIN["b"], "metric": "accuracy"}
    return {
        "bootstrap": Door(mc.bootstrap, {"predictions": PLAIN, **FEW}),
        "compare": Door(mc.compare, {"predictions": PLAIN, **FEW}),
        "compare_estimators": Door(
            mc.crossval.compare_estimators, {"estimators": _estimators(False), "X": X, "y": TRUTH, "cv": 2},
            ("X", "y", "groups"),
        ),
        "compare_folds": Door(
            mc.crossval.compare_folds,
            {"table": {"a": [0.1, 0.2, 0.4], "b": [0.3, 0.1, 0.2]}, "n_train": 2, "n_test": 1,
             "greater_is_better": True},
        ),
        "critical_difference": Door(
            mc.tests.critical_difference,
            {"table": {m: [0.1, 0.2, 0.4] for m in "abc"}, "greater_is_better": True},
        ),
        "compare_scorers": Door(
            mc.crossval.compare_scorers,
            {"estimators": _estimators(True), "X": X, "y": TRUTH, "scoring": "accuracy", **FEW},
            ("X", "y", "groups"),
        ),
        "compare_groups": Door(
            mc.compare_groups, {"source": PREDS, "min_size": 5, "metrics": "accuracy", **FEW},
        ),
        "list_metrics": Door(mc.list_metrics, {"predictions": PLAIN}),
        "quantize": Door(mc.io.quantize, {"predictions": PLAIN}),
        "from_nbest": Door(mc.io.from_nbest, listed, ("y_true", "labels")),
        "from_bins": Door(mc.io.from_bins, binned, ("y_true", "y_pred", "labels")),
        "bin_values": Door(
            mc.io.bin_values, {"y_true": [0, 1], "y_pred": [0, 1], "bins": ["H", "H"]},
            ("y_true", "y_pred"), {"bins": [5, "x", [], ["H"]]},
        ),
        "from_battles": Door(
            mc.from_battles,
            {"table": pd.DataFrame({"model_a": [*"xxy"], "model_b": [*"yyx"], "winner": [*"aba"]})},
            instead={
                **dict.fromkeys(("model_a", "model_b", "winner", "item", "user"), COLUMN),
                "table": [5, [], {}, [5], NAN, True, b"x", object()], "position": FLAG,
                "covariates": NAMES,
            },
        ),
        "from_results": Door(mc.io.from_results, {"table": {"a": [0.5, 0.6], "b": [0.7, 0.4]}}, ("table",)),
        "from_counts": Door(
            mc.io.from_counts, {"counts": [[5, 1], [2, 4]], "models": "a"}, ("labels",),
            {"models": [5, [], [5], ["a", "a"], NAN, [[]], {"a": 1}]},
        ),
        "from_coco": Door(
            mc.io.from_coco, {"annotations": COCO, "results": {"a": []}},
            ("annotations", "results", "name"),
        ),
        "from_item_counts": Door(
            mc.io.from_item_counts, {"table": COUNTS}, ("table", "id", "model", "label", "name"),
            {"groups": [5, [], "no such column"], "models": [5, [], ["z"]]},
        ),
        "in_time_blocks": Door(
            mc.io.in_time_blocks, {"predictions": PLAIN, "time": np.arange(40)}, (),
            {"time": [[1, 2], ["x"] * 40, [math.nan] * 40]},
        ),
        "diebold_mariano": Door(
            mc.tests.diebold_mariano,
            {"losses_a": [1.0, 2, 4, 3, 5], "losses_b": [2.0, 1, 3, 2, 2]},
            ("losses_a", "losses_b"), {"horizon": [0, -1, 1.5, "x", None]},
        ),
        "gaps": Door(
            mc.diagnostics.gaps, {"predictions": PLAIN, "metric": "accuracy", "min_size": 5, **FEW},
            ("label",), {"by": [5, [], "no such slice"]},
        ),
        "choose_thresholds": Door(
            mc.diagnostics.choose_thresholds, {"predictions": PLAIN, "metric": "f1"}, ("label",),
        ),
        "at_thresholds": Door(
            mc.diagnostics.at_thresholds,
            {"predictions": PLAIN, "thresholds": dict.fromkeys("abc", 0.5)}, ("label",),
            {"thresholds": [5, [], {"a": "x", "b": 1, "c": 1}, {"a": 0.5}]},
        ),
        "adjust": Door(mc.tests.adjust, {"p_values": [0.1, 0.2]}),
        "missing_mass": Door(mc.io.missing_mass, {"predictions": PLAIN}),
        "annotator_agreement": Door(
            mc.diagnostics.annotator_agreement, {"ratings": [["a", "b"], ["a", "a"], ["b", "b"]] * 4, **FEW},
            ("ratings", "groups"),
        ),
        "model_agreement": Door(mc.diagnostics.model_agreement, {"predictions": PLAIN, **FEW}),
        "disagreements": Door(
            mc.diagnostics.disagreements, {"predictions": PLAIN, "model_a": "a", "model_b": "b"}
        ),
        "judge_report": Door(
            mc.diagnostics.judge_report, {"predictions": JUDGED, **FEW}, ("length", "position")
        ),
        "calibration_test": Door(
            mc.tests.calibration_test, {"predictions": PLAIN, "model": "a", **FEW}
        ),
        "variance_components": Door(
            mc.diagnostics.variance_components,
            {"predictions": PREDS, "metrics": "accuracy", **FEW},
        ),
        "curve": Door(mc.diagnostics.curve, {"predictions": PLAIN, **FEW}),
        "calibration_line": Door(mc.diagnostics.calibration_line, {"predictions": PLAIN}),
        "operating_point": Door(
            mc.diagnostics.operating_point, {"predictions": PLAIN, "precision": 0.5, **FEW},
            beside={n: {"precision": None} for n in ("recall", "false_positive_rate", "threshold")},
        ),
        "reliability": Door(mc.diagnostics.reliability, {"predictions": PREDS, **FEW}),
        "read_predictions": Door(
            mc.read_predictions, {"source": TABLE},
            instead={"normalize": FLAG, "judge": COLUMN[1:], "label_weight": COLUMN[1:]},
        ),
        "read_sets": Door(mc.io.read_sets, {"source": LONG}),
        "Predictions": Door(
            mc.Predictions, {"y_true": [0, 1], "outputs": {"a": [0, 1]}},
            ("y_true", "labels", "sample_weight"), {**BESIDE, "normalize": FLAG, "name": [5, []]},
        ),
        "Predictions.from_logits": Door(
            mc.Predictions.from_logits, {"y_true": [0, 1], "logits": {"a": [[1, 0], [0, 1]]}},
            ("y_true",),
        ),
        "Predictions.from_scores": Door(
            mc.Predictions.from_scores, {"scores": {"a": [0, 1]}},
            instead={"scores": [5, {}, [], "x", NAN, {"a": ["x", "y"]}]},
        ),
        "Predictions.subset": Door(PLAIN.subset, {"rows": [0, 1]}),
        "Predictions.output": Door(PLAIN.output, {"model": "a"}),
        "Predictions.predicted": Door(PLAIN.predicted, {"model": "a"}),
        "Predictions.probabilities": Door(PLAIN.probabilities, {"model": "a"}),
        "Predictions.__getitem__": Door(PLAIN.__getitem__, {"models": ["a"]}),
        "load_example": Door(mc.load_example, {"name": "snli"}),
        "confusion_matrix": Door(
            mc.diagnostics.confusion_matrix, {"y_true": [0, 1], "y_pred": [0, 1]},
            ("y_true", "y_pred", "labels", "sample_weight"),
        ),
        "probabilistic_confusion_matrix": Door(
            mc.diagnostics.probabilistic_confusion_matrix, {"y_true": [0, 1], "y_prob": [[0.5, 0.5]] * 2},
            ("y_true", "y_prob", "labels", "sample_weight"),
        ),
        "sketch": Door(mc.io.sketch, {"source": PLAIN}),
        "read_sketch": Door(mc.io.read_sketch, {"source": mc.io.sketch(PLAIN).to_frame()}),
        "scan_predictions": Door(
            mc.io.scan_predictions, {"source": TABLE}, instead={"normalize": FLAG},
        ),
        "config_context": Door(mc.config_context, {}, ("defaults",)),
        "get_metric": Door(mc.get_metric, {"name": "f1"}, instead={"name": METRIC}),
        "decide": Door(
            mc.decide,
            {"predictions": PLAIN, "baseline": "a", "candidate": "b", "margin": 0.01, **FEW},
            beside={"label": {"metric": "f1"}},
        ),
        "gate": Door(
            mc.gate,
            {"predictions": PLAIN, "baseline": "a", "candidate": "b", "rules": ["f1_macro:-0.01"],
             **FEW},
        ),
        "keep": Door(
            mc.keep,
            {"predictions": PLAIN, "baseline": "a", "candidate": "b", "rules": ["f1_macro:+0"],
             "ledger": LEDGER, **FEW},
        ),
        "keep_report": Door(mc.diagnostics.keep_report, {"ledger": LEDGER}),
        "budget": Door(mc.diagnostics.budget, {"ledger": LEDGER, "margin": 0.1}),
        "omnibus_test": Door(mc.tests.omnibus_test, {"predictions": PLAIN}),
        "paired_test": Door(mc.paired_test, {**TWO, **FEW}),
        "sample_size": Door(mc.sample_size, TWO),
        "selfcheck": Door(mc.diagnostics.selfcheck, {**TWO, "n_trials": 2, **FEW}),
        "unpaired_test": Door(mc.tests.unpaired_test, {**one, **FEW}),
        "variance_tests": Door(mc.tests.variance_tests, {"x": [1, 2, 4], "y": [2, 3, 4]}, ("x", "y")),
        "agreement_study": Door(mc.studies.agreement_study, {"predictions": PLAIN, **FEW}),
        "model_card": Door(
            mc.studies.model_card, {"predictions": PREDS, "model": "a", "metrics": "accuracy", **FEW}
        ),
        "quantization_study": Door(
            mc.studies.quantization_study, {"predictions": PLAIN}, instead={"n_bins": [*COUNTS, None]}
        ),
        "sensitivity_study": Door(
            mc.studies.sensitivity_study, {"predictions": PLAIN, "metrics": "accuracy", **FEW},
            instead={"metrics": METRICS},
        ),
        "undefined_study": Door(
            mc.studies.undefined_study, {"predictions": PLAIN, "ratios": [1.0], **FEW}
        ),
        "variance_study": Door(mc.studies.variance_study, {"predictions": PLAIN, "ratios": [1.0], **FEW}),
        "BootstrapResult.confidence_interval": Door(
            mc.bootstrap(PLAIN, "accuracy", **FEW).confidence_interval, {}
        ),
        "VarianceStudy.separated": Door(variance.separated, {}),
        "VarianceStudy.plot.intervals": Door(variance.plot.intervals, {}, data=("ax",)),
        "VarianceStudy.plot.variances": Door(variance.plot.variances, {}, data=("ax",)),
        "AgreementStudy.population": Door(
            agreement.population, {"ratios": [1.0], "n_subsamples": 2}
        ),
        "SampleSize.needed": Door(sizes.needed, {"difference": 0.1}),
        "SampleSize.curve": Door(
            sizes.curve, {"n_samples": [100]}, instead={"n_samples": [*COUNTS, [-1]]}
        ),
        "GroupComparison.friedman": Door(sets.friedman, {"metric": "accuracy"}),
    }  # fmt: skip


DOORS = _doors()
GIVEN = {"options"}


# What a message may name instead of the option: what the option holds.
INSTEAD_OF_ITS_NAME = {
    "ledger": "folder", "baseline": "model", "candidate": "model", "model_a": "model", "model_b": "model",
    "pairs": "metric", "metrics": "metric", "rules": "rule", "bins": "column",
    "models": "model", "scores": "model", "score_names": "model", "source": "file", "outputs": "model", "logits": "model",
    **dict.fromkeys(("id", "groups", "strata", "runs", "weight", "slices", "pred", "event", "model_column"), "column"),
    **dict.fromkeys(("item", "user", "covariates", "battles", "score"), "column"),
}  # fmt: skip


def _bad_values() -> list[Any]:
    """The doors' options, each with the values that it must refuse."""
    rows = []
    for name, door in DOORS.items():
        for option, parameter in inspect.signature(door.call).parameters.items():
            if option in GIVEN or option in door.data:
                continue
            bad = door.instead.get(option)
            if bad is None:
                has_none = parameter.default is None or option in ("label", "rng")
                bad = OPTIONS[option] + ([] if has_none else [None])
            rows.append(pytest.param(name, option, bad, id=f"{name}-{option}"))
    return rows


def _complaint(name: str, option: str, value: object) -> str:
    """What is wrong with how a value is refused; nothing if our words name the option."""
    door = DOORS[name]
    try:
        door.call(**{**door.arguments, **door.beside.get(option, {}), option: value})
    except (ValueError, TypeError) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        package = Path(mc.__file__).parent
        text, named = str(error), INSTEAD_OF_ITS_NAME.get(option, option)
        if package not in Path(last.filename).parents or not (last.line or "").startswith("raise"):
            return f"{value!r}: not our words: {text}"
        return "" if f"`{option}`" in text or named in text else f"{value!r}: not named: {text}"
    return f"{value!r}: taken"


def test_every_public_function_and_option_is_in_the_table():
    assert {*functions()} <= {*DOORS}
    for name, door in DOORS.items():
        for option in inspect.signature(door.call).parameters:
            known = option in {*OPTIONS, *GIVEN, *door.data, *door.instead}
            assert known, f"{name}: {option}"


@pytest.mark.parametrize("name", DOORS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_arguments_beside_which_options_are_tried_are_taken(name):
    DOORS[name].call(**DOORS[name].arguments)


@pytest.mark.parametrize(("name", "option", "values"), _bad_values())
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_values_without_sense_are_refused_by_the_name_of_their_option(name, option, values):
    complaints = [_complaint(name, option, value) for value in values]
    assert [complaint for complaint in complaints if complaint] == []
