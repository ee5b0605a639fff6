"""Tokens and counts of whole corpora against sacrebleu's, sentence by sentence."""

import numpy as np
import sacrebleu
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from modelcompare.plugins.texts.ngrams import bleu_statistics, tokenize_13a

TEXT = st.text(st.sampled_from("ab 0.,-&;<>\"'()!/\n\u00a0\u00e9"), max_size=25)


@settings(max_examples=150)
@given(st.lists(TEXT, min_size=1, max_size=4))
@example(["1,000.50 - 2-3, a.b.c...", "x ,, y ., z", "&quot;a&quot; &amp;lt; b", "e-\nmail\nx"])
def test_tokens_are_those_of_13a(texts):
    tokenizer = Tokenizer13a()
    assert tokenize_13a(texts) == [tokenizer(text.rstrip()).split() for text in texts]


SENTENCE = st.lists(st.sampled_from(["a", "b", "c", "d", ",", "."]), max_size=9).map(" ".join)


@settings(max_examples=50)
@given(st.lists(st.tuples(SENTENCE, SENTENCE), min_size=1, max_size=5))
def test_counts_are_sacrebleus(pairs):
    hypotheses, references = [list(texts) for texts in zip(*pairs, strict=True)]
    expected = sacrebleu.BLEU()._extract_corpus_statistics(hypotheses, [references])
    np.testing.assert_array_equal(bleu_statistics(hypotheses, references), expected)
