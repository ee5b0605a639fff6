"""Figures of squares: pairs of models, values by class, and confusion matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from modelcompare.report.figures.interval_rows import wrapped_name
from modelcompare.report.figures.layout import Caption, draw_panels
from modelcompare.report.figures.selection import shown_classes
from modelcompare.report.figures.style import DARK, ON_DARK, ON_LIGHT, SHADES, plain_axes
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import format_p_value

MAX_MODELS = 30
MAX_CLASSES = 12
# Squares with more rows than this have no numbers.
_WRITTEN = 12
_Square = Literal["p_value", "wins"]
_SQUARES: Mapping[_Square, str] = {
    "p_value": "adjusted p", "wins": "wins of the row",
}  # fmt: skip


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
            texts = np.vectorize(_share_text)(values)
            shade, strong = values, values > 1
        # The diagonal stays empty.
        shade = np.where(np.eye(len(shade), dtype=bool), np.nan, shade)
        _draw_cells(axes, shade, texts, strong)
        axes.set_title(_SQUARES[kind])
        _name_models(axes, models)

    side = max(0.34 * len(models) if len(models) <= _WRITTEN else 0.17 * len(models), 1.6)
    size = side + 1.3 + 1.6 / len(kinds), side + 1.0
    return draw_panels(caption, [[partial(draw, kind) for kind in kinds]], size, ax=ax, sharey=True)


def _p_text(p_value: float) -> str:
    return "" if np.isnan(p_value) else format_p_value(p_value).replace("0.", ".")


def _draw_cells(
    axes: Axes, shade: NDArray[Any], texts: NDArray[Any], strong: NDArray[Any] | None = None
) -> None:
    """Draw shades from 0 to 1, and numbers in them if they fit."""
    plain_axes(axes)
    axes.grid(visible=False)
    axes.imshow(shade, cmap=SHADES, vmin=0, vmax=1.15, aspect="equal", interpolation="nearest")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    if len(shade) > _WRITTEN:
        return
    for (i, j), value in np.ndenumerate(shade):
        if not np.isnan(value):
            bold = strong is not None and strong[i, j]
            axes.text(
                j, i, str(texts[i, j]), ha="center", va="center", fontsize=7,
                color=ON_DARK if value > DARK else ON_LIGHT,
                fontweight="bold" if bold else "normal",
            )  # fmt: skip


def _name_models(axes: Axes, models: Sequence[str]) -> None:
    """Number the rows after their names, and the columns above."""
    numbers = np.arange(len(models))
    size = 8 if len(models) <= _WRITTEN else 6
    names = [f"{name}  {k + 1}" for k, name in enumerate(map(_short, models))]
    axes.set_yticks(numbers, names, fontsize=size)
    axes.set_xticks(numbers, [str(k + 1) for k in numbers], fontsize=min(size, 7))


# Longest name of a class that is as wide as its column.
_FITTING_NAME = 3


def _short(name: str) -> str:
    """The name in one line; the middle of a long one is left out."""
    whole = wrapped_name(name).replace("\n", "")
    return whole if len(whole) <= 30 else f"{whole[:13]}\u2026{whole[-16:]}"


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


def draw_shares(
    shares: pd.DataFrame, title: str, x_label: str, axes: Axes, strong: NDArray[Any] | None = None
) -> None:
    """Draw shares of classes, or models, in rows, by classes in columns; `strong` ones are bold."""
    _draw_cells(axes, shares.to_numpy(), np.vectorize(_share_text)(shares.to_numpy()), strong)
    axes.set_title(title)
    for names, place in ((shares.index, axes.set_yticks), (shares.columns, axes.set_xticks)):
        place(range(len(names)), [_short(str(name)) for name in names], fontsize=7)
    if any(len(str(name)) > _FITTING_NAME for name in shares.columns):
        axes.tick_params(axis="x", rotation=90)
    axes.set_xlabel(x_label)


def plot_classes(
    title: str, values: pd.DataFrame, strong: NDArray[Any] | None, caption: Caption, *,
    ax: Axes | None = None,
) -> Figure:  # fmt: skip
    """Draw a value for each model, in rows, and class, in columns; `strong` ones are bold."""
    draw = partial(draw_shares, values, title, "", strong=strong)
    n_rows, n_columns = values.shape
    size = 0.34 * n_columns + 2.1, 0.34 * n_rows + 1.3
    return draw_panels(caption, [[draw]], size, ax=ax, least_width=4.4)


_COUNTED = {"labels": "decisions", "probabilities": "probabilities"}


def _of_true(matrix: pd.DataFrame) -> pd.DataFrame:
    return matrix.div(matrix.sum(axis=1).where(lambda total: total > 0), axis=0)


def _share_text(share: float) -> str:
    if np.isnan(share):
        return ""
    rounded = f"{share:.2f}"
    return "1" if rounded == "1.00" else "0" if rounded == "0.00" else rounded.lstrip("0")


def most_confused(shares: pd.DataFrame) -> tuple[list[int], str]:
    """Return positions of the classes that are drawn, and a remark: all, or of lowest recall."""
    worst = np.argsort(np.nan_to_num(np.diag(shares.to_numpy()), nan=2.0), kind="stable")
    return shown_classes(worst.tolist(), MAX_CLASSES, "those confused most")
