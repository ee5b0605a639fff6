"""The option --plan of compare and gate."""

import pytest

from tests.plugged import needs


def test_a_plan_names_intervals_and_tests_and_compares_nothing(run):
    done = run("compare", "snli.npz", "--plan", "-m", "accuracy", "-m", "f1_macro")
    assert done.code == 0
    for word in ("half-count", "shrunk-influence", "all swaps", "Test: studentized-permutation"):
        assert word in done.out
    assert "leads" not in done.out


@needs("ledgers")
def test_the_plan_of_a_gate_names_the_intervals_of_its_rules_and_decides_nothing(run):
    rules = ("--rule", "log_loss:-0.5", "--rule", "recall[neutral]:-0.02", "--alpha", "0.01")
    done = run("gate", "snli.npz", "--baseline", "bow_pair", "--candidate", "mlp", *rules, "--plan")
    assert done.code == 0
    for word in ("log_loss", "hall-t", "recall of neutral", "2 models, 1 pair\n"):
        assert word in done.out
    assert "not enough" not in done.out
    assert "Test:" not in done.out
    done = run("gate", "snli.npz", "--baseline", "bow_pair", "--candidate", "x", *rules, "--plan")
    assert done.code == 2
    more = ("--ledger", "looks.jsonl", "--looks", "3")
    done = run(
        "gate", "snli.npz", "--baseline", "bow_pair", "--candidate", "mlp", *rules, "--plan", *more
    )
    assert (done.code, "leave out --ledger" in done.err) == (2, True)


def test_the_plan_of_groups_and_of_a_sample_size_compute_nothing(run):
    done = run("groups", "loans.csv", "--by", "sex", "-m", "accuracy", "--plan")
    assert done.code == 0
    assert "samples vary." in done.out
    assert "sex = " in done.out
    done = run(
        "sample-size",
        "snli.npz",
        "--model",
        "mlp",
        "--model",
        "bow_pair",
        "-m",
        "accuracy",
        "--plan",
    )
    assert done.code == 0
    assert "9,824 samples vary." in done.out
    assert "normal: a normal interval" in done.out
    done = run(
        "sample-size", "snli.npz", "--model", "mlp", "--model", "bow_pair", "-m", "ece", "--plan"
    )
    assert done.code == 2
    assert "not smooth" in done.err


@needs("suites")
@pytest.mark.parametrize(
    "asked",
    [
        "sample-size x.csv y.csv --model a --model b -m accuracy --plan",
        "gate x.csv y.csv --baseline a --candidate b --rule mean(accuracy):-0.1 --plan",
    ],
)
def test_a_decision_on_several_test_sets_is_not_planned(run, tmp_path, asked):
    rows = ("id,y_true,a,b", *(f"{k},{k % 2},{k % 2},{k % 3 % 2}" for k in range(30)))
    for name in "xy":
        (tmp_path / f"{name}.csv").write_text("\n".join(rows))
    done = run(*asked.split())
    message = " ".join(done.err.split())
    assert done.code == 2
    assert "planned on one test set" in message
    assert "modelcompare groups --plan" in message
