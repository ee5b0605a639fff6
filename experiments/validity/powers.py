"""Size and power of the default test beside drawn swaps, t, Wald and the bootstrap.

Run: ``python -m experiments.validity.powers [--rounds N]``. Two models of random outputs in 40
cells: eight metrics, samples, clusters and strata. Each round adds trials of equal models and of
models that are apart to results/powers.csv, which counts p-values below 0.05; all tests see the
same test sets. "before" is the default test as it was before p-values were computed without draws:
499 drawn swaps, or exact counting of accuracy and of one class (`test="permutation"`). Target: the
power of the default is never less than before by more than 0.01, but for the error of the
simulation, and its size is at most 0.055.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import modelcompare as mc
from experiments.validity.without_draws import test_set
from modelcompare.resampling.weights import SwapMasks
from modelcompare.significance import run_test
from modelcompare.significance.extreme import resampling_p
from modelcompare.significance.pairwise import PairView, all_pairs
from modelcompare.significance.studentized import algorithm_of, swap_statistic
from modelcompare.significance.swaps.statistic import Asked

RESULTS = Path(__file__).parent / "results" / "powers.csv"
METRICS = {"accuracy": 3, "f1": 2, "f1_macro": 3, "precision_macro": 3, "mcc": 3, "cf1_macro": 3,
           "log_loss": 3, "brier_score": 3}  # fmt: skip
DESIGNS = ((50, "samples"), (100, "samples"), (300, "samples"), (300, "clusters"), (300, "strata"))
TESTS = ("studentized-permutation", "before", "t", "wald", "bootstrap")
KEYS, ALPHA, N_SWAPS, AT_ONCE = ["metric", "n", "design", "apart", "test"], 0.05, 499, 20
# Skills apart that about half of the tests find.
APART = {"f1": 5.0, "f1_macro": 3.5, "precision_macro": 3.5, "accuracy": 3.5, "mcc": 3.5,
         "cf1_macro": 2.0, "log_loss": 1.8, "brier_score": 2.0}  # fmt: skip


def p_values(preds: mc.Predictions, metric: str, seed: int) -> dict[str, float]:
    """Return the p-value of each test that there is, of the last value."""
    found = mc.bootstrap(preds, [metric], n_resamples=N_SWAPS, rng=seed)
    view = PairView(found, all_pairs(2), N_SWAPS)
    out = {"before": before(view, seed)}
    for test in TESTS:
        if test == "before":
            continue
        try:
            out[test] = float(run_test(test, view).p_value[0, -1])
        except ValueError:
            # Student's t is of means of independent samples.
            out[test] = np.nan
    return out


def before(view: PairView, seed: int) -> float:
    """Return the p-value of drawn swaps, or of exact counting."""
    evaluation = view.evaluation
    if algorithm_of(evaluation, evaluation.metrics[0]) == "exact":
        return float(run_test("permutation", view).p_value[0, -1])
    statistic = swap_statistic(evaluation, evaluation.metrics, view.pairs)
    masks = SwapMasks(statistic.units, N_SWAPS, np.random.SeedSequence(seed))
    extreme = statistic.counts(masks, np.array([0]), Asked("two-sided"))[0]
    return float(resampling_p(extreme, N_SWAPS)[0, -1])


def counts(metric: str, n: int, design: str, apart: float, first: int) -> pd.DataFrame:
    """Return how many of some trials each test rejects."""
    found = []
    for trial in range(first, first + AT_ONCE):
        seed = np.random.SeedSequence([trial, n, *map(ord, metric + design), int(10 * apart)])
        number = int(seed.generate_state(1)[0])
        preds = test_set(metric, n, METRICS[metric], design, number, apart)
        found.append(p_values(preds, metric, number))
    p = pd.DataFrame(found)
    both = (p["studentized-permutation"] < ALPHA).astype(int) - (p["before"] < ALPHA)
    rows = pd.DataFrame({"rejected": (p < ALPHA).sum(), "trials": p.notna().sum()})
    rows.loc["studentized-permutation", ["more", "less"]] = (both > 0).sum(), (both < 0).sum()
    cell = {"metric": metric, "n": n, "design": design, "apart": apart}
    return rows.rename_axis("test").reset_index().assign(**cell)


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return size and power of each test, a row for each metric and design."""
    rows = rows[rows["trials"] > 0]
    rows = rows.assign(
        share=rows["rejected"] / rows["trials"], what=np.where(rows["apart"], "power", "size")
    )
    return rows.pivot_table(index=KEYS[:3], columns=["what", "test"], values="share", sort=False)


def summary(rows: pd.DataFrame) -> str:
    """Write the largest size, and the power beside the one before."""
    ours = rows[rows["test"] == "studentized-permutation"].set_index(KEYS[:4])
    theirs = rows[rows["test"] == "before"].set_index(KEYS[:4])
    gain = ((ours["rejected"] - theirs["rejected"]) / ours["trials"])[ours["apart_"] > 0]
    error = np.sqrt(ours["more"] + ours["less"]) / ours["trials"]
    size = (ours["rejected"] / ours["trials"])[ours["apart_"] == 0]
    low = gain + 2 * error.reindex(gain.index) < -0.01
    return (
        f"{len(gain)} cells of {int(ours['trials'].min())} to {int(ours['trials'].max())} trials: "
        f"size {size.mean():.3f} on average, {size.max():.3f} at most; power {gain.mean():+.3f} "
        f"beside the one before, {gain.min():+.3f} at least, {low.sum()} cells less by more than "
        "0.01 beyond two errors"
    )


def main() -> None:
    """Add trials to all cells, and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=0, help=f"add so many times {AT_ONCE} trials")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = pd.read_csv(RESULTS) if RESULTS.exists() else pd.DataFrame(columns=[*KEYS, "trials"])
    for _ in range(asked.rounds):
        for metric, (n, design) in ((m, d) for d in DESIGNS for m in METRICS):
            for apart in (0.0, APART[metric]):
                here = (rows[KEYS[:4]] == [metric, n, design, apart]).all(axis=1)
                new = counts(
                    metric, n, design, apart, int(rows["trials"][here].max() if here.any() else 0)
                )
                every = pd.concat([rows[here], new]) if here.any() else new
                added = every.groupby(KEYS, sort=False).sum(min_count=1).reset_index()
                rows = pd.concat([rows[~here], added]) if len(rows) else added
                rows.to_csv(RESULTS, index=False)
    if len(rows):
        print(table(rows).round(3).to_string())
        print(summary(rows.assign(apart_=rows["apart"])))


if __name__ == "__main__":
    main()
