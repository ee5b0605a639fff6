"""Every option of every public function refuses what makes no sense, by its name, in our words."""

import inspect
import traceback
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import modelcompare as mc
from tests.plugged import plugged
from tests.public import functions
from tests.senseless import (
    COUNTS,
    FEW,
    FLAG,
    METRIC,
    NAN,
    OPTIONS,
    PLAIN,
    PREDS,
    Door,
)

TWO = {"predictions": PLAIN, "model_a": "a", "model_b": "b", "metric": "accuracy"}
TRUTH = PLAIN.y_true
TABLE = pd.DataFrame({"y_true": [0, 1], "a": [0, 1], "b": [1, 1]})
DATA = [5, "x", [], [1], [[1, 2]], [None, 1], NAN]
BESIDE = dict.fromkeys(("ids", "groups", "strata", "runs", "slices"), DATA)


def _doors() -> dict[str, Door]:
    sizes = mc.sample_size(**TWO)
    return {
        "bootstrap": Door(mc.bootstrap, {"predictions": PLAIN, **FEW}),
        "compare": Door(mc.compare, {"predictions": PLAIN, **FEW}),
        "compare_groups": Door(
            mc.compare_groups, {"source": PREDS, "min_size": 5, "metrics": "accuracy", **FEW},
        ),
        "list_metrics": Door(
            mc.list_metrics, {"predictions": PLAIN, "search": "f1"}, instead={"search": [5, [], b"f1"]},
        ),
        "adjust": Door(mc.inference.adjust, {"p_values": [0.1, 0.2]}),
        "read_predictions": Door(
            mc.read_predictions, {"source": TABLE},
            instead={"normalize": FLAG},
        ),
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
        "config_context": Door(mc.config_context, {}, ("defaults",)),
        "get_metric": Door(mc.get_metric, {"name": "f1"}, instead={"name": METRIC}),
        "decide": Door(
            mc.decide,
            {"predictions": PLAIN, "baseline": "a", "candidate": "b", "margin": 0.01, **FEW},
        ),
        "gate": Door(
            mc.gate,
            {"predictions": PLAIN, "baseline": "a", "candidate": "b", "rules": ["f1_macro:-0.01"],
             **FEW},
        ),
        "paired_test": Door(mc.paired_test, {**TWO, **FEW}),
        "sample_size": Door(mc.sample_size, TWO),
        "BootstrapResult.confidence_interval": Door(
            mc.bootstrap(PLAIN, "accuracy", **FEW).confidence_interval, {}
        ),
        "SampleSize.needed": Door(sizes.needed, {"difference": 0.1}),
        "SampleSize.curve": Door(
            sizes.curve, {"n_samples": [100]}, instead={"n_samples": [*COUNTS, [-1]]}
        ),
    }  # fmt: skip


DOORS = _doors() | plugged("DOORS")
GIVEN = {"options"}


# What a message may name instead of the option: what the option holds.
INSTEAD_OF_ITS_NAME = {
    "ledger": "folder", "baseline": "model", "candidate": "model", "model_a": "model", "model_b": "model",
    "pairs": "metric", "metrics": "metric", "rules": "rule", "bins": "column",
    "models": "model", "scores": "model", "source": "file", "outputs": "model", "logits": "model",
    **dict.fromkeys(("id", "groups", "strata", "runs", "weight", "slices", "pred", "event"), "column"),
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
        if option == "columns" and isinstance(value, dict):
            (option,) = value
            named = option if option in ("set", "filter") else "column"
        if package not in Path(last.filename).parents or not (last.line or "").startswith("raise"):
            return f"{value!r}: not our words: {text}"
        return "" if f"`{option}`" in text or named in text else f"{value!r}: not named: {text}"
    return f"{value!r}: taken"


def test_every_public_function_and_option_is_in_the_table():
    assert {*functions()} <= {*DOORS, *plugged("UNANSWERED")}
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
