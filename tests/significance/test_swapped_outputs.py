"""Metrics that are not sums: swapped outputs, their values, standard errors, and the size."""

import itertools
from contextlib import contextmanager

import numpy as np
import pytest
from scipy import stats

import modelcompare as mc
from modelcompare.engine import parallel
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import from_callable, resolve_metrics
from modelcompare.resampling.draws import RESAMPLE_BLOCK
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.significance import run_test
from modelcompare.significance.corrections import adjust
from modelcompare.significance.pairwise import all_pairs
from modelcompare.significance.swaps import outputs as swapped_outputs
from modelcompare.significance.swaps.outputs import SwappedOutputs
from tests.plugged import needs
from tests.significance.oracle import drawn_statistics
from tests.significance.views import pair_view

SEED = np.random.SeedSequence(3)
DEFAULT = "studentized-permutation"


def largest_error(y, p):
    return np.abs(y - p).max()


def error_quantile(y, p):
    return np.sort(np.abs(y - p))[int(0.9 * len(y))]


def order_matters(y, p):
    """Weigh samples by their place, so that their order shows."""
    return np.arange(len(y)) @ np.abs(y - p) / len(y)


def weighted_error(y, p, sample_weight=None):
    return np.average(np.abs(y - p) ** 3, weights=sample_weight)


def regressions(rng, n, n_models=2, noise=1.0, **columns):
    y = rng.normal(size=n)
    outputs = {f"m{k}": y + noise * rng.normal(size=n) for k in range(n_models)}
    return mc.Predictions(y, outputs, kind="values", **columns)


def view_of(preds, names, n_resamples=99, seed=SEED, **options):
    part = Evaluation(preds, resolve_metrics(names, preds), collapse=False)
    return pair_view(part, all_pairs(len(preds.models)), n_resamples, seed, **options)


def rejected(preds, metric, trial, test=DEFAULT, n_resamples=99):
    view = view_of(preds, [metric], n_resamples, seed=np.random.SeedSequence(trial))
    return bool(run_test(test, view).p_value[0, 0] <= 0.05)


# -- size ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", [largest_error, error_quantile, "median_absolute_error"])
def test_exchangeable_models_are_distinguished_no_more_often_than_is_promised(metric):
    # More than 13 of 120 have a chance of 0.3 % at 5 %, which is 2 of 40: the data and 39 swaps.
    # Flipped influences rejected 13 to 26 %.
    rng = np.random.default_rng(1)
    found = [rejected(regressions(rng, 100), metric, trial, DEFAULT, 39) for trial in range(120)]
    assert sum(found) <= 13


def test_equal_medians_of_unlike_laws_are_distinguished_by_plain_swaps_and_not_by_the_default():
    # Errors around 10, of one law three times as wide as the other. Studentized, the size comes to
    # 0.08 here and falls as n grows; of plain swaps it stays at 0.25.
    rng = np.random.default_rng(2)
    counts = dict.fromkeys((DEFAULT, "permutation"), 0)
    for trial in range(150):
        outputs = {"narrow": rng.normal(10, 1, 100), "wide": rng.normal(10, 3, 100)}
        preds = mc.Predictions(np.zeros(100), outputs, kind="values")
        for test in counts:
            counts[test] += rejected(preds, "median_absolute_error", trial, test)
    assert counts[DEFAULT] <= stats.binom.ppf(0.99, 150, 0.08)
    assert counts["permutation"] >= stats.binom.ppf(0.001, 150, 0.25)


@pytest.mark.parametrize(
    ("n_models", "metric", "n_resamples"),
    [(3, largest_error, 199), (6, "median_absolute_error", 349)],
)
def test_families_of_exchangeable_models_announce_nothing(n_models, metric, n_resamples):
    # More than 5 of 25 have a chance of 0.1 % at 5 %.
    rng = np.random.default_rng(3)
    announced = 0
    for trial in range(25):
        preds = regressions(rng, 30, n_models)
        view = view_of(preds, [metric], n_resamples, seed=np.random.SeedSequence(trial))
        announced += bool(adjust(run_test(DEFAULT, view).p_value, "holm").min() < 0.05)
    assert announced <= 5


