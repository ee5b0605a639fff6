"""The paper's tables for five fine-tuned BERT and RoBERTa models, where models differ by a point.

Usage: python strong.py [--predictions FILE] [-o results/strong]

FILE is ``predictions_snli/snli_dev_predictions.npz``: five models on SNLI dev, whose half b (4,921
pairs) was held out by those who tuned them; the report is on half b.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

import modelcompare as mc
from modelcompare.report.files import save, write_figure, write_text

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[2] / "shared/data/predictions_snli/snli_dev_predictions.npz"


def main() -> None:
    """Parse options; make the tables and figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--predictions", type=Path, default=SHARED)
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "strong")
    options = parser.parse_args()
    preds = mc.read_predictions(options.predictions)
    if preds.slices is not None and "half" in preds.slices:
        preds = preds.subset((preds.slices["half"] == "b").to_numpy())
    result = mc.compare(preds, ["accuracy", "f1_macro", "cf1_macro"])
    options.output.mkdir(parents=True, exist_ok=True)
    write_text(options.output / "compare.md", result.to_markdown())
    write_figure(options.output / "compare.png", result.plot())
    save(mc.variance_study(preds), options.output)
    save(mc.agreement_study(preds), options.output)
    tables = {t: mc.agreement_study(preds, test=t).table for t in ("t", "sign-flip", "wald")}
    by_test = pd.concat(tables, names=["test"]).reset_index(level="test")
    by_test.to_csv(options.output / "agreement_by_test.csv", index=False, float_format="%.6g")
    print(result.verdict())


if __name__ == "__main__":
    main()
