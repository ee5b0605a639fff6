"""Laws of all results: each has tables and a signature, and from them every form of text."""

import inspect
import io
import json
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.metrics import METRICS
from modelcompare.plugs import plugins
from modelcompare.report.result import Result
from tests.made_up import sliced
from tests.plugged import plugged
from tests.report.written import as_csv, as_json, save, screen_text

FEW = {"n_resamples": 99}
preds = sliced


MADE = {
    "Comparison": lambda: mc.compare(preds(), ["accuracy", "f1"], **FEW),
    "GroupComparison": lambda: mc.compare_groups(preds(), ["accuracy", "f1"], **FEW),
    "DecisionResult": lambda: mc.decide(preds(), "m0", "m1", "accuracy", margin=0.01, **FEW),
    "GateResult": lambda: mc.gate(preds(), "m0", "m1", ["accuracy:-0.01", "f1[0]:+-0.2"], **FEW),
    "PairedTestResult": lambda: mc.paired_test(preds(), "m0", "m1", "f1[1]", **FEW),
    "SampleSize": lambda: mc.sample_size(preds(), "m0", "m1", "f1[1]"),
} | plugged("MADE")
all_results = pytest.mark.parametrize("name", MADE)
pytestmark = pytest.mark.filterwarnings("ignore:.*resamples are too few:UserWarning")


@cache
def made(name):
    return MADE[name]()


def test_every_result_of_the_package_is_looked_at():
    def below(kind):
        return {kind, *(c for sub in kind.__subclasses__() for c in below(sub))}

    for name in MADE:
        made(name)
    real = {c for c in below(Result) if c.__module__.startswith("modelcompare.")}
    assert {c.__name__ for c in real if not inspect.isabstract(c)} == {n.split()[0] for n in MADE}


@all_results
def test_a_signature_names_version_and_way(name):
    assert re.fullmatch(r"modelcompare:[\d.]+(\|[^|]+)+", made(name).signature)


@all_results
def test_tables_hold_unrounded_rows_and_say_what_their_columns_mean(name):
    tables = made(name).document().tables
    assert tables
    for table in tables.values():
        assert len(table.rows) == len(table.frame) > 0
        assert {len(row) for row in table.rows} == {len(table.header)}
        for column in table.columns:
            assert set(column.sources) <= set(table.frame.columns)


@all_results
def test_heads_of_tables_are_words(name):
    document = made(name).document()
    for table in (*document.all_tables.values(), *document.printed()):
        names = {*METRICS, *(text for column in table.columns if column.kind == "text"
                             for text in table.texts(column))}  # fmt: skip
        heads = [head for head in table.header if head not in names]
        assert [head for head in heads if re.search(r"_|[a-z]\.|[<>]|^\d+(\.\d+)?$", head)] == []


@all_results
def test_markdown_holds_every_cell(name):
    result = made(name)
    markdown, tables = result.to_markdown(), result.document().tables.values()
    pipes = [line for line in markdown.splitlines() if line.startswith("|")]
    bars = sum(len(re.findall(r"(?<!\\)\|", line)) - 1 for line in pipes)
    assert bars == n_cells(tables) + sum(2 * len(t.header) for t in tables)
    assert result.signature in markdown


def n_cells(tables):
    """Number of cells below the heads of tables."""
    return sum(len(t.rows) * len(t.header) for t in tables)


@all_results
def test_csv_and_json_give_the_frames_back_unrounded(name):
    result = made(name)
    # As texts: old versions of pandas parse numbers less exactly than Python.
    read = pd.read_csv(io.StringIO(as_csv(result)), dtype=str)
    document = json.loads(as_json(result), parse_constant=pytest.fail)
    assert document["signature"] == result.signature
    for key, frame in result.document().frames().items():
        rows = read[read["table"] == key]
        assert len(rows) == len(document[key]) == len(frame)
        for column in frame.select_dtypes("number"):
            np.testing.assert_array_equal(rows[column].astype(float), frame[column].astype(float))
            listed = pd.Series([r[column] for r in document[key]], dtype=float)
            finite = np.isfinite(frame[column].to_numpy(dtype=float))
            assert (listed.to_numpy()[finite] == frame[column].to_numpy()[finite]).all()
            assert listed[~finite].isna().all()


