"""Lay a figure out: title above the panels, key below them, then the small print.

Panels keep their size; the texts around them make the figure higher.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, TypeAlias, cast

import numpy as np

from modelcompare import escape
from modelcompare.report.figures.style import MUTED, Look
from modelcompare.report.figures.types import Axes, Axis, Figure
from modelcompare.words import optional

_STYLE: Any = {
    "axes.formatter.useoffset": False,
    "axes.labelsize": 9,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "text.parse_math": False,  # a dollar sign in a model's name is a dollar sign
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}
# Draws one panel into its axes.
Panel: TypeAlias = Callable[[Axes], Any]
_MARGIN = 0.12
_GAP = 0.08
_TITLE, _SHOWN, _NOTE = 10.5, 8.5, 7.0
# Drawn text is hinted, and up to so much wider than its outlines.
_HINTING = 1.05
_MOST_KEYS_ABREAST = 6


@dataclass(frozen=True)
class Caption:
    """Title, legend and small print around the panels of a figure."""

    title: str  # the subject, how many samples, at which level
    signature: str
    shown: str = ""  # which models and classes, where not all are
    note: str = ""  # what marks and lines mean
    keys: Sequence[tuple[str, Look]] = ()  # entries of the legend
    y_label: str = ""  # of the panels in the first column


def check_matplotlib() -> None:
    """Refuse early where matplotlib is not installed."""
    optional("matplotlib", "Figures need matplotlib, which is not installed", "plot")


def draw_panels(
    caption: Caption, rows: Sequence[Sequence[Panel]], size: tuple[float, float | Sequence[float]],
    *, ax: Axes | None = None, least_width: float = 0.0, finish: Panel | None = None,
    settled: Panel | None = None, **grid: Any,
) -> Figure:  # fmt: skip
    """Draw rows of panels in our style, or the first of them into an `ax` of the user's.

    Parameters
    ----------
    caption : Caption
        Texts around the panels; a user's `ax` takes the legend and the label alone.
    rows : sequence of sequence of callable
        From top to bottom and left to right, what draws a panel into its axes.
    size : tuple of float and float, or sequence of float
        Inches of each column, and of each row.
    ax : Axes, optional
        Axes of the user's, in the user's style.
    least_width : float
        Inches that the columns take together at least.
    finish : callable, optional
        Called with the first axes when all are drawn, to set the limits that they share.
    settled : callable, optional
        Called with the first axes when they have their size.
    **grid
        As in matplotlib's ``subplots``: which panels share an axis.
    """
    check_matplotlib()
    import matplotlib as mpl

    from modelcompare.report.figures.metadata import SignedFigure

    if ax is not None:
        with mpl.rc_context({"text.parse_math": False}):
            _fill(np.array([[_checked(ax)]], dtype=object), [rows[0][:1]], caption.y_label, finish)
            if caption.keys:
                ax.legend(handles=_handles(caption.keys))
            if settled is not None:
                settled(ax)
        return cast("Figure", ax.figure)
    width, height = size
    heights = [height] * len(rows) if isinstance(height, float) else height
    n_columns = max(map(len, rows))
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        # Made outside pyplot, so that nothing must be closed.
        inches = max(width * n_columns, least_width), sum(heights)
        figure = SignedFigure(figsize=inches, facecolor="white")
        axes = figure.subplots(len(rows), n_columns, squeeze=False, height_ratios=heights, **grid)
        _fill(axes, rows, caption.y_label, finish)
        _surround(figure, caption)
        _fit_texts(figure)
        if settled is not None:
            settled(axes[0, 0])
        return figure


def wrapped(panels: Sequence[Panel], n_columns: int = 3) -> list[Sequence[Panel]]:
    """Break a list of panels into rows."""
    return [panels[start : start + n_columns] for start in range(0, len(panels), n_columns)]


def _fill(grid: Any, rows: Sequence[Sequence[Panel]], y_label: str, finish: Panel | None) -> None:
    """Draw each panel into its axes, and hide the axes that are left."""
    for row, panels in zip(grid, rows, strict=True):
        for axes, draw in zip(row, panels, strict=False):
            draw(axes)
        for axes in row[len(panels) :]:
            axes.set_visible(False)
        if y_label:
            row[0].set_ylabel(y_label)
    if finish is not None:
        finish(grid[0, 0])


def _checked(ax: Any) -> Axes:
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise TypeError(
            f"`ax` must be one matplotlib Axes, got {type(ax).__name__}; plt.subplots() makes one."
        )
    return ax


def _surround(figure: Any, caption: Caption) -> None:
    """Write title, key and small print, and make the figure higher by what they take."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure.title, figure.signature = caption.title, caption.signature
    figure.remarks = [*filter(None, (caption.title, caption.shown, caption.note))]
    width, height = figure.get_size_inches()
    room = width - 2 * _MARGIN
    left = _MARGIN / width
    style = {"x": left, "ha": "left", "va": "top"}
    note = "\n".join(filter(None, [caption.note, caption.signature]))
    above = [
        figure.text(y=1, s=lines_of(text, room, size, bold=bold), fontsize=size,
                    fontweight="bold" if bold else "normal", **style)
        for text, size, bold in ((caption.title, _TITLE, True), (caption.shown, _SHOWN, False))
        if text
    ]  # fmt: skip
    below: list[Any] = [_legend(figure, caption.keys, room)] if caption.keys else []
    small = lines_of(note, room, _NOTE)
    below.append(figure.text(y=0, s=small, fontsize=_NOTE, color=MUTED, **style))
    top, bottom = (sum(_height(part) + _GAP for part in parts) for parts in (above, below))
    whole = height + top + bottom + 2 * _MARGIN
    figure.set_size_inches(width, whole)
    for parts, start in ((above, whole - _MARGIN), (below, bottom + _MARGIN - _GAP)):
        for part in parts:
            _place(part, left, start / whole)
            start -= _height(part) + _GAP
    low = (bottom + _MARGIN) / whole
    high = 1 - (top + _MARGIN) / whole
    figure.set_layout_engine(
        ConstrainedLayoutEngine(w_pad=0.09, h_pad=0.06, rect=(0, low, 1, high - low))
    )


