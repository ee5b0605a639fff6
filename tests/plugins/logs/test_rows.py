"""Results of tools that list them: the numbers of each file, summed up by a loop, and what is refused."""

import csv
import json
import re
import shutil
from statistics import mean

import pytest

import modelcompare as mc
from modelcompare.data.checks import DataWarning
from modelcompare.readers.content import File
from modelcompare.readers.formats import format_of
from tests.plugged import needs
from tests.readers.opening import DATA, opened

ALPACA = sorted((DATA / "alpaca_eval").glob("*/annotations.json"))
MMLU = "mmlu-subject=philosophy,method=multiple_choice_joint"
EVALPLUS, MQM = DATA / "evalplus", DATA / "mqm"


def means(source, **options):
    """Return the mean scores of each model, by name."""
    preds = mc.read_predictions(source, **options)
    names = preds.access.scores.names or ("score",)
    arrays = {model: preds.output(model).array.reshape(-1, len(names)) for model in preds.models}
    return {m: dict(zip(names, a.mean(axis=0), strict=True)) for m, a in arrays.items()}


def shares_right(source, **options):
    """Return the share of right labels of each model."""
    preds = mc.read_predictions(source, **options)
    return {m: (preds.predicted(m) == preds.access.codes).mean() for m in preds.models}


def near(expected):
    return {model: pytest.approx(scores) for model, scores in expected.items()}


def test_annotations_of_alpaca_eval_are_win_rates_against_the_baseline():
    expected = {
        path.parent.name: {"win_rate": mean(row["preference"] - 1 for row in json.loads(path.read_text()))}
        for path in ALPACA
    }  # fmt: skip
    assert means(ALPACA) == near(expected)
    assert means(DATA / "alpaca_eval") == near(expected)
    assert means(ALPACA[0]) == near({"alpaca-7b": expected["alpaca-7b"]} if "7b" in str(ALPACA[0]) else
                                    {ALPACA[0].parent.name: expected[ALPACA[0].parent.name]})  # fmt: skip


def changed(tmp_path, path, change, name=None):
    """Write a JSON file again, with a change of its document."""
    document = json.loads(path.read_text())
    change(document)
    copy = tmp_path / (name or path.name)
    copy.write_text(json.dumps(document))
    return copy


@pytest.mark.parametrize(("preference", "wins"), [(0, 0.5), (1.5, 0.5), (1, 0.0), (2, 1.0)])
def test_ties_of_old_annotations_are_half_a_win(tmp_path, preference, wins):
    def same(rows):
        for row in rows:
            row["preference"] = preference

    found = means(changed(tmp_path, ALPACA[0], same))
    assert [scores["win_rate"] for scores in found.values()] == [wins]


@pytest.mark.parametrize("preference", [3, -1, "b", [1]])
def test_other_preferences_are_refused(tmp_path, preference):
    path = changed(tmp_path, ALPACA[0], lambda rows: rows[2].update(preference=preference))
    with pytest.raises(ValueError, match=r"annotations\.json: the preference of annotation 3 is"):
        mc.read_predictions(path)


def test_a_failed_judgement_is_missing_and_another_baseline_is_refused(tmp_path):
    lacking = changed(tmp_path, ALPACA[0], lambda rows: rows[0].update(preference=None))
    with pytest.raises(ValueError, match=r"missing cells \(win_rate 1;"):
        mc.read_predictions(lacking)
    with pytest.warns(DataWarning, match="left out 1 of 12 samples"):
        assert len(mc.read_predictions(lacking, missing="drop")) == 11

    def of_other(rows):
        for row in rows:
            row["generator_1"] = "another"

    with pytest.raises(ValueError, match="baseline"):
        mc.read_predictions([changed(tmp_path, ALPACA[0], of_other), ALPACA[1]])


def test_statistics_of_helm_have_the_means_of_its_own_summary():
    for run in sorted((DATA / "helm").iterdir()):
        own = json.loads((run / "stats.json").read_text())
        for split in {each["name"]["split"] for each in own}:
            wanted = {
                each["name"]["name"]: each["mean"]
                for each in own
                if each["name"]["split"] == split and each["name"]["name"].endswith("exact_match")
            }
            several = len({each["name"]["split"] for each in own}) > 1
            options = {"columns": {"set": f"{MMLU} {split}"}} if several else {}
            (found,) = means(run / "per_instance_stats.json", **options).values() if (
                not several or split == "test"
            ) else [wanted]  # fmt: skip
            assert found == pytest.approx(wanted)


