"""Ambiguous columns: refused with the options that settle them, or reported."""

import re

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.readers import checked_columns, names, read
from tests.plugged import needs

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
def test_scores_next_to_answers_are_ambiguous_and_both_commands_work(tmp_path, name):
    path = as_file(long().rename(columns={"score": name}), tmp_path)
    message = rf"'{name}' has scores next to .*\(--read score={name}\), .*\(--read pred=response\)"
    with pytest.raises(ValueError, match=message):
        mc.read_predictions(path)
    by_score = mc.read_predictions(path, columns={"score": name})
    assert by_score.output("a").array.tolist() == long().query("model == 'a'").score.tolist()
    by_answer = mc.read_predictions(path, columns={"pred": "response"})
    right = by_answer.predicted("b") == by_answer.access.codes
    assert right.tolist() == (labels(2) == TRUTH).tolist()


def test_scores_that_only_say_which_answers_are_right_are_no_question(tmp_path):
    frame = long().assign(correct=lambda f: f.response == f.target).drop(columns="score")
    assert mc.read_predictions(as_file(frame, tmp_path)).output("a").kind == "labels"


def test_a_table_of_one_model_is_ambiguous_too():
    frame = long().query("model == 'a'").drop(columns="model")
    frame = frame.rename(columns={"response": "y_pred"})
    with pytest.raises(ValueError, match=r"--read score=score\).*--read pred=y_pred"):
        mc.read_predictions(frame)
    assert mc.read_predictions(frame, kind="labels").output("model").kind == "labels"


# -- repetitions -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["trial", "run", "epoch"])
@pytest.mark.parametrize("of_one", [True, False])
def test_a_trial_that_each_sample_has_once_is_no_repetition(tmp_path, name, of_one):
    frame = long().drop(columns="score").assign(**{name: lambda f: f.id % 7})
    if of_one:
        frame = frame.query("model == 'a'").drop(columns="model")
    found = read(as_file(frame.rename(columns={"response": "y_pred"}), tmp_path), checked_columns())
    assert (found.predictions.runs, found.predictions.groups) == (None, None)
    assert found.predictions.ids.tolist() == [*range(N)]
    assert f"run: none (column {name} repeats no sample)" in found.sentence


@needs("runs")
def test_trials_that_repeat_samples_are_runs_and_the_samples_their_clusters():
    frame = long().drop(columns="score")
    both = pd.concat([frame.assign(trial=trial) for trial in (1, 2)])
    preds = mc.read_predictions(both)
    assert (len(preds), len({*preds.groups}), len({*preds.runs})) == (2 * N, N, 2)


