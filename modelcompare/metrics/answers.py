"""Metrics of repeated answers: the best of k answers to an item, the worst, or most of them.

The k answers are drawn without replacement from the n of an item, and the metric is the mean over
items of an expected order statistic: the highest of k scores, the lowest, or the middle one. Of
scores of 0 and 1 these are the chances that any answer passes (pass@k), that all do (pass^k), and
that most do. All rows of an item have its value divided by their number, so that sums over clusters
are sums over items.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data.checks import refuse_rows
from modelcompare.metrics.base import AnyMetric, Factory, Metric, Outcomes, Statistic
from modelcompare.metrics.scoring import mean_ratio


def _sizes(outcomes: Outcomes) -> tuple[IntArray, IntArray, AnyArray]:
    """Return the number of each row's item, the answers to each item, and the items' names."""
    if outcomes.items is None:
        raise ValueError("the item of each answer is missing; give `groups` (--groups COLUMN).")
    item, names = pd.factorize(outcomes.items)
    return item, np.bincount(item), np.asarray(names)


def _checked(outcomes: Outcomes, name: str, k: int, *, passes: bool) -> tuple[IntArray, IntArray]:
    """Return the number of each row's item, and of the answers to each item: at least k."""
    item, sizes, names = _sizes(outcomes)
    if sizes.min() < k:
        few = int(sizes.argmin())
        raise ValueError(
            f"{name} draws {k:,} answers to each item, and item {names[few]} has {sizes[few]:,}; "
            "name a smaller number, or leave out such items."
        )
    if passes:
        other = ~np.isin(outcomes.values.ravel(), (0.0, 1.0))
        what = f"{name} needs scores of 0 and 1, and there are others"
        refuse_rows(other, what, f"best_of_{k} takes any")
    if outcomes.runs is not None:
        refuse_rows(
            pd.DataFrame({"item": item, "run": outcomes.runs}).duplicated().to_numpy(),
            f"{name} needs one answer to each item in a run, and there is another",
            "name the items by `ids` that repeat from run to run (--id COLUMN); of models with "
            "different numbers of runs, whose rows repeat, take one at a time (--model)",
        )  # fmt: skip
    return item, sizes


def _chances(n: int, k: int, rank: int) -> FloatArray:
    """Return the chance of each of n ordered scores to have this rank among k that are drawn."""
    ways = (math.comb(i, rank - 1) * math.comb(n - 1 - i, k - rank) for i in range(n))
    # Quotients of integers are rounded once, however large these are.
    return np.array([each / math.comb(n, k) for each in ways])


def _expected(outcomes: Outcomes, *, name: str, k: int, rank: int, passes: bool) -> FloatArray:
    """Return the expected score of a rank among k answers to the row's item, over its rows."""
    item, sizes = _checked(outcomes, name, k, passes=passes)
    scores, first = outcomes.values.ravel(), np.cumsum(sizes) - sizes
    ordered = scores[np.lexsort((scores, item))]
    values = np.empty(len(sizes))
    for n in np.unique(sizes):
        of_size = ordered[first[sizes == n, None] + np.arange(n)]
        values[sizes == n] = of_size @ _chances(int(n), k, rank)
    return (values / sizes)[item, None]


def _shares(outcomes: Outcomes) -> FloatArray:
    """Return one over the number of rows of each row's item."""
    item, sizes, _ = _sizes(outcomes)
    return (1 / sizes)[item, None]


_ITEMS = Statistic("items", _shares, shared=True, of_items=True)


def _of_answers(
    family: str, make: Callable[..., Metric], k: int, rank: int, *, passes: bool = True,
    **record: Any,
) -> Metric:  # fmt: skip
    """Return the mean over items of the expected score of a rank among k answers."""
    if k < 1:
        raise ValueError(f"`k` must be at least 1, got {k}.")
    name = f"{family.removesuffix('k')}{k}"
    compute = partial(_expected, name=name, k=k, rank=rank, passes=passes)
    expected = Statistic(f"{name}, rank {rank}", compute, of_items=True)
    return Metric(
        name=name, family=family, statistics=(expected, _ITEMS), ratio=mean_ratio, needs="scores",
        bounds=(0.0, 1.0) if passes else (-math.inf, math.inf),
        factory=Factory(make, {"k": k}, f"{family.removesuffix('k')}{{k}}"),
        arguments={
            "groups": "Item of each answer.",
            "scores": f"Score of each answer{', 0 or 1' if passes else ''}.",
        },
        **record,
    )  # fmt: skip


