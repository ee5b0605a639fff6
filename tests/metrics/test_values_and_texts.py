"""Regression, calibration, n-best and sequence metrics against independent programs."""

import jiwer
import numpy as np
import pytest
import sacrebleu
from scipy import stats
from sklearn import metrics as sk

import modelcompare as mc
from modelcompare.engine import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling import BootstrapWeights

SEED = np.random.SeedSequence(0)
RNG = np.random.default_rng(0)


def check(preds, name, reference):
    """Compare a metric with its reference on the data and on resampled rows."""
    part = Evaluation(preds, resolve_metrics(name, preds))
    everything = np.arange(len(preds))
    assert part.estimate()[0, 0] == pytest.approx(reference(everything), rel=1e-9, abs=1e-10), name
    counts = BootstrapWeights(part.units, 8, SEED).draw_all(0)
    for row, found in zip(counts, part.values(counts)[:, 0, 0], strict=True):
        rows = np.repeat(everything, row.astype(int))
        assert found == pytest.approx(reference(rows), rel=1e-9, abs=1e-10), name


Y = RNG.gamma(2, 2, 60)
P = Y + RNG.normal(0, 1, 60)
P = np.abs(np.round(P, 1))
REGRESSION = {
    "mse": sk.mean_squared_error,
    "rmse": sk.root_mean_squared_error,
    "mae": sk.mean_absolute_error,
    "msle": sk.mean_squared_log_error,
    "median_absolute_error": sk.median_absolute_error,
    "r2": sk.r2_score,
    "explained_variance": sk.explained_variance_score,
    "pearson": lambda y, p: stats.pearsonr(y, p).statistic,
    "spearman": lambda y, p: stats.spearmanr(y, p).statistic,
    "kendall": lambda y, p: stats.kendalltau(y, p).statistic,
}


@pytest.mark.parametrize("name", REGRESSION)
def test_regression(name):
    preds = mc.Predictions(Y, {"a": P}, kind="values")
    check(preds, name, lambda rows: REGRESSION[name](Y[rows], P[rows]))


def test_regression_with_a_large_offset_keeps_its_digits():
    preds = mc.Predictions(Y + 1e6, {"a": P + 1e6}, kind="values")
    result = mc.bootstrap(preds, ["r2", "pearson"], n_resamples=2).point[0]
    np.testing.assert_allclose(
        result, [sk.r2_score(Y, P), stats.pearsonr(Y, P).statistic], rtol=1e-6
    )
    constant = mc.Predictions(Y, {"a": np.full(60, 3.25)}, kind="values")
    assert np.isnan(mc.bootstrap(constant, "pearson", n_resamples=2).point[0, 0])


def test_parts_of_a_large_test_set_share_their_centre():
    y = np.sort(RNG.normal(0, 1, 70_000)) + 100
    p = y + RNG.normal(0, 1, 70_000)
    preds = mc.Predictions(y, {"a": p}, kind="values")
    part = Evaluation(preds, resolve_metrics(["pearson", "r2"], preds))
    assert len(part.units.row_blocks()) == 2
    counts = BootstrapWeights(part.units, 2, SEED).draw_all(0)
    rows = np.repeat(np.arange(len(y)), counts[0].astype(int))
    expected = [stats.pearsonr(y[rows], p[rows]).statistic, sk.r2_score(y[rows], p[rows])]
    np.testing.assert_allclose(part.values(counts)[0, 0], expected, rtol=1e-9)


def test_regression_models_are_compared():
    preds = mc.Predictions(Y, {"a": Y + 0.1, "b": P}, kind="values")
    result = mc.compare(preds, ["rmse", "spearman", "median_absolute_error"], n_resamples=199)
    assert (result.differences.better == "a").all()


N_CLASSES = 4
CODES = np.r_[np.arange(4), RNG.integers(0, 4, 76)]
PROBS = RNG.dirichlet(np.ones(4), 80)
PROBS[:10] = np.round(PROBS[:10], 1)
PROBS /= PROBS.sum(axis=1, keepdims=True)
CALIBRATED = mc.Predictions(CODES, {"a": PROBS})


def ece_loop(confidence, right, reducer):
    gaps, shares = [], []
    for k in range(15):
        inside = (confidence >= k / 15) & ((confidence < (k + 1) / 15) | (k == 14))
        if inside.any():
            gaps.append(abs(confidence[inside].mean() - right[inside].mean()))
            shares.append(inside.mean())
    return reducer(np.array(gaps), np.array(shares))


def test_calibration_errors_by_a_loop():
    top, right = PROBS.max(axis=1), (PROBS.argmax(axis=1) == CODES).astype(float)

    def mean(gaps, shares):
        return (gaps * shares).sum()

    check(CALIBRATED, "ece", lambda rows: ece_loop(top[rows], right[rows], mean))
    check(
        CALIBRATED, "mce", lambda rows: ece_loop(top[rows], right[rows], lambda gaps, _: gaps.max())
    )
    check(
        CALIBRATED, "ece_classwise",
        lambda rows: np.mean([ece_loop(PROBS[rows, j], (CODES[rows] == j).astype(float), mean)
                              for j in range(4)]),
    )  # fmt: skip


