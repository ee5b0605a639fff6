"""Intervals of means of scores in [0, 1], and of paired differences: defaults beside likelihoods.

Usage: python -m experiments.validity.means_of_scores [--trials 4000] [--only REGEX] [--jobs 1]

Empirical likelihood (Owen 1988) at F's and at Bartlett's quantile, and adjusted by a pseudo-sample
(Chen, Variyath and Abraham 2008), which reaches beyond the smallest and the largest score;
exponentially tilted samples, with the saddlepoint approximation r* of their tails; and the
bootstrap of Student's t by the same approximation (Daniels and Young 1991). Ends are clipped to the
range. Where all scores, or differences, of a test set are equal, these methods have no interval and
get the default's; Student's then has width 0. Coverage, and median widths over the default's and
over Student's, are written to ``results/means_of_scores.csv``; how the methods fare is printed.
"""

from __future__ import annotations

import argparse
import re
import warnings
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy import stats

import modelcompare as mc
from experiments.validity.catalogue import cell_id
from experiments.validity.likelihoods import LEVEL, METHODS, t_quantile
from experiments.validity.results import markdown
from modelcompare.report.writers.files import write_text

Params = dict[str, Any]
Array = np.ndarray
Ends = tuple[Array, Array]
Draw = Callable[[np.random.Generator, tuple[int, int]], Array]
RESULTS = Path(__file__).resolve().parent / "results" / "means_of_scores.csv"
WANTED = 0.935
SIZES = (20, 50, 100, 400, 2000)
# Numbers in a block of test sets, which stay in the cache, and at most in all of a cell.
BLOCK, MOST = 50_000, 4_000_000
TIES = np.array([0.0, 0.25, 0.5, 0.75, 1.0]), np.array([0.02, 0.03, 0.75, 0.1, 0.1])


# -- populations: scores of a model, or of models a and b, of each test set ------------------------


