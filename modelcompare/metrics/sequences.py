"""Metrics of texts: corpus scores that are functions of sums over sentences.

chrF and TER take each sentence's statistics from sacrebleu, BLEU counts the same ones for a whole
corpus at once; their sums go into the same formulas, and tests hold scores against sacrebleu's own.
Word and character error rates count edits with rapidfuzz.

A soft twin (``cwer``, ``cbleu``, ...) takes the expectation of a sentence's statistics over the
texts that a model lists with their probabilities, as a soft count takes the probability of a class
in the place of a decision. Probability that a list leaves out is that of an empty text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from modelcompare.kinds import Output
from modelcompare.metrics.base import AnyMetric, FloatArray, Metric, Outcomes, Statistic, divide
from modelcompare.metrics.ngrams import MAX_ORDER, bleu_statistics
from modelcompare.metrics.probabilistic import COUNT, mean, mean_ratio

_CHAR_ORDER = 6
_BETA = 2.0
# What rounding leaves of a list that is whole.
_MISSING = 1e-6


def _pairs(outcomes: Outcomes) -> list[tuple[str, str]]:
    """(hypothesis, reference) of each sample; of a list, the likeliest text."""
    if outcomes.y_true is None:
        raise ValueError("metrics of texts need y_true: the reference texts.")
    said = outcomes.output.array.tolist()
    if outcomes.output.kind == "text_lists":
        said = [max(found, key=lambda pair: pair[1])[0] for found in said]
    return list(zip(said, outcomes.y_true.tolist(), strict=True))


def expected(statistic: Statistic) -> Statistic:
    """Expectation of a statistic of texts over the texts that the model lists."""

    def compute(outcomes: Outcomes) -> FloatArray:
        if outcomes.y_true is None:
            raise ValueError("metrics of texts need y_true: the reference texts.")
        texts, mass, sample = [], [], []
        for place, found in enumerate(outcomes.output.array.tolist()):
            missing = 1.0 - sum(p for _, p in found)
            pairs = (*found, ("", missing)) if missing > _MISSING else found
            texts += [text for text, _ in pairs]
            mass += [p for _, p in pairs]
            sample += [place] * len(pairs)
        output = Output("texts", np.array(texts, dtype=object))
        numbers = statistic.compute(Outcomes(output, y_true=outcomes.y_true[sample]))
        first = np.flatnonzero(np.diff(sample, prepend=-1))
        return np.add.reduceat(numbers * np.array(mass)[:, None], first, axis=0)

    return replace(statistic, name=f"expected_{statistic.name}", compute=compute)


def _rapidfuzz() -> Any:
    try:
        from rapidfuzz.distance import Levenshtein
    except ImportError as error:
        raise ImportError(
            'error rates need rapidfuzz: pip install "modelcompare[sequence]"'
        ) from error
    return Levenshtein


def _edits(split: Callable[[str], Any]) -> Callable[[Outcomes], FloatArray]:
    def compute(outcomes: Outcomes) -> FloatArray:
        distance = _rapidfuzz().distance
        return np.array(
            [
                (distance(split(reference), split(hypothesis)), len(split(reference)))
                for hypothesis, reference in _pairs(outcomes)
            ],
            dtype=np.float64,
        )

    return compute


WORD_EDITS = Statistic("word_edits", _edits(str.split), costly=True)
CHARACTER_EDITS = Statistic("character_edits", _edits(str), costly=True)
EXACT = Statistic(
    "exact_text", lambda o: np.array([[float(a == b)] for a, b in _pairs(o)], dtype=np.float64)
)


@cache
def _sacrebleu(name: str) -> Any:
    try:
        import sacrebleu
    except ImportError as error:
        raise ImportError(
            f'{name} needs sacrebleu: pip install "modelcompare[sequence]"'
        ) from error
    return {"bleu": sacrebleu.BLEU, "chrf": sacrebleu.CHRF, "ter": sacrebleu.TER}[name]()


def text_signature(name: str) -> str:
    """Sacrebleu's signature of ``bleu``, ``chrf`` or ``ter`` as computed here.

    Examples
    --------
    >>> text_signature("bleu").partition("|version")[0]
    'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp'
    """
    metric = _sacrebleu(name)
    metric.corpus_score(["a"], [["a"]])
    return str(metric.get_signature().format())


def _sentence_statistics(name: str) -> Callable[[Outcomes], FloatArray]:
    def compute(outcomes: Outcomes) -> FloatArray:
        metric = _sacrebleu(name)
        pairs = _pairs(outcomes)
        hypotheses, references = [h for h, _ in pairs], [r for _, r in pairs]
        found = metric._extract_corpus_statistics(hypotheses, [references])
        return np.array(found, dtype=np.float64)

    return compute


def _bleu_statistics(outcomes: Outcomes) -> FloatArray:
    # Whose signature goes under the table: better missed now than after the work.
    _sacrebleu("bleu")
    hypotheses, references = zip(*_pairs(outcomes), strict=True)
    return bleu_statistics(hypotheses, references)


BLEU_STATISTICS = Statistic("bleu_statistics", _bleu_statistics, costly=True)
CHRF_STATISTICS = Statistic("chrf_statistics", _sentence_statistics("chrf"), costly=True)
TER_STATISTICS = Statistic("ter_statistics", _sentence_statistics("ter"), costly=True)


def error_rate(edits: FloatArray) -> FloatArray:
    """Edits over the length of the references."""
    return divide(*_rate_ratio(edits))


def _rate_ratio(edits: FloatArray) -> tuple[FloatArray, FloatArray]:
    return edits[..., 0], edits[..., 1]


def bleu(totals: FloatArray) -> FloatArray:
    """Corpus BLEU from hypothesis length, reference length, matches and totals of n-grams.

    Exponential smoothing and brevity penalty as in sacrebleu's default.
    """
    hypothesis, reference = totals[..., 0], totals[..., 1]
    right, total = totals[..., 2 : 2 + MAX_ORDER], totals[..., 2 + MAX_ORDER : 2 + 2 * MAX_ORDER]
    missed = (right == 0) & (total > 0)
    # The k-th order without a match counts as 1 / 2^k of one.
    smooth = 2.0 ** np.cumsum(missed, axis=-1)
    precision = np.where(missed, divide(np.ones_like(total), smooth * total, 0.0),
                         divide(right, total, 0.0))  # fmt: skip
    usable = (total > 0).all(axis=-1) & (right.sum(axis=-1) > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_mean = np.log(np.where(precision > 0, precision, 1.0)).mean(axis=-1)
        penalty = np.where(
            hypothesis < reference, np.exp(1 - divide(reference, hypothesis, 1.0)), 1.0
        )
    return np.where(usable, 100 * penalty * np.exp(log_mean), 0.0)


def chrf(totals: FloatArray) -> FloatArray:
    """Corpus chrF2: F-score of character n-grams, averaged over the orders that occur."""
    parts = totals.reshape(*totals.shape[:-1], _CHAR_ORDER, 3)
    hypothesis, reference, match = np.moveaxis(parts, -1, 0)
    there = (hypothesis > 0) & (reference > 0)
    orders = there.sum(axis=-1)
    precision = divide(np.where(there, divide(match, hypothesis, 0.0), 0.0).sum(axis=-1), orders)
    recall = divide(np.where(there, divide(match, reference, 0.0), 0.0).sum(axis=-1), orders)
    factor = _BETA**2
    score = divide((1 + factor) * precision * recall, factor * precision + recall, 0.0)
    return np.where(orders > 0, 100 * score, 0.0)


def ter(totals: FloatArray) -> FloatArray:
    """Edits with shifts over the length of the references, in percent.

    Of references without words, 100 if there is anything to edit.
    """
    edits, words = totals[..., 0], totals[..., 1]
    return np.where(words > 0, 100 * divide(edits, words, 0.0), np.where(edits > 0, 100.0, 0.0))


def _own_error_rates(outcomes: Outcomes) -> FloatArray:
    """Edits over each text's own length, and whether it has any words."""
    edits, words = WORD_EDITS.compute(outcomes).T
    return np.column_stack([divide(edits, words, 0.0), words > 0])


