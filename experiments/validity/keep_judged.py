"""Gates beside a judge at the small levels at which many candidates are asked about.

A ledger divides its error among candidates, so a gate of `keep` has a level far below 0.05. Test
sets have 1,000 samples, of which people labelled some, and a judge that is right on 0.8 or 0.95 of
them; two models are right on 0.8 and 0.75 of the samples, or on 0.97 and 0.95, with half of their
errors where samples are hard.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import modelcompare as mc

Params = dict[str, Any]
LEVELS, N_SAMPLES = (0.05, 0.01, 0.005, 0.001), 1_000
QUALITY = {"ordinary": (0.8, 0.75), "high": (0.97, 0.95)}


def cells() -> list[Params]:
    """Return numbers of labels, judges and models."""
    return [
        {
            "study": "judge", "metric": "accuracy", "margin": round(-float(np.diff(of_both)[0]), 6),
            "labels": labels, "judge": judge, "models": models,
        }
        for labels in (50, 100, 300) for judge in (0.8, 0.95)
        for models, of_both in QUALITY.items()
    ]  # fmt: skip


def draw(rng: np.random.Generator, cell: Params) -> mc.Predictions:
    """Draw labels of some samples, verdicts, and answers that are wrong on common samples."""
    truth, hard = rng.integers(0, 2, N_SAMPLES), rng.random(N_SAMPLES)

    def answers(share: float) -> np.ndarray:
        wrong = rng.random(N_SAMPLES) < (1 - share) * np.where(hard < 0.2, 2.5, 0.625)
        return np.where(wrong, 1 - truth, truth)

    baseline, candidate = QUALITY[cell["models"]]
    seen = np.where(rng.permutation(N_SAMPLES) < cell["labels"], truth, np.nan)
    outputs = {"baseline": answers(baseline), "candidate": answers(candidate)}
    return mc.Predictions(seen, outputs, judge=answers(cell["judge"]), labels=[0, 1])


def of_judged(rng: np.random.Generator, cell: Params, _: Any, n_trials: int) -> Iterator[Any]:
    """Yield the shares of gates that open at each level, of a true gain at the threshold.

    Of test sets whose labels chance made look as if they were not drawn at random, which are
    refused, another is drawn. A trial is warned of if few labels decide.
    """
    p_values, n_warned = np.empty(n_trials), 0
    for trial in range(n_trials):
        p_values[trial], few = _trial(rng, cell)
        n_warned += few
    for level in LEVELS:
        error = float(np.mean(p_values <= level))
        yield {
            "plan": f"level {level:g}", "error": error, "trials": n_trials,
            "warned": n_warned / n_trials,
        }  # fmt: skip


def _trial(rng: np.random.Generator, cell: Params) -> tuple[float, bool]:
    while True:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                found = mc.decide(
                    draw(rng, cell), "baseline", "candidate", "accuracy", margin=cell["margin"]
                )
            except ValueError:
                continue
        return found.p_value, any(each.category is mc.SparseDataWarning for each in caught)
