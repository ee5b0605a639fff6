import json
import sys

import numpy as np
import pandas as pd
import pytest

FEW = ("--resamples", "199")
PASSES = ("--baseline", "poor", "--candidate", "good", "--metric", "accuracy", *FEW)
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")


def test_exit_codes_say_what_was_shown(run, wide_csv):
    passes = run(
        "gate", wide_csv, "--baseline", "poor", "--candidate", "good", "--margin", "0.01", *FEW
    )
    assert passes.code == 0
    assert passes.out.startswith("PASS: good is non-inferior to poor (margin 0.01) in f1_macro")
    fails = run(
        "gate", wide_csv, "--baseline", "good", "--candidate", "poor", "--margin", "0.01", *FEW
    )
    assert fails.code == 1
    assert "poor is inferior to good (margin 0.01)" in fails.out
    assert fails.err == ""
    superior = run(
        "gate", wide_csv, "--baseline", "fair", "--candidate", "good", "--superior", *FEW
    )
    assert superior.code == 1
    equal = run("gate", wide_csv, "--baseline", "fair", "--candidate", "good", "--equivalent",
                "--margin", "0.2", *FEW)  # fmt: skip
    assert equal.code == 0


def test_forms(run, wide_csv):
    arguments = (
        "gate",
        wide_csv,
        "--baseline",
        "good",
        "--candidate",
        "poor",
        "--margin",
        "0.01",
        *FEW,
    )
    document = json.loads(run(*arguments, "--format", "json").out)
    assert document["passed"] is False
    assert document["ci_low"] < document["gain"] < document["ci_high"]


def test_columns_beside_the_two_models_are_left_out(run, tmp_path):
    lines = [
        "y_true,ink,a,b",
        *(f"{i % 3},{'dark' if i % 2 else 'light'},{i % 3},{i % 2}" for i in range(60)),
    ]
    (tmp_path / "digits.csv").write_text("\n".join(lines) + "\n")
    assert (
        "left out: 1 (ink), see --slice ink" in run("compare", tmp_path / "digits.csv", *FEW).read
    )
    done = run(
        "gate", tmp_path / "digits.csv", "--baseline", "b", "--candidate", "a", "--superior", *FEW
    )
    assert (done.code, done.out.split(" is ")[0]) == (0, "PASS: a")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--baseline", "good", "--candidate", "poor"), "--margin is needed to ask for non-inferior"),
        (("--baseline", "good", "--candidate", "por", "--margin", "0.1"), "no model 'por'"),
        (("--baseline", "good", "--candidate", "poor", "--superior", "--equivalent"),
         "--superior and --equivalent exclude each other"),
    ],
)  # fmt: skip
def test_bad_input(run, wide_csv, arguments, part):
    done = run("gate", wide_csv, *arguments)
    assert done.code == 2
    assert part in done.err


@pytest.mark.filterwarnings("default")
def test_an_undefined_metric_passes_nothing_and_is_valid_json(run, tmp_path):
    path = tmp_path / "never.csv"
    path.write_text("y_true,a,b\n" + "0,0,0\n1,0,1\n" * 30, encoding="utf-8")
    found = run("gate", path, "--baseline", "b", "--candidate", "a", "--metric", "precision", "--label",
                "1", "--margin", "0.1", "--format", "json", *FEW)  # fmt: skip
    assert found.code == 1
    document = json.loads(found.out)
    assert document["gain"] is None
    assert "undefined for one of the two" in document["sentence"]
    assert "precision of 1 of 'b' or 'a' is undefined on this test set" in found.err


