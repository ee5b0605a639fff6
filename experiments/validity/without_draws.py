"""p-values of the default test that no swap is drawn for, beside drawn swaps.

Run: ``python -m experiments.validity.without_draws [--cells N] [--again]``. Two models of random
outputs, by metric, size, number of classes and design: each p-value from `significance.known`
beside the share of 40,000 (of 10,000 samples or more) to 10^6 drawn swaps, ties counted half. Rows
are kept in results/without_draws.csv, and cells that are there are not computed again; with
``--again`` p-values are, and swaps are drawn only of values that had none. Target: within 3 % of p,
or half of the mass of the tie, plus what the draws themselves leave open, for p in 0.0001 to 0.5;
and in four fifths of the cells of 300 samples or more no swap is drawn.
"""

from __future__ import annotations

import argparse
import csv
import itertools
from pathlib import Path

import numpy as np
from scipy.special import softmax

from modelcompare import Predictions
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import SwapMasks
from modelcompare.significance.known import WAYS, Known
from modelcompare.significance.pairwise import all_pairs
from modelcompare.significance.studentized import algorithm_of, swap_statistic
from modelcompare.significance.swaps.statistic import Asked

RESULTS = Path(__file__).parent / "results" / "without_draws.csv"
HARD = ("f1_macro", "precision_macro", "f1_weighted", "balanced_accuracy", "accuracy", "f1", "mcc")
SOFT = ("cf1_macro", "cprecision_macro", "cf1", "cprecision", "log_loss", "brier_score")
SIZES = ((30, 3), (100, 2), (100, 3), (300, 2), (300, 3), (300, 10), (1_000, 2), (1_000, 3),
         (1_000, 10), (10_000, 3), (100_000, 3))  # fmt: skip
DESIGNS = ("samples", "strata", "classes", "clusters", "weights")
COLUMNS = ("metric", "n", "classes", "design", "value", "t", "p_drawn", "error", "tie", "p_known",
           "way")  # fmt: skip
# Numbers of masks and samples that are drawn together, and most and least draws.
_NUMBERS, _DRAWS = 6 * 10**7, (40_000, 200_000)
_EVERY = 4
_SHARES = ("p_drawn", "error", "tie")


