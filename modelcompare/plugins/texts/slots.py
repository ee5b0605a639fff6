"""Metrics of slots: spans with a type, such as named entities, in BIO-tagged sentences.

A soft twin takes the expectation of a sentence's counts over the taggings that a model lists with
their probabilities, as a soft count takes the probability of a class instead of a decision. The
probability missing from a list is that of an empty text. It is the extension of slot error rates
that Yacouby & Axman (2020, section 8) propose.
"""

from __future__ import annotations

import math

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.data.outputs import Output
from modelcompare.metrics.base import AnyMetric, Metric, Outcomes, Statistic
from modelcompare.metrics.counts import with_twin
from modelcompare.plugins.texts.kinds import TEXTS
from modelcompare.plugins.texts.scores import text_pairs

Span = tuple[int, int, str]

# Missing probability of a complete list, by rounding.
_MISSING = 1e-6


def spans(tags: list[str]) -> set[Span]:
    """Return the slots of a BIO-tagged sentence, (first, last + 1, type); a stray I begins one.

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
    """Count correct, substituted, deleted, inserted, reference and hypothesis slots by sentence."""
    rows = []
    for hypothesis, reference in text_pairs(outcomes):
        predicted, true = spans(hypothesis.split()), spans(reference.split())
        correct = predicted & true
        missed, extra = sorted(true - correct), sorted(predicted - correct)
        substituted = 0
        for first, last, _ in list(missed):
            rival = next((s for s in extra if s[0] < last and first < s[1]), None)
            if rival is not None:
                extra.remove(rival)
                substituted += 1
        deleted = len(missed) - substituted
        rows.append((len(correct), substituted, deleted, len(extra), len(true), len(predicted)))
    return np.array(rows, dtype=np.float64)


def _expected_slot_counts(outcomes: Outcomes) -> FloatArray:
    """Compute the expectation of the counts over the texts that the model lists."""
    texts, mass, sample = [], [], []
    for place, found in enumerate(outcomes.output.array.tolist()):
        missing = 1.0 - sum(p for _, p in found)
        pairs = (*found, ("", missing)) if missing > _MISSING else found
        texts += [text for text, _ in pairs]
        mass += [p for _, p in pairs]
        sample += [place] * len(pairs)
    output = Output(TEXTS, np.array(texts, dtype=object))
    numbers = _slot_counts(Outcomes(output, y_true=outcomes.known_truth[sample]))
    first = np.flatnonzero(np.diff(sample, prepend=-1))
    return np.add.reduceat(numbers * np.array(mass)[:, None], first, axis=0)


SLOTS = Statistic(
    "slots", _slot_counts, costly=True,
    soft=Statistic("expected_slots", _expected_slot_counts, costly=True),
)  # fmt: skip


def _errors(slots: FloatArray) -> tuple[FloatArray, FloatArray]:
    return slots[..., 1:4].sum(axis=-1), slots[..., 4]


def _agreeing(slots: FloatArray) -> tuple[FloatArray, FloatArray]:
    return 2 * slots[..., 0], slots[..., 4] + slots[..., 5]


SLOT_ERROR_RATE = Metric(
    name="slot_error_rate", statistics=(SLOTS,), needs="texts", ratio=_errors,
    greater_is_better=False,
    bounds=(0.0, math.inf),
    description="""Substituted, missed and inserted slots over the slots of the references.

    Evaluates whole named entities: a slot with a wrong type or wrong bounds is one substitution,
    whereas F1 counts a miss and an insertion. It can exceed 1. The soft twin
    ``cslot_error_rate`` is the expectation over a list of taggings with probabilities.""",
    references=(
        "Makhoul et al. (1999), Performance measures for information extraction, DARPA workshop.",
    ),
    example='>>> slot_error_rate(["O B-city I-city O B-day"], ["O B-city I-city O B-city"])\n0.5',
)  # fmt: skip

SPAN_F1 = Metric(
    name="span_f1", statistics=(SLOTS,), needs="texts", ratio=_agreeing,
    description="""F1 of slots that agree in bounds and type, counted over the corpus.

    Evaluates whole entities; bounds that are off by one word count twice, as a miss and an
    insertion.
    """,
    references=("Tjong Kim Sang & De Meulder (2003), CoNLL shared task.",),
    example='>>> span_f1(["O B-city I-city O B-day"], ["O B-city I-city O B-city"])\n0.5',
)  # fmt: skip

METRICS: tuple[AnyMetric, ...] = (with_twin(SLOT_ERROR_RATE), with_twin(SPAN_F1))
