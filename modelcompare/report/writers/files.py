"""Files: many into a folder, or a text or a figure into one, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from modelcompare.escape import visible
from modelcompare.paths import check_writable, write_bytes
from modelcompare.report.figures.types import Figure

FIGURE_FORMATS = ("pdf", "png", "svg")


def write_all(folder: str | os.PathLike[str], files: Mapping[str, bytes]) -> list[Path]:
    """Write files into a folder, which is created if needed."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [check_writable(folder / name) for name in files]
    return [write_bytes(path, data) for path, data in zip(paths, files.values(), strict=True)]


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file, whole or not at all."""
    return write_bytes(Path(path), text.encode())


def write_figure(path: str | os.PathLike[str], figure: Figure, *, dpi: int = 150) -> Path:
    """Write a figure, whole or not at all."""
    path = Path(path)
    return write_bytes(path, figure_bytes(figure, figure_format(path), dpi=dpi))


def figure_format(path: str | os.PathLike[str]) -> str:
    """Read the format of a figure from its name, so that a wrong one is refused early."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FIGURE_FORMATS:
        raise ValueError(
            f"{path}: a figure is written as .{', .'.join(FIGURE_FORMATS)}; choose such a name."
        )
    return suffix


def figure_bytes(figure: Figure, form: str, *, dpi: int = 150, inline: bool = False) -> bytes:
    """Render a figure, with its signature; the same figure gives the same bytes on any day.

    Where it is `inline` in a page it has no margins, its texts are texts, and markup is on the
    page's own background.
    """
    from io import BytesIO

    import matplotlib as mpl

    buffer = BytesIO()
    texts = "none" if inline else "path"
    _settle(figure)
    with mpl.rc_context({"svg.hashsalt": "modelcompare", "svg.fonttype": texts}):
        figure.savefig(
            buffer, format=form, dpi=dpi, metadata=_metadata(figure, form),
            bbox_inches="tight" if inline else None, pad_inches=0.04,
            transparent=inline and form == "svg",
        )  # fmt: skip
    return buffer.getvalue()


def _settle(figure: Figure) -> None:
    """Carry out the layout once, to a ten-millionth: the solver's last digits differ by call."""
    if figure.get_layout_engine() is None:
        return
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        x, y, wide, high = (round(float(each), 7) for each in axes.get_position().bounds)
        axes.set_position((x, y, wide, high))


def _metadata(figure: Figure, form: str) -> dict[str, str | None]:
    """Title and signature under the names that each format has for them, and no date."""
    field, undated = {
        "png": ("Description", {}),
        "svg": ("Description", {"Date": None}),
        "pdf": ("Subject", {"CreationDate": None}),
    }[form]
    fields = {"Title": getattr(figure, "title", ""), field: getattr(figure, "signature", "")}
    return undated | {name: visible(text) for name, text in fields.items() if text}
