"""Several test sets, and the subgroups of one."""

import json

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.readers import read_predictions
from tests.plugged import needs
from tests.report.written import as_json

FEW = ("--resamples", "199")


@pytest.fixture
def files(tmp_path):
    """Two test sets of 120 rows with a column `lang`, models a and b."""
    rng = np.random.default_rng(0)
    for name in ("news", "mails"):
        y = rng.integers(0, 2, 120)
        a, b = (np.where(rng.random(120) < share, y, 1 - y) for share in (0.9, 0.6))
        lines = [f"{y[i]},{'en' if i % 3 else 'de'},{a[i]},{b[i]}" for i in range(120)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["y_true,lang,a,b", *lines]) + "\n")
    return tmp_path


MODELS = ("--model", "a", "--model", "b", "-m", "accuracy", *FEW)
READ = "truth: y_true; models: 2 (a, b); classes: 0, 1 (positive: 1)"


@needs("suites")
@pytest.mark.usefixtures("files")
def test_each_file_is_a_test_set_named_like_it(run):
    done = run("groups", "news.csv", "mails.csv", *MODELS, "--format", "json")
    document = json.loads(done.out)
    assert {row["set"] for row in document["scores"]} == {"news", "mails"}
    sets = mc.io.read_sets(["news.csv", "mails.csv"], models=["a", "b"])
    expected = mc.compare_groups(sets, "accuracy", n_resamples=199)
    assert document.pop("messages")[0] == f"read news: {READ}"
    assert document == json.loads(as_json(expected))
    estimates = [row["estimate"] for row in document["scores"] if row["model"] == "a"]
    (pooled,) = [row["estimate"] for row in document["pooled_scores"] if row["model"] == "a"]
    assert pooled == pytest.approx(np.mean(estimates))


@pytest.mark.usefixtures("files")
def test_subgroups_are_a_command_of_their_own(run):
    done = run("groups", "news.csv", "--by", "lang", *MODELS, "--format", "json")
    preds = read_predictions("news.csv", models=["a", "b"], columns={"slices": ["lang"]})
    document = json.loads(done.out)
    assert document.pop("messages") == [f"read {READ}"]
    assert document == json.loads(as_json(mc.compare_groups(preds, "accuracy", n_resamples=199)))
    small = run("groups", "news.csv", "--by", "lang", *MODELS, "--min-size", "50")
    assert "Left out" in small.out
    assert " lang = de  40\n" in small.out


@pytest.mark.usefixtures("files")
def test_compare_with_slice_shows_the_subgroups_below(run):
    asked = (*MODELS, "--alpha", "0.1")
    plain = run("compare", "news.csv", *asked).out
    sliced = run("compare", "news.csv", *asked, "--slice", "lang").out
    alone = run("groups", "news.csv", "--by", "lang", *asked).out
    *_, sentence = alone.partition("\n\n")[0].partition("accuracy: ")
    assert f"accuracy: {sentence}" in sliced
    assert {*plain.splitlines()} < {*sliced.splitlines()}
    every = run("compare", "news.csv", *asked, "--slice", "lang", "--all").out
    rows = [line for line in alone.splitlines() if line.startswith(" lang = ")]
    assert len(rows) == 2
    assert {*rows} < {*every.splitlines()}


@pytest.mark.usefixtures("files")
def test_subgroups_with_the_same_leader_are_shown_on_request(tmp_path, run):
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 400)
    lang = np.repeat(["de", "fr", "it", "en"], 100)
    # The model b is better in Italian only.
    wrong = {"a": np.where(lang == "it", 0.4, 0.1), "b": np.where(lang == "it", 0.1, 0.3)}
    models = {name: true ^ (rng.random(400) < share) for name, share in wrong.items()}
    pd.DataFrame({"y_true": true, **models, "lang": lang}).to_csv(tmp_path / "t.csv", index=False)
    asked = ("compare", "t.csv", "--slice", "lang", "-m", "accuracy", "-m", "f1_macro")
    brief, every = run(*asked).out, run(*asked, "--all").out
    shown = [f" lang = {name}" for name in ("de", "fr", "it", "en")]
    assert [brief.count(f"\n{each}") for each in shown] == [0, 0, 2, 0]
    assert all(every.count(f"\n{each}") >= 2 for each in shown)
    assert "Subgroups with another leader" in brief
    assert brief.count("modelcompare:0.") == every.count("modelcompare:0.") == 1
    # One screen, and no note twice.
    lines = brief.splitlines()
    assert len(lines) <= 40
    notes = [line for line in lines if "corrected for" in line]
    assert len(notes) == len({*notes})


@needs("agreement")
@pytest.mark.usefixtures("files")
def test_where_two_models_part_is_a_command(run):
    done = run("disagreements", "news.csv", "--model", "a", "--model", "b")
    frame = mc.diagnostics.disagreements(
        read_predictions("news.csv", models=["a", "b"]), "a", "b"
    ).table
    assert done.out.startswith(
        f"a and b disagree on {len(frame)} of 120 samples: a is right or nearer"
    )
    first = frame.iloc[0]
    assert f" {first['id']:<2}  {first['y_true']}      {first['predicted_a']}  " in done.out
    refused = run("disagreements", "news.csv", "--model", "a")
    assert refused.code == 2


@needs("suites")
def test_a_wide_table_with_a_column_of_sets_is_a_suite(run, tmp_path):
    lines = [
        "item,y_true,a,b,set",
        *(f"{i},x,x,{'xy'[i % 2]},{s}" for s in "pq" for i in range(20)),
    ]
    (tmp_path / "suite.csv").write_text("\n".join(lines))
    assert "Mean of 2 test sets" in run("groups", "suite.csv", "-m", "accuracy").out
    found = run("gate", "suite.csv", "--baseline", "b", "--candidate", "a", "--rule", "mean:-0.5")
    assert (found.code, "mean of 2 test sets" in found.out) == (0, True)
    refused = run("compare", "suite.csv", "-m", "accuracy")
    assert refused.code == 2
    assert "choose one with columns={'set': 'p'} (--read set=p)" in refused.err
