"""The least possible width, and cells that compare widths with those of other formulas."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from experiments.validity import grid, widths, yardstick


def test_the_most_powerful_test_is_the_best_of_all_randomized_tests():
    null, truth = np.array([0.5, 0.3, 0.15, 0.05]), np.array([0.1, 0.2, 0.5, 0.2])

    found = yardstick.power(null, truth)

    # Every set of outcomes that the level allows, and a share of one more.
    best = 0.0
    for rejected in product([False, True], repeat=4):
        rejected = np.array(rejected)
        left = yardstick.ALPHA - null[rejected].sum()
        if left >= -1e-12:
            more = (np.minimum(left / null, 1) * truth)[~rejected]
            best = max(best, truth[rejected].sum() + more.max(initial=0.0))
    assert found == pytest.approx(best)


def test_the_normal_interval_is_1_175_times_the_least_width_in_large_samples():
    # Pratt: the least width is 2 (1.645 Phi(1.645) + phi(1.645)) standard errors.
    z = stats.norm.ppf(0.95)
    least = 2 * (z * 0.95 + stats.norm.pdf(z))

    found = yardstick.of_share(1000, 0.5)

    assert found["width over the least"] == pytest.approx(2 * 1.96 / least, rel=5e-3)


def test_no_cell_of_few_disagreements_is_below_the_least_width():
    found = yardstick.run_cell({"n": 20, "only_a": 0.1, "only_b": 0.05}, 1, 1)
    row = found["accuracy difference"]

    assert row["covered"] > 0.95
    assert 1 < row["width over the least"] < 1.3


@pytest.mark.parametrize("asked", ["clusters", "sigma", "noise", "odds_of_heavy", "positives"])
def test_a_cell_of_each_population_has_coverage_and_widths(asked):
    cell = next(cell for cell in widths.cells("full") if asked in cell and cell["n"] <= 200)

    found = widths.run_cell(cell, 3, 1)

    other = "narrow" if asked in ("odds_of_heavy", "positives") else "former"
    for name, row in found.items():
        assert name.endswith(" difference")
        assert row["width"] > 0
        assert 0 <= row[f"covered, {other}"] <= 1
        assert row["n_trials"] == 3


def test_the_former_width_of_a_model_and_its_twin_was_many_times_todays():
    cell = {"n": 50, "twins": "normal", "noise": 0.01, "metrics": "mean_score"}

    row = widths.run_cell(cell, 5, 2)["mean_score difference"]

    assert row["width over that of the former"] < 0.1


def test_widths_are_written_as_numbers():
    cells = [{**cell, "kind": "widths"} for cell in widths.cells("quick")[:1]]
    rows = grid.run_chunk(cells[0], 2, 0)

    assert {"covered", "covered, former", "width over that of the former"} <= {r[3] for r in rows}
