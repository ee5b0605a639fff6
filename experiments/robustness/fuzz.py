"""Files that are nearly valid: read as predictions that hold, or refused in the package's words.

Each case has a number, from which its files follow: ``python -m experiments.robustness.fuzz FORMAT
SEED --case NUMBER`` reads it again, with the whole traceback.
"""

from __future__ import annotations

import gzip
import io
import json
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import modelcompare as mc
from experiments.robustness import mutations
from experiments.robustness.commands import ROOT, environment
from modelcompare.readers.opening import read_table

DATA = ROOT / "tests" / "data"
PACKAGE = Path(mc.__file__).parent
# Types of outputs whose labels, or times, have names.
_HELM = "mmlu-subject=philosophy,method=multiple_choice_joint"
# Seconds that reading a case may take, lines that a message may have, bytes that a worker may have.
MOST_SECONDS, MOST_LINES, MOST_BYTES = 5, 6, 6 * 2**30
Mutation = Callable[[np.random.Generator, bytes], bytes]


@dataclass(frozen=True)
class Source:
    """Valid files of one format, how they are changed, and how they are read."""

    files: dict[str, bytes]
    mutations: tuple[Mutation, ...]
    options: dict[str, Any] = field(default_factory=dict)
    read: Callable[..., Any] = mc.read_predictions


class TookTooLongError(BaseException):
    """Reading did not end in time; no handler of the package's catches it."""


