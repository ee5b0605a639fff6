"""Evaluations in common layouts: read correctly, or refused; never misread silently."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import modelcompare as mc
from modelcompare.data.checks import DataWarning
from modelcompare.readers import checked_columns, names, read
from modelcompare.readers.reading import in_one_line
from tests.plugged import needs

N = 40
RNG = np.random.default_rng(7)
CLASSES = ["ant", "cat", "dog"]
TRUTH = RNG.choice(CLASSES, N)
SAID = {
    name: np.where(RNG.random(N) < 0.7, TRUTH, RNG.choice(CLASSES, N)) for name in ("bert", "cnn")
}
HITS = {name: predicted == TRUTH for name, predicted in SAID.items()}
SURE = RNG.random(N).round(3)


def sentence(frame, tmp_path, **written):
    frame.to_csv(tmp_path / "t.csv", index=False, **written)
    return in_one_line(read(tmp_path / "t.csv", checked_columns()).parts)


def folder(root, files):
    for name, frame in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        frame.to_csv(root / name, index=False)
    return root


def of_model(name, **columns):
    return pd.DataFrame({**columns, "label": TRUTH, "pred": SAID[name]})


def predicted_by(preds, model):
    """Return a model's output for each sample, as written."""
    predicted = preds.output(model)
    return (
        preds.labels[predicted.array] if predicted.kind == "labels" else predicted.array.ravel()
    ).tolist()


# -- scores ----------------------------------------------------------------------------------


def test_truth_values_are_scores(tmp_path):
    wide = pd.DataFrame({"id": range(N), "bert": HITS["bert"], "cnn": HITS["cnn"].astype(int)})
    assert "models: 2 (bert, cnn); direction" in sentence(wide, tmp_path)
    preds = mc.read_predictions(tmp_path / "t.csv")
    assert {m: preds.output(m).array.sum() for m in preds.models} == {
        m: hits.sum() for m, hits in HITS.items()
    }


def test_a_time_does_not_replace_truth_values(tmp_path):
    rows = [
        pd.DataFrame({"model": m, "item": range(N), "correct": HITS[m], "latency": SURE})
        for m in HITS
    ]
    assert "scores: correct;" in sentence(pd.concat(rows), tmp_path)


def test_a_method_names_the_models_too(tmp_path):
    rows = [pd.DataFrame({"method": m, "item": range(N), "score": HITS[m] * 1}) for m in HITS]
    assert "model: column method" in sentence(pd.concat(rows), tmp_path)


def test_rows_of_no_model_have_the_truth_for_any_type_of_ids(tmp_path):
    path = tmp_path / "t.csv"
    for ids in ("12", "uv"):
        rows = [
            f"{m},{i},,{predicted}" for m in "ab" for i, predicted in zip(ids, "xy", strict=True)
        ]
        rows += [f",{i},{true}," for i, true in zip(ids, "yx", strict=True)]
        path.write_text("\n".join(["model,item,y_true,y_pred", *rows]))
        assert mc.read_predictions(path).y_true.tolist() == ["y", "x"]


# -- columns beside a model's own ------------------------------------------------------------


@pytest.mark.parametrize("own", ["{}", "{}_pred", "pred_{}"])
@pytest.mark.parametrize("beside", ["{}_conf", "prob_{}", "{}_latency"])
def test_a_secondary_column_of_a_model_is_no_model(tmp_path, own, beside):
    columns = {}
    for name, predicted in SAID.items():
        columns |= {own.format(name): predicted == "ant", beside.format(name): SURE}
    models = ", ".join(own.format(name) for name in SAID)
    shared = beside.replace("{}", "").strip("_")
    predicted = sentence(pd.DataFrame({"label": TRUTH == "ant", **columns}), tmp_path)
    assert predicted == f"truth: label; models: 2 ({models}); scores beside: 1 ({shared})"
    preds = mc.read_predictions(tmp_path / "t.csv")
    assert [preds.output(m).kind for m in preds.models] == ["labels", "labels"]


