"""Trained runs -> what is kept in ``predictions/``: small archives and a table of hashes.

Usage: python -m experiments.snli_sepcnn.pack --runs runs [--plan paper|apart|curve|variants]

Probabilities of the paper's models are kept in float16, those of section 6.1 in one archive and the
hundred of 6.2 in four. Rounding must not move a decision: where it would tie or turn the two
leading classes, the loser is stepped down by one unit in the last place. ``models.jsonl`` holds
each model's settings, training curve, accuracy and the sha256 of its float16 probabilities.

Of the other plans the archive and the table have the plan's name, and their earlier content stays
beside the runs. The many models of the learning curve are kept in 255ths, and of the variants the
table alone.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from experiments.snli_sepcnn.plans import PLANS

LABELS = ("entailment", "neutral", "contradiction")
FOLDER = Path(__file__).resolve().parent / "predictions"
N_PARTS = 4


def rounded(probabilities: np.ndarray) -> np.ndarray:
    """Half precision, with every row's decision kept."""
    out = probabilities.astype(np.float16)
    top = probabilities.argmax(axis=1)
    rows = np.arange(len(out))
    for _ in range(3):
        wrong = out.argmax(axis=1) != top
        if not wrong.any():
            return out
        rivals = out[wrong].argmax(axis=1)
        held = out[rows[wrong], rivals]
        out[rows[wrong], rivals] = np.nextafter(held, np.float16(0))
    raise AssertionError("a decision could not be kept")


def in_255ths(probabilities: np.ndarray) -> np.ndarray:
    """Whole numbers that sum to 255 in every row, its decision kept, as bytes."""
    scaled = 255 * probabilities.astype(np.float64)
    out = np.floor(scaled).astype(np.int64)
    # What is left goes to the largest remainders.
    order = np.argsort(out - scaled, axis=1)
    left = 255 - out.sum(axis=1)
    np.put_along_axis(
        out, order, np.take_along_axis(out, order, axis=1) + (np.arange(3) < left[:, None]), axis=1
    )
    rows, top = np.arange(len(out)), probabilities.argmax(axis=1)
    for _ in range(2):
        rival = np.where(np.arange(3) == top[:, None], -1, out).argmax(axis=1)
        short = out[rows, rival] >= out[rows, top]
        out[rows[short], rival[short]] -= 1
        out[rows[short], top[short]] += 1
    return out.astype(np.uint8)


def write_archive(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write an archive whole or not at all."""
    temporary = path.with_name(f".{path.name}")
    with temporary.open("wb") as file:
        np.savez_compressed(file, **arrays)
    os.replace(temporary, path)


def read_runs(runs: Path, names: set[str]) -> tuple[list[dict[str, Any]], dict[str, np.ndarray]]:
    """What was recorded of each finished model, and its probabilities."""
    models, probabilities = [], {}
    for name in sorted(names):
        path = runs / f"{name}.npz"
        if not path.exists():
            continue
        with np.load(path) as file:
            summary = json.loads(str(file["summary"]))
            probabilities[name] = file["probabilities"]
        summary["curve"] = [
            {key: round(value, 5) for key, value in epoch.items()} for epoch in summary["curve"]
        ]
        models.append({**summary, "name": name})
    return models, probabilities


def pack(runs: Path, tokens: Path, plan: str = "paper", folder: Path = FOLDER) -> None:
    """Write the archives and the table of models."""
    with np.load(tokens) as file:
        about = {"y_true": file["test_y"].astype(np.int8), "labels": np.array(LABELS)}
    names = {settings.name for settings in PLANS[plan]()}
    table = folder / f"{'models' if plan == 'paper' else plan}.jsonl"
    models, kept = ({}, {}) if plan == "paper" else kept_before(table, archives(plan, []))
    found, probabilities = read_runs(runs, names)
    shrink = in_255ths if plan == "curve" else rounded
    kept |= {f"probs__{name}": shrink(array) for name, array in probabilities.items()}
    for model in found:
        digest = hashlib.sha256(kept[f"probs__{model['name']}"].tobytes()).hexdigest()
        models[model["name"]] = {**model, "sha256": digest}
    folder.mkdir(exist_ok=True)
    for stem, members in archives(plan, sorted(models)).items():
        arrays = {f"probs__{name}": kept[f"probs__{name}"] for name in members}
        write_archive(folder / f"{stem}.npz", about | arrays)
    lines = [json.dumps(models[name], sort_keys=True) for name in sorted(models)]
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    print(f"{len(models)} of {len(names)} models, {size:.1f} MB in {folder.name}/")


def kept_before(
    table: Path, stems: Iterable[str]
) -> tuple[dict[str, dict[str, Any]], dict[str, np.ndarray]]:
    """Models that are kept already, and their probabilities as they are kept."""
    lines = table.read_text(encoding="utf-8").splitlines() if table.exists() else []
    models = {model["name"]: model for model in map(json.loads, lines)}
    arrays: dict[str, np.ndarray] = {}
    for path in (table.with_name(f"{stem}.npz") for stem in stems):
        if path.exists():
            with np.load(path) as file:
                arrays |= {key: file[key] for key in file.files if key.startswith("probs__")}
    return models, arrays


def archives(plan: str, names: list[str]) -> dict[str, list[str]]:
    """Names of the models in each archive."""
    if plan == "variants":
        return {}
    if plan != "paper":
        return {"section61_apart" if plan == "apart" else plan: names}
    hundred = [name for name in names if not name.startswith("model")]
    parts = {f"section62_{part + 1}": hundred[part::N_PARTS] for part in range(N_PARTS)}
    return {"section61": [name for name in names if name.startswith("model")], **parts}


def main() -> None:
    """Parse options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    parser.add_argument("--tokens", type=Path, default=Path("tokens.npz"))
    parser.add_argument("--plan", choices=sorted(PLANS), default="paper")
    options = parser.parse_args()
    pack(options.runs, options.tokens, options.plan)


if __name__ == "__main__":
    main()
