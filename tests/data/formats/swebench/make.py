"""Run reports of outcomes drawn at random: make.py FOLDER, in an empty folder, with swebench."""

import json
import random
import sys
from pathlib import Path

from swebench.harness.constants import LOG_REPORT, RUN_EVALUATION_LOG_DIR
from swebench.harness.reporting import make_run_report

INSTANCES = {
    "django__django": [10914, 10924, 11001, 11019, 11039, 11049, 11099, 11133, 11179, 11283],
    "sympy__sympy": [11400, 11870, 11897, 12171, 12236, 12419, 12454, 12481],
    "scikit-learn__scikit-learn": [10297, 10508, 10949, 11040, 11281],
    "psf__requests": [1963, 2148, 2317],
}
OUTCOMES = ["resolved", "unresolved", "error", "empty", "incomplete"]
CHANCES = {"large-1.5": [12, 8, 2, 1, 1], "small": [5, 14, 2, 2, 1]}
DATASET = [{"instance_id": f"{repo}-{n}"} for repo, numbers in INSTANCES.items() for n in numbers]

random.seed(0)
for model, chances in CHANCES.items():
    for run in ("first", "second"):
        predictions = {}
        for instance in DATASET[:-1]:  # no model was asked for the last one
            name = instance["instance_id"]
            (outcome,) = random.choices(OUTCOMES, chances)
            if outcome == "incomplete":
                continue
            patch = "" if outcome == "empty" else "diff --git a b"
            predictions[name] = {
                "instance_id": name, "model_name_or_path": model, "model_patch": patch,
            }  # fmt: skip
            if outcome in ("resolved", "unresolved"):
                report = Path(RUN_EVALUATION_LOG_DIR, run, model, name, LOG_REPORT)
                report.parent.mkdir(parents=True)
                report.write_text(json.dumps({name: {"resolved": outcome == "resolved"}}))
        make_run_report(predictions, DATASET, run, report_dir=sys.argv[1])
