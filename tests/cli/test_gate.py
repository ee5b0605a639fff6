import json

import pytest

FEW = ("--resamples", "199")


def test_exit_codes_say_what_was_shown(run, wide_csv):
    passes = run(
        "gate", wide_csv, "--baseline", "poor", "--candidate", "good", "--margin", "0.01", *FEW
    )
    assert passes.code == 0
    assert passes.out.startswith(
        "good is shown to be not worse than poor by 0.01 or more in f1_macro"
    )
    fails = run(
        "gate", wide_csv, "--baseline", "good", "--candidate", "poor", "--margin", "0.01", *FEW
    )
    assert fails.code == 1
    assert "poor is not shown to be" in fails.out
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
    annotation = run(*arguments, "--format", "github")
    assert annotation.code == 1
    assert annotation.out.startswith("::error title=modelcompare gate::poor is not shown")
    document = json.loads(run(*arguments, "--format", "json").out)
    assert document["passed"] is False
    assert document["ci_low"] < document["gain"] < document["ci_high"]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--baseline", "good", "--candidate", "poor"), "--margin is needed to ask for non-inferior"),
        (("--baseline", "good", "--candidate", "por", "--margin", "0.1"), "unknown model 'por'"),
        (("--baseline", "good", "--candidate", "poor", "--superior", "--equivalent"),
         "--superior and --equivalent exclude each other"),
    ],
)  # fmt: skip
def test_bad_input(run, wide_csv, arguments, part):
    done = run("gate", wide_csv, *arguments)
    assert done.code == 2
    assert part in done.err


def test_an_undefined_metric_passes_nothing_and_is_valid_json(run, tmp_path):
    path = tmp_path / "never.csv"
    path.write_text("y_true,a,b\n" + "0,0,0\n1,0,1\n" * 30, encoding="utf-8")
    found = run("gate", path, "--baseline", "b", "--candidate", "a", "--metric", "precision", "--label",
                "1", "--margin", "0.1", "--format", "json", *FEW)  # fmt: skip
    assert found.code == 1
    document = json.loads(found.out)
    assert document["gain"] is None
    assert "undefined for one of the two" in document["sentence"]
