"""Twelve questions of a team and one about latency, by one command each, with another's number.

Usage: python -m experiments.twelve_questions [-o experiments/twelve_questions.md]

The files are those of the documentation (`tests/data/questions`, made up or of public data sets).
An estimate that the command prints is compared with that of scikit-learn, scipy, or a few lines of
numpy. Tries are the commands that were typed, with the README and the help alone, until the answer
stood there; messages that misled have been corrected since.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from sklearn import metrics as sk

ROOT = Path(__file__).resolve().parents[1]
FILES = ROOT / "tests" / "data" / "questions"
EXAMPLES = ROOT / "modelcompare" / "examples"
TRIES = (7, 2, 1, 4, 2, 2, 2, 2, 1, 2, 3, 6, 3)


@dataclass(frozen=True)
class Question:
    """A question, its command, the number in its document, and the same number from elsewhere."""

    text: str
    command: str
    found: Callable[[Any], float]
    reference: Callable[[], float]
    by: str


def read(name: str) -> pd.DataFrame:
    """Read a file of the documentation."""
    example = EXAMPLES / name
    return pd.read_csv(example if example.exists() else FILES / name)


def score(document: Any, metric: str, model: str, label: str | None = None) -> float:
    """Return one estimate of a comparison."""
    return float(next(
        row["estimate"] for row in document["scores"]
        if (row["metric"], row["model"]) == (metric, model) and label in (None, row["label"])
    ))  # fmt: skip


def labelled() -> tuple[Any, Any, Any]:
    """Return every label of comments by people, the answers of one model, and weights."""
    frame = read("moderated.csv").dropna(subset=["ann1"])
    people = frame[["ann1", "ann2", "ann3"]]
    return people.to_numpy().ravel(), frame["large"].repeat(3), frame["weight"].repeat(3)


def rare() -> float:
    """F1 of the rare class against each label of three annotators."""
    truth, answers, _ = labelled()
    return float(sk.f1_score(truth, answers, pos_label="toxic"))


def suites() -> pd.DataFrame:
    """Five runs of eight models on three test sets of 40 items: right or wrong."""
    rng = np.random.default_rng(0)
    rows = [
        (name, f"{name}{item}", f"m{model}", run, int(rng.random() < 0.5 + 0.05 * model))
        for name in ("law", "code", "maths") for item in range(40)
        for model in range(8) for run in range(5)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["set", "item", "model", "seed", "score"])


def bradley_terry() -> float:
    """Strength of the first model by a general minimizer, ties as half a win to each."""
    frame = read("battles.csv")
    names = sorted({*frame["model_a"], *frame["model_b"]})
    a, b = (frame[side].map(names.index).to_numpy() for side in ("model_a", "model_b"))
    won = frame["winner"].map({"model_a": 1.0, "model_b": 0.0}).to_numpy()
    tie = np.isnan(won)

    def loss(x: np.ndarray) -> float:
        strength, nu = x[:-1] - x[:-1].mean(), np.exp(x[-1])
        p, q = np.exp(strength[a]), np.exp(strength[b])
        middle = nu * np.sqrt(p * q)
        top = np.where(tie, middle, np.where(won == 1, p, q))
        return -float(np.log(top / (p + q + middle)).sum())

    found = minimize(loss, np.zeros(len(names) + 1), method="BFGS", options={"gtol": 1e-8}).x
    return float(found[names.index("oak")] - found[:-1].mean())


def tags(column: str) -> list[set[str]]:
    """Return the tags of each article."""
    lines = (FILES / "tags.jsonl").read_text().splitlines()
    return [set(json.loads(line)[column]) for line in lines]


def at_threshold() -> float:
    """F1 at the threshold that is best on the validation data, tried one by one."""
    first, test = read("loans_validation.csv"), read("loans.csv")
    values = {
        t: sk.f1_score(first["y_true"], np.where(first["net:granted"] >= t, "granted", "refused"),
                       pos_label="granted")
        for t in sorted(set(first["net:granted"]))
    }  # fmt: skip
    best = max(values, key=lambda t: (round(values[t], 12), t))
    answers = np.where(test["net:granted"] >= best, "granted", "refused")
    return float(sk.f1_score(test["y_true"], answers, pos_label="granted"))


def gap() -> float:
    """Difference of recall between two groups."""
    frame = read("loans.csv")
    granted = frame[frame["y_true"] == "granted"]
    recalls = (granted["net:granted"] >= 0.5).groupby(granted["sex"]).mean()
    return float(recalls["f"] - recalls["m"])


def quantile(model: str, share: float) -> float:
    """Percentile of latencies by numpy."""
    frame = read("latencies.csv")
    times = frame[frame["model"] == model]["latency_ms"]
    return float(np.quantile(times, share, method="averaged_inverted_cdf"))


def concordance() -> float:
    """Harrell's c-index, pair by pair."""
    frame = read("patients.csv")
    time, event, risk = (frame[c].to_numpy() for c in ("time", "event", "cox"))
    right = pairs = 0.0
    for i in np.flatnonzero(event):
        later = (time > time[i]) | ((time == time[i]) & (event == 0))
        pairs += later.sum()
        right += (risk[later] < risk[i]).sum() + 0.5 * (risk[later] == risk[i]).sum()
    return right / pairs


