import json
import re

import huggingface_hub
import numpy as np
import pytest

import modelcompare as mc
from modelcompare import escape
from modelcompare.readers.opening import read_table
from tests.plugged import needs

RNG = np.random.default_rng(0)
Y = np.r_[0, 1, 2, RNG.integers(0, 3, 197)]
P = {name: RNG.dirichlet(np.ones(3), 200) + 2 * np.eye(3)[Y] * skill
     for name, skill in (("a", 1.0), ("b", 0.3))}  # fmt: skip
SLICES = {"lang": np.where(np.arange(200) < 150, "en", "de"), "rare": np.arange(200) < 5}
PREDS = mc.Predictions(Y, P, normalize=True, slices=SLICES, name="test.npz")
FEW = {"n_resamples": 99}


def test_the_card_holds_what_was_measured():
    card = mc.studies.model_card(
        PREDS, "a", ["accuracy", "f1"], details={"Intended use": "Tests."}, **FEW
    )
    assert "---\n\n# Model card: a\n\n## Intended use\n\nTests.\n\n## Compared with" in card
    accuracy = mc.compare(PREDS, "accuracy", **FEW).scores.estimate[0]
    assert f"| all | {accuracy:.2f}" in card
    for part in ("test.npz", "Class 2", "lang = de", "f1 of 1", "Too small to report: rare = True (5)",
                 "Calibration", "log\\_loss", "`modelcompare:"):  # fmt: skip
        assert part in card, part
    assert "| b |" not in card


def test_options_of_compare_reach_the_card():
    card = mc.studies.model_card(
        PREDS, "a", "accuracy", correction="max-t", scheme="bayesian", **FEW
    )
    assert "adjust:max-t" in card
    empty = mc.Predictions(Y, {"a": P["a"]}, normalize=True, slices={"s": [None] * 200})
    assert "No subgroup has 30 samples." in mc.studies.model_card(empty, "a", "accuracy", **FEW)