def test_what_the_data_cannot_say_is_not_enough_and_may_have_its_own_exit_code(run, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("y_true,a,b\n" + "0,0,0\n1,1,1\n" * 3, encoding="utf-8")
    arguments = ("gate", path, "--baseline", "a", "--candidate", "b", "--margin", "0.005", "--metric",
                 "accuracy", *FEW)  # fmt: skip
    plain, chosen = run(*arguments), run(*arguments, "--inconclusive-exit", "3")
    assert (plain.code, chosen.code) == (1, 3)
    assert plain.out.startswith(
        "not enough data: 6 samples are not enough to decide whether b is non-inferior to a"
    )


def test_several_rules_must_all_hold(run, wide_csv):
    both = run("gate", wide_csv, "--baseline", "good", "--candidate", "poor", "--rule", "accuracy:-0.9",
               "--rule", "f1_macro:-0.01", "--format", "json", *FEW)  # fmt: skip
    document = json.loads(both.out)
    assert both.code == 1
    assert document["answer"] == "shown otherwise"
    assert [each["answer"] for each in document["decisions"]] == ["shown", "shown otherwise"]
    one = run(
        "gate",
        wide_csv,
        "--baseline",
        "good",
        "--candidate",
        "poor",
        "--rule",
        "accuracy:-0.9",
        *FEW,
    )
    assert one.code == 0
    for rule, part in (
        ("accuracy", "must read METRIC:-MARGIN"),
        ("accuracy:0.1", "must read METRIC"),
    ):
        refused = run(
            "gate", wide_csv, "--baseline", "good", "--candidate", "poor", "--rule", rule, *FEW
        )
        assert refused.code == 2
        assert part in refused.err
    mixed = run("gate", wide_csv, "--baseline", "good", "--candidate", "poor", "--rule", "accuracy:-0.1",
                "--superior", *FEW)  # fmt: skip
    assert (
        "--rule gives metric, class, margin and type of decision, as in f1_macro:-0.01; leave"
        in mixed.err
    )


def test_a_class_that_is_an_integer_stays_one_beside_a_rule_without_class(run, tmp_path):
    np.savez(
        tmp_path / "digits.npz", y_true=np.arange(30) % 2, a=np.arange(30) % 2, b=np.zeros(30, int)
    )
    done = run("gate", "digits.npz", "--baseline", "b", "--candidate", "a", "--rule", "accuracy:+0",
               "--rule", "recall[1]:+0", "--format", "json", *FEW)  # fmt: skip
    labels = [decision["label"] for decision in json.loads(done.out)["decisions"]]
    assert repr(labels) == "[None, 1]"


@pytest.mark.parametrize("margin", [0.2, 0.0001])
def test_scores_are_decided_by_their_mean_where_no_metric_is_named(run, tmp_path, margin):
    lines = ["item,old,new", *[f"{i},{i % 3 / 2},{i * i % 7 / 7}" for i in range(90)]]
    (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n")
    arguments = ("scores.csv", "--kind", "scores", "--id", "item", "--higher-is-better")
    sides = ("--baseline", "old", "--candidate", "new", "--margin", margin)
    bare = run("gate", *arguments, *sides, "--format", "json")
    named = run("gate", *arguments, *sides, "--metric", "mean_score", "--format", "json")
    assert bare == named
    assert json.loads(bare.out)["metric"] == "mean_score"
    size = run("sample-size", *arguments)
    assert size.code == 0
    assert "mean_score: old - new" in size.out


def _scores(path, name, rng):
    low = rng.uniform(0.1, 0.2, 200)
    frame = pd.DataFrame({"model": ["good"] * 200 + ["bad"] * 200, "item": [*range(200)] * 2,
                          name: [*low, *(low + 0.3)]})  # fmt: skip
    frame.to_csv(path, index=False)


@pytest.mark.parametrize("name", ["wer", "loss", "perplexity", "error", "latency", "cost"])
def test_a_score_that_should_be_low_is_known_by_its_name(run, tmp_path, name):
    _scores(tmp_path / "scores.csv", name, np.random.default_rng(0))
    done = run("gate", "scores.csv", "--read", f"score={name}", "--baseline", "good", "--candidate", "bad", "--margin", "0.05",
               *FEW)  # fmt: skip
    assert (done.code, "is inferior to" in done.out) == (1, True)
    assert f"direction: {name}: lower is better, by its name" in done.read
    back = run("gate", "scores.csv", "--read", f"score={name}", "--baseline", "good", "--candidate", "bad", "--margin", "0.05",
               "--higher-is-better", *FEW)  # fmt: skip
    assert back.code == 0


@pytest.mark.parametrize("form", ["wide", "long"])
def test_a_gate_does_not_guess_which_way_scores_are_better(run, tmp_path, form):
    rng = np.random.default_rng(0)
    if form == "wide":
        frame = pd.DataFrame({"item": range(90), "good": rng.random(90), "bad": rng.random(90)})
        frame.to_csv(tmp_path / "scores.csv", index=False)
    else:
        _scores(tmp_path / "scores.csv", "judge", rng)
    arguments = ("gate", "scores.csv", *(("--kind", "scores",) if form == "wide" else ()), "--baseline",
                 "good", "--candidate", "bad", "--margin", "0.9", *FEW)  # fmt: skip
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "greater_is_better=True or False (--higher-is-better or --lower-is-better)." in done.err
    for flag in ("--higher-is-better", "--lower-is-better"):
        assert run(*arguments, flag).code == 0


def test_the_range_of_scores_is_declared_by_an_option(run, tmp_path):
    _scores(tmp_path / "scores.csv", "accuracy", np.random.default_rng(0))
    arguments = ("gate", "scores.csv", "--baseline", "bad", "--candidate", "good", "--margin", "0.4", *FEW)  # fmt: skip
    assert "assuming scores lie within 0 and 1" in run(*arguments).out
    wide = run(*arguments, "--read", "range=-50,50")
    assert wide.code == 1
    assert "assuming scores lie within -50 and 50" in wide.out
    outside = run(*arguments, "--read", "range=0,0.3")
    assert outside.code == 2
    assert "model 'bad' has scores outside the declared range 0 to 0.3 in 200 rows" in outside.err
    for text in ("1", "a,b", "1,0", "0,1,2"):
        refused = run(*arguments, "--read", f"range={text}")
        assert refused.code == 2
        assert (
            "--read range must be LOW,HIGH" in refused.err
            or "lowest and the highest" in refused.err
        )
    labels = pd.DataFrame({"y_true": [0, 1] * 9, "a": [0, 1] * 9, "b": [0, 1] * 9})
    labels.to_csv(tmp_path / "labels.csv", index=False)
    done = run("compare", "labels.csv", "--read", "range=0,1")
    assert "the models gave labels, for which bounds (--read range) has no meaning" in done.err
