"""Metrics of texts: corpus scores that are functions of sums over sentences.

chrF and TER use the sentence statistics of sacrebleu, BLEU counts the same ones for a whole corpus
at once. The formulas over their sums are those of sacrebleu; tests compare the scores.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache, partial
from itertools import zip_longest
from typing import Any, Literal, get_args

import numpy as np

from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.data.outputs import Output
from modelcompare.metrics.base import AnyMetric, Factory, Metric, Outcomes, Statistic, divide
from modelcompare.metrics.quotient import side_by_side
from modelcompare.metrics.scoring import COUNT, mean_metric
from modelcompare.plugins.texts.ngrams import MAX_ORDER, bleu_statistics
from modelcompare.words import check_choice, listed, optional

Tokenizer = Literal[
    "13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab", "spm", "flores101", "flores200"
]
_TOKENIZE = {"tokenize": (listed(Tokenizer), "Sacrebleu's tokenizer.")}
_BETA = 2.0


def likeliest(output: Output) -> list[str]:
    """Return the text of each sample; of a list, the most probable one."""
    texts: list[str] = output.read_as("texts").tolist()
    return texts


def reference_pairs(outcomes: Outcomes) -> list[tuple[str, tuple[str, ...]]]:
    """Return (hypothesis, references) of each sample."""
    truth = outcomes.known_truth.tolist()
    true = [(found,) if isinstance(found, str) else found for found in truth]
    return list(zip(likeliest(outcomes.output), true, strict=True))


def text_pairs(outcomes: Outcomes) -> list[tuple[str, str]]:
    """Return (hypothesis, reference) of each sample; refuse several references."""
    pairs = reference_pairs(outcomes)
    if any(len(references) > 1 for _, references in pairs):
        raise ValueError(
            "error rates take one reference text for each sample, but `y_true` has several; use "
            "bleu, chrf, ter or exact_match, or keep one."
        )
    return [(hypothesis, reference) for hypothesis, (reference,) in pairs]


def with_references(metric: AnyMetric, y_true: AnyArray) -> AnyMetric:
    """Return the metric with the number of references in its signature."""
    several = [len(found) for found in y_true.tolist() if isinstance(found, tuple)]
    if metric.signature is None or not several:
        return metric
    same = len(several) == len(y_true) and len({*several}) == 1
    signature = partial(metric.signature, n_references=several[0] if same else None)
    return replace(metric, signature=signature)


def _exact(outcomes: Outcomes) -> FloatArray:
    return np.array([[float(text in true)] for text, true in reference_pairs(outcomes)])


EXACT = Statistic("exact_text", _exact)

EXACT_MATCH = mean_metric(
    EXACT, name="exact_match", needs="texts",
    description="""Share of texts that are identical to their reference, or to one of several.

    Rewards exact answers only; an additional blank counts as much as a wrong answer.""",
    example='>>> exact_match(["yes", "no"], ["yes", "No"])\n0.5',
)  # fmt: skip


@cache
def _sacrebleu(name: str, **options: Any) -> Any:
    made = getattr(optional("sacrebleu", f"{name} needs sacrebleu", "sequence"), name.upper())
    try:
        return made(**options)
    except RuntimeError as error:
        raise ImportError(f"{name} with {options}: {error}") from error


def text_signature(name: str, n_references: int | None = 1, **options: Any) -> str:
    """Return sacrebleu's signature of ``bleu``, ``chrf`` or ``ter`` as computed here.

    Parameters
    ----------
    name : str
        The metric.
    n_references : int, optional
        Reference texts of each sample; None where their number varies.

    Examples
    --------
    >>> text_signature("bleu").partition("|version")[0]
    'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp'
    """
    metric = _sacrebleu(name, **options)
    varied = [["a", "a"], ["a", None]]
    references = varied if n_references is None else [["a", "a"]] * n_references
    metric.corpus_score(["a", "a"], references)
    return str(metric.get_signature().format())


def _sentence_statistics(outcomes: Outcomes, *, name: str, **options: Any) -> FloatArray:
    hypotheses, references = zip(*reference_pairs(outcomes), strict=True)
    # The layout of sacrebleu: all first references, all second ones, None where missing.
    columns = [list(column) for column in zip_longest(*references)]
    found = _sacrebleu(name, **options)._extract_corpus_statistics([*hypotheses], columns)
    return np.array(found, dtype=np.float64)


def _sentences(name: str, **options: Any) -> Statistic:
    compute = partial(_sentence_statistics, name=name, **options)
    named = "_".join([name, *map(str, options.values()), "statistics"])
    return Statistic(named, compute, costly=True)


def _bleu_statistics(outcomes: Outcomes) -> FloatArray:
    # Its signature goes under the table: fail now if it is not installed, not after the work.
    _sacrebleu("bleu")
    pairs = reference_pairs(outcomes)
    if any(len(references) > 1 for _, references in pairs):
        return _sentence_statistics(outcomes, name="bleu")
    return bleu_statistics([text for text, _ in pairs], [reference for _, (reference,) in pairs])


def _bleu(totals: FloatArray, *, effective: bool = False) -> FloatArray:
    """Compute BLEU from hypothesis and reference length, matches and totals of n-grams.

    Exponential smoothing and brevity penalty as in sacrebleu's default; if `effective`, of the
    orders that the hypothesis is long enough for.
    """
    hypothesis, reference = totals[..., 0], totals[..., 1]
    right, total = totals[..., 2 : 2 + MAX_ORDER], totals[..., 2 + MAX_ORDER : 2 + 2 * MAX_ORDER]
    missed = (right == 0) & (total > 0)
    # The k-th order without a match counts as 1 / 2^k of one.
    smooth = 2.0 ** np.cumsum(missed, axis=-1)
    precision = divide(np.where(missed, 1.0, right), np.where(missed, smooth, 1.0) * total, 0.0)
    orders = (total > 0).sum(axis=-1) if effective else np.full(total.shape[:-1], MAX_ORDER)
    usable = ((total > 0).sum(axis=-1) >= orders) & (right.sum(axis=-1) > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_sum = np.log(np.where(precision > 0, precision, 1.0)).sum(axis=-1)
        log_mean = divide(log_sum, orders.astype(np.float64), 0.0)
        short = np.exp(np.minimum(1 - divide(reference, hypothesis, 1.0), 0.0))
    penalty = np.where(hypothesis < reference, short, 1.0)
    return np.where(usable, 100 * penalty * np.exp(log_mean), 0.0)


_BLEU = Metric(
    name="bleu", statistics=(Statistic("bleu_statistics", _bleu_statistics, costly=True),),
    needs="texts", bounds=(0.0, 100.0), value=_bleu, signature=partial(text_signature, "bleu"),
    description="""
    Geometric mean of the n-gram precisions up to 4, times a penalty for brevity (corpus BLEU).

    Rewards phrases of the reference at about its length. It ignores the order of n-grams and the
    importance of words, and correlates weakly with human judgement of good systems; compare scores
    only for the same test set, tokenization and number of references. Sentence statistics and
    scores are those of sacrebleu, with its defaults (13a tokens, exponential smoothing);
    `modelcompare.metrics.text_signature` returns its signature. `tokenize` selects another of its
    tokenizers, which is part of the name: ``bleu_zh`` for Chinese.""",
    references=(
        "Papineni et al. (2002), BLEU, ACL.",
        "Post (2018), A call for clarity in reporting BLEU scores, WMT.",
    ),
    example='>>> round(bleu(["the cat sat on the mat"], ["the cat sat on a mat"]), 2)\n53.73',
)  # fmt: skip


def bleu_metric(*, tokenize: Tokenizer = "13a") -> Metric:
    """Return corpus BLEU with one of sacrebleu's tokenizers."""
    check_choice("tokenize", tokenize, Tokenizer)
    factory = Factory(
        bleu_metric, {"tokenize": tokenize}, "bleu_{tokenize}", get_args(Tokenizer), _TOKENIZE
    )
    if tokenize == "13a":
        return replace(_BLEU, factory=factory)
    return replace(
        _BLEU, name=f"bleu_{tokenize}", family="bleu", variant=f"of {tokenize} tokens",
        statistics=(_sentences("bleu", tokenize=tokenize),), factory=factory,
        signature=partial(text_signature, "bleu", tokenize=tokenize),
    )  # fmt: skip


