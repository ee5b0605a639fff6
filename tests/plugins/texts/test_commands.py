"""Texts from the command line."""

import json

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


REFERENCES = ["the cat sat", "a dog barks", "we will see", "good morning all", "it rains"]


TEXTS = pd.DataFrame({"reference": REFERENCES * 6}).assign(
    a=lambda f: [t if i % 3 else f"{t} now" for i, t in enumerate(f["reference"])],
    b=lambda f: [t if i % 2 else f"{t} so {i}" for i, t in enumerate(f["reference"])],
)


def test_metrics_of_texts_imply_texts(run):
    TEXTS.to_csv("t.csv", index=False)
    given = ("--resamples", "199", "--format", "json")
    by_kind = run("compare", "t.csv", "--true", "reference", "--kind", "texts", "-m", "wer", *given)
    for more in ((), ("--true", "reference")):
        done = run("compare", "t.csv", *more, "-m", "wer", *given)
        # The truth is found by its values unless an option names it, and a message has the reason.
        assert (done.code, done.out.replace(" (by its values)", "")) == (0, by_kind.out)
    for asked in (("-m", "wer", "--margin", "0.5"), ("--rule", "wer:-0.5"), ("--rule", "wer:+0.5")):
        done = run("gate", "t.csv", "--baseline", "b", "--candidate", "a", *asked)
        assert "wer" in done.out
        assert done.err == ""
    both = run("compare", "t.csv", "-m", "wer", "-m", "accuracy", "--kind", "labels")
    assert "needs texts, but model 'a' gave labels" in both.err


def test_texts_without_a_truth_ask_for_it(run):
    TEXTS.rename(columns={"reference": "c"}).to_csv("t.csv", index=False)
    done = run("compare", "t.csv", "-m", "wer")
    assert "name it with columns={'true': 'COLUMN'} (--true COLUMN)" in done.err
