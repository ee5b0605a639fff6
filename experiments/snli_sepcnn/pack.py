"""Trained runs -> what is kept in ``predictions/``: small archives and a table of hashes.

Usage: python pack.py --runs runs

Probabilities are kept in float16, all models of section 6.1 in one archive and the hundred of 6.2
in four. Rounding must not move a decision: where it would tie or turn the two leading classes, the
loser is stepped down by one unit in the last place. ``models.jsonl`` holds each model's settings,
training curve, accuracy and the sha256 of its float16 probabilities.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from pathlib import Path

import numpy as np

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


def write_archive(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write an archive whole or not at all."""
    temporary = path.with_name(f".{path.name}")
    with temporary.open("wb") as file:
        np.savez_compressed(file, **arrays)
    os.replace(temporary, path)


def pack(runs: Path, tokens: Path) -> None:
    """Write the archives and the table of models."""
    with np.load(tokens) as file:
        y_true = file["test_y"].astype(np.int8)
    models, probabilities = [], {}
    for path in sorted(runs.glob("*.npz")):
        with np.load(path) as file:
            summary = json.loads(str(file["summary"]))
            array = rounded(file["probabilities"])
        name = summary["settings"]["name"]
        probabilities[name] = array
        summary["curve"] = [
            {key: round(value, 5) for key, value in epoch.items()} for epoch in summary["curve"]
        ]
        digest = hashlib.sha256(array.tobytes()).hexdigest()
        models.append({**summary, "name": name, "sha256": digest})
    FOLDER.mkdir(exist_ok=True)
    first = [name for name in probabilities if name.startswith("model")]
    hundred = [name for name in probabilities if not name.startswith("model")]
    parts = {"section61": first}
    for part in range(N_PARTS):
        parts[f"section62_{part + 1}"] = hundred[part::N_PARTS]
    for stem, names in parts.items():
        arrays = {"y_true": y_true, "labels": np.array(LABELS)}
        arrays |= {f"probs__{name}": probabilities[name] for name in sorted(names)}
        write_archive(FOLDER / f"{stem}.npz", arrays)
    lines = [json.dumps(model, sort_keys=True) for model in models]
    (FOLDER / "models.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    size = sum(path.stat().st_size for path in FOLDER.iterdir()) / 1e6
    print(f"{len(models)} models, {size:.1f} MB in {FOLDER.name}/")


def main() -> None:
    """Parse options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    parser.add_argument("--tokens", type=Path, default=Path("tokens.npz"))
    options = parser.parse_args()
    pack(options.runs, options.tokens)


if __name__ == "__main__":
    main()
