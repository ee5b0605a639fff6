"""The simulation of the default intervals: its populations, and its arithmetic on a small cell."""

import numpy as np
import pytest

from experiments.validity import intervals_on_sparse_data
from experiments.validity.intervals_on_sparse_data import (
    DEFAULTS,
    cells,
    cluster_of_samples,
    least_coverage,
    population_of,
    run_cell,
)


def test_a_cell_covers_what_it_should():
    found = run_cell(
        {"n": 100, "share": 0.2, "metrics": "accuracy f1 f1_macro"}, n_trials=60, seed=0
    )

    # With 60 trials of coverage 0.95 fewer than 50 happen once in 500.
    for name in ("accuracy score", "f1[1] score", "f1_macro score", "f1_macro difference"):
        assert 50 / 60 <= found[name]["covered"] <= 1
        assert 0 < found[name]["smallest_width"] <= found[name]["width"] < 1


def test_the_truth_of_an_average_is_of_the_classes_that_occur():
    # Of 12 classes about a third does not occur in 12 samples.
    found = run_cell(
        {"n": 12, "n_classes": 12, "strength": (9.0, 9.0), "metrics": "f1_macro"}, 20, seed=0
    )

    assert found["f1_macro score"]["covered"] == 1


@pytest.mark.parametrize("sizes", ["equal", "lognormal", "pareto", "half"])
def test_clusters_have_their_sizes(sizes):
    found = np.bincount(cluster_of_samples(4000, 10, sizes, np.random.default_rng(0)))

    assert found.sum() == 4000
    assert found.min() >= 1
    if sizes == "half":
        assert found.max() == pytest.approx(2000, rel=0.1)
    if sizes == "equal":
        np.testing.assert_allclose(found, 400, rtol=0.2)


def test_every_cell_says_what_it_should_cover():
    for tier in ("quick", "full"):
        for cell in cells(tier):
            assert 0.9 <= least_coverage(cell) <= 0.935


@pytest.mark.parametrize("clusters", [0, 5])
def test_values_of_classes_are_those_of_a_large_sample(clusters, monkeypatch):
    cell = {"n_classes": 3, "clusters": clusters, "metrics": "recall precision f2"}
    exact = population_of({**DEFAULTS, **cell}).values
    monkeypatch.setattr(intervals_on_sparse_data, "_values_of_classes", lambda *_: {})
    # Another correlation of the models changes no value of one, and is another sample.
    sampled = population_of({**DEFAULTS, **cell, "correlation": 0.4}).values

    assert exact.keys() == sampled.keys()
    for key, values in exact.items():
        # Shares of 130,000 samples have standard errors of 0.0014 at most.
        np.testing.assert_allclose(values, sampled[key], atol=0.006)
