"""Direction of a score or a function: whether higher or lower values are better.

One rule for all entry points: an explicit direction counts; else the name, if its words point in
one direction only; else higher is better, which is reported wherever it affects a result.
"""

from __future__ import annotations

import re
from typing import Literal

Known = Literal["declared", "name", "default"]
"""Source of a direction: given explicitly, inferred from the name, or the default."""

_LOWER_WORDS = """
bce bits bpb bpc brier cer cost costs cpu crossentropy crps deviation distance divergence
dollars duration ece eer energy err error errors fail failed failure failures fdr fid flops
fnr fpr hallucination hallucinations kl latency logloss loss losses mae mape mce mer miss
misses mistake mistakes mse msle nll perplexity ppl price regret residual residuals rmse rmsle
runtime sec seconds secs ser smape ter time toxicity ttft usd violation violations vram wer wil
wrong ms
"""
_LOWER = frozenset(_LOWER_WORDS.split())
_HIGHER_WORDS = """
acc accuracies accuracy ap auc aucpr auprc auroc bertscore bleu bleurt chrf cider comet correct
correctness correlation corr dice em f1 f2 faithfulness fbeta fscore gain grade helpfulness hit
hits iou jaccard kappa likelihood map match matches mcc meteor mrr ndcg pass passed passes
pearson points precision psnr quality r2 rating ratings recall resolved reward rouge score
scores sensitivity solved spearman specificity ssim success successes throughput tnr tpr
utility win wins won
"""
_HIGHER = frozenset(_HIGHER_WORDS.split())
# Weak evidence next to a word of the other direction: a brier_score, a failed_match.
_WEAK = frozenset({"gain", "grade", "hit", "hits", "map", "points", "rating", "score", "scores"})
_NEGATED = frozenset({"neg", "negated", "negative", "minus"})
# The opposite may be meant: error_free, cost_savings, accuracy_drop, brier_skill_score.
_UNSURE_WORDS = """
avoided change corrected correction decline decrease degradation delta detection diff
difference drop free gap improved improvement inv inverse no non not prevented prevention
recovered recovery reduced reduction resolution saved saving savings skill tolerance without
"""
_UNSURE = frozenset(_UNSURE_WORDS.split())
_PHRASES = (("cross", "entropy"), ("confusion", "entropy"))
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def direction_of(name: str) -> bool | None:
    """Return whether higher is better according to a name; None if the name does not show it.

    Names are read word by word: ``val_loss``, ``valLoss``, ``Word error rate (WER)``. Words of
    both directions, or one such as "no" or "reduction", give None; "neg" reverses the direction.

    Examples
    --------
    >>> [direction_of(name) for name in ("val_loss", "WER", "latencyMs", "neg_log_loss", "f1")]
    [False, False, False, True, True]
    >>> [direction_of(name) for name in ("lossless", "error_free", "judge", "cost_accuracy")]
    [None, None, None, None]
    """
    words = _words(name)
    lower = bool(words & _LOWER) or any({*phrase} <= words for phrase in _PHRASES)
    higher = bool(words & (_HIGHER - _WEAK if lower else _HIGHER))
    if words & _UNSURE or lower == higher:
        return None
    return higher != bool(words & _NEGATED)


def _words(name: str) -> set[str]:
    """Return the words of a name in lower case: between signs, and the parts of wordsLikeThis.

    A unit after "per" is left out: errors_per_second and images_per_second differ in direction.
    """
    signed = re.split(r"[^0-9A-Za-z]+", name)
    kept = [word for before, word in zip(["", *signed], signed, strict=False) if before != "per"]
    return {part.lower() for word in kept for part in (word, *_WORD.findall(word))}


def resolved(name: str | None, given: bool | None) -> tuple[bool, Known]:
    """Return whether higher is better, and the source of that.

    Examples
    --------
    >>> resolved("wer", None), resolved("wer", True), resolved("judge", None)
    ((False, 'name'), (True, 'declared'), (True, 'default'))
    """
    if given is not None:
        return given, "declared"
    by_name = None if name is None else direction_of(name)
    return (True, "default") if by_name is None else (by_name, "name")


def sentence(greater_is_better: bool, known: Known) -> str:
    """Return a direction and its source in words.

    Examples
    --------
    >>> sentence(False, "name"), sentence(True, "default"), sentence(True, "declared")
    ('lower is better, by its name', 'higher is better, by default', 'higher is better')
    """
    how = {"declared": "", "name": ", by its name", "default": ", by default"}[known]
    return f"{'higher' if greater_is_better else 'lower'} is better{how}"
