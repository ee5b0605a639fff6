"""Results without a row for each sample: MTEB's are ranked, others refused with the remedy."""

import json

import pytest

import modelcompare as mc
from tests.plugged import needed, needs, of_plugins
from tests.readers.opening import DATA

needed("logs", "published")

DOCUMENTS = {
    "mteb": {"dataset_revision": "a1", "task_name": "STS12", "mteb_version": "1.12.0",
             "evaluation_time": 3.2, "scores": {"test": [{"hf_subset": "default", "main_score": 0.7}]}},
    "lm_eval": {"results": {"arc_easy": {"alias": "arc_easy", "acc,none": 0.6, "acc_stderr,none": 0.01}},
                "configs": {}, "model_name": "gpt2"},
    "evalplus": {"date": "2024-05-01 10:00", "hash": "1b", "eval": {}},
    "bigcode": {"humaneval": {"pass@1": 0.31}, "config": {"model": "coder", "temperature": 0.2}},
    "opencompass": {"accuracy": 66.7},
    "swe": {"astropy__astropy-1": {"patch_is_None": False, "patch_successfully_applied": True, "resolved": True}},
}  # fmt: skip
REFUSED = {
    "mteb": "mteb.json is a task's result by MTEB, not a row for each sample; rank the folder of all models: modelcompare ranks results/.",
    "lm_eval": "lm_eval.json is the means of lm-evaluation-harness, not a row for each sample; compare its logs of samples (--log_samples), or make a table for `modelcompare ranks` with one metric of each task, in rows such as dataset,model,score = arc_easy,gpt2,0.61.",
    "evalplus": "evalplus.json is the result of EvalPlus, not a row for each sample; modelcompare compare reads it, a file for each model, if it has base_status and plus_status of each solution.",
    "bigcode": "bigcode.json is the pass rates of BigCode's harness, not a row for each sample; compare the logs.json of tasks that write one, or make a table for `modelcompare compare` with a row for each program, as model,item,attempt,score = coder,HumanEval/0,1,0.",
    "opencompass": "opencompass.json is an accuracy, not a row for each sample; compare a log of samples (OpenCompass writes one with --dump-eval-details), or make a table for `modelcompare ranks` with rows such as dataset,model,score = arc_easy,gpt2,0.61.",
    "swe": "swe.json is the report of one SWE-bench instance, not a row for each sample; compare the reports of whole runs, MODEL.RUN.json.",
}  # fmt: skip
SCORES = {"org__a": (0.9, 0.5), "org__b": (0.8, 0.75), "org__c": (0.7, 0.4)}


def write(folder, scores=SCORES, revision="1"):
    """Write results as mteb does: a folder for each model and revision, a file for each task."""
    for model, (one, two) in scores.items():
        inside = folder / model / revision
        inside.mkdir(parents=True)
        (inside / "model_meta.json").write_text(json.dumps({"name": model.replace("__", "/")}))
        tasks = {"STS12": [one], "STS17": [two, two + 0.25]}
        for task, values in tasks.items():
            subsets = [{"hf_subset": f"s{n}", "main_score": x} for n, x in enumerate(values)]
            document = DOCUMENTS["mteb"] | {"task_name": task, "scores": {"test": subsets}}
            (inside / f"{task}.json").write_text(json.dumps(document))


@pytest.mark.parametrize("revision", ["1", "8b3219a92973c328a8e22fadcfa821b5dc75636a"])
def test_a_folder_of_mteb_is_ranked(run, tmp_path, revision):
    write(tmp_path / "results", revision=revision)
    done = run("ranks", "results", "--format", "json")
    assert done.read == (
        "modelcompare: read data sets: 2 (STS12, STS17 (mean of 2 subsets)); models: 3 "
        "(org__a, org__b, org__c); direction: main_score: higher is better, by its name\n"
    )
    table = {m: [one, two + 0.125] for m, (one, two) in SCORES.items()}
    expected = (
        mc.inference.critical_difference(table, greater_is_better=True).ranks["mean_rank"].tolist()
    )
    assert [row["mean_rank"] for row in json.loads(done.out)["ranks"]] == expected