def test_set(
    metric: str, n: int, n_classes: int, design: str, seed: int, apart: float | None
) -> Predictions:
    """Draw outputs of two models that agree on most samples, the second a little worse.

    Their skills are `apart` by so many roots of the number of samples, or by a random number of
    them.
    """
    rng = np.random.default_rng(seed)
    shares = rng.choice([1.0, 0.7, 0.4]) ** np.arange(n_classes)
    y = rng.choice(n_classes, n, p=shares / shares.sum())
    common, outputs = rng.normal(size=(n, n_classes)), {}
    drawn = rng.choice([0.0, 1.0, 2.0])
    gap = 1.5 * (drawn if apart is None else apart) / np.sqrt(n)
    for model, skill in (("a", 2.4), ("b", 2.4 - gap)):
        own = rng.normal(size=(n, n_classes))
        scores = skill * np.eye(n_classes)[y] + 0.84 * common + 0.55 * own
        outputs[model] = softmax(scores, axis=1) if metric in SOFT else scores.argmax(axis=1)
    columns = {
        "strata": {"strata": rng.integers(0, 4, n)},
        "classes": {"strata": y},
        "clusters": {"groups": rng.integers(0, n // 3, n)},
        "weights": {"sample_weight": rng.lognormal(0, 0.6, n)},
    }.get(design, {})
    return Predictions(y, outputs, labels=range(n_classes), **columns)


def rows(
    metric: str, n: int, n_classes: int, design: str, kept: dict[str, dict[str, str]]
) -> list[dict[str, object]]:
    """Return a row for each value of a cell: a class, or the metric.

    `kept` are former rows by value, whose drawn shares stay.
    """
    seed = np.random.SeedSequence([ord(c) for c in f"{metric}{n}{n_classes}{design}"])
    preds = test_set(metric, n, n_classes, design, int(seed.generate_state(1)[0]), None)
    part = Evaluation(preds, resolve_metrics([metric], preds), collapse=False)
    cell = {"metric": metric, "n": n, "classes": n_classes, "design": design}
    if algorithm_of(part, part.metrics[0]) == "exact":
        # All swaps are counted; tests hold these to a loop.
        return [cell | {"value": "", "p_known": "counted", "way": "mid-p"}]
    statistic = swap_statistic(part, part.metrics, all_pairs(2))
    known = Known.of(statistic, "two-sided")
    n_draws = int(np.clip(_NUMBERS // n, *_DRAWS))
    share, found = None, []
    for value, (t, p) in enumerate(zip(statistic.observed[0], known.p_value[0], strict=True)):
        way = "drawn" if np.isnan(p) else WAYS[int(known.way[0, value])]
        row = cell | {
            "value": value, "t": round(float(abs(t)), 4), "p_known": float(p), "way": way
        }  # fmt: skip
        former = kept.get(str(value), {})
        if former.get("p_drawn"):
            row |= {name: former[name] for name in _SHARES}
        elif 1e-4 < p < 0.6:
            share = share_of_drawn(statistic, n_draws, seed) if share is None else share
            drawn, tie = (part[value] for part in share)
            row |= {"p_drawn": drawn, "error": np.sqrt(drawn * (1 - drawn) / n_draws), "tie": tie}
        found.append(row)
    return found


def share_of_drawn(statistic, n_draws, seed):
    """Return the share of drawn swaps as extreme as the data, and half the share that equal it."""
    masks = SwapMasks(statistic.units, n_draws, seed)
    counts = [
        statistic.counts(masks, np.array([0]), Asked("two-sided", ties=ties))[0][0]
        for ties in (True, False)
    ]
    return (counts[0] + counts[1]) / 2 / n_draws, (counts[0] - counts[1]) / 2 / n_draws


def summary() -> str:
    """Write how far p-values are from drawn ones, and how often none is drawn."""
    with RESULTS.open(newline="") as file:
        every = [*csv.DictReader(file)]
    beside = [row for row in every if row["p_drawn"] and 1e-4 < float(row["p_drawn"]) < 0.5]
    off = [row for row in beside if beyond(row)]
    large = {}
    for row in every:
        if int(row["n"]) >= 300:
            key = tuple(row[name] for name in ("metric", "n", "classes", "design"))
            large.setdefault(key, []).append(row["p_known"] != "nan")
    share = np.mean([np.mean(values) for values in large.values()])
    lines = [
        f"{len({tuple(r[c] for c in COLUMNS[:4]) for r in every})} cells, {len(every)} values, "
        f"{len(beside)} beside drawn swaps, {len(off)} further than 3 % or half a tie",
        f"without draws: {share:.0%} of the values of cells of 300 samples or more",
    ]
    lines += [f"  {row} {float(row['p_known']) / float(row['p_drawn']) - 1:+.3f}" for row in off]
    return "\n".join(lines)


def beyond(row: dict[str, str]) -> bool:
    """Return True for a p-value that is further off than it may be."""
    p, error, tie = (float(row[name]) for name in ("p_drawn", "error", "tie"))
    return abs(float(row["p_known"]) - p) > 0.03 * p + 3 * error + tie


def _keep(every: list[dict[str, object]]) -> None:
    """Write all rows."""
    with RESULTS.with_suffix(".new").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(every)
    RESULTS.with_suffix(".new").replace(RESULTS)


def main() -> None:
    """Compute the cells that are missing, and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=10**6, help="compute at most so many cells")
    parser.add_argument("--again", action="store_true", help="also cells that are there")
    asked = parser.parse_args()
    cells = [
        (metric, n, k, design)
        for (n, k), design, metric in itertools.product(SIZES, DESIGNS, HARD + SOFT)
        if not (design != "samples" and n > 10_000)
    ]
    former: dict[tuple[str, ...], list[dict[str, str]]] = {}
    if RESULTS.exists():
        with RESULTS.open(newline="") as file:
            for row in csv.DictReader(file):
                former.setdefault(tuple(row[c] for c in COLUMNS[:4]), []).append(row)
    left = asked.cells
    for cell in cells:
        of_cell = former.get(tuple(map(str, cell)), [])
        if left and (asked.again or not of_cell):
            of_cell = rows(*cell, {row["value"]: row for row in of_cell})
            left -= 1
        former[tuple(map(str, cell))] = of_cell
        if left % _EVERY == 0 or cell == cells[-1]:
            _keep([row for each in former.values() for row in each])
    print(summary())


if __name__ == "__main__":
    main()
