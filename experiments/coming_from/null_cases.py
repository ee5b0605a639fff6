"""What each program announces where nothing is there: four null cases, simulated.

Run: ``python -m experiments.coming_from.null_cases [--trials N]``, in the environment of README.md.
Writes results/null_cases.md: the share of test sets on which a difference of two equal models is
announced, or a candidate that is worse by exactly the margin passes.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

import modelcompare as mc
from experiments.coming_from.tables import markdown

RESULT = Path(__file__).with_name("results") / "null_cases.md"
N_RESAMPLES = 999
MARGIN = 0.02
Metric = Callable[[np.ndarray, np.ndarray], float]


class World(NamedTuple):
    """A test set on which nothing is there to be announced."""

    y_true: np.ndarray
    models: dict[str, np.ndarray]
    groups: np.ndarray | None = None


Announces = Callable[[World], bool]


# -- test sets -----------------------------------------------------------------------------------


def unequal_clusters(rng: np.random.Generator) -> World:
    """Two equal models on the documents of 20 users, some of whom wrote far more than others."""
    sizes = np.maximum(1, rng.lognormal(2.5, 1.2, 20).astype(int))
    groups = np.repeat(np.arange(20), sizes)
    y_true = rng.integers(0, 2, len(groups))
    models = {}
    for name in "ab":
        ability = 1 / (1 + np.exp(-1.5 - 0.8 * rng.normal(size=20)))
        right = rng.random(len(groups)) < ability[groups]
        models[name] = np.where(right, y_true, 1 - y_true)
    return World(y_true, models, groups)


def rare_classes(rng: np.random.Generator) -> World:
    """Three equal models, ten classes of five samples each."""
    y_true = np.repeat(np.arange(10), 5)
    models = {}
    for name in "abc":
        right = rng.random(50) < 0.8
        models[name] = np.where(right, y_true, (y_true + rng.integers(1, 10, 50)) % 10)
    return World(y_true, models)


def many_models(rng: np.random.Generator) -> World:
    """Ten equal models, 45 pairs, 300 samples of two classes."""
    y_true = rng.integers(0, 2, 300)
    models = {f"m{i}": np.where(rng.random(300) < 0.8, y_true, 1 - y_true) for i in range(10)}
    return World(y_true, models)


def rare_failures(rng: np.random.Generator) -> World:
    """A candidate as good as the baseline on 97.5 % of 50 items, and 0.8 worse on the others."""
    old = rng.uniform(0.85, 0.95, 50)
    new = old + rng.normal(0, 0.005, 50) - 0.8 * (rng.random(50) < MARGIN / 0.8)
    return World(np.zeros(50), {"a": new, "b": old})


# -- what is announced ---------------------------------------------------------------------------


def _accuracy(y: np.ndarray, p: np.ndarray) -> float:
    return float((y == p).mean())


def loop(world: World, metric: Metric) -> bool:
    """Percentile intervals of all differences by a loop over resamples; any that leaves out 0."""
    rng = np.random.default_rng(0)
    n = len(world.y_true)
    values = np.empty((N_RESAMPLES, len(world.models)))
    for i in range(N_RESAMPLES):
        drawn = rng.integers(0, n, n)
        of_models = world.models.values()
        values[i] = [metric(world.y_true[drawn], output[drawn]) for output in of_models]
    return _any_leaves_out_0(values.T)


def loop_of_class_f1(world: World) -> bool:
    """The same for the F1 of each class, in numpy: the loop around scikit-learn takes hours."""
    rng = np.random.default_rng(0)
    n, k = len(world.y_true), int(world.y_true.max()) + 1
    weights = rng.multinomial(n, np.full(n, 1 / n), size=N_RESAMPLES)
    of_class = np.eye(k)[world.y_true]
    found = []
    for output in world.models.values():
        predicted = np.eye(k)[output]
        hits, total = weights @ (of_class * predicted), weights @ (of_class + predicted)
        found.append(np.divide(2 * hits, total, out=np.zeros_like(total), where=total > 0))
    return _any_leaves_out_0(found)


def _any_leaves_out_0(replicates: Sequence[np.ndarray]) -> bool:
    """Whether any percentile interval of a difference of two models leaves out 0."""
    for a, b in combinations(replicates, 2):
        low, high = np.quantile(a - b, [0.025, 0.975], axis=0)
        if np.any((low > 0) | (high < 0)):
            return True
    return False


def _mcnemar_p(world: World, first: np.ndarray, second: np.ndarray) -> float:
    a, b = first == world.y_true, second == world.y_true
    table = [[(a & b).sum(), (a & ~b).sum()], [(~a & b).sum(), (~a & ~b).sum()]]
    return float(mcnemar(table, exact=True).pvalue)


def mcnemar_uncorrected(world: World) -> bool:
    """Exact McNemar test of each pair, by statsmodels."""
    return any(_mcnemar_p(world, a, b) < 0.05 for a, b in combinations(world.models.values(), 2))


def mcnemar_holm(world: World) -> bool:
    """The same, corrected by Holm's method."""
    found = [_mcnemar_p(world, a, b) for a, b in combinations(world.models.values(), 2)]
    return bool(multipletests(found, method="holm")[0].any())


