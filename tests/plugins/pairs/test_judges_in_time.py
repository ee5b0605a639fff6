"""Blocks in time beside a judge: their length follows from verdicts where labels are missing."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from tests.plugged import needed

needed("judges", "time")

pytestmark = [
    pytest.mark.filterwarnings("ignore::modelcompare.SparseDataWarning"),
    # By chance, in one of a hundred test sets.
    pytest.mark.filterwarnings("ignore:samples with labels by people"),
]


def series(rng, n):
    out = rng.standard_normal(n)
    for place in range(1, n):
        out[place] = 0.8 * out[place - 1] + 0.6 * out[place]
    return out


def world(seed, n=600, share=0.4, judge=1.5):
    """Labels of two classes, answers of two models and verdicts, all easier at some times."""
    rng = np.random.default_rng(seed)
    easy, truth = series(rng, n), (rng.random(n) < 0.4).astype(int)

    def answers(quality):
        right = quality + easy + 0.5 * rng.normal(size=n) > 0
        return np.where(right, truth, 1 - truth)

    outputs = {"a": answers(0.8), "b": answers(0.5)}
    verdicts = truth if judge is None else answers(judge)
    return np.where(rng.random(n) < share, truth, np.nan), outputs, verdicts, truth


def predictions(seen, outputs, verdicts, **given):
    return mc.Predictions(seen, outputs, judge=verdicts, labels=[0, 1], **given)


def test_blocks_beside_a_judge_that_is_right_are_those_of_all_labels():
    seen, outputs, _, truth = world(0)
    time = np.arange(600)
    beside = mc.io.in_time_blocks(predictions(seen, outputs, truth), time)
    every = mc.io.in_time_blocks(mc.Predictions(truth, outputs, labels=[0, 1]), time)
    np.testing.assert_array_equal(beside.groups, every.groups)
    assert len(np.unique(every.groups)) < 60


def test_blocks_of_scores_follow_from_those_of_people_and_of_the_judge():
    seen, outputs, _, truth = world(1)
    right = {model: (x == truth).astype(float) for model, x in outputs.items()}
    by_people = {model: np.where(np.isnan(seen), np.nan, x) for model, x in right.items()}
    beside, every = (
        mc.io.in_time_blocks(
            mc.Predictions.from_scores(x, greater_is_better=True, **given), np.arange(600)
        )
        for x, given in ((by_people, {"judge": right}), (right, {}))
    )
    np.testing.assert_array_equal(beside.groups, every.groups)


def test_answers_are_those_of_the_same_blocks_as_clusters():
    seen, outputs, verdicts, _ = world(2)
    shuffled = np.random.default_rng(0).permutation(600)
    part = {m: x[shuffled] for m, x in outputs.items()}
    in_time = mc.io.in_time_blocks(predictions(seen[shuffled], part, verdicts[shuffled]), shuffled)
    blocks = pd.Series(in_time.groups, index=shuffled).sort_index().to_numpy()
    assert (np.diff(blocks) >= 0).all()
    declared = predictions(seen, outputs, verdicts, groups=blocks)
    for ask in (
        lambda p: mc.compare(p, "accuracy").differences["p_value"].item(),
        lambda p: mc.decide(p, "a", "b", "accuracy", margin=0.05).ci_low,
        lambda p: mc.sample_size(p, "a", "b", "accuracy").components.items,
    ):
        assert ask(in_time) == pytest.approx(ask(declared), rel=1e-6)


def test_errors_are_the_spread_of_values_over_series():
    values, errors, alone = [], [], []
    for seed in range(120):
        seen, outputs, verdicts, _ = world(100 + seed)
        preds = predictions(seen, outputs, verdicts)
        found = mc.compare(mc.io.in_time_blocks(preds, np.arange(600)), "accuracy").scores
        values.append(found["estimate"])
        errors.append(found["standard_error"])
        alone.append(mc.compare(preds, "accuracy").scores["standard_error"])
    spread = np.std(values, axis=0, ddof=1)
    by_blocks, by_samples = (np.sqrt(np.mean(np.square(x), axis=0)) for x in (errors, alone))
    # 120 series have the spread to 0.065 of it.
    np.testing.assert_allclose(by_blocks, spread, rtol=0.2)
    assert (by_samples < 0.75 * spread).all()
