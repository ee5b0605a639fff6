"""Averages in which a class has no value: warnings, sentences and values of every function."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score, precision_score

import modelcompare as mc
from modelcompare.cli.app import main
from tests.plugged import needs

FEW = {"n_resamples": 199}


def labelled(cells):
    """Truth and predictions of cells (truth, model a, model b, number)."""
    y, a, b = zip(*[cell[:3] for cell in cells for _ in range(cell[3])], strict=True)
    return mc.Predictions(list(y), {"a": list(a), "b": list(b)})


# Model b never predicts "z", and is otherwise better: without "z" it is ahead in macro precision.
TURNS = labelled([
    ("x", "x", "x", 70), ("x", "y", "x", 10), ("y", "y", "y", 60), ("y", "x", "y", 20),
    ("z", "z", "x", 8), ("z", "x", "x", 2),
])  # fmt: skip


def course():
    """The course's two examples on one truth: a classifier, and "always neutral"."""
    counts = [[15, 10, 100], [10, 15, 10], [10, 100, 1000]]
    return labelled([(i, j, 2, counts[i][j]) for i in range(3) for j in range(3)])


NOTE = (
    "precision_macro of b: predicted under 5 times: z; it would be 0.630 if their values were 0, and "
    "0.963 if 1"
)


def texts_of(ask):
    """Answer, and warnings of sparse data."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = ask()
    return answer, [str(w.message) for w in caught if w.category is mc.SparseDataWarning]


def notes_of(answer):
    """All texts of an answer on a page: its sentences, and notes below its tables."""
    made = answer.document()
    return [*made.sentences, *(note for t in made.tables.values() for note in t.notes)]


def test_a_class_that_is_hardly_predicted_is_noted_with_the_average_at_both_ends():
    b = np.array(["x"] * 80 + ["y"] * 80 + ["x"] * 10)
    least = precision_score(TURNS.y_true, b, average="macro", zero_division=0)
    assert NOTE.endswith(
        f"it would be {least:.3f} if their values were 0, and {least + 1 / 3:.3f} if 1"
    )

    found, warned = texts_of(lambda: mc.compare(TURNS, ["f1_macro", "precision_macro"], **FEW))

    assert not warned
    assert " ".join(found.verdict().split()).endswith(f"{NOTE}.")
    # Of a metric that is not an average, and of classes asked for, there is none.
    found, _ = texts_of(lambda: mc.compare(TURNS, ["precision", "accuracy"], **FEW))
    assert "predicted under" not in found.verdict()


def test_where_an_interval_is_named_a_class_that_is_hardly_predicted_is_a_warning():
    _, (text,) = texts_of(lambda: mc.compare(TURNS, "precision_macro", method="percentile", **FEW))
    assert text == (
        "precision_macro of b: predicted under 5 times: z. The default intervals allow for any value "
        "of these classes; resampled ones jump there: use method='auto' (--method auto)."
    )


@needs("large")
@pytest.mark.parametrize("ask", [
    lambda p: mc.compare(p, "precision_macro", baseline="a", **FEW),
    lambda p: mc.decide(p, "a", "b", "precision_macro", kind="superior", **FEW),
    lambda p: mc.gate(p, "a", "b", ["precision_macro:+0"], **FEW),
    lambda p: mc.paired_test(p, "a", "b", "precision_macro", **FEW),
    lambda p: mc.compare(mc.io.sketch(p, "precision_macro"), "precision_macro", **FEW),
    pytest.param(
        lambda p: mc.compare_groups({"one": p, "two": p}, "precision_macro", **FEW),
        marks=needs("suites"),
    ),
    pytest.param(
        lambda p: mc.inference.unpaired_test(p["a"], p["b"], "precision_macro", **FEW),
        marks=needs("unpaired"),
    ),
    pytest.param(
        lambda p: mc.diagnostics.gaps(halves(p), "precision_macro", **FEW), marks=needs("gaps")
    ),
])  # fmt: skip
def test_every_question_notes_it(ask):
    answer, warned = texts_of(lambda: ask(TURNS))
    assert not warned
    assert any(f"{NOTE}." in text for text in notes_of(answer))


def halves(preds):
    """The same predictions twice, as two subgroups."""
    twice = {m: [*preds.labels[preds.predicted(m)]] * 2 for m in preds.models}
    half = ["one"] * len(preds) + ["two"] * len(preds)
    return mc.Predictions([*preds.y_true] * 2, twice, slices={"half": half})


@needs("paper")
@pytest.mark.filterwarnings("ignore::modelcompare.UndefinedMetricWarning")
@pytest.mark.parametrize("study", ["agreement_study", "variance_study"])
def test_studies_note_it(study):
    ask = getattr(mc.studies, study)
    answer, warned = texts_of(lambda: ask(TURNS, [("precision_macro", "f1_macro")], n_resamples=19))
    assert not warned
    assert any(f"{NOTE}." in text for text in notes_of(answer))


@needs("ledgers")
@pytest.mark.parametrize("method", ["auto", "percentile"])
def test_keep_shows_no_average_of_its_test_set(method, tmp_path):
    asked = {"ledger": tmp_path / "l.jsonl", "method": method}
    answer, warned = texts_of(lambda: mc.keep(TURNS, "a", "b", "precision_macro:+0", **asked))
    assert len(warned) == (method != "auto")
    assert "would be" not in " ".join([*notes_of(answer), *warned])


@pytest.mark.parametrize("command", ["compare", "gate"])
def test_commands_note_it_once(command, tmp_path, capsys):
    path = tmp_path / "p.csv"
    columns = {"y_true": TURNS.y_true, **{m: TURNS.labels[TURNS.predicted(m)] for m in "ab"}}
    pd.DataFrame(columns).to_csv(path, index_label="id")
    options = {
        "compare": ["--metric", "precision_macro"],
        "gate": ["--baseline", "a", "--candidate", "b", "--rule", "precision_macro:-0.1"],
    }
    main([command, str(path), *options[command]])
    out, err = (" ".join(text.split()) for text in capsys.readouterr())
    assert (out.count(f"{NOTE}."), err.count("predicted under")) == (1, 0)


def test_a_difference_that_turns_without_the_class_says_so():
    phrase = "by the convention that a class never predicted counts as 0"
    result = mc.compare(TURNS, ["precision_macro", "accuracy", "f1_macro"], **FEW)
    assert result.standings.query("metric == 'precision_macro'")["model"].iloc[0] == "a"
    assert f"a and b are in this order {phrase}." in " ".join(result.verdict().split())
    assert result.evidence.by_convention[0].tolist() == [True, False, False]
    baseline = mc.compare(TURNS, "precision_macro", baseline="b", **FEW)
    assert phrase in " ".join(baseline.verdict().split())
    decision = mc.decide(TURNS, "b", "a", "precision_macro", kind="superior", **FEW)
    assert f"The models are in this order {phrase}." in decision.sentence()
    notes = mc.paired_test(TURNS, "a", "b", "precision_macro", **FEW).notes
    assert f"The models are in this order {phrase}." in notes
    assert phrase not in mc.decide(TURNS, "b", "a", "f1_macro", margin=0.1, **FEW).sentence()


@pytest.mark.filterwarnings("ignore::modelcompare.UndefinedMetricWarning")
def test_by_the_papers_convention_nobody_leads_and_a_gate_has_not_enough_data():
    result = mc.compare(course(), "f1_macro", zero_division="paper", **FEW)
    assert "leads" not in result.verdict()
    assert "undefined for b" in " ".join(result.verdict().split())
    gate = mc.gate(course(), "a", "b", ["f1_macro:+0"], zero_division="paper", **FEW)
    assert (gate.passed, gate.answer) == (False, "not enough data")


@needs("large")
def test_all_answers_have_scikit_learns_value():
    preds = course()
    truth, names = np.asarray(preds.y_true), ["precision_macro", "f1_macro", "precision_weighted"]
    codes = {m: preds.labels[preds.output(m).array] for m in preds.models}
    for name in names:
        score = precision_score if name.startswith("p") else f1_score
        average = name.partition("_")[2]
        expected = [score(truth, codes[m], average=average, zero_division=0) for m in "ab"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sketch = mc.compare(mc.io.sketch(preds, name), name, **FEW)
            found = mc.compare(preds, name, **FEW)
            test = mc.paired_test(preds, "a", "b", name, **FEW)
        for each in (found, sketch):
            np.testing.assert_allclose(each.scores["estimate"], expected, atol=1e-12)
        assert test.difference == pytest.approx(expected[0] - expected[1], abs=1e-12)
        assert test.p_value < 0.05