def test_a_run_of_helm_is_named_by_its_folder_and_files_beside_are_left_out():
    preds = mc.read_predictions(DATA / "helm", columns={"set": f"{MMLU} test"})
    assert preds.models == ("openai_gpt2",)
    assert len(preds) == 9
    with pytest.raises(ValueError, match=f"there are 3 test sets.*{MMLU} valid"):
        mc.read_predictions(DATA / "helm")


def part(row):
    return row["stats"][0]["name"]["split"]


@needs("suites")
def test_perturbed_instances_of_helm_are_another_test_set(tmp_path):
    run = tmp_path / f"{MMLU},model=a_b"
    run.mkdir()

    def perturb(rows):
        rows[:] = [row for row in rows if part(row) == "test"]
        rows += [{**row, "perturbation": {"name": "typos"}} for row in rows]

    path = next((DATA / "helm").glob("mmlu*/per_instance_stats.json"))
    shutil.move(changed(tmp_path, path, perturb), run)
    found = mc.io.read_sets(run / "per_instance_stats.json")
    rows = json.loads(path.read_text())
    n = sum(part(row) == "test" for row in rows)
    sizes = {name: len(preds) for name, preds in found.items()}
    assert sizes == {MMLU: n, f"{MMLU} typos": n}


def test_predictions_of_helm_have_statistics_by_name(tmp_path):
    rows = [
        {"instance_id": f"id{n}", "train_trial_index": 0, "predicted_text": "A",
         "stats": {"exact_match": float(n % 2), "num_references": 4}}
        for n in range(6)
    ]  # fmt: skip
    run = tmp_path / "legal:subset=a,model=b_c"
    run.mkdir()
    (run / "display_predictions.json").write_text(json.dumps(rows))
    assert means(run / "display_predictions.json") == {"b_c": {"exact_match": 0.5}}


def passes(document):
    """Return the shares of solutions that pass the base tests, and both, as EvalPlus counts them."""
    found = [solution for solutions in document["eval"].values() for solution in solutions]
    base = [each["base_status"] == "pass" for each in found]
    both = [each["base_status"] == each["plus_status"] == "pass" for each in found]
    return {"base": mean(base), "plus": mean(both)}


def test_results_of_evalplus_have_its_pass_rates(tmp_path):
    paths = sorted(EVALPLUS.glob("70*/*.json"))
    expected = {path.parent.name: passes(json.loads(path.read_text())) for path in paths}
    assert means(paths) == near(expected)
    shutil.copytree(
        EVALPLUS, tmp_path / "all", ignore=lambda *_: ["phi_1_samples_eval_results.json"]
    )
    (tmp_path / "all/70-g/samples.jsonl").write_text('{"task_id": "HumanEval/0", "solution": ""}\n')
    assert means(tmp_path / "all") == near(expected)


def test_results_of_an_early_evalplus_are_lists_of_tests():
    path = EVALPLUS / "phi_1_samples_eval_results.json"
    tasks = json.loads(path.read_text())["eval"].values()
    base = [task["base"][0][0] == "success" for task in tasks]
    both = [b and task["plus"][0][0] == "success" for b, task in zip(base, tasks, strict=True)]
    assert means(path) == {"phi_1": pytest.approx({"base": mean(base), "plus": mean(both)})}


def test_results_of_bigcodebench_have_one_status():
    paths = sorted((DATA / "bigcodebench").glob("*.json"))
    assert {format_of(opened(path)).name for path in paths} == {"BigCodeBench results"}
    found = {
        path.name.removesuffix("_eval_results.json"): [
            solution["status"] == "pass"
            for solutions in json.loads(path.read_text())["eval"].values()
            for solution in solutions
        ]
        for path in paths
    }
    assert means(paths) == near({name: {"status": mean(each)} for name, each in found.items()})


def test_an_unknown_status_is_refused(tmp_path):
    def crash(document):
        document["eval"]["HumanEval/1"][0]["base_status"] = "crash"

    path = changed(tmp_path, sorted(EVALPLUS.glob("70*/*.json"))[0], crash)
    with pytest.raises(
        ValueError, match="base_status of result 2 is 'crash', which is none of pass"
    ):
        mc.read_predictions(path)


