"""A class beside the name of a metric: f1[fraud] or f1:fraud."""

import json

import pytest

CLASSES = ("fraud", "fine", "odd")


@pytest.fixture
def wide(tmp_path):
    rows = [
        ",".join([CLASSES[i % 3], CLASSES[i * i % 7 % 3], CLASSES[i // 2 % 3]]) for i in range(90)
    ]
    (tmp_path / "wide.csv").write_text("\n".join(["y_true,a,b", *rows]) + "\n")
    return "wide.csv"


def document(run, *arguments):
    done = run(*arguments, "--format", "json", "--resamples", "199")
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.mark.parametrize("written", ["f1[fraud]", "f1:fraud"])
def test_compare_shows_the_class_that_is_named_and_corrects_for_it_alone(run, wide, written):
    one, every = (document(run, "compare", wide, "-m", name) for name in (written, "f1"))
    of_class = [row for row in every["scores"] if row["label"] == "fraud"]
    for row, other in zip(one["scores"], of_class, strict=True):
        assert {**row, "rank_low": 0, "rank_high": 0} == {**other, "rank_low": 0, "rank_high": 0}
    (difference,) = one["differences"]
    (other,) = (row for row in every["differences"] if row["label"] == "fraud")
    assert difference["p_value"] == other["p_value"]
    # A family of one test: nothing is multiplied. Of three it is.
    assert difference["p_adjusted"] == difference["p_value"] < other["p_adjusted"]
    assert "tests:1|" in one["signature"]


def test_two_classes_of_a_metric_are_one_family(run, wide):
    found = document(run, "compare", wide, "-m", "f1[fraud]", "-m", "f1[odd]", "-m", "accuracy")
    labels = [(row["metric"], row["label"]) for row in found["differences"]]
    assert labels == [("f1", "fraud"), ("f1", "odd"), ("accuracy", None)]
    assert "tests:2+1|" in found["signature"]


def test_gate_and_sample_size_take_the_class_from_the_name(run, wide):
    gate = ("gate", wide, "--baseline", "a", "--candidate", "b", "--margin", "0.5")
    by_name, by_label = (
        run(*gate, "-m", "recall[odd]"),
        run(*gate, "-m", "recall", "--label", "odd"),
    )
    assert by_name.out == by_label.out != ""
    rule = run(*gate[:6], "--rule", "recall:odd:-0.5")
    assert rule.out == by_name.out
    sizes = [
        run("sample-size", wide, *given)
        for given in (("-m", "f1:odd"), ("-m", "f1", "--label", "odd"))
    ]
    assert sizes[0].out == sizes[1].out != ""


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("compare", "-m", "f1[frau]"), "f1[frau]: there is no class 'frau'; did you mean fraud?"),
        (
            ("compare", "-m", "f1[x]"),
            "f1[x]: there is no class 'x'; the classes are fine, fraud, odd.",
        ),
        (
            ("compare", "-m", "accuracy[odd]"),
            "accuracy[odd]: accuracy has no value per class; leave 'odd' out.",
        ),
        (
            ("sample-size", "-m", "f1[odd]", "--label", "odd"),
            "f1[odd] names a class already; leave the class 'odd' out.",
        ),
    ],
)
def test_a_class_that_cannot_be_taken_is_refused(run, wide, arguments, expected):
    done = run(*arguments, wide)
    assert (done.code, done.out) == (2, "")
    assert f"modelcompare: error: {expected}" in done.err


def test_groups_take_a_class(run, tmp_path):
    rows = [
        ",".join([CLASSES[i % 3], CLASSES[i * i % 7 % 3], CLASSES[i // 2 % 3], "xy"[i % 2]])
        for i in range(90)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["y_true,a,b,lang", *rows]) + "\n")
    models = ("--model", "a", "--model", "b", "-m", "f1[fraud]")
    groups = document(run, "groups", "t.csv", *models, "--by", "lang")
    assert {row["label"] for row in groups["scores"]} == {"fraud"}


def test_a_class_beside_all_classes_is_named(run, wide):
    shown = run("compare", wide, "-m", "f1", "-m", "f1[odd]")
    assert "f1 is of all classes, also of those named in brackets; drop either." in shown.err
