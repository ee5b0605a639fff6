"""Columns that could mean two things: asked about with the command that settles it, or said."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.readers import asked, read

N = 40
TRUTH = np.random.default_rng(0).choice(["ant", "cat", "dog"], N)


def labels(seed):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(N) < 0.7, TRUTH, rng.choice(["ant", "cat", "dog"], N))


def as_file(frame, folder, name="t.csv"):
    frame.to_csv(folder / name, index=False)
    return folder / name


def long():
    """A row for each model and sample: its answer, and what a judge thought of it."""
    parts = [
        pd.DataFrame({"model": model, "id": range(N), "target": TRUTH, "response": labels(seed),
                      "score": np.random.default_rng(seed).random(N).round(2)})
        for seed, model in enumerate("ab", start=1)
    ]  # fmt: skip
    return pd.concat(parts, ignore_index=True)


# -- scores beside answers -------------------------------------------------------------------


@pytest.mark.parametrize("name", ["score", "exact_match", "bleu"])
def test_scores_beside_answers_are_asked_about_and_both_commands_work(tmp_path, name):
    path = as_file(long().rename(columns={"score": name}), tmp_path)
    told = rf"'{name}' holds scores beside .*\(--score {name}\), .*\(--pred response\)"
    with pytest.raises(ValueError, match=told):
        mc.read_predictions(path)
    by_score = mc.read_predictions(path, score=name)
    assert by_score.output("a").array.tolist() == long().query("model == 'a'").score.tolist()
    by_answer = mc.read_predictions(path, pred="response")
    right = by_answer.predicted("b") == by_answer.codes
    assert right.tolist() == (labels(2) == TRUTH).tolist()


def test_scores_that_only_say_which_answers_are_right_are_no_question(tmp_path):
    frame = long().assign(correct=lambda f: f.response == f.target).drop(columns="score")
    assert mc.read_predictions(as_file(frame, tmp_path)).output("a").kind == "labels"


def test_a_table_of_one_model_is_asked_the_same():
    frame = long().query("model == 'a'").drop(columns="model")
    frame = frame.rename(columns={"response": "y_pred"})
    with pytest.raises(ValueError, match=r"--score score\).*--pred y_pred"):
        mc.read_predictions(frame)
    assert mc.read_predictions(frame, kind="labels").output("model").kind == "labels"


# -- repetitions -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["trial", "run", "epoch"])
@pytest.mark.parametrize("of_one", [True, False])
def test_a_trial_that_each_sample_has_once_is_no_repetition(tmp_path, name, of_one):
    frame = long().drop(columns="score").assign(**{name: lambda f: f.id % 7})
    if of_one:
        frame = frame.query("model == 'a'").drop(columns="model")
    found = read(as_file(frame.rename(columns={"response": "y_pred"}), tmp_path), asked())
    assert (found.predictions.runs, found.predictions.groups) == (None, None)
    assert found.predictions.ids.tolist() == [*range(N)]
    assert f"run: none (column {name} repeats no sample)" in found.sentence


def test_trials_that_repeat_samples_are_runs_and_the_samples_their_clusters():
    frame = long().drop(columns="score")
    both = pd.concat([frame.assign(trial=trial) for trial in (1, 2)])
    preds = mc.read_predictions(both)
    assert (len(preds), len({*preds.groups}), len({*preds.runs})) == (2 * N, N, 2)


def test_repetitions_of_samples_without_names_are_refused():
    frame = pd.DataFrame({"y_true": TRUTH, "y_pred": labels(1), "run": [1, 2] * (N // 2)})
    with pytest.raises(ValueError, match=r"'run' tells repetitions, but no column .*--id COLUMN"):
        mc.read_predictions(frame)
    assert len(mc.read_predictions(frame, slices=["run"])) == N
    ids = [i // 2 for i in range(N)]
    named = mc.read_predictions(frame.assign(id=ids, y_true=[TRUTH[i] for i in ids]), runs="run")
    assert (len(named), len({*named.groups})) == (N, N // 2)
