"""Output of answers to stdout, a file or a folder, in the requested form."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from rich.console import Console

from modelcompare.cli.streams import answer_document, said, say, typed
from modelcompare.paths import check_folder_writable, check_writable
from modelcompare.report.document import Document
from modelcompare.report.figures.layout import check_matplotlib
from modelcompare.report.figures.types import Figure
from modelcompare.report.result import Result
from modelcompare.report.writers.files import (
    figure_format,
    write_all,
    write_figure,
    write_text,
)
from modelcompare.report.writers.formats import contents, form_of, suffixes, writer
from modelcompare.report.writers.terminal import Drawing, screen, screen_text

_WIDEST_SCREEN = 110


@dataclass(frozen=True)
class Output:
    """An answer on stdout or in a file, a figure of it, and all of it in a folder."""

    format: str | None = None
    output: Path | None = None
    all: bool = False
    plot: Path | None = None
    figure: str | None = None
    folder: Path | None = None

    @property
    def form(self) -> str:
        """The given form, or the one that the file's suffix implies."""
        if self.format is not None:
            return self.format
        return form_of(self.output or Path(), otherwise=", or give one with --format")

    def check(self, inputs: Sequence[Path] = ()) -> None:
        """Refuse paths that cannot or must not be written, and missing extras, before the work."""
        form = self.form
        check_paths([path for path in (self.output, self.plot) if path is not None], inputs)
        if self.figure is not None and self.plot is None:
            raise ValueError("--figure is of --plot FILE; name the file.")
        if self.plot is not None:
            figure_format(self.plot)
            check_matplotlib()
        if self.folder is not None:
            _check_no_file(self.folder)
            check_matplotlib()
            check_folder_writable(self.folder)
        writer(form)

    def emit(
        self, result: Any, document: Document | None = None, *, inputs: Sequence[Path] = ()
    ) -> None:
        """Print a result in the requested form or write it, and draw it with --plot.

        A `document` replaces the result's. A folder holds all tables and figures of the result,
        and none of the `inputs`.
        """
        document = document_of(result) if document is None else replace(document, command=typed())
        # Nothing is printed or written before all of it is computed.
        files = {} if self.folder is None else contents(document)
        if self.folder is not None:
            _check_spared([self.folder / name for name in files], inputs)
        if self.output is not None:
            text = _text(document, self.form, show_all=self.all)
            say(f"wrote {write_text(self.output, text)}")
        else:
            _show(document, self.form, show_all=self.all)
        if self.folder is not None:
            say(f"wrote {len(write_all(self.folder, files))} files into {self.folder}")
        if self.plot is not None:
            plot = result.plot
            emit_figure(self.plot, (plot.figures[self.figure] if self.figure else plot)())


def check_paths(outputs: Sequence[Path], inputs: Sequence[Path]) -> None:
    """Refuse paths that cannot be written, that are read, or that are written twice."""
    for path in outputs:
        check_writable(path)
    _check_spared(outputs, inputs)
    for first, second in combinations(outputs, 2):
        if _is_same(first, second):
            raise ValueError(f"{first} and {second} are one file; write to two.")


def _check_no_file(folder: Path) -> None:
    """Refuse a folder to be created that is named like a file of one form."""
    form = suffixes().get(folder.suffix.lower(), "table") if not folder.exists() else "table"
    if form != "table":
        raise ValueError(
            f"{folder} is named like a file, and all tables and figures are written into a folder; "
            f"name a folder, or print one form with --format {form} > {folder.name}."
        )


def _check_spared(outputs: Iterable[Path], inputs: Sequence[Path]) -> None:
    """Refuse to overwrite an input."""
    for path in outputs:
        if any(path.is_file() and _is_same(path, read) for read in inputs):
            raise ValueError(f"{path} is read here and would be lost; write to another place.")


def check_suffix(path: Path, known: Collection[str]) -> None:
    """Refuse a file whose suffix is none of those that are written."""
    if path.suffix.lower() not in known:
        *names, last = filter(None, known)
        raise ValueError(
            f"{path}: {', '.join(names)} or {last} is written here; choose such a name."
        )


def _is_same(first: Path, second: Path) -> bool:
    if first.exists() and second.exists():
        return first.samefile(second)
    return os.path.realpath(first) == os.path.realpath(second)


def document_of(result: Result) -> Document:
    """Return the document of a result, with the messages of the command."""
    return replace(result.document(), messages=said(), command=typed())


def _text(document: Document, form: str, *, show_all: bool) -> str:
    """Write a document in one of the forms."""
    if form == "table" and show_all:
        return screen_text(document, show_all=True)
    return writer(form)(document)


def _show(document: Document, form: str, *, show_all: bool) -> None:
    """Print a document, a table laid out for the console."""
    if form != "table":
        answer_document(_text(document, form, show_all=show_all))
        return
    console = Console(highlight=False, soft_wrap=False)
    # As wide as the terminal, 80 columns for a pipe.
    console.width = min(console.width, _WIDEST_SCREEN) if sys.stdout.isatty() else 80
    drawing: Drawing = "graded" if console.color_system and not console.no_color else "unicode"
    drawing = drawing if console.encoding.lower().startswith("utf") else "ascii"
    console.print(screen(document, width=console.width, show_all=show_all, drawing=drawing))


def emit_figure(path: Path, figure: Figure) -> None:
    """Write a figure and report its path."""
    say(f"wrote {write_figure(path, figure)}")