BLEU = bleu_metric()


def _sentence_bleu(outcomes: Outcomes) -> FloatArray:
    return _bleu(_bleu_statistics(outcomes), effective=True)[:, None]


SENTENCE_BLEU = mean_metric(
    Statistic("sentence_bleu", _sentence_bleu, costly=True), name="sentence_bleu", needs="texts",
    bounds=(0.0, 100.0),
    signature=partial(text_signature, "bleu", effective_order=True),
    description="""Mean of the BLEU of single sentences.

    Weighs every sentence equally, where `bleu` weighs words; a mean, whose differences are those of
    sentences. A sentence without a matching 4-gram has a score by its smoothing only, so it is no
    estimate of corpus BLEU. Scores are those of sacrebleu's `sentence_bleu` (exponential smoothing,
    effective order).""",
    references=("Chen & Cherry (2014), A systematic comparison of smoothing techniques, WMT.",),
    example='>>> round(sentence_bleu(["the cat sat", "a dog"], ["the cat sat", "dog"]), 2)\n68.39',
)  # fmt: skip


def _chrf(totals: FloatArray) -> FloatArray:
    """Compute corpus chrF2: F-score of n-grams, averaged over the orders that occur."""
    parts = totals.reshape(*totals.shape[:-1], -1, 3)
    hypothesis, reference, match = np.moveaxis(parts, -1, 0)
    there = (hypothesis > 0) & (reference > 0)
    orders = there.sum(axis=-1)
    precision = divide(np.where(there, divide(match, hypothesis, 0.0), 0.0).sum(axis=-1), orders)
    recall = divide(np.where(there, divide(match, reference, 0.0), 0.0).sum(axis=-1), orders)
    factor = _BETA**2
    score = divide((1 + factor) * precision * recall, factor * precision + recall, 0.0)
    return np.where(orders > 0, 100 * score, 0.0)


