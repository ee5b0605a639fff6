"""Two models on two test sets, also of very unequal sizes."""

import numpy as np
import pytest
from scipy import stats

import modelcompare as mc
from modelcompare.metrics.quotient import divide
from modelcompare.plugins.unpaired.deals import ADDED, fisher_midp, studentized_deals


def right_of(count: int, n: int, name: str) -> mc.Predictions:
    return mc.Predictions(
        np.ones(n, int), {name: (np.arange(n) < count).astype(int)}, labels=[0, 1]
    )


def likely(n: int, p: float) -> np.ndarray:
    """Counts that n samples may show; all others have a probability of 0.0001 each at most."""
    return np.flatnonzero(stats.binom.pmf(np.arange(n + 1), n, p) > 1e-4)


@pytest.mark.parametrize("p", [0.95, 0.99])
def test_forty_samples_against_four_hundred_reject_no_more_than_they_should(p: float):
    """Every p-value is the mid-p-value, whose size follows below.

    Studentized resamples, the former default, reject 0.080 at 0.95.
    """
    few, many = likely(40, p), likely(400, p)
    # Every count of the small set, also without an error, and the ends and thirds of the large one.
    thirds = np.quantile(many, [0, 1 / 3, 2 / 3, 1], method="nearest")
    for place, a in enumerate(few):
        for b in {int(thirds[place % 4]), int(thirds[(place + 2) % 4])}:
            sides = right_of(a, 40, "a"), right_of(b, 400, "b")
            found = mc.inference.unpaired_test(*sides, "accuracy", n_resamples=99)
            expected = fisher_midp((int(a), b), (40, 400), "two-sided")
            assert found.p_value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("n_a", "n_b"), [(40, 400), (40, 40), (15, 15), (100, 200)])
@pytest.mark.parametrize("p", [0.5, 0.8, 0.95, 0.99])
def test_the_mid_p_value_holds_its_size(n_a: int, n_b: int, p: float):
    laws = [stats.binom.pmf(np.arange(n + 1), n, p) for n in (n_a, n_b)]
    rejected = sum(
        laws[0][a] * laws[1][b]
        for a in likely(n_a, p)
        for b in likely(n_b, p)
        if fisher_midp((int(a), int(b)), (n_a, n_b), "two-sided") <= 0.05
    )
    assert rejected <= 0.06


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_the_mid_p_value_is_that_of_the_hypergeometric_law(alternative: str):
    for count, trials in (((34, 380), (40, 400)), ((3, 9), (5, 11)), ((0, 7), (8, 9))):
        right, n = sum(count), sum(trials)
        expected = 0.0
        for k in range(max(0, right - trials[1]), min(trials[0], right) + 1):
            d, observed = k * trials[1] - (right - k) * trials[0], count[0] * trials[1]
            observed -= count[1] * trials[0]
            if alternative == "two-sided":
                d, observed = abs(d), abs(observed)
            elif alternative == "less":
                d, observed = -d, -observed
            chance = stats.hypergeom.pmf(k, n, right, trials[0])
            expected += chance * (1.0 if d > observed else 0.5 if d == observed else 0.0)
        assert fisher_midp(count, trials, alternative) == pytest.approx(expected, rel=1e-9)


def test_one_sided_exact_p_values_are_fishers():
    """Half the probability of the observed table is what the mid-p-value leaves out."""
    exact = stats.fisher_exact([[34, 6], [380, 20]], alternative="less").pvalue
    chance = stats.hypergeom.pmf(34, 440, 414, 40)
    assert fisher_midp((34, 380), (40, 400), "less") == pytest.approx(exact - chance / 2, rel=1e-9)


@pytest.mark.parametrize("metric", ["accuracy", "recall", "precision", "mean_score"])
def test_proportions_are_counted_and_named_so(metric: str):
    rng = np.random.default_rng(0)
    sides, counts, trials = [], [], []
    for name, n in (("a", 40), ("b", 300)):
        y, predicted = rng.integers(0, 2, (2, n))
        predicted = np.where(rng.random(n) < 0.7, y, predicted)
        where = {"recall": y == 1, "precision": predicted == 1}.get(metric, np.full(n, True))
        counts.append(int((y == predicted)[where].sum()))
        trials.append(int(where.sum()))
        sides.append(
            mc.Predictions.from_scores({name: (y == predicted).astype(float)})
            if metric == "mean_score"
            else mc.Predictions(y, {name: predicted})
        )
    label = 1 if metric in ("recall", "precision") else None
    found = mc.inference.unpaired_test(*sides, (metric, label))
    assert found.method == "unpaired-fisher-midp"
    assert found.exact
    assert found.p_value_standard_error == 0
    assert found.p_value == pytest.approx(fisher_midp(tuple(counts), tuple(trials), "two-sided"))
    named = mc.inference.unpaired_test(*sides, (metric, label), method="fisher-midp")
    assert named.p_value == found.p_value