def shared(a: list[float], b: list[float]) -> float:
    """Intersection of two boxes over their union."""
    sides = [max(0.0, min(a[k] + a[k + 2], b[k] + b[k + 2]) - max(a[k], b[k])) for k in (0, 1)]
    both = sides[0] * sides[1]
    return both / (a[2] * a[3] + b[2] * b[3] - both)


def detections() -> float:
    """Mean average precision of boxes, by COCO's rule, one detection at a time."""
    truth = json.loads((FILES / "boxes.json").read_text())
    found = json.loads((FILES / "boxes_large.json").read_text())
    values = []
    for label in (each["id"] for each in truth["categories"]):
        objects = [box for box in truth["annotations"] if box["category_id"] == label]
        own = sorted((x for x in found if x["category_id"] == label), key=lambda x: -x["score"])
        for least in np.linspace(0.5, 0.95, 10):
            free, points = dict(enumerate(objects)), []
            for n_given, each in enumerate(own, start=1):
                fits = {
                    k: shared(each["bbox"], box["bbox"]) for k, box in free.items()
                    if box["image_id"] == each["image_id"]
                }  # fmt: skip
                best = max(fits, key=lambda k: fits[k], default=None)
                if best is not None and fits[best] >= least:
                    del free[best]
                n_found = len(objects) - len(free)
                points.append((n_found / len(objects), n_found / n_given))
            values += [
                max((p for reached, p in points if reached >= recall), default=0.0)
                for recall in np.linspace(0, 1, 101)
            ]
    return float(np.mean(values))


