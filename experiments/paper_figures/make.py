"""Every table and figure of Yacouby & Axman (2020) from one file of predictions.

Run: ``python experiments/paper_figures/make.py [PREDICTIONS] -o FOLDER``; without a file, for the
example that ships. Figures have the paper's numbers in their names, such as
``figure1_variances_f1.png``, and table 1 is ``agreement``; beside them are undefined values,
sensitivity, separation and relative efficiency. The same seed writes the same bytes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import modelcompare as mc
from modelcompare.report.writers import files
from modelcompare.report.writers.formats import contents


def write_all(predictions: mc.Predictions, folder: Path, *, n_resamples: int, seed: int) -> None:
    """Run the studies and write what they show into a folder."""
    options = {"n_resamples": n_resamples, "rng": seed}
    files.write_all(folder, contents(mc.studies.variance_study(predictions, **options).document()))
    if len(predictions.models) > 1:
        files.write_all(
            folder, contents(mc.studies.agreement_study(predictions, **options).document())
        )
    files.write_all(folder, contents(mc.studies.undefined_study(predictions, **options).document()))
    files.write_all(
        folder, contents(mc.studies.sensitivity_study(predictions, **options).document())
    )


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("predictions", nargs="?", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).parent / "snli")
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    predictions = (
        mc.load_example("snli")
        if arguments.predictions is None
        else mc.read_predictions(arguments.predictions)
    )
    write_all(predictions, arguments.output, n_resamples=arguments.resamples, seed=arguments.seed)


if __name__ == "__main__":
    main()
