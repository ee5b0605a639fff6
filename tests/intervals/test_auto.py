"""The rule of the default interval on whole test sets: what it chooses, and laws it keeps."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import modelcompare as mc
from modelcompare.intervals.averages import outcome_counts
from modelcompare.intervals.ratios import Trials, class_interval
from modelcompare.metrics import ClassRatio, SparseDataWarning

COUNTED = [
    "accuracy", "zero_one_loss", "balanced_accuracy", "f1", "f1_macro", "f1_weighted", "f1_micro",
    "precision", "precision_macro", "recall", "recall_weighted", "specificity", "specificity_macro",
    "specificity_micro", "jaccard", "jaccard_macro", "jaccard_micro", "f2", "f0.5_macro",
]  # fmt: skip
OTHERS = [
    "log_loss",
    "cf1",
    "cf1_macro",
    "crecall",
    "matthews_corrcoef",
    "cohen_kappa",
    "brier_score",
]
ALL_PAIRS = (np.array([0, 0, 1]), np.array([1, 2, 2]))


def result_of(n=60, n_classes=3, metrics=(*COUNTED, *OTHERS), seed=0, **options):
    rng = np.random.default_rng(seed)
    y_true = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
    outputs = {}
    for model in ("a", "b", "c"):
        scores = rng.normal(size=(n, n_classes))
        scores[np.arange(n), y_true] += 1.5
        outputs[model] = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return mc.bootstrap(mc.Predictions(y_true, outputs, **options), list(metrics), n_resamples=2)


def scores(result, level=0.95):
    return result.score_interval("auto", level)


def differences(result, level=0.95, pairs=ALL_PAIRS):
    return result.difference_interval(*pairs, "auto", level)


def result_of_labels(y_true, metrics=("accuracy", "f1", "f1_macro"), *, models, **options):
    return mc.bootstrap(mc.Predictions(y_true, models, **options), list(metrics), n_resamples=2)


def options_of(kind, n):
    rng = np.random.default_rng(7)
    return {
        "plain": {},
        "clusters": {"groups": rng.integers(0, 9, n)},
        "strata": {"strata": np.arange(n) % 5},
        "weights": {"sample_weight": rng.random(n) + 0.1},
    }[kind]


@pytest.mark.parametrize("kind", ["plain", "clusters", "strata", "weights"])
@settings(max_examples=6, deadline=None)
@given(n_classes=st.sampled_from([2, 3]), seed=st.integers(0, 10_000), n=st.integers(8, 40))
def test_every_interval_has_a_width_holds_its_estimate_and_keeps_to_its_bounds(
    kind, n_classes, seed, n
):
    result = result_of(n, n_classes, seed=seed, **options_of(kind, n))
    bounds = {metric.name: metric.bounds for metric in result.evaluation.metrics}
    least, most = np.array([bounds[key.metric] for key in result.evaluation.keys]).T
    difference = result.point[ALL_PAIRS[0]] - result.point[ALL_PAIRS[1]]
    for chosen, value, low, high in (
        (scores(result), result.point, least, most),
        (differences(result), difference, least - most, most - least),
    ):
        known = ~np.isnan(value)
        low, high = (np.broadcast_to(bound, value.shape) for bound in (low, high))
        assert (chosen.low <= value + 1e-12)[known].all()
        assert (chosen.high >= value - 1e-12)[known].all()
        assert (chosen.high - chosen.low > 1e-9)[known].all()
        assert (chosen.low >= low - 1e-12)[known].all()
        assert (chosen.high <= high + 1e-12)[known].all()
        assert np.isnan(chosen.low[~known]).all()


def test_the_interval_of_a_class_is_the_one_of_its_counts():
    result = result_of(metrics=["f1"])
    predictions = result.evaluation.predictions
    f1 = ClassRatio((2, 0, 0, 0), (2, 1, 1, 0))

    chosen = scores(result, 0.9)

    for row, model in enumerate(predictions.models):
        confusion = np.zeros((3, 3))
        np.add.at(confusion, (predictions.access.codes, predictions.predicted(model)), 1.0)
        counts = outcome_counts((confusion.sum(1), confusion.sum(0), np.diag(confusion)))
        low, high = class_interval(Trials.of(counts, counts, f1), 0.9)
        np.testing.assert_allclose(chosen.low[row], low, rtol=1e-12)
        np.testing.assert_allclose(chosen.high[row], high, rtol=1e-12)


@pytest.mark.parametrize(
    ("metric", "n_classes", "score", "difference"),
    [
        ("accuracy", 3, "wilson", "half-count"),
        ("f1", 5, "wilson", "half-count"),
        ("f1_macro", 2, "mover", "half-count"),
        ("f1_macro", 3, "effective-size", "shrunk-influence"),
        ("precision_weighted", 4, "effective-size", "shrunk-influence"),
        ("recall_weighted", 4, "wilson", "half-count"),
        ("cf1_macro", 3, "logit-t", "t"),
        ("log_loss", 3, "log-t", "hall-t"),
        ("matthews_corrcoef", 3, "effective-size", "mover"),
        ("roc_auc", 2, "effective-size", "mover"),
    ],
)
def test_each_kind_of_value_has_its_method(metric, n_classes, score, difference):
    result = result_of(n_classes=n_classes, metrics=[metric])

    assert set(scores(result).method.ravel()) == {score}
    assert set(differences(result).method.ravel()) == {difference}


@pytest.mark.parametrize("metric", ["matthews_corrcoef", "cohen_kappa"])
def test_a_difference_of_agreement_reaches_no_further_than_its_two_scores(metric):
    result = result_of(metrics=[metric])
    own, apart = scores(result), differences(result)
    (a, b), value = ALL_PAIRS, result.evaluation.estimate()[:, 0]

    below = (value - own.low[:, 0])[a], (own.high[:, 0] - value)[b]
    reach = (value[a] - value[b]) - apart.low[:, 0]

    # As both where they are opposed, as their difference where they are one.
    assert (reach <= sum(below) + 1e-12).all()
    assert (reach >= np.abs(below[0] - below[1]) - 1e-12).all()
    assert (apart.low < apart.high).all()


@pytest.mark.parametrize("kind", ["plain", "clusters", "weights"])
def test_swapped_models_mirror_the_difference(kind):
    result = result_of(**options_of(kind, 60))

    there, back = differences(result), differences(result, pairs=ALL_PAIRS[::-1])

    np.testing.assert_allclose(there.low, -back.high, atol=1e-12)
    np.testing.assert_allclose(there.n_informative, back.n_informative, rtol=1e-9)


def assert_same_intervals(found, expected):
    for choose in (scores, differences):
        for name in ("low", "high"):
            ends = [getattr(choose(result), name) for result in (found, expected)]
            np.testing.assert_allclose(*ends, rtol=1e-9, atol=1e-12)


def test_the_order_of_the_samples_does_not_matter():
    result = result_of()
    p = result.evaluation.predictions
    order = np.random.default_rng(3).permutation(len(p))
    outputs = {model: p.output(model).array[order] for model in p.models}
    shuffled = mc.Predictions(p.access.codes[order], outputs)

    assert_same_intervals(mc.bootstrap(shuffled, [*COUNTED, *OTHERS], n_resamples=2), result)


def test_weights_of_one_are_no_weights():
    assert_same_intervals(result_of(sample_weight=np.ones(60)), result_of())


@pytest.mark.parametrize("kind", ["plain", "clusters"])
@pytest.mark.parametrize("choose", [scores, differences])
def test_a_higher_level_is_wider(choose, kind):
    result = result_of(**options_of(kind, 60))

    narrow, wide = choose(result, 0.9), choose(result, 0.99)

    assert (wide.low <= narrow.low + 1e-12).all()
    assert (wide.high >= narrow.high - 1e-12).all()
    assert (wide.high - wide.low > narrow.high - narrow.low).mean() > 0.9


def test_perfect_and_identical_models_still_leave_room():
    y_true = np.array([0, 1] * 3)
    result = result_of_labels(y_true, models={"a": y_true, "b": y_true})

    own = scores(result)
    apart = differences(result, pairs=(np.array([0]), np.array([1])))

    # Wilson's lower bound of 6 of 6 is 6 / (6 + 1.96^2).
    np.testing.assert_allclose(own.low[0, 0], 6 / (6 + 1.959964**2), rtol=1e-6)
    assert (own.high == 1).all()
    assert (apart.low < -0.2).all()
    assert (apart.high > 0.2).all()
    assert (apart.n_informative == 0).all()


def test_the_informative_samples_of_a_class_are_its_own():
    y_true = np.r_[np.zeros(47, int), np.ones(3, int)]
    result = result_of_labels(
        y_true, ("recall", "f1"), models={"a": y_true, "b": np.zeros(50, int)}
    )

    np.testing.assert_allclose(scores(result).n_informative[0], [47, 3, 47, 3])


def test_the_informative_samples_of_an_area_are_those_of_the_rarer_class():
    y_true = np.r_[np.zeros(42, int), np.ones(8, int)]
    scored = {"a": np.linspace(0, 1, 50), "b": np.tile([0.2, 0.7], 25)}

    result = mc.compare(mc.Predictions(y_true, scored), metrics="roc_auc", n_resamples=99)

    np.testing.assert_allclose(result.evidence.score_interval.n_informative, 8)


def test_a_ratio_that_is_one_in_every_cluster_is_known_from_so_many_clusters():
    y_true = np.tile([0, 1], 20)
    result = result_of_labels(
        y_true, ["accuracy"], models={"a": y_true, "b": y_true}, groups=np.arange(40) // 5
    )

    chosen = scores(result)

    np.testing.assert_allclose(chosen.low[0, 0], 8 / (8 + 1.959964**2), rtol=1e-6)
    np.testing.assert_allclose(chosen.n_informative, 8)


def test_strata_that_explain_everything_draw_the_interval_in():
    y_true = np.tile([0, 1], 40)
    y_pred = np.where(np.arange(80) < 40, y_true, 1 - y_true)
    models = {"a": y_pred, "b": y_true}

    wide, narrow = (
        scores(result_of_labels(y_true, ["accuracy"], models=models, **options))
        for options in ({}, {"strata": np.arange(80) // 20})
    )

    assert narrow.high[0, 0] - narrow.low[0, 0] < 0.25 * (wide.high[0, 0] - wide.low[0, 0])
    np.testing.assert_allclose(narrow.low[1], wide.low[1])


def test_nothing_is_divided_by_zero_where_a_class_is_missing():
    models = {"a": np.array([0, 1, 2, 2, 1, 0]), "b": np.array([0, 0, 0, 0, 0, 0])}
    result = result_of_labels(np.array([0, 0, 2, 2, 2, 0]), COUNTED, models=models)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chosen = scores(result)

    known = ~np.isnan(result.point)
    assert (chosen.high - chosen.low > 0)[known].all()


def test_the_default_comparison_names_its_methods():
    y_true = np.arange(60) % 2
    preds = mc.Predictions(y_true, {"a": y_true, "b": np.where(np.arange(60) < 9, 0, y_true)})

    result = mc.compare(preds, ["accuracy", "f1_macro"], n_resamples=99)

    assert "|ci:auto|" in result.signature
    assert result.scores["method"].tolist() == ["wilson", "mover"] * 2
    assert result.differences["method"].tolist() == ["half-count"] * 2


def test_classes_of_few_samples_are_named_in_one_note():
    y_true = np.r_[np.zeros(40, int), np.repeat(np.arange(1, 6), [9, 2, 3, 4, 5])]
    preds = mc.Predictions(y_true, {"a": y_true, "b": np.zeros(len(y_true), int)})

    found = mc.compare(preds, ["accuracy", "recall", "f1"], undefined="stratify", n_resamples=999)

    assert found.verdict().splitlines()[-1] == (
        "recall of 2 and f1 of 2: as uncertain as 2 samples; recall of 3 and f1 of 3: as uncertain "
        "as 3 samples; recall of 4 and f1 of 4: as uncertain as 4 samples; and 2 more; class 2 has "
        "2."
    )


def test_unequal_clusters_are_named_with_how_many_equal_ones_they_are_worth():
    y_true = np.tile([0, 1], 30)
    # One cluster of a half and twelve of a twenty-fourth: fewer than four equal ones.
    groups = np.r_[np.zeros(30, int), 1 + np.arange(30) * 12 // 30]
    shares = np.bincount(groups) / 60
    preds = mc.Predictions(y_true, {"a": y_true}, groups=groups)

    with pytest.warns(SparseDataWarning, match="^accuracy: 1 of 13 clusters holds 50 % of the"):
        found = mc.compare(preds, "accuracy", n_resamples=99)

    note = f"accuracy: as uncertain as {1 / np.sum(shares**2):.2g} of 13 clusters."
    assert found.verdict().splitlines()[-1] == note


def test_enough_samples_are_no_reason_to_warn():
    y_true = np.arange(60) % 2
    preds = mc.Predictions(y_true, {"a": y_true, "b": 1 - y_true})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mc.compare(preds, ["accuracy", "f1", "f1_macro"], n_resamples=99)


def test_decisions_of_two_perfect_models_are_not_sure():
    y_true = np.array([0, 1] * 3)
    preds = mc.Predictions(y_true, {"a": y_true, "b": y_true})

    result = mc.decide(preds, "a", "b", "accuracy", margin=0.005, n_resamples=99)

    assert not result.passed
    assert result.ci_low < -0.1


def test_macro_averages_of_soft_scores_say_how_few_samples_a_class_has():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(30), 4)
    outputs = {m: rng.dirichlet(np.ones(30), 120) + np.eye(30)[y] for m in "ab"}
    preds = mc.Predictions(y, {m: p / p.sum(axis=1, keepdims=True) for m, p in outputs.items()})
    found = mc.compare(preds, "cf1_macro", n_resamples=99)
    assert found.verdict().splitlines()[-1] == (
        "cf1_macro: as uncertain as 4 samples; classes 0, 1, 2 and 27 more have 4."
    )
