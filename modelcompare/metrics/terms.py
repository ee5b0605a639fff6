"""Other names of metrics: scikit-learn's, abbreviations, and terms of textbooks and papers.

A term is read without regard to case, blanks and signs: "ROC AUC", "roc-auc" and "ROC_AUC_score"
are one. The word of an average may stand before it: "macro F1", "weighted-average recall".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping

from modelcompare.data.checks import warn_of_data
from modelcompare.plugs import plugins

# By the name that they lead to. A word of several meanings is in `_ELSEWHERE`.
_TERMS: Mapping[str, str] = {
    "accuracy": "acc, fraction correct, micro accuracy, proportion correct",
    "average_precision": "ap, auprc, auc pr, pr auc, area under the precision recall curve",
    "balanced_accuracy": "macro accuracy, mean class accuracy, balanced classification rate",
    "brier_score": "brier, brier score loss, quadratic score",
    "cconfusion_entropy": "pcen, pce, probabilistic confusion entropy",
    "cf1": "confidence f1, probabilistic f1, cf score",
    "cmatthews_corrcoef": "cmcc",
    "cohen_kappa": "kappa, cohen s kappa, cohens kappa",
    "cohen_kappa_linear": "linear weighted kappa",
    "cohen_kappa_quadratic": "qwk, quadratic weighted kappa",
    "cprecision": "cp, confidence precision, probabilistic precision",
    "crecall": "cr, confidence recall, probabilistic recall",
    "ccohen_kappa": "ckappa",
    "explained_variance": "evs",
    "f1": "f score, f measure, f1 measure, dice, dice coefficient, sorensen dice",
    "fnr": "false negative rate, miss rate, false rejection rate, false reject rate, frr, "
           "type ii error rate",
    "fpr": "false positive rate, false alarm rate, false acceptance rate, false accept rate, far, "
           "fall out, type i error rate",
    "false_discovery_rate": "fdr",
    "informedness": "youden, youden j, youden index, bookmaker informedness",
    "jaccard": "iou, intersection over union, jaccard index, critical success index, threat score",
    "kendall": "kendall tau, kendalltau, kendall correlation, kendall rank correlation",
    "kl_divergence": "kl, kullback leibler, kullback leibler divergence, relative entropy",
    "log_loss": "cross entropy, logloss, nll, negative log likelihood, logistic loss, "
                "binary cross entropy, categorical cross entropy, ignorance score",
    "mae": "mean absolute error, l1 loss",
    "mape": "mean absolute percentage error",
    "matthews_corrcoef": "mcc, matthews correlation, phi, phi coefficient",
    "mean_reciprocal_rank": "mrr, reciprocal rank",
    "median_absolute_error": "medae, mdae",
    "mse": "mean squared error, l2 loss",
    "msle": "mean squared log error, mean squared logarithmic error",
    "pearson": "pearsonr, pearson r, pearson correlation",
    "precision": "ppv, positive predictive value",
    "prevalence": "base rate",
    "r2": "r squared, coefficient of determination, r 2",
    "recall": "sensitivity, tpr, true positive rate, probability of detection, "
              "detection rate",
    "rmse": "root mean squared error, root mean square error, rmsd",
    "rmsle": "root mean squared log error, root mean squared logarithmic error",
    "roc_auc": "auc, auroc, area under the roc curve, area under the curve, c statistic",
    "roc_auc_at_0.1": "pauc, partial auc, partial roc auc",
    "roc_auc_ovo": "hand and till, hand till, m measure",
    "selection_rate": "demographic parity",
    "spearman": "spearmanr, spearman r, spearman rho, spearman correlation, "
                "spearman rank correlation",
    "specificity": "tnr, true negative rate, selectivity",
    "zero_one_loss": "error rate, classification error, misclassification rate, 0 1 loss",
}  # fmt: skip

_MURPHY = (
    "the parts of the Brier score are brier_reliability, brier_resolution and brier_uncertainty; "
    "the diagram is diagnostics.reliability"
)
_PCM = "it is a matrix, metrics.probabilistic_confusion_matrix; its ratios are cprecision, crecall"
_CURVE = 'it is a curve, diagnostics.curve(..., kind="{}"); its area is {}'
_NDCG = (
    "it is a score of queries: runs and judgements in TREC's format have nDCG@10, so does a table "
    "with columns query_id, doc_id, relevance and each model's scores, and a table of its values "
    "(query, model, ndcg) is read as scores, whose mean is compared without -m"
)
_SUPPORT = (
    "it is the number of samples of a class, the sum of a row of metrics.confusion_matrix; as a "
    "share of all samples it is prevalence"
)
_MATRIX = "it is a matrix, metrics.confusion_matrix; its ratios are precision, recall, f1 and fpr"
# Terms that are no metric's, or of several, and where what they mean is.
_ELSEWHERE: Mapping[str, str] = {
    "adjusted r squared": "it is adjusted_r2_3 with 3 predictors",
    "calibration": "ece, debiased_ece and brier_score measure it",
    "calibration curve": _MURPHY,
    "confusion matrix": _MATRIX,
    "dcg": _NDCG, "ndcg": _NDCG, "normalized discounted cumulative gain": _NDCG,
    "mean average precision": "of boxes it is map; in rankings it is the mean of AP, a score of "
                              "queries, which runs in TREC's format have",
    "class likelihood ratios": "there are lr_positive and lr_negative",
    "meteor": "it is not built in; give its scores of each text as a table, or a function of both "
              "texts by metrics.from_callable",
    **dict.fromkeys(("npv", "negative predictive value"), "it is 1 - false_omission_rate"),
    **{
        f"{average} average precision": f"precision_{average} is of precision, and "
        "average_precision_macro the mean area under the curves of classes"
        for average in ("macro", "micro", "weighted")
    },
    "murphy": _MURPHY, "reliability": _MURPHY, "resolution": _MURPHY,
    "pcm": _PCM,
    "precision recall curve": _CURVE.format("precision-recall", "average_precision"),
    "roc curve": _CURVE.format("roc", "roc_auc"), "roc": _CURVE.format("roc", "roc_auc"),
    "rouge": "it is not built in; give its scores of each text, as the package rouge-score makes "
             "them, as a table (id, model, rouge_l), or metrics.from_callable",
    "support": _SUPPORT,
    "utility": "metrics.cost takes the cost, or the gain, of each true and predicted class",
}  # fmt: skip

# Other meanings of terms, and what is written for them.
_OTHERWISE: Mapping[str, str] = {
    "ap": "in rankings it is of queries (runs in TREC's format have AP), of boxes map",
    "error rate": "errors on one class are fpr or fnr, those of words wer",
    "far": "of forecasts it is the false alarm ratio, false_discovery_rate",
    "likelihood ratio": "of a negative result it is lr_negative",
    "macro accuracy": "it is the mean of the classes' recalls, not of their accuracies against all "
                      "others, which is 1 - 2 / n_classes * zero_one_loss",
    "ser": "the share of sentences with an error is 1 - exact_match",
    "wacc": "weighted accuracy is balanced_accuracy",
}  # fmt: skip

_OF_NAMES = dict(_TERMS)
for _plugin in plugins().values():
    _OF_NAMES |= _plugin.terms
_BY_TERM = {term: name for name, terms in _OF_NAMES.items() for term in terms.split(", ")}
# Terms with a number, which has braces in terms and names: pass@{}.
_NUMBERED = {
    re.compile(re.escape(term).replace(r"\{\}", r"(\d+)")): _BY_TERM.pop(term)
    for term in [*_BY_TERM] if "{}" in term
}  # fmt: skip
# Terms as names are written, for suggestions.
UNDERSCORED = tuple(term.replace(" ", "_") for term in _BY_TERM)
# Terms of one word, such as mcc and auc.
ABBREVIATIONS = tuple(term for term in _BY_TERM if " " not in term)
_AVERAGES = ("macro", "micro", "weighted", "samples")
# Words that leave the meaning as it is.
_BESIDE_AVERAGE = ("average", "averaged", "avg")
_FIRST, _LAST = ("neg", "negative"), ("score", "scores", "metric", "coefficient")
# What is negated where high values are wanted: a loss. A negative recall is another thing.
_LOSSES = ("loss", "error", "ratio", "entropy", "brier score")


def plain_term(term: str) -> str:
    """Return a term in lower case, its words separated by single blanks.

    Examples
    --------
    >>> plain_term("Brier-score"), plain_term("ROC_AUC"), plain_term("LR+"), plain_term("F0.5")
    ('brier score', 'roc auc', 'lr+', 'f0.5')
    """
    text = unicodedata.normalize("NFKC", term).casefold()
    return " ".join(re.sub(r"[^\w+.@]|_", " ", text).split())


def spellings(term: str) -> Iterator[str]:
    """Yield the names that a term may be of, the most literal first.

    Examples
    --------
    >>> [*spellings("ROC AUC")], [*spellings("Dice")]
    (['roc_auc'], ['dice', 'f1'])
    >>> [*spellings("macro-average F1 score")][-1]
    'f1_macro'
    """
    for pattern, name in _NUMBERED.items():
        if found := pattern.fullmatch(term.strip().casefold()):
            yield name.format(found[1])
    words = plain_term(term).split()
    if " ".join(words) in _ELSEWHERE:
        return
    averages = [word for word in words if word in _AVERAGES]
    while words:
        yield from _names(words)
        if len(averages) == 1:
            beside = (*averages, *_BESIDE_AVERAGE)
            base = [word for word in words if word not in beside]
            yield from _names([*averages, *base])
            yield from (f"{name}_{averages[0]}" for name in _names(base))
        if words[0] in _FIRST and " ".join(words[1:]).endswith(_LOSSES):
            words = words[1:]
        elif len(words) > 1 and words[-1] in _LAST:
            words = words[:-1]
        else:
            return


def _names(words: list[str]) -> Iterator[str]:
    yield "_".join(words)
    if (term := " ".join(words)) in _BY_TERM:
        yield _BY_TERM[term]


def terms_of(name: str) -> list[str]:
    """Return other names of a metric."""
    return _OF_NAMES[name].split(", ") if name in _OF_NAMES else []


def other_meaning(term: str) -> str:
    """Return a sentence on what else a term means; empty if it usually means one thing.

    Examples
    --------
    >>> other_meaning("Error rate")
    "'Error rate' is zero_one_loss here; errors on one class are fpr or fnr, those of words wer"
    """
    plain = plain_term(term)
    known = plain in _OTHERWISE and plain in _BY_TERM
    return f"{term!r} is {_BY_TERM[plain]} here; {_OTHERWISE[plain]}" if known else ""


def check_term(term: str) -> None:
    """Warn of a term that usually means something else as well."""
    if otherwise := other_meaning(term):
        warn_of_data(f"{otherwise}.")


def place_of(term: str) -> str:
    """Return where to find what a term means that is no metric's name; empty if it is unknown."""
    words = plain_term(term).split()
    while words:
        if " ".join(words) in _ELSEWHERE:
            return _ELSEWHERE[" ".join(words)]
        words = words[:-1] if words[-1] in _LAST else []
    return ""