def questions(folder: Path) -> Iterator[Question]:
    """Yield the questions; made-up files are written into a folder."""
    suite = folder / "suite.csv"
    suites().to_csv(suite, index=False)
    yield Question(
        "Is it better on the rare class, with three annotators' labels?",
        f"compare {FILES / 'moderated.csv'} --true ann* --model large --model small -m f1[toxic] "
        "--missing drop",
        lambda d: score(d, "f1", "large"), rare, "scikit-learn, each label a sample",
    )  # fmt: skip
    yield Question(
        "Five seeds, three sets, eight models: who is best?", f"groups {suite}",
        lambda d: next(x["estimate"] for x in d["pooled_scores"] if x["model"] == "m7"),
        lambda: float(suites().query("model == 'm7'").groupby("set")["score"].mean().mean()),
        "pandas",
    )  # fmt: skip
    yield Question(
        "Pairwise preferences: ranks with intervals", f"compare {FILES / 'battles.csv'}",
        lambda d: score(d, "strength", "oak"), bradley_terry, "Davidson's likelihood, BFGS",
    )  # fmt: skip
    yield Question(
        "A judge's verdicts and a few hundred labels",
        f"compare {FILES / 'moderated.csv'} --judge judge --true ann* --annotators majority "
        "--label-weight weight -m accuracy",
        lambda d: score(d, "accuracy", "large"), judged, "post-stratified by hand",
    )  # fmt: skip
    yield Question(
        "A gate that runs nightly on a set that grows",
        f"gate {FILES / 'eights.csv'} --baseline bayes --candidate logistic -m accuracy "
        f"--superior --looks 5 --ledger {folder / 'looks.jsonl'}",
        lambda d: d["decisions"][0]["gain"], eights, "scikit-learn",
    )  # fmt: skip
    yield Question(
        "A difference in MAE on a time series",
        f"compare {FILES / 'demand.csv'} -m mae --time date",
        lambda d: score(d, "mae", "ets"),
        lambda: float(sk.mean_absolute_error(*(read("demand.csv")[c] for c in ("y_true", "ets")))),
        "scikit-learn",
    )  # fmt: skip
    yield Question(
        "Multilabel F1", f"compare {FILES / 'tags.jsonl'} -m f1_samples -m f1_micro",
        lambda d: score(d, "f1_micro", "large"), multilabel, "counts of a loop",
    )  # fmt: skip
    yield Question(
        "The mean average precision of two detectors",
        " ".join(["compare", *(str(FILES / f"boxes{x}.json") for x in ("", "_large", "_small"))])
        + " -m map",
        lambda d: score(d, "map", "boxes_large"), detections, "a loop by COCO's rule",
    )  # fmt: skip
    yield Question(
        "The c-index of two models", f"compare {FILES / 'patients.csv'} -m c_index",
        lambda d: score(d, "c_index", "cox"), concordance, "a loop over pairs",
    )  # fmt: skip
    yield Question(
        "A threshold chosen on validation data",
        f"compare {EXAMPLES / 'loans.csv'} --model tree --model net --threshold-from "
        f"{FILES / 'loans_validation.csv'} --positive granted -m f1[granted]",
        lambda d: score(d, "f1", "net"), at_threshold, "a loop over thresholds",
    )  # fmt: skip
    yield Question(
        "The gap between two groups",
        f"groups {EXAMPLES / 'loans.csv'} --by sex --gaps -m recall[granted]",
        lambda d: next(x["difference"] for x in d["gaps"] if x["model"] == "net"), gap, "pandas",
    )  # fmt: skip
    yield Question(
        "How many more labels?",
        f"sample-size {FILES / 'moderated.csv'} --judge judge --true ann* --annotators majority "
        "--read strata=judge -m accuracy --model large --model small",
        lambda d: abs(d["difference"]), lambda: abs(judged() - judged("small")),
        "post-stratified by hand (the observed difference)",
    )  # fmt: skip
    yield Question(
        "p50, p95, p99 of latency",
        f"compare {FILES / 'latencies.csv'} --read score=latency_ms -m p50 -m p95 -m p99",
        lambda d: score(d, "p95", "v1"), lambda: quantile("v1", 0.95), "numpy.quantile",
    )  # fmt: skip


def judged(model: str = "large") -> float:
    """Accuracy by labels of people, weighted within the cells of verdict and answer."""
    frame = read("moderated.csv")
    people = frame[["ann1", "ann2", "ann3"]]
    most = people.mode(axis=1)[0]
    right = (most == frame[model]).astype(float).where(most.notna())
    weight = frame["weight"].where(most.notna(), 0.0)
    total = 0.0
    for _, rows in frame.groupby([model, "judge"]).groups.items():
        known = right.loc[rows].notna()
        own = weight.loc[rows][known]
        total += len(rows) * float((own * right.loc[rows][known]).sum() / own.sum())
    return total / len(frame)


def eights() -> float:
    """Difference of two accuracies."""
    frame = read("eights.csv")
    truth = next(c for c in frame if c in ("y_true", "truth", "label"))
    return float(
        (frame["logistic"] == frame[truth]).mean() - (frame["bayes"] == frame[truth]).mean()
    )


def multilabel() -> float:
    """F1 of all tags together."""
    true, found = tags("y_true"), tags("large")
    hits = sum(len(a & b) for a, b in zip(true, found, strict=True))
    return 2 * hits / (sum(map(len, true)) + sum(map(len, found)))


def asked(question: Question) -> tuple[float, float]:
    """Return the number of a command, and that from elsewhere."""
    command = [
        sys.executable,
        "-m",
        "modelcompare",
        *question.command.split(" "),
        "--format",
        "json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise SystemExit(f"{question.command}\n{done.stderr}")
    return question.found(json.loads(done.stdout)), question.reference()


def main() -> None:
    """Ask all questions and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    lines = [
        "| question | command | tries | answer | reference | by |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for question, tries in zip(questions(Path(folder)), TRIES, strict=True):
            found, expected = asked(question)
            shown = question.command.replace(f"{FILES}/", "").replace(f"{folder}/", "")
            lines.append(
                f"| {question.text} | `modelcompare {shown}` | {tries} | {found:.6g} | "
                f"{expected:.6g} | {question.by} |"
            )
            print(lines[-1], flush=True)
    if options.output is not None:
        options.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
