"""Items within strata, crossed with runs: mean squares within strata, beside sums by hand."""

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.engine.crossed import CrossedTables, CrossedVariances

# Of 40 items 20, 12 and 8 are in the strata.
STRATUM = np.repeat([0, 1, 2], [20, 12, 8])
N, R = len(STRATUM), 5
MEANS = np.array([0.0, 1.0, -2.0])


def drawn(rng, spread=0.5):
    """A table of items x runs, whose runs differ by stratum too."""
    by_stratum = spread * (rng.normal(size=R) + 0.6 * rng.normal(size=(3, R)))
    items = MEANS[STRATUM] + np.array([1.0, 0.3, 0.6])[STRATUM] * rng.normal(size=N)
    return items[:, None] + by_stratum[STRATUM] + 0.5 * rng.normal(size=(N, R))


def by_hand(x):
    """Parts of the variance of the mean: of items, of runs, and of the rest."""
    items = rest = 0.0
    for h in range(3):
        here = x[h == STRATUM]
        n = len(here)
        items += (n / N) ** 2 * here.mean(axis=1).var(ddof=1) / n
        left = here - here.mean(axis=1, keepdims=True) - here.mean(axis=0) + here.mean()
        rest += (n / N) ** 2 * (left**2).sum() / ((n - 1) * (R - 1)) / (n * R)
    return items, x.mean(axis=0).var(ddof=1) / R, rest


def predictions(**tables):
    item, run = np.repeat(np.arange(N), R), np.tile(np.arange(R), N)
    scores = {model: x.ravel() for model, x in tables.items()}
    return mc.Predictions.from_scores(
        scores, ids=item, runs=run, strata=STRATUM[item], greater_is_better=True
    )


def test_errors_within_strata_are_those_by_hand():
    rng = np.random.default_rng(0)
    a, b = drawn(rng), drawn(rng)
    result = mc.compare(predictions(a=a, b=b), n_resamples=99)
    errors = [*result.scores["standard_error"], result.differences["standard_error"][0]]
    for error, table in zip(errors, (a, b, a - b), strict=True):
        items, runs, rest = by_hand(table)
        assert error**2 == pytest.approx(max(items + runs - rest, items, runs), rel=1e-9)


def test_the_variance_is_that_of_new_items_and_runs():
    rng, means, found = np.random.default_rng(1), [], []
    for _ in range(4000):
        x = drawn(rng)
        means.append(x.mean())
        table = (x - x.mean())[None]
        every = CrossedVariances.of(CrossedTables([table], np.zeros(1, dtype=int), STRATUM))
        found.append(every.covariance[0, 0, 0])
    # One standard error of the variance of 4,000 means is 2.2 %.
    assert np.mean(found) == pytest.approx(np.var(means, ddof=1), rel=0.08)


def test_a_single_stratum_is_none():
    table = np.random.default_rng(2).normal(size=(1, N, R))
    owner = np.zeros(1, dtype=int)
    one = CrossedVariances.of(CrossedTables([table], owner, np.zeros(N, dtype=int)))
    none = CrossedVariances.of(CrossedTables([table], owner))
    for part in ("items", "rest", "levels"):
        np.testing.assert_allclose(getattr(one, part), getattr(none, part), rtol=1e-12)
    assert one.degrees == none.degrees
