"""Write the logs of this folder: ``python make.py`` with lm_eval 0.4.13, offline."""

# ruff: noqa: ARG002

import json
import sys
from pathlib import Path

from lm_eval.__main__ import cli_evaluate
from lm_eval.api.registry import register_model
from lm_eval.models.dummy import DummyLM

SUMS = {"2+2": "4", "3+4": "7", "5*5": "25", "9-6": "3", "6*7": "42", "8/2": "4"}
ANSWERS = {
    "strong": ["The answer is 4.", "The answer is 7.", "25, so the answer is 25.", "3",
               "The answer is 42.", "The answer is 4."],
    "weak": ["The answer is 4.", "The answer is 8.", "25", "I think 3, or 4.",
             "The answer is 42", "two"],
}  # fmt: skip
LIKES = {"strong": [0, 1, 0, 1, 0, 1], "weak": [0, 0, 0, 0, 0, 0]}
SUMS_TASK = """
task: sums
dataset_path: json
dataset_kwargs: {data_files: {test: sums.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{question}} ="
doc_to_target: "{{answer}}"
generation_kwargs: {until: ["\\n"], do_sample: false}
filter_list:
  - name: strict-match
    filter: [{function: regex, regex_pattern: "answer is (-?[0-9]+)"}, {function: take_first}]
  - name: flexible-extract
    filter: [{function: regex, group_select: -1, regex_pattern: "(-?[0-9]+)"},
             {function: take_first}]
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
  - {metric: bleu, aggregation: bleu, higher_is_better: true}
"""
SIGNS_TASK = """
task: signs
dataset_path: json
dataset_kwargs: {data_files: {test: signs.jsonl}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{question}}: even or odd?"
doc_to_target: "{{answer}}"
doc_to_choice: ["even", "odd"]
metric_list:
  - {metric: acc, aggregation: mean, higher_is_better: true}
  - {metric: acc_norm, aggregation: mean, higher_is_better: true}
"""


def scripted(name):
    """A model that gives the answers above, in order."""

    class Scripted(DummyLM):
        def generate_until(self, requests, disable_tqdm=False):
            return ANSWERS[name]

        def loglikelihood(self, requests, disable_tqdm=False):
            likes = LIKES[name]
            return [
                (-1.0 if n % 2 == likes[n // 2] else -2.5, False) for n in range(2 * len(likes))
            ]

    register_model(name)(Scripted)


if __name__ == "__main__":
    rows = [{"question": q, "answer": a, "kind": q.strip("0123456789")} for q, a in SUMS.items()]
    Path("sums.jsonl").write_text("\n".join(map(json.dumps, rows)))
    signs = [{"question": str(n), "answer": n % 2} for n in range(6)]
    Path("signs.jsonl").write_text("\n".join(map(json.dumps, signs)))
    Path("sums.yaml").write_text(SUMS_TASK)
    Path("signs.yaml").write_text(SIGNS_TASK)
    for name in ANSWERS:
        scripted(name)
        sys.argv = ["lm_eval", "run", "--model", name, "--model_args", f"pretrained=made-up/{name}",
                    "--tasks", "sums,signs", "--include_path", ".", "--log_samples",
                    "--output_path", "runs"]  # fmt: skip
        cli_evaluate()