CHRF = Metric(
    name="chrf",
    statistics=(_sentences("chrf"),),
    needs="texts", bounds=(0.0, 100.0), value=_chrf, signature=partial(text_signature, "chrf"),
    description="""F-score of character n-grams up to 6, recall counting twice (corpus chrF2).

    Rewards the same letters in the same short sequences: it credits a right stem with a wrong
    ending and needs no tokens, so it suits languages with rich morphology better than BLEU.
    Statistics are those of sacrebleu.""",
    references=("Popovic (2015), chrF, WMT.",),
    example='>>> round(chrf(["the cat sat on the mat"], ["the cat sat on a mat"]), 2)\n65.98',
)  # fmt: skip


CHRF_PLUS_PLUS = replace(
    CHRF, name="chrfpp", statistics=(_sentences("chrf", word_order=2),),
    signature=partial(text_signature, "chrf", word_order=2),
    description="""F-score of character n-grams up to 6 and word n-grams up to 2 (corpus chrF++).

    `chrf` that also credits whole words in order, closer to human judgement of translations into
    languages with spaces. Statistics are those of sacrebleu with ``word_order=2``.""",
    references=("Popovic (2017), chrF++: words helping character n-grams, WMT.",),
    example='>>> round(chrfpp(["the cat sat on the mat"], ["the cat sat on a mat"]), 2)\n67.44',
)  # fmt: skip


