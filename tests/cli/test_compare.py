import csv
import json
import os
import re
import subprocess
import sys

import pytest
import sacrebleu

import modelcompare as mc
from modelcompare.execution import Execution, execution
from tests.cli.conftest import beyond_reading
from tests.cli.forked import forked
from tests.plugged import all_plugins, needs, of_plugins, plugged

FEW = ("--resamples", "199")


def test_the_table_has_verdict_leaderboard_differences_and_signature(run, wide_csv):
    done = run("compare", wide_csv, "--metric", "accuracy", *FEW)
    assert done.code == 0
    assert done.err == ""
    lines = done.out.splitlines()
    assert lines[0].startswith("animals.csv: 3 models, 300 samples")
    verdict, leaderboard, differences, signature = (
        next(place for place, line in enumerate(lines) if start in line)
        for start in ("accuracy: ", "accuracy (", " ahead of ", "modelcompare:")
    )
    assert 0 < verdict < leaderboard < differences < signature < len(lines)
    assert max(map(len, lines)) <= 80


def test_estimates_are_those_of_the_file(run, wide_csv):
    with wide_csv.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    accuracy = {
        model: sum(row[model] == row["y_true"] for row in rows) / len(rows)
        for model in ("good", "fair", "poor")
    }
    done = run("compare", wide_csv, "-m", "accuracy", "--format", "json", *FEW)
    document = json.loads(done.out)
    assert {row["model"]: row["estimate"] for row in document["scores"]} == accuracy


def test_every_option_of_the_statistics_is_passed_on(run, wide_csv):
    options = {
        "--method": "percentile", "--test": "permutation", "--correction": "fdr_bh",
        "--confidence-level": 0.9, "--seed": 7, "--resamples": 999, "--jobs": 2,
    }  # fmt: skip
    flat = [part for option in options.items() for part in option]
    document = json.loads(run("compare", wide_csv, "--format", "json", *flat).out)
    assert document["method"] == "percentile"
    assert document["test"] == "permutation"
    assert document["correction"] == "fdr_bh"
    assert (document["confidence_level"], document["alpha"]) == (0.9, 0.1)
    assert document["n_resamples"] == 999
    assert "rng:7" in document["signature"]


def test_one_of_level_and_alpha_is_typed_and_both_must_agree(run, wide_csv):
    for typed in (("--confidence-level", "0.99"), ("--alpha", "0.01")):
        document = json.loads(run("compare", wide_csv, "--format", "json", *typed, *FEW).out)
        assert (document["confidence_level"], document["alpha"]) == (0.99, 0.01)
    both = "--alpha", "0.01", "--confidence-level", "0.95"
    done = run("compare", wide_csv, *both, *FEW)
    assert done.code == 2
    assert "`alpha` (--alpha) 0.01 and `confidence_level` (--confidence-level) 0.95" in done.err
    assert "`confidence_level` is 0.99" in done.err


def _stripped(lines):
    return [line.rstrip() for line in lines]


def test_metrics_and_models_are_chosen(run, wide_csv):
    done = run(
        "compare", wide_csv, "-m", "f1", "--metric", "mcc",
        "--model", "poor", "--model", "good", "--format", "json", *FEW,
    )  # fmt: skip
    document = json.loads(done.out)
    assert document["models"] == ["poor", "good"]
    assert {(row["metric"], row["label"]) for row in document["scores"]} == {
        ("f1", "bird"), ("f1", "cat"), ("f1", "dog"), ("matthews_corrcoef", None),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("form", "suffix", "start"),
    [
        ("csv", ".csv", "table,metric,label,model"),
        ("json", ".json", "{\n"),
        ("markdown", ".md", "- accuracy: "),
        ("table", ".txt", "animals.csv: 3 models"),
        *((form, *written) for form, written in plugged("FORMS").items()),
    ],
)
def test_each_form_is_printed_and_written(run, wide_csv, tmp_path, form, suffix, start):
    arguments = ("compare", wide_csv, "-m", "accuracy", *FEW)
    printed = run(*arguments, "--format", form)
    assert printed.out.startswith(start)
    path = tmp_path / f"answer{suffix}"
    written = run(*arguments, "-o", path)
    assert written.out == ""
    assert written.err == f"wrote {path}\n"
    written_lines = path.read_text(encoding="utf-8").splitlines()
    # A page shows the command, which is another one.
    lines, others = (
        [line for line in _stripped(each) if "<code>modelcompare compare" not in line]
        for each in (written_lines, printed.out.splitlines())
    )
    assert lines == others


def test_the_format_asked_for_wins_over_the_suffix(run, wide_csv, tmp_path):
    run("compare", wide_csv, *FEW, "-o", tmp_path / "answer.txt", "--format", "json")
    assert json.loads((tmp_path / "answer.txt").read_text(encoding="utf-8"))


