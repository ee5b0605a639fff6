"""Texts, real values and subgroups from the command line."""

import json

import numpy as np
import pandas as pd
import sacrebleu


def test_translations_in_a_table(run, tmp_path):
    references = [
        "the cat sat on the mat",
        "a dog barks at night",
        "we will see",
        "good morning",
    ] * 5
    worse = [text.replace("the", "a").replace("dog", "cat") for text in references]
    path = tmp_path / "texts.csv"
    pd.DataFrame({"y_true": references, "copy": references, "worse": worse}).to_csv(
        path, index=False
    )
    out = run("compare", path, "--kind", "texts", "-m", "bleu", "--format", "json",
              "--resamples", "199")  # fmt: skip
    scores = {row["model"]: row["estimate"] for row in json.loads(out.out)["scores"]}
    assert scores["worse"] == sacrebleu.corpus_bleu(worse, [references]).score
    assert scores["copy"] > 99.9
    assert "tok:13a" in out.out


def test_regression_in_a_table(run, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    path = tmp_path / "values.csv"
    pd.DataFrame({"y_true": y, "near": y + 0.1, "far": y + rng.normal(size=60)}).to_csv(
        path, index=False
    )
    out = run("compare", path, "-m", "rmse", "--kind", "values", "--resamples", "199")
    assert out.out.splitlines()[2].startswith("rmse: near leads")


def test_subgroups_reach_the_card(run, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"y_true": rng.integers(0, 2, 120)})
    frame["m"] = np.where(rng.random(120) < 0.8, frame.y_true, 1 - frame.y_true)
    frame["lang"] = np.repeat(["en", "de"], 60)
    path, card = tmp_path / "labels.csv", tmp_path / "card.md"
    frame.to_csv(path, index=False)
    done = run("report", path, "--slice", "lang", "--card", "m", "-o", card, "--resamples", "199")
    assert done.code == 0, done.err
    assert "lang = de" in card.read_text(encoding="utf-8")