def _ter(totals: FloatArray) -> FloatArray:
    """Compute edits with shifts over the length of the references, in percent.

    For references without words, 100 if there are any edits.
    """
    edits, words = totals[..., 0], totals[..., 1]
    return np.where(words > 0, 100 * divide(edits, words, 0.0), np.where(edits > 0, 100.0, 0.0))


TER = Metric(
    name="ter", statistics=(_sentences("ter"),),
    needs="texts", ratio=side_by_side, greater_is_better=False, bounds=(0.0, math.inf), value=_ter,
    signature=partial(text_signature, "ter"),
    description="""Word edits and shifts of phrases over words of the references, in percent (TER).

    Measures the work of an editor; moving a phrase costs one edit, however long it is. Statistics
    are those of sacrebleu.""",
    references=("Snover et al. (2006), A study of translation edit rate, AMTA.",),
    example='>>> round(ter(["the cat sat on the mat"], ["the cat sat on a mat"]), 2)\n16.67',
)  # fmt: skip


# The fourth power of its exponential does not underflow.
_LEAST_LOG = -150.0


def _tokens(outcomes: Outcomes) -> FloatArray:
    if outcomes.y_true is None or (outcomes.y_true.astype(np.float64) <= 0).any():
        raise ValueError("perplexity needs the number of tokens of each text as y_true.")
    return outcomes.y_true.astype(np.float64)[:, None]


def _log_per_token(outcomes: Outcomes) -> FloatArray:
    per_token = outcomes.values[:, None] / _tokens(outcomes)
    if (per_token > 0).any() or (per_token < _LEAST_LOG).any():
        worst = per_token.max() if per_token.max() > 0 else per_token.min()
        raise ValueError(
            "perplexity needs natural logarithms of each text's probability: 0 or below, and not "
            f"below {_LEAST_LOG:g} for a token; got {worst:.4g} for a token."
        )
    return per_token


def _log_probabilities(outcomes: Outcomes) -> FloatArray:
    _log_per_token(outcomes)
    return outcomes.values[:, None]


def _inverse_mean(log: FloatArray, count: FloatArray) -> tuple[FloatArray, FloatArray]:
    return -log[..., 0], count[..., 0]


def _perplexity(log: FloatArray, count: FloatArray) -> FloatArray:
    return np.exp(divide(*_inverse_mean(log, count)))


PERPLEXITY = Metric(
    name="perplexity",
    statistics=(
        Statistic("log_probability", _log_probabilities), Statistic("tokens", _tokens, shared=True)
    ),
    ratio=_inverse_mean, value=_perplexity,
    needs="values", greater_is_better=False, bounds=(1.0, math.inf),
    arguments={
        "n_tokens": "Length of each text.",
        "log_probability": "Natural logarithm of the probability that the model gave each text.",
    },
    description="""
    Exponential of the mean negative log-probability of a token, over the whole corpus.

    Rewards probability on human text. It depends on the vocabulary and the tokenizer, so models
    with different tokenizers cannot be compared; mapping rare words to one unknown token improves
    it without any benefit. Long texts weigh more; ``perplexity_of_texts`` is the geometric mean of
    the perplexities of texts.""",
    example=""">>> import math
    >>> round(perplexity([2, 3], [2 * math.log(0.25), 3 * math.log(0.25)]), 6)
    4.0""",
)  # fmt: skip

PERPLEXITY_OF_TEXTS = replace(
    PERPLEXITY, name="perplexity_of_texts", family="perplexity",
    variant="the geometric mean over texts",
    statistics=(Statistic("log_per_token", _log_per_token), COUNT),
)  # fmt: skip

METRICS: tuple[AnyMetric, ...] = (
    EXACT_MATCH, BLEU, SENTENCE_BLEU, CHRF, CHRF_PLUS_PLUS, TER, PERPLEXITY, PERPLEXITY_OF_TEXTS,
)  # fmt: skip