@cache
def sources() -> dict[str, Source]:
    """The formats, by name."""
    text, drop = mutations.TEXT, {"missing": "drop"}
    weighted = {"columns": {"weight": "weight"}}
    two, (wide, long, soft) = {"models": ["large", "small"]}, _tables()
    lines = "".join(json.dumps(row) + "\n" for row in long.to_dict("records")).encode()
    packed = tuple(mutations.gzipped(each) for each in text)
    return {
        "csv, labels": Source({"t.csv": _csv(wide)}, text, weighted),
        "csv, long": Source({"t.csv": _csv(long)}, text),
        "csv, probabilities": Source({"t.csv": _csv(soft)}, text),
        "csv, a file per model": Source({f"{m}.csv": _csv(_alone(wide, m)) for m in "ab"}, text),
        "csv, values": Source(_files("questions/diabetes.csv"), text),
        "csv.gz": Source(
            {"t.csv.gz": gzip.compress(_csv(wide), mtime=0)}, (*mutations.BYTES, *packed), weighted
        ),
        "tsv": Source({"t.tsv": wide.to_csv(sep="\t", index=False).encode()}, text, weighted),
        "jsonl": Source({"t.jsonl": lines}, mutations.JSON),
        "jsonl, probabilities by class": Source(
            {f"{m}.jsonl": _by_class(soft, m) for m in "ab"}, mutations.JSON
        ),
        "json": Source({"t.json": json.dumps(long.to_dict("records")).encode()}, mutations.JSON),
        "parquet": Source({"t.parquet": _parquet(soft)}, mutations.TABLE),
        "parquet, scanned": Source(
            {"t.parquet": _parquet(soft)}, mutations.TABLE,
            read=lambda paths, **_: mc.io.scan_predictions(paths[0]).load(),
        ),
        "npz": Source({"t.npz": _npz(soft, a="a", b="b")}, mutations.ARCHIVE),
        "sketch": Source(
            {"t.parquet": _sketch(wide)}, mutations.TABLE,
            read=lambda paths, **_: mc.io.read_sketch(paths[0]),
        ),
        "inspect json": Source(_files("formats/inspect/*.json"), mutations.JSON, drop),
        "inspect eval": Source(_files("formats/inspect/*.eval"), mutations.BYTES, drop),
        "lm_eval": Source(
            _files("formats/lm_eval/*/samples_sums*"), mutations.JSON,
            {"columns": {"filter": "strict-match"}, **drop},
        ),
        "lighteval": Source(
            _files("formats/lighteval/details/made-up/*/*/*.parquet"), mutations.TABLE
        ),
        "every_eval_ever": Source(_files("formats/every_eval_ever/*.jsonl"), mutations.JSON, drop),
        "promptfoo": Source(_files("formats/promptfoo/results.json"), mutations.JSON, drop),
        "promptfoo, lines": Source(_files("formats/promptfoo/results.jsonl"), mutations.JSON, drop),
        "swebench": Source(_files("formats/swebench/*.json"), mutations.JSON, drop),
        "wmt": Source(_files("formats/wmt/metric-scores/en-de/*"), text),
        "trec": Source(_files("formats/trec/test.qrels") | _files("formats/trec/*.run"), text),
        "trn": Source(_files("formats/trn/*.trn"), text),
        "npz, an archive per model": Source(
            {f"{m}.npz": _npz(soft, probs=m) for m in "ab"}, mutations.ARCHIVE
        ),
        "helm": Source(
            _files("formats/helm/mmlu*/per*"), mutations.JSON, {"columns": {"set": f"{_HELM} test"}}
        ),
        "alpaca_eval": Source(_files("formats/alpaca_eval/alpaca*/*.json"), mutations.JSON),
        "mt_bench": Source(_files("formats/mt_bench/*single*.jsonl"), mutations.JSON, drop),
        "deepeval": Source(_files("formats/deepeval/*.json"), mutations.JSON, drop),
        "lerobot": Source(_files("formats/lerobot/*/eval_info.json"), mutations.JSON),
        "pydantic_evals": Source(
            _files("formats/pydantic_evals/[ls]????.json"), mutations.JSON, drop
        ),
        "opencompass": Source(_files("formats/opencompass/small/repeated.json"), mutations.JSON),
        "evalplus": Source(_files("formats/evalplus/70-g/*.json"), mutations.JSON),
        "humaneval": Source(_files("formats/humaneval/*.jsonl"), mutations.JSON),
        "bigcode": Source(_files("formats/bigcode/*.json"), mutations.JSON),
        "mlflow": Source(_files("formats/mlflow/*.json"), mutations.JSON, drop),
        "columns and data": Source(_files("formats/wandb/*.json"), mutations.JSON),
        "mqm": Source(_files("formats/mqm/mqm_ted_ende.tsv"), text, drop),
        "model_vs_human": Source(_files("formats/model_vs_human/colour/*.csv"), text),
        "lines of text": Source(_files("formats/lines/*.txt"), text),
        "manifests": Source(_files("formats/manifests/*.jsonl"), mutations.JSON),
        "bigcodebench": Source(_files("formats/bigcodebench/*.json"), mutations.JSON),
        "xlsx": Source(_files("formats/xlsx/*.xlsx"), mutations.BYTES),
        "label sets, lists": Source(_files("questions/tags.jsonl"), mutations.JSON),
        "label sets, columns": Source({"t.csv": _csv(_of_labels())}, text),
        "counts of items": Source(_files("questions/entities.csv"), text),
        "battles": Source(_files("questions/battles.csv"), text),
        "detections": Source(_files("questions/boxes*.json"), mutations.JSON),
        "times until an event": Source(_files("questions/patients.csv"), text),
        "probabilities of survival": Source({"t.csv": _csv(_of_times())}, text),
        "labels of several people": Source(
            _files("questions/moderated.csv"), text, {"columns": {"true": "ann*"}, **two, **drop}
        ),
        "labels and a judge": Source(
            _files("questions/moderated.csv"), text,
            {"columns": {"true": "ann*", "annotators": "majority", "judge": "judge"}}
            | two | drop,
        ),
        "eval_results": Source(
            _files("formats/eval_results/*/.eval_results/*.yaml"), text, read=_ranked
        ),
        "mteb": Source(_mteb(), mutations.JSON, read=_ranked),
    }  # fmt: skip


def run(
    minutes: float, seed: int, n_jobs: int, keep: Callable[[list[dict[str, Any]]], None]
) -> None:
    """Share the time among the formats, each in a separate process, and keep the rows."""
    seconds = 60 * minutes / len(sources())
    with ThreadPoolExecutor(n_jobs) as pool:
        for row in pool.map(partial(_row, seed=seed, seconds=seconds), sources()):
            keep([row])


def _row(name: str, seed: int, seconds: float) -> dict[str, Any]:
    command = [sys.executable, "-m", __spec__.name, name, str(seed), str(seconds)]
    found: dict[str, Any] = {"format": name, "seed": seed, "cases": 0, "hangs or crashes": 0}
    started = time.monotonic()
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=True,
            timeout=seconds + 120,
        )  # fmt: skip
        found |= json.loads(done.stdout.splitlines()[-1])
        print(done.stdout[: done.stdout.rfind("{")], end="", flush=True)
    except (subprocess.SubprocessError, ValueError) as error:
        found["hangs or crashes"] += 1
        print(f"{name}: {error} {getattr(error, 'stderr', '')}", flush=True)
    return {**found, "minutes": round((time.monotonic() - started) / 60, 2)}


