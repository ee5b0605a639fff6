"""Tests of two models against independent programs and loops."""

import itertools
import re
from functools import partial

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

import modelcompare as mc
from tests.plugged import needs, plugged


def predictions(n=120, seed=0, n_classes=3):
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
    outputs = {}
    for model, skill in (("a", 1.2), ("b", 0.8)):
        logits = rng.normal(size=(n, n_classes)) + skill * np.eye(n_classes)[y]
        outputs[model] = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return mc.Predictions(y, outputs)


PREDS = predictions()
RIGHT = [(PREDS.predicted(m) == PREDS.access.codes).astype(float) for m in "ab"]


def p_of(method, metric="accuracy", **options):
    return mc.paired_test(PREDS, "a", "b", metric, method=method, **options)


@needs("classical")
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_tests_of_samples_are_scipys(alternative):
    d = RIGHT[0] - RIGHT[1]
    expected = stats.ttest_rel(*RIGHT, alternative=alternative)
    found = p_of("t", alternative=alternative)
    assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    expected = stats.wilcoxon(d, zero_method="pratt", alternative=alternative)
    assert p_of("wilcoxon", alternative=alternative).p_value == pytest.approx(expected.pvalue)
    expected = stats.binomtest(int((d > 0).sum()), int((d != 0).sum()), alternative=alternative)
    assert p_of("sign", alternative=alternative).p_value == pytest.approx(expected.pvalue)
    losses = [-np.log(PREDS.probabilities(m)[np.arange(120), PREDS.access.codes]) for m in "ab"]
    expected = stats.ttest_rel(*losses, alternative=alternative)
    assert p_of("t", "log_loss", alternative=alternative).p_value == pytest.approx(expected.pvalue)


@needs("classical")
@pytest.mark.parametrize("method", ["t", "wilcoxon", "sign"])
def test_recall_weighted_by_support_is_a_mean_of_samples(method):
    expected = p_of(method).p_value
    assert p_of(method, "recall_weighted").p_value == pytest.approx(expected, rel=1e-12)
    p_of(method, "crecall_weighted")
    with pytest.raises(ValueError, match="is not a mean of per-sample numbers"):
        p_of(method, "f1_weighted")


@needs("classical")
@pytest.mark.parametrize("metric", ["balanced_accuracy", "recall_macro", "specificity_macro"])
@pytest.mark.parametrize("method", ["t", "wilcoxon", "sign"])
def test_averages_over_classes_are_means_of_samples_where_classes_are_of_one_size(method, metric):
    y = np.repeat([0, 1, 2], 20)
    answers = {
        "a": np.where(np.arange(60) % 5 < 4, y, 0),
        "b": np.where(np.arange(60) % 7 < 3, y, 1),
    }
    preds = mc.Predictions(y, answers)
    found, expected = (
        mc.paired_test(preds, "a", "b", name, method=method) for name in (metric, "accuracy")
    )
    assert found.p_value == pytest.approx(expected.p_value, rel=1e-12)
    with pytest.raises(ValueError, match="is not a mean of per-sample numbers"):
        mc.paired_test(preds.subset(np.arange(59)), "a", "b", metric, method=method)


@needs("texts", "classical")
@pytest.mark.parametrize("method", ["t", "wilcoxon", "sign"])
def test_error_rates_of_single_texts_are_a_mean_of_samples(method):
    truth = ["a b c", "a b", "a b c d", "a", "b c", "c c c"]
    answers = {
        "a": ["a b", "a b", "a", "b", "b c", "c"],
        "b": ["a b c", "b", "a b c d", "a", "b", "c c"],
    }
    edits, words = np.array([[1, 0, 3, 1, 0, 2], [0, 1, 0, 0, 1, 1]]), [3, 2, 4, 1, 2, 3]
    rates = mc.Predictions.from_scores(dict(zip("ab", edits / words, strict=True)))
    texts = mc.Predictions(truth, answers, kind="texts")
    expected = mc.paired_test(rates, "a", "b", "mean_score", method=method)
    found = mc.paired_test(texts, "a", "b", "wer_per_text", method=method)
    assert (found.difference, found.p_value) == pytest.approx(
        (expected.difference, expected.p_value)
    )
    with pytest.raises(ValueError, match="'wer' is not a mean of per-sample numbers"):
        mc.paired_test(texts, "a", "b", "wer", method=method)


