"""Regression, calibration, n-best and sequence metrics against independent programs."""

import jiwer
import numpy as np
import pytest
import sacrebleu
from scipy import stats
from sklearn import metrics as sk

import modelcompare as mc
from modelcompare.data.kinds import all_kinds
from modelcompare.data.outputs import Output
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.metrics.base import Outcomes
from modelcompare.metrics.calibration import bin_edges, in_bins
from modelcompare.resampling.weights import BootstrapWeights

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


def short_texts(rng, n):
    """Texts of up to nine words, and versions with words changed, dropped and added."""
    words = np.array(
        ["the", "a", "cat", "dog", "sat", "on", "mat", "house", ",", ".", "and", "3.5"]
    )
    true = [list(rng.choice(words, rng.integers(1, 10))) for _ in range(n)]
    said = [[w if rng.random() < 0.7 else str(rng.choice(words)) for w in text
             if rng.random() < 0.9] + list(rng.choice(words, rng.integers(0, 3)))
            for text in true]  # fmt: skip
    return [[" ".join(text) for text in texts] for texts in (true, said)]


SHORT = short_texts(np.random.default_rng(5), 80)
OF_SENTENCES = {
    "sentence_bleu": lambda true, said: np.mean(
        [sacrebleu.sentence_bleu(h, [r]).score for h, r in zip(said, true, strict=True)]
    ),
    "chrfpp": lambda true, said: sacrebleu.corpus_chrf(said, [true], word_order=2).score,
} | {
    f"wer_{kind}": lambda true, said, kind=kind: (
        (found := jiwer.process_words(true, said)) and getattr(found, kind)
    ) / (found.hits + found.substitutions + found.deletions)
    for kind in ("substitutions", "deletions", "insertions")
}  # fmt: skip


@pytest.mark.parametrize("name", OF_SENTENCES)
def test_scores_of_sentences_and_kinds_of_edits_are_those_of_other_programs(name):
    true, said = SHORT
    preds = mc.Predictions(true, {"m": said}, kind="texts")
    check(
        preds, name, lambda rows: OF_SENTENCES[name](*([t[i] for i in rows] for t in (true, said)))
    )


def test_the_kinds_of_edits_add_up_to_the_word_error_rate():
    true, said = SHORT
    parts = [getattr(mc.metrics, f"wer_{kind}")(true, said)
             for kind in ("substitutions", "deletions", "insertions")]  # fmt: skip
    assert sum(parts) == pytest.approx(mc.metrics.wer(true, said))
    assert min(parts) > 0


def test_chrfpp_has_the_name_of_its_paper_and_sacrebleus_signature():
    assert mc.get_metric("chrf++").name == "chrfpp"
    true, said = SHORT
    preds = mc.Predictions(true, {"a": said, "b": true}, kind="texts")
    assert "nw:2" in mc.compare(preds, "chrf++", n_resamples=99).signature


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
    preds = mc.Predictions(Y, {"a": Y + 0.1 * (P - Y), "b": P}, kind="values")
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
    # Tenths were divided by sums that are 1 but for rounding: 0.6 is on the edge 9/15 all the same.
    guess, edges = confidence.round(8), (np.arange(16) / 15).round(8)
    for k in range(15):
        inside = (guess >= edges[k]) & ((guess < edges[k + 1]) | (k == 14))
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
    edges = bin_edges(np.zeros(1), 15, "width")
    assert in_bins(np.arange(16) / 15, edges).tolist() == [*range(15), 14]


def equal_mass_loop(confidence, right, edges):
    bins = [sum(c >= edge for edge in edges) for c in confidence]
    groups = [[i for i, b in enumerate(bins) if b == k] for k in range(len(edges) + 1)]
    return sum(abs(confidence[g].sum() - right[g].sum()) for g in groups if g) / len(right)


def test_equal_mass_edges_come_from_the_whole_test_set():
    top, right = PROBS.max(axis=1), (PROBS.argmax(axis=1) == CODES).astype(float)
    edges = np.sort(top)[[16, 32, 48, 64]]
    check(CALIBRATED, "ece_mass_5", lambda rows: equal_mass_loop(top[rows], right[rows], edges))
    sizes = np.bincount(in_bins(RNG.random(1000), bin_edges(RNG.random(1000), 10, "mass"), "mass"))
    assert sizes.min() > 50
    values = RNG.random(30)
    thirds = in_bins(values, bin_edges(values, 3, "mass"), "mass")
    assert np.bincount(thirds).tolist() == [10, 10, 10]
    with pytest.raises(ValueError, match="`strategy` must be one of width, mass"):
        mc.get_metric("ece", strategy="quantile")
    classwise = [np.sort(PROBS[:, j])[[16, 32, 48, 64]] for j in range(4)]
    check(
        CALIBRATED, "ece_classwise_mass_5",
        lambda rows: np.mean([equal_mass_loop(PROBS[rows, j], (CODES[rows] == j) * 1.0, classwise[j])
                              for j in range(4)]),
    )  # fmt: skip


