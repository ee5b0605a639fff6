"""Writing files: whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from modelcompare.report.result import Result

FIGURE_FORMATS = ("pdf", "png", "svg")


def save(result: Result, folder: str | os.PathLike[str]) -> list[Path]:
    """Write everything that a result has to show into one folder, under fixed names."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    texts = {f"{result.stem}.md": result.to_markdown(), f"{result.stem}.tex": result.to_latex()}
    for name, frame in result.frames().items():
        texts[f"{name}.csv"] = frame.to_csv(index=False, float_format="%.10g")
    written = [write_text(folder / name, text) for name, text in texts.items()]
    for name, figure in result.figures().items():
        for form in FIGURE_FORMATS:
            written.append(write_figure(folder / f"{name}.{form}", figure, dpi=200))
    return written


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file under a temporary name, then rename it."""
    return _write(Path(path), text.encode())


def write_figure(path: str | os.PathLike[str], figure: Figure, *, dpi: int = 150) -> Path:
    """Write a figure under a temporary name, then rename it."""
    path = Path(path)
    return _write(path, figure_bytes(figure, figure_format(path), dpi=dpi))


def figure_format(path: str | os.PathLike[str]) -> str:
    """Read the format of a figure from its name, so that a wrong one is refused early."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FIGURE_FORMATS:
        raise ValueError(
            f"{path}: a figure is written as .{', .'.join(FIGURE_FORMATS)}; choose such a name."
        )
    return suffix


def figure_bytes(figure: Figure, form: str, *, dpi: int = 150) -> bytes:
    """Render a figure; the same figure gives the same bytes on any day."""
    from io import BytesIO

    import matplotlib as mpl

    date = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[form]
    buffer = BytesIO()
    with mpl.rc_context({"svg.hashsalt": "modelcompare", "svg.fonttype": "path"}):
        figure.savefig(buffer, format=form, dpi=dpi, metadata=date)
    return buffer.getvalue()


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Refuse a path that cannot be written, before any work is done."""
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name a file in it.")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: the folder {path.parent} does not exist; create it first.")
    return path


def _write(path: Path, data: bytes) -> Path:
    """Write beside the target, then rename over it."""
    check_writable(path)
    # A link stays one, and a device or pipe is written to, not replaced.
    target = path.resolve()
    if target.exists() and not target.is_file():
        target.write_bytes(data)
        return path
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(data)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    return path
