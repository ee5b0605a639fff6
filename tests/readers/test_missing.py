"""What counts as missing, and what is done with it, whatever road a table comes by."""

import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.checks import DataWarning

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
        both = mc.read_predictions(source, ids="intersect", missing="worst")
    assert both.ids.tolist() == SHARED
    found = {model: both.output(model).array.mean() for model in both.models}
    assert found == pytest.approx(_means(SHARED))
    every = mc.read_predictions(source, missing="worst")
    assert sorted(every.ids) == [*range(50)]
    found = {model: every.output(model).array.mean() for model in every.models}
    assert found == pytest.approx(_means(range(50)))
