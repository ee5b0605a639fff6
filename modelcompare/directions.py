"""Direction of a score or a function: whether higher or lower values are better.

One rule for all entry points: an explicit direction counts; else the name, if its words can mean
one direction only; else the direction is not known, and no value is better than another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Known = Literal["declared", "name", "unknown"]
"""Source of a direction: given explicitly, inferred from the name, or none."""
_LOWER_WORDS = """
absrel ade assd bce bits bpb bpc brier cer chamfer cllr collisions cost costs cpu crossentropy crps
dcf der deviation distance divergence dollars drawdown duration ece eer elapsed emd epe err error
errors fad fail failed failure failures fde fdr fid flip flips flops fnr fpr fvd hallucination
hallucinations hausdorff hd95 jer jsd kid kl kld latency levenshtein logloss loss losses lpips mae
mape mase mcd mce mdape medae mer mismatch mismatches miss misses mistake mistakes mmd mpjpe mql ms
mse msis msle nd nll nmae nme nmse nrmse perplexity pinball ppl price regret residual residuals
rmsd rmse rmsle rmsse runtime sec seconds secs ser smape switches ter time toxicity ttft usd
violation violations vram wape wer wil winkler wis wmape wql wrong
"""
_LOWER = frozenset(_LOWER_WORDS.split())
# Words of consumption decide nothing of what is graded or divided: tokens_per_second.
_SPENT = frozenset({"energy", "memory", "steps", "tokens", "turns"})
_GRADED = frozenset({"grade", "per", "points", "rate", "rating", "ratings", "score", "scores"})
_HIGHER_WORDS = """
acc accuracies accuracy ap auc aucpr auprc auroc bertscore bleu bleurt chrf cider cindex coherence
comet completeness conciseness corr correct correctness correlation dice dnsmos elo em estoi f1 f2
faithfulness fbeta fluency fscore gdt groundedness helpfulness hota iou jaccard kappa lddt
likelihood match matches mcc meteor miou mos mota mrr ndcg nse pass passed passes pck pearson pesq
plcc plddt precision psnr quality r2 recall relevance relevancy resolved reward rouge sdr
sensitivity sharpe sisdr snr solved spearman specificity spl srcc ssim stoi success successes
throughput tnr tpr truthfulness utility utmos vmaf win wins won
"""
_HIGHER = frozenset(_HIGHER_WORDS.split())
_NEGATED = frozenset({"neg", "negated", "negative", "minus"})
# The opposite may be meant: error_free, cost_savings, attack_success_rate, brier_skill_score.
_UNSURE_WORDS = """
attack attacks avoided change corrected correction decline decrease degradation delta detection diff
difference drop free gap improved improvement inv inverse no non not prevented prevention
recovered recovery reduced reduction resolution saved saving savings skill survival tolerance
versus vs without
"""
_UNSURE = frozenset(_UNSURE_WORDS.split())
# What words mean together, by a word that means the same.
_PHRASES = {
    "cross entropy": "loss", "confusion entropy": "loss", "interval score": "winkler",
    "energy score": "crps", "time failure": "survival", "time failures": "survival",
    "reciprocal rank": "mrr", "mean rank": "errors", "average rank": "errors", "abs rel": "absrel",
    "false positive": "fpr", "false positives": "fpr", "false negative": "fnr",
    "false negatives": "fnr", "true positive": "tpr", "true positives": "tpr",
    "tm score": "lddt", "main score": "accuracy", "f score": "f1", "bert score": "bertscore",
    "hit rate": "recall", "false discovery": "fpr", "false omission": "fnr",
}  # fmt: skip
# Measures of the first results: hits@10, mAP50.
_UP_TO = re.compile(r"(?<![a-z])((hr|hits?|p|r)@|m?ap(@|\d\d))", re.IGNORECASE)
_WORD = re.compile(r"\d+(?:st|nd|rd|th)|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def direction_of(name: str) -> bool | None:
    """Return whether higher is better according to a name; None if the name does not show it.

    Names are read word by word: ``val_loss``, ``valLoss``, ``Word error rate (WER)``. Words of
    both directions, or one such as "no" or "reduction", give None; "neg" reverses the direction.
    Words such as "score", "rating" and "gain" mean either.

    Examples
    --------
    >>> [direction_of(name) for name in ("val_loss", "WER", "latencyMs", "neg_log_loss", "f1")]
    [False, False, False, True, True]
    >>> [direction_of(name) for name in ("score", "error_free", "judge", "cost_accuracy")]
    [None, None, None, None]
    """
    words = _words(name)
    lower = bool(words & _LOWER) or bool(words & _SPENT and not words & _GRADED)
    higher = bool(words & _HIGHER) or _UP_TO.search(name) is not None
    if words & _UNSURE or lower == higher:
        return None
    return higher != bool(words & _NEGATED)


def _words(name: str) -> set[str]:
    """Return the words of a name in lower case: between signs, and the parts of wordsLikeThis.

    A unit after "per" is left out: errors_per_second and images_per_second differ in direction. At
    the end PER is an error rate of phonemes.
    """
    parts = [part.lower() for part in _WORD.findall(name)]
    units = {unit for before, unit in pairwise(parts) if before == "per"}
    words = {*parts, *re.split(r"[^0-9a-z]+", name.lower())} - units
    words |= {"wer"} if parts[-1:] == ["per"] else set()
    for phrase, word in _PHRASES.items():
        if {*phrase.split()} <= words:
            words = words - {*phrase.split()} | {word}
    return words


def resolved(name: str | None, given: bool | None) -> tuple[bool | None, Known]:
    """Return whether higher is better, None if it is not known, and the source of that.

    Examples
    --------
    >>> resolved("wer", None), resolved("wer", True), resolved("judge", None)
    ((False, 'name'), (True, 'declared'), (None, 'unknown'))
    """
    if given is not None:
        return given, "declared"
    by_name = None if name is None else direction_of(name)
    return by_name, "unknown" if by_name is None else "name"


def sentence(greater_is_better: bool | None, known: Known) -> str:
    """Return a direction and its source in words.

    Examples
    --------
    >>> sentence(False, "name"), sentence(None, "unknown"), sentence(True, "declared")
    ('lower is better, by its name', 'direction not known', 'higher is better')
    """
    if greater_is_better is None:
        return "direction not known"
    side = "higher" if greater_is_better else "lower"
    return f"{side} is better{', by its name' if known == 'name' else ''}"


@dataclass(frozen=True)
class Words:
    """Words for models in order of merit, or of size where the direction is not known."""

    best: str
    leads: str
    leader: str
    better: str
    worse: str


_MERIT = Words("best", "leads", "leader", "better", "worse")
_SIZE = Words("highest", "is highest", "highest", "higher", "lower")


def words_of(greater_is_better: bool | None) -> Words:
    """Return the words for a metric with this direction.

    Examples
    --------
    >>> words_of(False).better, words_of(None).better
    ('better', 'higher')
    """
    return _SIZE if greater_is_better is None else _MERIT


def known_direction(what: str, greater_is_better: bool | None) -> bool:
    """Return a direction; refuse one that is not known.

    Raises
    ------
    ValueError
        If neither a declaration nor the name determines the direction.
    """
    if greater_is_better is None:
        raise ValueError(
            f"whether high or low values of {what} are good is not known; declare it with "
            "greater_is_better=True or False (--higher-is-better or --lower-is-better)."
        )
    return greater_is_better
