"""Swaps of quotients: sums of squares against the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelcompare import Predictions
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import SwapMasks
from modelcompare.significance.extreme import as_extreme
from modelcompare.significance.pairwise import all_pairs
from modelcompare.significance.studentized import swap_statistic
from modelcompare.significance.swaps.columns import ModelColumns
from modelcompare.significance.swaps.differences import plain_difference
from modelcompare.significance.swaps.ratio import Quotient
from modelcompare.significance.swaps.statistic import Swapped
from modelcompare.significance.swaps.sums import SwappedSums
from tests.covering import pairwise
from tests.significance import oracle

SOFT = ["cf1", "cprecision", "crecall", "cspecificity", "caccuracy", "log_loss", "brier_score"]
SEED = np.random.SeedSequence(5)

# What three models are drawn by.
THREE = {
    "seed": st.integers(0, 2**32 - 1),
    "n": st.integers(2, 400),
    "apart": st.sampled_from([0.0, 1e-9, 0.01, 0.3, 1.0]),
    "rare": st.booleans(),
}


def three_models(rng, n, *, apart=1.0, rare=False, **columns):
    """Return three models of three classes; the smaller `apart`, the more similar."""
    weights = [0.95, 0.04, 0.01] if rare else [0.4, 0.3, 0.3]
    y = rng.choice(3, n, p=weights)
    shared = rng.dirichlet(np.full(3, 0.6), n)
    outputs = {
        name: (1 - apart) * shared + apart * rng.dirichlet(np.full(3, 0.6), n) for name in "abc"
    }
    return Predictions(y, outputs, labels=range(3), **columns)


def swapped(preds, names, formula=Quotient, **options):
    metrics = resolve_metrics(names, preds, **options)
    part = Evaluation(preds, metrics, collapse=False)
    return SwappedSums(part, metrics, all_pairs(len(preds.models)), formula=formula)


@settings(max_examples=50, deadline=None)
@given(
    **THREE,
    column=st.sampled_from(["none", "groups", "sample_weight", "strata"]),
    names=st.lists(st.sampled_from(SOFT), min_size=1, max_size=3, unique=True),
    zero_division=st.sampled_from([np.nan, 0.0, "paper"]),
    alternative=st.sampled_from(["two-sided", "two-sided", "greater", "less"]),
    formula=st.sampled_from([Quotient, plain_difference]),
)
def test_as_many_swaps_are_extreme_as_statistics_say(
    seed, n, apart, rare, column, names, zero_division, alternative, formula
):
    rng = np.random.default_rng(seed)
    columns = {
        "groups": {"groups": rng.integers(0, n, n)},
        "sample_weight": {"sample_weight": rng.lognormal(size=n)},
        "strata": {"strata": rng.integers(0, 3, n)},
    }.get(column, {})
    preds = three_models(rng, n, apart=apart, rare=rare, **columns)
    statistic = swapped(preds, names, formula, zero_division=zero_division)
    masks = SwapMasks(statistic.evaluation.units, 200, SEED)
    some = np.array([2, 0])
    observed = statistic.observed[some]
    whole = as_extreme(oracle.drawn_statistics(statistic, masks)[:, some], observed, alternative)
    found = oracle.n_extreme(statistic, masks, some, alternative)
    assert np.array_equal(found, whole.sum(axis=0))


@pytest.mark.parametrize("weight", [0.1, 1e-12, 1e6, 1e12])
def test_a_weight_that_all_samples_share_changes_no_statistic(weight):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 80)
    drawn = {
        f"m{i}": np.where(rng.random(80) < 0.9 - i / 10, y, rng.integers(0, 3, 80))
        for i in range(2)
    }
    codes = {**drawn, "perfect": y, "constant": 0 * y}
    outputs = {name: np.eye(3)[each] for name, each in codes.items()}
    names = ["precision", "recall", "f1", "cf1", "f1_macro", "cf1_macro", "log_loss"]
    for name in [*names, "mcc", "cohen_kappa"]:
        found = []
        for each in (1.0, weight):
            preds = Predictions(y, outputs, labels=range(3), sample_weight=np.full(80, each))
            part = Evaluation(preds, resolve_metrics([name], preds), collapse=False)
            statistic = swap_statistic(part, part.metrics, all_pairs(4))
            masks = SwapMasks(part.units, 64, SEED)
            found.append(oracle.drawn_statistics(statistic, masks))
        np.testing.assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize(
    ("column", "name", "kind"),
    pairwise(
        ["none", "groups", "sample_weight", "strata"],
        ["cf1_macro", "cprecision_weighted", "crecall_macro", "cf1", "brier_score", "f1_macro"],
        [(1.0, False, np.nan), (1e-3, False, 0.0), (1.0, True, "paper")],
    ),
)
def test_drawn_swaps_have_the_statistics_of_the_definition(column, name, kind):
    apart, rare, zero_division = kind
    n, rng = 24, np.random.default_rng(3)
    columns = {
        "groups": {"groups": rng.integers(0, n // 2, n)},
        "sample_weight": {"sample_weight": rng.uniform(0.5, 2, n)},
        "strata": {"strata": np.arange(n) % 3},
    }.get(column, {})
    preds = three_models(rng, n, apart=apart, rare=rare, **columns)
    (metric,) = resolve_metrics([name], preds, zero_division=zero_division)
    part = Evaluation(preds, [metric], collapse=False)
    statistic = swap_statistic(part, [metric], all_pairs(3))
    masks, strata = SwapMasks(part.units, 20, SEED), oracle.unit_strata(preds)
    some = np.array([2, 0])
    found = oracle.drawn_statistics(statistic, masks)[:, some]
    for place, pair in enumerate(some.tolist()):
        models = statistic.model_a[pair], statistic.model_b[pair]
        a, b = (oracle.unit_rows(metric, preds, preds.models[m]) for m in models)
        for mask, t in zip(masks.draw_all(0)[:5], found[:5, place], strict=True):
            swap = mask[:, None].astype(bool)
            sides = [np.where(swap, y, x) for x, y in zip(a, b, strict=True)]
            others = [np.where(swap, x, y) for x, y in zip(a, b, strict=True)]
            expected = oracle.statistic(metric, sides, others, strata)
            np.testing.assert_allclose(t, expected, rtol=1e-5, atol=1e-6)


def test_sums_of_units_that_are_many_samples_are_exact():
    # 17 million of one distinct row: single precision would lose the last of them.
    counts = np.array([2**24 + 1, 2, 3])
    block = np.zeros((3, 40, 1))
    block[:, 1:] = 1.0
    columns = ModelColumns.of([lambda rows: block[rows]], [1], 40, counts)
    (sums,) = columns.sums(Swapped(lambda: counts[None], 1))
    assert (sums[1:] == counts.sum()).all()
