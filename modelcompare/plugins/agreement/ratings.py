"""Agreement of annotators: functions of sums over items, resampled like any metric.

An item contributes its pairs of ratings to a coincidence matrix (Krippendorff); observed and
expected disagreement are sums over its cells. Fleiss' kappa needs the share of agreeing pairs of
each item and the totals of the categories.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.metrics.base import Metric, Outcomes, Statistic, divide
from modelcompare.metrics.quotient import side_by_side
from modelcompare.words import Level as Level
from modelcompare.words import check_sequence


def rating_counts(
    ratings: ArrayLike, order: Sequence[Any] | None = None
) -> tuple[FloatArray, AnyArray]:
    """Count the annotators that gave each item each category, without missing ratings.

    Parameters
    ----------
    ratings : array-like of shape (n_items, n_annotators)
        Labels or numbers; None or NaN where an annotator did not rate an item.
    order : sequence, optional
        The categories from the lowest to the highest; sorted by default.

    Returns
    -------
    counts : ndarray of shape (n_items, n_categories)
    categories : ndarray of shape (n_categories,)
        The categories, in that order.

    Examples
    --------
    >>> counts, categories = rating_counts([["a", "b"], ["a", None]])
    >>> counts.tolist(), categories.tolist()
    ([[1.0, 1.0], [1.0, 0.0]], ['a', 'b'])
    """
    table = np.array([[*row] for row in np.asarray(ratings, dtype=object)], dtype=object)
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(
            f"`ratings` must have shape (n_items, n_annotators) with two or more annotators, got "
            f"{table.shape}."
        )
    given = ~pd.isna(table)
    found = {x.item() if isinstance(x, np.generic) else x for x in table[given]}
    if len({isinstance(x, str) for x in found}) > 1:
        raise ValueError("`ratings` mix texts and numbers; make them all of one type.")
    order = None if order is None else check_sequence("order", order, "categories")
    if order is not None and not found <= {*order}:
        raise ValueError(f"`order` lacks {', '.join(sorted(map(repr, found - {*order})))}.")
    categories = np.array(sorted(found) if order is None else [*order])
    if len(categories) < 2:
        raise ValueError("`ratings` hold a single category; agreement needs at least two.")
    table[~given] = None
    counts = [(table == category).sum(axis=1) for category in categories.tolist()]
    return np.column_stack(counts).astype(np.float64), categories


def coincidences(counts: FloatArray) -> FloatArray:
    """Return each item's pairs of ratings over its ratings less one, (n_items, n_cells)."""
    raters = counts.sum(axis=1)
    pairs = counts[:, :, None] * counts[:, None, :]
    diagonal = np.arange(counts.shape[1])
    pairs[:, diagonal, diagonal] -= counts
    # An item with a single rating has no pairs.
    return divide(pairs, np.maximum(raters - 1, 0.0)[:, None, None], 0.0).reshape(len(counts), -1)


def krippendorff_alpha(cells: FloatArray, *, distances: FloatArray | None) -> FloatArray:
    """Return one minus the observed over the expected disagreement.

    Parameters
    ----------
    cells : ndarray of shape (..., n_categories ** 2)
        Coincidences.
    distances : ndarray of shape (n_categories, n_categories), optional
        Squared distances of the categories; if they are ordinal, those of their ranks.
    """
    n_categories = round(cells.shape[-1] ** 0.5)
    matrix = cells.reshape(*cells.shape[:-1], n_categories, n_categories)
    totals = matrix.sum(axis=-1)
    n = totals.sum(axis=-1)
    d = _between(totals) if distances is None else distances
    observed = (matrix * d).sum(axis=(-1, -2))
    expected = (totals[..., :, None] * totals[..., None, :] * d).sum(axis=(-1, -2))
    return 1 - divide((n - 1) * observed, expected)


def _between(totals: FloatArray) -> FloatArray:
    """Compute squared distances of the categories' mid-ranks."""
    # Ratings up to the middle of each category.
    middle = np.cumsum(totals, axis=-1) - totals / 2
    return (middle[..., :, None] - middle[..., None, :]) ** 2


def _distances(level: Level, categories: AnyArray) -> FloatArray | None:
    """Compute squared distances of the categories; None if they depend on the ratings."""
    if level == "nominal":
        return 1 - np.eye(len(categories))
    if level == "ordinal":
        return None
    if categories.dtype.kind not in "fiu":
        raise ValueError(f"`level='{level}'` needs numbers, the ratings are {categories[:3]}.")
    values = categories.astype(np.float64)
    difference = values[:, None] - values
    if level == "interval":
        return difference**2
    if (values < 0).any():
        raise ValueError("`level='ratio'` needs numbers that are not negative.")
    return divide(difference, values[:, None] + values, 0.0) ** 2


def fleiss_kappa(agreeing: FloatArray, totals: FloatArray) -> FloatArray:
    """Return the agreement beyond chance, which follows from the categories' totals.

    Parameters
    ----------
    agreeing : ndarray of shape (..., 2)
        Sum over items of their share of agreeing pairs, and number of items.
    totals : ndarray of shape (..., n_categories)
        Ratings in each category.
    """
    observed = divide(agreeing[..., 0], agreeing[..., 1])
    share = divide(totals, totals.sum(axis=-1, keepdims=True))
    chance = (share**2).sum(axis=-1)
    return divide(observed - chance, 1 - chance)


def _rows_of(outcomes: Outcomes, *, table: FloatArray) -> FloatArray:
    return table[outcomes.values.astype(np.intp)]


def annotation_metrics(
    counts: FloatArray, categories: AnyArray, level: Level = "nominal"
) -> tuple[Metric, ...]:
    """Metrics of per-item counts; their outcomes are positions of items.

    Fleiss' kappa is included if every item has the same number of ratings.
    """
    raters = counts.sum(axis=1)
    agreeing = divide((counts * (counts - 1)).sum(axis=1), raters * (raters - 1), 0.0)
    paired = (raters > 1).astype(np.float64)

    def of_items(name: str, table: FloatArray) -> Statistic:
        return Statistic(name, partial(_rows_of, table=table))

    pairs = of_items("agreeing_pairs", np.column_stack([agreeing, paired]))
    of_ratings = partial(Metric, needs="scores")
    chance_corrected = partial(of_ratings, bounds=(-1.0, 1.0))
    percent = of_ratings(name="percent_agreement", statistics=(pairs,), ratio=side_by_side)
    totals = of_items("category_totals", counts)
    fleiss = chance_corrected(name="fleiss_kappa", statistics=(pairs, totals), value=fleiss_kappa)
    cells = of_items("coincidences", coincidences(counts))
    value = partial(krippendorff_alpha, distances=_distances(level, categories))
    alpha = chance_corrected(name="krippendorff_alpha", statistics=(cells,), value=value)
    return (percent, fleiss, alpha) if (raters == raters[0]).all() else (percent, alpha)