def test_results_of_mteb_that_are_not_comparable_are_refused(run, tmp_path):
    write(tmp_path / "r")
    path = tmp_path / "r/org__b/1/STS17.json"
    document = json.loads(path.read_text())
    whole = document["scores"]["test"]
    for scores, message in (
        ({"test": whole, "dev": whole}, "STS17.json has scores of test, dev; ranks need one split"),
        ({}, "STS17.json has scores of no split; ranks need one split"),
        (
            {"test": whole[:1]},
            "lacks the score of org__b on data set 'STS17 (mean of 2 subsets)'",
        ),
        ({"test": [{}, *whole[1:]]}, "lacks the score of org__b on data set 'STS17 (mean of 2"),
        ([], REFUSED["mteb"].replace("mteb.json", "STS17.json")),
        ({"test": [{"main_score": "x"}]}, "STS17.json must have a text as task_name, and a number"),
        ({"test": 5}, "lacks the score of org__b"),
    ):
        path.write_text(json.dumps(document | {"scores": scores}))
        done = run("ranks", "r")
        assert (done.code, message in done.err) == (2, True), done.err
    path.unlink()
    assert "lacks the score of org__b on data set 'STS17 (mean" in run("ranks", "r").err


@needs("runs")
def test_splits_of_training_are_left_out_and_revisions_are_one_model(run, tmp_path):
    write(tmp_path / "r")
    expected = run("ranks", "r", "--format", "json").out
    path = tmp_path / "r/org__b/1/STS17.json"
    document = json.loads(path.read_text())
    document["scores"]["train"] = [{"hf_subset": "s0", "main_score": 1.0}]
    path.unlink()
    other = tmp_path / "r/org__b/2/STS17.json"
    other.parent.mkdir()
    other.write_text(json.dumps(document))
    assert run("ranks", "r", "--format", "json").out == expected
    # Two revisions with the same task are two models.
    write(tmp_path / "s")
    write(tmp_path / "s", {"org__b": (0.1, 0.2)}, revision="2")
    models = {
        row["model"] for row in json.loads(run("ranks", "s", "--format", "json").out)["ranks"]
    }
    assert models == {"org__a/1", "org__b/1", "org__b/2", "org__c/1"}


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("command", of_plugins(["ranks", "compare", "groups"], suites=["groups"]))
def test_results_without_samples_are_refused_with_the_remedy(run, tmp_path, name, command):
    (tmp_path / f"{name}.json").write_text(json.dumps(DOCUMENTS[name]))
    done = run(command, f"{name}.json")
    assert (done.code, done.err) == (2, f"modelcompare: error: {REFUSED[name]}\n")


@needs("runs")
def test_the_table_that_a_refusal_names_is_read(run, tmp_path):
    rows = [
        f"{d},{m},{s}"
        for d in ("arc_easy", "piqa")
        for m, s in zip("abc", (0.61, 0.6, 0.5), strict=True)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["dataset,model,score", *rows]))
    assert run("ranks", "t.csv", "--higher-is-better").out.startswith(
        "The models do not differ significantly over 2"
    )
    rows = [f"{m},HumanEval/{i},{r},{(i + r) % 2}" for m in "ab" for i in range(9) for r in (1, 2)]
    (tmp_path / "u.csv").write_text("\n".join(["model,item,run,score", *rows]))
    assert run("compare", "u.csv", "--resamples", 99).code == 0


def test_compare_points_at_ranks_for_printed_scores_which_groups_reads(run, tmp_path):
    (tmp_path / "t.csv").write_text("dataset,a,b\nu,93.3 ± 0.5,92\nv,80.1,82\nw,70,71\n")
    assert run("compare", "t.csv").err == (
        "modelcompare: error: t.csv: column 'a' has '93.3 ± 0.5', as papers print scores; such "
        "scores are for `modelcompare ranks`, those of samples are numbers alone.\n"
    )
    found = run("groups", "t.csv", "--resamples", "99")
    assert "each data set is one sample; the answer is for data sets like these" in found.err
    assert "n:3|" in found.out


def test_folders_of_eval_results_are_ranked(run):
    pytest.importorskip("yaml")
    table = {"small": [4.1, 30.3, 22.5], "middle": [9.6, 41.2, 35.0], "large": [20.9, 55.6, 34.0]}
    done = run("ranks", str(DATA / "eval_results"), "--higher-is-better", "--format", "json")
    assert "data sets: 3 (cais/hle, Idavidrein/gpqa/gpqa_diamond, made-up/sums/hard)" in done.read
    ranks = {row["model"]: row["mean_rank"] for row in json.loads(done.out)["ranks"]}
    expected = mc.inference.critical_difference(table, greater_is_better=True).ranks.set_index(
        "model"
    )["mean_rank"]
    assert ranks == expected.to_dict()
