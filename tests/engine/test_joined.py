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
from modelcompare import Predictions
from modelcompare.engine import joined as units_joined
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.joined import JoinedUnits
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.draws import random_groups
from tests.plugged import needs
from tests.small_blocks import cutting


@pytest.fixture
def few_groups(monkeypatch):
    """Join fewer units into fewer groups than by default."""
    monkeypatch.setattr(units_joined, "ROW_BLOCK", ROW_BLOCK)
    monkeypatch.setattr(units_joined, "N_GROUPS", N_GROUPS)


def joined(preds):
    return JoinedUnits.of(Evaluation(preds, resolve_metrics(["cf1"], preds), collapse=False))


@pytest.mark.usefixtures("few_groups")
@pytest.mark.parametrize("population", POPULATIONS)
def test_groups_swap_as_clusters_do(population):
    draw, name = POPULATIONS[population]
    preds = draw(np.random.default_rng(0))
    groups = joined(preds)
    assert groups.joined
    of_sample = np.arange(len(preds.access.codes))
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
    joined = JoinedUnits.of(evaluation)
    assert joined.joined
    assert abs(joined.units.n_units - N_GROUPS) < 4
    summed = joined.statistics(evaluation.metrics)
    every = JoinedUnits(evaluation, evaluation.units).statistics(evaluation.metrics)
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
    joined = JoinedUnits.of(evaluation)
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


def test_drawn_swaps_are_of_groups_sooner_than_laws(monkeypatch):
    rng = np.random.default_rng(3)
    n = 9_000
    y, shared = rng.integers(0, 3, n), rng.normal(size=(n, 3))
    odds = [np.exp(shared + s * np.eye(3)[y] + rng.normal(size=(n, 3))) for s in (1.0, 1.02)]
    preds = Predictions(
        y, {m: o / o.sum(axis=1, keepdims=True) for m, o in zip("ab", odds, strict=True)}
    )
    drawn = "cmatthews_corrcoef"
    names = ["cf1_macro", "cmcc", "accuracy"]
    groups = mc.compare(preds, names, rng=0)
    law = mc.compare(preds, names[:1], rng=0)
    assert "|groups:4096" in groups.signature
    assert "groups" not in law.signature
    monkeypatch.setattr(units_joined, "MOST_DRAWN", n)
    units = mc.compare(preds, names, rng=0)
    assert "groups" not in units.signature
    by_group, by_unit = (r.differences.set_index("metric") for r in (groups, units))
    assert by_unit.test[drawn].endswith("drawn")
    assert by_group.p_value.drop(drawn).equals(by_unit.p_value.drop(drawn))
    p = by_unit.p_value[drawn]
    # Two draws of 9,999 swaps each, and the noise of 4,096 groups in the size of t.
    noise = 2 * np.sqrt(p * (1 - p) / 9_999) + 0.1 * p
    assert 0 < abs(by_group.p_value[drawn] - p) < 3 * noise


def test_all_swaps_of_few_units_are_of_units():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 9_000)
    other = y.copy()
    other[:5] = 1 - y[:5]
    preds = Predictions(y, {"a": y, "b": other})
    test = mc.paired_test(preds, "a", "b", "mcc", method="permutation")
    assert test.exact
    assert "groups" not in test.signature
    assert test.p_value == pytest.approx(2 / 2**5)


def test_the_size_of_the_test_is_simulated():
    (found,) = run_cell({"population": "equal recall"}, 10, 0).values()
    assert found["rejected"] <= 0.4


@needs("calibration")
def test_groups_give_the_moments_of_calibration_errors():
    rng = np.random.default_rng(0)
    n = 9_000
    truth = rng.integers(0, 3, n)
    outputs = {}
    for model, skill in zip("ab", (1.0, 2.0), strict=True):
        odds = np.exp(rng.normal(size=(n, 3)) + skill * np.eye(3)[truth])
        outputs[model] = odds / odds.sum(axis=1, keepdims=True)
    preds = Predictions(truth, outputs)
    names = ["ece", "mce", "brier_score", "accuracy"]

    def moments():
        return mc.bootstrap(preds, names, n_resamples=600, rng=0).moments

    alone = moments()
    with cutting():
        joined = moments()
    # Variances of 4,096 groups have a standard error of 2 %, those of 512 resamples of 6 %.
    np.testing.assert_allclose(joined.second[:2], alone.second[:2], rtol=0.1, atol=0.06 * n)
    np.testing.assert_allclose(joined.standard_error(), alone.standard_error(), rtol=0.15)
    np.testing.assert_allclose(joined.second[2:], alone.second[2:], rtol=1e-9)
    assert joined.drawn is not None
    assert np.isnan(joined.drawn[2:]).all()


@needs("calibration")
def test_sums_of_groups_are_computed_once():
    rng = np.random.default_rng(0)
    n, shares = 9_000, np.array([[0.7, 0.3], [0.4, 0.6]])
    preds = Predictions(rng.integers(0, 2, n), {m: shares[rng.integers(0, 2, n)] for m in "ab"})
    with cutting():
        evaluation = Evaluation(preds, resolve_metrics(["ece"], preds))
        units = JoinedUnits.of(evaluation)
        (first,), (second,) = (units.statistics(evaluation.metrics).values() for _ in range(2))
        assert np.shares_memory(first, second)
        total = first.sum(axis=0)
        expected = evaluation.parts(evaluation.metrics[0], evaluation.grand_total)[0]
        np.testing.assert_allclose(total, expected)


@pytest.mark.usefixtures("few_groups")
def test_strata_that_are_more_than_can_be_swapped_are_refused_before_they_are():
    rng = np.random.default_rng(0)
    n = 4 * ROW_BLOCK
    y_true, a, b = (rng.integers(0, 2, n) for _ in range(3))
    preds = Predictions(y_true, {"a": a, "b": b}, strata=np.arange(n) // 3)
    with pytest.raises(ValueError, match=r"strata of few units, and swaps .* merge strata, or use"):
        mc.paired_test(preds, "a", "b", "f1_macro", n_resamples=99)
    found = mc.paired_test(preds, "a", "b", "f1_macro", method="wald")
    assert 0 < found.p_value < 1


@pytest.mark.usefixtures("few_groups")
def test_groups_are_drawn_in_each_stratum_by_itself():
    preds = strata(np.random.default_rng(0))
    groups, codes = joined(preds).group_of, np.unique(preds.strata, return_inverse=True)[1]
    for stratum, size in enumerate(np.bincount(codes)):
        inside = groups[codes == stratum]
        drawn = random_groups(int(size), len(np.unique(inside)))
        np.testing.assert_array_equal(inside - inside.min(), drawn)
