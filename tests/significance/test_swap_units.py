"""Groups of units that swap together: their members, and that they swap as clusters do."""

import numpy as np
import pytest

import modelcompare as mc
from experiments.validity.joined_units import (
    N_GROUPS,
    POPULATIONS,
    ROW_BLOCK,
    clusters,
    macro,
    p_value,
    run_cell,
    strata,
)
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.significance.swaps import units as swap_units
from modelcompare.significance.swaps.units import SwapUnits


@pytest.fixture
def few_groups(monkeypatch):
    """Join fewer units into fewer groups than by default."""
    monkeypatch.setattr(swap_units, "ROW_BLOCK", ROW_BLOCK)
    monkeypatch.setattr(swap_units, "N_GROUPS", N_GROUPS)


def joined(preds):
    return SwapUnits.of(Evaluation(preds, resolve_metrics(["cf1"], preds), collapse=False))


@pytest.mark.usefixtures("few_groups")
@pytest.mark.parametrize("population", POPULATIONS)
def test_groups_swap_as_clusters_do(population):
    draw, name = POPULATIONS[population]
    preds = draw(np.random.default_rng(0))
    groups = joined(preds)
    assert groups.joined
    of_sample = np.arange(len(preds.codes))
    if preds.groups is not None:
        of_sample = np.unique(preds.groups, return_inverse=True)[1]
    clustered = preds.with_columns(groups=groups.group_of[of_sample])
    assert not joined(clustered).joined
    found, expected = p_value(preds, name, 0), p_value(clustered, name, 0)
    # With clusters the influence on an area is another estimate, of nearly the same error.
    assert found == pytest.approx(expected, abs=0.02 if name == "roc_auc" else 1e-12)


@pytest.mark.usefixtures("few_groups")
@pytest.mark.parametrize("name", ["macro", "clusters", "strata"])
def test_groups_hold_every_unit_once_within_its_stratum(name):
    preds = {"macro": macro, "clusters": clusters, "strata": strata}[name](np.random.default_rng(0))
    evaluation = Evaluation(preds, resolve_metrics(["cf1"], preds), collapse=False)
    joined = SwapUnits.of(evaluation)
    assert joined.joined
    assert abs(joined.units.n_units - N_GROUPS) < 4
    summed = joined.statistics(evaluation.metrics)
    every = SwapUnits(evaluation, evaluation.units).statistics(evaluation.metrics)
    for statistic, numbers in summed.items():
        expected = np.zeros_like(numbers)
        np.add.at(expected, joined.group_of, every[statistic])
        np.testing.assert_allclose(numbers, expected, atol=1e-12)
    if preds.strata is not None:
        assert joined.units.strata is not None
        assert np.array_equal(joined.units.strata[joined.group_of], evaluation.units.strata)


def test_few_units_are_not_joined():
    preds = macro(np.random.default_rng(0), 400)
    evaluation = Evaluation(preds, resolve_metrics(["cf1"], preds), collapse=False)
    joined = SwapUnits.of(evaluation)
    assert joined.units is evaluation.units
    assert np.array_equal(joined.groups_of(np.array([3, 5])), [3, 5])


def test_signatures_say_how_many_groups_swapped():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 70_000)
    models = {m: rng.normal(y, 2) for m in "ab"}
    preds = mc.Predictions(y.astype(float), models, kind="values")
    test = mc.paired_test(preds, "a", "b", "mae", n_resamples=99)
    assert "|groups:4096" in test.signature
    result = mc.compare(preds, "mae", n_resamples=99)
    assert "|groups:4096" in result.signature
    assert "Swaps are of 4,096 groups of samples" in result.document().method
    few = mc.paired_test(preds.subset(np.arange(5_000)), "a", "b", "mae", n_resamples=99)
    assert "groups" not in few.signature


def test_the_size_of_the_test_is_simulated():
    (found,) = run_cell({"population": "equal recall"}, 10, 0).values()
    assert found["rejected"] <= 0.4
