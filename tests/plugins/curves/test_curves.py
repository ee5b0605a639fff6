"""Curves and operating points against scikit-learn, statsmodels and loops."""

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk

import modelcompare as mc
from modelcompare.resampling.seeds import seed_sequence
from modelcompare.resampling.weights import BootstrapWeights, Units

RNG = np.random.default_rng(0)
N = 120
Y = RNG.integers(0, 2, N)
SCORES = {
    name: np.round(np.clip(0.5 + 0.2 * (Y - 0.5) * skill + RNG.normal(0, 0.15, N), 0.01, 0.99), 2)
    for name, skill in (("good", 2.0), ("poor", 1.0))
}
PREDS = mc.Predictions(Y, SCORES)


@pytest.mark.parametrize("name", SCORES)
def test_points_are_scikit_learns(name):
    found = mc.diagnostics.curve(PREDS, n_resamples=5).points
    found = found[found.model == name]
    fpr, tpr, thresholds = sk.roc_curve(Y, SCORES[name], drop_intermediate=False)
    np.testing.assert_allclose(found.false_positive_rate, fpr[1:])
    np.testing.assert_allclose(found.recall, tpr[1:])
    np.testing.assert_allclose(found.threshold, thresholds[1:])
    precision, recall, _ = sk.precision_recall_curve(Y, SCORES[name])
    np.testing.assert_allclose(found.precision, precision[:-1][::-1])
    np.testing.assert_allclose(found.recall, recall[:-1][::-1])


def test_bands_by_a_loop_over_resamples():
    n_resamples = 15
    weights = BootstrapWeights(Units(N), n_resamples, seed_sequence(7)).draw_all(0)
    grid = np.linspace(0, 1, 101)
    roc = mc.diagnostics.curve(PREDS["good"], n_resamples=n_resamples, rng=7).band
    loop = []
    for row in weights:
        fpr, tpr, _ = sk.roc_curve(Y, SCORES["good"], sample_weight=row, drop_intermediate=False)
        # np.interp takes the last of points at one x: the upper end of a vertical step.
        loop.append(
            [tpr[fpr <= x].max() if (fpr == x).any() else np.interp(x, fpr, tpr) for x in grid]
        )
    np.testing.assert_allclose(roc.ci_low, np.quantile(loop, 0.025, axis=0), atol=1e-9)
    np.testing.assert_allclose(roc.ci_high, np.quantile(loop, 0.975, axis=0), atol=1e-9)
    both = mc.diagnostics.curve(
        PREDS["good"], "precision-recall", n_resamples=n_resamples, rng=7
    ).band
    loop = []
    for row in weights:
        positive = SCORES["good"] >= np.unique(SCORES["good"])[::-1, None]
        hits, n_positive = positive @ (row * Y), positive @ row
        # The first threshold from above that recalls as much.
        reached = hits / row[Y == 1].sum() >= np.maximum(grid, 1e-12)[:, None] - 1e-12
        reached &= n_positive > 0
        first = reached.argmax(axis=1)
        loop.append(hits[first] / n_positive[first])
    np.testing.assert_allclose(both.ci_low, np.quantile(loop, 0.025, axis=0), atol=1e-9)
    assert (roc.ci_low <= roc.y + 1e-12).mean() > 0.9


@pytest.mark.parametrize(
    "wish", [{"precision": 0.8}, {"recall": 0.7}, {"false_positive_rate": 0.1}, {"threshold": 0.6}]
)
def test_operating_points_by_a_loop(wish):
    ((name, value),) = wish.items()
    frame = mc.diagnostics.operating_point(PREDS, **wish, n_resamples=200)
    for row in frame.itertuples():
        found = []
        for threshold in np.unique(SCORES[row.model]):
            positive = SCORES[row.model] >= threshold
            found.append({
                "threshold": threshold, "precision": Y[positive].mean(), "recall": positive[Y == 1].mean(),
                "false_positive_rate": positive[Y == 0].mean(),
            })  # fmt: skip
        if name == "threshold":
            positive = SCORES[row.model] >= value
            assert row.precision == pytest.approx(Y[positive].mean())
            assert (row.threshold, row.threshold_low, row.threshold_high) == (value,) * 3
            continue
        good = [p for p in found if (p[name] <= value if "rate" in name else p[name] >= value)]
        best = max(good, key=lambda p: p["threshold"]) if name == "recall" else min(
            good, key=lambda p: p["threshold"])  # fmt: skip
        for key, expected in best.items():
            assert getattr(row, key) == pytest.approx(expected)
            assert getattr(row, f"{key}_low") <= getattr(row, f"{key}_high")


