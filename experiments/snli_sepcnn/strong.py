"""The paper's tables for five fine-tuned BERT and RoBERTa models, where models differ by a point.

Usage: python -m experiments.snli_sepcnn.strong [--predictions FILE] [-o results/strong]

FILE is ``predictions_snli/snli_dev_predictions.npz``: five models on SNLI dev, whose half b (4,921
pairs) was not used by those who tuned them; the report is on half b.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

import modelcompare as mc
from experiments.snli_sepcnn import claims
from experiments.snli_sepcnn.paper import DEFAULT_TEST, write_claims
from modelcompare.report.writers.files import write_all, write_figure, write_text
from modelcompare.report.writers.formats import contents

HERE = Path(__file__).resolve().parent
TESTS = ("t", DEFAULT_TEST, "sign-flip", "wald")
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
    folder = options.output
    folder.mkdir(parents=True, exist_ok=True)
    result = mc.compare(preds, ["accuracy", "f1_macro", "cf1_macro"])
    write_text(folder / "compare.md", result.to_markdown())
    write_figure(folder / "compare.png", result.plot())
    variance = mc.studies.variance_study(preds)
    write_all(folder, contents(variance.document()))
    studies = {test: mc.studies.agreement_study(preds, test=test) for test in TESTS}
    write_all(folder, contents(studies["t"].document()))
    by_test = pd.concat({test: study.table for test, study in studies.items()}, names=["test"])
    by_test.reset_index(level="test").to_csv(
        folder / "agreement_by_test.csv", index=False, float_format="%.6g"
    )
    orders = claims.population(preds)
    who = f"{len(preds.models)} transformers"
    findings = [
        *claims.sensitivity(preds),
        *claims.lower_variance(variance, who),
        *claims.rejected(variance, who),
        *claims.fewer_samples(variance, who),
        *claims.separated(preds, who),
        *claims.same_ranking(claims.ranking(preds), who),
        *claims.agreement(studies["t"], who, "t-test, 1 %"),
        *claims.agreement(studies[DEFAULT_TEST], who, "default test, 1 %"),
        *claims.predicted(orders),
    ]
    write_claims(findings, [], folder)
    print(result.verdict())


if __name__ == "__main__":
    main()
