"""Metrics of texts as plain functions: references first, then what the model said.

See `modelcompare.metrics.functions`.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from modelcompare.metrics.plain import single_value


def wer(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Word edits over words of the references, both summed over the corpus (word error rate).

    Values saying the same words in the same order; each insertion, deletion and substitution costs
    one. The more a task is about meaning, the less it fits: a "not" too many costs one word, and a
    passive that means the same costs the sentence. It can exceed 1. ``wer_per_text`` is the mean of
    each text's own rate. The soft twin ``cwer`` is the expectation over a list of texts with
    probabilities (`modelcompare.from_nbest`).

    Parameters
    ----------
    y_true, y_pred : array-like of str, of shape (n_texts,)
        References and hypotheses; words are separated by blanks.
    sample_weight : array-like of shape (n_texts,), optional
        Weight of each text.

    References
    ----------
    .. [1] Levenshtein (1966), Soviet Physics Doklady 10, 707-710.

    Examples
    --------
    >>> round(wer(["A B C", "A B C D"], ["A A C", "A A C D"]), 4)
    0.2857
    """
    return single_value("wer", y_true, y_pred, sample_weight=sample_weight)


def cer(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Character edits over characters of the references (character error rate).

    Values what `wer` does with letters for words: gentler on spelling, and the form for languages
    that do not separate words.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `wer`.

    Examples
    --------
    >>> cer(["kitten"], ["sitting"])
    0.5
    """
    return single_value("cer", y_true, y_pred, sample_weight=sample_weight)


def exact_match(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Share of texts that equal their reference to the letter.

    Values getting all of it right; a stray blank counts as much as a wrong answer.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `wer`.

    Examples
    --------
    >>> exact_match(["yes", "no"], ["yes", "No"])
    0.5
    """
    return single_value("exact_match", y_true, y_pred, sample_weight=sample_weight)


def bleu(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Geometric mean of the n-gram precisions up to 4, times a penalty for brevity (corpus BLEU).

    Values using the reference's phrases at about its length. Insensitive to the order of n-grams
    and to which words matter, and it goes along with human judgement of good systems weakly; scores
    compare within one test set, tokenization and number of references only. Sentence statistics are
    sacrebleu's, under its defaults (13a tokens, exponential smoothing), so scores equal its own;
    `modelcompare.metrics.text_signature` gives its signature.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `wer`; one reference for each text.

    References
    ----------
    .. [1] Papineni et al. (2002), BLEU, ACL.
    .. [2] Post (2018), A call for clarity in reporting BLEU scores, WMT.

    Examples
    --------
    >>> round(bleu(["the cat sat on the mat"], ["the cat sat on a mat"]), 2)
    53.73
    """
    return single_value("bleu", y_true, y_pred, sample_weight=sample_weight)


def chrf(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """F-score of character n-grams up to 6, recall counting twice (corpus chrF2).

    Values the same letters in the same short runs: it credits a right stem with a wrong ending and
    needs no tokens, so it serves languages with rich endings better than BLEU. Statistics are
    sacrebleu's.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `bleu`.

    References
    ----------
    .. [1] Popovic (2015), chrF, WMT.

    Examples
    --------
    >>> round(chrf(["the cat sat on the mat"], ["the cat sat on a mat"]), 2)
    65.98
    """
    return single_value("chrf", y_true, y_pred, sample_weight=sample_weight)


def ter(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Word edits and shifts of phrases over words of the references, in percent (TER).

    Values what an editor would have to do; moving a phrase costs one edit however long it is.
    Statistics are sacrebleu's.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `bleu`.

    References
    ----------
    .. [1] Snover et al. (2006), A study of translation edit rate, AMTA.

    Examples
    --------
    >>> round(ter(["the cat sat on the mat"], ["the cat sat on a mat"]), 2)
    16.67
    """
    return single_value("ter", y_true, y_pred, sample_weight=sample_weight)


def slot_error_rate(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Substituted, missed and invented slots over the slots of the references.

    Values named entities as wholes: a slot with a wrong type or wrong bounds is one substitution,
    where F1 counts it as a miss and an invention. It can exceed 1. The soft twin
    ``cslot_error_rate`` is the expectation over a list of taggings with probabilities.

    Parameters
    ----------
    y_true, y_pred : array-like of str, of shape (n_sentences,)
        BIO tags, separated by blanks: ``"O B-city I-city"``.
    sample_weight : array-like of shape (n_sentences,), optional
        Weight of each sentence.

    References
    ----------
    .. [1] Makhoul et al. (1999), Performance measures for information extraction, DARPA workshop.

    Examples
    --------
    >>> slot_error_rate(["O B-city I-city O B-day"], ["O B-city I-city O B-city"])
    0.5
    """
    return single_value("slot_error_rate", y_true, y_pred, sample_weight=sample_weight)


def span_f1(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """F1 of slots that agree in bounds and type, counted over the corpus.

    Values whole entities; nearly right bounds count as wrong twice, as a miss and as an invention.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `slot_error_rate`.

    References
    ----------
    .. [1] Tjong Kim Sang & De Meulder (2003), CoNLL shared task.

    Examples
    --------
    >>> span_f1(["O B-city I-city O B-day"], ["O B-city I-city O B-city"])
    0.5
    """
    return single_value("span_f1", y_true, y_pred, sample_weight=sample_weight)
