"""What figures are drawn from, and matplotlib's types: the library is slow to load."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self, TypeAlias

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


@dataclass(frozen=True)
class Drawable:
    """Base of the records that figures take: a dataclass of some attributes of a result."""

    @classmethod
    def of(cls, result: object, **others: Any) -> Self:
        """Read the fields from a result, but for those given as `others`."""
        names = [each.name for each in fields(cls) if each.name not in others]
        return cls(**{name: getattr(result, name) for name in names}, **others)