def test_what_is_no_proportion_is_refused_by_name():
    sides = [mc.Predictions.from_scores({m: np.arange(9.0)}) for m in "ab"]
    with pytest.raises(ValueError, match="needs a proportion of independent samples"):
        mc.inference.unpaired_test(*sides, "mean_score", method="fisher-midp")


# -- sums ---------------------------------------------------------------------------------------

# True positives, false positives, false negatives, true negatives.
CELLS = np.array([[1, 1], [0, 1], [1, 0], [0, 0]])


def of_cells(cells: np.ndarray, name: str) -> mc.Predictions:
    pairs = np.repeat(CELLS, cells, axis=0)
    return mc.Predictions(pairs[:, 0], {name: pairs[:, 1]}, labels=[0, 1])


def f1_and_square(cells: np.ndarray, pooled: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """F1, and its squared influences with those of 10 samples of both sets, by hand, by row."""
    n_of, d_of = np.array([2, 0, 0, 0.0]), np.array([2, 1, 1, 0.0])
    value, total = cells @ n_of / (cells @ d_of), cells @ d_of
    u = (n_of - value[..., None] * d_of) / total[..., None]
    share = pooled / pooled.sum()
    return value, (cells * u**2).sum(axis=-1) + 10 * (u**2 @ share - (u @ share) ** 2)


def test_the_statistic_is_the_difference_over_its_own_error_with_some_of_both_sets():
    a, b = np.array([3, 1, 2, 34]), np.array([30, 12, 9, 349])
    (first, square_a), (second, square_b) = (f1_and_square(x, a + b) for x in (a, b))
    expected = (first - second) / np.sqrt(square_a + square_b)
    found = mc.inference.unpaired_test(of_cells(a, "a"), of_cells(b, "b"), "f1[1]")
    assert found.method == "unpaired-studentized-permutation"
    assert found.statistic == pytest.approx(expected, rel=1e-6)

    rng = np.random.default_rng(1)
    hands = rng.multivariate_hypergeometric(a + b, 40, 20_000)
    valued = hands[hands[:, :3].any(axis=1)]
    (x, square_x), (y, square_y) = (f1_and_square(c, a + b) for c in (valued, a + b - valued))
    null = abs(x - y) / np.sqrt(square_x + square_y)
    # A hand without positives, and none predicted, has no value: as extreme.
    extreme = np.sum(null >= abs(expected) - 1e-9) + len(hands) - len(null)
    assert found.p_value == pytest.approx(extreme / len(hands), abs=0.02)


def test_samples_that_are_distinguished_are_dealt_as_equal_ones_are():
    """What adds next to nothing makes all samples distinct."""
    a, b = np.array([6, 3, 5, 26]), np.array([30, 12, 9, 349])
    hits_and_counts = np.array([[2, 2], [0, 1], [0, 1], [0, 0.0]])
    numbers = np.repeat(np.r_[hits_and_counts, hits_and_counts], np.r_[a, b], axis=0)
    apart = numbers + np.random.default_rng(2).uniform(0, 1e-9, numbers.shape)

    def test(numbers: np.ndarray, n_first: int, alternative: str) -> tuple[float, float]:
        found = studentized_deals(
            numbers, n_first, lambda t: divide(t[0], t[1]), alternative, 9999,
            np.random.SeedSequence(3), added=10,
        )  # fmt: skip
        return float(found.statistic[0, 0]), float(found.p_value[0, 0])

    for alternative in ("two-sided", "greater", "less"):
        (t, p), (t_apart, p_apart) = (test(x, 40, alternative) for x in (numbers, apart))
        assert t_apart == pytest.approx(t, rel=1e-6)
        assert p_apart == pytest.approx(p, abs=0.02)
    # The smaller side is what is dealt, whichever stands first.
    turned = test(np.roll(apart, -40, axis=0), 400, "less")
    assert turned[0] == pytest.approx(-t, rel=1e-6)
    assert turned[1] == pytest.approx(test(apart, 40, "greater")[1], abs=0.02)


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_f1_of_a_tenth_of_positives_in_unequal_sets_holds_its_size(share: float):
    """Of 100 true nulls at most 12 are rejected: at 0.056, the highest in a larger simulation,
    more have probability 0.004.
    """
    rng, rejected = np.random.default_rng(3), 0
    hits_and_counts = np.array([[2, 2], [0, 1], [0, 1], [0, 0.0]])

    def drawn(n: int, positives: float) -> np.ndarray:
        hit, wrong = 0.7 * positives, 0.3 * positives
        return rng.multinomial(n, [hit, wrong, wrong, 1 - hit - 2 * wrong])

    for trial in range(100):
        numbers = np.concatenate(
            [
                np.repeat(hits_and_counts, drawn(n, of), axis=0)
                for n, of in ((40, 0.1), (400, share))
            ]
        )
        found = studentized_deals(
            numbers, 40, lambda t: divide(t[0], t[1]), "two-sided", 199,
            np.random.SeedSequence(trial), added=ADDED,
        )  # fmt: skip
        rejected += found.p_value[0, 0] <= 0.05
    assert rejected <= 12


def test_of_real_scores_the_statistic_is_welchs():
    """Squared errors divide by n, not n - 1."""
    rng = np.random.default_rng(7)
    x, y = rng.normal(0.5, 1, 40), rng.normal(0, 4, 90)
    found = mc.inference.unpaired_test(
        *(mc.Predictions.from_scores({m: s}) for m, s in (("a", x), ("b", y))), "mean_score"
    )
    error = np.sqrt(x.var() / 40 + y.var() / 90)
    assert found.statistic == pytest.approx((x.mean() - y.mean()) / error, rel=1e-6)
    welch = stats.ttest_ind(x, y, equal_var=False).pvalue
    assert found.p_value == pytest.approx(welch, abs=0.02)


def test_clusters_are_dealt_whole():
    """Each sample twice in a cluster counts as much as once, for any the clusters' names."""
    rng = np.random.default_rng(4)
    x, y = rng.normal(0.4, 1, 30), rng.normal(0, 1, 60)
    plain = [mc.Predictions.from_scores({m: s}) for m, s in (("a", x), ("b", y))]
    twice = [
        mc.Predictions.from_scores({m: np.repeat(s, 2)}, groups=np.arange(2 * len(s)) // 2)
        for m, s in (("a", x), ("b", y))
    ]
    found, clustered = (
        mc.inference.unpaired_test(*s, "mean_score", n_resamples=499) for s in (plain, twice)
    )
    assert clustered.statistic == pytest.approx(found.statistic, rel=1e-6)
    assert clustered.p_value == pytest.approx(found.p_value, abs=1e-12)
    beside = mc.inference.unpaired_test(plain[0], twice[1], "mean_score", n_resamples=99)
    assert beside.difference == pytest.approx(found.difference)


def test_weights_of_one_side_are_not_forgotten():
    rng = np.random.default_rng(5)
    x, y, w = rng.normal(size=40), rng.normal(size=50), rng.lognormal(size=40)
    heavy = mc.Predictions.from_scores({"a": x}, sample_weight=w)
    light = mc.Predictions.from_scores({"a": x}, sample_weight=1000 * w)
    other = mc.Predictions.from_scores({"b": y})
    first, second = (
        mc.inference.unpaired_test(s, other, "mean_score", n_resamples=999) for s in (heavy, light)
    )
    assert first.difference == pytest.approx(np.average(x, weights=w) - y.mean())
    assert first.statistic == pytest.approx(second.statistic)
    dealt = mc.inference.unpaired_test(
        heavy, other, "mean_score", method="permutation", n_resamples=999
    )
    assert dealt.p_value == pytest.approx(first.p_value, abs=0.1)


def test_what_cannot_be_dealt_is_resampled_and_named():
    rng = np.random.default_rng(6)
    sides = []
    for name in "ab":
        y = rng.integers(0, 2, 60)
        p = 1 / (1 + np.exp(-(2 * y - 1 + rng.normal(size=60))))
        sides.append(mc.Predictions(y, {name: np.c_[1 - p, p]}))
    found = mc.inference.unpaired_test(*sides, "roc_auc", n_resamples=99)
    assert found.method == "unpaired-bootstrap"
    assert "test:unpaired-bootstrap" in found.signature