# -- the same by loops ---------------------------------------------------------------------------


def design(name, n):
    rng = np.random.default_rng(4)
    return {
        "samples": {},
        "clusters": {"groups": rng.integers(0, n // 3, n)},
        "weights": {"sample_weight": rng.random(n) + 0.1},
        "strata": {"strata": rng.integers(0, 2, n)},
        "clusters of weights": {
            "groups": rng.integers(0, n // 3, n), "sample_weight": rng.random(n) + 0.1
        },
    }[name]  # fmt: skip


def swapped_differences(view, swaps):
    """Differences of each pair after each swap of samples, by building the swapped test sets."""
    preds, metrics = view.evaluation.predictions, view.evaluation.metrics
    found = []
    for a, b in itertools.combinations(preds.models, 2):
        first, second = (preds.output(model).array for model in (a, b))
        rows = []
        for mask in swaps.astype(bool):
            z = mask if first.ndim == 1 else mask[:, None]
            outputs = {"a": np.where(z, second, first), "b": np.where(z, first, second)}
            swapped = mc.Predictions(
                preds.y_true, outputs, kind=preds.output(a).kind, labels=preds.labels,
                sample_weight=preds.sample_weight,
            )  # fmt: skip
            values = Evaluation(swapped, metrics, collapse=False).estimate()
            rows.append(values[0] - values[1])
        found.append(rows)
    return np.array(found).transpose(1, 0, 2)


def sample_swaps(view):
    drawn = np.vstack([view.masks.draw_all(block) for block in range(view.masks.n_blocks)])
    groups = view.evaluation.predictions.groups
    return drawn if groups is None else drawn[:, np.unique(groups, return_inverse=True)[1]]


@pytest.mark.parametrize(
    "name", ["samples", "clusters", "weights", "strata", "clusters of weights"]
)
def test_permutation_of_three_models_is_a_loop_over_swapped_test_sets(name):
    preds = regressions(np.random.default_rng(5), 24, 3, **design(name, 24))
    names = ["median_absolute_error", "spearman", "kendall", weighted_error]
    names += [] if preds.sample_weight is not None else [order_matters]
    views = [
        view_of(preds, [*names, "mae"], 20, alternative=alternative)
        for alternative in ("two-sided", "greater")
    ]
    two_sided, greater = (run_test("permutation", view).p_value for view in views)
    swaps = sample_swaps(views[0])
    null, observed = swapped_differences(views[0], swaps), views[0].estimate
    expected = (1 + (np.abs(null) >= np.abs(observed) - 1e-12).sum(axis=0)) / 21
    np.testing.assert_allclose(two_sided, expected)
    expected = (1 + (null >= observed - 1e-12).sum(axis=0)) / 21
    np.testing.assert_allclose(greater, expected)


def test_probabilities_labels_and_texts_are_swapped_whole():
    def brier(y, p):
        return ((p - (y[:, None] == np.arange(3))) ** 2).sum(axis=1).max()

    def recalls(y, p):
        return [np.mean(p[y == k] == k) for k in range(3)]

    rng = np.random.default_rng(6)
    y = np.r_[0, 1, 2, rng.integers(0, 3, 27)]
    probs = {m: rng.dirichlet(np.ones(3), 30) for m in "abc"}
    labelled = mc.Predictions(y, probs, labels=range(3))
    of_labels = [
        from_callable(brier, needs="probabilities"),
        from_callable(recalls, per_class=True),
        "average_precision_macro",
        "roc_auc_ovr",
    ]
    assert_swapped(labelled, of_labels)


@needs("texts")
def test_a_function_of_texts_is_called_for_each_swap():
    def starts_alike(y, p):
        return np.mean([t[:2] == s[:2] for t, s in zip(y, p, strict=True)])

    rng = np.random.default_rng(6)
    words = np.array(["red", "rose", "green", "blue"])
    outputs = {m: words[rng.integers(0, 4, 30)] for m in "ab"}
    texts = mc.Predictions(words[rng.integers(0, 4, 30)], outputs, kind="texts")
    assert_swapped(texts, [starts_alike])


def assert_swapped(preds, metrics):
    """The p-values are shares of the differences of single swaps."""
    view = view_of(preds, metrics, 40)
    found = run_test("permutation", view).p_value
    null = np.abs(swapped_differences(view, sample_swaps(view)))
    expected = (1 + (null >= np.abs(view.estimate) - 1e-12).sum(axis=0)) / 41
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision"])
def test_raw_scores_are_swapped_by_their_ranks(metric):
    rng = np.random.default_rng(7)
    y = np.tile([0, 1], 15)
    scores = {"a": rng.normal(size=30) + y, "b": 1000 + 50 * (rng.normal(size=30) + y)}
    ranks = {m: stats.rankdata(s) for m, s in scores.items()}
    p = [
        run_test("permutation", view_of(mc.Predictions(y, s, kind="values"), [metric])).p_value
        for s in (scores, ranks)
    ]
    np.testing.assert_array_equal(*p)


@pytest.mark.parametrize("name", ["samples", "clusters", "strata"])
def test_the_default_divides_by_the_spread_of_swaps_or_of_resamples(name):
    preds = regressions(np.random.default_rng(8), 40, 3, **design(name, 40))
    view = view_of(preds, [order_matters, "median_absolute_error"], 70)
    null = swapped_differences(view, sample_swaps(view))
    weights = BootstrapWeights(view.evaluation.units, 70, SEED)
    drawn = view.evaluation.replicates(weights)
    by_bootstrap = (drawn[:, view.model_a] - drawn[:, view.model_b]).std(axis=0)
    by_swaps = null.std(axis=0)
    assert (by_swaps < by_bootstrap).any(axis=0).all()
    observed = np.abs(view.estimate) / np.maximum(by_swaps, by_bootstrap)
    expected = (1 + (np.abs(null) / by_swaps >= observed - 1e-9).sum(axis=0)) / 71
    outcome = run_test(DEFAULT, view)
    np.testing.assert_allclose(outcome.p_value, expected)
    assert outcome.used == {}
    np.testing.assert_allclose(outcome.floor, 1 / 71)


def test_the_default_never_says_more_than_the_exact_test():
    rng = np.random.default_rng(9)
    for _ in range(10):
        view = view_of(regressions(rng, 25, 3), [largest_error, "median_absolute_error"])
        assert (run_test(DEFAULT, view).p_value >= run_test("permutation", view).p_value).all()


# -- few swaps -----------------------------------------------------------------------------------


def few_differ(n_differ=6, n=20, **columns):
    rng = np.random.default_rng(10)
    y, a = rng.normal(size=(2, n))
    b = a.copy()
    b[:n_differ] += rng.normal(1, 1, n_differ)
    return mc.Predictions(y, {"a": a, "b": b}, kind="values", **columns)


@pytest.mark.parametrize("metric", [order_matters, "median_absolute_error"])
def test_few_swaps_are_all_counted(metric):
    preds = few_differ()
    swaps = np.zeros((64, 20))
    swaps[:, :6] = np.arange(64)[:, None] >> np.arange(6) & 1
    view = view_of(preds, [metric], 99, enumerate_swaps=True)
    null = np.abs(swapped_differences(view, swaps)[:, 0, 0])
    plain = run_test("permutation", view)
    assert plain.exact
    assert plain.n_resamples == 64
    expected = (null >= np.abs(view.estimate[0, 0]) - 1e-12).mean()
    assert plain.p_value[0, 0] == pytest.approx(expected)
    outcome = run_test(DEFAULT, view)
    assert outcome.floor[0, 0] == 2 / 64
    assert outcome.p_value[0, 0] * 64 == pytest.approx(round(outcome.p_value[0, 0] * 64))
    assert expected <= outcome.p_value[0, 0] <= 1


def test_clusters_that_differ_are_what_is_counted():
    preds = few_differ(groups=np.arange(20) // 3)
    outcome = run_test(DEFAULT, view_of(preds, [order_matters]))
    assert outcome.floor[0, 0] == 2 / 4


def test_models_that_agree_differ_by_nothing():
    outcome = run_test(DEFAULT, view_of(few_differ(0), [order_matters, "median_absolute_error"]))
    np.testing.assert_array_equal(outcome.p_value, 1)


def test_where_swaps_hardly_ever_move_a_value_they_are_counted_as_they_are():
    y = np.zeros(30)
    preds = mc.Predictions(y, {"a": y, "b": np.r_[1.0, y[1:]]}, kind="values")
    assert run_test(DEFAULT, view_of(preds, ["median_absolute_error"])).p_value[0, 0] == 1
    assert run_test(DEFAULT, view_of(preds, [largest_error])).p_value[0, 0] == 1


@pytest.mark.parametrize("test", [DEFAULT, "permutation"])
def test_a_swap_without_a_value_is_as_extreme(test):
    rng = np.random.default_rng(11)
    a, b = rng.normal(size=(2, 30))

    def undefined_after_some(y, p):
        return np.nan if p[0] == a[0] and p[1] == b[1] else np.abs(y - p).mean()

    preds = mc.Predictions(np.zeros(30), {"a": a, "b": b}, kind="values")
    view = view_of(preds, [undefined_after_some], 200)
    swaps = sample_swaps(view)
    apart = swaps[:, 0] != swaps[:, 1]
    null = swapped_differences(view, swaps)[:, 0, 0]
    assert (np.isnan(null) == apart).all()
    least = np.abs(view.estimate[0, 0])
    if test == DEFAULT:
        drawn = view.replicates[:, 0, 0]
        least *= null[~apart].std() / max(null[~apart].std(), drawn[np.isfinite(drawn)].std())
    extreme = apart.sum() + (np.abs(null[~apart]) >= least - 1e-12).sum()
    p_value = run_test(test, view).p_value[0, 0]
    assert p_value == pytest.approx((1 + extreme) / 201)


# -- corrections, blocks, jobs, progress ---------------------------------------------------------


def test_what_steps_down_uses_the_same_swaps():
    preds = regressions(np.random.default_rng(12), 40, 3)
    for metric in (order_matters, "median_absolute_error"):
        view = view_of(preds, [metric], 199)
        outcome = run_test(DEFAULT, view)
        (one,) = view.evaluation.metrics
        found = outcome.step_down[one.name]()[:, 0]
        swaps = SwappedOutputs(view, one)
        null = np.abs(drawn_statistics(swaps, view.masks))[:, :, 0]
        observed = np.abs(swaps.observed[:, 0])
        order = np.argsort(-observed)
        stepped = [
            (1 + (null[:, order[k:]].max(axis=1) >= observed[order[k]] - 1e-9).sum()) / 200
            for k in range(3)
        ]
        np.testing.assert_allclose(found[order], np.maximum.accumulate(stepped))


def test_min_p_serves_functions_and_medians():
    preds = regressions(np.random.default_rng(13), 40, 3)
    result = mc.compare(preds, [largest_error, "median_absolute_error"], n_resamples=99,
                        correction="min-p")  # fmt: skip
    assert (result.differences.p_adjusted >= result.differences.p_value).all()
    assert "|adjust:min-p|" in result.signature
    with pytest.raises(ValueError, match="and cannot be used for spearman here"):
        mc.compare(preds, ["spearman"], n_resamples=99, correction="min-p")


def test_functions_are_not_called_again_to_step_down():
    calls = []

    def counted(y, p):
        calls.append(1)
        return np.abs(y - p).max()

    view = view_of(regressions(np.random.default_rng(14), 30, 3), [counted], 99)
    with mc.config_context(n_jobs=1):
        outcome = run_test(DEFAULT, view)
    n_calls = len(calls)
    # Three estimates; three models on 99 resamples; three pairs of two models on 99 swaps.
    assert n_calls == 3 + 3 * 99 + 3 * 2 * 99
    outcome.step_down["counted"]()
    assert len(calls) == n_calls


@pytest.mark.parametrize("test", [DEFAULT, "permutation"])
def test_neither_blocks_nor_jobs_nor_a_bar_change_a_number(monkeypatch, test):
    preds = regressions(np.random.default_rng(15), 30, 3, **design("clusters", 30))
    names = [order_matters, "median_absolute_error", "spearman"]
    expected = run_test(test, view_of(preds, names, 150)).p_value
    for options in ({"n_jobs": 2}, {"progress": True}):
        with mc.config_context(**options):
            found = run_test(test, view_of(preds, names, 150)).p_value
        np.testing.assert_array_equal(found, expected)
    monkeypatch.setattr(swapped_outputs, "CACHE_BYTES", 2**7)
    np.testing.assert_array_equal(run_test(test, view_of(preds, names, 150)).p_value, expected)


@pytest.fixture
def bars(monkeypatch):
    """Bars of the swaps."""
    made = []

    @contextmanager
    def watched(total):
        with parallel.watched(total) as bar:
            made.append(bar)
            yield bar

    monkeypatch.setattr(swapped_outputs, "watched", watched)
    return made


@pytest.mark.parametrize("test", [DEFAULT, "permutation"])
def test_a_bar_counts_the_blocks_of_swaps(bars, test):
    preds = regressions(np.random.default_rng(16), 20)
    with mc.config_context(progress=True):
        run_test(test, view_of(preds, [largest_error], 2000))
    n_blocks = -(-2000 // RESAMPLE_BLOCK)
    assert bars
    assert all((bar.n, bar.total) == (n_blocks, n_blocks) for bar in bars)


def test_a_comparison_counts_the_swaps_of_its_test(bars):
    preds = regressions(np.random.default_rng(17), 20)
    with mc.config_context(progress=True):
        mc.compare(preds, [largest_error], n_resamples=99)
    assert [(bar.n, bar.total) for bar in bars] == [(1, 1)]
    mc.compare(preds, [largest_error], n_resamples=99)
    assert [bar.n for bar in bars] == [1, 0]


# -- names in the outcome --------------------------------------------------------------------------------


@pytest.mark.parametrize("test", ["sign-flip", "wald"])
def test_influences_of_what_is_not_known_to_be_smooth_are_refused(test):
    preds = regressions(np.random.default_rng(18), 30)
    with pytest.raises(ValueError, match="'median_absolute_error' is not smooth"):
        mc.paired_test(preds, "m0", "m1", "median_absolute_error", method=test)
    with pytest.raises(ValueError, match=r"not known to be smooth.*from_callable\(function, smoo"):
        mc.compare(preds, [largest_error], test=test, n_resamples=99)
    declared = from_callable(weighted_error, needs="values", smooth=True)
    assert 0 < mc.paired_test(preds, "m0", "m1", declared, method=test, n_resamples=99).p_value <= 1


def test_the_test_that_served_is_named():
    preds = regressions(np.random.default_rng(19), 30)
    methods = {
        name: mc.paired_test(preds, "m0", "m1", metric, n_resamples=99).method
        for name, metric in [("function", largest_error), ("median", "median_absolute_error"),
                             ("ranks", "spearman"), ("sum", "mae")]
    }  # fmt: skip
    assert methods == {
        "function": DEFAULT, "median": DEFAULT, "ranks": "sign-flip", "sum": DEFAULT
    }  # fmt: skip
