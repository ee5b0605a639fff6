"""The positive one of two classes is named once, or 1, True and yes by convention, or refused."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference

import modelcompare as mc
from modelcompare.cli.app import main
from modelcompare.metrics.registry import METRICS
from modelcompare.plugs import load
from tests.plugged import needs

RNG = np.random.default_rng(0)
N = 300
Y = (RNG.random(N) < 0.3).astype(int)
NAMES = np.array(["ok", "fraud"])
TRUTH = NAMES[Y]
# Probabilities of fraud; a turned ranking puts `bad` first.
FRAUD = {
    "good": np.clip(0.4 + 0.3 * Y + RNG.normal(0, 0.15, N), 0.01, 0.99),
    "bad": np.clip(0.5 - 0.1 * Y + RNG.normal(0, 0.15, N), 0.01, 0.99),
}
HARD = {model: NAMES[(p > 0.5).astype(int)] for model, p in FRAUD.items()}
RAW = {model: 9 * p for model, p in FRAUD.items()}
FULL = {model: np.column_stack([p, 1 - p]) for model, p in FRAUD.items()}  # fraud, ok
SINGLE = {"single": FRAUD, "raw": RAW}
FEW = {"n_resamples": 99}
UNNAMED = r"nothing determines which of .* is the positive class; pass positive='"


def table(outputs=FRAUD, truth=TRUTH):
    return pd.DataFrame({"y_true": truth, **outputs})


ROADS = {
    "Predictions": lambda outputs, **named: mc.Predictions(TRUTH, outputs, **named),
    "table": lambda outputs, **named: mc.read_predictions(table(outputs), **named),
    "scan": lambda outputs, **named: mc.io.scan_predictions(table(outputs), **named),
    "logits": lambda outputs, **named: mc.Predictions.from_logits(TRUTH, outputs, **named),
}


@needs("large")
@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("kind", SINGLE)
@pytest.mark.filterwarnings("ignore::modelcompare.data.checks.DataWarning")
def test_numbers_of_one_class_are_refused_until_it_is_named(road, kind):
    if road == "scan":
        pytest.importorskip("pyarrow")
    outputs = SINGLE[kind]
    with pytest.raises(ValueError, match=UNNAMED):
        ROADS[road](outputs)
    preds = ROADS[road](outputs, positive="fraud")
    assert (preds.labels.tolist(), preds.access.positive) == (["ok", "fraud"], "fraud")
    preds = preds.load() if road == "scan" else preds
    found = mc.bootstrap(preds, ["roc_auc", "average_precision"], n_resamples=2).point
    areas = [[f(Y, p) for f in (reference.roc_auc_score, reference.average_precision_score)]
             for p in outputs.values()]  # fmt: skip
    np.testing.assert_allclose(found, areas)


def test_no_pair_but_those_of_the_convention_is_guessed():
    pairs = [(0, 1), (-1, 1), (False, True), ("no", "yes"), ("No", "YES"), ("N", "Y"),
             ("0", "1"), ("-1", "1"), ("FALSE", "true"), (0.0, 1.0)]  # fmt: skip
    for negative, positive in pairs:
        preds = mc.Predictions(np.array([negative, positive])[Y], FRAUD)
        assert preds.access.positive == positive == preds.labels.tolist()[1]
        np.testing.assert_array_equal(preds.probabilities("good")[:, 1], FRAUD["good"])
    for pair in [(1, 2), (0, 2), ("a", "b"), ("neg", "pos"), ("yes", "true"), ("Yes", "yes")]:
        for truth in (np.array(pair)[Y], np.array(pair)[1 - Y]):
            with pytest.raises(ValueError, match="nothing determines"):
                mc.Predictions(truth, FRAUD, labels=pair)
            assert (
                mc.Predictions(truth, FRAUD, labels=pair, positive=pair[0]).access.positive
                == pair[0]
            )


def test_numbers_beside_two_numbers_may_be_values():
    truth, real = 1 + Y, {m: 3 * p for m, p in FRAUD.items()}
    with pytest.raises(
        ValueError, match=r"2 models gave one raw score, or real value \(--kind values"
    ):
        mc.Predictions(truth, real)
    # An error of values does not depend on the class, the area under a curve does.
    values = mc.Predictions(truth, real, kind="values")
    assert mc.compare(values, "mae", **FEW).scores["estimate"].notna().all()
    with pytest.raises(ValueError, match="roc_auc depends on the positive class, and nothing"):
        mc.compare(values, "roc_auc", **FEW)


def test_labels_in_an_order_name_no_positive_class():
    for labels in (["ok", "fraud"], ["fraud", "ok"]):
        with pytest.raises(ValueError, match="nothing determines"):
            mc.Predictions(TRUTH, FRAUD, labels=labels)
    # The order and the convention contradict each other.
    with pytest.raises(ValueError, match="nothing determines which of 1 and 0"):
        mc.Predictions(Y, FRAUD, labels=[1, 0])
    assert mc.Predictions(Y, FRAUD, labels=[1, 0], positive=1).labels.tolist() == [0, 1]


@pytest.mark.parametrize("outputs", [HARD, FULL], ids=["labels", "all columns"])
def test_what_is_symmetric_in_the_classes_never_asks(outputs):
    labels = None if outputs is HARD else ["fraud", "ok"]
    preds = mc.Predictions(TRUTH, outputs, labels=labels)
    assert preds.access.positive is None
    assert mc.compare(preds, **FEW).evidence.metrics[:2] == ("accuracy", "f1_macro")
    of_two = {"average_precision"}
    asked = [name for name, metric in METRICS.items()
             if metric.needs in ("labels", *["probabilities"] * (outputs is FULL))
             and name not in of_two]  # fmt: skip
    assert {"matthews_corrcoef", "cohen_kappa", "balanced_accuracy"} <= {*asked}
    assert outputs is HARD or {"log_loss", "brier_score", "roc_auc"} <= {*asked}
    both = [mc.bootstrap(p, asked, n_resamples=2).estimate for p in
            (preds, mc.Predictions(TRUTH, outputs, labels=labels, positive="fraud"))]  # fmt: skip
    order = both[0].index
    np.testing.assert_allclose(both[0], both[1].loc[order], rtol=1e-9)
    if outputs is FULL:
        with pytest.raises(
            ValueError, match="average_precision depends on the positive class, and"
        ):
            mc.compare(preds, "average_precision", **FEW)


def test_the_gate_no_longer_passes_the_worst_model():
    gate = {"rules": "roc_auc:-0.02", **FEW}
    named = mc.read_predictions(table(), positive="fraud")
    assert mc.gate(named, "bad", "good", **gate).answer == "shown"
    assert mc.gate(named, "good", "bad", **gate).answer == "shown otherwise"
    turned = mc.read_predictions(table(), positive="ok")
    assert mc.gate(turned, "good", "bad", **gate).answer == "shown"
    with pytest.raises(ValueError, match=UNNAMED):
        mc.read_predictions(table())


@needs("large")
def test_the_positive_class_is_the_one_of_a_metric_per_class():
    preds = mc.Predictions(TRUTH, HARD, positive="fraud")
    asked = {
        "decide": lambda p, f1="f1": mc.decide(p, "bad", "good", f1, margin=0.1, **FEW),
        "paired_test": lambda p, f1="f1": mc.paired_test(p, "good", "bad", f1, **FEW),
        "sample_size": lambda p, f1="f1": mc.sample_size(p, "good", "bad", f1),
        "sketch": lambda p, f1="f1": mc.decide(
            mc.io.sketch(p, "f1"), "bad", "good", f1, margin=0.1, **FEW
        ),
    }
    for name, ask in asked.items():
        assert ask(preds).label == "fraud", name
        assert str(ask(preds)) == str(ask(preds, ("f1", "fraud"))), name
        with pytest.raises(ValueError, match=f"metric 'f1' is per class, and {UNNAMED}"):
            ask(mc.Predictions(TRUTH, HARD))
    rule = "f1:-0.1"
    assert mc.gate(preds, "bad", "good", rule, **FEW).decisions[0].label == "fraud"


@needs("suites", "gaps")
def test_subgroups_and_sets_ask_too():
    frame = table().assign(part=["l", "r"] * (N // 2))
    with pytest.raises(ValueError, match=UNNAMED):
        mc.read_predictions(frame, columns={"slices": ["part"]})
    preds = mc.read_predictions(frame, columns={"slices": ["part"]}, positive="fraud")
    found = mc.diagnostics.gaps(preds, "recall", n_resamples=99)
    assert str(found) == str(mc.diagnostics.gaps(preds, "recall[fraud]", n_resamples=99))
    long = pd.concat(
        pd.DataFrame({"set": s, "model": m, "item": np.arange(N), "y_true": TRUTH, "prob": p})
        for s in "xy" for m, p in FRAUD.items()
    )  # fmt: skip
    options = {"kind": "probabilities", "columns": {"pred": "prob"}}
    with pytest.raises(ValueError, match=UNNAMED):
        mc.io.read_sets(long, **options)
    found = mc.io.read_sets(long, positive="fraud", **options)
    assert [each.access.positive for each in found.values()] == ["fraud", "fraud"]


@needs("curves")
@pytest.mark.parametrize("kind", SINGLE)
@pytest.mark.filterwarnings("ignore::modelcompare.data.checks.DataWarning")
def test_thresholds_are_of_the_positive_class(kind):
    outputs = SINGLE[kind]
    preds = mc.Predictions(TRUTH, outputs, positive="fraud")
    chosen = mc.diagnostics.choose_thresholds(preds, "f1")
    decided = mc.diagnostics.at_thresholds(preds, {**chosen})
    for model, scores in outputs.items():
        # F1 is highest at the score of a positive sample.
        values = [reference.f1_score(Y, scores >= t) for t in np.unique(scores[Y == 1])]
        said = decided.labels[decided.predicted(model)]
        assert reference.f1_score(TRUTH, said, pos_label="fraud") == pytest.approx(max(values))
    point = mc.diagnostics.operating_point(preds, recall=0.8, n_resamples=99)
    tpr = [np.mean(outputs[m][Y == 1] >= t) for m, t in point.set_index("model").threshold.items()]
    assert min(tpr) >= 0.8
    full = mc.Predictions(TRUTH, FULL, labels=["fraud", "ok"])
    for ask in (mc.diagnostics.choose_thresholds, mc.diagnostics.curve):
        with pytest.raises(ValueError, match=UNNAMED):
            ask(full)


def test_assertions_for_tests_name_the_class(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table().to_csv("soft.csv", index=False)
    asked = ("soft.csv", "bad", "good")
    with pytest.raises(ValueError, match=UNNAMED):
        mc.testing.assert_not_worse(*asked, "roc_auc", margin=0.02)
    found = mc.testing.assert_not_worse(*asked, "roc_auc", margin=0.02, positive="fraud")
    assert found.passed
    with pytest.raises(AssertionError, match="inferior"):
        mc.testing.assert_not_worse(*asked, "roc_auc", margin=0.02, positive="ok")
    read = mc.read_predictions("soft.csv", positive="fraud")
    with pytest.raises(ValueError, match="`positive` is for files"):
        mc.testing.assert_not_worse(read, *asked[1:], "roc_auc", margin=0.02, positive="ok")


def test_plain_functions_name_the_class():
    p = FRAUD["good"]
    for name, value in {
        "roc_auc": reference.roc_auc_score(Y, p),
        "average_precision": reference.average_precision_score(Y, p),
        "log_loss": reference.log_loss(Y, p),
    }.items():
        function = getattr(mc.metrics, name)
        with pytest.raises(ValueError, match=UNNAMED):
            function(TRUTH, p)
        assert function(TRUTH, p, positive="fraud") == pytest.approx(value)
        assert function(Y, p) == pytest.approx(value)
    assert mc.metrics.log_loss(TRUTH, FULL["good"]) == pytest.approx(reference.log_loss(Y, p))
    with pytest.raises(ValueError, match=UNNAMED):
        mc.metrics.average_precision(TRUTH, FULL["good"])
    binary = {"average": "binary", "positive": "fraud"}
    expected = reference.f1_score(TRUTH, HARD["good"], pos_label="fraud")
    assert mc.metrics.f1(TRUTH, HARD["good"], **binary) == pytest.approx(expected)
    # Values by class are in the order of the classes, whichever is positive.
    by_class = mc.metrics.cf1(TRUTH, p, positive="fraud")
    np.testing.assert_allclose(by_class, mc.metrics.cf1(TRUTH, FULL["good"]))
    assert mc.metrics.f1([1, 1], [1, 1], average="binary") == 1


def test_a_positive_class_that_is_none_is_refused():
    for truth, outputs, message in [
        (TRUTH, FRAUD, "`positive` (--positive) 'spam' is not a class; there are 'fraud', 'ok'."),
        (Y % 3 + RNG.integers(0, 2, N), {"a": np.eye(3)[Y]}, "is one of two classes, and there are 3;"),
        (RNG.random(N), {"a": RNG.random(N)}, "is one of two classes, and there are none; leave it out."),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=re.escape(message)):
            mc.Predictions(truth, outputs, positive="spam")


@needs("curves")
@settings(max_examples=15)
@given(st.integers(0, 2**16), st.booleans())
def test_names_of_classes_change_nothing(seed, texts):
    rng = np.random.default_rng(seed)
    y = np.r_[0, 1, rng.integers(0, 2, 38)]
    p = {model: rng.random(40) for model in "ab"}
    names = rng.permutation(["b", "a"] if texts else [7, 3])
    plain = mc.Predictions(y, p)
    named = mc.Predictions(np.array(names)[y], p, positive=names[1])
    asked = ["accuracy", "log_loss", "roc_auc", "average_precision", "f1_macro", "mcc"]
    before, after = (mc.bootstrap(each, asked, n_resamples=9, rng=1) for each in (plain, named))
    np.testing.assert_array_equal(before.point, after.point)
    np.testing.assert_array_equal(before.replicates, after.replicates)
    tests = [mc.paired_test(x, "a", "b", "f1", n_resamples=99) for x in (plain, named)]
    assert tests[0].p_value == tests[1].p_value
    thresholds = [mc.diagnostics.choose_thresholds(x, "f1") for x in (plain, named)]
    assert thresholds[0] == thresholds[1]


@needs("large")
def test_a_sketch_keeps_the_class_and_one_of_a_query_takes_it(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    named = mc.io.sketch(mc.Predictions(TRUTH, HARD, positive="fraud"), "f1_macro")
    path = named.save(tmp_path / "named.parquet")
    assert mc.io.read_sketch(path).access.positive == named.access.positive == "fraud"
    frame = table(HARD).assign(id=range(N))  # noqa: F841  the query reads it
    source = load("modelcompare.plugins.large.queries:DatabaseTable")("duckdb", "frame")
    text = load("modelcompare.plugins.large.queries:sketch_query")(
        source, true="y_true", models=[*HARD], id="id"
    )
    found = duckdb.sql(text).df()
    assert mc.io.read_sketch(found).access.positive is None
    assert mc.io.read_sketch(found, positive="fraud").access.positive == "fraud"
    with pytest.raises(ValueError, match="is not a class; there are 'fraud', 'ok'"):
        mc.io.read_sketch(found, positive="spam")
    other = mc.io.sketch(mc.Predictions(TRUTH[:-1], {m: h[:-1] for m, h in HARD.items()},
                                        positive="ok"), "f1_macro")  # fmt: skip
    assert (named + other).access.positive is None


def test_no_command_chooses_a_positive_class(tmp_path, capsys):
    table = {"y_true": TRUTH, "m": SINGLE["single"]["good"]}
    pd.DataFrame(table).to_csv(tmp_path / "t.csv", index=False)
    assert main(["compare", str(tmp_path / "t.csv"), "-m", "roc_auc"]) == 2
    error = capsys.readouterr().err
    assert "(--positive fraud) or positive='ok' (--positive ok)." in error
    assert "Try:" not in error
