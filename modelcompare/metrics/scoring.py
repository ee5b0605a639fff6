"""Averages of one number per sample: scoring rules, places in a list, information, given scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.data.columns import Source
from modelcompare.metrics.base import AnyMetric, Factory, Metric, Outcomes, Statistic, divide
from modelcompare.metrics.counts import with_twin
from modelcompare.words import check_count

_MOST_CLASSES = 100
# Largest distance from 1 of a sum of half-precision probabilities.
_CUT_OFF = 1e-3


def _ones(outcomes: Outcomes) -> FloatArray:
    return np.ones((len(outcomes), 1))


COUNT: Statistic = Statistic("count", _ones, discrete=True, shared=True)


def mean_ratio(total: FloatArray, count: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return numerator and denominator of the mean of a one-column statistic."""
    return total[..., 0], count[..., 0]


def mean_metric(numbers: Statistic, **declarations: Any) -> Metric:
    """Return the metric that is the mean over samples of a statistic of one column."""
    return Metric(statistics=(numbers, COUNT), ratio=mean_ratio, **declarations)


def _squared_errors(outcomes: Outcomes) -> FloatArray:
    errors = ((outcomes.probabilities - outcomes.truth) ** 2).sum(axis=1, keepdims=True)
    return errors / 2 if outcomes.n_classes == 2 else errors


_mean_loss = partial(
    mean_metric, needs="probabilities", greater_is_better=False, bounds=(0.0, math.inf)
)

BRIER_SCORE = _mean_loss(
    Statistic("squared_errors", _squared_errors), name="brier_score", bounds=(0.0, 2.0),
    description="""Mean squared distance of the probabilities from the true labels.

    A proper scoring rule: the true probabilities score best. Summed over the classes (0 to 2), and
    halved for two classes (0 to 1), as scikit-learn scales it.""",
    references=("Brier (1950), Monthly Weather Review 78, 1-3.",),
    example=">>> brier_score([0, 1], [0.25, 0.5])\n0.15625",
)  # fmt: skip


def _negative_log_likelihood(outcomes: Outcomes) -> FloatArray:
    # scikit-learn's clipping: the precision in which the model gave its probabilities.
    smallest = np.finfo(outcomes.output.array.dtype).eps
    logs = np.log(np.clip(outcomes.probabilities, smallest, 1 - smallest))
    return -(outcomes.truth * logs).sum(axis=1, keepdims=True)


LOG_LOSS = _mean_loss(
    Statistic("negative_log_likelihood", _negative_log_likelihood), name="log_loss",
    description="""Mean negative log-probability of the true class, in nats.

    A proper scoring rule that depends on the true class only; one confident error can outweigh all
    others, so probabilities are clipped at the precision in which they were given.""",
    example=">>> round(log_loss([0, 1], [[0.5, 0.5], [0.25, 0.75]]), 4)\n0.4904",
)  # fmt: skip


def _divergence(outcomes: Outcomes) -> FloatArray:
    """Compute the Kullback-Leibler divergence of the output from the soft labels, per sample."""
    truth, p = outcomes.truth, outcomes.probabilities
    smallest = np.finfo(outcomes.output.array.dtype).eps
    own = np.where(truth > 0, truth * np.log(np.where(truth > 0, truth, 1.0)), 0.0)
    cross = truth * np.log(np.clip(p, smallest, 1.0))
    return (own - cross).sum(axis=1, keepdims=True)


KL_DIVERGENCE = _mean_loss(
    Statistic("divergence", _divergence), name="kl_divergence",
    description="""Mean divergence of the probabilities from the true distributions, in nats.

    Rewards probabilities that match soft labels, such as shares of annotators; on hard labels it is
    log loss. A class with true probability to which a model gives none outweighs all others, so
    probabilities are clipped at the precision in which they were given.""",
    references=("Kullback & Leibler (1951), Annals of Mathematical Statistics 22, 79-86.",),
    example=""">>> round(kl_divergence([[0.5, 0.5], [1.0, 0.0]], [[0.5, 0.5], [0.5, 0.5]]), 4)
    0.3466""",
)  # fmt: skip