def test_a_forest_plot_is_written_beside_the_table(run, wide_csv, tmp_path):
    done = run("compare", wide_csv, *FEW, "--plot", "forest.png")
    assert done.code == 0
    assert done.err == "wrote forest.png\n"
    assert (tmp_path / "forest.png").read_bytes().startswith(b"\x89PNG")
    assert done.out.startswith("animals.csv")


def test_the_same_seed_gives_the_same_answer_with_any_number_of_threads(run, wide_csv):
    arguments = ("compare", wide_csv, "--format", "csv", *FEW)
    # Swaps of these labels are not drawn, but where a test of drawn ones is named.
    first = run(*arguments, "--seed", "3").out
    assert run(*arguments, "--seed", "3", "--jobs", "3").out == first
    arguments = (*arguments, "-m", "mcc", "--test", "permutation")
    drawn = run(*arguments, "--seed", "3").out
    assert run(*arguments, "--seed", "3", "--jobs", "3").out == drawn
    assert run(*arguments, "--seed", "4").out != drawn


def test_jobs_and_the_bar_are_set_around_what_a_command_calls(run, wide_csv, monkeypatch):
    seen, compare = [], mc.compare

    def watched(*args, **options):
        seen.append(execution.get())
        return compare(*args, **options)

    monkeypatch.setattr(mc, "compare", watched)
    run("compare", wide_csv, *FEW, "--jobs", "3")
    run("compare", wide_csv, *FEW)
    assert seen == [Execution(n_jobs=3, progress=True), Execution(progress=True)]
    assert execution.get() == Execution()


def test_one_file_per_model(run, wide_csv, tmp_path):
    with wide_csv.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for model, order in (("good", 1), ("poor", -1)):
        lines = [f"{row['id']},{row['y_true']},{row[model]}" for row in rows[::order]]
        (tmp_path / f"{model}.csv").write_text("\n".join(["id,y_true,y_pred", *lines]) + "\n")
    single = json.loads(run("compare", "good.csv", "poor.csv", "--format", "json", *FEW).out)
    both = run("compare", wide_csv, "--model", "good", "--model", "poor", "--format", "json", *FEW)
    assert single["scores"] == json.loads(both.out)["scores"]
    # cmd.exe leaves patterns to programs, as every shell leaves what is quoted.
    pattern = json.loads(run("compare", "[gp]o*.csv", "--format", "json", *FEW).out)
    assert pattern["scores"] == single["scores"]
    assert "x*.csv: there is no such file" in run("compare", "x*.csv").err


def test_numbers_beside_the_scores_are_named(run, tmp_path):
    rows = [f"{model},{i},{i % 2},{300 + i}" for model in "ab" for i in range(40)]
    (tmp_path / "runs.csv").write_text("\n".join(["model,id,correct,latency_ms", *rows]) + "\n")
    note = "not used: latency_ms (see --read score=latency_ms)"
    assert note in run("compare", "runs.csv", *FEW).read
    found = run("compare", "runs.csv", "--read", "score=latency_ms", "-m", "p50", *FEW)
    assert "scores: latency_ms" in found.read
    assert "not used" not in found.read


def test_scores_per_example(run, tmp_path):
    lines = ["item,a,b", *[f"{i},{i % 3},{(i + 1) % 4}" for i in range(60)]]
    (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n")
    arguments = (
        "compare",
        "scores.csv",
        "--kind",
        "scores",
        "--id",
        "item",
        "--format",
        "json",
        *FEW,
    )
    up = json.loads(run(*arguments, "--higher-is-better").out)
    assert {row["model"]: row["estimate"] for row in up["scores"]} == {"a": 1.0, "b": 1.5}
    assert {row["model"]: row["rank"] for row in up["scores"]} == {"a": 2, "b": 1}
    down = json.loads(run(*arguments, "--lower-is-better").out)
    assert {row["model"]: row["rank"] for row in down["scores"]} == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("nothing.csv",), ["nothing.csv"]),
        (("{csv}", "-m", "accuracyy"), ["accuracyy", "accuracy"]),
        (("{csv}", "-m", "cf1"), ["cf1", "probabilities"]),
        (("{csv}", "--true", "gold"), ["gold"]),
        (("{csv}", "--model", "best"), ["best", "good", "fair", "poor"]),
        (("{csv}", "--confidence-level", "95"), ["95", "0.95"]),
        (("{csv}", "--alpha", "5"), ["alpha", "5"]),
        (("{csv}", "-o", "no/such/folder/a.md"), ["no/such/folder", "create it first"]),
        (("{csv}", "--plot", "forest.gif"), ["forest.gif", ".png"]),
    ],
)
def test_bad_input_is_one_line_on_stderr_and_exit_code_2(run, wide_csv, tmp_path, arguments, parts):
    done = run("compare", *(part.format(csv=wide_csv) for part in arguments), *FEW)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("modelcompare: error: ")
    assert len(done.err.splitlines()) == 1
    assert all(part in done.err for part in parts)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("--method", "magic"),
        ("--resamples", "1"),
        ("--seed", "-1"),
        ("--bogus",),
        ("--read", "ids=x"),
    ],
)
def test_a_wrong_option_is_exit_code_2(run, wide_csv, arguments):
    done = run("compare", wide_csv, *arguments)
    assert done.code == 2
    assert done.out == ""
    assert arguments[0] in done.err
    assert "Traceback" not in done.err


