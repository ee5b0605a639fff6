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
from modelcompare.report.writers.files import write_all, write_text
from modelcompare.report.writers.formats import contents

HERE = Path(__file__).resolve().parent
MACRO = [(f"{name}_macro", f"c{name}_macro") for name in ("f1", "precision", "recall")]
RATIOS = (1.0, 0.5, 0.2, 0.1, 0.05)


def study(preds: mc.Predictions, folder: Path) -> dict[str, object]:
    """Write the studies of one set, and return its part of the summary."""
    undefined = mc.studies.undefined_study(
        preds, ["precision", "f1"], ratios=RATIOS, n_resamples=300
    )
    write_all(folder, contents(undefined.document()))
    variance = mc.studies.variance_study(preds, MACRO, ratios=RATIOS)
    write_all(folder, contents(variance.document()))
    agreement = mc.studies.agreement_study(preds, MACRO)
    write_all(folder, contents(agreement.document()))
    valid = mc.studies.agreement_study(preds, MACRO, test="sign-flip")
    whole = undefined.summary.set_index(["metric", "ratio"])["pct_undefined"]
    ratio = variance.variance_ratios.query("metric_a == 'f1_macro' and ratio == 1")
    efficiency = variance.relative_efficiency.query("metric_a == 'f1_macro'")
    value = mc.bootstrap(preds, ["f1_macro", "cf1_macro"], n_resamples=2).estimate.unstack("metric")
    confidence = pd.Series({m: preds.probabilities(m).max(axis=1).mean() for m in preds.models})
    return {
        "models": len(preds.models),
        "queries": len(preds),
        "intents": preds.access.n_classes,
        "F1 undefined": whole["f1", 1.0],
        "cF1 undefined": whole["cf1", 1.0],
        "F1, a tenth": whole["f1", 0.1],
        "cF1, a tenth": whole["cf1", 0.1],
        "variance ratio": ratio["variance_ratio"].median(),
        "samples ratio": efficiency["samples_ratio"].median(),
        "% agree, t": _share(agreement),
        "% agree, sign-flip": _share(valid),
        "F1 and cF1": value["f1_macro"].corr(value["cf1_macro"], method="spearman"),
        "confidence and cF1": confidence.corr(
            value["cf1_macro"].droplevel("label"), method="spearman"
        ),
    }


def _share(study: mc.studies.AgreementStudy) -> float:
    return study.table.query("metric_a == 'f1_macro'")["pct_agree"].iloc[0]


def main() -> None:
    """Parse options; study every set that was trained."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--predictions", type=Path, default=HERE / "predictions")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results")
    options = parser.parse_args()
    warnings.simplefilter("ignore", mc.UndefinedMetricWarning)
    rows = {}
    for path in sorted(options.predictions.glob("*.npz")):
        preds = mc.read_predictions(path, normalize=True)
        rows[path.stem] = study(preds, options.output / path.stem)
        print(path.stem, rows[path.stem], flush=True)
    table = pd.DataFrame(rows)
    lines = [["", *table.columns], ["---", *["---:"] * table.shape[1]]]
    lines += [[name, *(f"{value:,.4g}" for value in row)] for name, row in table.iterrows()]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
    write_text(options.output / "summary.md", text)


if __name__ == "__main__":
    main()
