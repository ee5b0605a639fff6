"""What the default comparison announces about rare intents: findings by the class's support.

Usage: python verdicts.py [-o results/verdicts.md], after train.py. Five models, one of each family,
are compared on every set by accuracy, macro F1 and the F1 of each intent. The table counts the
differences of F1 that are announced after the correction, by how many test queries the intent has;
an intent of one or two queries cannot distinguish two models, for any predictions. Below it are
the verdicts on accuracy, macro F1 and the intents of at most five queries.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import modelcompare as mc

HERE = Path(__file__).resolve().parent
MODELS = ("logistic_w_C10", "sgd_c_1e-05", "bayes_w_0.1", "complement_w_0.1", "forest_full")
BANDS = [0, 2, 5, 10, 20, 50, np.inf]
NAMES = ["1-2", "3-5", "6-10", "11-20", "21-50", "51 and more"]


def findings(preds: mc.Predictions) -> tuple[pd.DataFrame, list[str], float]:
    """Count the announced differences by support; the verdicts; the seconds it took."""
    start = time.perf_counter()
    result = mc.compare(preds, ["accuracy", "f1_macro", "f1"])
    seconds = time.perf_counter() - start
    support = pd.Series(preds.y_true).value_counts()
    found = result.differences.query("metric == 'f1'")
    queries = found["label"].map(support).fillna(0)
    band = pd.cut(queries, BANDS, labels=NAMES)
    table = pd.DataFrame(
        {
            "intents": found.groupby(band, observed=False)["label"].nunique(),
            "tests": found.groupby(band, observed=False)["p_value"].count(),
            "announced": found["better"].notna().groupby(band, observed=False).sum(),
        }
    )
    rare = set(found.loc[queries.between(1, 5), "label"])
    lines = result.verdict().splitlines()
    of_rare = [line for line in lines if any(line.startswith(f"f1 of {label}:") for label in rare)]
    return table, [*lines[:2], *of_rare], seconds


def main() -> None:
    """Parse options; write the table and the verdicts of every set."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--predictions", type=Path, default=HERE / "predictions")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "verdicts.md")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    parts = []
    for path in sorted(options.predictions.glob("*.npz")):
        preds = mc.read_predictions(path, normalize=True)
        table, lines, seconds = findings(preds[list(MODELS)])
        print(path.stem, f"{seconds:.1f} s", table, *lines, sep="\n", flush=True)
        rows = [["queries of the intent", *table.columns], ["---:"] * 4]
        rows += [[name, *map(str, row)] for name, row in zip(NAMES, table.to_numpy(), strict=True)]
        parts += [f"## {path.stem}", "\n".join(f"| {' | '.join(row)} |" for row in rows)]
        parts += ["\n".join(f"- {line}" for line in lines)]
    options.output.write_text("\n\n".join(["# What is announced", *parts]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
