"""Agreement of annotators and models against krippendorff, statsmodels, scikit-learn and loops."""

import krippendorff
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

import modelcompare as mc
from modelcompare.engine.evaluation import Evaluation
from modelcompare.plugins.agreement.ratings import annotation_metrics, rating_counts
from modelcompare.resampling.seeds import seed_sequence
from modelcompare.resampling.weights import BootstrapWeights

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(1, 5, 40)
RATINGS = np.clip(TRUTH[:, None] + RNG.integers(-1, 2, (40, 3)), 1, 4).astype(float)
HOLED = np.where(RNG.random(RATINGS.shape) < 0.2, np.nan, RATINGS)


def estimate(frame, statistic):
    return frame.set_index("statistic")["estimate"][statistic]


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("ratings", [RATINGS, HOLED, RATINGS - 1])
def test_alpha_is_krippendorffs(level, ratings):
    found = mc.diagnostics.annotator_agreement(
        ratings, level=level, n_resamples=2, method="percentile"
    )
    expected = krippendorff.alpha(ratings.T, level_of_measurement=level)
    assert estimate(found, "krippendorff_alpha") == pytest.approx(expected)


def test_resampled_alpha_is_that_of_the_resampled_items():
    counts, categories = rating_counts(HOLED)
    preds = mc.Predictions.from_scores({"a": np.arange(40.0)})
    for level in ("nominal", "ordinal"):
        part = Evaluation(preds, annotation_metrics(counts, categories, level))
        weights = BootstrapWeights(part.units, 6, seed_sequence(0)).draw_all(0)
        found = part.values(weights)[:, 0, part.metric_slice("krippendorff_alpha")][:, 0]
        for row, value in zip(weights, found, strict=True):
            rows = np.repeat(np.arange(40), row.astype(int))
            expected = krippendorff.alpha(HOLED[rows].T, level_of_measurement=level)
            assert value == pytest.approx(expected)


def test_fleiss_kappa_is_statsmodels():
    found = mc.diagnostics.annotator_agreement(RATINGS, n_resamples=2, method="percentile")
    expected = fleiss_kappa(aggregate_raters(RATINGS.astype(int))[0])
    assert estimate(found, "fleiss_kappa") == pytest.approx(expected)
    pairs = [RATINGS[:, a] == RATINGS[:, b] for a, b in ((0, 1), (0, 2), (1, 2))]
    assert estimate(found, "percent_agreement") == pytest.approx(np.mean(pairs))
    holed = mc.diagnostics.annotator_agreement(HOLED, n_resamples=2, method="percentile")
    assert "fleiss_kappa" not in set(holed["statistic"])


def test_the_table_of_fleiss():
    # Fleiss (1971), as in the statsmodels documentation: 10 subjects, 14 raters, 5 categories.
    table = np.array([[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0],
                      [2, 2, 8, 1, 1], [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2],
                      [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]])  # fmt: skip
    ratings = [np.repeat(np.arange(5), row) for row in table]
    found = mc.diagnostics.annotator_agreement(ratings, n_resamples=99)
    assert estimate(found, "fleiss_kappa") == pytest.approx(0.2099, abs=5e-5)


def test_texts_missing_as_none_and_perfect_agreement():
    ratings = [["yes", "yes", None], ["no", "no", "no"], [None, "yes", "yes"], ["no", None, None]]
    with pytest.warns(match="the percentile interval of .* of 'annotators' has width 0"):
        found = mc.diagnostics.annotator_agreement(ratings, n_resamples=20, method="percentile")
    assert estimate(found, "krippendorff_alpha") == 1
    assert estimate(found, "percent_agreement") == 1


@pytest.mark.parametrize(
    ("ratings", "options", "message"),
    [
        ([["a"], ["b"]], {}, "two or more annotators"),
        ([["a", "a"], ["a", "a"]], {}, "a single category"),
        ([["a", "b"], ["a", "a"]], {"level": "interval"}, "needs numbers"),
        ([[-1, 1], [1, 1]], {"level": "ratio"}, "not negative"),
        ([[0, 1], [1, 1]], {"level": "rank"}, "`level` must be one of"),
    ],
)
def test_bad_ratings(ratings, options, message):
    with pytest.raises(ValueError, match=message):
        mc.diagnostics.annotator_agreement(ratings, **options)


def test_agreement_of_models_by_hand():
    preds = mc.load_example("snli").subset(np.arange(500))
    frame = mc.diagnostics.model_agreement(preds, n_resamples=99)
    assert len(frame) == 6 * 3
    for row in frame.itertuples():
        a, b = preds.predicted(row.model_a), preds.predicted(row.model_b)
        expected = {"agreement": (a == b).mean(), "churn": (a != b).mean(),
                    "kappa": cohen_kappa_score(a, b)}[row.statistic]  # fmt: skip
        assert row.estimate == pytest.approx(expected)
        assert row.ci_low <= row.estimate <= row.ci_high
    with pytest.raises(ValueError, match="two or more models"):
        mc.diagnostics.model_agreement(preds["mlp"])


def test_ordinal_texts_take_their_order():
    texts = [
        ["low", "high"],
        ["medium", "high"],
        ["low", "low"],
        ["medium", "low"],
        ["high", "high"],
    ]
    numbers = [[("low", "medium", "high").index(x) for x in row] for row in texts]
    found = mc.diagnostics.annotator_agreement(texts, level="ordinal", order=["low", "medium", "high"],
                                   n_resamples=50)  # fmt: skip
    same = mc.diagnostics.annotator_agreement(numbers, level="ordinal", n_resamples=50)
    assert estimate(found, "krippendorff_alpha") == estimate(same, "krippendorff_alpha")
    with pytest.raises(ValueError, match="ordinal texts need their order"):
        mc.diagnostics.annotator_agreement(texts, level="ordinal")
    with pytest.raises(ValueError, match="`order` lacks 'medium'"):
        mc.diagnostics.annotator_agreement(texts, level="ordinal", order=["low", "high"])


def test_missing_values_of_pandas_and_mixed_types():
    frame = pd.DataFrame({"x": ["a", "b", None, "b"], "y": ["a", "a", "b", "b"]}, dtype="string")
    expected = mc.diagnostics.annotator_agreement(
        frame.astype(object).where(frame.notna(), None), n_resamples=9
    )
    assert mc.diagnostics.annotator_agreement(frame, n_resamples=9).equals(expected)
    with pytest.raises(ValueError, match="mix texts and numbers"):
        mc.diagnostics.annotator_agreement([["a", 1], ["a", "a"], [1, 1]])