@pytest.mark.parametrize(("wish", "value"), [("precision", 0.9), ("false_positive_rate", 0.1)])
def test_intervals_hold_what_a_chosen_threshold_reaches_in_the_population(wish, value):
    covered = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 100)
        z = rng.normal(size=100) + 1.5 * y
        preds = mc.Predictions(y, {"a": stats.norm.cdf(z)}, labels=[0, 1], kind="probabilities")
        row = mc.diagnostics.operating_point(preds, **{wish: value}, n_resamples=99).iloc[0]
        alarms, hits = stats.norm.sf(stats.norm.ppf(row.threshold) - np.array([0.0, 1.5]))
        truth = hits / (hits + alarms) if wish == "precision" else alarms
        covered.append(row[f"{wish}_low"] <= truth <= row[f"{wish}_high"])
        assert row[f"{wish}_low"] <= row[wish] <= row[f"{wish}_high"]
    assert np.mean(covered) > 0.92


def test_weights_of_another_scale_change_no_interval():
    weight = RNG.random(N) + 0.5
    once, thrice = (
        mc.diagnostics.operating_point(
            mc.Predictions(Y, SCORES, sample_weight=w), precision=0.8, n_resamples=50
        ).drop(columns="model")
        for w in (weight, 3 * weight)
    )
    np.testing.assert_allclose(once, thrice)


def test_a_precision_that_nothing_reaches_is_undefined():
    preds = mc.Predictions([0, 1, 0, 1], {"a": [0.9, 0.8, 0.7, 0.6]})
    row = mc.diagnostics.operating_point(preds, precision=1.0, n_resamples=50).iloc[0]
    assert np.isnan(row.threshold)
    assert row.n_undefined > 0


def test_curves_of_a_class_of_several_and_of_clusters():
    snli = mc.load_example("snli").subset(np.arange(300))
    result = mc.diagnostics.curve(snli, label="neutral", n_resamples=20)
    expected = np.mean(np.asarray(snli.labels)[snli.access.codes] == "neutral")
    assert result.share == pytest.approx(expected)
    clustered = mc.Predictions(Y, SCORES, groups=np.arange(N) // 10)
    assert not mc.diagnostics.curve(clustered, n_resamples=50).band.equals(
        mc.diagnostics.curve(PREDS, n_resamples=50).band
    )
    assert len(result.plot().axes) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mc.diagnostics.curve(PREDS, "det"), "`kind` must be one of roc, precision-recall"),
        (
            lambda: mc.diagnostics.curve(mc.load_example("snli")),
            "`label`: name a class; the classes are ",
        ),
        (lambda: mc.diagnostics.operating_point(PREDS), "give exactly one of precision"),
        (
            lambda: mc.diagnostics.operating_point(PREDS, recall=0.5, precision=0.5),
            "got precision, recall",
        ),
        (lambda: mc.diagnostics.operating_point(PREDS, recall=50), r"`recall` must be in \[0, 1\]"),
        (lambda: mc.diagnostics.curve(PREDS, n_resamples=1), "`n_resamples` must be at least 2"),
        (lambda: mc.diagnostics.curve(mc.Predictions(Y, {"a": Y})), "needs probabilities"),
    ],
)
def test_bad_requests(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_threshold_above_every_score_finds_nothing():
    preds = mc.Predictions([0, 0, 1, 1] * 10, {"a": [0.1, 0.4, 0.35, 0.8] * 10})
    row = mc.diagnostics.operating_point(preds, threshold=0.9, n_resamples=50).iloc[0]
    assert (row.recall, row.false_positive_rate, row.n_undefined) == (0, 0, 50)
    assert np.isnan(row.precision)
    single = mc.Predictions([0, 1], {"a": np.array([[0.9, 0.1], [0.3, 0.7]], dtype=np.float32)})
    assert mc.diagnostics.operating_point(single, threshold=0.7, n_resamples=9).recall[0] == 1


def test_a_figure_says_how_many_models_it_shows():
    many = mc.Predictions(Y, {f"m{i}": SCORES["good"] for i in range(13)})
    curves = mc.diagnostics.curve(many, "precision-recall", n_resamples=5).plot()
    assert len(curves.axes) == 1
    texts = [t.get_text() for t in curves.findobj() if hasattr(t, "get_text")]
    assert any("12 of 13 models" in text for text in texts)


@pytest.mark.parametrize(
    ("kind", "metric"), [("roc", "roc_auc"), ("precision-recall", "average_precision")]
)
def test_areas_and_their_intervals_are_those_of_the_metric_on_the_same_resamples(kind, metric):
    areas = mc.diagnostics.curve(PREDS, kind, n_resamples=99, rng=3).areas
    drawn = mc.bootstrap(PREDS, metric, n_resamples=99, rng=3, collapse=False)
    of_metric = drawn.confidence_interval(method="percentile")
    assert areas["model"].tolist() == of_metric["model"].tolist()
    for ours, theirs in (("area", "estimate"), ("ci_low", "ci_low"), ("ci_high", "ci_high")):
        np.testing.assert_allclose(areas[ours], of_metric[theirs], rtol=1e-12)


@pytest.mark.parametrize(
    ("wish", "value", "asked"),
    [("recall", 0.8, "false_positive_rate"), ("false_positive_rate", 0.1, "recall")],
)
def test_intervals_at_the_target_hold_the_curve_of_the_population(wish, value, asked):
    # Of a recall of 0.8 the threshold is the 20 % quantile of the positives' scores.
    cut = 1.5 + stats.norm.ppf(0.2) if wish == "recall" else stats.norm.isf(0.1)
    truth = stats.norm.sf(cut - (1.5 if asked == "recall" else 0.0))
    covered = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 100)
        z = rng.normal(size=100) + 1.5 * y
        preds = mc.Predictions(y, {"a": stats.norm.cdf(z)}, labels=[0, 1], kind="probabilities")
        row = mc.diagnostics.operating_point(
            preds, **{wish: value}, at_target=True, n_resamples=199
        ).iloc[0]
        covered.append(row[f"{asked}_low"] <= truth <= row[f"{asked}_high"])
        assert row[f"{asked}_low"] <= row[asked] <= row[f"{asked}_high"]
        assert np.isnan([row[f"{wish}_low"], row[f"{wish}_high"]]).all()
    assert np.mean(covered) > 0.9


