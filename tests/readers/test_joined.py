"""Tables of the same rows, each with other columns, are one table."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.readers.opening import read_tables
from tests.plugged import needs

RNG = np.random.default_rng(0)
N = 40
TEXTS = [f"the {n} birds sing in the {n % 7} trees" for n in range(N)]


def written(tmp_path, **tables):
    for name, columns in tables.items():
        pd.DataFrame(columns).to_csv(tmp_path / f"{name}.csv", index=False)
    return [tmp_path / f"{name}.csv" for name in tables]


@needs("texts")
def test_texts_of_each_model_beside_the_reference(tmp_path):
    files = written(
        tmp_path,
        first={"spoken": TEXTS, "small": [text.replace("birds", "bird") for text in TEXTS]},
        second={"spoken": TEXTS, "large": TEXTS},
    )
    preds = mc.read_predictions(files, columns={"true": "spoken"}, kind="texts")
    assert preds.models == ("small", "large")
    scores = mc.compare(preds, ["wer"], n_resamples=99).scores
    assert scores["estimate"].tolist() == [pytest.approx(1 / 8), 0.0]


def test_forecasts_of_each_model_beside_dates(tmp_path):
    y = RNG.normal(50, 10, N).round(2)
    dates = pd.date_range("2020-01-01", periods=N)
    files = written(
        tmp_path,
        a={"date": dates, "y_true": y, "arima": y + 1},
        b={"date": dates, "y_true": y, "naive": y - 2, "drift": y + 3},
    )
    preds = mc.read_predictions(files)
    scores = mc.compare(preds, ["mae"], n_resamples=99).scores
    assert dict(zip(scores["model"], scores["estimate"], strict=True)) == pytest.approx(
        {"arima": 1, "naive": 2, "drift": 3}
    )


def test_tables_of_results_by_data_set(tmp_path):
    sets = ["iris", "wine", "glass"]
    files = written(
        tmp_path,
        a={"Dataset": sets, "knn": [0.9, 0.8, 0.7]},
        b={"Dataset": sets, "svm": [0.8, 0.9, 0.9], "svm_rbf": [0.9, 0.9, 0.95]},
    )
    assert [*read_tables(files)] == ["Dataset", "knn", "svm", "svm_rbf"]


def test_files_of_other_rows_are_not_joined(tmp_path):
    truth = ["no", "yes"] * (N // 2)
    files = written(
        tmp_path,
        a={"id": range(N), "y_true": truth, "cnn": truth},
        b={"id": range(1, N + 1), "y_true": truth, "bow": truth},
    )
    with pytest.raises(ValueError, match="'b' lacks 1 ids of 'a'"):
        mc.read_predictions(files)


def test_common_columns_that_tell_no_rows_apart_join_nothing(tmp_path):
    files = written(
        tmp_path,
        a={"split": ["test"] * N, "cnn": RNG.random(N)},
        b={"split": ["test"] * N, "bow": RNG.random(N)},
    )
    with pytest.raises(ValueError, match="no column that names the samples"):
        mc.read_predictions(files)


@needs("texts")
def test_distinct_texts_of_a_model_are_no_ids():
    frame = pd.DataFrame(
        {
            "spoken": TEXTS,
            "audio": [f"talks/{n}.wav" for n in range(N)],
            "medium": [f"{text} loudly" for text in TEXTS],
            "small": ["", *TEXTS[1:]],
        }
    )
    preds = mc.read_predictions(frame, columns={"true": "spoken"}, kind="texts")
    assert preds.models == ("medium", "small")
    assert preds.ids[0] == "talks/0.wav"