def test_edges_of_bins_belong_to_the_bin_above():
    from modelcompare.metrics.calibration import equal_width_bins

    assert equal_width_bins(np.arange(16) / 15).tolist() == [*range(15), 14]


def test_divergence_from_soft_labels():
    truth = RNG.dirichlet(np.ones(4), 80)
    preds = mc.Predictions(truth, {"a": PROBS}, normalize=True)
    clipped = np.clip(PROBS, np.finfo(float).eps, 1)
    check(
        preds,
        "kl_divergence",
        lambda rows: stats.entropy(truth[rows], clipped[rows], axis=1).mean(),
    )
    hard = mc.bootstrap(CALIBRATED, ["kl_divergence", "log_loss"], n_resamples=2).point[0]
    assert hard[0] == pytest.approx(hard[1], rel=1e-6)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_top_k(k):
    if k == 5:
        assert mc.bootstrap(CALIBRATED, "top_5_accuracy", n_resamples=2).point[0, 0] == 1
        return
    check(
        CALIBRATED, f"top_{k}_accuracy",
        lambda rows: sk.top_k_accuracy_score(CODES[rows], PROBS[rows], k=k, labels=range(4)),
    )  # fmt: skip


def test_reciprocal_rank():
    ranks = [
        1 + (p > p[c]).sum() + ((p == p[c]).sum() - 1) / 2
        for p, c in zip(PROBS, CODES, strict=True)
    ]
    check(CALIBRATED, "mrr", lambda rows: (1 / np.array(ranks)[rows]).mean())


REFERENCES = [
    "the cat sat on the mat .", "there is a house on the hill", "he read the book because he was "
    "interested in world history", "it is a guide to action", "good morning", "yes", "we will see",
    "a long sentence with many more words than the others have in them today",
]  # fmt: skip
HYPOTHESES = [
    "the cat sat on mat .", "there is the house on a hill", "because he was interested in world "
    "history he read the book", "it is a guide to the action of it", "good evening", "no", "we see",
    "a long sentence with many words than others have in them",
]  # fmt: skip
TEXTS = mc.Predictions(REFERENCES, {"a": HYPOTHESES}, kind="texts")


def picked(rows):
    return [HYPOTHESES[i] for i in rows], [REFERENCES[i] for i in rows]


def test_error_rates_are_jiwers():
    check(TEXTS, "wer", lambda rows: jiwer.wer(*picked(rows)[::-1]))
    check(TEXTS, "cer", lambda rows: jiwer.cer(*picked(rows)[::-1]))
    check(
        TEXTS,
        "exact_match",
        lambda rows: np.mean([a == b for a, b in zip(*picked(rows), strict=True)]),
    )


@pytest.mark.parametrize(
    ("name", "metric"), [("bleu", sacrebleu.BLEU), ("chrf", sacrebleu.CHRF), ("ter", sacrebleu.TER)]
)
def test_corpus_scores_are_sacrebleus(name, metric):
    def reference(rows):
        hypotheses, references = picked(rows)
        return metric().corpus_score(hypotheses, [references]).score

    check(TEXTS, name, reference)
    single = [TEXTS.subset([i, i]) for i in range(8)]
    for i, part in enumerate(single):
        found = mc.bootstrap(part, name, n_resamples=2).point[0, 0]
        assert found == pytest.approx(reference([i, i]), abs=1e-9)


def test_wer_pairs_of_the_course():
    # Two words of a reference of four wrong; a hypothesis with an insertion.
    preds = mc.Predictions(
        ["the quick brown fox", "hello world"], {"a": ["the slow brown dog", "hello big world"]},
        kind="texts",
    )  # fmt: skip
    assert mc.bootstrap(preds, "wer", n_resamples=2).point[0, 0] == pytest.approx(3 / 6)


def test_perplexity():
    tokens, logs = np.array([5.0, 10, 3]), np.array([-10.0, -30, -3])
    preds = mc.Predictions(tokens, {"a": logs}, kind="values")
    found = mc.bootstrap(preds, ["perplexity", "perplexity_of_texts"], n_resamples=2).point[0]
    assert found == pytest.approx([np.exp(43 / 18), np.exp(np.mean([2, 3, 1]))])
    with pytest.raises(ValueError, match="number of tokens"):
        mc.bootstrap(mc.Predictions([0.0, 1], {"a": [1.0, 2]}, kind="values"), "perplexity")


def test_slots():
    truth = ["O B-city I-city O B-day", "B-city O", "O O"]
    said = ["O B-city I-city O B-city", "O O", "B-day O"]
    preds = mc.Predictions(truth, {"a": said}, kind="texts")
    found = mc.bootstrap(preds, ["slot_error_rate", "span_f1"], n_resamples=2).point[0]
    # One correct, one substituted, one deleted, one inserted; three slots true, three said.
    assert found == pytest.approx([3 / 3, 2 / 6])


def test_systems_are_compared_by_their_texts():
    preds = mc.Predictions(
        REFERENCES * 4, {"a": HYPOTHESES * 4, "copy": REFERENCES * 4}, kind="texts"
    )
    result = mc.compare(preds, ["bleu", "wer"], n_resamples=199)
    assert (result.differences.better == "copy").all()