def test_confidences_without_labels_are_models(tmp_path):
    frame = pd.DataFrame({"label": (TRUTH == "ant") * 1, "bert_conf": SURE, "cnn_conf": SURE[::-1]})
    assert sentence(frame, tmp_path) == "truth: label; models: 2 (bert_conf, cnn_conf)"


def test_questions_and_comments_that_repeat_are_left_out(tmp_path):
    frame = pd.DataFrame({"question": ["who?", "why?"] * (N // 2), "label": TRUTH, **SAID,
                          "comment": ["", "", "", "unsure"] * (N // 4)})  # fmt: skip
    assert sentence(frame, tmp_path).endswith("left out: 2 (question, comment)")


# -- how files are written -------------------------------------------------------------------


def test_semicolons_and_decimal_commas(tmp_path):
    wide = pd.DataFrame({"id": range(N), "bert": SURE, "cnn": SURE[::-1]})
    wide.to_csv(tmp_path / "t.csv", index=False, sep=";", decimal=",", encoding="utf-8-sig")
    with pytest.warns(DataWarning, match=r"commas in the numbers of 2 \(bert, cnn\)"):
        preds = mc.read_predictions(tmp_path / "t.csv")
    assert preds.output("cnn").array.tolist() == SURE[::-1].tolist()
    labels = pd.DataFrame({"label": TRUTH, **SAID})
    assert sentence(labels, tmp_path, sep=";") == "truth: label; models: 2 (bert, cnn)"


def test_whole_numbers_separated_by_tabs_have_no_commas(tmp_path):
    wide = pd.DataFrame({"seg_id": range(1000, 1000 + N), "bert": SURE, "cnn": SURE[::-1]})
    wide.to_csv(tmp_path / "t.tsv", index=False, sep="\t")
    assert mc.read_predictions(tmp_path / "t.tsv").ids.tolist() == list(range(1000, 1000 + N))


def test_objects_inside_json_lines_are_columns(tmp_path):
    rows = [
        {"id": i, "gold": TRUTH[i], "out": {m: SAID[m][i] for m in SAID}, "tags": ["x"]}
        for i in range(N)
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = read(tmp_path / "t.jsonl", checked_columns())
    assert found.sentence == (
        "truth: gold; id: id; models: 2 (out.bert, out.cnn); left out: 1 (tags); "
        "classes: ant, cat, dog"
    )
    assert predicted_by(found.predictions, "out.cnn") == SAID["cnn"].tolist()


def test_the_truth_of_an_archive_is_found_by_its_name(tmp_path):
    codes = np.searchsorted(CLASSES, TRUTH)
    np.savez(tmp_path / "t.npz", labels=codes, bert=np.searchsorted(CLASSES, SAID["bert"]))
    found = read(tmp_path / "t.npz", checked_columns())
    assert found.sentence == "truth: labels; models: 1 (bert); classes: 0, 1, 2"
    assert found.predictions.y_true.tolist() == codes.tolist()


# -- folders ---------------------------------------------------------------------------------


@needs("suites")
def test_a_file_for_each_test_set_is_not_one_test_set(tmp_path):
    parts = {"x": slice(0, 20), "y": slice(20, N)}
    files = {
        f"{m}/{s}.csv": of_model(m, id=range(N))[rows] for m in SAID for s, rows in parts.items()
    }
    folder(tmp_path, files)
    with pytest.raises(ValueError, match=r"there are 2 test sets \(x, y\)"):
        mc.read_predictions(tmp_path)
    assert {name: len(preds) for name, preds in mc.io.read_sets(tmp_path).items()} == {
        "x": 20,
        "y": 20,
    }


@needs("suites")
@pytest.mark.parametrize("layout", ["long", "wide"])
def test_a_folder_of_files_with_all_models_has_a_test_set_in_each(layout, tmp_path):
    wide = pd.DataFrame({"id": range(N), "label": TRUTH, **SAID})
    long = wide.melt(["id", "label"], var_name="model", value_name="prediction")
    table = wide if layout == "wide" else long
    files = {"x.csv": table[table["id"] < 20], "y.csv": table}
    sets = mc.io.read_sets(folder(tmp_path, files))
    assert {name: len(preds) for name, preds in sets.items()} == {"x": 20, "y": N}
    assert all(preds.models == (*SAID,) for preds in sets.values())
    assert predicted_by(sets["x"], "bert") == SAID["bert"].tolist()[:20]
    with pytest.raises(ValueError, match=r"test set: compare on all with `modelcompare groups`"):
        mc.read_predictions(tmp_path)


@needs("suites")
def test_files_of_one_model_each_are_no_test_sets(tmp_path):
    files = {f"{m}.csv": of_model(m, id=range(N)) for m in SAID}
    paths = [str(folder(tmp_path, files) / name) for name in files]
    for source in (tmp_path, paths):
        with pytest.raises(ValueError, match="only one test set"):
            mc.io.read_sets(source)


@needs("suites")
def test_what_is_missing_on_a_test_set_in_a_folder_is_named(tmp_path):
    wide = pd.DataFrame({"id": range(N), "label": TRUTH, **SAID}).astype(object)
    wide.loc[3, "bert"] = None
    with pytest.raises(ValueError, match=r"in each file: x.csv has missing cells"):
        mc.io.read_sets(folder(tmp_path, {"x.csv": wide, "y.csv": wide}))


@needs("runs")
@pytest.mark.parametrize(
    "path",
    [
        "{run}/{model}.csv", "seed_{run}/{model}.csv", "{model}/seed{run}.csv",
        "{model}_seed{run}.csv", "{model}-run-{run}.csv", "{model}/{model}_seed{run}.csv",
        "{model}/best_trial{run}.csv",
    ],
)  # fmt: skip
def test_seeds_in_folders_are_runs_of_a_model(tmp_path, path):
    files = {path.format(run=r, model=m): of_model(m, id=range(N)) for r in (1, 2, 3) for m in SAID}
    preds = mc.read_predictions(folder(tmp_path, files))
    assert (preds.models, len(preds), len({*preds.groups})) == (("bert", "cnn"), 3 * N, N)


@needs("runs", "suites")
@pytest.mark.parametrize("several", [True, False])
def test_seeds_in_files_of_folders_that_are_test_sets_are_runs(tmp_path, several):
    files = {
        f"{s}/{m}_seed{r}.csv": of_model(m, id=range(N)) for s in "xy" for r in (1, 2) for m in SAID
    }
    folder(tmp_path, files)
    sets = mc.io.read_sets([tmp_path / "x", tmp_path / "y"] if several else tmp_path)
    assert [*sets] == ["x", "y"]
    assert all(preds.models == (*SAID,) and len({*preds.runs}) == 2 for preds in sets.values())


@needs("runs")
def test_files_of_seeds_of_one_model_are_models(tmp_path):
    files = {f"bert_seed{r}.csv": of_model("bert", id=range(N)) for r in (1, 2)}
    assert mc.read_predictions(folder(tmp_path, files)).models == ("bert_seed1", "bert_seed2")


@needs("runs")
def test_a_file_without_a_seed_stays_a_model_with_one_run(tmp_path):
    files = {f"{m}.csv": of_model(m.partition("_")[0], id=range(N))
             for m in ("bert_seed1", "bert_seed2", "cnn")}  # fmt: skip
    preds = mc.read_predictions(folder(tmp_path, files))
    assert preds.models == ("bert", "cnn")
    assert [len({*preds.access.runs_of(m)}) for m in preds.models] == [2, 1]


def test_files_without_ids_are_aligned_by_the_same_truth_row_by_row(tmp_path):
    folder(tmp_path, {f"{m}.csv": of_model(m) for m in SAID})
    found = read(tmp_path, checked_columns())
    assert "id: the rows' order (the truths agree)" in found.sentence
    for model, predicted in SAID.items():
        assert predicted_by(found.predictions, model) == predicted.tolist()


def test_files_without_ids_are_refused_where_the_truth_does_not_show_the_order(tmp_path):
    folder(
        tmp_path,
        {"a.csv": of_model("bert"), "b.csv": of_model("cnn").sample(frac=1, random_state=0)},
    )
    with pytest.raises(ValueError, match="no column that names the samples"):
        mc.read_predictions(tmp_path)
    folder(tmp_path, {f"{n}.csv": of_model("bert").sort_values("label") for n in "ab"})
    with pytest.raises(ValueError, match="no column that names the samples"):
        mc.read_predictions(tmp_path)


# -- any long table, any files of one model each ---------------------------------------------


@st.composite
def evaluations(draw):
    """Draw outputs of several models, under usual or misleading names."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.sampled_from([12, 40]))
    scored = draw(st.booleans())
    models = draw(st.lists(st.sampled_from(["bert", "cnn", "gpt-4", "score", "label"]),
                           min_size=2, max_size=3, unique=True))  # fmt: skip
    identity = draw(st.sampled_from([*names.ID, "photo"]))
    true = draw(st.sampled_from([*names.TRUE, *names.MAYBE_TRUE, "Gold Label"]))
    output = draw(st.sampled_from([*(names.SCORE if scored else names.PRED), "mine"]))
    ids, truth = [f"s{i}" for i in rng.permutation(n)], rng.choice(CLASSES, n)
    extra = {
        "latency": rng.random(n), "split": rng.choice(["p", "q"], n), "cost": rng.integers(1, 9, n),
        "text": [f"words {i}" for i in range(n)], "hit": rng.choice([True, False], n),
        "confidence": rng.random(n), "metric": ["m"] * n,
    }  # fmt: skip
    beside = draw(st.lists(st.sampled_from([*extra]), max_size=2, unique=True))
    copied, counts = draw(st.booleans()), draw(st.booleans())
    parts = {}
    for model in models:
        gave = rng.random(n).round(3) if scored else rng.choice(CLASSES, n)
        columns = {identity: ids, **({} if scored else {true: truth}), output: gave}
        columns |= {name: extra[name] for name in beside}
        if copied:
            columns[f"{output}_copy"] = gave
        part = pd.DataFrame(columns).sample(frac=1, random_state=int(rng.integers(99)))
        if counts:
            part["Unnamed: 0"] = range(n)
        parts[model] = part[draw(st.permutations(list(part.columns)))]
    return parts, identity, None if scored else true, output


def check(source, evaluation):
    """Check that a source is read as it was made, or refused."""
    parts, identity, true, output = evaluation
    try:
        found = read(source, checked_columns())
    except ValueError:
        return
    preds = found.predictions
    assert {*preds.models} == {*parts}, found.sentence
    # Another column may name the samples as well, if each is one sample in all parts.
    ids = (found.parts["id"] or "").removeprefix("column ")
    key = "text" if ids == "text" else identity
    for model, part in parts.items():
        held = part.set_index(key)[output].to_dict()
        assert dict(zip(preds.ids.tolist(), predicted_by(preds, model), strict=True)) == held, found
    assert (preds.y_true is None) == (true is None), found.sentence
    if true is not None:
        truth = next(iter(parts.values())).set_index(key)[true].to_dict()
        assert dict(zip(preds.ids.tolist(), preds.y_true.tolist(), strict=True)) == truth


FAST = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(evaluations(), st.sampled_from([*names.MODEL, "who"]), st.booleans())
@FAST
def test_any_long_table_is_understood_rightly_or_refused(tmp_path_factory, made, heading, written):
    rows = [part.assign(**{heading: model}) for model, part in made[0].items()]
    source = pd.concat(rows).sample(frac=1, random_state=0)
    if written:
        path = tmp_path_factory.mktemp("long") / "t.csv"
        source.to_csv(path, index=False)
        source = path
    check(source, made)


@given(evaluations())
@FAST
def test_any_files_of_one_model_each_are_understood_rightly_or_refused(tmp_path_factory, made):
    check(
        folder(tmp_path_factory.mktemp("files"), {f"{m}.csv": p for m, p in made[0].items()}), made
    )
