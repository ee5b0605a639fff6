"""Excerpts of results in public repositories: ``python excerpts.py FOLDER`` of clones OWNER/NAME.

Texts of prompts, answers and programs are left out or numbered; numbers and statuses are as they were.
"""

import csv
import json
import sys
from pathlib import Path

CLONES, HERE = Path(*sys.argv[1:2]), Path(__file__).parent
N = 12


def written(path, rows, **options):
    path = HERE / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, **options) + "\n")


def lines(path, rows):
    path = HERE / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def alpaca_eval():
    for folder in ("alpaca-7b", "FuseChat-Gemma-2-9B-Instruct"):
        of_judge = f"results/{folder}/weighted_alpaca_eval_gpt4_turbo/annotations.json"
        found = json.loads((CLONES / "tatsu-lab/alpaca_eval" / of_judge).read_text())
        order = {text: n for n, text in enumerate(sorted(row["instruction"] for row in found))}
        kept = ("dataset", "generator_1", "generator_2", "annotator", "preference")
        rows = [
            {
                "instruction": f"instruction {order[row['instruction']]}",
                **{key: row[key] for key in kept},
            }
            for row in found
            if order[row["instruction"]] < N
        ]
        written(f"alpaca_eval/{folder}/annotations.json", rows, indent=1)


def helm():
    folder = CLONES / "evaleval/every_eval_ever/tests/data/helm"
    kept = {"exact_match", "quasi_exact_match", "num_references", "inference_runtime"}
    for run in ("mmlu-subject=philosophy,method=multiple_choice_joint,model=openai_gpt2",
                "commonsense-dataset=hellaswag,method=multiple_choice_joint,model=eleutherai_pythia-1b-v0"):  # fmt: skip
        rows = json.loads((folder / run / "per_instance_stats.json").read_text())
        for row in rows:
            row["stats"] = [each for each in row["stats"] if each["name"]["name"] in kept]
        written(f"helm/{run}/per_instance_stats.json", rows, indent=1)
        stats = json.loads((folder / run / "stats.json").read_text())
        plain = [
            each
            for each in stats
            if each["name"]["name"] in kept and "perturbation" not in each["name"]
        ]
        written(f"helm/{run}/stats.json", plain, indent=1)


def evalplus():
    for model in ("70-bad", "70-g"):
        path = f"mrthinger/llama3-exp/results/{model}/samples_eval_results.json"
        found = json.loads((CLONES / path).read_text())
        tasks = {task: found["eval"][task] for task in sorted(found["eval"])[:N]}
        for solution in (each for solutions in tasks.values() for each in solutions):
            solution["solution"], solution["base_fail_tests"], solution["plus_fail_tests"] = (
                "",
                [],
                [],
            )
        written(f"evalplus/{model}/samples_eval_results.json", {**found, "eval": tasks}, indent=1)
    path = CLONES / "tyfann/Evaluate_LLM_Evalplus/phi_1_samples_eval_results.json"
    found = json.loads(path.read_text())
    tasks = {
        task: {
            name: [[status, []] for status, _ in found["eval"][task][name]]
            for name in ("base", "plus")
        }
        for task in sorted(found["eval"])[:N]
    }
    written("evalplus/phi_1_samples_eval_results.json", {**found, "eval": tasks}, indent=1)


def bigcodebench():
    for model in (
        "gpt-3.5-turbo-0125-openeval-0.2-1-sanitized",
        "codeqwen1.5-7b-chat-openeval-0-1-sanitized",
    ):
        name = f"{model}_eval_results.json"
        found = json.loads((CLONES / "bigcode-project/bigcodebench" / name).read_text())
        tasks = {task: found["eval"][task] for task in sorted(found["eval"])[:N]}
        for solution in (each for solutions in tasks.values() for each in solutions):
            solution["solution"], solution["details"] = "", {}
        written(f"bigcodebench/{name}", {**found, "eval": tasks}, indent=1)


def human_eval():
    for place, name in enumerate(("0_20584971077058045", "0_3049697615911794")):
        path = CLONES / f"chirag127/human-eval/ai21/{name}.jsonl_results.jsonl"
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        kept = [{**row, "completion": ""} for row in rows[46 : 46 + N]]
        lines(f"humaneval/answers_{place + 1}.jsonl_results.jsonl", kept)


def mqm():
    folder = CLONES / "google/wmt-mqm-human-evaluation/ted/ende"
    systems, talks = ("Facebook-AI", "UEdin", "ref"), ("talk.1", "talk.3")
    with (folder / "mqm_ted_ende.tsv").open(newline="") as file:
        head, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    of_talks = [row for row in rows if row[0] in systems and row[1] in talks and int(row[2]) <= 20]
    kept, segments = of_talks, {row[3] for row in of_talks}
    with (HERE / "mqm/mqm_ted_ende.tsv").open("w", newline="") as file:
        for row in [head, *([*row[:5], "", "", *row[7:9], ""] for row in kept)]:
            file.write("\t".join(row) + "\n")
    published = (folder / "mqm_ted_ende.avg_seg_scores.tsv").read_text().splitlines()
    of = [line for line in published[1:] if line.split()[0] in ("Facebook-AI", "UEdin", "ref-A")]
    few = [line for line in of if line.split()[2] in segments]
    (HERE / "mqm/mqm_ted_ende.avg_seg_scores.tsv").write_text(
        "\n".join([published[0], *few]) + "\n"
    )


def model_vs_human():
    for data in ("sketch", "colour"):
        for subject in ("01", "02"):
            name = f"{data}/{data}_subject-{subject}_session_1.csv"
            found = (CLONES / "bethgelab/model-vs-human/raw-data" / name).read_text().splitlines()
            rows = sorted(found[1:], key=lambda row: row.rpartition("_")[2])
            rows = rows[:: len(rows) // (4 * N)]
            path = HERE / "model_vs_human" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text("\n".join([found[0], *rows]) + "\n")


def mlflow():
    path = CLONES / "Wongyenchik/finetune-mlx-math-model/eval_results_table.json"
    table = json.loads(path.read_text())
    texts = {"ground_truth", "outputs", "answer_correctness/v1/justification"}
    rows = [
        [f"question {n}" if name == "inputs" else "" if name in texts else cell
         for name, cell in zip(table["columns"], row, strict=True)]
        for n, row in enumerate(table["data"], start=1)
    ]  # fmt: skip
    written("mlflow/eval_results_table.json", {**table, "data": rows})


if __name__ == "__main__":
    for excerpt in (
        alpaca_eval,
        helm,
        evalplus,
        bigcodebench,
        human_eval,
        mqm,
        model_vs_human,
        mlflow,
    ):
        excerpt()
