"""Corpus BLEU of ten systems: all pairs here against sacrebleu's own paired bootstrap.

Usage: python texts.py. Ten made-up systems, 3,000 sentences, 1,000 resamples. sacrebleu compares
nine systems with the first; here all 45 pairs are compared, with intervals and corrected tests.
"""

from __future__ import annotations

import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "2")

import numpy as np
from sacrebleu.metrics import BLEU
from sacrebleu.significance import PairedTest

import modelcompare as mc

N_SYSTEMS, N_SENTENCES, N_RESAMPLES = 10, 3000, 1000


def corpus() -> tuple[list[str], dict[str, list[str]]]:
    """References of 5 to 30 words, and systems that change more and more of them."""
    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(2000)])
    shares = 1 / np.arange(1, len(words) + 1)
    shares /= shares.sum()
    references = [rng.choice(words, rng.integers(5, 31), p=shares) for _ in range(N_SENTENCES)]
    systems = {}
    for place in range(N_SYSTEMS):
        outputs = []
        for reference in references:
            changed = reference.copy()
            moved = rng.random(len(changed)) < 0.25 + 0.01 * place
            changed[moved] = rng.choice(words, moved.sum(), p=shares)
            outputs.append(" ".join(changed))
        systems[f"system{place}"] = outputs
    return [" ".join(reference) for reference in references], systems


def compared(
    references: list[str], systems: dict[str, list[str]], test: str = "bootstrap"
) -> mc.results.Comparison:
    """All pairs, here; the paired bootstrap is sacrebleu's test."""
    preds = mc.Predictions(references, systems, kind="texts")
    return mc.compare(preds, "bleu", n_resamples=N_RESAMPLES, method="percentile", test=test)


def bootstrapped(references: list[str], systems: dict[str, list[str]]) -> dict[str, list]:
    """Nine systems against the first, by sacrebleu."""
    test = PairedTest(
        list(systems.items()), {"BLEU": BLEU()}, [references], test_type="bs",
        n_samples=N_RESAMPLES,
    )  # fmt: skip
    return test()[1]


def main() -> None:
    """Print both times, their ratio, and that the scores are the same."""
    references, systems = corpus()
    few = {name: outputs[:20] for name, outputs in systems.items()}
    # Imports and caches of both are not what is measured.
    compared(references[:20], few)
    bootstrapped(references[:20], few)
    start = time.perf_counter()
    result = compared(references, systems)
    ours = time.perf_counter() - start
    start = time.perf_counter()
    compared(references, systems, "studentized-permutation")
    by_default = time.perf_counter() - start

    start = time.perf_counter()
    scores = bootstrapped(references, systems)
    theirs = time.perf_counter() - start
    gap = max(
        abs(score.score - estimate)
        for score, estimate in zip(scores["BLEU"], result.scores["estimate"], strict=True)
    )
    print(f"{N_SYSTEMS} systems, {N_SENTENCES:,} sentences, {N_RESAMPLES:,} resamples")
    print(f"  sacrebleu, 9 pairs        {theirs:8.2f} s")
    print(f"  compare(), 45 pairs       {ours:8.2f} s    {theirs / ours:.1f}x")
    print(f"  by the default test       {by_default:8.2f} s    {theirs / by_default:.1f}x")
    print(f"  largest difference of a corpus score: {gap:.1e}")


if __name__ == "__main__":
    main()