@pytest.mark.parametrize("n_classes", [2, 4])
def test_murphy_decomposes_the_brier_score(n_classes):
    codes = RNG.integers(0, n_classes, 90)
    p = np.round(RNG.dirichlet(np.ones(n_classes), 90), 2)
    preds = mc.Predictions(codes, {"a": p}, labels=range(n_classes), normalize=True)
    names = ["brier_reliability", "brier_resolution", "brier_uncertainty", "brier_score"]
    draws = mc.bootstrap(preds, names, n_resamples=20).draws[:, 0]
    np.testing.assert_allclose(draws[:, 0] - draws[:, 1] + draws[:, 2], draws[:, 3], atol=1e-12)


def test_murphys_own_terms_for_binned_forecasts():
    # Forecasts of 0.1, 0.5 and 0.9 stand alone in their bins: the classic decomposition.
    p, y = np.repeat([0.1, 0.5, 0.9], [5, 4, 6]), np.array([0, 0, 0, 0, 1] + [0, 1, 1, 0] + [1] * 6)
    found = mc.bootstrap(
        mc.Predictions(y, {"a": p}), ["brier_reliability", "brier_resolution", "brier_uncertainty"],
        n_resamples=2,
    ).point[0]  # fmt: skip
    rates, sizes, base = np.array([0.2, 0.5, 1]), np.array([5, 4, 6]), y.mean()
    reliability = (sizes * (np.array([0.1, 0.5, 0.9]) - rates) ** 2).sum() / 15
    resolution = (sizes * (rates - base) ** 2).sum() / 15
    assert found == pytest.approx([reliability, resolution, base * (1 - base)])


def entropy_loop(matrix):
    k = len(matrix)
    total = 0.0
    for j in range(k):
        mass = matrix[j].sum() + matrix[:, j].sum()
        shares = [x / mass for i in range(k) if i != j for x in (matrix[j, i], matrix[i, j]) if x]
        total -= (
            mass / (2 * matrix.sum()) * sum(x * np.log(x) / np.log(2 * (k - 1)) for x in shares)
        )
    return total


def test_confusion_entropy():
    guess = PROBS.argmax(axis=1)
    hard = lambda rows: entropy_loop(sk.confusion_matrix(CODES[rows], guess[rows], labels=range(4)))  # noqa: E731
    soft = lambda rows: entropy_loop(np.eye(4)[CODES[rows]].T @ PROBS[rows])  # noqa: E731
    check(CALIBRATED, "confusion_entropy", hard)
    check(CALIBRATED, "pcen", soft)
    perfect = mc.Predictions([0, 1, 2], {"a": np.eye(3)})
    assert mc.bootstrap(perfect, ["confusion_entropy", "pcen"], n_resamples=2).point.max() == 0
    many = mc.Predictions(np.arange(101), {"a": np.arange(101)})
    with pytest.raises(ValueError, match="101 classes; merge the rare ones"):
        mc.bootstrap(many, "confusion_entropy")


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


@pytest.mark.parametrize(("log", "by_formula"), [(0.5, "0.25"), (-400.0, "-200")])
def test_perplexity_takes_logarithms_of_probabilities(log, by_formula):
    preds = mc.Predictions([2.0, 2.0], {"a": [log, -2.0]}, kind="values")
    with pytest.raises(
        ValueError, match=f"needs natural logarithms .*; got {by_formula} for a token"
    ):
        mc.bootstrap(preds, "perplexity", n_resamples=2)


def test_perplexity():
    tokens, logs = np.array([5.0, 10, 3]), np.array([-10.0, -30, -3])
    preds = mc.Predictions(tokens, {"a": logs}, kind="values")
    found = mc.bootstrap(preds, ["perplexity", "perplexity_of_texts"], n_resamples=2).point[0]
    assert found == pytest.approx([np.exp(43 / 18), np.exp(np.mean([2, 3, 1]))])
    with pytest.raises(ValueError, match="number of tokens"):
        mc.bootstrap(mc.Predictions([0.0, 1], {"a": [1.0, 2]}, kind="values"), "perplexity")