def test_results_of_human_eval_and_of_bigcode_are_shares_that_passed():
    paths = sorted((DATA / "humaneval").glob("*.jsonl"))
    rows = {
        p.name.split(".")[0]: [json.loads(r) for r in p.read_text().splitlines()] for p in paths
    }
    shares = {
        name: {"passed": mean(row["passed"] for row in found)} for name, found in rows.items()
    }
    assert means(paths) == near(shares)
    logs = {path.stem.removesuffix("_logs"): json.loads(path.read_text())
            for path in (DATA / "bigcode").glob("*.json")}  # fmt: skip
    assert means(DATA / "bigcode") == near({
        name: {"passed": mean(each["passed"] for pairs in found.values() for _, each in pairs)}
        for name, found in logs.items()
    })  # fmt: skip
    # compute_code_eval of the harness printed these.
    assert means(DATA / "bigcode") == near({"small": {"passed": 0.375}, "large": {"passed": 0.75}})
    preds = mc.read_predictions(DATA / "bigcode")
    assert (len(preds), len({*preds.groups.tolist()})) == (8, 4)


def test_a_field_named_file_describes_the_rows(tmp_path):
    (first, *_) = sorted((DATA / "humaneval").glob("*.jsonl"))
    rows = [json.loads(row) for row in first.read_text().splitlines()]
    path = tmp_path / first.name
    path.write_text("".join(json.dumps({**row, "file": "a.py"}) + "\n" for row in rows))
    assert means(path) == means(first)
    assert mc.read_predictions(path, columns={"slices": ["file"]}).slices[
        "file"
    ].unique().tolist() == ["a.py"]


def test_gradings_of_mt_bench_are_rows_of_a_question_and_turn():
    path = DATA / "mt_bench" / "gpt-4_single.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    unrated = {(row["question_id"], row["turn"]) for row in rows if row["score"] == -1}
    kept = [row for row in rows if (row["question_id"], row["turn"]) not in unrated]
    expected = {
        model: {"score": mean(row["score"] for row in kept if row["model"] == model)}
        for model in ("small", "large")
    }
    with pytest.warns(DataWarning, match="left out 1 of 8"):
        assert means(path, missing="drop") == near(expected)
    with pytest.warns(DataWarning):
        preds = mc.read_predictions(path, missing="drop")
    assert preds.ids.tolist()[:3] == ["81 turn 1", "81 turn 2", "82 turn 1"]
    assert preds.groups.tolist() == ["81", "81", "82", "82", "83", "84", "84"]


def test_test_runs_of_deepeval_have_the_scores_of_their_metrics(tmp_path):
    paths = sorted((DATA / "deepeval").glob("*.json"))
    runs = {path.stem: json.loads(path.read_text()) for path in paths}
    failed = {"Capital of France?"}
    expected = {
        model: {
            name: mean(
                metric["score"]
                for case in run["testCases"] if case["input"] not in failed
                for metric in case["metricsData"] if metric["name"] == name
            )
            for name in ("Length", "Detail")
        }
        for model, run in runs.items()
    }  # fmt: skip
    with pytest.warns(DataWarning, match="left out 1 of 6"):
        assert means(paths, missing="drop") == near(expected)
    for metric in runs["large"]["metricsScores"]:
        assert means(paths[0])["large"][metric["metric"]] == pytest.approx(mean(metric["scores"]))
    latest = tmp_path / "latest.json"
    latest.write_text(json.dumps({"testRunData": runs["large"], "testRunLink": None}))
    assert means(latest) == means(paths[0])


def test_test_runs_of_one_model_are_named_by_their_files(tmp_path):
    def same(document):
        document["hyperparameters"]["model"] = "gpt"

    paths = sorted((DATA / "deepeval").glob("*.json"))
    copies = [changed(tmp_path, path, same, f"prompt_{path.stem}.json") for path in paths]
    with pytest.warns(DataWarning):
        preds = mc.read_predictions(copies, missing="drop")
    assert preds.models == ("prompt_large", "prompt_small")


def test_the_ending_of_a_tool_is_left_out_of_names_alone(tmp_path):
    for name in ("catalogs", "a_logs"):
        shutil.copy(DATA / "bigcode" / "small_logs.json", tmp_path / f"{name}.json")
    assert mc.read_predictions(tmp_path).models == ("a", "catalogs")


