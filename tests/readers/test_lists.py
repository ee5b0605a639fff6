"""Probabilities in lists, and files of several kinds side by side."""

import contextlib
import itertools
import json

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.data.checks import DataWarning
from tests.plugged import needs

N = 30
RNG = np.random.default_rng(0)
NAMES = np.array(["ham", "eggs", "tea"])
TRUTH = RNG.integers(0, 3, N)
PROBS = {model: RNG.dirichlet([1, 1, 1], N).round(6) for model in "ab"}
KINDS = ("csv", "jsonl", "parquet")


def written(frame, path):
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(map(json.dumps, frame.to_dict("records"))))
    else:
        frame.to_parquet(path)
    return path


def of_model(**columns):
    return pd.DataFrame({"id": range(N), "y_true": TRUTH, **columns})


def as_lists(array):
    return [row.tolist() for row in array]


WIDE = pd.DataFrame({"y_true": TRUTH, **{model: as_lists(array) for model, array in PROBS.items()}})


@pytest.mark.parametrize("kind", KINDS)
def test_lists_of_probabilities_are_read_from_every_kind_of_file(tmp_path, kind):
    sources = [WIDE, written(WIDE, tmp_path / f"t.{kind}")]
    named = WIDE.assign(y_true=NAMES[TRUTH])
    sources_of_names = [named, written(named, tmp_path / f"n.{kind}")]
    for source, of_names in zip(sources, sources_of_names, strict=True):
        codes = mc.read_predictions(source)
        with pytest.raises(ValueError, match="nothing names their classes; name them in the lis"):
            mc.read_predictions(of_names)
        of_declared = mc.read_predictions(of_names, labels=NAMES.tolist())
        assert (codes.labels.tolist(), of_declared.labels.tolist()) == ([0, 1, 2], NAMES.tolist())
        for model, array in PROBS.items():
            np.testing.assert_array_equal(codes.probabilities(model), array)
            np.testing.assert_array_equal(of_declared.probabilities(model), array)
        assert of_declared.access.codes.tolist() == TRUTH.tolist()


@needs("large")
def test_lists_in_a_scan_are_refused_in_words(tmp_path):
    path = written(WIDE, tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="probabilities in lists, or under other headings"):
        mc.io.scan_predictions(path)


@pytest.mark.parametrize("heading", ["y_pred", "probs", "prediction", "y_proba", "any other"])
def test_a_file_for_each_model_may_hold_lists(tmp_path, heading):
    for kinds in (("csv", "jsonl"), ("parquet", "csv")):
        files = [
            written(of_model(**{heading: as_lists(PROBS[model])}), tmp_path / f"{model}.{kind}")
            for model, kind in zip("ab", kinds, strict=True)
        ]  # fmt: skip
        preds = mc.read_predictions(files)
        for model, array in PROBS.items():
            np.testing.assert_array_equal(preds.probabilities(model), array)


@pytest.mark.parametrize("text", ["[{:.6f}, {:.6f}, {:.6f}]", "[{:.6f} {:.6f} {:.6f}]", "({:.6f},{:.6f},{:.6f})",
                                  "[np.float64({:.6f}), np.float64({:.6f}), np.float64({:.6f})]",
                                  "array([{:.6f}, {:.6f}, {:.6f}])"])  # fmt: skip