@needs("classical")
def test_wilcoxons_ranks_are_of_differences_not_of_rounding():
    tenths = np.random.default_rng(5).integers(0, 10, (2, 60))
    whole, parts = (
        mc.Predictions.from_scores({"a": scores[0], "b": scores[1]})
        for scores in (tenths.astype(float), tenths * 0.1)
    )
    found = [mc.paired_test(p, "a", "b", "mean_score", method="wilcoxon") for p in (whole, parts)]
    assert found[1].p_value == pytest.approx(found[0].p_value, rel=1e-12)


@needs("classical")
def test_mcnemar_is_statsmodels():
    table = np.array([[np.sum((RIGHT[0] == i) & (RIGHT[1] == j)) for j in (1, 0)] for i in (1, 0)])
    for method, options in {
        "mcnemar-exact": {"exact": True},
        "mcnemar-chi2": {"exact": False, "correction": False},
        "mcnemar-chi2-corrected": {"exact": False, "correction": True},
    }.items():
        assert p_of(method).p_value == pytest.approx(mcnemar(table, **options).pvalue)
    n, k = int(table[0, 1] + table[1, 0]), int(min(table[0, 1], table[1, 0]))
    midp = 2 * stats.binom.cdf(k, n, 0.5) - stats.binom.pmf(k, n, 0.5)
    assert p_of("mcnemar-midp").p_value == pytest.approx(midp)


@needs("classical")
def test_mcnemar_takes_named_scores_and_means_of_them_alone():
    scores = {model: {"solved": right} for model, right in zip("ab", RIGHT, strict=True)}
    named = mc.Predictions.from_scores(scores)
    found = mc.paired_test(named, "a", "b", "solved", method="mcnemar-exact")
    assert found.p_value == p_of("mcnemar-exact").p_value
    squared = mc.Metric(
        name="squared", needs="scores", statistics=mc.get_metric("mean_score").statistics,
        value=lambda total, count: (total / count)[..., 0] ** 2,
    )  # fmt: skip
    given = mc.Predictions.from_scores(dict(zip("ab", RIGHT, strict=True)))
    with pytest.raises(ValueError, match="scores that are 0 or 1, not of squared"):
        mc.paired_test(given, "a", "b", squared, method="mcnemar-exact")


def test_permutation_is_enumerated_where_that_is_cheaper():
    rng = np.random.default_rng(1)
    scores = {"a": rng.normal(0.5, 1, 10), "b": rng.normal(0, 1, 10)}
    preds = mc.Predictions.from_scores(scores)
    for alternative in ("two-sided", "greater", "less"):
        found = mc.paired_test(preds, "a", "b", "mean_score", method="permutation",
                               alternative=alternative)  # fmt: skip
        exact = stats.permutation_test(
            (scores["a"], scores["b"]), lambda x, y: np.mean(x) - np.mean(y),
            permutation_type="samples", n_resamples=np.inf, alternative=alternative,
        ).pvalue  # fmt: skip
        assert found.exact
        assert found.n_resamples == 1024
        assert found.p_value_standard_error == 0
        assert found.p_value == pytest.approx(exact)


def test_exact_permutation_of_f1_by_a_loop():
    # Of eight samples, 256 swaps.
    preds = predictions(8, seed=3)
    found = mc.paired_test(preds, "a", "b", "f1_macro", method="permutation", n_resamples=5_000)
    a, b = (preds.probabilities(m) for m in "ab")
    differences = []
    for mask in itertools.product([False, True], repeat=8):
        chosen = np.array(mask)[:, None]
        f = [
            mc.metrics.f1(preds.access.codes, np.where(chosen, x, y).argmax(1), labels=[0, 1, 2],
                          average="macro")
            for x, y in ((b, a), (a, b))
        ]  # fmt: skip
        differences.append(f[0] - f[1])
    extreme = np.abs(differences) >= abs(found.difference) - 1e-12
    assert found.exact
    assert found.p_value == pytest.approx(extreme.mean())


def test_permutation_of_a_metric_that_is_no_sum():
    def accuracy(y, p):
        return float((y == p.argmax(axis=1)).mean())

    mine = p_of("permutation", accuracy, n_resamples=200)
    named = p_of("permutation", "accuracy", n_resamples=200)
    assert mine.p_value == pytest.approx(named.p_value)


def test_berg_kirkpatrick_counts_twice_the_difference():
    found = p_of("berg-kirkpatrick", "f1_macro", alternative="greater", n_resamples=999)
    draws = mc.bootstrap(PREDS, "f1_macro", n_resamples=999).draws[:, :, 0]
    extreme = (draws[:, 0] - draws[:, 1] >= 2 * found.difference).sum()
    assert found.p_value == pytest.approx((1 + extreme) / 1000)
    wrong = p_of("berg-kirkpatrick", "f1_macro", alternative="less", n_resamples=999)
    assert wrong.p_value == 1
    with pytest.raises(ValueError, match="one-sided: declare alternative='greater' or 'less'"):
        p_of("berg-kirkpatrick")


