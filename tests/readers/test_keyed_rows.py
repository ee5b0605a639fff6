"""JSON documents of results by id are tables."""

import json

import pytest

import modelcompare as mc

LABELS = [n % 2 for n in range(20)]


def written(path, document):
    path.write_text(json.dumps(document))
    return path


def results(*probabilities):
    return {f"q{n}": {"label": y, "prob": probabilities[y]} for n, y in enumerate(LABELS)}


def test_results_by_id(tmp_path):
    files = [
        written(tmp_path / "cnn.json", results(0.2, 0.8)),
        written(tmp_path / "bow.json", results(0.7, 0.9)),
    ]
    preds = mc.read_predictions(files)
    assert (preds.models, len(preds)) == (("cnn", "bow"), 20)
    scores = mc.compare(preds, ["accuracy"], n_resamples=99).scores
    assert scores.set_index("model")["estimate"].to_dict() == {"cnn": 1.0, "bow": 0.5}


def test_nested_ids_are_joined(tmp_path):
    document = {f"user{n}": {"first": {"label": y, "prob": y}, "second": {"label": y, "prob": 0.0}}
                for n, y in enumerate(LABELS)}  # fmt: skip
    preds = mc.read_predictions(written(tmp_path / "cnn.json", document))
    assert [*preds.ids[:2]] == ["user0/first", "user0/second"]
    assert mc.compare(preds, ["accuracy"], n_resamples=99).scores["estimate"].item() == 0.75


@pytest.mark.parametrize(
    "document",
    [
        {f"q{n}": {"accuracy": 0.5, "f1": 0.4} for n in range(20)},
        {f"q{n}": {"label": 1} | ({"prob": 0.5} if n else {}) for n in range(20)},
        {f"q{n}": {"label": 1, "prob": 0.5} for n in range(5)},
        {"config": 1} | results(0.2, 0.8),
        # Items of users, which are no ids of the results.
        {q: {"id": int(q[1:]) % 5, **each} for q, each in results(0.2, 0.8).items()},
    ],
    ids=["scores of models", "other fields", "few", "something beside", "ids within"],
)
def test_other_documents_are_refused(tmp_path, document):
    with pytest.raises(
        ValueError, match=r"not a row for each|no known format|number for each document"
    ):
        mc.read_predictions(written(tmp_path / "a.json", document))