def test_intervals_at_the_target_are_percentiles_of_a_loop_over_resamples():
    preds = mc.Predictions(Y, SCORES)
    found = mc.diagnostics.operating_point(preds, recall=0.7, at_target=True, n_resamples=2000)
    rng = np.random.default_rng(3)
    for row in found.itertuples():
        rates = []
        for _ in range(2000):
            drawn = rng.integers(0, N, N)
            y, s = Y[drawn], SCORES[row.model][drawn]
            cut = np.sort(s[y == 1])[::-1][int(np.ceil(0.7 * y.sum())) - 1]
            rates.append(((s[y == 0] >= cut).sum() + 0.5) / ((y == 0).sum() + 1))
        ends = [row.false_positive_rate_low, row.false_positive_rate_high]
        np.testing.assert_allclose(ends, np.quantile(rates, [0.025, 0.975]), atol=0.03)


def test_a_given_threshold_is_no_target():
    preds = mc.Predictions(Y, SCORES)
    with pytest.raises(ValueError, match="`at_target` needs a target, and `threshold` is none"):
        mc.diagnostics.operating_point(preds, threshold=0.5, at_target=True)


# Positives are right at the top of 200, and the third negative in the 18th place.
SPARSE = np.r_[[1] * 4, 0, [1] * 6, 0, [1] * 5, 0, [0] * 22, np.tile([1] + [0] * 9, 16)]
FEW = mc.Predictions(
    SPARSE, {"m": np.linspace(0.99, 0.01, 200)}, labels=[0, 1], kind="probabilities"
)


def test_a_recall_at_few_false_positives_has_the_error_of_its_precision():
    # Recall is precision times the share of samples above, over the share of positives.
    row = mc.diagnostics.operating_point(FEW, precision=0.8, n_resamples=499).iloc[0]
    above = row.recall * SPARSE.sum() / row.precision
    reach = np.log(row.precision / row.precision_low), 1.96 * np.sqrt(1 / above - 1 / 200)
    assert above * (1 - row.precision) < 5
    assert row.recall_low == pytest.approx(row.recall * np.exp(-np.hypot(*reach)), rel=1e-4)


@pytest.mark.parametrize("n_first", [8, 12, 16, 18])
def test_a_recall_at_the_target_may_be_0_unless_precision_is_surely_above_it(n_first):
    # Precision is 1 in the first places: of 12, it is not significantly above the target.
    y = np.r_[[1] * n_first, [0] * 40, np.tile([1] + [0] * 9, 16)]
    scores = np.linspace(0.99, 0.01, len(y))
    preds = mc.Predictions(y, {"m": scores}, labels=[0, 1], kind="probabilities")
    row = mc.diagnostics.operating_point(
        preds, precision=0.8, at_target=True, n_resamples=499
    ).iloc[0]
    mid_p = stats.binom(n_first, 0.8).pmf(n_first) / 2
    assert row.recall == n_first / y.sum()
    assert row.false_positive_rate_low == 0
    assert (row.recall_low > 0) == (mid_p < 0.025)


def test_a_recall_at_the_target_of_few_false_positives_is_covered():
    # Precision falls slowly here: resamples alone hold the recall where it is 0.8 in 0.87.
    rng, held, y = np.random.default_rng(0), [], np.repeat([1, 0], [40, 360])
    for _ in range(120):
        scores = stats.norm.cdf(rng.normal(size=400) + 1.5 * y)
        preds = mc.Predictions(y, {"a": scores}, labels=[0, 1], kind="probabilities")
        row = mc.diagnostics.operating_point(
            preds, precision=0.8, at_target=True, n_resamples=99
        ).iloc[0]
        if row.threshold > 0:
            held.append(row.recall_low <= 0.1036 <= row.recall_high)
    assert np.mean(held) > 0.94