WORD_ERROR_RATES = Statistic("word_error_rates", _own_error_rates, costly=True)

LOG_PROBABILITY = Statistic("log_probability", lambda o: o.values[:, None])
TOKENS = Statistic("tokens", lambda o: _tokens(o)[:, None], shared=True)
LOG_PER_TOKEN = Statistic("log_per_token", lambda o: (o.values / _tokens(o))[:, None])


def _tokens(outcomes: Outcomes) -> FloatArray:
    if outcomes.y_true is None or (outcomes.y_true.astype(np.float64) <= 0).any():
        raise ValueError("perplexity needs y_true to hold the number of tokens of each text.")
    return outcomes.y_true.astype(np.float64)


def perplexity(log_probability: FloatArray, tokens: FloatArray) -> FloatArray:
    """Exponential of the mean negative log-probability of a token, over the whole corpus."""
    return np.exp(-divide(log_probability[..., 0], tokens[..., 0]))


def perplexity_of_texts(log_per_token: FloatArray, count: FloatArray) -> FloatArray:
    """Geometric mean over texts of each text's own perplexity."""
    return np.exp(-mean(log_per_token, count))


Span = tuple[int, int, str]


def spans(tags: list[str]) -> set[Span]:
    """Slots of a BIO-tagged sentence as (first, last + 1, type); a stray I begins a slot.

    Examples
    --------
    >>> sorted(spans("O B-city I-city O B-day".split()))
    [(1, 3, 'city'), (4, 5, 'day')]
    """
    found: set[Span] = set()
    start = 0
    kind: str | None = None
    for place, tag in enumerate([*tags, "O"]):
        prefix, _, name = tag.partition("-")
        if kind is not None and (prefix != "I" or name != kind):
            found.add((start, place, kind))
            kind = None
        if prefix in ("B", "I") and kind is None:
            start, kind = place, name
    return found


