"""Metrics of texts, and of their probabilities, against independent programs."""

import jiwer
import numpy as np
import pytest
import sacrebleu
from scipy import stats

import modelcompare as mc
from modelcompare.data.kinds import all_kinds
from modelcompare.data.outputs import Output
from modelcompare.metrics.base import Outcomes
from tests.metrics.test_values import check

RNG = np.random.default_rng(0)


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


def test_the_order_of_samples_does_not_matter_here_either():
    names = [name for name, metric in mc.metrics.METRICS.items() if metric.needs == "texts"]
    order = RNG.permutation(len(TEXTS))
    before, after = (
        mc.bootstrap(part, names, n_resamples=2).point for part in (TEXTS, TEXTS.subset(order))
    )
    np.testing.assert_allclose(after, before, rtol=1e-12)


def test_word_error_rates_of_the_notebook():
    assert mc.metrics.wer(["A B C"], ["A A C"]) == pytest.approx(1 / 3)
    assert mc.metrics.wer(["A B C D"], ["A A C D"]) == 0.25
    assert mc.metrics.wer(["A B C", "A B C D"], ["A A C", "A A C D"]) == pytest.approx(2 / 7)
    by_text = mc.metrics.wer_per_text(["A B C", "A B C D"], ["A A C", "A A C D"])
    assert by_text == pytest.approx((1 / 3 + 1 / 4) / 2)


def test_perplexities_of_the_notebook():
    # H = -log2 P / m over the whole text, perplexity 2^H; tokens by the geometric mean.
    p, m = 0.001, 4
    assert mc.metrics.perplexity([m], [np.log(p)]) == pytest.approx(2 ** (-np.log2(p) / m))
    texts = mc.metrics.perplexity_of_texts([2, 3], [np.log(0.25), np.log(0.001)])
    assert texts == pytest.approx(np.exp(np.mean([np.log(0.25**-0.5), np.log(0.001 ** (-1 / 3))])))


def test_word_accuracy_is_one_minus_the_word_error_rate():
    texts = ["A B C", "A B C D"], ["A A C", "A A C D E"]
    assert mc.metrics.word_accuracy(*texts) == pytest.approx(1 - mc.metrics.wer(*texts))