def test_slots():
    truth = ["O B-city I-city O B-day", "B-city O", "O O"]
    guess = ["O B-city I-city O B-city", "O O", "B-day O"]
    preds = mc.Predictions(truth, {"a": guess}, kind="texts")
    found = mc.bootstrap(preds, ["slot_error_rate", "span_f1"], n_resamples=2).point[0]
    # One correct, one substituted, one deleted, one inserted; three slots true, three predicted.
    assert found == pytest.approx([3 / 3, 2 / 6])


def test_systems_are_compared_by_their_texts():
    preds = mc.Predictions(
        REFERENCES * 4, {"a": HYPOTHESES * 4, "copy": REFERENCES * 4}, kind="texts"
    )
    result = mc.compare(preds, ["bleu", "wer"], n_resamples=199)
    assert (result.differences.better == "copy").all()


def test_the_signature_names_sacrebleus():
    preds = mc.Predictions(REFERENCES, {"a": HYPOTHESES, "b": REFERENCES}, kind="texts")
    signature = mc.compare(preds, ["bleu", "chrf", "wer"], n_resamples=99).signature
    metric = sacrebleu.BLEU()
    metric.corpus_score(HYPOTHESES, [REFERENCES])
    assert f"bleu:[{metric.get_signature().format()}]" in signature
    assert "chrf:[nrefs:1|case:mixed" in signature
    assert "wer:" not in signature


def test_mean_of_the_texts_own_error_rates():
    rates = np.array([jiwer.wer(r, h) for r, h in zip(REFERENCES, HYPOTHESES, strict=True)])
    check(TEXTS, "wer_per_text", lambda rows: rates[rows].mean())
    # A reference without words has no rate.
    preds = mc.Predictions(["a b", ""], {"m": ["a", "x"]}, kind="texts")
    assert mc.bootstrap(preds, ["wer_per_text", "wer"], n_resamples=2).point[0].tolist() == [
        0.5,
        1.0,
    ]


def test_perplexities_by_a_loop():
    tokens = RNG.integers(3, 30, 20).astype(float)
    logs = -RNG.gamma(2.0, 1.0, 20) * tokens
    preds = mc.Predictions(tokens, {"a": logs}, kind="values")
    check(preds, "perplexity", lambda rows: np.exp(-logs[rows].sum() / tokens[rows].sum()))
    own = np.exp(-logs / tokens)
    check(preds, "perplexity_of_texts", lambda rows: stats.gmean(own[rows]))


TAGS = ["O", "B-city", "I-city", "B-day", "I-day"]


def spans_by_a_walk(tags):
    """Slots of a BIO sentence, one tag at a time."""
    found, here = [], None
    for place, tag in enumerate(tags):
        if tag == "O":
            here = None
        elif tag[0] == "B" or here is None or here[2] != tag[2:]:
            here = [place, place + 1, tag[2:]]
            found.append(here)
        else:
            here[1] = place + 1
    return {tuple(span) for span in found}


def test_span_f1_by_a_walk():
    truth = [RNG.choice(TAGS, 8, p=[0.4, 0.2, 0.15, 0.15, 0.1]) for _ in range(25)]
    guess = [np.where(RNG.random(8) < 0.25, RNG.choice(TAGS, 8), tags) for tags in truth]
    preds = mc.Predictions(
        [" ".join(t) for t in truth], {"a": [" ".join(t) for t in guess]}, kind="texts"
    )
    pairs = [(spans_by_a_walk(t), spans_by_a_walk(s)) for t, s in zip(truth, guess, strict=True)]

    def f1(rows):
        hits = sum(len(pairs[i][0] & pairs[i][1]) for i in rows)
        return 2 * hits / sum(len(pairs[i][0]) + len(pairs[i][1]) for i in rows)

    check(preds, "span_f1", f1)
    # With nothing substituted, the error rate counts what F1 misses and invents.
    found = mc.bootstrap(preds, "slot_error_rate", n_resamples=2).point[0, 0]
    missed = sum(len(t - s) for t, s in pairs)
    extra = sum(len(s - t) for t, s in pairs)
    slots = sum(len(t) for t, _ in pairs)
    assert max(missed, extra) / slots <= found <= (missed + extra) / slots


@pytest.mark.parametrize(
    ("preds", "needs"),
    [(mc.Predictions(Y, {"a": P}, kind="values"), "values"), (TEXTS, "texts")],
)
def test_the_order_of_samples_does_not_matter_here_either(preds, needs):
    names = [n for n, m in mc.metrics.METRICS.items()
             if m.needs == needs and not n.startswith("perplexity")]  # fmt: skip
    order = RNG.permutation(len(preds))
    before, after = (
        mc.bootstrap(part, names, n_resamples=2).point for part in (preds, preds.subset(order))
    )
    np.testing.assert_allclose(after, before, rtol=1e-12)


