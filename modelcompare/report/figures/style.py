"""Style of all figures: colours safe for colour-blind readers, markers, plain axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from modelcompare import escape
from modelcompare.report.figures.types import Artist, Axes, Axis

# Okabe and Ito (2008), without the yellow that is too light for lines on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
# Twelve models: the same, then darker ones of Paul Tol's muted scheme.
MODEL_COLOURS = (*COLOURS, "#882255", "#999933", "#332288", "#44AA99", "#661100")
# In grey print markers distinguish models.
MARKERS = "os^Dv<>PXd*h"
# With more models than colours, the range of all models is drawn in their place.
MAX_LINES = len(MODEL_COLOURS)
LineStyle = Literal["-", "--", ":", ""]
LEADING = COLOURS[0]
OTHER = COLOURS[1]
MUTED = "#767676"
# One colour from light to dark, also in grey.
SHADES = "Blues"
# Darker than this the writing on a shade is white. Both have a contrast of 4.5 to 1 or more.
DARK = 0.81
# Scales of less than two powers of ten have numbers between them.
_FEW_POWERS = 100
# A page turns black and white with its theme, but no shade, nor what is written on one.
ON_LIGHT, ON_DARK = "#010101", "#FEFEFE"


@dataclass(frozen=True)
class Look:
    """Colour, marker and line of one model, or of one metric."""

    colour: str
    marker: str = ""
    line: LineStyle = "-"

    def options(self, **more: Any) -> dict[str, Any]:
        """Return the style as keyword arguments of matplotlib's lines."""
        own = {"color": self.colour, "marker": self.marker, "linestyle": self.line}
        return {"markersize": 3.8, "linewidth": 1.4, **own, **more}


# One meaning in every forest and table: no significant difference, or a significant one.
SAME = Look(LEADING, "o")
DIFFERENT = Look(OTHER, "D")
UNTESTED = Look(MUTED, "o")
# What guessing reaches.
CHANCE = Look(MUTED, line=":")


def look_of_each(models: Sequence[str]) -> list[tuple[str, Look]]:
    """Give a colour and a marker to each model, while colours last."""
    named = zip(models, MODEL_COLOURS, MARKERS, strict=False)
    return [(model, Look(colour, marker)) for model, colour, marker in named]


def describe(artist: Artist, texts: Sequence[str]) -> None:
    """Store the text of each mark of an artist, which a page shows under the pointer."""
    described: dict[str, list[str]] | None = getattr(artist.figure, "described", None)
    if described is not None:
        name = f"described_{len(described)}"
        artist.set_gid(name)
        described[name] = list(texts)


def plain_axes(axes: Axes, title: str = "", *, grid: Literal["x", "y", "both"] = "both") -> None:
    """Remove spines without a scale, and draw a light grid below the data."""
    axes.spines[["top", "right"]].set_visible(False)
    if grid == "x":
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    axes.grid(axis=grid, color="#DDDDDD", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_title(escape.figure(title))


def plain_log(axis: Axis) -> None:
    """Write the powers of a logarithmic scale as numbers, and between few of them 2 and 5 times."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    if axis.get_scale() == "log" and high < _FEW_POWERS * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}" if 10 <= x < 1e7 else f"{x:g}"))
    axis.set_minor_formatter(NullFormatter())