def test_lists_are_read_as_programs_write_them(tmp_path, text):
    frame = WIDE.assign(**{m: [text.format(*row) for row in PROBS[m]] for m in "ab"})
    preds = mc.read_predictions(written(frame, tmp_path / "t.csv"))
    np.testing.assert_array_equal(preds.probabilities("b"), PROBS["b"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_list_is_missing(tmp_path, kind):
    frame = WIDE.assign(a=[None, *WIDE.a[1:]])
    path = written(frame, tmp_path / f"t.{kind}")
    with pytest.raises(ValueError, match=r"missing cells \(a:0 1, a:1 1, a:2 1; first rows: 0\)"):
        mc.read_predictions(path)
    with pytest.warns(DataWarning, match="left out 1 of 30"):
        np.testing.assert_array_equal(
            mc.read_predictions(path, missing="drop").probabilities("a"), PROBS["a"][1:]
        )


BOXES = pd.DataFrame({"image_id": [i // 2 for i in range(N)], "category_id": TRUTH,
                      "bbox": [[1.5, 2.0, 30.0, 40.0 + i] for i in range(N)],
                      "score": RNG.random(N).round(2)})  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_boxes_are_refused_in_words(tmp_path, kind):
    files = [written(BOXES, tmp_path / f"{name}.{kind}") for name in ("yolo", "detr")]
    for source in (files[0], files, BOXES):
        with pytest.raises(ValueError, match="'bbox' has lists of 4 numbers that are no probab"):
            mc.read_predictions(source)
    nested = BOXES.assign(bbox=[[[1.0, 2.0], [3.0, 4.0]]] * N).drop(columns=["score", "image_id"])
    with pytest.raises(ValueError, match="column"):
        mc.read_predictions(nested)


def test_any_columns_of_lists_and_objects_are_read_or_refused_in_words():
    """No table ends in an error of pandas, for any content of its cells."""
    held = {
        "y_true": NAMES[TRUTH], "a": NAMES[PROBS["a"].argmax(axis=1)], "sc": RNG.random(N),
        "same": [[1.5, 2.0]] * N, "ragged": [[1] * (i % 4) for i in range(N)], "id": range(N),
        "nested": [[[1, 2], [3]]] * N, "of": [{"k": i, "l": [1, 2]} for i in range(N)],
        "model": ["p", "q"] * (N // 2), "texts": [["x", "y"]] * N,
    }  # fmt: skip
    for place, names in enumerate([*itertools.combinations(held, 3)][::2]):
        frame = pd.DataFrame({name: held[name] for name in names})
        with contextlib.suppress(ValueError):
            mc.read_predictions(frame if place % 2 else frame.head(4))


# -- files of several kinds ------------------------------------------------------------------


def contents(model):
    """Draw outputs of one model, with descriptions of the samples."""
    array, codes = PROBS[model], PROBS[model].argmax(axis=1)
    beside = {"city": np.where(TRUTH == 0, "p", "q"), "block": np.arange(N) // 5}
    frame = of_model(**beside)
    parts = {f"prob:{k}": array[:, k] for k in range(3)}
    reals = frame.assign(y_true=np.arange(N) / 8, y_pred=(np.arange(N) / 8 + array[:, 0]).round(6))
    return {
        "codes": frame.assign(y_pred=codes),
        "names": frame.assign(y_true=NAMES[TRUTH], y_pred=NAMES[codes]),
        "texts as ids": frame.assign(id=[f"s{i}" for i in range(N)], y_pred=codes),
        "probabilities": frame.assign(**parts),
        "scores": frame.drop(columns="y_true").assign(score=array[:, 0]),
        "hits": frame.drop(columns="y_true").assign(correct=codes == TRUTH),
        "values": reals,
        "holes": frame.assign(y_pred=pd.array([None, *codes[1:]], dtype="Int64")),
    }


@pytest.mark.parametrize("what", contents("a"))
def test_kinds_of_files_in_any_order_give_the_same_predictions(tmp_path, what):
    frames = {model: contents(model)[what] for model in "ab"}
    columns = {"groups": "block", "slices": ["city", "block"]}
    missing = "worst" if what == "holes" else "refuse"
    found = []
    # Each first and second, in one order or the other, and one kind with itself.
    place = [*contents("a")].index(what)
    turned = [(KINDS[at], KINDS[(at + 1 + place % 2) % 3]) for at in range(3)]
    for kinds in [*turned, (KINDS[place % 3],) * 2]:
        files = []
        for (model, frame), kind in zip(frames.items(), kinds, strict=True):
            files.append(tmp_path / f"{model}.{kind}")
            if kind == "jsonl":
                frame.to_json(files[-1], orient="records", lines=True)
            else:
                written(frame, files[-1])
        found.append(mc.read_predictions(files, columns=columns, missing=missing))
    first = found[0]
    for other in found[1:]:
        assert (other.labels is None) == (first.labels is None)
        assert list(map(str, other.ids)) == list(map(str, first.ids))
        assert list(map(str, other.groups)) == list(map(str, first.groups))
        for model in "ab":
            assert other.output(model).kind == first.output(model).kind
            np.testing.assert_array_equal(other.output(model).array, first.output(model).array)


@pytest.mark.parametrize("lengths", [1, 3])
def test_whole_numbers_that_no_float_holds_are_no_probabilities(tmp_path, lengths):
    frame = of_model(m1=TRUTH, m2=TRUTH)
    rows = [
        {**row, "tok": [10**400] * (2 + row["id"] % lengths)} for row in frame.to_dict("records")
    ]
    path = tmp_path / "made.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert mc.read_predictions(path).models == ("m1", "m2")


def by_class(array):
    return [dict(zip(NAMES.tolist(), row, strict=True)) for row in array.tolist()]


def as_pipelines(array):
    """Return the scores of all labels, the likeliest first, as pipelines of transformers do."""
    rows = by_class(array)
    ordered = [sorted(row, key=row.get, reverse=True) for row in rows]
    return [
        [{"label": label, "score": row[label]} for label in labels]
        for row, labels in zip(rows, ordered, strict=True)
    ]


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
@pytest.mark.parametrize("form", [by_class, as_pipelines])
@pytest.mark.parametrize("heading", ["probs", "scores", "probabilities"])
def test_objects_of_probabilities_name_their_classes(tmp_path, kind, form, heading):
    files = [
        written(of_model(**{heading: form(PROBS[model])}).assign(y_true=NAMES[TRUTH]), tmp_path / f"{model}.{kind}")
        for model in "ab"
    ]  # fmt: skip
    preds = mc.read_predictions(files)
    order = [NAMES.tolist().index(label) for label in preds.labels]
    for model, array in PROBS.items():
        np.testing.assert_array_equal(preds.probabilities(model), array[:, order])
    assert preds.labels[preds.access.codes].tolist() == NAMES[TRUTH].tolist()


def test_objects_that_are_no_probabilities_stay_columns(tmp_path):
    array = PROBS["a"] * 7
    path = written(of_model(probs=by_class(array)), tmp_path / "a.jsonl")
    with pytest.raises(ValueError, match=r"several columns of numbers.*probs\.ham"):
        mc.read_predictions({"a": path})


def test_logits_in_lists_are_refused_in_words(tmp_path):
    path = written(of_model(logits=as_lists(PROBS["a"] * 7 - 2)), tmp_path / "a.jsonl")
    with pytest.raises(
        ValueError, match="boxes, embeddings and logits are not compared: give prob"
    ):
        mc.read_predictions({"a": path})


@pytest.mark.parametrize("gap", [False, True])
def test_objects_of_probabilities_are_those_of_the_model_that_they_are_named_after(tmp_path, gap):
    rows = [
        {"y_true": NAMES[true], "gpt-4.1": dict(zip(NAMES, a, strict=True)),
         "b": dict(zip(NAMES, b, strict=True))}
        for true, a, b in zip(TRUTH, PROBS["a"], PROBS["b"], strict=True)
    ]  # fmt: skip
    if gap:
        rows[3]["b"] = None
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    if gap:
        with pytest.raises(ValueError, match=r"has missing cells .*first rows: 3"):
            mc.read_predictions(tmp_path / "t.jsonl")
        return
    found = mc.read_predictions(tmp_path / "t.jsonl")
    assert found.models == ("gpt-4.1", "b")
    order = [found.labels.tolist().index(name) for name in NAMES]
    for model, expected in zip(found.models, PROBS.values(), strict=True):
        np.testing.assert_allclose(found.probabilities(model)[:, order], expected)


def of_classes(sign, classes=NAMES, models=("cnn", "bert large"), n=N):
    """A table with a column ``model + sign + class`` of probabilities for each of both."""
    truth = np.asarray(classes)[np.arange(n) % len(classes)]
    probs = {model: RNG.dirichlet(np.ones(len(classes)), n).round(6) for model in models}
    columns = {
        f"{model}{sign}{label}": probs[model][:, k]
        for model in models for k, label in enumerate(classes)
    }  # fmt: skip
    return pd.DataFrame({"id": range(n), "label": truth, **columns}), probs


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sign", ["_", ".", "-", ":", " "])
def test_columns_named_after_model_and_class_are_probabilities(tmp_path, sign, kind):
    frame, probs = of_classes(sign)
    found = mc.read_predictions(written(frame, tmp_path / f"x.{kind}"))
    assert found.labels.tolist() == sorted(NAMES)
    for model, own in probs.items():
        np.testing.assert_array_equal(found.probabilities(model), own[:, np.argsort(NAMES)])


@pytest.mark.parametrize(
    ("classes", "models"),
    [([0, 1], "ab"), (["no", "not_no"], "ab"), (["a", "b"], ["cnn", "cnn_large"]), (NAMES, "a")],
)
def test_models_and_classes_whose_names_contain_the_separator_are_told_apart(classes, models):
    frame, probs = of_classes("_", classes, models)
    found = mc.read_predictions(frame)
    assert found.models == tuple(models)
    for model in models:
        order = [list(map(str, classes)).index(str(label)) for label in found.labels]
        np.testing.assert_array_equal(found.probabilities(model), probs[model][:, order])


def test_a_class_that_the_truth_lacks_is_one_if_all_models_have_it():
    frame, probs = of_classes("_")
    part = frame[frame["label"] != "tea"]
    found = mc.read_predictions(part)
    assert found.labels.tolist() == sorted(NAMES)
    own = probs["cnn"][part.index][:, np.argsort(NAMES)]
    np.testing.assert_array_equal(found.probabilities("cnn"), own)


def test_rows_of_one_model_have_its_probabilities_by_class():
    frame, probs = of_classes("_", models=["prob"])
    both = pd.concat([frame.assign(model="a"), frame.assign(model="b")])
    found = mc.read_predictions(both)
    assert found.models == ("a", "b")
    np.testing.assert_array_equal(found.probabilities("b"), probs["prob"][:, np.argsort(NAMES)])


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.drop(columns="cnn_tea"),
        # Of descriptions too each row is of one category.
        lambda frame: frame.assign(**{f"cnn_{c}": (frame["label"] == c) * 1.0 for c in NAMES}),
        lambda frame: frame.rename(columns={f"cnn_{c}": f"topic_{c}" for c in NAMES}),
    ],
    ids=["a class is missing", "all are 0 or 1", "a description"],
)
def test_columns_of_classes_in_doubt_are_refused(change):
    frame, _ = of_classes("_", models=["cnn", "bert"])
    with pytest.raises(ValueError, match="head them model:class"):
        mc.read_predictions(change(frame))