def test_a_constant_has_no_rank_correlation_under_any_weights():
    preds = mc.Predictions(RNG.normal(size=20), {"a": np.full(20, 0.3)}, kind="values")
    for scheme in ("multinomial", "bayesian", "poisson"):
        draws = mc.bootstrap(preds, ["spearman", "pearson"], n_resamples=20, scheme=scheme).draws
        assert np.isnan(draws).all()


def test_an_outlier_that_is_not_drawn_leaves_no_trace():
    y, p = np.r_[RNG.normal(size=30), 1e8], np.r_[RNG.normal(size=30), 1e8]
    weight = np.r_[np.ones(30), 0]
    preds = mc.Predictions(y, {"a": p}, kind="values", sample_weight=weight)
    found = mc.bootstrap(preds, ["pearson", "r2"], n_resamples=2).point[0]
    expected = [stats.pearsonr(y[:30], p[:30]).statistic, sk.r2_score(y[:30], p[:30])]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("guess", "true"), [("", "abc def"), ("", ""), ("a b", ""), ("x", "y")], ids=str
)
def test_empty_texts_score_as_in_sacrebleu(guess, true):
    preds = mc.Predictions([true] * 3, {"a": [guess] * 3}, kind="texts")
    found = mc.bootstrap(preds, ["bleu", "chrf", "ter"], n_resamples=2).point[0]
    metrics = (sacrebleu.BLEU(), sacrebleu.CHRF(), sacrebleu.TER())
    expected = [metric.corpus_score([guess] * 3, [[true] * 3]).score for metric in metrics]
    assert found == pytest.approx(expected)


def test_slots_without_types():
    assert mc.metrics.span_f1(["B I O B"], ["B I O B"]) == 1
    assert mc.metrics.slot_error_rate(["B I O B"], ["O O O O"]) == 1


CHINESE = (["我爱吃苹果和梨", "今天天气很好"], ["我爱吃苹果", "今天的天气真好"])


@pytest.mark.parametrize("tokenize", ["zh", "char", "intl", "none", "13a"])
def test_bleu_of_other_tokens_is_sacrebleu_s_and_named_and_signed_so(tokenize):
    references, guess = (
        [f"{text} Don't over-\u00adthink it, O.K.?" for text in texts] for texts in CHINESE
    )
    own = sacrebleu.BLEU(tokenize=tokenize)
    expected = own.corpus_score(guess, [references]).score
    assert expected > 0
    metric = mc.get_metric("bleu", tokenize=tokenize)
    assert metric.name == ("bleu" if tokenize == "13a" else f"bleu_{tokenize}")
    assert mc.metrics.bleu(references, guess, tokenize=tokenize) == pytest.approx(expected)
    preds = mc.Predictions(references, {"a": guess}, kind="texts")
    boot = mc.bootstrap(preds, f"bleu_{tokenize}", n_resamples=9)
    assert boot.estimate.iloc[0] == pytest.approx(expected)
    assert metric.signature() == str(own.get_signature().format())
    assert f"tok:{tokenize}|" in metric.signature()


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter"])
def test_the_statistics_of_several_references_are_sacrebleu_s(name):
    guess = np.array(["the cat sat on the mat", "a dog barked at me loudly"], dtype=object)
    true = np.empty(2, dtype=object)
    true[:] = [("the cat sat on a mat", "a cat sat upon the mat"), ("a dog barked at me then",)]
    metric = mc.get_metric(name)
    outcomes = Outcomes(Output(all_kinds()["texts"], guess), y_true=true)
    value = metric.value(metric.statistics[0].compute(outcomes).sum(axis=0))
    streams = [[true[0][0], true[1][0]], [true[0][1], None]]
    expected = getattr(sacrebleu, name.upper())().corpus_score([*guess], streams).score
    assert value == pytest.approx(expected)
    with pytest.raises(ValueError, match="error rates take one reference text"):
        mc.get_metric("wer").statistics[0].compute(outcomes)


def test_tokens_that_there_are_none_of_are_refused():
    with pytest.raises(ValueError, match=r"`tokenize` must be .*13a.*, got 'de'"):
        mc.get_metric("bleu", tokenize="de")
    with pytest.raises(ValueError, match="unknown metric 'bleu_de'"):
        mc.get_metric("bleu_de")
