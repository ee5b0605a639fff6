"""Missing cells and their treatment, for every source of a table."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.data.checks import DataWarning
from modelcompare.readers import checked_columns, read

# Ids that each model's file holds; the score of every third of them is missing.
HELD = {"a": range(40), "b": range(10, 50)}
SCORES = {
    model: {i: None if i % 3 == at else (i % 5 == at) * 1.0 for i in ids}
    for at, (model, ids) in enumerate(HELD.items())
}
SHARED = sorted({*HELD["a"]} & {*HELD["b"]})


def _files(folder):
    for model, scores in SCORES.items():
        frame = pd.DataFrame({"id": [*scores], "score": [*scores.values()]})
        frame.to_csv(folder / f"{model}.csv", index=False)
    return [folder / "a.csv", folder / "b.csv"]


def _long():
    rows = [(model, i, score) for model in SCORES for i, score in SCORES[model].items()]
    return pd.DataFrame(rows, columns=["model", "id", "score"])


def _means(ids):
    return {m: sum(held.get(i) or 0.0 for i in ids) / len(ids) for m, held in SCORES.items()}


@pytest.mark.parametrize("of_files", [True, False])
def test_common_samples_are_kept_and_missing_results_in_them_are_the_worst(tmp_path, of_files):
    source = _files(tmp_path) if of_files else _long()
    with pytest.warns(DataWarning, match="kept the 30 ids that all files share; left out 10 of a"):
        both = mc.read_predictions(source, ids="intersect", missing="worst", greater_is_better=True)
    assert both.ids.tolist() == SHARED
    found = {model: both.output(model).array.mean() for model in both.models}
    assert found == pytest.approx(_means(SHARED))
    every = mc.read_predictions(source, missing="worst", greater_is_better=True)
    assert sorted(every.ids) == [*range(50)]
    found = {model: every.output(model).array.mean() for model in every.models}
    assert found == pytest.approx(_means(range(50)))


# -- marks of missing cells ------------------------------------------------------------------

MARKS = ["NA", "NaN", "null", "None", "N/A", "-", "nan", "<NA>"]
TRUTH = ["ant", "cat", "dog", "cat", "ant", "dog"] * 4


def _marked(mark, *columns):
    """Make a table of two models whose named columns have a mark in some rows."""
    held = {"y_true": TRUTH, "a": TRUTH[::-1], "b": [*TRUTH[1:], "ant"]}
    held |= {"city": ["p", "q"] * 12} if "city" in columns else {}
    return pd.DataFrame({
        name: [mark if name in columns and row % 6 == at else cell for row, cell in enumerate(cells)]
        for at, (name, cells) in enumerate(held.items())
    })  # fmt: skip


def _sources(frame, folder):
    """The same table as a frame, a file, and a file for each model."""
    frame.to_csv(folder / "wide.csv", index=False)
    frame.to_json(folder / "wide.jsonl", orient="records", lines=True)
    files = {}
    for model in "ab":
        one = frame.drop(columns="b" if model == "a" else "a").rename(columns={model: "y_pred"})
        files[model] = folder / f"{model}.csv"
        one.rename_axis("id").to_csv(files[model])
    return [frame, folder / "wide.csv", folder / "wide.jsonl", files]


@pytest.mark.parametrize(
    ("mark", "columns"),
    [
        *((mark, ("y_true", "a")) for mark in MARKS),
        ("NA", ("y_true",)),
        ("-", ("y_true", "a", "b")),
    ],
)
@pytest.mark.filterwarnings("ignore:label '(nan|<NA>)', the text of missing values")
def test_a_mark_in_the_truth_is_ambiguous_and_both_commands_work(tmp_path, mark, columns):
    def classes(source):
        preds = mc.read_predictions(source, na=[""])
        assert mark in preds.labels
        assert len(preds) == len(TRUTH)

    def dropped(source):
        with pytest.warns(DataWarning, match=f"left out {4 * len(columns)} of 24"):
            preds = mc.read_predictions(source, na=[mark], missing="drop")
        assert preds.labels.tolist() == ["ant", "cat", "dog"]

    def named(source):
        assert mark in mc.read_predictions(source, labels=["ant", "cat", "dog", mark]).labels

    answers = (classes, dropped, named)
    for place, source in enumerate(_sources(_marked(mark, *columns), tmp_path)):
        with pytest.raises(
            ValueError, match=r"has .* in 4 rows .*; if these are missing"
        ) as caught:
            mc.read_predictions(source)
        assert str(caught.value).endswith("if they name classes na=[''] (--read na='').")
        # Each answer for every mark, and, over the marks, for every source.
        answers[(MARKS.index(mark) + place) % 3](source)


def test_the_commands_keep_the_marks_in_models(tmp_path):
    frame = _marked("NA", "y_true").assign(b=["-", *TRUTH[1:]])
    for source in _sources(frame, tmp_path):
        with pytest.raises(
            ValueError, match=r"\(--read na=- --read na=NA\), .* classes na=\['-'\] \(--read na=-\)"
        ):
            mc.read_predictions(source)
        with pytest.warns(DataWarning):
            preds = mc.read_predictions(source, na=["-"], missing="drop")
        assert preds.labels.tolist() == ["NA", "ant", "cat", "dog"]
        assert len(preds) == len(TRUTH) - 1


@pytest.mark.parametrize("mark", ["NA", "None"])
def test_a_mark_that_models_alone_hold_is_missing_unless_labels_name_it(tmp_path, mark):
    for source in _sources(_marked(mark, "a", "b"), tmp_path):
        with pytest.raises(ValueError, match="has missing cells"):
            mc.read_predictions(source)
        named = mc.read_predictions(source, labels=["ant", "cat", "dog", mark])
        assert named.predicted("a").tolist().count(3) == 4


def test_a_mark_among_numbers_is_missing(tmp_path):
    frame = pd.DataFrame({"y_true": [0, 1, "NA", 1] * 5, "a": [0, 1, 0, 0] * 5})
    for source in _sources(frame.assign(b=1), tmp_path):
        with pytest.raises(ValueError, match=r"has missing cells \(y_true 5"):
            mc.read_predictions(source)
        with pytest.warns(DataWarning):
            assert mc.read_predictions(source, missing="drop").labels.tolist() in (
                [0, 1],
                ["0", "1"],
            )


def test_a_class_that_a_heading_names_is_one(tmp_path):
    frame = pd.DataFrame({"y_true": ["NA", "ZA"] * 6, "m:NA": [0.75] * 12, "m:ZA": [0.25] * 12})
    frame.to_csv(tmp_path / "t.csv", index=False)
    for source in (frame, tmp_path / "t.csv"):
        assert mc.read_predictions(source).labels.tolist() == ["NA", "ZA"]


@pytest.mark.parametrize("role", ["groups", "strata"])
def test_a_mark_among_clusters_and_strata_is_ambiguous(tmp_path, role):
    for source in _sources(_marked("NA", "city"), tmp_path):
        with pytest.raises(ValueError, match=f"'city' of {role} has 'NA' in 4 rows .*--read na=''"):
            mc.read_predictions(source, columns={role: "city"})
        named = mc.read_predictions(source, na=[""], columns={role: "city"})
        assert {*getattr(named, role)} == {"p", "q", "NA"}
        with pytest.raises(ValueError, match=f"'city' of {role} has 'NA' in 4 rows"):
            mc.read_predictions(source, na=["NA"], columns={role: "city"})


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA, pd.NaT])
def test_arrays_of_texts_made_of_missing_values_warn(missing):
    text = str(missing)
    truth = np.array([text, "cat", "dog", "cat"] * 3)
    if missing is None:  # a name that a class may have
        assert "None" in mc.Predictions(truth, {"a": truth}).labels
        return
    with pytest.warns(DataWarning, match=f"label '{text}', the text of missing values"):
        mc.Predictions(truth, {"a": truth})
    labels = ["cat", "dog", text]
    assert mc.Predictions(truth, {"a": truth}, labels=labels).labels.tolist() == labels


@pytest.mark.filterwarnings("ignore:.*left out:modelcompare.data.checks.DataWarning")
@pytest.mark.parametrize("missing", ["drop", "worst"])
@pytest.mark.parametrize("long", [False, True], ids=["wide", "long"])
def test_labels_that_missing_cells_made_floats_are_those_of_the_other_columns(
    tmp_path, missing, long
):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(0, 2, 40) for name in ("y_true", "a", "b")})
    # pandas writes 0 and 1 beside a missing cell as 0.0 and 1.0.
    of = "y_true" if missing == "drop" else "a"
    frame[of] = frame[of].where(np.arange(40) % 4 > 0)
    if long:
        frame = frame.assign(id=range(40)).melt(["id", "y_true"], ["a", "b"], "model", "y_pred")
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert ".0," in (tmp_path / "t.csv").read_text() or ".0\n" in (tmp_path / "t.csv").read_text()
    read = [mc.read_predictions(source, missing=missing) for source in (frame, tmp_path / "t.csv")]
    assert all(each.labels.astype(int).tolist() == [0, 1] for each in read)
    for model in "ab":
        np.testing.assert_array_equal(read[0].predicted(model), read[1].predicted(model))


@pytest.mark.filterwarnings("ignore:.*left out:modelcompare.data.checks.DataWarning")
def test_labels_that_are_all_written_as_floats_stay_so_beside_missing_cells(tmp_path):
    versions = ["1.0", "2.0"] * 10
    frame = pd.DataFrame({"y_true": versions, "a": [None, *versions[1:]], "b": versions[::-1]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = mc.read_predictions(tmp_path / "t.csv", missing="drop", kind="labels")
    assert found.labels.tolist() == ["1.0", "2.0"]


def test_a_missing_label_is_the_most_frequent_class_that_is_wrong():
    truth = ["a"] * 6 + ["b"] * 3 + ["c"]
    first = ["a", None, "a", None, "a", None, "b", None, "b", None]
    table = pd.DataFrame({"y_true": truth * 20, "first": first * 20, "second": truth * 20})
    preds = mc.read_predictions(table, missing="worst")
    labels = preds.labels[preds.predicted("first")][:10].tolist()
    assert labels == ["a", "b", "a", "b", "a", "b", "b", "a", "b", "a"]
    # a: 3 of 5 predicted and 3 of 6 true, so 6/11; b: 2 of 5 and 2 of 3, so 4/8; c: 0.
    scores = mc.compare(preds, ["f1", "f1_macro"], n_resamples=99).scores
    first = scores[scores["model"] == "first"]["estimate"].tolist()
    assert first == pytest.approx([6 / 11, 1 / 2, 0, (6 / 11 + 1 / 2) / 3])


def test_a_column_without_any_cell_is_left_out_with_a_warning(tmp_path):
    table = pd.DataFrame({"y_true": [0, 1] * 30, "a": [None] * 60, "b": [0, 1] * 30})
    table.to_csv(tmp_path / "t.csv", index=False)
    for source in (table, tmp_path / "t.csv"):
        with pytest.warns(DataWarning, match="column a is empty in every row and was left out"):
            assert mc.read_predictions(source).models == ("b",)
    # Descriptions of samples may be empty.
    assert mc.read_predictions(table.rename(columns={"a": "comment"})).models == ("b",)


def test_a_missing_cell_of_the_named_score_of_one_model_is_not_left_out_in_silence():
    table = pd.DataFrame({"id": range(20), "model": "a", "accuracy": [None, None, *[1.0, 0.0] * 9]})
    given = {"columns": {"score": "accuracy"}, "greater_is_better": True}
    with pytest.raises(ValueError, match=r"missing cells \(accuracy 2"):
        mc.read_predictions(table, **given)
    assert len(mc.read_predictions(table, missing="worst", **given)) == 20
    with pytest.warns(UserWarning, match="left out 2 of 20 samples"):
        assert len(mc.read_predictions(table, missing="drop", **given)) == 18


def test_the_worst_of_a_score_needs_its_direction_and_names_the_score():
    rows = pd.DataFrame({"id": range(20), "model": "a", "glow": [None, *[0.2, 0.3] * 9, 0.5]})
    with pytest.raises(ValueError, match="high or low values of glow are good is not known"):
        mc.read_predictions(rows, columns={"score": "glow"}, missing="worst")
    wide = rows.rename(columns={"glow": "b"}).drop(columns="model")
    with pytest.raises(ValueError, match="high or low values of the scores are good"):
        mc.read_predictions(wide.assign(a=0.1), kind="scores", missing="worst")


@pytest.mark.parametrize(("score", "worst"), [("latency_ms", 9.0), ("reward", 1.0)])
def test_a_missing_score_is_the_worst_by_the_direction_of_its_name(score, worst):
    table = pd.DataFrame({"id": [0, 1, 2] * 2, "model": ["a"] * 3 + ["b"] * 3})
    table[score] = [1, None, 9, 3, 4, 5]
    preds = mc.read_predictions(table, columns={"score": score}, missing="worst")
    assert preds.output("a").array.tolist() == [1, worst, 9]


def test_missing_results_of_each_model_are_counted_in_the_line_on_reading():
    truth = [0, 1, 1, 0, 1, 0, 1, 0]
    table = pd.concat([
        pd.DataFrame({"model": m, "item": range(8), "y_true": truth, "y_pred": truth}) for m in "ab"
    ])  # fmt: skip
    table["y_pred"] = (
        table["y_pred"].astype(float).mask((table["model"] == "b") & (table["item"] < 3))
    )
    with pytest.warns(DataWarning, match="left out 3 of 8 samples"):
        reading = read(table, checked_columns(missing="drop"))
    assert "; missing: 3 in b;" in reading.sentence