def scipy_bca(world: World) -> bool:
    """BCa interval of the mean difference of hits, by scipy.stats.bootstrap."""
    a, b = (output == world.y_true for output in world.models.values())
    difference = a.astype(float) - b
    if not difference.any():
        return False
    found = stats.bootstrap(
        (difference,), np.mean, n_resamples=N_RESAMPLES, rng=np.random.default_rng(0)
    ).confidence_interval
    return bool(found.low > 0 or found.high < 0)


def stambo(world: World) -> bool:
    """Two-sample test of accuracy by stambo, which knows the users."""
    import stambo as theirs

    a, b = (output == world.y_true for output in world.models.values())
    found = theirs.two_sample_test(
        a.astype(float), b.astype(float),
        statistics={"accuracy": np.mean}, n_bootstrap=N_RESAMPLES, seed=0, silent=True,
        groups=world.groups,
    )["accuracy"]  # fmt: skip
    return bool(found[0] < 0.05)


def ours(world: World, metric: str) -> bool:
    """`modelcompare.compare` by its defaults."""
    labels = np.unique(world.y_true)
    predictions = mc.Predictions(world.y_true, world.models, labels=labels, groups=world.groups)
    frame = mc.compare(predictions, metric, n_resamples=N_RESAMPLES).differences
    return bool((frame.p_adjusted < 0.05).any())


def t_gate(world: World) -> bool:
    """One-sided t-test of the difference against the margin, by scipy."""
    difference = world.models["a"] - world.models["b"] + MARGIN
    return bool(stats.ttest_1samp(difference, 0, alternative="greater").pvalue < 0.05)


def bootstrap_gate(world: World) -> bool:
    """The lower end of a one-sided percentile interval against the margin."""
    difference = world.models["a"] - world.models["b"]
    n = len(difference)
    drawn = np.random.default_rng(0).integers(0, n, (N_RESAMPLES, n))
    return bool(np.quantile(difference[drawn].mean(axis=1), 0.05) > -MARGIN)


def our_gate(world: World) -> bool:
    """`modelcompare.decide` by its defaults."""
    scores = mc.Predictions.from_scores(world.models, bounds=(0, 1), greater_is_better=True)
    return bool(mc.decide(scores, "b", "a", "mean_score", margin=MARGIN).passed)


_loop_of_hits = partial(loop, metric=_accuracy)
CASES: list[tuple[str, Callable[[np.random.Generator], World], dict[str, Announces]]] = [
    (
        "two models, 20 users of unequal sizes, accuracy", unequal_clusters,
        {
            "percentile bootstrap in a loop": _loop_of_hits,
            "scipy.stats.bootstrap, BCa": scipy_bca,
            "statsmodels' exact McNemar test": mcnemar_uncorrected,
            "stambo, `groups=`": stambo,
            "modelcompare, `groups=`": partial(ours, metric="accuracy"),
        },
    ),
    (
        "three models, ten classes of 5 samples, F1 of each class", rare_classes,
        {
            "percentile bootstrap in a loop": loop_of_class_f1,
            "modelcompare": partial(ours, metric="f1"),
        },
    ),
    (
        "ten models, accuracy of all 45 pairs", many_models,
        {
            "percentile bootstrap in a loop": _loop_of_hits,
            "statsmodels' exact McNemar test": mcnemar_uncorrected,
            "the same, Holm's correction": mcnemar_holm,
            "modelcompare": partial(ours, metric="accuracy"),
        },
    ),
    (
        "a candidate worse by the margin through rare failures, 50 scores", rare_failures,
        {
            "t-test against the margin": t_gate,
            "percentile bootstrap against the margin": bootstrap_gate,
            "modelcompare gate": our_gate,
        },
    ),
]  # fmt: skip


def shares(n_trials: int) -> Iterator[list[str]]:
    """Rows of the table: case, program, share of test sets that announce something."""
    for what, draw, programs in CASES:
        rng = np.random.default_rng(1)
        found: dict[str, list[bool]] = {name: [] for name in programs}
        for _ in range(n_trials):
            world = draw(rng)
            for name, announces in programs.items():
                found[name].append(announces(world))
        for name, each in found.items():
            yield [what, name, f"{np.mean(each):.3f}"]
            print(*[what, name, f"{np.mean(each):.3f}"], sep=" | ", flush=True)


def main() -> None:
    """Simulate all cases and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=500)
    n_trials = parser.parse_args().trials
    warnings.simplefilter("ignore")
    rows = [*shares(n_trials)]
    frame = pd.DataFrame(rows, columns=["nothing is there", "program", "announces"])
    error = np.sqrt(0.05 * 0.95 / n_trials)
    head = f"{n_trials} test sets a case, level 0.05 (its simulation error {error:.3f}).\n\n"
    RESULT.write_text(head + markdown([[*frame.columns], *rows]), "utf-8")


if __name__ == "__main__":
    main()
