import io
import json
import re

import numpy as np
import pandas as pd
import pytest

from modelcompare.report.writers.formats import csv
from tests.report.written import as_csv, as_json

ODD = ["50%_off", "a|b", "$x^2$ & {y}~#\\z", "[first]"]


def _cells(markdown):
    """Split pipe tables into rows of cells, at bars that are not escaped."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_markdown_holds_verdict_scores_differences_and_signature(make_comparison):
    text = make_comparison(["cnn", "lstm"]).to_markdown()
    assert text == (
        "- accuracy: lstm leads.\n\n"
        "### accuracy\n\n"
        "Higher is better.\n\n"
        "| rank | model | estimate | 95 % CI |\n"
        "| --- | --- | ---: | --- |\n"
        "| 1-2 | lstm | 0.7050 | 0.6950 to 0.7150 |\n"
        "| 1-2 | cnn | 0.7000 | 0.6900 to 0.7100 |\n\n"
        "| leader | ahead of | by | 95 % CI | p (holm) |\n"
        "| --- | --- | ---: | --- | --- |\n"
        "| lstm | cnn | +0.0050 | -0.0050 to 0.0150 | 1.00 |\n\n"
        "`modelcompare:0.1.0|n:9824|B:9999|ci:BCa|test:permutation|adjust:holm|rng:0`\n"
    )


def test_names_cannot_break_a_markdown_table(make_comparison):
    rows = _cells(make_comparison(ODD).to_markdown())
    assert {len(row) for row in rows} == {4, 5}
    assert [r"a\|b" in row for row in rows].count(True) == 1 + 1


def test_classes_have_a_column(make_comparison):
    rows = _cells(make_comparison(metrics=["f1"], labels={"f1": ["x", "y"]}).to_markdown())
    assert rows[0] == ["class", "rank", "model", "estimate", "95 % CI"]
    assert [row[0] for row in rows[2:8]] == ["x"] * 3 + ["y"] * 3


def test_csv_gives_both_frames_back(make_comparison):
    result = make_comparison(metrics=["f1", "accuracy"], labels={"f1": ["x", "y"]})
    frame = pd.read_csv(io.StringIO(as_csv(result)))
    for name in ("scores", "differences"):
        expected = getattr(result, name).replace({None: np.nan})
        rows = frame[frame["table"] == name][list(expected.columns)].reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, expected, check_dtype=False, rtol=1e-15)


def test_csv_writes_whole_numbers_as_such(make_comparison):
    head, line, *_ = as_csv(make_comparison(["cnn", "lstm"])).splitlines()
    row = dict(zip(head.split(","), line.split(","), strict=True))
    names = "n_undefined", "rank", "rank_low", "rank_high"
    assert [row[name] for name in names] == ["0", "2", "1", "2"]


def test_json_is_unrounded_and_knows_no_nan(make_comparison):
    result = make_comparison(["cnn", "lstm"])
    result.scores.loc[0, ["estimate", "ci_low"]] = np.nan, -np.inf
    document = json.loads(as_json(result), parse_constant=pytest.fail)
    assert document["scores"][0]["estimate"] is None
    assert document["scores"][0]["ci_low"] is None
    assert document["scores"][1]["estimate"] == result.scores["estimate"][1]
    assert document["differences"][0]["better"] is None
    assert document["models"] == ["cnn", "lstm"]
    assert document["signature"] == result.signature
    assert document["verdict"] == ["accuracy: lstm leads."]


def test_numpy_labels_become_plain_json(make_comparison):
    result = make_comparison(metrics=["f1"], labels={"f1": [np.int64(3), np.int64(4)]})
    labels = {row["label"] for row in json.loads(as_json(result))["scores"]}
    assert labels == {3, 4}


def test_what_a_screen_has_no_room_for_is_left_out_of_a_shortened_table(make_comparison):
    table = make_comparison([f"m{i:02d}" for i in range(30)]).document().tables["accuracy"]
    assert table.shortened().texts(table.columns[1]) == [f"m{i:02d}" for i in range(29, 9, -1)]


def test_frames_without_rows_are_a_header():
    nothing = pd.DataFrame({"model": [], "estimate": []})
    assert csv({"scores": nothing, "others": nothing}) == "table,model,estimate\n"
