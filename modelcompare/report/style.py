"""What all figures share: colours that colour-blind readers tell apart, fonts and plain axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from modelcompare.report import escape

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito (2008), without the yellow that is too light for lines on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
# Twelve models: the same, then darker ones of Paul Tol's muted scheme.
MODEL_COLOURS = (*COLOURS, "#882255", "#999933", "#332288", "#44AA99", "#661100")
LineStyle = Literal["-", "--", ""]
# The first metric of a pair, and its counterpart.
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
def drawn(
    width: float, height: float, title: str, note: str = "", keys: Sequence[Any] = (), *,
    sizes: tuple[float, float] = (10.5, 7),
) -> Iterator[Figure]:  # fmt: skip
    """Make a figure in our style, whatever the user's own; title and small print come last.

    It is made outside pyplot, so that nothing must be closed.
    """
    check_matplotlib()
    import matplotlib as mpl
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.06)
        figure = _figure_class()(figsize=(width, height), layout=layout, facecolor="white")
        yield figure
        note = escape.figure(note)
        figure.suptitle(
            escape.figure(title), x=0.01, ha="left", fontsize=sizes[0], fontweight="bold"
        )
        if keys:
            _legend_below(figure, keys, note)
        elif note:
            figure.supxlabel(note, x=0.01, ha="left", fontsize=sizes[1], color=MUTED)


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


def plain_axes(axes: Axes, title: str = "", *, grid: Literal["x", "y", "both"] = "both") -> None:
    """Leave of the frame what carries a scale, and put a light grid behind the data."""
    axes.spines[["top", "right"]].set_visible(False)
    if grid == "x":
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    axes.grid(axis=grid, color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_title(escape.figure(title))


def ratio_axis(axes: Axes, ratios: Sequence[float], *, last: bool = True) -> None:
    """Put the parts of the test set on a logarithmic axis, each with its tick."""
    axes.set_xscale("log")
    axes.set_xticks(ratios, [f"{ratio:g}" for ratio in ratios], fontsize=8)
    axes.minorticks_off()
    if last:
        axes.set_xlabel("part of the test set")


def draw_band(axes: Axes, rows: Any, x: str, y: str, colour: str, **line: Any) -> None:
    """Draw values over their interval."""
    axes.fill_between(
        rows[x], rows["ci_low"], rows["ci_high"], color=colour, alpha=0.16, linewidth=0
    )
    axes.plot(rows[x], rows[y], color=colour, **line)


def hide_unused(grid: Any, n_used: int) -> None:
    """Hide the panels of a grid that nothing was drawn into."""
    for axes in list(grid.flat)[n_used:]:
        axes.set_visible(False)


def in_colours(models: Sequence[str]) -> list[tuple[str, str]]:
    """Models with their colours, as many as there are."""
    return list(zip(models, MODEL_COLOURS, strict=False))


def model_keys(models: Sequence[str]) -> list[Any]:
    """Entries of a legend for models that are lines."""
    return [line_key(colour, model) for model, colour in in_colours(models)]


def line_key(colour: str, label: str, *, line: LineStyle = "-", marker: str = "") -> Any:
    """Make an entry of a legend: a line, or a marker."""
    from matplotlib.lines import Line2D

    look: dict[str, Any] = {"linewidth": 2, "linestyle": line, "marker": marker, "markersize": 4}
    return Line2D([], [], color=colour, label=escape.figure(label), **look)


def _legend_below(figure: Figure, keys: Sequence[Any], note: str) -> None:
    """One legend for all panels below them, under the small print."""
    longest = max(len(key.get_label()) for key in keys)
    fitting = max(1, int(figure.get_figwidth() * 11 / (longest + 7)))
    # As the title of the legend, because a label of the figure would be drawn over it.
    legend = figure.legend(
        handles=list(keys), loc="outside lower left", ncols=min(len(keys), 4, fitting), fontsize=8,
        title=note, title_fontsize=7, alignment="left",
    )  # fmt: skip
    legend.get_title().set_color(MUTED)
