"""Types of matplotlib, which is slow to load, for annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from matplotlib.artist import Artist as Artist
    from matplotlib.axes import Axes as Axes
    from matplotlib.axis import Axis as Axis
    from matplotlib.figure import Figure as Figure
else:
    Artist: TypeAlias = Any
    Axes: TypeAlias = Any
    Axis: TypeAlias = Any
    Figure: TypeAlias = Any
