"""The permutation test of whole runs, beside scipy and plain loops."""

import itertools
import math
import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score

import modelcompare as mc
from modelcompare.engine.contrasts import Sample
from modelcompare.engine.design import design_of
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.registry import resolve_metrics
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.significance import PairView, run_test

N = 12
ALTERNATIVES = ("two-sided", "greater", "less")
TEST = "run-permutation"
pytestmark = pytest.mark.filterwarnings("ignore::modelcompare.SparseDataWarning")


def scores(n_runs, seed, mean=0.0, spread=1.0):
    rng = np.random.default_rng(seed)
    return mean + spread * rng.normal(size=n_runs) + rng.normal(size=(N, n_runs))


def preds_of(tables, *, shared=False):
    """Return items x runs of each model; runs are repeated where models have several numbers."""
    slots = math.lcm(*(x.shape[1] for x in tables.values()))
    run = np.tile(np.arange(slots), len(next(iter(tables.values()))))
    repeated = {m: np.tile(x, slots // x.shape[1]).ravel() for m, x in tables.items()}
    runs = {m: [f"{'' if shared else m}{r % x.shape[1]}" for r in run] for m, x in tables.items()}
    items = np.repeat(np.arange(len(run) // slots), slots)
    return mc.Predictions.from_scores(repeated, groups=items, runs=runs, greater_is_better=True)


def outcome_of(preds, a="a", b="b", metric="mean_score", **options):
    return mc.paired_test(preds, a, b, metric, method=TEST, **options)


def welch(x, y, axis):
    return stats.ttest_ind(x, y, axis=axis, equal_var=False).statistic


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n_runs", [(3, 3), (4, 4), (2, 6), (5, 3)])
def test_separate_runs_are_tested_as_by_scipy(n_runs, alternative):
    a, b = (scores(n, seed, mean) for n, seed, mean in zip(n_runs, (0, 1), (1.0, 0), strict=True))
    found = outcome_of(preds_of({"a": a, "b": b}), alternative=alternative)
    means = a.mean(axis=0), b.mean(axis=0)
    expected = stats.permutation_test(
        means, welch, vectorized=True, n_resamples=np.inf, alternative=alternative
    )
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9)
    # scipy doubles the smaller tail; of unequal numbers of runs the two tails differ.
    null = np.abs(expected.null_distribution)
    both = np.mean(null >= abs(expected.statistic) * (1 - 1e-9))
    two_sided = alternative == "two-sided"
    assert found.p_value == pytest.approx(both if two_sided else expected.pvalue, rel=1e-12)
    assert (found.n_resamples, found.exact) == (math.comb(sum(n_runs), n_runs[0]), True)
    if n_runs[0] == n_runs[1]:
        plain = stats.permutation_test(
            means, lambda x, y, axis: x.mean(axis) - y.mean(axis), vectorized=True,
            n_resamples=np.inf, alternative=alternative,
        )  # fmt: skip
        assert found.p_value == pytest.approx(plain.pvalue, rel=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_shared_runs_are_tested_as_by_scipy(alternative):
    a, b = scores(6, 0, 0.8), scores(6, 1)
    found = outcome_of(preds_of({"a": a, "b": b}, shared=True), alternative=alternative)
    expected = stats.permutation_test(
        (a.mean(axis=0), b.mean(axis=0)), lambda x, y, axis: (x - y).mean(axis), vectorized=True,
        permutation_type="samples", n_resamples=np.inf, alternative=alternative,
    )  # fmt: skip
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-12)
    assert found.n_resamples == 2**6
    d = a.mean(axis=0) - b.mean(axis=0)
    assert found.statistic == pytest.approx(d.mean(), rel=1e-9)


def test_any_metric_is_computed_on_the_rows_of_each_run():
    rng = np.random.default_rng(3)
    truth, n_runs = rng.integers(0, 3, 40), 4
    right = {"a": 0.7, "b": 0.55}
    labels = {
        m: np.where(rng.random((40, n_runs)) < p, truth[:, None], rng.integers(0, 3, (40, n_runs)))
        for m, p in right.items()
    }
    run = np.tile(np.arange(n_runs), 40)
    preds = mc.Predictions(
        np.repeat(truth, n_runs), {m: x.ravel() for m, x in labels.items()},
        groups=np.repeat(np.arange(40), n_runs), runs={"a": run, "b": run + n_runs},
    )  # fmt: skip
    values = np.array(
        [f1_score(truth, x[:, r], average="macro") for x in labels.values() for r in range(n_runs)]
    )
    null = []
    for mine in itertools.combinations(range(8), n_runs):
        rest = np.setdiff1d(np.arange(8), mine)
        null.append(abs(values[[*mine]].mean() - values[rest].mean()))
    expected = np.mean(np.array(null) >= null[0] - 1e-12)
    assert outcome_of(preds, metric="f1_macro").p_value == pytest.approx(expected, rel=1e-12)
    area = mc.compare(preds, ["f1_macro", "f1"], test=TEST, correction="none").differences
    assert area["p_value"].between(2 / 70, 1).all()
    assert set(area["test"]) == {TEST}


@pytest.mark.parametrize("shared", [False, True])
def test_more_ways_than_resamples_are_drawn_at_random(shared):
    preds = preds_of({"a": scores(10, 0, 0.7), "b": scores(10, 1)}, shared=shared)
    every = outcome_of(preds, n_resamples=10**6)
    drawn = outcome_of(preds, n_resamples=999, rng=1)
    assert every.exact
    assert not drawn.exact
    assert drawn.n_resamples == 999
    assert drawn.p_value_standard_error > 0
    assert abs(drawn.p_value - every.p_value) < 4 * drawn.p_value_standard_error
    assert drawn.p_value == outcome_of(preds, n_resamples=999, rng=1).p_value
    clear = preds_of({"a": scores(10, 0, 99.0), "b": scores(10, 1)}, shared=shared)
    assert outcome_of(clear, n_resamples=99).p_value == pytest.approx(1 / 100)


@pytest.mark.parametrize(
    ("n_runs", "shared", "alternative", "least"),
    [
        ((3, 3), False, "two-sided", 2 / 20), ((3, 3), False, "greater", 1 / 20),
        ((2, 6), False, "two-sided", 1 / 28), ((4, 4), True, "two-sided", 2 / 16),
        ((4, 4), True, "greater", 1 / 16),
    ],
)  # fmt: skip
def test_the_smallest_possible_p_value_is_reached_and_named(n_runs, shared, alternative, least):
    tables = {"a": scores(n_runs[0], 0, 50.0, 0.1), "b": scores(n_runs[1], 1, spread=0.1)}
    found = outcome_of(preds_of(tables, shared=shared), alternative=alternative)
    assert found.p_value == pytest.approx(least)
    assert found.notes[-1].endswith(f"so no p-value can be below {least:.2g}.")
    assert "the items are fixed" in found.notes[-1]
    assert "these runs" not in found.signature


def test_runs_that_agree_up_to_rounding_are_ties():
    a = np.tile([0.1, 0.2, 0.3, 0.3], (3, 3)).reshape(12, 3)
    for shift in (0.1, 1e-3):
        b = a + shift
        b[:, 1] = np.roll(b[:, 1], 1)
        for shared in (False, True):
            found = outcome_of(preds_of({"a": a, "b": b}, shared=shared))
            assert found.p_value == pytest.approx(2 / 8 if shared else 2 / 20)
    rolled = np.roll(a, 1, axis=0)
    for shared in (False, True):
        assert outcome_of(preds_of({"a": a, "b": rolled}, shared=shared)).p_value == 1


@pytest.mark.parametrize("seed", range(10))
def test_runs_that_do_not_vary_have_the_smallest_p_value(seed):
    """Rounding of their variances is neither a standard error nor a tie that is missed."""
    a, b = np.random.default_rng(seed).random(2)
    tables = {"a": np.full((N, 3), a), "b": np.full((N, 4), b)}
    tables["a"][:, 1] *= 1 + 1e-15
    found = outcome_of(preds_of(tables))
    assert found.p_value == pytest.approx(1 / 35)
    assert found.statistic == math.copysign(math.inf, a - b)


def test_exchanged_models_and_renamed_runs_have_the_same_p_value():
    tables = {"a": scores(5, 0, 0.6), "b": scores(3, 1)}
    preds, other = preds_of(tables), preds_of({"b": tables["b"], "a": tables["a"]})
    renamed = preds_of({m: x[:, ::-1] for m, x in tables.items()})
    found = outcome_of(preds)
    for again in (outcome_of(other, "b", "a"), outcome_of(renamed)):
        assert again.p_value == found.p_value
        assert abs(again.statistic) == pytest.approx(abs(found.statistic))
    one_sided = (
        outcome_of(preds, alternative="greater"),
        outcome_of(other, "b", "a", alternative="less"),
    )
    assert one_sided[0].p_value == one_sided[1].p_value


def simulated(n_runs, spreads=(0.5, 0.5), rest=1.0, n_trials=400, *, shared=False):
    """Return p-values of procedures that are equal on the items, which all trials share."""
    rng = np.random.default_rng(5)
    of_items = 3 * rng.normal(size=(N, 1))
    tables = {
        f"{m}{trial}": of_items + spread * rng.normal(size=n) + rest * rng.normal(size=(N, n))
        for trial in range(n_trials)
        for m, n, spread in zip("ab", n_runs, spreads, strict=True)
    }
    preds = preds_of(tables, shared=shared)
    evaluation = Evaluation(preds, resolve_metrics("mean_score", preds))
    weights = BootstrapWeights(evaluation.units, 9999, np.random.SeedSequence(0))
    a = 2 * np.arange(n_trials)
    view = PairView(
        Sample(evaluation, weights, design_of(evaluation.predictions, "items+runs")),
        (a, a + 1),
        9999,
    )
    return run_test(TEST, view).p_value[:, 0]


@pytest.mark.slow
@pytest.mark.parametrize(("n_runs", "shared"), [((4, 4), False), ((3, 6), False), ((6, 6), True)])
def test_exchangeable_runs_are_rejected_as_often_as_the_level(n_runs, shared):
    p = simulated(n_runs, shared=shared)
    ways = 2 ** n_runs[0] if shared else math.comb(sum(n_runs), n_runs[0])
    step = 1 if n_runs[0] != n_runs[1] else 2
    for level in (0.06, 0.12, 0.25, 0.5):
        # The largest possible p-value up to the level is the exact size.
        size = math.floor(level * ways / step + 1e-9) * step / ways
        error = math.sqrt(size * (1 - size) / len(p))
        assert abs(np.mean(p <= level + 1e-9) - size) < 3.5 * error


@pytest.mark.slow
def test_three_runs_against_ten_that_vary_half_as_much_are_rejected_in_nine_percent():
    """Of the plain difference it would be 17 percent."""
    p = simulated((3, 10), (2.0, 1.0), rest=0.01)
    assert 0.05 < np.mean(p <= 0.05) < 0.13


def test_procedures_that_differ_on_these_items_are_found_to_differ():
    """The null is about the items at hand; the interval's t knows that others may turn it."""
    rng = np.random.default_rng(8)
    of_items = rng.normal(size=N)
    tables = {
        m: sign * of_items[:, None] + 0.01 * rng.normal(size=(N, 6))
        for m, sign in (("a", 1), ("b", -1))
    }
    preds = preds_of(tables)
    assert outcome_of(preds).p_value == pytest.approx(2 / math.comb(12, 6))
    wald, runs = (mc.compare(preds, test=test) for test in ("wald", TEST))
    assert wald.differences["p_value"][0] > 0.05
    # A comparison gives the p-value of the test that is named, and the interval as it is.
    assert runs.differences["p_value"][0] == pytest.approx(2 / math.comb(12, 6))
    assert "; the 95 % interval, by another method, contains 0" in runs.verdict()


def warned(ask):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ask()
    return " ".join(str(each.message) for each in caught)


def test_too_few_ways_have_a_warning_that_names_the_default_test():
    three = preds_of({"a": scores(3, 0, 9.0), "b": scores(3, 1)})
    text = warned(lambda: mc.compare(three, test=TEST))
    assert "no p-value can be below 0.1 here, so at alpha = 0.05 no difference" in text
    assert "Use test='wald' (--test wald), the default for new runs, or add runs." in text
    assert "no p-value" not in warned(lambda: mc.compare(three, test=TEST, alpha=0.11))
    assert "no p-value" not in warned(lambda: mc.compare(three))
    many = preds_of({m: scores(4, k, 9.0 * k) for k, m in enumerate("abc")})
    text = warned(lambda: mc.compare(many, test=TEST))
    assert "below 0.086 here, so at alpha = 0.05" in text
    assert "no p-value" not in warned(lambda: mc.compare(many, test=TEST, correction="fdr_bh"))
    assert "no p-value" not in warned(lambda: mc.compare(many, test=TEST, correction="none"))
    assert "below 0.057 here" in warned(lambda: mc.compare(many, test=TEST, baseline="a"))
    found = mc.compare(many, test=TEST)
    assert (found.differences["better"].isna()).all()
    text = " ".join(str(found).split())
    assert "there are 70 ways, so no p-value can be below 0.029." in text
    assert "the permutation test of whole runs" in found.document().method


def test_what_has_no_runs_to_exchange_is_refused():
    preds = preds_of({"a": scores(4, 0), "b": scores(4, 1)})
    alone = preds.with_columns(runs=None)
    for ask in (
        lambda: mc.compare(alone, test=TEST), lambda: outcome_of(alone),
        lambda: mc.compare(alone, test=TEST, generalize_to="items+runs"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"exchanges runs, but no column names them.*use anot"):
            ask()
    with pytest.raises(
        ValueError,
        match=r"but generalize_to='items' \(--generalize-to items\) asks about these; use anot",
    ):
        mc.compare(preds, test=TEST, generalize_to="items")
    with pytest.raises(ValueError, match="use test='wald' or 'run-permutation', or for an answer"):
        mc.compare(preds, test="bootstrap")


@pytest.mark.filterwarnings("ignore::modelcompare.metrics.UndefinedMetricWarning")
def test_a_class_without_a_value_in_one_run_has_none():
    truth = np.array([0, 0, 1, 1, 2, 2])
    never = np.where(truth == 2, 1, truth)
    run = np.tile([0, 1], 6)
    table = np.stack([truth, never], axis=1).ravel()
    preds = mc.Predictions(
        np.repeat(truth, 2), {"a": table, "b": np.repeat(truth, 2)},
        groups=np.repeat(np.arange(6), 2), runs={"a": run, "b": run + 2},
    )  # fmt: skip
    found = mc.compare(preds, "precision", test=TEST).differences.set_index("label")
    assert found[["difference", "p_value"]].isna().all(axis=1).tolist() == [False, False, True]
