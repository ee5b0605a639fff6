"""Files of any name: TREC's, several of one name, archives of one model, spaces between columns."""

import shutil

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.data.checks import DataWarning
from modelcompare.readers import checked_columns, read
from tests.plugged import needs
from tests.readers.opening import DATA

RNG = np.random.default_rng(0)
N = 40
TRUTH = RNG.integers(0, 3, N)
TREC = DATA / "trec"


@needs("logs")
@pytest.mark.parametrize("names", [("run.bm25", "qrels.2004"), ("run.tsv", "qrels.csv"), ("one", "two"),
                                   ("x.run", "x.qrels"), ("run.TXT", "judged.dat")])  # fmt: skip
def test_runs_and_judgements_of_any_name_have_the_same_scores(tmp_path, names):
    expected = mc.read_predictions([TREC / "whole.run", TREC / "test.qrels"])
    paths = [tmp_path / name for name in names]
    for source, path in zip(("whole.run", "test.qrels"), paths, strict=True):
        shutil.copy(TREC / source, path)
    found = mc.read_predictions(paths)
    np.testing.assert_array_equal(found.output("whole").array, expected.output("whole").array)


def test_a_table_that_only_begins_like_judgements_stays_a_table(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("a\t0\tb\t1\nx\ty\tz\tw\n")
    with pytest.raises(ValueError, match=r"^t\.tsv"):
        mc.read_predictions(path)


@pytest.mark.parametrize("above", ["a/of_judge b/of_judge", "x/a x/b", "a/1 b/1"])
def test_files_of_one_name_are_called_after_the_folders_that_differ(tmp_path, above):
    paths = [tmp_path / folder / "results.csv" for folder in above.split()]
    for path in paths:
        path.parent.mkdir(parents=True)
        path.write_text("id,score\n" + "".join(f"{n},{n % 3}\n" for n in range(9)))
    assert mc.read_predictions(paths).models == ("a", "b")


def test_files_of_one_name_but_for_the_suffix_are_called_by_it(tmp_path):
    (tmp_path / "cnn.csv").write_text("id,score\n1,0\n2,1\n3,0\n")
    (tmp_path / "cnn.tsv").write_text("id\tscore\n1\t1\n2\t1\n3\t0\n")
    for source in ([tmp_path / "cnn.csv", tmp_path / "cnn.tsv"], tmp_path):
        assert mc.read_predictions(source).models == ("cnn.csv", "cnn.tsv")


def test_files_that_differ_in_no_folder_are_refused(tmp_path):
    paths = [tmp_path / folder / "r.csv" for folder in ("a/x", "a/y", "b/x")]
    for path in paths:
        path.parent.mkdir(parents=True)
        path.write_text("id,score\n1,0\n2,1\n")
    with pytest.raises(ValueError, match="several files are named 'r', so their models would be"):
        mc.read_predictions(paths)


def saved(tmp_path, **of_all):
    """Write an archive for each model; functions give what differs."""
    for model in "ab":
        arrays = {name: each() if callable(each) else each for name, each in of_all.items()}
        np.savez(tmp_path / f"{model}.npz", **arrays)
    return [tmp_path / "a.npz", tmp_path / "b.npz"]


def drawn():
    return RNG.dirichlet([1, 1, 1], N)


def test_an_archive_for_each_model_has_its_probabilities(tmp_path):
    paths = saved(tmp_path, y_true=TRUTH, probs=drawn)
    for source in (paths, tmp_path):
        preds = mc.read_predictions(source)
        for model, path in zip("ab", paths, strict=True):
            np.testing.assert_array_equal(preds.probabilities(model), np.load(path)["probs"])
        assert preds.access.codes.tolist() == TRUTH.tolist()


def test_logits_labels_and_scores_of_one_model(tmp_path):
    names = np.array(["ham", "eggs", "tea"])
    paths = saved(
        tmp_path,
        ids=np.arange(N),
        labels=names,
        y_true=TRUTH,
        logits=lambda: RNG.normal(size=(N, 3)),
    )
    preds = mc.read_predictions(paths)
    z = np.exp(np.load(paths[0])["logits"])
    order = [names.tolist().index(label) for label in preds.labels]
    np.testing.assert_allclose(preds.probabilities("a"), (z / z.sum(1, keepdims=True))[:, order])
    assert preds.labels[preds.access.codes].tolist() == names[TRUTH].tolist()
    labelled = mc.read_predictions(
        saved(
            tmp_path,
            ids=np.arange(N),
            labels=names,
            y_true=TRUTH,
            y_pred=lambda: RNG.permutation(TRUTH),
        )
    )
    assert (
        labelled.labels[labelled.predicted("a")].tolist()
        == names[np.load(paths[0])["y_pred"]].tolist()
    )
    scored = mc.read_predictions(saved(tmp_path, ids=np.arange(N), score=lambda: RNG.random(N)))
    assert scored.output("a").array.tolist() == np.load(paths[0])["score"].tolist()


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"y_true": TRUTH, "probs__a": drawn, "probs__b": drawn}, "has arrays of several models"),
        ({"y_true": TRUTH, "pred__a": TRUTH, "pred__b": TRUTH}, "has arrays of several models"),
        ({"y_true": TRUTH, "labels": np.array(["x", "y"]), "probs": drawn}, "of 2 classes have one"),
        ({"y_true": TRUTH, "probs": np.ones((N, 3, 2)) / 3}, r"array 'probs' has shape \(40, 3, 2\)"),
    ],
)  # fmt: skip
def test_archives_of_other_shapes_are_refused(tmp_path, arrays, message):
    with pytest.raises(ValueError, match=message):
        mc.read_predictions(saved(tmp_path, **arrays))


