"""Metrics of repeated answers: the best of k answers to an item, the worst, or most of them.

The k answers are drawn without replacement from the n of an item, and the metric is the mean over
items of an expected order statistic: the highest of k scores, the lowest, or the middle one. Of
scores of 0 and 1 these are the chances that any answer passes (pass@k), that all do (pass^k), and
that most do. All rows of an item have its value divided by their number, so that sums over clusters
are sums over items.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data.checks import refuse_rows
from modelcompare.metrics.base import AnyMetric, Factory, Metric, Outcomes, Statistic
from modelcompare.metrics.scoring import mean_ratio
from modelcompare.words import check_count

_RECORDS: dict[str, dict[str, Any]] = {
    "pass_at_k": {
        "description": """Chance that at least one of k answers to an item passes (pass@k).

        For answers that can be checked before one is used, as programs by tests. The mean over
        items of 1 - C(n - c, k) / C(n, k), where c of n answers pass, each 0 or 1. Items are the
        clusters (``groups``, epochs of a log) or ``ids`` that repeat from run to run, and weigh the
        mean of their rows' weights. k is part of the name: ``pass_at_1``.""",
        "references": ("Chen et al. (2021), Evaluating Large Language Models Trained on Code, "
                       "arXiv:2107.03374.",),
        "example": ">>> pass_at_k([1, 1, 1, 1], [1, 0, 0, 0], k=2)\n0.5",
    },
    "pass_hat_k": {
        "description": """Chance that all of k answers to an item pass (pass^k).

        For tasks that must succeed every time. The mean over items of C(c, k) / C(n, k), where c of
        n answers pass, each 0 or 1. Items as for ``pass_at_k``.""",
        "references": ("Yao et al. (2024), tau-bench, arXiv:2406.12045.",),
        "example": ">>> pass_hat_k([1, 1, 1, 1], [1, 1, 1, 0], k=2)\n0.5",
    },
    "majority_of_k": {
        "description": """Chance that more than half of k answers to an item pass; k is odd.

        Hypergeometric, for k of an item's n answers, each 0 or 1. A plurality vote of the answers'
        texts (self-consistency) is right at least as often, if right ones have one text: where
        wrong ones differ, fewer than half of the votes may do. Items as for ``pass_at_k``.""",
        "example": ">>> majority_of_k([1, 1, 1, 1], [1, 1, 1, 0], k=3)\n1.0",
    },
    "best_of_k": {
        "description": """Expected best of k scores of an item's answers.

        For a perfect judge who picks one of k answers: their highest score, or the lowest where low
        scores are good. Of scores of 0 and 1 it is ``pass_at_k``, whose items it has.""",
        "references": ("David & Nagaraja (2003), Order Statistics, 3rd edition, section 3.7.",),
        "example": ">>> best_of_k([1, 1, 1, 1], [0.0, 1.0, 3.0, 5.0], k=3)\n4.5",
    },
}  # fmt: skip


def _sizes(outcomes: Outcomes) -> tuple[IntArray, IntArray, AnyArray]:
    """Return the number of each row's item, the answers to each item, and the items' names."""
    if outcomes.items is None:
        raise ValueError("the item of each answer is missing; give `groups` (--groups COLUMN).")
    item, names = pd.factorize(outcomes.items)
    return item, np.bincount(item), np.asarray(names)


def _check(outcomes: Outcomes, name: str, k: int, *, passes: bool) -> None:
    """Refuse items with fewer than k answers, or several in a run, and scores but 0 and 1."""
    item, sizes, names = _sizes(outcomes)
    if sizes.min() < k:
        few = int(sizes.argmin())
        raise ValueError(
            f"{name} draws {k:,} answers to each item, and item {names[few]} has {sizes[few]:,}; "
            "name a smaller number, or leave out such items."
        )
    other = ~np.isin(outcomes.values.ravel(), (0.0, 1.0)) & passes
    refuse_rows(other, f"{name} needs scores of 0 and 1, and there are others",
                f"best_of_{k} takes any")  # fmt: skip
    if outcomes.runs is not None:
        refuse_rows(
            pd.DataFrame({"item": item, "run": outcomes.runs}).duplicated().to_numpy(),
            f"{name} needs one answer to each item in a run, and there is another",
            "name the items by `ids` that repeat from run to run (--id COLUMN); of models with "
            "different numbers of runs, whose rows repeat, take one at a time (--model)",
        )  # fmt: skip


def _chances(n: int, k: int, rank: int) -> FloatArray:
    """Return the chance of each of n ordered scores to have this rank among k that are drawn."""
    ways = (math.comb(i, rank - 1) * math.comb(n - 1 - i, k - rank) for i in range(n))
    # Quotients of integers are rounded once, however large these are.
    return np.array([each / math.comb(n, k) for each in ways])


def _expected(outcomes: Outcomes, *, name: str, k: int, rank: int, passes: bool) -> FloatArray:
    """Return the expected score of a rank among k answers to the row's item, over its rows."""
    _check(outcomes, name, k, passes=passes)
    item, sizes, _ = _sizes(outcomes)
    scores, first = outcomes.values.ravel(), np.cumsum(sizes) - sizes
    ordered, values = scores[np.lexsort((scores, item))], np.empty(len(sizes))
    for n in np.unique(sizes):
        of_size = ordered[first[sizes == n, None] + np.arange(n)]
        values[sizes == n] = of_size @ _chances(int(n), k, rank)
    return (values / sizes)[item, None]


def _shares(outcomes: Outcomes) -> FloatArray:
    """Return one over the number of rows of each row's item."""
    item, sizes, _ = _sizes(outcomes)
    return (1 / sizes)[item, None]


_of_items = partial(Statistic, of_items=True, costly=True)
_ITEMS = _of_items("items", _shares, shared=True)


def answers_metric(family: str, *, k: int = 5, highest: bool = True) -> Metric:
    """Return a metric of k answers to each item; the best score is the highest, or the lowest."""
    middle = family == "majority_of_k"
    check_count("k", k, at_least=1)
    if middle and k % 2 == 0:
        raise ValueError(f"`k` must be odd, got {k}.")
    rank = (k + 1) // 2 if middle else k if highest and family != "pass_hat_k" else 1
    pattern, passes = family.removesuffix("k") + "{k}", family != "best_of_k"
    name = pattern.format(k=k)
    compute = partial(_expected, name=name, k=k, rank=rank, passes=passes)
    return Metric(
        name=name, family=family, needs="scores", ratio=mean_ratio, greater_is_better=highest,
        statistics=(_of_items(f"{name}, rank {rank}", compute), _ITEMS),
        bounds=(0.0, 1.0) if passes else (-math.inf, math.inf),
        factory=Factory(partial(answers_metric, family), {"k": k}, pattern),
        arguments={"groups": "Item of each answer.", "scores": "Score of each answer."},
        **_RECORDS[family],
    )  # fmt: skip


METRICS: tuple[AnyMetric, ...] = tuple(map(answers_metric, _RECORDS))