def _place(part: Any, x: float, y: float) -> None:
    """Put the upper left corner of a text, or of a legend, at a point of the figure."""
    from matplotlib.legend import Legend

    if isinstance(part, Legend):
        # This transform, unlike that by default, stays the same where margins are cut off.
        part.set_bbox_to_anchor((x, y), part.figure.transFigure)
    else:
        part.set_position((x, y))


def _height(part: Any) -> float:
    """Height in inches."""
    return float(part.get_window_extent().height / part.figure.dpi)


def _handles(keys: Sequence[tuple[str, Look]], room: float = 6.0) -> list[Any]:
    from matplotlib.lines import Line2D

    return [
        Line2D([], [], label=lines_of(label, room - 0.5, 8.0), **look.options(markersize=5))
        for label, look in keys
    ]


def _legend(figure: Figure, keys: Sequence[tuple[str, Look]], room: float) -> Any:
    """Make one legend for all panels, with as many columns as fit."""
    handles = _handles(keys, room)
    for n_columns in range(min(len(handles), _MOST_KEYS_ABREAST), 0, -1):
        legend = figure.legend(
            handles=handles, loc="upper left", bbox_to_anchor=(0, 1), ncols=n_columns,
            borderaxespad=0, borderpad=0, labelspacing=0.35, columnspacing=1.4,
        )  # fmt: skip
        if n_columns == 1 or legend.get_window_extent().width <= room * figure.dpi:
            break
        legend.remove()
    return legend


def lines_of(text: str, room: float, size: float, *, bold: bool = False) -> str:
    """Break a text into lines of at most `room` inches, between words where that is possible."""
    lines: list[str] = []
    for line in escape.figure(text).split("\n"):
        current = ""
        for word in _words(line, room, size, bold):
            if current and _width((current + word).rstrip(), size, bold) > room:
                lines.append(current.rstrip())
                current = ""
            current += word
        lines.append(current.rstrip())
    return "\n".join(lines)


def _words(line: str, room: float, size: float, bold: bool) -> Iterator[str]:
    """Yield words with the mark after them; cut words longer than a line, at a mark if possible.

    Signatures are broken after their bars.
    """
    for word in re.findall(r"[^\s|]*(?: %(?: CI)?)?[\s|]+|[^\s|]+(?: %(?: CI)?)?", line):
        while _width(word.rstrip(), size, bold) > room and len(word) > 1:
            fitting = max(1, int(len(word) * room / _width(word, size, bold)) - 1)
            marks = [place + 1 for place in range(fitting // 2, fitting) if word[place] in "_-./:"]
            cut = marks[-1] if marks else fitting
            yield word[:cut]
            word = word[cut:]
        yield word


@cache
def _width(text: str, size: float, bold: bool) -> float:
    """Width of a text in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(
        family=_STYLE["font.sans-serif"], size=size, weight="bold" if bold else "normal"
    )
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72 * _HINTING


def _fit_texts(figure: Figure) -> None:
    """Break titles and labels of axes that are wider than their panel, and thin out ticks."""
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    for axes in figure.axes:
        if not axes.get_visible():
            continue
        axes.apply_aspect()
        box = axes.get_window_extent()
        wide, high = box.width / figure.dpi, box.height / figure.dpi
        title = axes.set_title(axes.get_title(loc="left"))
        for text, room in ((title, wide), (axes.xaxis.label, wide), (axes.yaxis.label, high)):
            if text.get_text():
                bold = text.get_fontweight() == "bold"
                text.set_text(
                    lines_of(text.get_text(), room, float(text.get_fontsize()), bold=bold)
                )
        _thin_out(axes.xaxis)


def _thin_out(axis: Axis) -> None:
    """Leave ticks out whose labels would touch, the last one stays."""
    boxes = [label.get_window_extent().padded(2) for label in axis.get_ticklabels()]
    if not any(a.overlaps(b) for a, b in pairwise(boxes)):
        return
    places, texts = axis.get_ticklocs(), [label.get_text() for label in axis.get_ticklabels()]
    kept: list[int] = []
    for place in sorted(range(len(boxes)), key=lambda k: -places[k]):
        if not any(boxes[place].overlaps(boxes[other]) for other in kept):
            kept.append(place)
    axis.set_ticks([places[k] for k in kept], [texts[k] for k in kept])
