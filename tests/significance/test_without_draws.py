"""p-values that no swap is drawn for, beside exact sums, convolutions and many draws."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax
from scipy.stats import binom

import modelcompare as mc
from modelcompare import Predictions
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import SwapMasks
from modelcompare.significance.extreme import tail_share
from modelcompare.significance.known import WAYS, Known, _Value
from modelcompare.significance.pairwise import all_pairs
from modelcompare.significance.studentized import swap_statistic
from modelcompare.significance.swaps.fractions import Fractions
from modelcompare.significance.swaps.outcomes import all_outcomes, upper_tail
from modelcompare.significance.swaps.powers import sign_tails
from modelcompare.significance.swaps.signs import sign_tail
from tests.significance import oracle

SEED = np.random.SeedSequence(11)


def two_models(seed, n, n_classes, *, soft, **columns):
    """Two models that agree on most samples."""
    rng = np.random.default_rng(seed)
    y, common = rng.integers(0, n_classes, n), rng.normal(size=(n, n_classes))
    outputs = {}
    for model in "ab":
        scores = 2.4 * np.eye(n_classes)[y] + 0.8 * common
        scores += 0.6 * rng.normal(size=(n, n_classes))
        outputs[model] = softmax(scores, axis=1) if soft else scores.argmax(axis=1)
    return Predictions(y, outputs, labels=range(n_classes), **columns)


@pytest.mark.parametrize("m", [20, 100, 1000, 20_000])
@pytest.mark.parametrize("z", [0.5, 2.0, 4.0, 5.5])
def test_equal_sizes_are_a_binomial_number(m, z):
    k = min(int(m / 2 + z * np.sqrt(m) / 2), m)
    expected = binom.sf(k, m, 0.5) + binom.pmf(k, m, 0.5) / 2
    found = sign_tail(np.ones(1), np.array([float(m)]), 2.0 * k - m)
    assert found == pytest.approx(expected, rel=1e-3)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 13), whole=st.booleans())
def test_few_units_are_counted(seed, n, whole):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, n).astype(float) if whole else rng.random(n) + 0.1
    signs = np.array([*itertools.product([-1, 1], repeat=n)])
    sums = signs @ sizes
    threshold = float(abs(rng.choice(sums)))
    near = np.abs(sums - threshold) < 1e-9
    expected = (sums > threshold)[~near].sum() + near.sum() / 2
    assert sign_tail(sizes, np.ones(n), threshold) == pytest.approx(expected / len(sums))


def convolved(sizes, threshold, step):
    """Tail of a sum of signs of sizes that are whole multiples of a step."""
    mass = np.ones(1)
    for size in np.rint(sizes / step).astype(int):
        wide = np.zeros(len(mass) + 2 * size)
        wide[: len(mass)] += mass / 2
        wide[2 * size :] += mass / 2
        mass = wide
    sums = (np.arange(len(mass)) - len(mass) // 2) * step
    return mass[sums > threshold + step / 4].sum() + mass[np.abs(sums - threshold) < step / 4] / 2


@pytest.mark.parametrize("sizes", [[1.0, 1.5], [1.0, 1.01, 1.5], [3.0, 3.25, 4.0, 7.0]])
@pytest.mark.parametrize("z", [1.0, 2.5, 5.5])
def test_few_sizes_are_as_their_convolution(sizes, z):
    every = np.repeat(sizes, 60)
    sums = every * np.random.default_rng(1).choice([-1, 1], len(every))
    # A sum that occurs, about z standard deviations above 0.
    threshold = abs(sums.sum())
    for size in np.sort(every)[::-1]:
        if threshold + 2 * size <= z * np.sqrt((every**2).sum()):
            threshold += 2 * size
    expected = convolved(every, threshold, 0.01).item()
    found = sign_tail(np.array(sizes), np.full(len(sizes), 60.0), float(threshold))
    assert expected > 1e-10
    assert found == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("spread", [0.3, 1.0])
@pytest.mark.parametrize("z", [0.5, 2.0, 4.0, 6.0])
def test_many_sizes_are_as_their_convolution_far_into_the_tail(spread, z):
    sizes = np.round(np.random.default_rng(0).lognormal(0, spread, 400), 2) + 0.01
    threshold = z * np.sqrt((sizes**2).sum())
    step = 0.01
    expected = np.mean([convolved(sizes, np.floor(threshold / step + k) * step, step).item()
                        for k in (0, 1)])  # fmt: skip
    assert expected > 1e-12
    assert sign_tail(sizes, np.ones(400), threshold) == pytest.approx(expected, rel=0.02)
    models = np.stack([sizes * (np.arange(400) % 2), sizes * (np.arange(400) % 2 - 1)])
    pair = np.array([0]), np.array([1])
    (found,), _ = sign_tails(models, np.ones(400), pair, np.array([threshold]))
    # Of wide sizes the rules of few points may leave far tails to the function above.
    assert found == pytest.approx(expected, rel=0.02) or (np.isnan(found) and spread * z >= 4)


@pytest.mark.parametrize("make", ["normal", "standard_exponential"])
def test_of_pairs_together_tails_are_upper_limits_far_out_and_close_to_1e_40(make):
    numbers, counts = getattr(np.random.default_rng(0), make)(size=(4, 2000)), np.ones(2000)
    pairs = np.triu_indices(4, 1)
    sizes = np.abs(numbers[pairs[0]] - numbers[pairs[1]])
    for z, rel in ((1.0, 1e-6), (4.0, 1e-5), (9.0, 1e-3), (12.5, 0.01), (25.0, 1e30)):
        threshold = z * np.sqrt((sizes**2).sum(axis=1))
        found, n_moving = sign_tails(numbers, counts, pairs, threshold)
        expected = [sign_tail(*each) for each in zip(sizes, [counts] * 6, threshold, strict=True)]
        np.testing.assert_allclose(found, expected, rtol=rel)
        assert (n_moving == 2000).all()
        if z > 9:
            assert (found > expected).all()


@pytest.mark.parametrize("metric", ["cf1", "cprecision", "crecall", "cspecificity", "cjaccard"])
def test_ratios_of_a_class_share_sums_over_its_members_and_others(metric, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 400)
    outputs = {f"m{i}": softmax(2 * np.eye(3)[y] + rng.normal(size=(400, 3)), axis=1)
               for i in range(4)}  # fmt: skip
    outputs["twin"] = np.where(np.arange(400)[:, None] % 2 == 0, outputs["m0"], outputs["m1"])
    preds = mc.Predictions(y, outputs, labels=range(3))

    def p_values():
        part = Evaluation(preds, resolve_metrics([metric], preds), collapse=False)
        statistic = swap_statistic(part, part.metrics, all_pairs(5))
        (formula,) = statistic.formulas
        return formula._is_of_shares, formula.tails(statistic.observed)[:2]

    shared, found = p_values()
    monkeypatch.setattr(Fractions, "_is_of_shares", False)
    alone, expected = p_values()
    assert (shared, alone) == (True, False)
    # Of members alone more sizes are shown not to be tied.
    known = ~np.isnan(expected[0])
    np.testing.assert_allclose(found[0][known], expected[0][known], rtol=1e-7)
    np.testing.assert_array_equal(found[1], expected[1])
    assert known.mean() > 0.5


def test_no_tail_of_pairs_together_is_less_than_that_of_equal_signs():
    numbers = np.stack([np.random.default_rng(0).normal(size=200), np.zeros(200)])
    most = np.abs(numbers).sum(keepdims=True)[0]
    found, _ = sign_tails(numbers, np.ones(200), (np.array([0]), np.array([1])), most)
    assert found[0] >= 0.5**201


CELLS = [
    ("f1_macro", 300, 2, {}), ("matthews_corrcoef", 300, 2, {}), ("f1_macro", 300, 3, {}),
    ("f1_weighted", 300, 3, {}), ("precision_macro", 400, 3, {}), ("cf1_macro", 300, 3, {}),
    ("cprecision", 300, 3, {}), ("brier_score", 200, 3, {}),
    ("caccuracy", 300, 3, {"strata": np.arange(300) % 4}),
    ("cf1_macro", 400, 3, {"strata": np.arange(400) % 4}),
    ("cf1_macro", 600, 3, {"groups": np.arange(600) // 3}),
    ("f1_macro", 800, 3, {"sample_weight": np.arange(400.0, 1200)}),
    ("f1_macro", 300, 3, {"strata": np.arange(300) % 4}), ("matthews_corrcoef", 300, 3, {}),
    ("accuracy", 300, 3, {"strata": np.arange(300) % 4}),
    ("recall", 300, 3, {"strata": np.arange(300) % 4}),
    ("f1_macro", 300, 3, {"groups": np.arange(300) // 3}),
    ("matthews_corrcoef", 300, 2, {"sample_weight": np.arange(300.0, 600)}),
]  # fmt: skip


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
@pytest.mark.parametrize(("name", "n", "n_classes", "columns"), CELLS)
def test_p_values_are_the_shares_of_very_many_drawn_swaps(name, n, n_classes, columns, seed):
    soft, n_draws = name.startswith(("c", "b")), 40_000
    preds = two_models(seed, n, n_classes, soft=soft, **columns)
    part = Evaluation(preds, resolve_metrics([name], preds), collapse=False)
    statistic = swap_statistic(part, part.metrics, all_pairs(2))
    known = Known.of(statistic, "two-sided").p_value[0]
    assert np.isfinite(known).all()
    masks = SwapMasks(statistic.units, n_draws, SEED)
    drawn = oracle.share_extreme(statistic, masks, np.array([0]))[0]
    error = np.sqrt(drawn * (1 - drawn) / n_draws)
    assert (np.abs(known - drawn) <= 0.03 * drawn + 4 * error).all()


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("f1_macro", {}), ("matthews_corrcoef", {}), ("f1_macro", {"strata": np.arange(90) % 3}),
        ("balanced_accuracy", {"strata": np.arange(90) % 2}), ("accuracy", {"strata": np.arange(90) % 4}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("t", [0.4, 1.5, 2.4, 3.0])
def test_an_integral_over_kinds_is_the_sum_over_all_their_outcomes(name, columns, t):
    preds = two_models(1, 90, 2, soft=False, **columns)
    part = Evaluation(preds, resolve_metrics([name], preds), collapse=False)
    statistic = swap_statistic(part, part.metrics, all_pairs(2))
    value = _Value(statistic, statistic.formulas[0], 0, 0, 0.0)
    units = value.formula.by_kind(0, 0)
    outcomes = all_outcomes(units[0]())
    # The outcome nearest to t, and its exact tail.
    size = value._statistics(outcomes)
    t = size[np.argmin(np.abs(size - t))]
    exact = tail_share(size, np.array([t]), "greater", half=True) @ outcomes.probability
    tail, n_moving = upper_tail(units[0](), units[1], t, value._replace(t=t)._as_extreme)
    assert outcomes.probability.sum() == pytest.approx(1)
    assert tail == pytest.approx(exact, rel=0.02)
    assert n_moving == outcomes.n_moving


@pytest.mark.parametrize("name", ["f1_macro", "accuracy"])
def test_few_units_are_counted_one_by_one_or_by_kind(name):
    # Eleven samples move, in four strata, some of them equal.
    y = np.arange(40) % 2
    outputs = {"a": y.copy(), "b": y.copy()}
    outputs["a"][:4] ^= 1
    outputs["b"][4:11] ^= 1
    preds = Predictions(y, outputs, strata=np.arange(40) // 4 % 4)
    part = Evaluation(preds, resolve_metrics([name], preds), collapse=False)
    statistic = swap_statistic(part, part.metrics, all_pairs(2))
    known = Known.of(statistic, "two-sided")
    every = SwapMasks(statistic.units, 2**11, SEED, np.arange(11))
    expected = oracle.share_extreme(statistic, every, np.array([0]))[0]
    assert known.p_value[0] == pytest.approx(expected, rel=1e-9)
    assert WAYS[int(known.way[0, 0])] == "mid-p"


@pytest.mark.parametrize(
    ("name", "n", "n_classes", "rel"),
    [
        ("f1_macro", 60, 2, 1e-9), ("matthews_corrcoef", 60, 2, 1e-9), ("accuracy", 200, 3, 1e-3),
        ("f1_macro", 300, 3, 1e-9), ("f1_macro", 60, 3, 0.01), ("matthews_corrcoef", 300, 3, 0.01),
        ("cf1_macro", 300, 3, 1e-9),
    ],
)  # fmt: skip
def test_samples_that_stand_twice_in_a_cluster_change_no_p_value(name, n, n_classes, rel):
    once = two_models(4, n, n_classes, soft=name.startswith("c"))
    twice = once.subset(np.repeat(np.arange(n), 2)).with_columns(groups=np.repeat(np.arange(n), 2))
    found = [mc.paired_test(preds, "a", "b", name, n_resamples=9) for preds in (once, twice)]
    assert found[0].p_value == pytest.approx(found[1].p_value, rel=rel)
    assert [result.n_resamples for result in found] == [0, 0]


def test_one_sided_p_values_add_up_to_one_and_the_smaller_is_half_of_the_two_sided():
    preds = two_models(0, 300, 3, soft=True)
    part = Evaluation(preds, resolve_metrics(["cf1_macro"], preds), collapse=False)
    statistic = swap_statistic(part, part.metrics, all_pairs(2))
    both, greater, less = (
        Known.of(statistic, way).p_value[0, 0] for way in ("two-sided", "greater", "less")
    )
    assert greater + less == pytest.approx(1)
    assert min(greater, less) == pytest.approx(both / 2)


@pytest.mark.parametrize("soft", [True, False])
def test_neither_the_seed_nor_the_number_of_resamples_nor_other_models_matter(soft):
    preds = two_models(3, 500, 3, soft=soft)
    outputs = {model: preds.output(model).array for model in preds.models}
    names = ["cf1_macro", "cf1"] if soft else ["f1_macro", "accuracy"]
    third = dict(outputs, c=np.roll(outputs["a"], 1, axis=0))
    alone = mc.compare(preds, names, correction="none").differences
    others = [
        mc.compare(preds, names, correction="none", rng=5, n_resamples=199),
        mc.compare(preds, [*names, "log_loss" if soft else "recall"], correction="none"),
        mc.compare(Predictions(preds.y_true, third, labels=range(3)), names, correction="none"),
    ]
    for other in others:
        frame = other.differences
        frame = frame[frame["model_b"].eq("b") & frame["metric"].isin(alone["metric"])]
        # Sums of more models are rounded otherwise.
        np.testing.assert_allclose(alone["p_value"], frame["p_value"], rtol=1e-9)
    assert (
        alone["test"]
        .isin(["studentized-permutation: signs", "studentized-permutation: mid-p"])
        .all()
    )


def test_the_column_test_names_the_way():
    preds = two_models(0, 400, 4, soft=False)
    frame = mc.compare(preds, ["accuracy", "f1_macro", "mcc"], n_resamples=99).differences
    ways = frame.set_index("metric")["test"].str.partition(": ")[2]
    assert ways.to_dict() == {
        "accuracy": "mid-p", "f1_macro": "signs", "matthews_corrcoef": "integrated",
    }  # fmt: skip
    opposite = Predictions(
        np.tile([0, 1], 50), {"a": np.tile([0, 1], 50), "b": np.tile([1, 0], 50)}
    )
    test = mc.compare(opposite, "accuracy").differences["test"]
    assert [*test] == ["studentized-permutation: counted"]


def test_thousands_of_pairs_leave_differences_to_see():
    y = np.tile([0, 1, 2], 400)
    rng = np.random.default_rng(0)
    good = np.where(rng.random(1200) < 0.9, y, (y + 1) % 3)
    bad = np.where(rng.random(1200) < 0.6, y, (y + 1) % 3)
    found = mc.compare(Predictions(y, {"a": good, "b": bad}), "f1_macro").differences
    assert found["p_value"].iloc[0] * 499_500 < 1e-9


def test_differences_however_clear_have_no_floor():
    """Beyond the last statistic whose law is known, its p-value holds, as p only falls."""
    preds = mc.load_example("snli")
    found = mc.compare(preds, ["cf1_macro", "f1_macro"]).differences
    statistic = (found["difference"] / found["standard_error"]).abs()
    assert statistic.max() > 40
    assert not found["test"].str.endswith("drawn").any()
    assert (found["p_value"][statistic > 7] < 1e-10).all()


@pytest.mark.filterwarnings("ignore::modelcompare.metrics.UndefinedMetricWarning")
@pytest.mark.parametrize("metric", ["cf1", "cprecision", "crecall"])
def test_classes_without_a_member_or_of_all_samples_leave_no_error(metric):
    rng = np.random.default_rng(3)
    outputs = {m: rng.dirichlet([3, 2, 1], 60) for m in "abc"}
    for truth in (np.arange(60) % 2, np.zeros(60, int)):
        preds = mc.Predictions(truth, outputs, labels=[0, 1, 2])
        table = mc.compare(preds, metric, n_resamples=199, correction="none").differences
        assert {*table["label"]} == {0, 1, 2}
        assert table["p_value"].dropna().between(0, 1).all()