def test_an_error_of_the_program_itself_keeps_its_traceback(run, wide_csv, monkeypatch):
    monkeypatch.setattr("modelcompare.cli.output.Output.emit", lambda *_: {}["bug"])
    done = run("compare", wide_csv, *FEW)
    assert done.code == 70
    assert "KeyError: 'bug'" in done.err


@pytest.mark.filterwarnings("default")
def test_a_warning_is_one_line_on_stderr(run, tmp_path):
    lines = ["y_true,a,b", *["x,x,x", "y,y,x"] * 10, "rare,rare,rare"]
    (tmp_path / "rare.csv").write_text("\n".join(lines) + "\n")
    done = run("compare", "rare.csv", "-m", "recall", *FEW)
    assert done.code == 0
    assert done.out.startswith("rare.csv")
    warned = done.err.splitlines()
    assert warned
    assert all(line.startswith("modelcompare: warning: ") for line in warned)
    assert "recall" in done.err
    assert "rare" in done.err


def test_help_shows_examples_and_fits_the_screen(run):
    done = run("compare", "--help")
    assert done.code == 0
    assert "modelcompare compare bert.csv roberta.csv" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    assert done.out.count("\n") <= 46
    more = re.search(r"--help-all shows (\d+) more options and all choices\.", done.out)
    assert int(more[1]) == 36 or not all_plugins()
    assert "Arguments:\n  FILE  Predictions" in done.out
    assert run("--help").out.count("\n") < 30
    assert run("--version").out.startswith("modelcompare ")


def test_the_installed_program_prints_the_answer_only_on_stdout(wide_csv):
    command = [sys.executable, "-m", "modelcompare", "compare", wide_csv, "-m", "accuracy", *FEW]
    environment = os.environ | {"COLUMNS": "80"}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert (done.returncode, beyond_reading(done.stderr.decode())) == (0, "")
    assert "├" in done.stdout.decode()
    assert "\x1b" not in done.stdout.decode()


@pytest.mark.parametrize(
    ("asked", "shown", "hidden"),
    [
        ({}, "\u2501", "\u251c"),
        ({"NO_COLOR": "1"}, "\u251c", "\u2501"),
        ({"PYTHONIOENCODING": "ascii"}, "|-", "\u2501"),
    ],
)
def test_a_terminal_with_colours_draws_graded_intervals(
    wide_csv, tmp_path, monkeypatch, asked, shown, hidden
):
    monkeypatch.delenv("NO_COLOR", raising=False)
    usual = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    command = ["compare", wide_csv, "-m", "accuracy", *FEW]
    done = forked(command, tmp_path, **usual | asked)
    assert done.returncode == 0
    assert shown in done.stdout.decode()
    assert hidden not in done.stdout.decode()


@needs("logs", "texts")
def test_tokens_of_bleu_are_those_of_sacrebleu(run, tmp_path):
    predicted, true = (
        ["ein Haus , gross", "das ist gut so"],
        ["ein Haus, klein", "das ist sehr gut"],
    )
    for name, lines in {"ref": true, "sys": predicted}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines * 3) + "\n")
    done = run("compare", "ref.txt", "sys.txt", "-m", "bleu_char", *FEW, "--format", "json")
    value = json.loads(done.out)["scores"][0]["estimate"]
    assert value == pytest.approx(
        sacrebleu.corpus_bleu(predicted * 3, [true * 3], tokenize="char").score
    )


@pytest.mark.parametrize("form", of_plugins(["csv", "json", "markdown", "latex"], latex=["latex"]))
def test_all_changes_nothing_in_forms_that_hold_every_row(run, wide_csv, form):
    asked = ["compare", wide_csv, "--metric", "accuracy", "--resamples", 99, "--format", form]
    every = run(*asked, "--all")
    assert (every.code, every.out) == (0, run(*asked).out)


def test_four_models_and_three_metrics_fit_a_screen(run):
    done = run("compare", "snli.npz")
    lines = done.out.splitlines()
    assert len(lines) <= 40
    assert " and 3 more tables: --all shows them" in lines
    assert "better than all others" in " ".join(lines)
    assert "bow_pair ahead of" not in done.out
    every = run("compare", "snli.npz", "--resamples", "99", "--all").out
    assert every.count("log_loss, ") == 1
    assert every.count("corrected for 6 tests") == 1
    two = run("compare", "snli.npz", "--resamples", "99", "-m", "accuracy", "-m", "f1_macro").out
    assert two.count("bow_pair ahead of") == 2
