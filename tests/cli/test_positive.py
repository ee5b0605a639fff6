"""The commands refuse numbers of one class until `--positive` names it."""

import re

import pytest
from sklearn import metrics as reference

from modelcompare.plugs import load
from tests.plugged import needs
from tests.test_positive import FRAUD, HARD, RAW, TRUTH, N, Y, table


@pytest.fixture(autouse=True)
def files(tmp_path):
    for name, outputs in {"soft": FRAUD, "raw": RAW, "hard": HARD}.items():
        table(outputs).to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


def test_one_and_two_ask_only_where_the_answer_depends_on_it(run):
    table({m: 1 + (p > 0.5) for m, p in FRAUD.items()}, 1 + Y).to_csv("hard12.csv", index=False)
    table(FRAUD, 1 + Y).to_csv("soft12.csv", index=False)
    shown = run("compare", "hard12.csv", "--resamples", "99")
    assert (shown.code, "positive" in shown.err) == (0, False)
    assert run("compare", "soft12.csv", "--resamples", "99").code == 2
    shown = run("compare", "soft12.csv", "--resamples", "99", "--positive", "2")
    assert shown.code == 0
    assert shown.read.count("classes: 1, 2 (positive: 2)") == 1


@pytest.mark.parametrize("kind", ["soft", "raw"])
@pytest.mark.filterwarnings("default::modelcompare.data.checks.DataWarning")
def test_the_refusal_names_an_option_for_each_class_and_each_answers(run, kind):
    refused = run("compare", f"{kind}.csv")
    assert refused.code == 2
    options = re.findall(r"\((--positive \w+)\)", refused.err)
    assert options == ["--positive fraud", "--positive ok"]
    for option, leader in zip(options, ["good", "bad"], strict=True):
        command = ["compare", f"{kind}.csv", *option.split(), "--resamples", "99", "-m", "roc_auc"]
        shown = run(*command)
        assert shown.code == 0
        assert f"{leader} leads" in shown.out
        assert f"(positive: {option.split()[1]})" in shown.read + shown.err


@needs("large", "page")
@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("command", ["compare", "gate", "sample-size", "report", "sketch"])
def test_every_command_refuses_and_answers(run, command):
    asked = {
        "compare": ["-m", "roc_auc", "--resamples", "99"],
        "gate": ["--baseline", "bad", "--candidate", "good", "--rule", "roc_auc:-0.02"],
        "sample-size": ["-m", "roc_auc"],
        "report": ["-m", "roc_auc", "--resamples", "99", "-o", "r.html"],
        "sketch": ["-m", "accuracy", "-o", "s.parquet"],
    }[command]  # fmt: skip
    refused = run(command, "soft.csv", *asked)
    assert refused.code == 2
    assert "nothing determines which of 'fraud' and 'ok' is the positive class" in refused.err
    assert run(command, "soft.csv", *asked, "--positive", "fraud").code == 0, command


@needs("curves")
def test_a_command_thresholds_the_positive_class(run):
    asked = ("compare", "soft.csv", "--threshold", "0.5", "-m", "recall[fraud]", "--format", "csv")
    assert run(*asked).code == 2
    shown = run(*asked, "--positive", "fraud", "--resamples", "99").out
    for said in HARD.values():
        assert str(reference.recall_score(TRUTH, said, pos_label="fraud"))[:8] in shown


@needs("large")
def test_a_gate_on_a_sketch_of_a_query_asks(run):
    duckdb = pytest.importorskip("duckdb")
    frame = table(HARD).assign(id=range(N))  # noqa: F841  the query reads it
    source = load("modelcompare.plugins.large.queries:DatabaseTable")("duckdb", "frame")
    text = load("modelcompare.plugins.large.queries:sketch_query")(
        source, true="y_true", models=[*HARD], id="id"
    )
    duckdb.sql(text).df().to_parquet("sql.parquet")
    gate = ("gate", "--baseline", "bad", "--candidate", "good", "--margin", "0.02", "-m", "f1")
    assert run(*gate, "sql.parquet").code == 2
    shown = run(*gate, "sql.parquet", "--positive", "fraud")
    assert (shown.code, "fraud" in shown.out) == (0, True)