def _rare(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return np.where(rng.random(shape) < 0.95, 1.0, rng.beta(2, 2, shape))


def _clipped(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return np.minimum(np.exp(rng.standard_normal(shape) - 2), 1.0)


def _twins(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Return models that disagree on 5 % of the samples, where they are exchangeable."""
    a, other = rng.beta(2, 2, shape), rng.beta(2, 2, shape)
    return np.stack([a, np.where(rng.random(shape) < 0.05, other, a)])


def _regressions(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Return a model, and one that loses a uniform share of its score on 5 % of the samples."""
    a, kept = rng.beta(2, 2, shape), rng.random(shape)
    return np.stack([a, a * np.where(rng.random(shape) < 0.05, kept, 1.0)])


def _correlated(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Return uniform scores, and squares of such that are correlated with them by 0.8."""
    common = np.sqrt(0.8) * rng.standard_normal(shape)
    a, b = (stats.norm.cdf(common + np.sqrt(0.2) * rng.standard_normal(shape)) for _ in "ab")
    return np.stack([a, b**2])


def _failures(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Return models that fail on 5 and 6 % of the samples, 4 % of which they share."""
    u = rng.random(shape)
    failed = np.stack([u < 0.05, (u < 0.04) | (u > 0.98)])
    return np.where(failed, rng.beta(2, 2, (2, *shape)), 1.0)


# Draws, and the mean; of pairs that of the differences a - b.
LAWS: dict[str, tuple[Draw, float]] = {
    "rare failures": (_rare, 0.975),
    "U-shaped": (lambda rng, shape: rng.beta(0.3, 0.3, shape), 0.5),
    "lognormal": (_clipped, float(np.exp(-1.5) * stats.norm.cdf(1) + stats.norm.sf(2))),
    "symmetric": (lambda rng, shape: rng.beta(4, 4, shape), 0.5),
    "ties": (lambda rng, shape: rng.choice(TIES[0], shape, p=TIES[1]), float(TIES[0] @ TIES[1])),
    "twins": (_twins, 0.0),
    "regressions": (_regressions, 0.05 * 0.5 * 0.5),
    "correlated": (_correlated, 0.5 - 1 / 3),
    "shared failures": (_failures, 0.005),
}


# -- the default and Student's -------------------------------------------------------------------


def default(scores: Array, bounds: tuple[float, float] | None = (0.0, 1.0)) -> Ends:
    """Return the package's default intervals; test sets are the models, or pairs, of one call.

    Test sets whose scores are all 0 or 1 are asked for apart: those are proportions.
    """
    ends = np.full((2, scores.shape[-2]), np.nan)
    binary = np.isin(scores, (0.0, 1.0)).all(axis=(0, -1) if scores.ndim == 3 else -1)
    with warnings.catch_warnings():
        # Intervals without an end, of scores that are all equal, count as they are.
        warnings.simplefilter("ignore", mc.SparseDataWarning)
        for rows in (binary, ~binary):
            if rows.any():
                ends[:, rows] = _asked(scores[..., rows, :], bounds)
    return ends[0], ends[1]


def _asked(scores: Array, bounds: tuple[float, float] | None) -> Ends:
    outputs = {f"m{i}": row for i, row in enumerate(scores.reshape(-1, scores.shape[-1]))}
    preds = mc.Predictions.from_scores(outputs, bounds=bounds, greater_is_better=True)
    result, rows = mc.bootstrap(preds, "mean_score", n_resamples=2), np.arange(scores.shape[-2])
    if scores.ndim == 3:
        found = result.difference_interval(rows, rows + len(rows), "auto", LEVEL)
    else:
        found = result.score_interval("auto", LEVEL)
    return found.low[:, 0], found.high[:, 0]


def student(x: Array) -> Ends:
    """Return Student's intervals of the means of rows."""
    half = t_quantile(x.shape[1]) * x.std(axis=1, ddof=1) / np.sqrt(x.shape[1])
    return x.mean(axis=1) - half, x.mean(axis=1) + half


# -- cells ---------------------------------------------------------------------------------------


def cells(tier: str) -> list[Params]:
    """Return every law at every size; of the quick tier one score and one difference."""
    if tier == "quick":
        return [{"law": law, "n": 50} for law in ("lognormal", "twins")]
    return [{"law": law, "n": n} for law in LAWS for n in SIZES]


def run_cell(params: Params, n_trials: int, seed: int) -> dict[str, dict[str, float]]:
    """Return coverage and median widths, by ``mean_score quantity``."""
    draw, truth = LAWS[params["law"]]
    n_trials = min(n_trials, MOST // params["n"])
    rng, size = np.random.default_rng(seed), max(1, min(500, BLOCK // params["n"]))
    blocks = [
        _ends(draw(rng, (min(size, n_trials - start), params["n"])))
        for start in range(0, n_trials, size)
    ]
    found: dict[str, float] = {"n_trials": n_trials}
    for name in blocks[0]:
        low, high = np.concatenate([block[name] for block in blocks], axis=1)
        covered = (low - 1e-12 <= truth) & (truth <= high + 1e-12)
        found |= {f"covered, {name}": float(covered.mean())}
        found |= {f"width, {name}": float(np.median(high - low))}
    return {f"mean_score {quantity_of(params['law'])}": found}


def quantity_of(law: str) -> str:
    """Return what a law draws: scores of a model, or pairs of them."""
    return "score" if LAWS[law][0](np.random.default_rng(0), (1, 1)).ndim == 2 else "difference"


def _ends(scores: Array) -> dict[str, Array]:
    """Return the ends of the intervals of some test sets by all methods, of shape (2, n_trials)."""
    paired = scores.ndim == 3
    x, least = (scores[0] - scores[1], -1.0) if paired else (scores, 0.0)
    chosen = default(scores)
    found = {"default": chosen, "default, no range": default(scores, None), "t": student(x)}
    varied = np.ptp(x, axis=1) > 1e-9
    for name, lower in METHODS.items():
        low, high = (end.copy() for end in chosen)
        low[varied], high[varied] = lower(x[varied], least), -lower(-x[varied], -1.0)
        found[name] = low, high
    return {name: np.clip(ends, least, 1.0) for name, ends in found.items()}


def table_of(chosen: Sequence[Params], n_trials: int, jobs: int = 1) -> pd.DataFrame:
    """Simulate cells, and return a row for each and each method."""
    seeds = [zlib.crc32(cell_id({"kind": "means_of_scores", **cell}).encode()) for cell in chosen]
    found = Parallel(n_jobs=jobs)(
        delayed(run_cell)(cell, n_trials, seed) for cell, seed in zip(chosen, seeds, strict=True)
    )
    rows = []
    for cell, means in zip(chosen, found, strict=True):
        ((name, of_cell),) = means.items()
        for method in ("default", "default, no range", "t", *METHODS):
            covered, width = of_cell[f"covered, {method}"], of_cell[f"width, {method}"]
            rows.append({
                "quantity": name.split()[-1], **cell, "method": method,
                "trials": of_cell["n_trials"],
                "covered": covered, "width": width,
                "width over the default's": width / of_cell["width, default"],
                "width over t's": width / of_cell["width, t"],
            })  # fmt: skip
    return pd.DataFrame(rows)


def verdict(table: pd.DataFrame) -> pd.DataFrame:
    """Return how methods fare in the cells where the default holds, by quantity and method."""
    own = table[table["method"] == "default"].set_index(["law", "n"])["covered"]
    holds = own[own >= WANTED].index
    part = table[pd.MultiIndex.from_frame(table[["law", "n"]]).isin(holds)]
    rows = {}
    for key, cells_of in part.groupby(["quantity", "method"], sort=False):
        worst = cells_of.loc[cells_of["covered"].idxmin()]
        rows[", ".join(key)] = {
            "cells": str(len(cells_of)), "short": str(int((cells_of["covered"] < WANTED).sum())),
            "lowest": worst["covered"], "where": f"{worst['law']}, n = {worst['n']}",
            **{of: cells_of[of].median() for of in ("width over the default's", "width over t's")},
        }  # fmt: skip
    return pd.DataFrame.from_dict(rows, orient="index")


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse options, simulate, write the table, print how the methods fare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tier", choices=("quick", "full"), default="full")
    parser.add_argument("--trials", type=int, default=4000, help="of each cell")
    parser.add_argument("--only", default="", help="regular expression of 'law n', e.g. '^ties 20'")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    chosen = [c for c in cells(options.tier) if re.search(options.only, f"{c['law']} {c['n']}")]
    if not chosen:
        parser.error(f"--only {options.only!r} fits no cell.")
    table = table_of(chosen, options.trials, options.jobs)
    write_text(options.output, table.to_csv(index=False, float_format="%.5g"))
    print(markdown(verdict(table)))


if __name__ == "__main__":
    main()
