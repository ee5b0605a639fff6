"""Single precision decides most numbers, and the counts are those of exact ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.halves import Exchange, Halves
from modelcompare.engine.swaps import Swaps
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling import SwapMasks
from modelcompare.significance import permuted
from modelcompare.significance.pairwise import PairView, all_pairs
from modelcompare.significance.sieve import Scores, count_sieved
from modelcompare.significance.swap_columns import Nested, apart
from tests.significance.test_swapped_quotients import THREE, three_models

NAMES = ["accuracy", "f1", "precision", "recall", "cf1", "cprecision", "crecall", "log_loss"]
SEED = np.random.SeedSequence(5)


def view_of(preds, names, alternative, **options):
    metrics = resolve_metrics(names, preds, **options)
    evaluation = Evaluation(preds, metrics, collapse=False)
    return PairView(evaluation, *all_pairs(len(preds.models)), 200, SEED, alternative)


def counts_of_exact_numbers(view):
    """Every difference, in double precision."""
    swaps = Swaps(view.evaluation, SwapMasks(view.evaluation.units, view.n_resamples, SEED))
    (totals,) = swaps.passes()
    there, back = Exchange.both(view.model_a, view.model_b)
    out = np.empty(view.difference.shape, dtype=int)
    for where, null in totals.differences(there, back, totals.metrics):
        out[:, where] = view.count_extreme(null, slice(None), where)
    return out


@settings(max_examples=150, deadline=None)
@given(
    **THREE,
    weight=st.sampled_from([None, 1.0, 1e-16, 1e-9, 1e9, 1e16]),
    names=st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True),
    zero_division=st.sampled_from([np.nan, 0.0, "paper"]),
    alternative=st.sampled_from(["two-sided", "greater", "less"]),
)
def test_permutations_are_counted_as_exact_numbers_say(
    seed, n, apart, rare, weight, names, zero_division, alternative
):
    rng = np.random.default_rng(seed)
    columns = {} if weight is None else {"sample_weight": weight * rng.lognormal(size=n)}
    preds = three_models(rng, n, apart=apart, rare=rare, **columns)
    view = view_of(preds, names, alternative, zero_division=zero_division)
    found = permuted.count_swapped_totals(view, view.masks)
    assert np.array_equal(found, counts_of_exact_numbers(view))


def test_of_many_samples_few_numbers_are_asked_for(monkeypatch):
    asked = []

    def spied(numbers, low, high, is_extreme, **options):
        def counted(places):
            asked.append(len(places[0]))
            return is_extreme(places)

        return count_sieved(numbers, low, high, counted, **options)

    monkeypatch.setattr(permuted, "count_sieved", spied)
    preds = three_models(np.random.default_rng(0), 3_000)
    view = view_of(preds, NAMES, "two-sided")
    counts = permuted.count_swapped_totals(view, view.masks)
    assert (counts > 0).any()
    assert 0 < sum(asked) < 0.02 * 200 * counts.size


@settings(max_examples=100, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.sampled_from([1e-12, 1.0, 1e6, 1e12]),
    shared=st.booleans(),
    tight=st.booleans(),
)
def test_errors_of_scores_are_bounds(seed, size, shared, tight):
    rng = np.random.default_rng(seed)
    top, bottom = (
        Halves(*(size * rng.normal(1, 1, (2, 1 if one else 4, 3, 50)))) for one in (False, shared)
    )
    if shared:
        bottom = Halves(bottom.kept, 5 * size - bottom.kept)
    swap = Exchange.of(np.array([0, 1, 3]), np.array([2, 0, 1]))
    factor = rng.normal(size=(3, 3, 1))
    scores = Scores.of(top, bottom, swap, factor, tight=tight)
    exact = top.after(swap) - factor * bottom.after(swap)
    assert (np.abs(scores.numbers - exact) <= scores.error).all()
    assert (scores.error <= 1e-4 * size).all()
    for (low, high), half in ((scores.top, top), (scores.bottom, bottom)):
        after = half.after(swap)
        assert (low <= after + 1e-12 * size).all()
        assert (after <= high + 1e-12 * size).all()


def test_errors_are_those_of_halves_that_cancel():
    rng = np.random.default_rng(0)
    kept, moved = rng.uniform(0.999, 1, (2, 2, 1, 2000)) * np.array([1, -1])[:, None, None, None]
    halves, ones = Halves(kept, moved), Halves(*np.full((2, 2, 1, 2000), 0.5))
    swap = Exchange.of(np.array([0]), np.array([1]))
    scores = Scores.of(halves, ones, swap, np.zeros((1, 1, 1)), tight=True)
    exact = halves.after(swap)
    assert (np.abs(scores.numbers - exact) <= scores.error).all()
    low, high = scores.top
    assert low <= exact.min() <= exact.max() <= high


def test_too_large_numbers_are_left_to_double_precision():
    halves = Halves(np.full((2, 1, 4), 1e20), np.ones((2, 1, 4)))
    swap = Exchange.of(np.array([0]), np.array([1]))
    assert Scores.of(halves, halves, swap, np.ones((1, 1, 1)), tight=False) is None


def test_more_numbers_between_than_are_worth_it_are_not_asked_for():
    numbers = np.linspace(0, 1, 10, dtype=np.float32)[None]
    ends = np.array([[0.25]]), np.array([[0.75]])

    def is_extreme(places):
        return numbers[places] > 0.5

    assert count_sieved(numbers, *ends, is_extreme, most=1.0).tolist() == [5]
    assert count_sieved(numbers, *ends, is_extreme, most=0.1) is None


def test_bounds_in_double_precision_are_not_rounded_inwards():
    numbers = np.array([[np.float32(0.1)]])
    asked = []

    def is_extreme(places):
        asked.append(places)
        return np.array([True])

    # Rounded to single precision both ends would be the number itself.
    count_sieved(numbers, np.array([[0.1]]), np.array([[0.1]]), is_extreme, most=1.0)
    assert len(asked) == 1


def test_members_are_summed_with_all():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 40)
    outer = rng.random((40, 5, 3))
    inner = outer * np.eye(3)[codes][:, None]
    (nested,) = apart([inner, outer], codes)
    weights = rng.integers(0, 4, (7, 40)).astype(np.uint8)
    found = nested.sums(weights)
    for sums, numbers in zip(found, (inner, outer), strict=True):
        np.testing.assert_allclose(sums, weights @ numbers.reshape(40, -1), rtol=1e-13)
    units = np.array([31, 2, 17])
    for sums, numbers in zip(nested[units].sums(weights[:, :3]), (inner, outer), strict=True):
        np.testing.assert_allclose(sums, weights[:, :3] @ numbers[units].reshape(3, -1), rtol=1e-13)


@pytest.mark.parametrize("spoilt", ["a member", "another", "width"])
def test_what_is_no_members_part_is_summed_by_itself(spoilt):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 40)
    outer = rng.random((40, 5, 3))
    inner = outer * np.eye(3)[codes][:, None]
    if spoilt == "a member":
        inner[7, 2, codes[7]] += 1e-9
    elif spoilt == "another":
        inner[7, 2, (codes[7] + 1) % 3] = 1e-9
    else:
        inner = inner[..., :1]
    assert Nested.of(inner, outer, codes) is None
