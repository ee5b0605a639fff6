"""Confusion matrices as tables and as samples."""

import numpy as np

from modelcompare.intervals.confusions import CellSums, Confusions

RNG = np.random.default_rng(0)
N_MODELS, N, K = 2, 300, 5
TRUE, NAMED = RNG.integers(0, K, N), RNG.integers(0, K, (N_MODELS, N))
WEIGHTS = RNG.lognormal(size=N)


def as_samples():
    each = np.broadcast_to(WEIGHTS, (N_MODELS, N))
    return Confusions(np.broadcast_to(TRUE, NAMED.shape), NAMED, each, each**2, K)


def as_tables():
    tables = np.zeros((2, N_MODELS, K, K))
    for power in (1, 2):
        for model in range(N_MODELS):
            np.add.at(tables[power - 1, model], (TRUE, NAMED[model]), WEIGHTS**power)
    return Confusions.of_tables(*tables), tables


def test_samples_and_tables_have_the_same_margins():
    samples, (tables, numbers) = as_samples(), as_tables()
    for found, expected in (
        (samples.margins, tables.margins), (samples.margins_of_squares, tables.margins_of_squares)
    ):  # fmt: skip
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
    np.testing.assert_allclose(samples.margins[1], numbers[0].sum(axis=1))


def test_numbers_of_cells_are_the_same_for_samples_and_tables():
    sums = CellSums(*RNG.normal(size=(3, N_MODELS, K)))
    samples, (tables, _) = as_samples(), as_tables()
    totals = [(each.weights * sums.of(each)).sum(axis=-1) for each in (samples, tables)]
    np.testing.assert_allclose(*totals, rtol=1e-12)


def test_squares_are_summed_over_all_cells_of_each_true_class():
    sums = CellSums(*RNG.normal(size=(3, K)))
    table = sums.of_true[:, None] + sums.of_named[None]
    np.fill_diagonal(table, sums.right)
    np.testing.assert_allclose(sums.squares(), (table**2).sum(axis=1), rtol=1e-12)


def test_numbers_of_cells_are_summed_by_true_class():
    samples, (tables, counts) = as_samples(), as_tables()
    for each in (samples, tables):
        np.testing.assert_allclose(each.by_true(each.weights), counts[0].sum(axis=2), rtol=1e-12)
