"""Logs of evaluation tools that say what they are and lack what they must hold."""

import io
import json
import zipfile

import pandas as pd

import modelcompare as mc
from modelcompare.plugins.logs import every_eval_ever, inspect, lighteval, lm_eval
from modelcompare.readers.content import File
from tests.bad_input.case import Call
from tests.bad_input.files import read_all

INSPECT = {"status": "success", "plan": {}, "eval": {"task": "t", "model": "m"}}
SAMPLE = {"id": 1, "epoch": 1, "scores": {"s": {"value": "C"}}}
HARNESS = {"doc_id": 0, "target": "x", "filtered_resps": ["x"], "acc": 1}
DETAIL = {"doc": {"id": "0", "task_name": "t"}, "metric": {"em": 1}, "model_response": {}}
RECORD = {"schema_version": "0.3.0", "evaluation_id": "e", "model_id": "m", "evaluation_name": "t",
          "sample_id": "s", "evaluation": {"score": 1.0}}  # fmt: skip


def document(log, **changes):
    return lambda folder: inspect.FORMAT.read(
        [File(folder / "log.json", "json", {**log, **changes})]
    )


def archive(**members):
    """A log that is an archive of members, or of bytes that are none."""

    def read(folder):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as file:
            for name, held in members.items():
                file.writestr(f"{name}.json", held if isinstance(held, str) else json.dumps(held))
        return of_bytes(stream.getvalue())(folder)

    return read


def of_bytes(data):
    def read(folder):
        content = io.BytesIO(data)
        return inspect.FORMAT.read([File(folder / "log.eval", "eval", content)])

    return read


TWICE = "the file of model 'log' repeats 1 ids (0); keep one result of each sample."


def harness(*rows):
    def read(folder):
        (folder / "log.jsonl").write_text("\n".join(map(json.dumps, rows)))
        return mc.read_predictions(folder / "log.jsonl")

    return read


def folder_of(*samples):
    """A folder of logs, each of one sample of another model."""

    def read(folder):
        for place, changes in enumerate(samples):
            evaluated = {**INSPECT, "eval": {"task": "t", "model": f"m{place}"}}
            log = {**evaluated, "samples": [{**SAMPLE, **changes}]}
            (folder / f"{place}.json").write_text(json.dumps(log))
        return mc.read_predictions(folder)

    return read


def rows(reader, name, *given):
    def read(folder):
        table = pd.DataFrame([*given])
        return reader.FORMAT.read([File(folder / name, name.split(".")[-1], table)])

    return read


NO_NUMBER = "score the samples with a metric that gives each a number."
UNNAMED = "a text or a number; without it samples cannot be distinguished."


def _log(**fields):
    rows = ({"doc_id": i, "filtered_resps": [""], "acc": 1, **fields} for i in range(3))
    return "\n".join(map(json.dumps, rows))


CASES = [
    Call(
        "logs with other targets",
        read_all(_log(target="x"), _log(target="y"), suffix="jsonl"),
        "the logs of 'a' and 'b' are of different tasks: they disagree on target for 3 ids (0, 1, 2).",
    ),
    Call(
        "logs that are named after other tasks",
        read_all(
            _log(target="x"),
            _log(target="x"),
            suffix="jsonl",
            names=["samples_boolq_2025-01-02T03-04-05.6", "samples_piqa_2025-01-02T03-04-05.6"],
        ),
        "there are 2 test sets (boolq, piqa); choose one with columns={'set': 'boolq'} (--read set=boolq), or compare "
        "on all with `modelcompare groups`, or decide on all with `modelcompare gate --rule mean:-MARGIN`.",
    ),
    Call("inspect-without-samples", document(INSPECT),
         "log.json: the log has no samples; evaluate with log_samples."),
    Call("inspect-without-ids", document(INSPECT, samples=[SAMPLE, {**SAMPLE, "id": None}]),
         f"log.json: sample 2 has no id, {UNNAMED}"),
    Call("inspect-with-texts-only",
         document(INSPECT, samples=[{**SAMPLE, "scores": {"s": {"value": "B"}, "r": {"value": "x"}}}]),
         f"log.json: no score is a number for each sample (it has s, r); {NO_NUMBER}"),
    Call("inspect-with-failures-only", document(INSPECT, samples=[{**SAMPLE, "scores": None}]),
         f"log.json: no score is a number for each sample (it has none); {NO_NUMBER}"),
    Call("inspect-sample-and-epoch-twice",
         document(INSPECT, samples=[{**SAMPLE, "id": i % 4} for i in range(7)]),
         "log.json: 3 samples have several results for one epoch ('0' in epoch 1, '1' in epoch 1, "
         "'2' in epoch 1); keep one result for each sample and epoch."),
    Call("inspect-folder-without-scores", folder_of({"scores": None}, {"scores": {}}),
         f"0.json: no score is a number for each sample (it has none); {NO_NUMBER}"),
    Call("inspect-cut-short", of_bytes(b"PK\x03\x04 and no more"),
         "log.eval: the file is damaged or cut short (File is not a zip file)."),
    Call("inspect-another-archive", archive(other=[]),
         "log.eval: the archive does not name the model and the task (header.json), "
         "so it is no log of inspect_ai; export it again."),
    Call("inspect-header-of-nothing", archive(header={"eval": {"task": "t"}}),
         "log.eval: the archive does not name the model and the task (header.json), "
         "so it is no log of inspect_ai; export it again."),
    Call("inspect-member-damaged", archive(header={"eval": {"task": "t", "model": "m"}}, summaries="["),
         "log.eval: summaries.json in the archive is damaged (Expecting value: line 1 column 2 "
         "(char 1)); copy the log again."),
    Call("harness-without-ids", rows(lm_eval, "log.jsonl", HARNESS, {**HARNESS, "doc_id": None}),
         f"log.jsonl: sample 2 has no doc_id, {UNNAMED}"),
    Call("harness-metric-of-the-whole-set",
         rows(lm_eval, "log.jsonl", {**HARNESS, "metrics": ["bleu"], "bleu": ["x", "y"]}),
         f"log.jsonl: no score is a number for each sample (it has bleu); {NO_NUMBER}"),
    Call("harness-without-filters", harness(HARNESS, HARNESS), TWICE),
    Call("harness-filter-twice", harness(*[{**HARNESS, "filter": "none"}] * 2), TWICE),
    Call("lighteval-without-task",
         rows(lighteval, "details.parquet", {**DETAIL, "doc": {"id": "0"}}),
         f"details.parquet: sample 1 has no task_name, {UNNAMED}"),
    Call("lighteval-without-numbers",
         rows(lighteval, "details.parquet", {**DETAIL, "metric": {"em": "yes"}}),
         f"details.parquet: no score is a number for each sample (it has em); {NO_NUMBER}"),
    Call("every-eval-ever-without-model",
         rows(every_eval_ever, "u_samples.jsonl", {**RECORD, "model_id": None}),
         f"u_samples.jsonl: sample 1 has no model_id, {UNNAMED}"),
    Call("every-eval-ever-without-score",
         harness(RECORD, {**RECORD, "sample_id": "t", "evaluation": {}}),
         "the file of model 'm' has missing cells (score 1; first rows: 1); fill them in, drop these "
         "samples with missing='drop' (--missing drop), or count them as the worst result with "
         "missing='worst' (--missing worst)."),
    Call("every-eval-ever-epoch-twice",
         rows(every_eval_ever, "u_samples.jsonl", *[{**RECORD, "metadata": {"epoch": "1"}}] * 2),
         "u_samples.jsonl: sample 's' has several records of one metric and epoch 1; keep one of "
         "them."),
]  # fmt: skip