@needs("runs")
def test_details_of_opencompass_have_its_accuracy():
    for name, key in (("letters", "accuracy"), ("repeated", "accuracy (2 runs average)")):
        expected = {
            model: {"correct": json.loads((DATA / "opencompass" / model / f"{name}.json").read_text())[key] / 100}
            for model in ("small", "large")
        }  # fmt: skip
        assert means(DATA / "opencompass", columns={"set": name}) == near(expected)
        files = [DATA / "opencompass" / model / f"{name}.json" for model in expected]
        assert means(files) == near(expected)
    preds = mc.read_predictions(DATA / "opencompass", columns={"set": "repeated"})
    assert preds.ids.tolist()[:2] == ["letters_0 run 1", "letters_0 run 2"]


def test_details_that_do_not_show_what_is_correct_are_refused(tmp_path):
    path = DATA / "opencompass/small/letters.json"
    copy = changed(tmp_path, path, lambda document: document.update(accuracy=50.0))
    with pytest.raises(ValueError, match=r"do not show which samples are correct.*model,id,score"):
        mc.read_predictions(copy)


def test_ratings_of_wmt_have_the_published_scores():
    lines = (MQM / "mqm_ted_ende.avg_seg_scores.tsv").read_text().splitlines()[1:]
    published = {}
    for system, score, segment in map(str.split, lines):
        if score != "None":
            published.setdefault(system, {})[segment] = float(score)
    preds = mc.read_predictions(MQM / "mqm_ted_ende.tsv")
    for model, name in (("Facebook-AI", "Facebook-AI"), ("UEdin", "UEdin"), ("ref", "ref-A")):
        found = dict(zip(map(str, preds.ids), preds.output(model).array[:, 0], strict=True))
        assert found == pytest.approx(published[name], abs=1e-6)
    assert {*preds.groups} == {row["doc"] for row in ratings()}
    as_published = means(MQM / "mqm_ted_ende.avg_seg_scores.tsv")
    assert as_published["ref-A"]["score"] == pytest.approx(
        means(MQM / "mqm_ted_ende.tsv")["ref"]["mqm"]
    )


def ratings():
    with (MQM / "mqm_ted_ende.tsv").open() as file:
        return [*csv.DictReader(file, delimiter="\t")]


def rated(tmp_path, rows):
    path = tmp_path / "r.tsv"
    head = [
        "system",
        "doc",
        "doc_id",
        "seg_id",
        "rater",
        "source",
        "target",
        "category",
        "severity",
    ]
    path.write_text("\n".join("\t".join(map(str, row)) for row in [head, *rows]) + "\n")
    return path


def test_weights_of_errors_and_the_mean_of_raters(tmp_path):
    def row(system, segment, rater, category, severity):
        return (system, "d", segment, segment, rater, "s", "t", category, severity)

    rows = [
        row("a", 1, "r1", "Non-translation!", "Major"),  # 25
        row("a", 2, "r1", "Fluency/Punctuation", "Minor"),  # 0.1
        row("a", 2, "r1", "Accuracy/Omission", "Major"),  # 5
        row("a", 2, "r2", "No-error", "No-error"),  # 0: the mean of two raters is 2.55
        row("b", 1, "r1", "Style/Awkward", "Minor"), row("b", 2, "r1", "Other", "Neutral"),
    ]  # fmt: skip
    preds = mc.read_predictions(rated(tmp_path, rows))
    assert preds.output("a").array[:, 0].tolist() == pytest.approx([-25, -2.55])
    assert preds.output("b").array[:, 0].tolist() == pytest.approx([-1, 0])
    with pytest.raises(ValueError, match="severity of result 1 is 'grave', which is none of major"):
        mc.read_predictions(rated(tmp_path, [row("a", 1, "r1", "Other", "grave"), *rows]))


