"""Figures of squares: pairs of models, values by class, and confusion matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from modelcompare.arrays import FloatArray
from modelcompare.report.figures.layout import Caption, draw_panels
from modelcompare.report.figures.matrices import (
    WRITTEN,
    draw_cells,
    draw_shares,
    most_confused,
    share_text,
    short,
)
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import format_p_value

MAX_MODELS = 30
_Square = Literal["p_value", "wins"]
_SQUARES: Mapping[_Square, str] = {
    "p_value": "adjusted p", "wins": "wins of the row",
}  # fmt: skip
_COUNTED = {"labels": "decisions", "probabilities": "probabilities"}


def plot_heatmap(
    p_values: pd.DataFrame, wins: pd.DataFrame, caption: Caption, differ: NDArray[np.bool_], *,
    show: _Square = "p_value", ax: Axes | None = None,
) -> Figure:  # fmt: skip
    """Draw p-values of all pairs, and next to them the share of resamples that each wins.

    Pairs that `differ` are bold.

    Models are in the order of the rows; columns are named by the rows' numbers. Into an `ax` goes
    one of the two.
    """
    models = list(p_values.index)
    kinds: list[_Square] = [*_SQUARES] if ax is None else [show]

    def draw(kind: _Square, axes: Axes) -> None:
        if kind == "p_value":
            values = p_values.to_numpy()
            texts = np.vectorize(_p_text)(values)
            # Saturates far below the level.
            shade = np.clip(-np.log10(np.maximum(values, 1e-300)) / 4, 0, 1)
            strong = differ
        else:
            values = wins.to_numpy()
            texts = np.vectorize(share_text)(values)
            shade, strong = values, values > 1
        # The diagonal stays empty.
        shade = np.where(np.eye(len(shade), dtype=bool), np.nan, shade)
        draw_cells(axes, shade, texts, strong)
        axes.set_title(_SQUARES[kind])
        _name_models(axes, models)

    side = max(0.34 * len(models) if len(models) <= WRITTEN else 0.17 * len(models), 1.6)
    size = side + 1.3 + 1.6 / len(kinds), side + 1.0
    return draw_panels(caption, [[partial(draw, kind) for kind in kinds]], size, ax=ax, sharey=True)


def _p_text(p_value: float) -> str:
    return "" if np.isnan(p_value) else format_p_value(p_value).replace("0.", ".")


def _name_models(axes: Axes, models: Sequence[str]) -> None:
    """Number the rows after their names, and the columns above."""
    numbers = np.arange(len(models))
    size = 8 if len(models) <= WRITTEN else 6
    names = [f"{name}  {k + 1}" for k, name in enumerate(map(short, models))]
    axes.set_yticks(numbers, names, fontsize=size)
    axes.set_xticks(numbers, [str(k + 1) for k in numbers], fontsize=min(size, 7))


def plot_confusion(
    model: str, matrices: Mapping[str, pd.DataFrame], caption: Caption, *, soft: bool = False,
    ax: Axes | None = None,
) -> Figure:  # fmt: skip
    """Draw the share of each true class that got each predicted class, and its mean probability.

    `matrices` are "labels", and "probabilities" if the model gave them. Shares are of the true
    class. Of many classes those are drawn that are confused most. Into an `ax` goes one of the two
    matrices.
    """
    if ax is not None:
        kind = "probabilities" if soft else "labels"
        if kind not in matrices:
            raise ValueError(f"model {model!r} gave no probabilities; leave `soft` out.")
        matrices = {kind: matrices[kind]}
    shares = {kind: _of_true(matrix) for kind, matrix in matrices.items()}
    labels, shown = most_confused(next(iter(shares.values())))
    note = "shares of the samples of each true class"

    def draw(kind: str, axes: Axes) -> None:
        part = shares[kind].iloc[labels, labels]
        draw_shares(part, _COUNTED[kind], "predicted class", axes)

    side = max(0.34 * len(labels), 1.5)
    return draw_panels(
        replace(caption, shown=shown, note=note, y_label="true class"),
        [[partial(draw, kind) for kind in shares]],
        (side + 0.5 + 1.6 / len(shares), side + 1.5), ax=ax, sharey=True,
    )  # fmt: skip


def plot_classes(
    title: str, values: pd.DataFrame, strong: NDArray[Any] | None, caption: Caption, *,
    ax: Axes | None = None,
) -> Figure:  # fmt: skip
    """Draw a value for each model, in rows, and class, in columns; `strong` ones are bold."""
    draw = partial(draw_shares, values, title, "", strong=strong)
    n_rows, n_columns = values.shape
    size = 0.34 * n_columns + 2.1, 0.34 * n_rows + 1.3
    return draw_panels(caption, [[draw]], size, ax=ax, least_width=4.4)


def _of_true(matrix: pd.DataFrame) -> pd.DataFrame:
    return matrix.div(matrix.sum(axis=1).where(lambda total: total > 0), axis=0)


def share_of_wins(draws: FloatArray) -> FloatArray:
    """Return the share of resamples on which model i is better than j: (n_models, n_models).

    Ties count half; resamples on which one of the two models is undefined are left out.

    Parameters
    ----------
    draws : ndarray of shape (n_resamples, n_models)
        Replicates, with signs such that greater is better.

    Examples
    --------
    >>> share_of_wins(np.array([[1.0, 0.0], [1.0, 1.0]]))
    array([[0.5 , 0.75],
           [0.25, 0.5 ]])
    """
    out = np.empty((draws.shape[1], draws.shape[1]))
    for model, own in enumerate(draws.T[:, :, None]):
        both = np.count_nonzero(~np.isnan(own + draws), axis=0)
        won = (own > draws).sum(axis=0) + 0.5 * (own == draws).sum(axis=0)
        out[model] = np.divide(won, both, out=np.full(len(both), np.nan), where=both > 0)
    return out