@all_results
def test_a_terminal_shows_it(name):
    result = made(name)
    text = screen_text(result, width=100)
    assert result.signature.replace("|", "") in re.sub(r"[|\s]", "", text)
    every = screen_text(result, width=100, show_all=True)
    for table in result.document().tables.values():
        assert table.title in (every if table.on_request else text) or table.detail


@all_results
def test_a_printed_result_is_what_was_found_and_its_repr_is_one_line(name):
    result = made(name)
    text = str(result)
    assert "--all" not in text
    assert result.signature.replace("|", "") in re.sub(r"[|\s]", "", text)
    for sentence in result.document().sentences[:9]:
        assert " ".join(sentence.split()) in " ".join(text.split())
    for table in result.document().tables.values():
        titled = any(line.startswith(table.title) for line in text.splitlines())
        assert titled == (not table.detail and not table.on_request)
    assert "\n" not in repr(result)
    assert len(repr(result)) < 800


# Every figure is drawn by the laws of figures, and forms of figures by the tests of files.
@pytest.mark.usefixtures("undrawn")
@all_results
def test_a_folder_holds_all_of_it(name, tmp_path):
    result = made(name)
    written = save(result, tmp_path / "out")
    assert {path.name for path in written} == {path.name for path in (tmp_path / "out").iterdir()}
    stems = {
        f"{result._stem}.md",
        *([f"{result._stem}.tex"] if "latex" in plugins() else []),
        *(f"{key}.csv" for key in result.document().frames()),
    }
    drawn = {f"{key}.{form}" for key in result.document().figures for form in ("png", "pdf", "svg")}
    assert {path.name for path in written} == stems | drawn
    without = ("GroupComparison", "BoundedComparison")
    assert ("plot" in dir(result)) <= bool(drawn) or name in without


def test_verdict_and_table_show_the_same_digits():
    result = made("Comparison")
    sentences = {line.partition(":")[0]: line for line in result.document().sentences}
    for metric in ("accuracy", "f1"):
        scores = result.document().tables[metric]
        differences = result.document().tables[f"{metric}, differences"]
        estimates = {row[-2] for row in scores.rows}
        gaps = {row[-3] for row in differences.rows}
        p_values = {row[-1].rstrip("*") for row in differences.rows}
        for about, sentence in sentences.items():
            if about == metric or about.startswith(f"{metric} of "):
                assert re.search(r"\((\d\.\d+)\)", sentence)[1] in estimates
                assert set(re.findall(r"[+]\d\.\d+", sentence)) <= gaps
                found = re.findall(r"p (?:<=|=) (\d\.\d+)", sentence)
                assert set(found) <= p_values
                assert f"{scores.header[-1]} " in sentence or "CI" not in sentence


def test_the_same_number_is_written_once_whatever_its_standard_error():
    # All right: the estimate has no standard error, the other model's has; both say 1.000.
    y = [0, 1] * 50
    wrong = [1 - label if place < 20 else label for place, label in enumerate(y)]
    result = mc.compare(mc.Predictions(y, {"right": y, "wrong": wrong}), "accuracy", **FEW)
    assert result.document().tables["accuracy"].rows[0][2] == "1.000"
    assert "right leads (1.000)" in result.verdict()
    assert "1.0000" not in screen_text(result)
    assert "% CI" not in re.sub(r"\d % CI", "", screen_text(result))


def test_results_share_one_set_of_writers():
    for name in MADE:
        own = {key for key, _ in inspect.getmembers(type(made(name)), inspect.isfunction)
               if key.startswith("to_") and key in vars(type(made(name)))}  # fmt: skip
        assert own <= {"to_frame"}