def pass_at_k_metric(*, k: int = 5) -> Metric:
    """Return the chance that any of k answers to an item passes."""
    return _of_answers(
        "pass_at_k", pass_at_k_metric, k, rank=k,
        description="""Chance that at least one of k answers to an item passes (pass@k).

        For answers that can be checked before one is used, such as programs with tests; it never
        falls with k, and rewards answers that differ. Unbiased: the mean over items of
        1 - C(n - c, k) / C(n, k), where c of an item's n answers pass, each 0 or 1. The item is
        the cluster (``groups``, epochs of a log), or has the ``ids`` that repeat from run to run,
        and weighs the mean of its rows' weights. k is part of the name: ``pass_at_1``,
        ``pass_at_10``.""",
        references=("Chen et al. (2021), Evaluating Large Language Models Trained on Code, "
                    "arXiv:2107.03374.",),
        example=">>> pass_at_k([1, 1, 1, 1], [1, 0, 0, 0], k=2)\n0.5",
    )  # fmt: skip


def pass_hat_k_metric(*, k: int = 5) -> Metric:
    """Return the chance that all of k answers to an item pass."""
    return _of_answers(
        "pass_hat_k", pass_hat_k_metric, k, rank=1,
        description="""Chance that all of k answers to an item pass (pass^k).

        For tasks that must succeed every time; it never rises with k. Unbiased: the mean over
        items of C(c, k) / C(n, k), where c of an item's n answers pass, each 0 or 1. Items are
        those of `pass_at_k`.""",
        references=("Yao et al. (2024), tau-bench, arXiv:2406.12045.",),
        example=">>> pass_hat_k([1, 1, 1, 1], [1, 1, 1, 0], k=2)\n0.5",
    )  # fmt: skip


def majority_of_k_metric(*, k: int = 5) -> Metric:
    """Return the chance that more than half of k answers to an item pass."""
    if k % 2 == 0:
        raise ValueError(f"`k` must be odd, or half of the answers may pass; got {k}.")
    return _of_answers(
        "majority_of_k", majority_of_k_metric, k, rank=(k + 1) // 2,
        description="""Chance that more than half of k answers to an item pass; k is odd.

        Hypergeometric: the mean over items of the chance that most of k answers, drawn from an
        item's n without replacement, are right. It is not the accuracy of the most frequent answer
        (self-consistency, a plurality vote), which needs the answers' texts: where wrong answers
        differ that one may be right with fewer than half of the votes, so its accuracy is at least
        this, if right answers have one text. Items are those of `pass_at_k`.""",
        example=">>> majority_of_k([1, 1, 1, 1], [1, 1, 1, 0], k=3)\n1.0",
    )  # fmt: skip


def best_of_k_metric(*, k: int = 5, highest: bool = True) -> Metric:
    """Return the mean best score of k answers to an item: the highest, or else the lowest."""
    return _of_answers(
        "best_of_k", best_of_k_metric, k, rank=k if highest else 1, passes=False,
        greater_is_better=highest,
        description="""Expected best of k scores of an item's answers.

        For a perfect judge who picks the best of k answers, by scores of any range; where low
        scores are good it is the lowest. The k are drawn without replacement from an item's n
        scores, so it is unbiased; of scores of 0 and 1 it is `pass_at_k`, whose items it has.""",
        references=("David & Nagaraja (2003), Order Statistics, 3rd edition, section 3.7.",),
        example=">>> best_of_k([1, 1, 1, 1], [0.0, 1.0, 3.0, 5.0], k=3)\n4.5",
    )  # fmt: skip


def lowest_of(metric: Metric) -> Metric:
    """Return the best of k scores of which low ones are good."""
    options = {} if metric.factory is None else metric.factory.options
    return best_of_k_metric(**options, highest=False)


METRICS: tuple[AnyMetric, ...] = tuple(
    make()
    for make in (pass_at_k_metric, pass_hat_k_metric, majority_of_k_metric, best_of_k_metric)
)
