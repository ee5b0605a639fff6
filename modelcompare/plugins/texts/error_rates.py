"""Error rates of words and characters, whose edits rapidfuzz counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.metrics.base import AnyMetric, Metric, Outcomes, Statistic, divide
from modelcompare.metrics.quotient import side_by_side
from modelcompare.plugins.texts.scores import text_pairs
from modelcompare.words import optional


def _edits(
    outcomes: Outcomes, *, split: Callable[[str], Any] = str.split, kind: str | None = None
) -> FloatArray:
    """Return edits, of one kind or of all, and the length of the reference, of each text."""
    module = optional("rapidfuzz.distance", "error rates need rapidfuzz", "sequence").Levenshtein
    pairs = [(split(true), split(text)) for text, true in text_pairs(outcomes)]

    def count(true: Any, text: Any) -> Any:
        if kind is None:
            return module.distance(true, text)
        return sum(edit.tag == kind for edit in module.editops(true, text))

    return np.array([(count(true, text), len(true)) for true, text in pairs], dtype=np.float64)


WORD_EDITS = Statistic("word_edits", _edits, costly=True)
CHARACTER_EDITS = Statistic("character_edits", partial(_edits, split=str), costly=True)


WER = Metric(
    name="wer", statistics=(WORD_EDITS,), needs="texts", ratio=side_by_side,
    greater_is_better=False, bounds=(0.0, math.inf),
    description="""
    Word edits over words of the references, both summed over the corpus (word error rate).

    Rewards the same words in the same order; each insertion, deletion and substitution costs one.
    It does not measure meaning: an additional "not" costs one word, and a passive of the same
    meaning costs the whole sentence. It can exceed 1. ``wer_per_text`` is the mean of the rates of
    texts.""",
    references=("Levenshtein (1966), Soviet Physics Doklady 10, 707-710.",),
    example='>>> round(wer(["A B C", "A B C D"], ["A A C", "A A C D"]), 4)\n0.2857',
)  # fmt: skip


def _right_words(edits: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return words without an edit, and words of the reference."""
    edited, words = side_by_side(edits)
    return words - edited, words


WORD_ACCURACY = replace(
    WER, name="word_accuracy", ratio=_right_words, greater_is_better=True, bounds=(-math.inf, 1.0),
    description="""
    One minus the word error rate (word accuracy).

    It has the merits and weaknesses of `wer`; below 0 where there are more edits than words.""",
    example='>>> round(word_accuracy(["A B C", "A B C D"], ["A A C", "A A C D"]), 4)\n0.7143',
)  # fmt: skip


def _own_error_rates(outcomes: Outcomes) -> FloatArray:
    """Return edits over the length of each text, and whether it has any words."""
    edits, words = WORD_EDITS.compute(outcomes).T
    return np.column_stack([divide(edits, words, 0.0), words > 0])


WER_PER_TEXT = replace(
    WER, name="wer_per_text", family="wer", variant="the mean over texts",
    statistics=(Statistic("word_error_rates", _own_error_rates, costly=True),),
)  # fmt: skip

# What happens to words of the reference, by rapidfuzz's name of the edit.
_EDITS = {
    "substitutions": ("replace", "replaced by others"),
    "deletions": ("delete", "left out"),
    "insertions": ("insert", "added, which the reference does not have"),
}


def _wer_of(kind: str) -> Metric:
    """Return the word error rate by one type of edit."""
    edit, words = _EDITS[kind]
    compute = partial(_edits, kind=edit)
    return replace(
        WER, name=f"wer_{kind}", statistics=(Statistic(f"word_{kind}", compute, costly=True),),
        description=f"""Words {words}, over words of the references, both summed over the corpus.

        One of the three parts of `wer`, which add up to it: substitutions, deletions and
        insertions. Where several alignments have the fewest edits, the parts depend on which one is
        taken; this is that of rapidfuzz, and so of jiwer.""",
        example=f'>>> wer_{kind}(["a b c d"], ["a x c e d"])\n0.25' if edit != "delete"
        else '>>> wer_deletions(["a b c d"], ["a x d"])\n0.25',
    )  # fmt: skip


WER_PARTS = tuple(map(_wer_of, _EDITS))

CER = Metric(
    name="cer", statistics=(CHARACTER_EDITS,), needs="texts", ratio=side_by_side,
    greater_is_better=False, bounds=(0.0, math.inf),
    description="""Character edits over characters of the references (character error rate).

    `wer` with characters instead of words: more lenient on spelling, and suited to languages that
    do not separate words.""",
    example='>>> cer(["kitten"], ["sitting"])\n0.5',
)  # fmt: skip

METRICS: tuple[AnyMetric, ...] = (WER, WORD_ACCURACY, CER, WER_PER_TEXT, *WER_PARTS)