@needs("runs")
def test_repetitions_of_samples_without_names_are_refused():
    frame = pd.DataFrame({"y_true": TRUTH, "y_pred": labels(1), "run": [1, 2] * (N // 2)})
    with pytest.raises(ValueError, match=r"'run' names repetitions, but no column .*--id COLUMN"):
        mc.read_predictions(frame)
    assert len(mc.read_predictions(frame, columns={"slices": ["run"]})) == N
    ids = [i // 2 for i in range(N)]
    named = mc.read_predictions(
        frame.assign(id=ids, y_true=[TRUTH[i] for i in ids]), columns={"runs": "run"}
    )
    assert (len(named), len({*named.groups})) == (N, N // 2)


# -- tables of another shape than they seem --------------------------------------------------


def both(frame, folder, name="t.csv"):
    return [frame, as_file(frame, folder, name)]


def solubility():
    """A row for each submission and molecule, as collections of challenges have them."""
    rng = np.random.default_rng(3)
    measured, spread = rng.normal(3, 1, 11).round(2), rng.random(11).round(3)
    rows = []
    for team in range(5):
        outputs = (measured + rng.normal(0, 0.4 + 0.2 * team, 11)).round(2)
        for place in range(11):
            rows.append(
                (f"team{team}", f"method {team}", ["QM", "MM"][team % 2], f"M{place:02d}",
                 outputs[place], 0.01, measured[place], spread[place],
                 round(outputs[place] - measured[place], 2))
            )  # fmt: skip
    return pd.DataFrame(
        rows,
        columns=["receipt_id", "name", "category", "Molecule ID", "logP (calc)", "logP SEM (calc)",
                 "logP (exp)", "logP SEM (exp)", "$\\Delta$logP error (calc - exp)"],
    )  # fmt: skip


@pytest.mark.parametrize("dropped", [[], [3, 17, 40]])
@pytest.mark.filterwarnings("ignore::modelcompare.data.checks.DataWarning")
def test_a_long_table_under_names_of_its_own_is_refused_with_its_command(tmp_path, dropped):
    frame = solubility().drop(index=dropped)
    message = r"\(--read model-column=receipt_id --id 'Molecule ID' --true 'logP \(exp\)' --read pred='logP \("
    for source in both(frame, tmp_path):
        with pytest.raises(ValueError, match=message):
            mc.read_predictions(source)
        preds = mc.read_predictions(
            source, columns={"model": "receipt_id", "id": "Molecule ID", "true": "logP (exp)", "pred": "logP (calc)"}, ids="intersect" if dropped else "same",
        )  # fmt: skip
        assert (preds.models, len(preds)) == (
            tuple(f"team{t}" for t in range(5)),
            11 - len(dropped),
        )


def test_measured_values_among_computed_ones_are_no_model(tmp_path):
    frame = solubility().head(11).drop(columns=["receipt_id", "name", "category"])
    for source in both(frame, tmp_path):
        with pytest.raises(
            ValueError, match=r"Try: .*--true 'logP \(exp\)' --model 'logP \(calc\)'"
        ):
            mc.read_predictions(source)
        preds = mc.read_predictions(source, columns={"true": "logP (exp)"}, models=["logP (calc)"])
        assert preds.y_true.tolist() == frame["logP (exp)"].tolist()


def test_a_standard_error_beside_a_model_s_column_is_left_out(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((N, 4)).round(3), columns=["a", "a_sem", "b", "b stderr"])
    for source in both(frame, tmp_path):
        assert mc.read_predictions(source).models == ("a", "b")


def several_labels(headed):
    """Four true labels of each sample, and those that two models gave."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, (N, 4))
    outputs = {"A": truth ^ (rng.random((N, 4)) < 0.2), "B": truth ^ (rng.random((N, 4)) < 0.3)}
    return pd.DataFrame(
        {headed.format(who=who, label=label): array[:, place]
         for who, array in {"true": truth, **outputs}.items()
         for place, label in enumerate(("0", "1", "polar_bear", "3"))}
    )  # fmt: skip


@pytest.mark.parametrize("headed", ["{who}_{label}", "{label}_{who}", "{who} {label}"])
def test_several_true_labels_are_refused_with_the_command_for_one(tmp_path, headed):
    frame = several_labels(headed)
    names = [headed.format(who=who, label="0") for who in ("true", "A", "B")]
    for source in both(frame, tmp_path):
        with pytest.raises(ValueError, match="true labels of several kinds") as caught:
            mc.read_predictions(source)
        asked_for = f"columns={{'true': {names[0]!r}}}, models={names[1:]}"
        assert asked_for in str(caught.value)
        preds = mc.read_predictions(source, columns={"true": names[0]}, models=names[1:])
        assert preds.y_true.tolist() == frame[names[0]].tolist()


def test_one_true_label_beside_the_labels_of_models_is_the_truth(tmp_path):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"expected_label": TRUTH})
    for seed, model in enumerate(["bert", "roberta"], start=1):
        frame[f"{model}_label"], frame[f"{model}_score"] = labels(seed), rng.random(N).round(2)
    for name in ("expected_label", "gold_label", "oracle_label"):
        for source in both(frame.rename(columns={"expected_label": name}), tmp_path):
            for columns in ({"true": name}, *([{}] if name != "oracle_label" else [])):
                preds = mc.read_predictions(source, columns=columns)
                assert preds.models == ("bert_label", "roberta_label")
                assert preds.y_true.tolist() == TRUTH.tolist()


def test_several_true_labels_are_refused_if_one_of_them_is_named(tmp_path):
    for source in both(several_labels("{who}_{label}"), tmp_path):
        with pytest.raises(
            ValueError, match=r"columns={'true': 'true_3'}, models=\['A_3', 'B_3'\]"
        ):
            mc.read_predictions(source, columns={"true": "true_3"})


def test_several_true_labels_in_a_file_for_each_model_are_refused_too(tmp_path):
    frame = several_labels("{who}_{label}").rename_axis("id").reset_index()
    paths = []
    for model in "AB":
        one = frame[[h for h in frame if h.startswith(("id", "true", model))]]
        one.columns = one.columns.str.replace(f"{model}_", "pred_")
        paths.append(as_file(one, tmp_path, f"{model}.csv"))
    with pytest.raises(ValueError, match=r"several kinds .*\(--true true_0 --read pred=pred_0\)"):
        mc.read_predictions(paths)
    preds = mc.read_predictions(paths, columns={"true": "true_0", "pred": "pred_0"})
    assert preds.models == ("A", "B")
    assert preds.predicted("B").tolist() == frame["B_0"].astype(int).tolist()


def test_a_numbered_truth_beside_the_truth_is_no_model():
    frame = pd.DataFrame({"label": TRUTH, "label_2": labels(1), "cnn": labels(2)})
    with pytest.raises(ValueError, match="'label_2' is named like the truth"):
        mc.read_predictions(frame)


@pytest.mark.parametrize("n_columns", [2, 3])
@pytest.mark.parametrize("named", [[], ["x0"]])
def test_a_file_without_headings_is_refused(tmp_path, n_columns, named):
    rng = np.random.default_rng(2)
    rows = rng.dirichlet([1] * n_columns, N).round(3)
    lines = [",".join([*(f"x{i}" for _ in named), *map(str, row)]) for i, row in enumerate(rows)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines))
    with pytest.raises(ValueError, match=r"the first line .* has numbers, as") as caught:
        mc.read_predictions(path)
    models = str(caught.value).partition("(--model ")[2].rstrip(").").split(" --model ")
    assert models == [str(number) for number in rows[0]]
    assert mc.read_predictions(path, models=models).models == tuple(models)


def test_numbers_that_name_models_do_with_a_named_truth(tmp_path):
    frame = pd.DataFrame({"y_true": TRUTH, "0.1": labels(1), "0.5": labels(2)})
    assert mc.read_predictions(as_file(frame, tmp_path)).models == ("0.1", "0.5")


@pytest.mark.parametrize("cell", [{"a": 1}, ["x", "y"]])
def test_an_object_among_labels_is_refused_in_words(cell):
    truth = ["no", cell, *["yes", "no"] * 6]
    with pytest.raises(ValueError, match=r"contains lists or objects|lists|objects"):
        mc.read_predictions(pd.DataFrame({"label": truth, "cnn": "no", "bow": "yes"}))


@pytest.mark.parametrize("to_file", [False, True])
def test_the_truth_among_the_slices_is_not_taken_away_in_silence(tmp_path, to_file):
    codes = pd.DataFrame({"y_true": TRUTH == "cat", "a": labels(1) == "cat"}).astype(int)
    wide = codes.assign(b=codes["a"])
    source = as_file(wide, tmp_path) if to_file else wide
    message = r"slices \(--slice\) names 'y_true', .* pass kind='scores' \(--kind scores\)"
    with pytest.raises(ValueError, match=message):
        mc.read_predictions(source, columns={"slices": ["y_true"]})
    sliced = mc.read_predictions(source, columns={"slices": ["y_true"]}, kind="scores")
    assert set(sliced.access.kinds.values()) == {"scores"}
    assert sliced.slices["y_true"].tolist() == codes["y_true"].tolist()
    with pytest.raises(ValueError, match=r"slices \(--slice\) names 'target', "):
        mc.read_predictions(long(), columns={"slices": ["target"]})
    scores = long().drop(columns="response")
    assert [*mc.read_predictions(scores, columns={"slices": ["target"]}).slices] == ["target"]


@needs("large")
def test_labels_next_to_their_own_probabilities_are_read_and_others_are_refused():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.dirichlet([1] * 3, N), columns=["cnn:ant", "cnn:cat", "cnn:dog"])
    likeliest = frame.idxmax(axis=1).str.removeprefix("cnn:")
    preds = mc.read_predictions(frame.assign(y_true=TRUTH, cnn=likeliest))
    assert preds.access.kinds == {"cnn": "probabilities"}
    np.testing.assert_array_equal(preds.probabilities("cnn"), frame.to_numpy())
    scan = mc.io.scan_predictions(frame.assign(y_true=TRUTH, cnn=likeliest))
    assert scan.labels.tolist() == preds.labels.tolist()
    with pytest.raises(
        ValueError, match="'cnn' has labels that are not its likeliest classes in 1 row"
    ):
        mc.read_predictions(frame.assign(y_true=TRUTH, cnn=[*likeliest[:-1], "other"]))


# -- tables without a truth ------------------------------------------------------------------


def markers():
    rng = np.random.default_rng(2)
    poor = rng.integers(0, 2, N)
    return pd.DataFrame(
        {"poor": poor, "s100b": rng.random(N), "wfns": poor + rng.integers(1, 4, N)}
    )


@pytest.mark.filterwarnings("ignore:.*real numbers for 2 classes")
def test_a_column_of_0_and_1_among_scores_may_be_the_truth():
    frame = markers()
    with pytest.raises(ValueError, match=r"'poor' has 0 and 1 where .*\(--true poor\), .*kind='s"):
        mc.read_predictions(frame)
    assert mc.read_predictions(frame, columns={"true": "poor"}, kind="values").models == (
        "s100b",
        "wfns",
    )
    assert mc.read_predictions(frame, kind="scores").models == ("poor", "s100b", "wfns")
    assert len(mc.read_predictions(frame.assign(wfns=1 - frame["poor"])).models) == 3


@pytest.mark.parametrize("name", ["Verdict", "rating", "Diagnosis"])
@pytest.mark.parametrize("written", [int, bool])
def test_0_and_1_named_like_what_people_state_may_be_the_truth(name, written, tmp_path):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, N)
    outputs = {m: np.where(rng.random(N) < 0.8, truth, 1 - truth) for m in ("v1", "v2")}
    frame = pd.DataFrame({name: truth, **outputs}).astype(written)
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    refusal = rf"'{name}' has 0 and 1 and the name of a truth; .*\(--true {name}\), .* Try: "
    for source in (frame, frame[[name, "v1"]], path):
        with pytest.raises(ValueError, match=refusal):
            mc.read_predictions(source)
    read = mc.read_predictions(path, columns={"true": name})
    assert read.models == ("v1", "v2")
    assert [*map(str, read.y_true)] == [str(written(true)) for true in truth]
    assert mc.read_predictions(path, kind="scores").models == (name, "v1", "v2")
    # Marks of models are scores as before, and so are those of several that state something.
    models = frame.rename(columns={name: "bert", "v1": "cnn", "v2": "gpt"})
    assert mc.read_predictions(models).models == ("bert", "cnn", "gpt")
    assert mc.read_predictions(models).output("bert").kind == "scores"
    several = frame.rename(columns={"v1": "verdict_bert", "v2": "verdict_cnn"})
    assert mc.read_predictions(several.drop(columns=name)).models == ("verdict_bert", "verdict_cnn")


@pytest.mark.parametrize("n_models", [20, 200])
def test_each_of_many_columns_is_compared_with_no_other(n_models, monkeypatch):
    asked = []
    predicts = names.predicts
    monkeypatch.setattr(names, "predicts", lambda name: asked.append(name) or predicts(name))
    frame = pd.DataFrame({"y_true": TRUTH, **{f"m{i}": labels(i) for i in range(n_models)}})
    assert len(mc.read_predictions(frame).models) == n_models
    assert len(asked) <= 2 * n_models


@pytest.mark.parametrize("low", [-1.0, 0.0])
def test_columns_that_differ_in_sign_are_proposed_as_scores_of_one_model(tmp_path, low):
    rng = np.random.default_rng(0)
    path = tmp_path / "eval.jsonl"
    frame = pd.DataFrame({
        "id": range(60), "act": [f"take {i}" for i in range(60)], "set_size": np.arange(60) % 6,
        "AmbDiff": rng.random(60).round(3), "ICR": rng.random(60).round(3),
        "SSC": rng.uniform(low, 1, 60).round(3),
    })  # fmt: skip
    frame.to_json(path, orient="records", lines=True)
    with pytest.raises(ValueError, match="column 'set_size' has the numbers 0 to 5") as error:
        mc.read_predictions(path)
    proposed = re.search(r"Try: .*\((.*)\)", str(error.value))[1]
    flag = "--read score=" if low else "--model "
    assert [f"{flag}{name}" in proposed for name in ("AmbDiff", "ICR", "SSC")] == [True] * 3
    if low:
        assert "scores of one model with" in str(error.value)
        preds = mc.read_predictions(path, columns={"score": ["AmbDiff", "ICR", "SSC"]})
        assert preds.models == ("eval",)
        assert mc.compare(preds, n_resamples=99).scores["estimate"].tolist() == pytest.approx(
            frame[["AmbDiff", "ICR", "SSC"]].mean().tolist()
        )


@needs("published")
def test_a_table_of_costs_is_no_test_set(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text(",granted,refused\ngranted,0,1\nrefused,5,0\n")
    with pytest.raises(ValueError, match=r"2 rows .* look like costs .*, for --metric-from FILE"):
        mc.read_predictions(path)
    assert len(mc.read_predictions(path, kind="scores")) == 2


def test_models_of_labels_that_are_named_need_a_truth():
    frame = pd.DataFrame({"a": labels(0), "b": labels(1), "verdict": TRUTH})
    with pytest.raises(ValueError, match=r"texts \(a, b\) and none that is named like the truth"):
        mc.read_predictions(frame, models=["a", "b"])


@pytest.mark.parametrize("written", [False, True])
def test_many_whole_numbers_are_values_where_a_model_gives_fractions(tmp_path, written):
    rng = np.random.default_rng(3)
    truth = rng.permutation(60).astype(float)
    frame = pd.DataFrame({"y_true": truth, "a": truth + rng.normal(size=60).round(2)})
    frame["b"] = frame["a"].round()
    source = as_file(frame, tmp_path) if written else frame
    models = ["a", "b"]
    assert {*mc.read_predictions(source, models=models).access.kinds.values()} == {"values"}
    coded = frame.assign(a=frame["b"])
    source = as_file(coded, tmp_path) if written else coded
    assert {*mc.read_predictions(source, models=models).access.kinds.values()} == {"labels"}
    few = frame.assign(y_true=truth // 2)
    with pytest.raises(ValueError, match="real numbers for 30 classes; pass kind='values'"):
        mc.read_predictions(few, models=["a"])


@needs("judges")
def test_labels_that_were_drawn_unequally_are_weighed(tmp_path):
    frame = pd.DataFrame({"y_true": TRUTH, "a": labels(0), "judge": labels(1), "weight": 2.0})
    frame.loc[::2, "y_true"] = None
    path = as_file(frame, tmp_path)
    for weight, told in ((None, "cells; if .* weigh the others"), ("weight", r"missing cells\.$")):
        with pytest.warns(UserWarning, match=told):
            mc.read_predictions(path, models=["a"], missing="drop", columns={"weight": weight})
    preds = mc.read_predictions(
        path, models=["a"], columns={"judge": "judge", "label_weight": "weight"}
    )
    assert preds.access.labelled.sample_weight.tolist() == [2.0] * (N // 2)


@pytest.mark.parametrize(("right", "left_out"), [(19, True), (21, False)])
def test_a_column_beside_labels_is_in_doubt_if_it_goes_with_the_truth_beyond_chance(
    right, left_out
):
    # Of 60 samples 2 x right go with the truth; three standard errors above 30 are 41.6.
    channel = ["web"] * right + ["app"] * (30 - right)
    truth = ["cat"] * 30 + ["dog"] * 30
    frame = pd.DataFrame(
        {"y_true": truth, "channel": channel + channel[::-1], "a": truth, "b": truth[::-1]}
    )
    frame.loc[30:, "channel"] = frame.loc[30:, "channel"].map({"web": "app", "app": "web"})
    if left_out:
        assert mc.read_predictions(frame).models == ("a", "b")
    else:
        with pytest.raises(ValueError, match="column 'channel' has other values than 'y_true'"):
            mc.read_predictions(frame)


def test_classes_named_like_a_sum_are_no_row_of_sums():
    truth = ["mean", "median"] * 15
    frame = pd.DataFrame({"y_true": truth, "a": truth, "b": truth[::-1]})
    assert mc.read_predictions(frame).models == ("a", "b")
    once = pd.DataFrame({"item": [*map(str, range(30)), "Total"], "a": 1, "b": 0})
    with pytest.raises(ValueError, match="the last row has 'Total' in column 'item'"):
        mc.read_predictions(once)


def test_a_model_that_is_named_may_have_the_name_of_an_id():
    scores = np.random.default_rng(0).random((2, 20))
    frame = pd.DataFrame(dict(zip(("id", "b"), scores, strict=True)))
    assert mc.read_predictions(frame, models=["id", "b"]).models == ("id", "b")