@pytest.mark.parametrize("method", ["sign-flip", "permutation", "bootstrap", "wald"])
def test_paired_tests_are_those_of_compare(method):
    found = p_of(method, "f1_macro", n_resamples=999)
    frame = mc.compare(PREDS, "f1_macro", test=method, n_resamples=999,
                       collapse=False if method == "permutation" else None).differences  # fmt: skip
    assert found.p_value == pytest.approx(frame.p_value[0])
    assert found.difference == pytest.approx(frame.difference[0])
    p = found.p_value
    drawn = method in ("permutation", "bootstrap")
    expected = np.sqrt(p * (1 - p) / 1000) if drawn else 0
    assert found.p_value_standard_error == pytest.approx(expected)


FEW = {"n_resamples": 99}
OF_ONE_VALUE = {
    "paired_test": lambda m: mc.paired_test(PREDS, "a", "b", m, **FEW),
    "decide": lambda m: mc.decide(PREDS, "a", "b", m, margin=0.1),
    "gate": lambda m: mc.gate(PREDS, "a", "b", [{"metric": m, "margin": 0.1}]),
    "sample_size": lambda m: mc.sample_size(PREDS, "a", "b", m),
} | {name: partial(ask, PREDS) for name, ask in plugged("OF_ONE_VALUE").items()}  # fmt: skip


@pytest.mark.parametrize("question", OF_ONE_VALUE)
def test_a_class_in_the_name_of_a_metric_is_the_same_as_beside_it(question):
    ask = OF_ONE_VALUE[question]
    expected = str(ask(("f1", 2)))
    assert str(ask("f1[2]")) == str(ask("f1:2")) == str(ask((mc.get_metric("f1"), 2))) == expected
    with pytest.raises(ValueError, match=r"f1\[2\] names a class already; leave the class 1 out"):
        ask(("f1[2]", 1))
    with pytest.raises(
        ValueError, match=r"f1\[7\]: there is no class '7'; the classes are 0, 1, 2"
    ):
        ask("f1[7]")


def test_where_all_classes_are_taken_one_is_refused():
    with pytest.raises(
        ValueError, match=r"f1\[2\] names one class; all are taken here, by the name f1\."
    ):
        mc.get_metric("f1[2]")


def test_a_class_is_named():
    assert p_of("wald", "f1[2]").label == p_of("wald", ("f1", 2)).label == 2
    with pytest.raises(ValueError, match="metric 'f1' is per class; name one, as in 'f1"):
        p_of("wald", "f1")


@needs("classical")
def test_delong_is_its_definition():
    preds = predictions(60, n_classes=2)
    found = mc.paired_test(preds, "a", "b", "roc_auc", method="delong")
    y = preds.access.codes
    components = []
    for m in "ab":
        s = preds.probabilities(m)[:, 1]
        kernel = (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
        components.append((kernel.mean(axis=1), kernel.mean(axis=0), kernel.mean()))
    s10 = np.cov(components[0][0], components[1][0])
    s01 = np.cov(components[0][1], components[1][1])
    matrix = s10 / (y == 1).sum() + s01 / (y == 0).sum()
    difference = components[0][2] - components[1][2]
    z = difference / np.sqrt(matrix[0, 0] + matrix[1, 1] - 2 * matrix[0, 1])
    assert found.difference == pytest.approx(difference)
    assert found.statistic == pytest.approx(z)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(z)))
    one = mc.bootstrap(preds["a"], "roc_auc", n_resamples=2).confidence_interval(method="delong")
    half = stats.norm.isf(0.025) * np.sqrt(matrix[0, 0])
    assert (one.ci_low[0], one.ci_high[0]) == pytest.approx(
        (components[0][2] - half, min(components[0][2] + half, 1.0))
    )


@needs("classical")
def test_equal_models_differ_by_nothing():
    same = mc.Predictions(PREDS.y_true, {m: PREDS.probabilities("a") for m in "ab"})
    for method in ("sign-flip", "permutation", "bootstrap", "wald", "mcnemar-exact", "t",
                   "wilcoxon", "sign"):  # fmt: skip
        found = mc.paired_test(same, "a", "b", "accuracy", method=method, n_resamples=99)
        assert (found.difference, found.p_value) == (0, 1), method


