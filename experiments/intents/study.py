"""Undefined values, variance and agreement of the intent classifiers, with the package's studies.

Usage: python study.py [-o results], after train.py. Per set: ``undefined`` by class and size (the
paper's benefit A, where it matters), ``variance`` and ``agreement`` of the macro averages, and how
many of the classes' F1 and cF1 the test set defines at all.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import pandas as pd

import modelcompare as mc
from modelcompare import report

HERE = Path(__file__).resolve().parent
MACRO = [(f"{name}_macro", f"c{name}_macro") for name in ("f1", "precision", "recall")]
RATIOS = (1.0, 0.5, 0.2, 0.1, 0.05)


def study(preds: mc.Predictions, folder: Path) -> dict[str, object]:
    """Write the studies of one set; what the summary says of it."""
    undefined = mc.undefined_study(preds, ["precision", "f1"], ratios=RATIOS, n_resamples=300)
    report.write_undefined(undefined, folder)
    variance = mc.variance_study(preds, MACRO, ratios=RATIOS)
    report.write_variance(variance, folder)
    agreement = mc.agreement_study(preds, MACRO)
    report.write_agreement(agreement, folder)
    valid = mc.agreement_study(preds, MACRO, test="sign-flip")
    whole = undefined.summary.set_index(["metric", "ratio"])["pct_undefined"]
    efficiency = variance.relative_efficiency.query("metric_a == 'f1_macro'")
    f1 = agreement.table.query("metric_a == 'f1_macro'").iloc[0]
    f1_valid = valid.table.query("metric_a == 'f1_macro'").iloc[0]
    ratio = variance.variance_ratios.query("metric_a == 'f1_macro' and ratio == 1")
    return {
        "models": len(preds.models),
        "samples": len(preds),
        "classes": preds.n_classes,
        "F1 undefined, whole set %": whole["f1", 1.0],
        "cF1": whole["cf1", 1.0],
        "F1 undefined, a tenth %": whole["f1", 0.1],
        "cF1 ": whole["cf1", 0.1],
        "variance F1 / cF1": ratio["variance_ratio"].median(),
        "samples of cF1 per F1": efficiency["samples_ratio"].median(),
        "agree %, t": f1["pct_agree"],
        "agree %, sign-flip": f1_valid["pct_agree"],
    }


def main() -> None:
    """Parse options; study every set that was trained."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results")
    options = parser.parse_args()
    warnings.simplefilter("ignore", mc.UndefinedMetricWarning)
    rows = {}
    for path in sorted((HERE / "predictions").glob("*.npz")):
        preds = mc.read_predictions(path, normalize=True)
        rows[path.stem] = study(preds, options.output / path.stem)
        print(path.stem, rows[path.stem], flush=True)
    table = pd.DataFrame(rows).T
    lines = [["set", *table.columns], ["---", *["---:"] * table.shape[1]]]
    lines += [[name, *(f"{value:.4g}" for value in row)] for name, row in table.iterrows()]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
    report.write_text(options.output / "summary.md", text)


if __name__ == "__main__":
    main()
