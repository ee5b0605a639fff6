"""Metrics of sets of labels: several true labels for each sample, or none.

Counts of one label, and their sums or means over labels, are those of `counts`. Here are means over
samples, each a ratio of counts of its labels, and ranks of the labels of a sample.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pandas as pd

from modelcompare.arrays import FloatArray
from modelcompare.data.kinds import Kind
from modelcompare.metrics.base import AnyMetric, Factory, Metric, Outcomes, Statistic
from modelcompare.metrics.counts import COUNTS, F1, JACCARD, PRECISION, RECALL, with_twin
from modelcompare.metrics.quotient import side_by_side
from modelcompare.metrics.scoring import mean_metric
from modelcompare.plugins.label_sets.kinds import KINDS, LABEL_COUNTS
from modelcompare.words import ZeroDivision

# Of one sample with one of two labels, and one with its only label; twins have the same values.
_EXAMPLES = {"precision": 1.0, "recall": 0.75, "f1": 0.8333, "jaccard": 0.75}


def _sample_ratios(outcomes: Outcomes, *, of: Metric) -> FloatArray:
    """Return each sample's ratio, 0 where it has none, and whether it counts.

    One with any true or predicted label does, but by the paper's convention those with a ratio.
    """
    numbers = [each.compute(outcomes) for each in of.statistics]
    value = of.averaged("micro").value(*numbers)
    counts = ~np.isnan(value)
    if of.zero_division != "paper":
        counts |= np.any([number.any(axis=1) for number in numbers], axis=0)
    return np.column_stack([np.nan_to_num(value), counts])


def _mean_over_samples(*, of: Metric, zero_division: ZeroDivision = math.nan) -> Metric:
    """Return the mean over samples of a ratio of counts."""
    of = of.with_zero_division(zero_division)
    same = partial(_mean_over_samples, zero_division=zero_division)
    soft = same(of=of.soft) if isinstance(of.soft, Metric) else None
    numbers = Statistic(f"{of.name}_of_samples, {zero_division}", partial(_sample_ratios, of=of))
    hard = of.name if soft else of.name[1:]
    value = f"{hard} of the {'labels' if soft else 'probabilities'}"
    return Metric(
        name=f"{of.name}_samples", needs="label_sets" if soft else "label_probabilities",
        statistics=(numbers,), ratio=side_by_side, references=of.references,
        factory=Factory(partial(_mean_over_samples, of=of), {"zero_division": zero_division}),
        soft=soft,
        description=f"""Mean over samples of the {value} of each.

        Weighs every sample equally, however many labels it has; `{of.name}_micro` weighs every
        label. Where it is 0 / 0 it counts as 0, or as `zero_division`; samples with neither true
        nor predicted labels are left out, unless that is a number.""",
        example=f">>> round({of.name}_samples([[1, 1], [0, 1]], [[1, 0], [0, 1]]), 4)\n"
        f"{_EXAMPLES[hard]}",
    )  # fmt: skip


def _exact(outcomes: Outcomes) -> FloatArray:
    hits, predicted, support = (statistic.compute(outcomes) for statistic in COUNTS)
    return ((hits == predicted) & (hits == support)).all(axis=1, keepdims=True).astype(np.float64)


def _apart(outcomes: Outcomes) -> FloatArray:
    return (outcomes.predicted_indicator != outcomes.truth).mean(axis=1, keepdims=True)


SUBSET_ACCURACY = mean_metric(
    Statistic("exact_sets", _exact, indicator=True), name="subset_accuracy", needs="label_sets",
    proportion=True,
    description="""Share of samples whose set of labels is predicted without any error.

    Strict: one label too many counts as a set that is wrong altogether, so it falls with the number
    of labels. scikit-learn's accuracy of indicator matrices; of counts the share of items without
    an error.""",
    example=">>> subset_accuracy([[1, 1], [0, 1]], [[1, 1], [1, 1]])\n0.5",
)  # fmt: skip

HAMMING_LOSS = mean_metric(
    Statistic("wrong_labels", _apart), name="hamming_loss", needs="label_sets",
    greater_is_better=False,
    description="""Share of labels that are wrong, of all labels of all samples.

    Counts labels that are neither true nor predicted as right. Most are, where there are many, and
    the loss is close to 0 for any model.""",
    example=">>> hamming_loss([[1, 1], [0, 1]], [[1, 1], [1, 1]])\n0.25",
)  # fmt: skip


def _ranked_precision(outcomes: Outcomes) -> FloatArray:
    """Compute the mean, over the true labels of a sample, of the precision at their rank."""
    truth, scores = outcomes.truth > 0, pd.DataFrame(outcomes.output.array)
    # Tied labels all have the rank of the last of them.
    rank = partial(pd.DataFrame.rank, axis=1, method="max", ascending=False)
    ranks, among_true = rank(scores), rank(scores.where(truth))
    return (among_true / ranks).mean(axis=1).fillna(1.0).to_numpy()[:, None]


LRAP = mean_metric(
    Statistic("ranked_precision", _ranked_precision), name="lrap", needs="label_probabilities",
    description="""Label ranking average precision: precision at the rank of each true label.

    Measures whether the true labels of a sample rank above its other ones, without a threshold. 1
    where a sample has no label, or all of them. Tied labels share the last of their ranks.""",
    references=("Tsoumakas, Katakis & Vlahavas (2010), Data Mining and Knowledge Discovery "
                "Handbook, chapter 34.",),
    example=""">>> round(lrap([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1.0], [1.0, 0.2, 0.1]]), 4)
    0.4167""",
)  # fmt: skip


def check_metric(metric: AnyMetric, kind: Kind) -> None:
    """Refuse a metric of one class for each sample, of which sets of labels have any number."""
    counts = kind == LABEL_COUNTS
    if metric.kind in KINDS and not (counts and metric.name == "hamming_loss"):
        return
    ratio = metric.class_ratio if isinstance(metric, Metric) else None
    of_labels = isinstance(metric, Metric) and (metric.per_class or metric.family != "")
    if ratio is None or ratio.numerator[3] or ratio.denominator[3] or not of_labels:
        instead = "subset_accuracy, f1_micro, f1_macro or f1_samples"
        what = "counts of objects have no true negatives" if counts else "samples have any number"
        raise ValueError(
            f"metric {metric.name!r} is of one class for each sample, but {what} of labels here; "
            f"name {instead}."
        )


METRICS: tuple[AnyMetric, ...] = (
    *(_mean_over_samples(of=each) for each in (PRECISION, RECALL, F1, with_twin(JACCARD))),
    SUBSET_ACCURACY, HAMMING_LOSS, LRAP,
)  # fmt: skip
