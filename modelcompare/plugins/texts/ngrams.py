"""BLEU's sentence statistics for a whole corpus at once.

The tokens are those of mteval-v13a, sacrebleu's default, and the counts those of BLEU with one
reference; tests compare both with sacrebleu. A corpus is tokenized in one pass and its
n-grams are numbered by integer keys, several times faster than counting sentence by sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, FloatArray, IntArray

MAX_ORDER = 4

# Characters that are always tokens; others depend on their context.
_ALONE = {ord(sign): f" {sign} " for sign in '{|}~[\\]^_`!"#$%&()*+:;<=>?@/'}
_IN_CONTEXT = (
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def tokenize_13a(texts: Sequence[str]) -> list[list[str]]:
    """Return the tokens of each text by mteval-v13a.

    Examples
    --------
    >>> tokenize_13a(["Hello, world (3.5%).", "10-12"])
    [['Hello', ',', 'world', '(', '3.5', '%', ')', '.'], ['10', '-', '12']]
    """
    joined = "\n".join(f" {_one_line(text)} " for text in texts)
    if "&" in joined:
        for entity, sign in _ENTITIES:
            joined = joined.replace(entity, sign)
    joined = joined.translate(_ALONE)
    for pattern, replacement in _IN_CONTEXT:
        joined = pattern.sub(replacement, joined)
    return [line.split() for line in joined.split("\n")]


def _one_line(text: str) -> str:
    text = text.rstrip().replace("<skipped>", "")
    return text.replace("-\n", "").replace("\n", " ") if "\n" in text else text


def bleu_statistics(hypotheses: Sequence[str], references: Sequence[str]) -> FloatArray:
    """Return lengths, matches and totals of n-grams of each sentence.

    Returns
    -------
    ndarray of shape (n_sentences, 2 + 2 * MAX_ORDER)
        Length of the hypothesis and of the reference; matched n-grams of orders 1 to 4, a
        hypothesis's n-gram as often as the reference has it at most; all its n-grams.

    Examples
    --------
    >>> bleu_statistics(["the the cat"], ["the cat sat"]).astype(int).tolist()
    [[3, 3, 2, 1, 0, 0, 3, 2, 1, 0]]
    """
    n = len(references)
    lines = [*tokenize_13a(hypotheses), *tokenize_13a(references)]
    length = np.array([len(line) for line in lines])
    words = np.fromiter((word for line in lines for word in line), object, length.sum())
    word = pd.factorize(words)[0].astype(np.int64)
    line_of = np.repeat(np.arange(2 * n), length)
    # Tokens left in the line: an n-gram begins where there are at least n.
    left = np.repeat(np.cumsum(length), length) - np.arange(len(word))
    out = np.zeros((n, 2 + 2 * MAX_ORDER))
    out[:, 0], out[:, 1] = length[:n], length[n:]
    gram, n_words = word, int(word.max(initial=0)) + 1
    for order in range(1, MAX_ORDER + 1):
        if order > 1:
            following = np.zeros_like(word)
            following[: max(len(word) - order + 1, 0)] = word[order - 1 :]
            gram = pd.factorize(gram * n_words + following)[0].astype(np.int64)
        starts = left >= order
        out[:, 1 + order] = _matches(gram[starts], line_of[starts], n)
        out[:, 1 + MAX_ORDER + order] = np.maximum(length[:n] - order + 1, 0)
    return out


def _matches(gram: IntArray, line_of: IntArray, n: int) -> AnyArray:
    """Count n-grams that each hypothesis shares with its reference, as often as both have them."""
    key = gram * n + line_of % n
    in_hypothesis = line_of < n
    found, times = np.unique(key[in_hypothesis], return_counts=True)
    true, true_times = np.unique(key[~in_hypothesis], return_counts=True)
    both, here, there = np.intersect1d(found, true, assume_unique=True, return_indices=True)
    return np.bincount(both % n, np.minimum(times[here], true_times[there]), minlength=n)