def _cells(outcomes: Outcomes, predicted: FloatArray) -> FloatArray:
    """Return each sample's contribution to the confusion matrix, row by row of true classes."""
    if outcomes.n_classes > _MOST_CLASSES:
        raise ValueError(
            f"confusion entropy sums n_classes squared numbers for each sample, too many for "
            f"{outcomes.n_classes} classes; merge the rare ones."
        )
    return (outcomes.truth[:, :, None] * predicted[:, None, :]).reshape(len(outcomes), -1)


def _predicted_cells(outcomes: Outcomes) -> FloatArray:
    return _cells(outcomes, outcomes.predicted_indicator)


def _soft_cells(outcomes: Outcomes) -> FloatArray:
    return _cells(outcomes, outcomes.probabilities)


_of_two_classes = partial(Statistic, class_axes=2)
SOFT_CELLS = _of_two_classes("soft_confusion", _soft_cells)
CELLS = _of_two_classes("confusion", _predicted_cells, discrete=True, soft=SOFT_CELLS)


def _confusion_entropy(cells: FloatArray) -> FloatArray:
    n_classes = round(cells.shape[-1] ** 0.5)
    matrix = cells.reshape(*cells.shape[:-1], n_classes, n_classes)
    mass = matrix.sum(axis=-1) + matrix.sum(axis=-2)
    base = np.log(2 * (n_classes - 1))

    def entropy(confused: FloatArray) -> FloatArray:
        share = divide(confused, mass[..., None], 0.0)
        logs = np.log(np.where(share > 0, share, 1.0)) / base
        off_diagonal = np.where(np.eye(n_classes, dtype=bool), 0.0, share * logs)
        return -off_diagonal.sum(axis=-1)

    of_class = entropy(matrix) + entropy(np.swapaxes(matrix, -1, -2))
    return divide((mass * of_class).sum(axis=-1), mass.sum(axis=-1))


CONFUSION_ENTROPY = with_twin(Metric(
    name="confusion_entropy", statistics=(CELLS,), value=_confusion_entropy,
    greater_is_better=False, bounds=(0.0, math.inf),
    description="""Entropy of the confusions of each class with the others.

    Rewards errors that are few and systematic: a class that is always mistaken for the same other
    class is better than one that is mistaken for all. 0 for a perfect classifier; on two classes it
    can exceed 1 and rank classifiers implausibly. The soft twin ``cconfusion_entropy`` (``pcen``),
    on the probabilistic confusion matrix, is the probabilistic confusion entropy of Wang et al.""",
    references=(
        "Wei et al. (2010), Expert Systems with Applications 37, 3799-3809.",
        "Wang et al. (2013), Entropy 15, 4969-4992.",
    ),
    example=">>> round(confusion_entropy([0, 1, 2, 2], [0, 1, 2, 1]), 4)\n0.1981",
))  # fmt: skip


def _listed(outcomes: Outcomes) -> BoolArray:
    """Return the mask of the samples whose true class is on their list.

    If probabilities sum to less than 1, a list was cut off: a class without probability was not on
    it, and has no rank.
    """
    p = outcomes.probabilities
    whole = p.sum(axis=1) > 1 - _CUT_OFF
    return whole | (p[np.arange(len(p)), outcomes.true_codes] > 0)


def _reciprocal_rank(outcomes: Outcomes) -> FloatArray:
    """Compute one over the rank of the true class; ties count half, and 0 if it is not listed."""
    p = outcomes.probabilities
    own = p[np.arange(len(p)), outcomes.true_codes][:, None]
    above = (p > own).sum(axis=1)
    tied = (p == own).sum(axis=1) - 1
    return (_listed(outcomes) / (1.0 + above + tied / 2))[:, None]


