"""Sample logs of lm-evaluation-harness: their means equal the harness's own table."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from modelcompare.plugins.logs.lm_eval import FORMAT
from modelcompare.readers.content import File
from tests.readers.opening import DATA, opened

LOGS = DATA / "lm_eval"
ROW = {"doc_id": 0, "target": "x", "filtered_resps": ["x"]}


def read(pattern):
    return FORMAT.read([opened(path) for path in sorted(LOGS.glob(pattern))])


def of_rows(*rows, name="log.jsonl"):
    return FORMAT.read([File(DATA / name, "jsonl", (pd.DataFrame(rows)))])


def test_every_filter_and_metric_has_the_mean_of_the_harness_s_table():
    sums = read("*/samples_sums_*").frame.groupby(["model", "filter"])["score:exact_match"].mean()
    # Value column of the tables that lm_eval printed.
    assert sums.round(4).to_dict() == {
        ("made-up__strong", "strict-match"): 0.8333, ("made-up__strong", "flexible-extract"): 1.0,
        ("made-up__weak", "strict-match"): 0.3333, ("made-up__weak", "flexible-extract"): 0.5,
    }  # fmt: skip
    signs = read("*/samples_signs_*").frame.groupby("model").mean(numeric_only=True)
    assert signs.loc["made-up__weak", ["score:acc", "score:acc_norm"]].tolist() == [0.5, 0.5]


def test_folder_and_file_tell_the_model_the_task_and_the_date():
    records = read("made-up__weak/*")
    assert set(records.frame["model"]) == {"made-up__weak"}
    assert set(records.frame["set"]) == {"sums", "signs"}
    assert set(records.beside["date"]) == {"2026-11-21T21-08-23.484805"}


def test_a_log_named_from_within_its_folder_has_the_same_model(monkeypatch):
    (log,) = LOGS.glob("made-up__weak/samples_sums_*")
    monkeypatch.chdir(log.parent)
    assert set(FORMAT.read([opened(Path(log.name))]).frame["model"]) == {"made-up__weak"}


def test_a_log_of_another_name_leaves_model_and_set_to_others(tmp_path):
    (log,) = LOGS.glob("made-up__weak/samples_sums_*")
    frame = FORMAT.read([opened(shutil.copy(log, tmp_path / "weak.jsonl"))]).frame
    assert [*frame] == ["file", "filter", "id", "score:exact_match"]


def test_where_one_log_does_not_tell_its_model_all_are_left_to_others(tmp_path):
    strong, weak = (next(LOGS.glob(f"made-up__{m}/samples_sums_*")) for m in ("strong", "weak"))
    renamed = shutil.copy(weak, tmp_path / "weak.jsonl")
    frame = FORMAT.read([opened(strong), opened(renamed)]).frame
    assert {"model", "set"}.isdisjoint(frame.columns)
    assert frame["file"].tolist() == [0] * 12 + [1] * 12


def test_a_metric_of_the_whole_set_is_no_score_and_is_kept():
    records = read("*/samples_sums_*")
    assert records.scores == ("exact_match",)
    assert records.beside["bleu"].iloc[0] == ["4", "4"]


def test_fields_that_logs_of_one_task_share_are_kept():
    records = read("*/samples_sums_*")
    assert records.same == ("target", "doc_hash", "target_hash")
    assert {*records.same, "doc"} <= {*records.beside}
    assert records.beside["doc"].iloc[0]["kind"] == "+"


def test_logs_that_name_no_metrics_are_read_by_their_numbers():
    records = of_rows(
        {**ROW, "len": 3.0, "note": "n", "acc": 1}, {**ROW, "doc_id": 1, "len": 2.0, "acc": 0}
    )
    assert records.scores == ("acc", "len")
    assert records.frame["score:acc"].tolist() == [1, 0]
    assert "note" in records.beside


def test_metrics_of_several_numbers_are_read_by_their_keys():
    records = of_rows(
        {
            **ROW,
            "metrics": ["ifeval", "strict"],
            "ifeval": {"loose": 1, "by": "rule"},
            "strict": True,
        }
    )
    assert records.scores == ("ifeval/loose", "strict")
    assert records.frame["score:strict"].tolist() == [1.0]


@pytest.mark.parametrize("name", ["samples_a_b_2025-01-01T10-00-00.123.jsonl.gz",
                                  "samples_a_b_2024-05-05T10:00:00.5.jsonl"])  # fmt: skip
def test_names_of_older_and_packed_logs(name):
    assert set(of_rows({**ROW, "acc": 1}, name=name).frame["set"]) == {"a_b"}
