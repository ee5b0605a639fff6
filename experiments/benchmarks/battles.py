"""Strengths of 50 models from 100,000 battles, with all pairs: here beside evalica's bootstrap.

Usage: python battles.py. ``from_battles`` and ``compare`` with 1,000 resamples: intervals, tests of
1,225 pairs, their correction and ranks, in seconds of CPU, with the peak of memory. evalica, if it
is installed, fits each of 20 resamples again, without tests, and is scaled to 1,000.
"""

from __future__ import annotations

import os
import resource
import time
import warnings
from importlib import import_module
from importlib.util import find_spec

os.environ.setdefault("OMP_NUM_THREADS", "2")

import numpy as np
import pandas as pd

import modelcompare as mc

N_MODELS, N_BATTLES, N_RESAMPLES, N_SHORT, N_USERS = 50, 100_000, 1000, 20, 1000


def battles() -> pd.DataFrame:
    """Battles of all pairs, decided by strengths from -1.2 to 1.2, and their users."""
    rng = np.random.default_rng(0)
    strength = np.linspace(-1.2, 1.2, N_MODELS)
    first = rng.integers(N_MODELS, size=N_BATTLES)
    second = (first + rng.integers(1, N_MODELS, size=N_BATTLES)) % N_MODELS
    won = rng.random(N_BATTLES) < 1 / (1 + np.exp(strength[second] - strength[first]))
    names = np.array([f"model{i:02}" for i in range(N_MODELS)])
    return pd.DataFrame({
        "model_a": names[first], "model_b": names[second],
        "winner": np.where(won, "model_a", "model_b"),
        "user": rng.integers(N_USERS, size=N_BATTLES),
    })  # fmt: skip


def compared(table: pd.DataFrame) -> tuple[mc.results.Comparison, float]:
    """The comparison of all pairs, and its seconds of CPU."""
    start = time.process_time()
    result = mc.compare(mc.from_battles(table), n_resamples=N_RESAMPLES, rng=0)
    assert len(result.scores) == N_MODELS
    assert len(result.differences) == N_MODELS * (N_MODELS - 1) // 2
    return result, time.process_time() - start


def bootstrapped(table: pd.DataFrame) -> tuple[pd.Series, float]:
    """The strengths by evalica, and the seconds of CPU of its bootstrap, scaled."""
    evalica = import_module("evalica")
    sides = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y}
    columns = (
        *(list(table[side]) for side in ("model_a", "model_b")),
        [*map(sides.get, table["winner"])],
    )
    found = np.log(evalica.bradley_terry(*columns, tolerance=1e-12, limit=10_000).scores)
    start = time.process_time()
    evalica.bootstrap(
        evalica.bradley_terry, *columns, n_resamples=N_SHORT, bootstrap_method="percentile",
        random_state=0,
    )  # fmt: skip
    taken = (time.process_time() - start) * N_RESAMPLES / N_SHORT
    return found - found.mean(), taken


def main() -> None:
    """Print the times, their ratio, the memory, and that the strengths are the same."""
    warnings.simplefilter("ignore")
    table = battles()
    alone = table.drop(columns="user")
    compared(alone[:2000])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result, ours = compared(alone)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    _, of_users = compared(table)
    print(f"{N_MODELS} models, {N_BATTLES:,} battles, {N_RESAMPLES:,} resamples, all pairs")
    print(f"  battles as samples         {ours:8.2f} s of CPU")
    print(f"  users as clusters          {of_users:8.2f} s of CPU")
    print(f"  peak memory                {peak / 1024:8.0f} MiB, {(peak - before) / 1024:.0f} more")
    if find_spec("evalica") is None:
        print("  evalica is not installed")
        return
    strength, theirs = bootstrapped(table)
    ours_by_model = result.scores.set_index("model")["estimate"]
    print(f"  evalica, {N_SHORT} fits, scaled   {theirs:8.2f} s of CPU    {theirs / ours:.0f}x")
    print(f"  largest difference of a strength: {(strength - ours_by_model).abs().max():.1e}")


if __name__ == "__main__":
    main()