def _slot_counts(outcomes: Outcomes) -> FloatArray:
    """Per sentence: correct, substituted, deleted, inserted, reference and hypothesis slots."""
    rows = []
    for hypothesis, reference in _pairs(outcomes):
        said, true = spans(hypothesis.split()), spans(reference.split())
        correct = said & true
        missed, extra = sorted(true - correct), sorted(said - correct)
        substituted = 0
        for first, last, _ in list(missed):
            rival = next((s for s in extra if s[0] < last and first < s[1]), None)
            if rival is not None:
                extra.remove(rival)
                substituted += 1
        deleted = len(missed) - substituted
        rows.append((len(correct), substituted, deleted, len(extra), len(true), len(said)))
    return np.array(rows, dtype=np.float64)


SLOTS = Statistic("slots", _slot_counts, costly=True)


def slot_error_rate(slots: FloatArray) -> FloatArray:
    """Substitutions, deletions and insertions over the reference slots (Makhoul et al. 1999)."""
    return divide(*_slot_error_ratio(slots))


def _slot_error_ratio(slots: FloatArray) -> tuple[FloatArray, FloatArray]:
    return slots[..., 1] + slots[..., 2] + slots[..., 3], slots[..., 4]


def _span_ratio(slots: FloatArray) -> tuple[FloatArray, FloatArray]:
    return 2 * slots[..., 0], slots[..., 4] + slots[..., 5]


def span_f1(slots: FloatArray) -> FloatArray:
    """F1 of slots that agree in boundaries and type, counts summed over the corpus."""
    return divide(*_span_ratio(slots))


def _text(
    name: str, statistic: Statistic, value: Callable[..., FloatArray], *, better: bool,
    top: float = np.inf, signature: Callable[[], str] | None = None,
    ratio: Callable[..., tuple[FloatArray, FloatArray]] | None = None,
) -> Metric:  # fmt: skip
    return Metric(
        name=name, statistics=(statistic,), value=value, needs="texts", greater_is_better=better,
        bounds=(0.0, top), signature=signature, ratio=ratio,
    )  # fmt: skip


_TEXT_METRICS = (
    _text("wer", WORD_EDITS, error_rate, better=False, ratio=_rate_ratio),
    _text("cer", CHARACTER_EDITS, error_rate, better=False, ratio=_rate_ratio),
    Metric(name="exact_match", statistics=(EXACT, COUNT), value=mean, ratio=mean_ratio,
           needs="texts"),
    _text("bleu", BLEU_STATISTICS, bleu, better=True, top=100.0,
          signature=partial(text_signature, "bleu")),
    _text("chrf", CHRF_STATISTICS, chrf, better=True, top=100.0,
          signature=partial(text_signature, "chrf")),
    _text("ter", TER_STATISTICS, ter, better=False, signature=partial(text_signature, "ter"),
          ratio=_rate_ratio),
    _text("slot_error_rate", SLOTS, slot_error_rate, better=False, ratio=_slot_error_ratio),
    _text("span_f1", SLOTS, span_f1, better=True, top=1.0, ratio=_span_ratio),
    _text("wer_per_text", WORD_ERROR_RATES, error_rate, better=False, ratio=_rate_ratio),
)  # fmt: skip


def _soft_twins() -> Iterator[Metric]:
    for metric in _TEXT_METRICS:
        own, *others = metric.statistics
        yield replace(
            metric, name=f"c{metric.name}", statistics=(expected(own), *others), needs="text_lists"
        )


METRICS: tuple[AnyMetric, ...] = (
    *_TEXT_METRICS,
    *_soft_twins(),
    Metric(
        name="perplexity", statistics=(LOG_PROBABILITY, TOKENS), value=perplexity, needs="values",
        greater_is_better=False, bounds=(1.0, np.inf),
        ratio=lambda log, tokens: (-log[..., 0], tokens[..., 0]),
    ),
    Metric(
        name="perplexity_of_texts", statistics=(LOG_PER_TOKEN, COUNT), value=perplexity_of_texts,
        needs="values", greater_is_better=False, bounds=(1.0, np.inf),
        ratio=lambda log, count: (-log[..., 0], count[..., 0]),
    ),
)  # fmt: skip