MEAN_RECIPROCAL_RANK = mean_metric(
    Statistic("reciprocal_rank", _reciprocal_rank), name="mean_reciprocal_rank",
    needs="probabilities",
    description="""Mean of one over the rank of the true class among the classes by probability.

    Rewards true classes near the top of a list. The step from rank 1 to 2 counts as much as all
    others together, and the probabilities themselves do not count. Tied classes share the middle of
    their ranks; a class that a list was cut off before counts 0 (`modelcompare.io.from_nbest`).""",
    references=("Voorhees (1999), TREC-8 Question Answering Track Report.",),
    example=">>> mean_reciprocal_rank([0, 1], [[0.6, 0.3, 0.1], [0.6, 0.3, 0.1]])\n0.75",
)  # fmt: skip


def _in_top(outcomes: Outcomes, *, k: int) -> FloatArray:
    best = np.argsort(outcomes.probabilities, axis=1, kind="stable")[:, -k:]
    found = (best == outcomes.true_codes[:, None]).any(axis=1) & _listed(outcomes)
    return found[:, None].astype(np.float64)


def top_k_metric(*, k: int = 3) -> Metric:
    """Return the accuracy of a list of k classes; later classes win ties, as in scikit-learn."""
    check_count("k", k, at_least=1)
    return mean_metric(
        Statistic(f"in_top_{k}", partial(_in_top, k=k)),
        name=f"top_{k}_accuracy", family="top_k_accuracy", needs="probabilities",
        factory=Factory(top_k_metric, {"k": k}, "top_{k}_accuracy"),
        description="""Share of samples whose true class is among the k most probable.

        For lists from which a person or another system chooses; the order within the list does not
        count. Never below accuracy, and 1 as soon as k reaches the number of classes. k is part of
        the name: ``top_3_accuracy``. Later classes win ties, as in scikit-learn.""",
        example=">>> top_k_accuracy([0, 1, 2], [[0.6, 0.3, 0.1]] * 3, k=2)\n0.6666666666666666",
    )  # fmt: skip


TOP_K_ACCURACY = top_k_metric()


def score_of(outcomes: Outcomes, *, place: int = 0) -> FloatArray:
    """Return the scores of one name, a column of the output if there are several."""
    return outcomes.output.scores[:, [place]]


MEAN_SCORE = mean_metric(
    Statistic("scores", score_of), name="mean_score", needs="scores",
    bounds=(-math.inf, math.inf), greater_is_better=None, direction_from="unknown",
    description="""Mean of per-example scores that were computed elsewhere: judged 0 or 1, or real.

    It has the merits of the scores and weighs every sample equally. Its direction is that of the
    scores: by their name, or as the predictions declare it (``greater_is_better``).""",
    example=">>> mean_score([1, 0, 1, 1])\n0.75",
)  # fmt: skip


def named_score(name: str, names: Sequence[str], source: Source) -> Metric:
    """Return the mean of one of several scores of a source, some of which are computed from it.

    mean_score means the only one, and a name without its cutoff the only one of that name: ndcg
    is nDCG@10.
    """
    if name == "mean_score" and len(names) == 1:
        name = names[0]
    if name not in names:
        cut = [each for each in names if each.partition("@")[0].casefold() == name.casefold()]
        name = cut[0] if len(cut) == 1 else name
    if name not in names:
        more = "" if source.pseudo else f", and percentiles of these, such as {names[-1]}_p95"
        raise ValueError(f"there is no score {name!r}; the models have {', '.join(names)}{more}.")
    own = Statistic(f"scores of {name}", partial(score_of, place=names.index(name)))
    made = {each.name: each.description for each in source.made}
    return replace(
        MEAN_SCORE, name=name, family="mean_score", statistics=(own, COUNT),
        greater_is_better=True if made else None,
        variant="" if made else "of one of several scores",
        description=made.get(name, MEAN_SCORE.description),
    )  # fmt: skip


METRICS: tuple[AnyMetric, ...] = (
    BRIER_SCORE, LOG_LOSS, MEAN_SCORE, KL_DIVERGENCE, CONFUSION_ENTROPY, MEAN_RECIPROCAL_RANK,
    TOP_K_ACCURACY, top_k_metric(k=5),
)  # fmt: skip
