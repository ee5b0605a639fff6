"""Scores on folds on the command line."""

import json

import pytest

import modelcompare as mc
from tests.advice import commands_in
from tests.plugged import needed, needs
from tests.plugins.folds.test_folds import WIDE
from tests.plugins.folds.test_repeats import FOLDS as REFUSED

# It reads tables of scores.
needed("published")


def test_folds_are_compared_from_a_file(run, tmp_path):
    WIDE.to_csv(tmp_path / "folds.csv", index_label="fold")
    done = run(
        "ranks",
        "folds.csv",
        "--n-train",
        9,
        "--n-test",
        1,
        "--higher-is-better",
        "--format",
        "json",
    )
    expected = mc.crossval.compare_folds(WIDE, n_train=9, n_test=1, greater_is_better=True)
    rows = json.loads(done.out)["differences"]
    assert done.code == 0
    assert [row["p_value"] for row in rows] == pytest.approx(expected.differences.p_value.tolist())
    lower = run("ranks", "folds.csv", "--test", "5x2cv-f", "--lower-is-better")
    assert lower.out.startswith("score: bow has the lowest mean over 10 folds")


def test_folds_are_read_by_the_same_options(run, tmp_path):
    named = WIDE.assign(CV=range(10)).melt("CV", var_name="who", value_name="score")
    named.assign(score=[f"**{x}**" for x in named["score"]]).to_csv(tmp_path / "t.csv", index=False)
    sizes = ["--n-train", 9, "--n-test", 1, "--higher-is-better", "--format", "json"]
    done = run("ranks", "t.csv", *sizes, "--id", "CV", "--read", "model-column=who")
    expected = mc.crossval.compare_folds(
        WIDE, n_train=9, n_test=1, greater_is_better=True
    ).differences
    rows = json.loads(done.out)["differences"]
    assert [row["p_value"] for row in rows] == pytest.approx(expected.p_value.tolist())
    WIDE.assign(Fold=range(10)).to_csv(tmp_path / "u.csv")
    assert run("ranks", "u.csv", *sizes, "--read", "run=cnn").code == 2
    assert run("ranks", "u.csv", *sizes).out == run("ranks", "u.csv", *sizes, "--model", "*").out


FOLDS = "fold,a,b,c\n" + "".join(f"{i},0.{80 + i},0.{70 + i * 2},0.6{i}\n" for i in range(8))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ("--plot", "cd.svg"),
            "--plot is for scores on several data sets; this table has a column",
        ),
        (("--test", "nemenyi"), "--test nemenyi is for scores on several data sets"),
    ],
)
def test_ranks_refuse_for_folds_what_is_for_data_sets(run, tmp_path, arguments, expected):
    (tmp_path / "folds.csv").write_text(FOLDS)
    done = run("ranks", "folds.csv", *arguments)
    assert (done.code, done.out) == (2, "")
    assert expected in done.err


def test_ranks_take_a_wide_table_as_folds_where_sizes_of_folds_are_given(run, tmp_path):
    wide = [line.partition(",")[2] for line in FOLDS.splitlines()]
    (tmp_path / "wide.csv").write_text("\n".join(wide) + "\n")
    folds = run("ranks", "wide.csv", "--n-train", "9", "--n-test", "1", "--higher-is-better")
    assert folds.code == 0, folds.err
    assert "over 8 folds" in folds.out
    refused = run("ranks", "wide.csv", "--n-train", "9", "--plot", "cd.svg")
    assert "--plot is for scores on several data sets; leave out --n-train." in refused.err


@needs("page")
def test_help_shows_no_option_that_the_command_refuses(run):
    for command in ("gate", "keep", "sample-size", "study undefined"):
        assert "--slice" not in run(*command.split(), "--help-all").out
    assert "--slice" in run("report", "--help-all").out


@pytest.mark.parametrize("name", REFUSED)
def test_the_command_that_refuses_scores_of_folds_as_samples_names_one_that_works(
    run, tmp_path, name
):
    frame, options = REFUSED[name]
    frame.to_csv(tmp_path / "scores.csv", index=False)
    asked = {"models": ["--model", "a", "--model", "b"], "columns": ["--id", "fold"]}
    asked = ["compare", "scores.csv", *(part for key in options for part in asked[key])]
    (command,) = commands_in(" ".join(run(*asked).err.split()), asked[:2])
    # Columns a and b do not say whether high values are good.
    done = run(*command, "--higher-is-better")
    assert done.code == 0
    assert "50 folds" in done.out
