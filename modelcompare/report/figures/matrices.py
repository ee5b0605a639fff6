"""Squares with shades and numbers, and the classes that are confused most."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from modelcompare.report.figures.interval_rows import wrapped_name
from modelcompare.report.figures.selection import shown_classes
from modelcompare.report.figures.style import DARK, ON_DARK, ON_LIGHT, SHADES, plain_axes
from modelcompare.report.figures.types import Axes

MAX_CLASSES = 12
# Squares with more rows than this have no numbers.
WRITTEN = 12


def draw_cells(
    axes: Axes, shade: NDArray[Any], texts: NDArray[Any], strong: NDArray[Any] | None = None
) -> None:
    """Draw shades from 0 to 1, and numbers in them if they fit."""
    plain_axes(axes)
    axes.grid(visible=False)
    axes.imshow(shade, cmap=SHADES, vmin=0, vmax=1.15, aspect="equal", interpolation="nearest")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    if len(shade) > WRITTEN:
        return
    for (i, j), value in np.ndenumerate(shade):
        if not np.isnan(value):
            bold = strong is not None and strong[i, j]
            axes.text(
                j, i, str(texts[i, j]), ha="center", va="center", fontsize=7,
                color=ON_DARK if value > DARK else ON_LIGHT,
                fontweight="bold" if bold else "normal",
            )  # fmt: skip


# Longest name of a class that is as wide as its column.
_FITTING_NAME = 3


def short(name: str) -> str:
    """The name in one line; the middle of a long one is left out."""
    whole = wrapped_name(name).replace("\n", "")
    return whole if len(whole) <= 30 else f"{whole[:13]}\u2026{whole[-16:]}"


def draw_shares(
    shares: pd.DataFrame, title: str, x_label: str, axes: Axes, strong: NDArray[Any] | None = None
) -> None:
    """Draw shares of classes, or models, in rows, by classes in columns; `strong` ones are bold."""
    draw_cells(axes, shares.to_numpy(), np.vectorize(share_text)(shares.to_numpy()), strong)
    axes.set_title(title)
    for names, place in ((shares.index, axes.set_yticks), (shares.columns, axes.set_xticks)):
        place(range(len(names)), [short(str(name)) for name in names], fontsize=7)
    if any(len(str(name)) > _FITTING_NAME for name in shares.columns):
        axes.tick_params(axis="x", rotation=90)
    axes.set_xlabel(x_label)


def share_text(share: float) -> str:
    """Write a share without its leading zero."""
    if np.isnan(share):
        return ""
    rounded = f"{share:.2f}"
    return "1" if rounded == "1.00" else "0" if rounded == "0.00" else rounded.lstrip("0")


def most_confused(shares: pd.DataFrame) -> tuple[list[int], str]:
    """Return positions of the classes that are drawn, and a remark: all, or of lowest recall."""
    worst = np.argsort(np.nan_to_num(np.diag(shares.to_numpy()), nan=2.0), kind="stable")
    return shown_classes(worst.tolist(), MAX_CLASSES, "those confused most")
