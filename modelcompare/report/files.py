"""What a result writes: all of it into a folder, or a text or a figure into one file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from modelcompare.paths import check_writable, write_bytes
from modelcompare.report.escape import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from modelcompare.report.result import Result

FIGURE_FORMATS = ("pdf", "png", "svg")


def save(result: Result, folder: str | os.PathLike[str]) -> list[Path]:
    """Write everything that a result has to show into one folder, under fixed names."""
    return write_all(folder, contents(result))


def contents(result: Result) -> dict[str, bytes]:
    """Everything that a result has to show, by the name of its file."""
    from modelcompare.report.writers import frame_csv

    texts = {f"{result.stem}.md": result.to_markdown(), f"{result.stem}.tex": result.to_latex()}
    for name, frame in result.frames().items():
        texts[f"{name}.csv"] = frame_csv(frame, float_format="%.10g")
    made = {name: text.encode() for name, text in texts.items()}
    for name, figure in result.figures().items():
        for form in FIGURE_FORMATS:
            made[f"{name}.{form}"] = figure_bytes(figure, form, dpi=200)
    return made


def write_all(folder: str | os.PathLike[str], files: Mapping[str, bytes]) -> list[Path]:
    """Write files into a folder, which is made if there is none."""
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

    Where it is `inline` in a page it has no margins, and its texts are texts.
    """
    from io import BytesIO

    import matplotlib as mpl

    buffer = BytesIO()
    texts = "none" if inline else "path"
    with mpl.rc_context({"svg.hashsalt": "modelcompare", "svg.fonttype": texts}):
        figure.savefig(
            buffer, format=form, dpi=dpi, metadata=_metadata(figure, form),
            bbox_inches="tight" if inline else None, pad_inches=0.04,
        )  # fmt: skip
    return buffer.getvalue()


def _metadata(figure: Figure, form: str) -> dict[str, str | None]:
    """Title and signature under the names that each format has for them, and no date."""
    field, undated = {
        "png": ("Description", {}),
        "svg": ("Description", {"Date": None}),
        "pdf": ("Subject", {"CreationDate": None}),
    }[form]
    said = {"Title": getattr(figure, "title", ""), field: getattr(figure, "signature", "")}
    return undated | {name: visible(text) for name, text in said.items() if text}
