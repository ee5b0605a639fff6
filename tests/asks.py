"""Inputs in the shapes of thirty public questions: ``python -m tests.asks FOLDER`` writes them.

Each function writes what the users of one thread have, with their names of columns.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

SHAPES: dict[str, Callable[[Path, np.random.Generator], None]] = {}
WORDS = ("the", "cat", "sat", "on", "a", "mat", "and", "dog", "ran", "to", "old", "red", "house")


def shape(make: Callable[[np.random.Generator], Any]) -> Callable[[np.random.Generator], Any]:
    """Write the table that a function makes, or the files, by their paths."""

    def write(folder: Path, rng: np.random.Generator) -> None:
        found = make(rng)
        files = found if isinstance(found, dict) else {f"{make.__name__}.csv": found}
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, pd.DataFrame):
                content.to_csv(path, index=False)
            else:
                path.write_text(json.dumps(content))

    SHAPES[make.__name__] = write
    return make


def crossed(**names: Any) -> pd.DataFrame:
    """Return a row for each combination of names."""
    return pd.MultiIndex.from_product(names.values(), names=[*names]).to_frame(index=False)


def marks(rng: np.random.Generator, n: int, share: float) -> Any:
    return (rng.random(n) < share).astype(int)


@shape
def two_runs(_):  # dotnet/skills#952
    return pd.DataFrame({
        "eval": [f"eval-{i}" for i in range(9)],
        "run_a": [1, 1, 0, 1, 1, 0, 1, 1, 1], "run_b": [1, 0, 0, 1, 1, 1, 1, 1, 0],
    })  # fmt: skip


@shape
def all_wins(_):  # dotnet/skills PR #1027
    rows = crossed(scenario=[f"s{i}" for i in range(4)], run=[1, 2, 3])
    return rows.assign(baseline=0, skilled=1)


@shape
def equal_candidate(rng):  # skillberry-ai/cap-evolve PR #317
    passed = marks(rng, 60, 0.6)
    return pd.DataFrame({"task_id": range(60), "baseline": passed, "candidate": passed})


@shape
def robots(rng):  # huggingface/lerobot PR #4629, #4619, #3578
    def of(share: float) -> dict[str, Any]:
        tasks = []
        for number in range(10):
            won = [bool(x) for x in rng.random(20) < share]
            metrics = {
                "sum_rewards": [float(x) for x in won], "max_rewards": [float(x) for x in won],
                "successes": won, "video_paths": [],
            }  # fmt: skip
            tasks.append({"task_group": "libero_10", "task_id": number, "metrics": metrics})
        return {
            "per_task": tasks, "per_group": {"libero_10": {"pc_success": 100 * share}},
            "overall": {"pc_success": 100 * share, "n_episodes": 200, "eval_s": 812.5},
        }  # fmt: skip

    return {"act/eval_info.json": of(0.6), "smolvla/eval_info.json": of(0.8)}


@shape
def at_least(rng):  # fullsend-ai/fullsend#2460, hidai25/eval-view#4
    return pd.DataFrame({"case": [f"case-{i}" for i in range(80)], "passed": marks(rng, 80, 0.95)})


@shape
def stored_number(rng):  # vllm-project/vllm PR #44704, #34333
    right = marks(rng, 500, 0.88)
    return pd.DataFrame({"doc_id": range(500), "exact_match": right})


@shape
def segmentation(rng):  # torchgeo/torchgeo-bench#202, MIC-DKFZ/nnUNet#3050
    rows = crossed(
        dataset=[f"d{i:02}" for i in range(16)], case=range(12), model=["unet", "segresnet"]
    )
    hard = rng.normal(0, 0.05, len(rows) // 2).repeat(2)
    dice = 0.8 + hard + 0.02 * (rows["model"] == "unet") + rng.normal(0, 0.02, len(rows))
    return rows.assign(dice=dice.clip(0, 1).round(4))


@shape
def forecasts(rng):  # xarray-contrib/xskillscore#192, scikit-learn#29692
    actual = 10 + np.cumsum(rng.normal(size=200))
    slow = np.convolve(rng.normal(size=210), np.ones(11) / 11, "valid")
    return pd.DataFrame({
        "date": pd.date_range("2025-01-01", periods=200).strftime("%Y-%m-%d"),
        "actual": actual.round(3), "arima": (actual + slow + rng.normal(0, 0.3, 200)).round(3),
        "ets": (actual + 2 * slow + rng.normal(0, 0.5, 200)).round(3),
    })  # fmt: skip


@shape
def epidemics(rng):  # epiforecasts/scoringutils#37
    rows = crossed(
        forecast_date=[f"2021-{m:02}-01" for m in range(1, 11)],
        location=["DE", "FR", "IT", "ES", "PL", "GB"], model=["EuroCOVIDhub-ensemble", "UMass-MechBayes"],
    )  # fmt: skip
    hard = rng.gamma(2, 30, len(rows) // 2).repeat(2)
    worse = 1 + 0.4 * (rows["model"] == "UMass-MechBayes")
    return rows.assign(wis=(hard * worse * rng.lognormal(0, 0.1, len(rows))).round(2))


@shape
def free_energies(rng):  # OpenFreeEnergy/cinnabar PR #174
    exp = rng.normal(-9, 1.2, 40)
    return pd.DataFrame({
        "ligand": [f"lig_{i}" for i in range(40)], "exp": exp.round(2),
        **{name: (exp + rng.normal(0, sd, 40)).round(2)
           for name, sd in (("fep", 0.8), ("mmgbsa", 1.6), ("docking", 2.2))},
    })  # fmt: skip


@shape
def folds_in_rows(rng):  # breimanntools/aaanalysis#91
    rows = crossed(fold=range(25), model=["svm", "rf", "logreg"])
    hard = rng.normal(0, 0.03, 25).repeat(3)
    better = rows["model"].map({"svm": 0.02, "rf": 0.01, "logreg": 0.0})
    return rows.assign(balanced_accuracy=(0.8 + hard + better + rng.normal(0, 0.01, 75)).round(4))


@shape
def logged_tables(rng):  # mlflow/mlflow#3237, #4277
    files: dict[str, Any] = {}
    for name, share in (("a3f9c1", 0.7), ("77be02", 0.8)):
        data = [
            [f"question {i}?", f"answer {i}", int(x)] for i, x in enumerate(rng.random(60) < share)
        ]
        files[f"mlruns/1/{name}/artifacts/eval_results_table.json"] = {
            "columns": ["inputs", "outputs", "exact_match/v1"], "data": data,
        }  # fmt: skip
    return files


@shape
def survival(rng):  # bhklab/survcomp#12
    true = rng.normal(size=120)
    time, censored = rng.exponential(np.exp(-true)) * 100, rng.exponential(120, 120)
    return pd.DataFrame({
        "time": np.minimum(time, censored).round(1), "event": (time <= censored).astype(int),
        "risk_clinical": (true + rng.normal(0, 1.5, 120)).round(3),
        "risk_genomic": (true + rng.normal(0, 0.7, 120)).round(3),
    })  # fmt: skip


@shape
def stream(rng):  # tensorzero PR #4627
    return pd.DataFrame(
        {"inference_id": [f"i{i:05}" for i in range(400)], "value": marks(rng, 400, 0.8)}
    )


@shape
def latencies(rng):  # mlcommons/inference#1095
    return pd.DataFrame({"query": range(300), "latency_ms": rng.lognormal(5.2, 0.25, 300).round(1)})


@shape
def candidates(rng):  # gepa-ai/gepa#133, stanfordnlp/dspy#9062
    hard = rng.random(50)
    return pd.DataFrame({
        "example": range(50),
        **{name: (hard < share).astype(int) for name, share in
           (("seed_prompt", 0.55), ("candidate_1", 0.58), ("candidate_2", 0.62))},
    })  # fmt: skip


@shape
def pass_at_k(rng):  # prime-rl PR #1834, strands-labs/robots PR #3521
    rows = crossed(task=[f"task_{i}" for i in range(30)], attempt=range(8), model=["base", "rl"])
    share = rng.beta(1, 1, 30).repeat(16) * rows["model"].map({"base": 0.8, "rl": 1.0})
    return rows.assign(success=(rng.random(len(rows)) < share).astype(int))


@shape
def rewards(rng):  # allenai/reward-bench#269
    n = 200
    return pd.DataFrame({
        "subset": rng.choice(["chat", "safety", "reasoning", "math"], n), "id": range(n),
        "rm_7b": rng.choice([0, 0.5, 1], n, p=[0.2, 0.05, 0.75]),
        "rm_70b": rng.choice([0, 0.5, 1], n, p=[0.1, 0.05, 0.85]),
    })  # fmt: skip


@shape
def speech(rng):  # kaldi#442
    def heard(text: str, share: float) -> str:
        return " ".join(w if rng.random() > share else "uh" for w in text.split())

    said = [" ".join(rng.choice(WORDS, rng.integers(5, 12))) for _ in range(80)]
    return pd.DataFrame({
        "utt": [f"spk{i % 10:02}-utt{i:04}" for i in range(80)], "speaker": [f"spk{i % 10:02}" for i in range(80)],
        "reference": said, "tdnn": [heard(t, 0.1) for t in said], "chain": [heard(t, 0.15) for t in said],
    })  # fmt: skip


@shape
def systems(rng):  # neulab/ExplainaBoard#325
    names = np.array(["negative", "neutral", "positive"])
    truth = rng.integers(0, 3, 150)
    found = {name: np.where(rng.random(150) < share, truth, rng.integers(0, 3, 150))
             for name, share in (("bert", 0.8), ("lstm", 0.7), ("cnn", 0.65))}  # fmt: skip
    return pd.DataFrame({"true_label": names[truth], **{k: names[v] for k, v in found.items()}})


@shape
def fairness(rng):  # fairlearn#1443
    truth = rng.integers(0, 2, 300)
    return pd.DataFrame({
        "sex": rng.choice(["Female", "Male"], 300), "y_true": truth,
        "unmitigated": truth ^ marks(rng, 300, 0.12), "mitigated": truth ^ marks(rng, 300, 0.15),
    })  # fmt: skip


@shape
def judged(rng):  # Hephaestus#1440
    n, truth = 240, rng.integers(0, 2, 240)
    return pd.DataFrame({
        "repo": [f"org/repo{i // 8}" for i in range(n)],
        "truth": pd.Series(np.where(rng.random(n) < 0.3, truth, -1)).astype(object).replace(-1, ""),
        "verdict": truth ^ marks(rng, n, 0.1), "linter": truth ^ marks(rng, n, 0.25),
        "agent": truth ^ marks(rng, n, 0.12), "weight": rng.choice([1.0, 2.5], n),
    })  # fmt: skip


@shape
def two_judges(rng):  # SynapseKit#980
    truth = rng.integers(0, 2, 100)
    names = np.array(["bad", "good"])
    return pd.DataFrame({
        "human": names[truth], "gpt_judge": names[truth ^ marks(rng, 100, 0.1)],
        "llama_judge": names[truth ^ marks(rng, 100, 0.25)],
    })  # fmt: skip


@shape
def one_configuration(rng):  # tau2-bench#540, localOllamaRAG#243
    rows = crossed(task_id=range(40), trial=range(4))
    return rows.assign(reward=(rng.random(160) < rng.beta(2, 1, 40).repeat(4)).astype(float))


@shape
def recommenders(rng):  # RecBole PR #1644, ml4ir PR #136
    rows = crossed(user=[f"u{i}" for i in range(150)], model=["BPR", "LightGCN"])
    ndcg = rng.beta(1, 3, 150).repeat(2) + 0.03 * (rows["model"] == "LightGCN")
    return rows.assign(**{"ndcg@10": (ndcg + rng.normal(0, 0.04, 300)).clip(0, 1).round(4)})


@shape
def schedulers(rng):  # srs-benchmark PR #36
    rows = crossed(user=range(120), model=["FSRS-4.5", "FSRS-5", "SM2"])
    loss = rng.gamma(9, 0.04, 120).repeat(3) + rows["model"].map(
        {"FSRS-4.5": 0.01, "FSRS-5": 0.0, "SM2": 0.1}
    )
    reviews = rng.integers(500, 90_000, 120).repeat(3)
    return rows.assign(logloss=(loss + rng.normal(0, 0.01, 360)).round(4), reviews=reviews)


@shape
def benchmarks(rng):  # llvm-test-suite PR #377, llama.cpp PR #12557
    base = rng.lognormal(1, 1.5, 40)
    return pd.DataFrame({
        "benchmark": [f"SingleSource/b{i}" for i in range(40)], "base": base.round(4),
        "new": (base * rng.lognormal(-0.02, 0.03, 40)).round(4),
    })  # fmt: skip


@shape
def medals(rng):  # openai/mle-bench PR #104
    seeds = {"aide": range(3), "mlab": range(2), "openhands": range(4)}
    rows = pd.concat([crossed(competition=[f"comp-{i}" for i in range(25)], agent=[a], seed=s)
                      for a, s in seeds.items()], ignore_index=True)  # fmt: skip
    easy = dict(zip(rows["competition"].unique(), rng.beta(1, 3, 25), strict=True))
    share = rows["competition"].map(easy) * rows["agent"].map(
        {"aide": 1, "mlab": 0.4, "openhands": 0.6}
    )
    return rows.assign(medal=(rng.random(len(rows)) < share).astype(int))


@shape
def reports(rng):  # pydantic-evals
    def report(name: str, share: float) -> dict[str, Any]:
        cases = [
            {
                "name": f"case_{i}", "inputs": {"q": f"question {i}"}, "metadata": {"level": "easy"},
                "expected_output": f"answer {i}", "output": f"answer {i}" if won else "none",
                "metrics": {"cost": 0.01}, "attributes": {},
                "scores": {"similarity": {
                    "name": "similarity", "value": round(0.5 + won / 2, 2), "reason": None,
                    "source": {"name": "Similarity", "arguments": None}, "evaluator_version": None,
                }},
                "labels": {},
                "assertions": {"EqualsExpected": {
                    "name": "EqualsExpected", "value": bool(won), "reason": None,
                    "source": {"name": "EqualsExpected", "arguments": None}, "evaluator_version": None,
                }},
                "task_duration": 0.4, "total_duration": 0.5, "source_case_name": None,
                "trace_id": None, "span_id": None, "evaluator_failures": [],
            }
            for i, won in enumerate(rng.random(40) < share)
        ]  # fmt: skip
        return {
            "name": name, "cases": cases, "failures": [], "analyses": [],
            "report_evaluator_failures": [], "experiment_metadata": None, "trace_id": None, "span_id": None,
        }  # fmt: skip

    return {"reports/gpt.json": report("gpt", 0.7), "reports/haiku.json": report("haiku", 0.8)}


@shape
def ten_folds(rng):  # stats.SE 240453, 575720
    hard = rng.normal(0, 0.02, 10)
    names = ("knn", "nb", "svm", "rf", "gbm", "mlp", "logreg")
    return pd.DataFrame({
        "fold": range(1, 11),
        **{name: (0.8 + place / 100 + hard + rng.normal(0, 0.008, 10)).round(4)
           for place, name in enumerate(names)},
    })  # fmt: skip


def write_all(folder: Path) -> None:
    """Write the inputs of all threads into a folder."""
    for place, (name, write) in enumerate(SHAPES.items()):
        (folder / name).mkdir(parents=True, exist_ok=True)
        write(folder / name, np.random.default_rng([62, place]))


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
