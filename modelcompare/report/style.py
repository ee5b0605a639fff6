"""What all figures share: colours that colour-blind readers tell apart, fonts and plain axes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito (2008), without the yellow that is too light for lines on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
LEADING = COLOURS[0]
MUTED = "#767676"
_STYLE: Any = {
    "axes.formatter.useoffset": False,
    "axes.labelsize": 9,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "text.parse_math": False,  # a dollar sign in a model's name is a dollar sign
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
}


def check_matplotlib() -> None:
    """Refuse early where matplotlib is not installed."""
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError as error:
        raise ImportError(
            'Figures need matplotlib, which is not installed: pip install "modelcompare[plot]"'
        ) from error


@contextmanager
def figure_style() -> Iterator[None]:
    """Apply the style to figures made inside, whatever the user's own settings.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    check_matplotlib()
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield


def new_figure(width: float, height: float) -> Figure:
    """Make a figure outside pyplot, so that nothing must be closed."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.06)
    return Figure(figsize=(width, height), layout=layout, facecolor="white")


def plain_axes(axes: Axes, *, grid: Literal["x", "y", "both"] = "x") -> None:
    """Leave of the frame what carries a scale, and put a light grid behind the data."""
    axes.spines[["top", "right"]].set_visible(False)
    if grid == "x":
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    axes.grid(axis=grid, color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
