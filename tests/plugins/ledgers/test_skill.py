"""The skill that teaches agents to use `keep`: its examples run as written, in bash."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import yaml

from tests.pages import ROOT, blocks
from tests.test_plain_words import not_plain, page_prose

pytestmark = pytest.mark.slow
SKILL = ROOT / "skills" / "modelcompare-keep" / "SKILL.md"
TEXT = SKILL.read_text(encoding="utf-8")
ONE, LOOP, SEEDS, REPORT = (TEXT[slice(*span)] for span in blocks(SKILL, "bash"))
# Right answers of 400: v1 is better than v0, v2 is v1 but for a few, v3 is worse.
RIGHT = {"v0": 240, "v1": 320, "v2": 322, "v3": 200}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "predictions").mkdir()
    for model, n in RIGHT.items():
        frame = pd.DataFrame({"id": [f"q{i}" for i in range(400)], "y_true": "x"})
        frame["y_pred"] = np.where(np.arange(400) < n, "x", "y")
        # Both classes occur.
        frame.loc[399] = ["q399", "y", "y"]
        frame.to_csv(tmp_path / "predictions" / f"{model}.csv", index=False)
    rng = np.random.default_rng(0)
    item, seed = (each.ravel() for each in np.indices((60, 5)))
    rows = [
        pd.DataFrame({"model": model, "id": item, "seed": seed,
                      "score": (rng.random(300) < share).astype(int)})
        for model, share in {"old": 0.3, "new": 0.8}.items()
    ]  # fmt: skip
    pd.concat(rows).to_csv(tmp_path / "seeds.csv", index=False)
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "modelcompare"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m modelcompare "$@"\n')
    program.chmod(0o755)
    return tmp_path


@pytest.fixture
def bash(folder):
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"

    def _bash(script):
        return subprocess.run(
            ["bash", "-eu", "-c", script], cwd=folder, env={**os.environ, "PATH": path},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    return _bash


def asked(folder, ledger="runs.jsonl"):
    """Names of the candidates in a ledger, with their answers."""
    _, *entries = map(json.loads, (folder / ledger).read_text().splitlines())
    return [(entry["candidate"]["name"], entry["answer"]) for entry in entries]


def test_the_front_matter_names_the_folder_and_when_to_use_it():
    _, front, body = TEXT.split("---\n", 2)
    about = yaml.safe_load(front)
    assert {*about} == {"name", "description"}
    assert about["name"] == SKILL.parent.name
    assert re.fullmatch(r"[a-z0-9-]{1,64}", about["name"])
    assert 0 < len(about["description"]) <= 1024
    assert body.startswith("\n# ")


def test_a_question_prints_one_word_and_exits_with_its_code(bash, folder):
    for new, code, word in (("v1", 0, "keep"), ("v3", 1, "discard"), ("v2", 3, "undecided")):
        base = "v0" if new == "v1" else "v1"
        done = bash(ONE.replace("v1", "NEW").replace("v0", base).replace("NEW", new))
        assert (done.returncode, done.stdout.partition(":")[0]) == (code, word)
        assert len(done.stdout.splitlines()) == 1
        assert not re.search(r"\d\.\d", done.stdout)
    # Another rule or another baseline is refused, and nothing is spent.
    before = (folder / "runs.jsonl").read_bytes()
    for script in (ONE.replace("-m accuracy", "-m f1_macro"), ONE.replace("v1", "v3")):
        assert bash(script).returncode == 2
    assert (folder / "runs.jsonl").read_bytes() == before
    codes = re.findall(r"^\| (\d) \| ?(\w*) ?\|", TEXT, re.MULTILINE)
    assert codes == [("0", "keep"), ("1", "discard"), ("3", "undecided"), ("2", "")]


def test_the_loop_goes_on_from_what_was_kept_and_may_start_again(bash, folder):
    first = bash(LOOP)
    assert (first.returncode, first.stdout.splitlines()[-1]) == (0, "best: v1")
    answers = [("v1", "shown"), ("v2", "not enough data"), ("v3", "shown otherwise")]
    assert asked(folder) == answers
    assert bash(LOOP).stdout.splitlines()[-1] == "best: v1"
    assert asked(folder) == answers
    report = bash(REPORT)
    assert report.returncode == 0
    assert "corrected for having been chosen" in report.stdout
    (folder / "predictions" / "v3.csv").write_text("")
    assert bash(LOOP).returncode == 2


def test_a_ledger_that_was_cut_off_is_found_by_its_head(bash, folder):
    (head,) = re.findall(r"ledger head (\w+)", bash(ONE).stderr)
    again = ONE.rstrip() + f" --expect-head {head}\n"
    assert bash(again).returncode == 0
    lines = (folder / "runs.jsonl").read_text().splitlines(keepends=True)
    (folder / "runs.jsonl").write_text("".join(lines[:-1]))
    done = bash(again)
    assert done.returncode == 2
    assert "its end was cut off" in done.stderr


def test_several_runs_answer_for_the_change_and_one_for_its_checkpoint(bash):
    assert "differs by its seed alone needs several runs" in bash(ONE).stdout
    done = bash(SEEDS)
    assert (done.returncode, done.stderr.count("5 runs")) == (0, 1)
    assert done.stdout.startswith("keep: new is better than old in mean_score")
    assert "seed" not in done.stdout


def test_scores_need_neither_labels_nor_a_metric(bash, folder):
    for model in ("v0", "v1"):
        path = folder / "predictions" / f"{model}.csv"
        frame = pd.read_csv(path)
        scores = (frame["y_true"] == frame["y_pred"]).astype(int)
        pd.DataFrame({"id": frame["id"], "score": scores}).to_csv(path, index=False)
    done = bash(ONE.replace("-m accuracy ", "--higher-is-better "))
    assert done.stdout.startswith("keep: v1 is better than v0 in mean_score")


def test_the_skill_uses_plain_words():
    assert [*not_plain(page_prose(SKILL))] == []
