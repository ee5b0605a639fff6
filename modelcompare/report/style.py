"""What all figures share: colours that colour-blind readers tell apart, fonts and plain axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito (2008), without the yellow that is too light for lines on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
# Twelve models: the same, then darker ones of Paul Tol's muted scheme.
MODEL_COLOURS = (*COLOURS, "#882255", "#999933", "#332288", "#44AA99", "#661100")
# The first metric of a pair, and its counterpart.
LineStyle = Literal["-", "--"]
LINE_STYLES: tuple[LineStyle, LineStyle] = ("-", "--")
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
    """Apply the style to figures made inside, whatever the user's own settings."""
    check_matplotlib()
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield


def new_figure(width: float, height: float) -> Figure:
    """Make a figure outside pyplot, so that nothing must be closed."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.06)
    return _figure_class()(figsize=(width, height), layout=layout, facecolor="white")


@cache
def _figure_class() -> type[Figure]:
    """Figures that notebooks show by themselves, though pyplot does not know them."""
    from io import BytesIO

    from matplotlib.figure import Figure

    class ShownFigure(Figure):
        def _repr_png_(self) -> bytes:
            buffer = BytesIO()
            self.savefig(buffer, format="png", dpi=80)
            return buffer.getvalue()

    return ShownFigure


def plain_axes(axes: Axes, *, grid: Literal["x", "y", "both"] = "x") -> None:
    """Leave of the frame what carries a scale, and put a light grid behind the data."""
    axes.spines[["top", "right"]].set_visible(False)
    if grid == "x":
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    axes.grid(axis=grid, color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)


def ratio_axis(axes: Axes, ratios: Sequence[float], *, last: bool = True) -> None:
    """Put the parts of the test set on a logarithmic axis, each with its tick."""
    axes.set_xscale("log")
    axes.set_xticks(ratios, [f"{ratio:g}" for ratio in ratios], fontsize=8)
    axes.minorticks_off()
    if last:
        axes.set_xlabel("part of the test set")


def legend_below(figure: Figure, keys: Sequence[Any], note: str, *, most_columns: int = 4) -> None:
    """One legend for all panels below them, under the small print."""
    if not keys:
        figure.supxlabel(note, x=0.01, ha="left", fontsize=7, color=MUTED)
        return
    longest = max(len(key.get_label()) for key in keys)
    fitting = max(1, int(figure.get_figwidth() * 11 / (longest + 7)))
    # As the title of the legend, because a label of the figure would be drawn over it.
    legend = figure.legend(
        handles=list(keys),
        loc="outside lower left",
        ncols=min(len(keys), most_columns, fitting),
        fontsize=8,
        title=note,
        title_fontsize=7,
        alignment="left",
    )
    legend.get_title().set_color(MUTED)


def figure_title(figure: Figure, text: str) -> None:
    """Write the title of a figure at its left edge."""
    figure.suptitle(text, x=0.01, ha="left", fontsize=10.5, fontweight="bold")


def line_key(colour: str, label: str, *, style: LineStyle = "-") -> Any:
    """Make the entry of a line in a legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, linewidth=2, linestyle=style, label=label)
