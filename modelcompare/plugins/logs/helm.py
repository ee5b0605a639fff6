"""Results of HELM for each instance: ``per_instance_stats.json``, ``display_predictions.json``.

stanford-crfm/helm 0.5.16, benchmark/metrics/metric.py (PerInstanceStats) and statistic.py, and
presentation/schema.py (DisplayPrediction, whose ``stats`` map names to values); benchmark/runner.py
keeps a run in a folder named after its specification, ``SCENARIO:ARGUMENTS,model=NAME``. An
instance belongs to a split, and may be perturbed: each of these is a separate test set, as in
HELM's own means.

## logs

- [HELM](https://crfm.stanford.edu/helm) | `per_instance_stats.json`, `display_predictions.json` |
  fields `instance_id`, `train_trial_index`, `stats` | `model=` in the folder's name | the rest of
  that name; each split and perturbation is a separate set | instance; the trial is a run | every
  statistic of the answer | `modelcompare compare formats/helm --read
  set="mmlu-subject=philosophy,method=multiple_choice_joint test"`
"""

from __future__ import annotations

import re

import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format
from modelcompare.readers.formats.rows import Row, of_rows
from modelcompare.readers.records import SCORE
from modelcompare.readers.tables import lookup

_FIELDS = frozenset({"instance_id", "train_trial_index", "stats"})
_MODEL = re.compile(r"[-,:]?model=(?P<model>[^,]+)")
# Statistics about the instance and the request, not of the answer.
_NO_METRIC = re.compile(
    r"(num|training|inference|finish_reason|estimated|batch|max_prob|logprob|prompt_truncated|"
    r"logical_?request)(_.*)?"
)


def _instances(file: File) -> pd.DataFrame:
    run = file.path.absolute().parent.name
    named = _MODEL.search(run)
    rows = [_instance(row) for row in file.payload.to_dict("records")]
    table = pd.DataFrame(rows, dtype=object)
    parts = table["split"].dropna().unique(), table["perturbation"].unique()
    suffix = pd.Series("", index=table.index)
    for part, heading in zip(parts, ("split", "perturbation"), strict=True):
        if len(part) > 1:
            suffix += table[heading].map(lambda name: f" {name}" if isinstance(name, str) else "")
    scenario = _MODEL.sub("", run) if named else run
    found = table.assign(set=scenario + suffix)
    return found.assign(model=named["model"]) if named else found


def _instance(row: Row) -> Row:
    """Return the id, the trial, the split, the perturbation and the metrics of an instance."""
    stats = row["stats"]
    entries = stats if isinstance(stats, list) else []
    values = {str(lookup(each, ["name", "name"])): lookup(each, ["mean"]) for each in entries}
    splits = [lookup(each, ["name", "split"]) for each in entries]
    values |= stats if isinstance(stats, dict) else {}
    return {
        "id": row["instance_id"], "run": row["train_trial_index"],
        "split": next((split for split in splits if isinstance(split, str)), None),
        "perturbation": lookup(row.get("perturbation"), ["name"]),
        **{SCORE + name: value for name, value in values.items() if not _NO_METRIC.fullmatch(name)},
    }  # fmt: skip


FORMAT = Format(
    "HELM instances", kinds=frozenset({"jsonl"}), read=of_rows(_instances), fields=_FIELDS,
    companions=r"(run_spec|scenario|scenario_state|stats|instances|display_requests|costs)\.json",
)  # fmt: skip