@needs("classical")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "z"}, "`method` must be one of studentized-permutation, sign-flip"),
        (
            {"method": "mcnemar-exact"},
            "McNemar's tests are of accuracy, or of scores that are 0 or 1, not of f1_macro; use ",
        ),
        ({"method": "delong"}, "DeLong's test is for roc_auc, not for f1_macro."),
        ({"method": "t"}, "metric 'f1_macro' is not a mean of per-sample numbers"),
        ({"alternative": "both"}, "`alternative` must be one of two-sided, greater, less"),
        ({"n_resamples": 1}, "`n_resamples` must be at least 2, got 1."),
    ],
)
def test_methods_that_do_not_apply_name_those_that_do(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        mc.paired_test(PREDS, "a", "b", "f1_macro", **arguments)


@needs("classical")
def test_tests_of_samples_are_not_misled_by_equal_rows():
    large = predictions(3000)
    right = [(large.predicted(m) == large.access.codes).astype(float) for m in "ab"]
    found = mc.paired_test(large, "a", "b", "accuracy", method="t")
    assert found.p_value == pytest.approx(stats.ttest_rel(*right).pvalue)


@needs("classical")
def test_clusters_need_a_test_that_knows_them():
    clustered = mc.Predictions(PREDS.y_true, {m: PREDS.probabilities(m) for m in "ab"},
                               groups=np.arange(120) // 3)  # fmt: skip
    with pytest.raises(ValueError, match="needs independent samples of equal weight"):
        mc.paired_test(clustered, "a", "b", "accuracy", method="mcnemar-exact")
    assert 0 < mc.paired_test(clustered, "a", "b", "accuracy", method="sign-flip").p_value <= 1


@needs("classical")
@pytest.mark.parametrize(("alternative", "p_value"), [("two-sided", 0.5**7), ("less", 1.0)])
def test_differences_without_spread_show_what_their_number_can(alternative, p_value):
    scores = np.array([0.1, 0.7, 0.3, 1e3, 0.2, 0.9, 0.4, 0.5])
    preds = mc.Predictions.from_scores({"a": scores + 0.1, "b": scores})
    found = mc.paired_test(preds, "a", "b", "mean_score", method="t", alternative=alternative)
    assert found.p_value == p_value


def test_a_value_lost_beside_the_other_model_s_shows_nothing():
    truth = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 1.0])
    preds = mc.Predictions(
        truth, {"tiny": 1e-17 * truth, "b": [0.2, -0.9, 0.4, 0.1, 0.3, -1.6]}, kind="values"
    )
    assert mc.paired_test(preds, "tiny", "b", "pearson", n_resamples=99).p_value == 1


@needs("classical")
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_mcnemar_of_scores_of_0_and_1_is_that_of_labels(alternative):
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 80)
    shares = {"a": 0.9, "b": 0.6}
    labels = {name: np.where(rng.random(80) < share, y, 1 - y) for name, share in shares.items()}
    right = {name: (each == y).astype(float) for name, each in labels.items()}
    made = mc.Predictions(y, labels), mc.Predictions.from_scores(right)
    options = {"method": "mcnemar-exact", "alternative": alternative}
    of_labels, of_scores = (
        mc.paired_test(preds, "a", "b", metric, **options).p_value
        for preds, metric in zip(made, ("accuracy", "mean_score"), strict=True)
    )
    assert of_scores == of_labels
    assert (of_labels < 0.05) == (alternative != "less")


@needs("classical")
@pytest.mark.parametrize("method", ["wilcoxon", "sign"])
def test_differences_of_rounding_are_ties_of_0(method):
    """In floats .1 + .2 is not .3, and scores may be such sums, or what is left of them."""
    rng = np.random.default_rng(0)
    apart = np.r_[np.zeros(20), rng.normal(0.1, 0.2, 20)]
    rounded = {"sums": np.where(apart == 0, 0.1 + 0.2, 0.3 + apart),
               "rests": np.where(apart == 0, 0.1 + 0.2 - 0.3, apart)}  # fmt: skip
    for name, scores in rounded.items():
        other = np.full(40, 0.3 if name == "sums" else 0.0)
        assert (scores[:20] > other[:20]).all()
        preds = mc.Predictions.from_scores({"a": scores, "b": other}, greater_is_better=True)
        found = mc.paired_test(preds, "a", "b", "mean_score", method=method).p_value
        expected = (
            stats.wilcoxon(apart, zero_method="pratt")
            if method == "wilcoxon"
            else stats.binomtest(int((apart > 0).sum()), 20)
        )
        assert found == pytest.approx(expected.pvalue)