def test_columns_with_spaces_between_them_are_a_table(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("system score seg_id\na\t1.0 1\na\t0.5  2\na 0 3\nb 0.25 1\nb None 2\nb 1 3\n")
    with pytest.warns(DataWarning, match="left out 1 of 3"):
        preds = mc.read_predictions(path, missing="drop")
    assert preds.output("a").array.tolist() == [1.0, 0.0]


def test_words_of_different_numbers_are_no_columns(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("the text\none two\none two three\n")
    with pytest.raises(ValueError, match=r"^t\.csv"):
        mc.read_predictions(path)


def test_an_archive_of_labels_beside_probabilities_compares_the_labels(tmp_path):
    path, truth = tmp_path / "p.npz", TRUTH % 2
    said = {model: RNG.permutation(truth) for model in ("Tree", "KNN")}
    sure = {f"{model}_proba": RNG.random(N) for model in said}
    np.savez(path, y_test=truth, **{f"{model}_pred": each for model, each in said.items()}, **sure)
    reading = read(path, checked_columns())
    assert reading.predictions.models == ("Tree_pred", "KNN_pred")
    assert reading.parts["truth"] == "y_test"
    assert reading.parts["left out"] == "2 (Tree_proba, KNN_proba)"
    assert (reading.predictions.predicted("KNN_pred") == said["KNN"]).all()
    chosen = mc.read_predictions(path, models=["Tree_proba"], kind="values")
    assert chosen.output("Tree_proba").array.tolist() == sure["Tree_proba"].tolist()


@pytest.mark.parametrize(
    "name", ["labels", "class_names", "label_names", "target_names", "classes"]
)
def test_the_classes_of_an_archive_have_usual_names(tmp_path, name):
    np.savez(tmp_path / "p.npz", y_true=TRUTH, cnn=drawn(), **{name: np.array(["x", "y", "z"])})
    preds = mc.read_predictions(tmp_path / "p.npz")
    assert (preds.models, preds.labels.tolist()) == (("cnn",), ["x", "y", "z"])
