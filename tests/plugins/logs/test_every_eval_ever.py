"""Samples in the schema of Every Eval Ever, made by its converter from logs read elsewhere."""

import json
from pathlib import Path

import pandas as pd

from modelcompare.plugins.logs import inspect
from modelcompare.plugins.logs.every_eval_ever import FORMAT
from modelcompare.readers.content import File
from tests.readers.opening import DATA, opened

FILES = sorted((DATA / "every_eval_ever").glob("*_samples.jsonl"))
RECORD = {"schema_version": "0.3.0", "evaluation_id": "e", "model_id": "m", "evaluation_name": "t",
          "sample_id": "s", "input": {"raw": "?", "reference": ["4"]}, "error": None}  # fmt: skip


def record(score, **fields):
    return {**RECORD, "evaluation": {"score": score, "is_correct": score > 0}, **fields}


def of_records(*records):
    return FORMAT.read([File(Path("u_samples.jsonl"), "jsonl", (pd.DataFrame([*records])))])


def test_converted_logs_have_the_scores_of_the_logs_that_they_were_made_from():
    converted = FORMAT.read([opened(path) for path in FILES]).frame
    logs = inspect.FORMAT.read([opened(DATA / "inspect" / f"{m}.json") for m in ("alpha", "beta")])
    keys = ["model", "set", "run", "id"]
    names = {"score:match:accuracy": "score:match", "score:graded:accuracy": "score:graded"}
    converted = converted.rename(columns=names).assign(
        run=converted["run"].astype(int), model=converted["model"].str.replace("openai", "mockllm")
    )
    wanted = [*keys, *names.values()]
    pd.testing.assert_frame_equal(
        converted[wanted].sort_values(keys, ignore_index=True),
        logs.frame[wanted].sort_values(keys, ignore_index=True),
    )


def test_a_sample_that_failed_has_no_score_though_its_record_has_zero():
    records = FORMAT.read([opened(path) for path in FILES])
    failed = records.beside["error"].notna()
    assert records.frame.loc[failed, ["id", "run"]].to_numpy().tolist() == [["Nepal", "2"]]
    assert (
        records.frame.loc[failed, [*map("score:{}".format, records.scores)]].isna().all(axis=None)
    )
    written = [json.loads(line) for path in FILES for line in path.read_text().splitlines()]
    assert [row["evaluation"]["score"] for row in written if row["error"]] == [0.0]


def test_a_record_that_names_no_metric_holds_a_score():
    assert of_records(record(0.5)).frame.to_dict("list") == {
        "file": [0], "model": ["m"], "set": ["t"], "id": ["s"], "score:score": [0.5],
    }  # fmt: skip


def test_metrics_of_a_sample_are_one_row_and_repeats_are_runs():
    a, b = {"evaluation_result_id": "a"}, {"evaluation_result_id": "b"}
    records = of_records(
        record(1, **a), record(0.5, **b), record(0, error="timeout"), record(0, **a), record(0.25, **b),
        record(1, sample_id="other", **a),
    )  # fmt: skip
    frame = records.frame.fillna(-1)
    assert frame[["id", "run", "score:a", "score:b"]].to_numpy().tolist() == [
        ["s", 1, 1.0, 0.5], ["s", 2, -1, -1], ["s", 3, 0.0, 0.25], ["other", 1, 1.0, -1],
    ]  # fmt: skip
    assert records.beside["error"].fillna("").tolist() == ["", "timeout", "", ""]


def test_the_reference_distinguishes_samples_and_the_rest_is_kept():
    records = of_records(record(1, metadata={"subject": "sums"}))
    assert records.same == ("reference",)
    assert records.beside["reference"].tolist() == ['["4"]']
    assert records.beside["metadata"].tolist() == [{"subject": "sums"}]
    assert records.beside["evaluation"].iloc[0]["is_correct"]
