"""Readers of reports: promptfoo, SWE-bench, Pydantic Evals, LeRobot, WMT, TREC."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.data.checks import DataWarning
from modelcompare.plugins.logs import lerobot, promptfoo, pydantic_evals, swebench, trec, wmt
from modelcompare.readers.formats import format_of
from tests.plugged import needs
from tests.readers.opening import opened

DATA = Path(__file__).parents[2] / "data" / "formats"
REPORTS = sorted((DATA / "swebench").glob("*.json"))
HUMAN = DATA / "wmt" / "human-scores" / "en-de.mqm.seg.score"
METRIC = DATA / "wmt" / "metric-scores" / "en-de" / "chrF-refA.seg.score"
QRELS, WHOLE, TRUNCATED = (
    DATA / "trec" / name for name in ("test.qrels", "whole.run", "trunc.run")
)
RESULTS = DATA / "promptfoo" / "results.json"


def records(format, *paths, kind="text"):
    return format.FORMAT.read([opened(path, kind) for path in paths])


def written(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if isinstance(text, str) else json.dumps(text), "utf-8")
    return path


# promptfoo


@pytest.fixture(scope="module")
def results():
    return json.loads(RESULTS.read_text())


def changed(folder, results, change, *, name="results.json"):
    """The results with a change made to each of them."""
    copy = json.loads(json.dumps(results))
    for result in copy["results"]["results"]:
        change(result)
    return written(folder / name, copy)


def test_promptfoo_s_own_sums_are_those_of_the_scores(results):
    frame = records(promptfoo, RESULTS, kind="json").frame
    for column in results["results"]["prompts"]:
        mine = frame[frame["model"] == f"{column['provider']} / {column['label']}"]
        reported = column["metrics"]
        assert mine["score:success"].isna().sum() == reported["testErrorCount"]
        assert mine["score:success"].sum() == reported["testPassCount"]
        assert mine["score:score"].sum() == pytest.approx(reported["score"])
        for name, total in reported["namedScores"].items():
            assert mine[f"score:{name}"].sum() == pytest.approx(total)
            assert mine[f"score:{name}"].count() == reported["namedScoresCount"][name]


def test_repeated_tests_of_promptfoo_are_runs_of_one_test():
    frame = records(promptfoo, RESULTS, kind="json").frame
    assert len(frame) == frame.groupby(["model", "run", "id"]).ngroups == 4 * 2 * 3
    assert frame["id"].unique().tolist() == [
        "a=4, b=5, answer=20", "a=12, b=3, answer=36", "a=12, b=12, answer=144",
    ]  # fmt: skip


def test_the_order_in_which_promptfoo_s_results_came_does_not_matter(tmp_path, results):
    shuffled = json.loads(json.dumps(results))
    shuffled["results"]["results"].reverse()
    key = ["model", "run", "id"]
    one, other = (
        records(promptfoo, path, kind="json").frame.sort_values(key, ignore_index=True)
        for path in (RESULTS, written(tmp_path / "results.json", shuffled))
    )
    pd.testing.assert_frame_equal(one, other)


def test_a_model_of_promptfoo_is_named_by_its_provider_where_there_is_one_prompt():
    records_of_lines = records(promptfoo, DATA / "promptfoo" / "results.jsonl", kind="jsonl")
    assert records_of_lines.frame["model"].unique().tolist() == ["large", "small"]
    assert "run" not in records_of_lines.frame
    assert records_of_lines.beside["metadata"].tolist()[0] == {"digits": 1}


def test_a_long_prompt_is_named_by_its_number(tmp_path, results):
    def lengthen(result):
        result["prompt"]["label"] += " please" * 10

    frame = records(promptfoo, changed(tmp_path, results, lengthen), kind="json").frame
    assert {*frame["model"]} == {
        "large / prompt 1", "large / prompt 2", "small / prompt 1", "small / prompt 2",
    }  # fmt: skip


def test_two_columns_of_one_name_are_two_models(tmp_path, results):
    def same_label(result):
        result["provider"] = {"id": "gpt"}
        result["prompt"]["label"] = "short"

    frame = records(promptfoo, changed(tmp_path, results, same_label), kind="json").frame
    assert frame["model"].value_counts().to_dict() == {
        "gpt": 6,
        "gpt #2": 6,
        "gpt #3": 6,
        "gpt #4": 6,
    }


def test_tests_of_the_same_variables_and_other_assertions_are_two(tmp_path, results):
    def assert_more(result):
        result["testCase"]["assert"] += [{"type": "latency"}] * (result["testIdx"] % 2)

    frame = records(promptfoo, changed(tmp_path, results, assert_more), kind="json").frame
    assert frame["id"].nunique() == 6
    assert "run" not in frame


def test_the_same_tests_in_two_files_are_runs_and_other_models_are_models(tmp_path, results):
    def rename(result):
        result["provider"]["label"] += "-new"

    again = written(tmp_path / "again.json", results)
    renamed = changed(tmp_path, results, rename, name="new.json")
    assert records(promptfoo, RESULTS, again, kind="json").frame["run"].max() == 4
    both = records(promptfoo, RESULTS, renamed, kind="json").frame
    assert (both["model"].nunique(), both["run"].max(), both["id"].nunique()) == (8, 2, 3)


def test_a_test_without_a_description_is_another_than_one_that_is_described_as_test(
    tmp_path, results
):
    def undescribe(result):
        result["vars"] = result["testCase"]["vars"] = {}
        described = "test" if result["testIdx"] % 2 else None
        result["testCase"] |= {"description": described, "assert": []}

    frame = records(promptfoo, changed(tmp_path, results, undescribe), kind="json").frame
    assert {*frame["id"]} == {"test", "test (2)"}


@pytest.mark.parametrize("of", ["summary", "list"])
def test_what_promptfoo_s_functions_return_is_read_as_well(tmp_path, results, of):
    document = results["results"] if of == "summary" else results["results"]["results"]
    path = written(tmp_path / "summary.json", document)
    expected = records(promptfoo, RESULTS, kind="json").frame
    pd.testing.assert_frame_equal(records(promptfoo, path, kind="json").frame, expected)


def test_results_without_a_prompt_are_of_their_providers_columns(tmp_path, results):
    def strip(result):
        del result["prompt"], result["testCase"]
        result["vars"] = {} if result["testIdx"] else None

    frame = records(promptfoo, changed(tmp_path, results, strip), kind="json").frame
    assert {*frame["model"]} == {"large", "large #2", "small", "small #2"}
    assert frame.groupby("id")["run"].max().to_dict() == {"test": 6}


def test_errors_are_recognised_without_a_reason_of_failure(tmp_path, results):
    path = changed(tmp_path, results, lambda result: result.pop("failureReason"))
    expected = records(promptfoo, RESULTS, kind="json").frame
    assert expected["score:success"].isna().sum() == 2
    pd.testing.assert_frame_equal(records(promptfoo, path, kind="json").frame, expected)


# Pydantic Evals


def test_cases_of_pydantic_evals_have_their_scores_and_assertions():
    small, large, twice = (
        records(pydantic_evals, DATA / "pydantic_evals" / f"{name}.json", kind="json")
        for name in ("small", "large", "large_twice")
    )
    assert small.scores == ("length", "EqualsExpected")
    assert small.frame["score:EqualsExpected"].sum() == 2  # 10 and 11 have two digits
    assert large.frame["score:EqualsExpected"].sum() == 9  # but 0, 4 and 8
    failed = small.frame[small.frame["score:length"].isna()]
    assert failed["id"].tolist() == ["case 7"]
    assert small.beside["kind"].dropna().unique().tolist() == ["short"]
    assert len(twice.frame) == 24
    assert twice.frame.groupby("id")["run"].unique().map(list).tolist() == [[1, 2]] * 12


# LeRobot


def test_episodes_of_lerobot_are_answers_to_their_task():
    found = records(lerobot, DATA / "lerobot" / "act" / "eval_info.json", kind="json")
    written_by_it = json.loads((DATA / "lerobot" / "act" / "eval_info.json").read_text())
    assert found.answers
    assert found.frame["id"].value_counts().to_dict() == {f"libero_10 {n}": 5 for n in range(4)}
    assert 100 * found.frame["score:success"].mean() == written_by_it["overall"]["pc_success"]
    preds = mc.read_predictions(DATA / "lerobot")
    assert (preds.models, len(preds), len({*preds.groups})) == (("act", "smolvla"), 20, 4)


def test_a_task_of_lerobot_with_fewer_rewards_than_successes_is_refused(tmp_path):
    document = json.loads((DATA / "lerobot" / "act" / "eval_info.json").read_text())
    document["per_task"][1]["metrics"]["sum_rewards"].pop()
    with pytest.raises(
        ValueError, match=r"eval_info\.json: task 'libero_10 1' must have a success"
    ):
        records(lerobot, written(tmp_path / "eval_info.json", document), kind="json")


# SWE-bench


def test_swe_bench_s_own_counts_are_those_of_the_scores():
    read = records(swebench, *REPORTS, kind="json")
    rows = pd.concat([read.frame, read.beside], axis=1)
    for path in REPORTS:
        report = json.loads(path.read_text())
        model, run_id, _ = path.name.rsplit(".", 2)
        mine = rows[(rows["model"] == model) & (rows["run_id"] == run_id)]
        scores = mine["score:resolved"]
        assert scores.sum() == report["resolved_instances"]
        assert (scores == 0).sum() == report["unresolved_instances"] + report[
            "empty_patch_instances"
        ]
        assert (mine["status"] == "error").sum() == report["error_instances"] > 0
        assert mine["status"].isin(["error", "incomplete"]).equals(scores.isna())


def test_an_instance_without_predictions_is_left_out_and_one_of_other_models_is_missing():
    frame = records(swebench, *REPORTS, kind="json").frame
    assert "psf__requests-2317" in json.loads(REPORTS[0].read_text())["incomplete_ids"]
    assert "psf__requests-2317" not in frame["id"].tolist()
    assert frame.groupby(["model", "run"])["id"].nunique().tolist() == [25] * 4
    assert {*frame["group"]} == {
        "django__django", "psf__requests", "scikit-learn__scikit-learn", "sympy__sympy",
    }  # fmt: skip


def test_one_report_a_model_has_no_runs():
    frame = records(swebench, REPORTS[0], REPORTS[2], kind="json").frame
    assert frame["model"].unique().tolist() == ["large-1.5", "small"]
    assert "run" not in frame


def _report(path, resolved, repositories):
    ids = [f"{repositories[i % len(repositories)]}-{i}" for i in range(40)]
    lists = {"resolved_ids": resolved, "unresolved_ids": {*range(40)} - resolved}
    return written(path, {key: [ids[i] for i in sorted(held)] for key, held in lists.items()})


def test_reports_of_one_repository_are_read_and_two_can_be_left_out_as_clusters(tmp_path):
    solved = {"a": {*range(0, 40, 3)}, "b": {*range(0, 40, 4)}}
    one = [_report(tmp_path / f"{m}.one.json", s, ["d__d"]) for m, s in solved.items()]
    alone = mc.compare(mc.read_predictions(one), n_resamples=99)
    as_scores = {m: [float(i in s) for i in range(40)] for m, s in solved.items()}
    want = mc.compare(mc.Predictions.from_scores(as_scores), n_resamples=99).scores
    bounds = ["estimate", "ci_low", "ci_high"]
    pd.testing.assert_frame_equal(alone.scores[bounds], want[bounds])
    two = [_report(tmp_path / f"{m}.two.json", s, ["d__d", "p__p"]) for m, s in solved.items()]
    assert {*mc.read_predictions(two).groups} == {"d__d", "p__p"}
    assert {*mc.read_predictions(two, columns={"groups": "group"}).groups} == {"d__d", "p__p"}
    # What the message about too few clusters names, also on the command line.
    by_id = mc.read_predictions(two, columns={"groups": "id"})
    assert by_id.groups is None
    pd.testing.assert_frame_equal(mc.compare(by_id, n_resamples=99).scores[bounds], want[bounds])


@needs("runs")
def test_of_several_reports_of_a_model_runs_stay_together_without_repositories(tmp_path):
    paths = [
        _report(tmp_path / f"{model}.{run}.json", {*range(run, 40, 3)}, ["d__d"])
        for model in "ab" for run in (1, 2)
    ]  # fmt: skip
    for columns in ({}, {"groups": "id"}):
        preds = mc.read_predictions(paths, columns=columns)
        assert (len(preds), len({*preds.groups})) == (80, 40)


def test_reports_whose_names_have_no_model_are_distinguished_by_their_file(tmp_path):
    paths = [
        written(tmp_path / folder / name, REPORTS[0].read_text())
        for folder, name in [("a", "report.json"), ("b", "report.json")]
    ]
    paths += [written(tmp_path / "c" / "output.report.json", REPORTS[0].read_text())]
    for chosen in (paths, [paths[2]] * 2):
        frame = records(swebench, *chosen, kind="json").frame
        assert "model" not in frame
        assert frame["file"].unique().tolist() == [*range(len(chosen))]


def test_ids_that_name_no_repository_are_no_clusters(tmp_path):
    def groups(*names):
        path = written(tmp_path / "m.r.json", {"resolved_ids": [*names], "unresolved_ids": []})
        frame = records(swebench, path, kind="json").frame
        return frame["group"].tolist() if "group" in frame else None

    assert groups("cli/cli:pr-513", "scikit-learn__scikit-learn-10297") == [
        "cli/cli", "scikit-learn__scikit-learn",
    ]  # fmt: skip
    assert groups("oauthlib__oauthlib.1fd52536.combine_file__09vlzwgc", "psf__requests-1") is None


# WMT


def lines_of(path):
    """Systems and scores, the segments numbered, as pandas reads them."""
    table = pd.read_csv(path, sep="\t", names=["model", "score"], na_values="None")
    return table.assign(id=table.groupby("model").cumcount() + 1).set_index(["model", "id"])[
        "score"
    ]


UNRATED = "ignore:left out 30 of 90 segments of en-de. no system has mqm for them."


@pytest.mark.filterwarnings(UNRATED)
def test_scores_of_wmt_are_those_of_its_lines():
    frame = records(wmt, HUMAN, METRIC).frame
    assert frame["set"].unique().tolist() == ["en-de"]
    rows = frame.set_index(["model", "id"])
    rated = lines_of(HUMAN).dropna()
    assert len(rows) == len(rated) == 4 * 60
    np.testing.assert_array_equal(rows["score:mqm"].reindex(rated.index), rated)
    metric = lines_of(METRIC)
    metric = metric[metric.index.isin(rated.index)]
    np.testing.assert_array_equal(rows["score:chrF-refA"].reindex(metric.index), metric)
    assert rows.loc["refA", "score:chrF-refA"].isna().all()


def test_segments_without_a_score_of_any_system_are_warned_of():
    with pytest.warns(DataWarning, match="left out 30 of 90 segments of en-de"):
        records(wmt, HUMAN)


def test_a_score_that_one_system_lacks_is_missing(tmp_path):
    copy = written(tmp_path / "en-de.mqm.seg.score", "a\t1\na\tNone\nb\tNone\nb\t2\n")
    assert records(wmt, copy).frame["score:mqm"].isna().tolist() == [False, True, True, False]


def test_a_metric_alone_takes_its_language_pair_from_its_folder():
    frame = records(wmt, METRIC).frame
    assert frame.columns.tolist() == ["set", "model", "id", "score:chrF-refA"]
    assert frame["set"].unique().tolist() == ["en-de"]


@pytest.mark.filterwarnings(UNRATED)
def test_a_metric_in_a_folder_of_another_name_has_no_set(tmp_path):
    copy = written(tmp_path / "BLEU-refA.refB.seg.score", METRIC.read_text())
    assert records(wmt, copy).frame.columns.tolist() == ["model", "id", "score:BLEU-refA.refB"]
    assert {*records(wmt, copy, HUMAN).frame["set"]} == {"en-de"}


@pytest.mark.filterwarnings(UNRATED)
def test_language_pairs_are_sets(tmp_path):
    other = written(tmp_path / "zh-en.mqm.seg.score", "a\t1\na\t2\nb\t3\nb\tNone\n")
    frame = records(wmt, HUMAN, other).frame
    assert frame.groupby("set").size().to_dict() == {"en-de": 240, "zh-en": 4}


# TREC

TREC_EVAL = {
    "score:nDCG@10": "ndcg_cut_10", "score:AP": "map", "score:RR": "recip_rank",
    "score:P@10": "P_10", "score:R@100": "recall_100",
}  # fmt: skip


@pytest.mark.parametrize(
    ("model", "output"), [("whole", "out.test.aq"), ("STANDARD", "out.test.aqc")]
)
@pytest.mark.filterwarnings("ignore:trunc.run lacks 1 of 3 judged queries")
def test_scores_of_queries_are_those_of_trec_eval(model, output):
    frame = records(trec, WHOLE, QRELS, TRUNCATED).frame
    reported = pd.read_csv(DATA / "trec" / output, sep=r"\s+", names=["measure", "id", "value"])
    expected = reported[reported["id"] != "all"].pivot(
        index="id", columns="measure", values="value"
    )
    mine = frame[frame["model"] == model].set_index("id").rename(columns=TREC_EVAL)
    pd.testing.assert_frame_equal(
        mine[[*expected.columns]], expected, atol=5.1e-5, rtol=0, check_names=False,
        check_index_type=False,
    )  # fmt: skip


def test_a_run_without_a_judged_query_is_warned_of():
    with pytest.warns(DataWarning, match=r"trunc.run lacks 1 of 3 judged queries \(302\)"):
        records(trec, QRELS, TRUNCATED)


def test_runs_of_one_tag_are_distinguished_by_their_file(tmp_path):
    copy = written(tmp_path / "copy.run", WHOLE.read_text())
    frame = records(trec, WHOLE, QRELS, copy).frame
    assert "model" not in frame
    assert frame["file"].tolist() == [0, 0, 0, 2, 2, 2]


def test_the_package_that_scores_runs_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(ImportError, match=r'pip install "modelcompare-stats\[ir\]"'):
        records(trec, QRELS, WHOLE)


def test_scores_of_a_trec_run_may_have_decimal_commas(tmp_path):
    lines = WHOLE.read_text().splitlines()
    rows = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    run = tmp_path / "comma.run"
    run.write_text(
        "".join(
            " ".join([*row[:4], f"{float(row[4]):.6f}".replace(".", ","), *row[5:]]) + "\n"
            for row in rows
        )
    )
    found, known = (records(trec, each, QRELS).frame for each in (run, WHOLE))
    pd.testing.assert_frame_equal(found.drop(columns="model"), known.drop(columns="model"))


def test_comments_of_trec_files_are_passed_over(tmp_path):
    run = written(tmp_path / "a.run", "# of today\n" + WHOLE.read_text())
    pd.testing.assert_frame_equal(
        records(trec, run, QRELS).frame, records(trec, WHOLE, QRELS).frame
    )


# Recognition

FORMAT_OF = {
    **dict.fromkeys(REPORTS, swebench.FORMAT), RESULTS: promptfoo.FORMAT,
    DATA / "promptfoo" / "results.jsonl": promptfoo.FORMAT,
    **dict.fromkeys([HUMAN, METRIC], wmt.FORMAT),
    **dict.fromkeys([QRELS, WHOLE, TRUNCATED], trec.FORMAT),
}  # fmt: skip
KINDS = {".json": "json", ".jsonl": "jsonl"}
BINARY = {".eval", ".parquet", ".gz", ".zip", ".pyc", ".xlsx", ".yaml"}
FILES = sorted(
    path
    for path in DATA.rglob("*")
    if path.is_file() and path.suffix not in BINARY and path.parent.name != "coco"
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_each_file_is_recognised_as_what_it_is_and_as_nothing_else(path):
    mine = {promptfoo.FORMAT, swebench.FORMAT, wmt.FORMAT, trec.FORMAT}
    for kind in {KINDS.get(path.suffix, "text"), "text"}:
        file = opened(path, kind)
        found = [each for each in mine if kind in each.kinds and each.recognises(file)]
        expected = FORMAT_OF.get(path)
        assert found == ([expected] if expected and kind in expected.kinds else [])
        if found:
            assert format_of(file) is expected


TABLES = {
    "two columns": "cat\t0.9\ncat\t0.8\ndog\t0.1\n",
    "with a header": "query\tQ0\tdoc\trank\tscore\ttag\n1\tQ0\td\t1\t0.5\tbm25\n",
    "six columns": "1\tx\td\t1\t0.5\tbm25\n2\tx\te\t1\t0.5\tbm25\n",
    "four columns": "1\tcat\tdog\t1\n2\tcat\tcat\t1\n",
    "a header of four": "y_true\tid\ta\tb\n1\t0\t1\t0\n",
    "prose": "It was the best of times, it was the worst\nof times, 1859 by 2 hands\n",
    "chapters": "Chapter 1\nChapter 2\nChapter 3\n",
    "numbers": "0.5\n0.25\n",
    "nothing": "",
}


@pytest.mark.parametrize("name", TABLES)
def test_no_table_and_no_prose_is_recognised(tmp_path, name):
    assert format_of(opened(written(tmp_path / "a.lines", TABLES[name]), "text")) not in (
        wmt.FORMAT, trec.FORMAT,
    )  # fmt: skip


@pytest.mark.parametrize(
    "document",
    [
        {}, 5, None, "results", {"results": []}, {"results": {"results": [{"score": 1}]}},
        {"results": {"task": {"acc": 1}}}, [{"y_true": 1, "y_pred": 0}], {"resolved_ids": ["a"]},
        {"resolved": ["a"], "no_generation": [], "no_logs": []},
    ],
)  # fmt: skip
def test_no_other_document_is_recognised(tmp_path, document):
    assert format_of(opened(written(tmp_path / "a.json", json.dumps(document)), "json")) is None


def test_no_table_of_objects_is_recognised(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = pd.DataFrame({"model": ["a"], "prompt": ["x"], "score": [1], "success": [True]})
    assert not promptfoo.FORMAT.recognises(type(opened(RESULTS, "json"))(path, "jsonl", rows))
