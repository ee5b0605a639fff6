"""The figures that results draw; imported where one is made, because matplotlib is slow to load."""

from __future__ import annotations

from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from modelcompare.report.writers.files import write_figure


class SignedFigure(Figure):
    """A figure that knows its title and signature, and that notebooks show though pyplot does not.

    Attributes
    ----------
    title, signature : str
        Subject and settings; `save` writes both into the file.
    """

    title: str = ""
    signature: str = ""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # What is written around the panels; and by the ids of groups what their marks stand for:
        # see `style.describe`.
        self.remarks: list[str] = []
        self.described: dict[str, list[str]] = {}

    def save(self, path: str | PathLike[str], *, dpi: int = 150) -> Path:
        """Write the figure as .png, .svg or .pdf, with title and signature in the file."""
        return write_figure(path, self, dpi=dpi)

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        self.savefig(buffer, format="png", dpi=80)
        return buffer.getvalue()