def test_subgroups_that_are_all_too_small_are_reported_to_be():
    preds = mc.Predictions(Y, {"a": P["a"]}, normalize=True, slices={"id": np.arange(200) // 10})
    assert "No subgroup has 30 samples." in mc.studies.model_card(preds, "a", "accuracy", **FEW)


def test_a_card_of_labels_alone_has_no_calibration():
    preds = mc.Predictions(Y, {"a": P["a"].argmax(axis=1)})
    card = mc.studies.model_card(preds, "a", **FEW)
    assert "Calibration" not in card
    assert "Compared with" not in card
    with pytest.raises(ValueError, match="unknown model 'c'"):
        mc.studies.model_card(preds, "c")


def test_names_cannot_write_headings_markup_or_lines_of_a_card():
    truth = np.array(["# h1", "<img src=x onerror=alert(1)>"] * 40)
    models = {"a\n# h2": truth, "<b>|x\x1b[2J": truth[::-1]}
    preds = mc.Predictions(truth, models, slices={"[s](javascript:x)": truth})
    card = mc.studies.model_card(
        preds, "a\n# h2", ["accuracy", "f1"], n_resamples=99, details={"Use\n# <i>": "**any**"}
    )
    lines = card.partition("\n---\n\n")[2].splitlines()
    assert lines[0] == r"# Model card: a\\n\# h2"
    assert r"## Use\\n\# \<i\>" in lines
    assert "**any**" in lines
    assert not [line for line in lines if line.startswith(("# h", "## h", "<"))]
    assert not [line for line in lines if re.search(r"(?<!\\)[<\[]", line)]
    assert "\x1b" not in card


def _read(card):
    """The card as the Hub's own library reads it, with everything that it complains of."""
    return huggingface_hub.ModelCard(card, ignore_metadata_errors=False)


def test_the_hub_reads_every_value_of_the_model():
    result = mc.compare(PREDS, ["accuracy", "f1", "recall_macro"], **FEW)
    card = _read(mc.studies.model_card(PREDS, "b", ["accuracy", "f1", "recall_macro"], **FEW))
    assert card.data.model_name == "b"
    scores = result.scores[result.scores["model"] == "b"]
    found = card.data.eval_results
    assert [(e.metric_value, e.metric_type) for e in found] == list(
        zip(scores["estimate"], ["accuracy", "f1", "f1", "f1", "recall"], strict=True)
    )
    assert [e.metric_name for e in found] == [
        "accuracy", "f1 of 0", "f1 of 1", "f1 of 2", "recall_macro",
    ]  # fmt: skip
    assert [e.metric_args for e in found] == [
        None, {"label": "0"}, {"label": "1"}, {"label": "2"}, {"average": "macro"},
    ]  # fmt: skip
    assert {(e.task_type, e.dataset_type, e.dataset_name) for e in found} == {
        ("classification", "test.npz", "test.npz")
    }
    low, high = scores[["ci_low", "ci_high"]].iloc[0]
    assert f"| {low:.3f} to {high:.3f} |" in card.text


def test_what_the_hub_writes_of_a_card_is_what_it_read():
    named = {"task": "text-classification", "dataset": "stanfordnlp/snli"}
    card = _read(mc.studies.model_card(PREDS, "a", "accuracy", **named, **FEW))
    again = _read(str(card))
    assert again.data.to_dict() == card.data.to_dict()
    assert again.text == card.text
    (found,) = again.data.eval_results
    made = huggingface_hub.ModelCardData(
        model_name="a",
        eval_results=huggingface_hub.EvalResult(
            "text-classification", "stanfordnlp/snli", "stanfordnlp/snli", "accuracy",
            found.metric_value, metric_name="accuracy",
        ),
    )  # fmt: skip
    assert made.to_dict() == card.data.to_dict()


@pytest.mark.parametrize(
    "name",
    [
        "no",
        "1e3",
        "---",
        "a: #b",
        "[x]",
        "'\"\\",
        "a\n---\n# h",
        "null",
        "a\u2028\x85b",
        "模型 ☃ 🙂",
    ],
)
def test_any_name_is_a_text_to_the_hub(name):
    truth = np.array([name, "other"] * 20)
    card = _read(
        mc.studies.model_card(mc.Predictions(truth, {name: truth}, name=name), name, "f1", **FEW)
    )
    found = card.data.eval_results
    assert card.data.model_name == found[0].dataset_name == escape.visible(name)
    assert {e.metric_args["label"] for e in found} == {escape.visible(name), "other"}


def test_small_and_undefined_values():
    y = np.r_[np.zeros(60, int), 1]
    exact = mc.Predictions(y.astype(float), {"a": y + 1e-9}, kind="values")
    (found,) = _read(mc.studies.model_card(exact, "a", "rmse", **FEW)).data.eval_results
    assert isinstance(found.metric_value, float)
    assert found.metric_value == pytest.approx(1e-9)
    never = mc.Predictions(y, {"a": np.zeros_like(y)})
    found = _read(mc.studies.model_card(never, "a", "precision", **FEW)).data.eval_results
    assert [e.metric_args for e in found] == [{"label": "0"}]


def test_a_card_without_any_value_is_read():
    scores = {name: np.r_[np.zeros(9), 1.0] for name in "ab"}
    constant = mc.Predictions(np.zeros(10), scores, kind="values")
    card = mc.studies.model_card(constant, "a", "r2", **FEW)
    assert _read(card).data.eval_results == []


def test_the_forms_of_a_card_hold_the_same():
    whole = mc.studies.model_card(PREDS, "a", "accuracy", **FEW)
    text = mc.studies.model_card(PREDS, "a", "accuracy", form="text", **FEW)
    assert whole.endswith(f"---\n\n{text}")
    document = json.loads(mc.studies.model_card(PREDS, "a", "accuracy", form="json", **FEW))
    assert document["model-index"] == _read(whole).data.to_dict()["model-index"]


@needs("published")
def test_a_value_is_an_entry_of_the_hub_and_is_read_again(tmp_path):
    yaml, hub = pytest.importorskip("yaml"), pytest.importorskip("huggingface_hub")
    means = {}
    for model in PREDS.models:
        options = {"dataset": "made-up/set", "task": "small", "form": "eval-results", **FEW}
        text = mc.studies.model_card(PREDS, model, "accuracy", **options)
        (entry,) = hub.parse_eval_result_entries(yaml.safe_load(text))
        means[model] = float(
            mc.metrics.accuracy(PREDS.y_true, PREDS.labels[PREDS.predicted(model)])
        )
        assert (entry.dataset_id, entry.task_id) == ("made-up/set", "small")
        assert entry.value == pytest.approx(means[model])
        assert "95 % CI" in entry.notes
        (tmp_path / model / ".eval_results").mkdir(parents=True)
        (tmp_path / model / ".eval_results" / "small.yaml").write_text(text)
    table = read_table(tmp_path)
    assert dict(zip(table["model"], table["score"], strict=True)) == pytest.approx(means)
    assert {*table["dataset"]} == {"made-up/set/small"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": "accuracy"}, "`dataset` must name the benchmark"),
        (
            {"metrics": ["accuracy", "f1_macro"], "dataset": "a/b"},
            "got accuracy, f1_macro; name one",
        ),
    ],
)
def test_an_entry_of_the_hub_needs_a_benchmark_and_one_value(options, message):
    with pytest.raises(ValueError, match=message):
        mc.studies.model_card(PREDS, "a", form="eval-results", **options, **FEW)


@needs("published")
@pytest.mark.parametrize(
    "text", ["a: b", "- value: 1", "- dataset: {id: a, task_id: b}\n  value: high", "- [", "{"]
)
def test_other_entries_are_refused(tmp_path, text):
    pytest.importorskip("yaml")
    path = tmp_path / "m" / ".eval_results" / "t.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(ValueError, match=r"^t\.yaml"):
        read_table(tmp_path)
