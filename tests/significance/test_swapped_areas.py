import itertools

import numpy as np
import pytest
from scipy.stats import rankdata

from modelcompare import Predictions, config_context
from modelcompare.engine.delong import delong_covariance
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import SwapMasks
from modelcompare.significance.pairwise import all_pairs
from modelcompare.significance.studentized import (
    algorithm_of,
    studentized_permutation,
    swap_statistic,
)
from tests.significance.oracle import drawn_statistics, n_extreme
from tests.significance.views import pair_view

SEED = np.random.SeedSequence(5)
PAIR = np.array([0]), np.array([1])


def scored(y, scores, **columns):
    outputs = {f"m{i}": row for i, row in enumerate(scores)}
    return Predictions(y, outputs, labels=[0, 1], kind="probabilities", **columns)


def noisy(n=60, n_models=2, seed=0, decimals=3):
    """Models that find the positives with noise, partly their own."""
    rng = np.random.default_rng(seed)
    y = np.r_[0, 0, 1, 1, rng.integers(0, 2, n - 4)]
    common = rng.standard_normal(n)
    scores = y + (common + rng.standard_normal((n_models, n))) / 1.5
    return y, np.round(1 / (1 + np.exp(-scores)), decimals)


def run(preds, metrics=("roc_auc",), pairs=PAIR, n_resamples=999, **options):
    evaluation = Evaluation(preds, resolve_metrics(metrics, preds), collapse=False)
    return studentized_permutation(pair_view(evaluation, pairs, n_resamples, SEED, **options))


def statistic_of(preds):
    evaluation = Evaluation(preds, resolve_metrics(["roc_auc"], preds), collapse=False)
    return swap_statistic(evaluation, [evaluation.metrics[0]], all_pairs(len(preds.models)))


def by_definition(y, a, b):
    """The difference over DeLong's error, as other code of the package finds it."""
    ranks = np.array([a, b]) / (len(y) + 1)
    auc, covariance = delong_covariance(scored(y, ranks))
    difference = auc[0] - auc[1]
    variance = max(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1], 0)
    if abs(difference) < 1e-12:
        return 0.0
    variance = variance if variance > 1e-12 else 0.0
    return difference / np.sqrt(variance + difference**2 / len(y))


@pytest.mark.parametrize("decimals", [1, 9])
def test_all_swaps_of_ranks_are_counted_as_a_loop_over_delongs_error_says(decimals):
    y, (a, b) = noisy(n=16, decimals=decimals)
    same = np.argsort(a)[[0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 15]]
    b[same] = a[same]
    ranks = rankdata(a), rankdata(b)
    moves = np.flatnonzero(ranks[0] != ranks[1])
    found = []
    for bits in itertools.product([False, True], repeat=len(moves)):
        mask = np.zeros(16, bool)
        mask[moves] = bits
        found.append(by_definition(y, np.where(mask, *ranks[::-1]), np.where(mask, *ranks)))
    t = np.array(found)
    for alternative, extreme in {
        "two-sided": np.abs(t) >= abs(t[0]) - 1e-9,
        "greater": t >= t[0] - 1e-9,
        "less": t <= t[0] + 1e-9,
    }.items():
        outcome = run(scored(y, (a, b)), n_resamples=2**16, alternative=alternative)
        assert outcome.p_value[0, 0] == pytest.approx(extreme.mean(), abs=1e-12)
        assert not outcome.used


def test_drawn_swaps_have_the_statistics_of_the_data_sets_they_make():
    y, scores = noisy(n=120, n_models=3)
    statistic = statistic_of(scored(y, scores))
    evaluation = statistic.evaluation
    masks = SwapMasks(evaluation.units, 40, SEED)
    found = drawn_statistics(statistic, masks)
    swapped, ranks = masks.draw_all(0).astype(bool), rankdata(scores, axis=1)
    for pair, (i, j) in enumerate(zip(*all_pairs(3), strict=True)):
        for row in range(40):
            a, b = (np.where(swapped[row], *two) for two in (ranks[[j, i]], ranks[[i, j]]))
            assert found[row, pair, 0] == pytest.approx(by_definition(y, a, b), abs=1e-9)


def test_quantiles_of_many_places_give_nearly_the_same_statistics(monkeypatch):
    preds = scored(*noisy(n=2_000, decimals=12))
    few = statistic_of(preds).observed
    monkeypatch.setattr("modelcompare.significance.swaps.areas._MOST_PLACES", 10_000)
    assert few == pytest.approx(statistic_of(preds).observed, rel=0.01)


def test_only_the_order_of_scores_counts():
    y, (a, b) = noisy()
    p = run(scored(y, (a, b))).p_value
    assert run(scored(y, (a, b**5 / 3))).p_value == p
    order = np.random.default_rng(0).permutation(60)
    few = noisy(n=14)
    once = run(scored(*few), n_resamples=2**14).p_value
    order = np.random.default_rng(0).permutation(14)
    again = run(scored(few[0][order], few[1][:, order]), n_resamples=2**14).p_value
    assert again == pytest.approx(once, abs=1e-12)


def test_models_in_the_other_order_have_the_same_p_value_and_equal_models_one_of_1():
    y, (a, b) = noisy()
    assert run(scored(y, (a, b))).p_value == run(scored(y, (b, a))).p_value
    assert run(scored(y, (a, a.copy()))).p_value == 1
    assert run(scored(y, (a, a**2))).p_value == 1


def test_threads_do_not_change_a_bit():
    preds = scored(*noisy(n=300, n_models=4))
    one = run(preds, pairs=all_pairs(4)).p_value
    with config_context(n_jobs=2):
        two = run(preds, pairs=all_pairs(4)).p_value
    assert one.tobytes() == two.tobytes()


def test_one_positive_is_little_evidence():
    y = np.r_[1, np.zeros(19, int)]
    scores = np.linspace(0.1, 0.9, 20)
    first, second = np.r_[1.0, scores[1:]], np.r_[0.0, scores[1:]]
    assert run(scored(y, (first, second))).p_value > 0.2


@pytest.mark.parametrize(
    "columns",
    [{"groups": np.arange(60) // 2}, {"sample_weight": np.arange(1.0, 61)},
     {"strata": np.arange(60) % 2}],
)  # fmt: skip
def test_clusters_weights_and_strata_are_served_by_flips_and_say_so(columns):
    y, scores = noisy()
    assert run(scored(y, scores, **columns)).used == {"roc_auc": "sign-flip"}


def test_very_many_samples_are_served_by_flips(monkeypatch):
    def algorithm():
        preds = scored(*noisy())
        evaluation = Evaluation(preds, resolve_metrics(["roc_auc"], preds), collapse=False)
        return algorithm_of(evaluation, evaluation.metrics[0])

    assert algorithm() == "area"
    monkeypatch.setattr("modelcompare.significance.swaps.areas._MOST_SAMPLES", 59)
    assert algorithm() == "flip"


def test_drawn_swaps_come_close_to_all_of_them():
    y, (a, b) = noisy(n=13)
    exact = run(scored(y, (a, b)), n_resamples=2**13).p_value
    statistic = statistic_of(scored(y, (a, b)))
    masks = SwapMasks(statistic.evaluation.units, 12_800, SEED)
    drawn = n_extreme(statistic, masks, np.array([0])) / 12_800
    assert abs(drawn - exact) <= 4 * np.sqrt(exact * (1 - exact) / 12_800)