def work(name: str, seed: int, seconds: float) -> None:
    """Try cases of one format for some time; what is wrong, and the counts as JSON."""
    import resource  # Windows has none, and the tests of the workflows read this file there.

    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    found: Counter[str] = Counter()
    started = time.monotonic()
    number = 0
    while time.monotonic() < started + seconds:
        outcome, complaints = complaints_of(name, (seed, number))
        found[outcome] += 1
        found["complaints"] += bool(complaints)
        for complaint in complaints:
            print(f"{name} {seed} case {number}: {complaint}")
        number += 1
    counted = {each: found[each] for each in ("read", "refused", "complaints")}
    print(json.dumps({"cases": number, **counted}))


def complaints_of(name: str, number: tuple[int, int]) -> tuple[str, list[str]]:
    """What became of a case, and what is wrong with that."""
    source, draw = sources()[name], _draw(name, number)
    with tempfile.TemporaryDirectory() as folder:
        paths = [*_mutated(source, draw, Path(folder))]
        return _outcome(source, paths, _options(source, draw))


def _draw(name: str, number: tuple[int, int]) -> np.random.Generator:
    return np.random.default_rng([*number, *name.encode()])


def _options(source: Source, draw: np.random.Generator) -> dict[str, Any]:
    """How the files are read: now and then with other results where some are missing."""
    options = dict(source.options)
    if "missing" not in options and draw.random() < 0.2:
        options["missing"] = ("drop", "worst")[draw.integers(2)]
    return options


def _mutated(source: Source, draw: np.random.Generator, folder: Path) -> Iterator[Path]:
    files = dict(source.files)
    changed = [*files][draw.integers(len(files))]
    for _ in range(draw.integers(1, 4)):
        if files[changed]:
            mutate = source.mutations[draw.integers(len(source.mutations))]
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    files[changed] = mutate(draw, files[changed])
            except Exception:
                # What an earlier change has damaged cannot be opened for another.
                break
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        yield path


def _outcome(source: Source, paths: list[Path], options: dict[str, Any]) -> tuple[str, list[str]]:
    complaints: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # Time of computing: where others compute too, a reader may wait for long.
        signal.signal(signal.SIGPROF, _too_long)
        signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
        try:
            found = source.read(paths, **options)
            signal.setitimer(signal.ITIMER_PROF, 0)
            complaints += _invalid(found)
            outcome = "read"
        except (ValueError, OSError) as error:
            outcome = "refused"
            complaints += _not_ours(error)
        except (Exception, TookTooLongError) as error:
            outcome = "refused"
            complaints.append(f"{_place(error)}{type(error).__name__}: {error}"[:500])
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    raw = [each for each in caught if not each.category.__module__.startswith("modelcompare")]
    complaints += [
        f"raw {each.category.__name__}: {each.message} {Path(each.filename).name}:{each.lineno}"
        for each in raw
    ]
    return outcome, complaints


def _too_long(*_: object) -> None:
    raise TookTooLongError(f"took over {MOST_SECONDS} seconds")


