"""Details of lighteval."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from modelcompare.plugins.logs.lighteval import FORMAT
from modelcompare.readers.content import File
from tests.readers.opening import DATA, opened

FILES = sorted((DATA / "lighteval").rglob("*.parquet"))


def test_every_metric_of_each_question_is_read():
    frame = FORMAT.read([opened(path) for path in FILES]).frame
    # By hand: exact matches, and the F1 of words: "Goethe" of four gives 2 * 1 * .25 / 1.25,
    # "the planet Mars" for "Mars" gives 2 * (1 / 3) / (4 / 3).
    assert frame.groupby("model")["score:em"].apply(list).to_dict() == {
        "made-up/large": [1, 1, 1, 1, 0], "made-up/small": [0, 1, 0, 0, 0],
    }  # fmt: skip
    np.testing.assert_allclose(
        frame.groupby("model")["score:f1"].apply(list).loc["made-up/small"], [0, 1, 0.5, 0, 0.4]
    )
    assert set(frame["set"]) == {"trivia|0"}
    assert frame["id"].tolist() == [*"01234"] * 2


def test_queries_distinguish_tasks_and_documents_are_kept():
    records = FORMAT.read([opened(FILES[0])])
    assert records.same == ("query", "gold")
    assert records.beside["query"].iloc[2] == "The red planet?"
    assert records.beside["gold"].iloc[2] == "Mars"
    assert records.beside["doc"].iloc[2]["specific"] == {"subject": "space"}
    assert set(records.beside["date"]) == {FILES[0].parent.name}


def test_details_that_were_moved_leave_the_model_to_others(tmp_path):
    moved = shutil.copy(FILES[0], tmp_path / "large.parquet")
    assert "model" not in FORMAT.read([opened(moved)]).frame


@pytest.mark.parametrize("folder", ["out/details/org/model", "details_org__model", "details/model"])
def test_the_folder_of_the_date_is_in_that_of_the_model(folder, tmp_path):
    place = tmp_path / folder / FILES[0].parent.name
    place.mkdir(parents=True)
    copy = shutil.copy(FILES[0], place / f"details_trivia|0_{place.name}.parquet")
    expected = {"out/details/org/model": "org/model", "details_org__model": "org__model",
                "details/model": "model"}  # fmt: skip
    assert set(FORMAT.read([opened(Path(copy))]).frame["model"]) == {expected[folder]}


def test_several_right_choices_and_none():
    docs = [{"id": "0", "task_name": "t", "choices": ["a", "b", "c"], "gold_index": [0, 2]},
            {"id": "1", "task_name": "t", "choices": [], "gold_index": 0}]  # fmt: skip
    frame = pd.DataFrame(
        {"doc": docs, "metric": [{"acc": 1}, {"acc": 0}], "model_response": [{}, {}]}
    )
    records = FORMAT.read([File(Path("x.parquet"), "parquet", frame)])
    assert records.beside["gold"].tolist() == ["a | c", ""]