@needs("suites")
@needs("large")
def test_responses_of_people_and_networks_are_compared_on_the_same_images(tmp_path):
    for data in ("sketch", "colour"):
        folder = tmp_path / data
        shutil.copytree(DATA / "model_vs_human" / data, folder)
        with (folder / f"{data}_subject-01_session_1.csv").open() as file:
            rows = [
                {name.lower(): cell for name, cell in row.items()} for row in csv.DictReader(file)
            ]
        # As print_batch_to_csv writes the responses of a network: another order and other names.
        lines = [
            f"resnet50,1,{n},NaN,{'oven' if n % 3 else row['category']},{row['category']},{row['condition']},"
            f"{row['imagename'].replace('_s01_', '_dnn_')}"
            for n, row in enumerate(reversed(rows), start=1)
        ]  # fmt: skip
        (folder / f"{data}_resnet50_session-1.csv").write_text(
            "subj,session,trial,rt,object_response,category,condition,imagename\n"
            + "\n".join(lines)
        )
    found = shares_right(tmp_path / "colour")
    assert found["subject-01"] == mean(row["object_response"] == row["category"] for row in rows)
    right = [
        ("oven" if n % 3 else row["category"]) == row["category"]
        for n, row in enumerate(reversed(rows), start=1)
    ]
    assert found["resnet50"] == mean(right)
    sets = mc.io.read_sets(sorted(tmp_path.glob("*/*.csv")))
    assert {name: preds.models for name, preds in sets.items()} == {
        "colour": ("resnet50", "subject-01", "subject-02"),
        "sketch": ("resnet50", "subject-01", "subject-02"),
    }


def test_no_response_is_a_wrong_one(tmp_path):
    head = "subj,session,trial,rt,object_response,category,condition,imagename"
    rows = ["na,dog", "dog,dog", "cat,cat", "dog,cat"]
    for name, answers in (("s1", rows), ("s2", rows[::-1][:1] + rows[1:])):
        lines = [
            f"{name},1,{n},1.0,{'dog' if name == 's2' else answer.split(',')[0]},{rows[n].split(',')[1]},0,"
            f"000{n}_x_{name}_0_c_00_i{n}.png"
            for n, answer in enumerate(answers)
        ]  # fmt: skip
        (tmp_path / f"x_{name}_session_1.csv").write_text("\n".join([head, *lines]) + "\n")
    assert shares_right(tmp_path) == {"s1": 0.5, "s2": 0.5}


def test_metrics_of_mlflow_are_means_of_their_columns():
    path = DATA / "mlflow" / "eval_results_table.json"
    table = json.loads(path.read_text())
    column = table["columns"].index("ari_grade_level/v1/score")
    found = means(path)["eval_results_table"]
    assert found["ari_grade_level"] == pytest.approx(mean(row[column] for row in table["data"]))
    judged = table["columns"].index("answer_correctness/v1/score")
    held = [row[judged] for row in table["data"] if row[judged] is not None]
    scores = means(path, columns={"score": "answer_correctness"})
    assert scores["eval_results_table"]["answer_correctness"] == pytest.approx(mean(held))


def test_a_table_of_columns_and_data_is_a_table():
    path = DATA / "wandb" / "predictions.table.json"
    table = json.loads(path.read_text())
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    assert shares_right(path) == {
        model: mean(row[model] == row["label"] for row in rows) for model in ("bow", "cnn")
    }


TRUNCATED = sorted(
    path
    for tool in ("alpaca_eval", "helm", "evalplus", "humaneval", "bigcode", "mt_bench", "opencompass", "deepeval", "mlflow")
    for path in (DATA / tool).rglob("*.json*")
)  # fmt: skip


@pytest.mark.parametrize("path", TRUNCATED, ids=lambda path: "/".join(path.parts[-2:]))
def test_a_truncated_file_is_refused_by_name(tmp_path, path):
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes()[: int(path.stat().st_size * 0.6)])
    with pytest.raises(ValueError, match=f"^{re.escape(path.name)}.*is not JSON"):
        mc.read_predictions(copy)


@pytest.mark.parametrize("field", ["instruction", "generator_2"])
def test_rows_without_a_name_are_refused(tmp_path, field):
    path = changed(tmp_path, ALPACA[0], lambda rows: rows[4].update({field: None}))
    with pytest.raises(ValueError, match=rf"annotations\.json: sample 5 has no {field}"):
        mc.read_predictions(path)


@pytest.mark.parametrize("found", [{"eval": {}}, {"details": {}}, {"testCases": []}, {}])
def test_empty_documents_are_of_no_format(tmp_path, found):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(found))
    assert format_of(opened(path)) is None
    with pytest.raises(ValueError, match=r"^x\.json"):
        mc.read_predictions(path)
    assert format_of(File(path, "json", [found])) is None


def test_numbers_of_documents_by_query_are_refused_with_trecs_lines(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"q1": {"d1": 0.5, "d2": 0.25}, "q2": {"d1": 1}}))
    with pytest.raises(
        ValueError, match=r"run\.json has a number for each document.*q1 Q0 d3 1 0.7"
    ):
        mc.read_predictions(path)