def _not_ours(error: Exception) -> list[str]:
    """Whether an error is raised by a line of the package, in few words."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    ours = PACKAGE in Path(last.filename).parents and (last.line or "").startswith("raise")
    wrong = [] if ours else [f"not our words, {_place(error)}{type(error).__name__}: {error}"[:500]]
    n_lines = str(error).count("\n") + 1
    return wrong + ([f"a message of {n_lines} lines"] if n_lines > MOST_LINES else [])


def _place(error: BaseException) -> str:
    ours = [
        frame for frame in traceback.extract_tb(error.__traceback__)
        if PACKAGE in Path(frame.filename).parents
    ]  # fmt: skip
    return f"{Path(ours[-1].filename).relative_to(PACKAGE)}:{ours[-1].lineno} " if ours else ""


def _invalid(found: Any) -> list[str]:
    """Return what the constructor answers to what was read, a model at a time."""
    if not isinstance(found, mc.Predictions) or found.access.sums:
        return []
    found = found.access.labelled
    for model in found.models:
        output = found.output(model)
        if output.kind == "text_lists":
            continue
        values = output.array if output.kind != "labels" else found.labels[output.array]
        labels = None if output.kind.real else found.labels
        if names := found.access.scores.names:
            values = dict(zip(names, values.T, strict=True))
        try:
            mc.Predictions(
                found.y_true, {model: values}, kind=output.kind.name, labels=labels, ids=found.ids,
                groups=found.groups, strata=found.strata, sample_weight=found.sample_weight,
                greater_is_better=found.access.scores.declared,
                missing_mass=found.access.missing_mass,
            )  # fmt: skip
        except Exception as error:
            return [f"read, yet {model} is refused: {error}"[:500]]
    return []


def _tables() -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """A table with a column for each model, one with a row for each, one of probabilities."""
    draw = np.random.default_rng(0)
    truth = draw.choice(["yes", "no", "maybe"], 40)
    outputs = {m: np.where(draw.random(40) < 0.7, truth, draw.permutation(truth)) for m in "ab"}
    wide = pd.DataFrame({"id": np.arange(40), "y_true": truth, **outputs})
    wide["weight"] = draw.integers(1, 4, 40)
    long = wide.drop(columns="weight").melt(["id", "y_true"], var_name="model", value_name="y_pred")
    chance = {m: draw.dirichlet(np.ones(2), 40) for m in "ab"}
    columns = {f"{m}:{k}": chance[m][:, k] for m in "ab" for k in range(2)}
    return wide, long, pd.DataFrame({"y_true": draw.integers(0, 2, 40), **columns})


def _alone(wide: pd.DataFrame, model: str) -> pd.DataFrame:
    return wide[["id", "y_true", model]].rename(columns={model: "y_pred"})


def _by_class(soft: pd.DataFrame, model: str) -> bytes:
    rows = (
        {"id": n, "y_true": str(row["y_true"]), "probs": {k: row[f"{model}:{k}"] for k in "01"}}
        for n, row in enumerate(soft.to_dict("records"))
    )
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _of_labels() -> pd.DataFrame:
    """A table of sets of labels: the truth, decisions of one model, probabilities of another."""
    draw = np.random.default_rng(1)
    found = {f"y_true:{k}": draw.integers(0, 2, 40) for k in "pqr"}
    found |= {f"a:{k}": draw.integers(0, 2, 40) for k in "pqr"}
    return pd.DataFrame(found | {f"b:{k}": draw.random(40).round(3) for k in "pqr"})


def _of_times() -> pd.DataFrame:
    draw = np.random.default_rng(2)
    found = {"time": draw.exponential(5, 60).round(2), "event": draw.integers(0, 2, 60)}
    found |= {f"{m}:2": draw.random(60).round(3) for m in "ab"}
    return pd.DataFrame(found | {f"{m}:5": found[f"{m}:2"] / 2 for m in "ab"})


def _mteb() -> dict[str, bytes]:
    """Results as mteb 1.12 writes them: a folder for each model, a file for each task."""
    found = {}
    for model, score in (("org__a", 0.9), ("org__b", 0.8), ("org__c", 0.7)):
        for task in ("STS12", "STS17"):
            scores = {"test": [{"hf_subset": "default", "main_score": score}]}
            document = {"task_name": task, "mteb_version": "1.12.0", "scores": scores}
            found[f"{model}/1/{task}.json"] = json.dumps(document).encode()
    return found


def _ranked(paths: list[Path], **_: Any) -> Any:
    """Rank the models of a folder, as the command does."""
    return mc.inference.critical_difference(read_table(paths[0].parents[2]), greater_is_better=True)


def _csv(frame: pd.DataFrame) -> bytes:
    return frame.to_csv(index=False).encode()


def _parquet(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


def _npz(soft: pd.DataFrame, **arrays: str) -> bytes:
    """An archive of the truth and, by the name of each array, of a model's probabilities."""
    buffer = io.BytesIO()
    models = {name: soft[[f"{m}:0", f"{m}:1"]].to_numpy() for name, m in arrays.items()}
    np.savez(buffer, y_true=soft["y_true"].to_numpy(), **models)
    return buffer.getvalue()


def _sketch(wide: pd.DataFrame) -> bytes:
    preds = mc.Predictions(wide["y_true"], {m: wide[m] for m in "ab"})
    return _parquet(mc.io.sketch(preds, "f1_macro", buckets=8).to_frame())


def _files(pattern: str) -> dict[str, bytes]:
    base = DATA / pattern.partition("/")[0]
    found = {str(p.relative_to(base)): p.read_bytes() for p in sorted(DATA.glob(pattern))}
    if not found:
        raise FileNotFoundError(f"{DATA / pattern}: no such file; run this in the repository.")
    return found


def _again(name: str, seed: int, number: int) -> None:
    """Read one case as `complaints_of` does, and let its error through."""
    source = sources()[name]
    with tempfile.TemporaryDirectory() as folder:
        draw = _draw(name, (seed, number))
        paths = [*_mutated(source, draw, Path(folder))]
        print(source.read(paths, **_options(source, draw)))


if __name__ == "__main__":
    if sys.argv[3] == "--case":
        _again(sys.argv[1], int(sys.argv[2]), int(sys.argv[4]))
    else:
        work(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
