"""Where answers go: stdout or a file, in the form asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from modelcompare.cli.options import OutputOptions, StudyOutputOptions
from modelcompare.cli.streams import answer_document, say, typed
from modelcompare.words import Format

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Console

    from modelcompare.report.document import Document
    from modelcompare.report.result import Result

_FORMAT_OF_SUFFIX: dict[str, Format] = {
    "": "table", ".csv": "csv", ".htm": "html", ".html": "html", ".json": "json", ".md": "markdown",
    ".tex": "latex", ".txt": "table",
}  # fmt: skip
_WIDEST_SCREEN = 110


def chosen_format(options: OutputOptions) -> Format:
    """Take the form that was asked for, or that the name of the file implies."""
    if options.format is not None:
        return options.format
    suffix = "" if options.output is None else options.output.suffix.lower()
    if suffix not in _FORMAT_OF_SUFFIX:
        known = ", ".join(filter(None, _FORMAT_OF_SUFFIX))
        raise ValueError(
            f"{options.output}: {suffix} names no form; write {known}, or say which with --format."
        )
    return _FORMAT_OF_SUFFIX[suffix]


def check_outputs(
    options: OutputOptions, plot: Path | None = None, *, inputs: Sequence[Path] = ()
) -> None:
    """Refuse paths that cannot or must not be written, and missing extras, before the work."""
    from modelcompare.report.figures.layout import check_matplotlib
    from modelcompare.report.writers.files import figure_format
    from modelcompare.report.writers.page import check_html

    form = chosen_format(options)
    check_paths([path for path in (options.output, plot) if path is not None], inputs)
    if plot is not None:
        figure_format(plot)
        check_matplotlib()
    if form == "html":
        check_html()


def check_paths(outputs: Sequence[Path], inputs: Sequence[Path]) -> None:
    """Refuse paths that cannot be written, that are read, or that are written twice."""
    from modelcompare.paths import check_writable

    for path in outputs:
        check_writable(path)
    check_spared(outputs, inputs)
    for first, second in combinations(outputs, 2):
        if _is_same(first, second):
            raise ValueError(f"{first} and {second} are one file; write to two.")


def check_spared(outputs: Iterable[Path], inputs: Sequence[Path]) -> None:
    """Refuse to write over what is read."""
    for path in outputs:
        if any(path.is_file() and _is_same(path, read) for read in inputs):
            raise ValueError(f"{path} is read here and would be lost; write to another place.")


def _is_same(first: Path, second: Path) -> bool:
    if first.exists() and second.exists():
        return first.samefile(second)
    return os.path.realpath(first) == os.path.realpath(second)


def emit(result: Result, options: OutputOptions) -> None:
    """Print a result in the form asked for, or write it to the file asked for."""
    form = chosen_format(options)
    if options.output is not None:
        from modelcompare.report.writers.files import write_text

        text = _text(result.document(), form, show_all=options.all)
        say(f"wrote {write_text(options.output, text)}")
    elif form == "table":
        _print(result.document(), show_all=options.all)
    else:
        answer_document(_text(result.document(), form))


def _text(document: Document, form: Format, *, show_all: bool = False) -> str:
    """Write a document in one of the forms."""
    from modelcompare.report.writers.formats import WRITERS
    from modelcompare.report.writers.page import page
    from modelcompare.report.writers.terminal import screen_text

    if form == "table":
        return screen_text(document, show_all=show_all)
    if form == "html":
        return page(document, command=typed())
    return WRITERS[form](document)


def _print(document: Document, *, show_all: bool) -> None:
    """Lay a document out for the console."""
    from modelcompare.report.writers.terminal import screen

    console = _console()
    ascii_only = not console.encoding.lower().startswith("utf")
    console.print(screen(document, width=console.width, show_all=show_all, ascii_only=ascii_only))


def check_folder(options: StudyOutputOptions) -> None:
    """Refuse a folder that cannot be, and missing extras, before the work starts."""
    if options.output is None:
        return
    from modelcompare.paths import check_folder_writable
    from modelcompare.report.figures.layout import check_matplotlib

    check_matplotlib()
    check_folder_writable(options.output)


def emit_study(result: Result, options: StudyOutputOptions, inputs: Sequence[Path]) -> None:
    """Print the short tables of a study, and write everything into the folder asked for."""
    from modelcompare.report.writers.files import write_all
    from modelcompare.report.writers.formats import contents

    # Nothing is printed or written before all of it is there.
    folder, document = options.output, result.document()
    files = {} if folder is None else contents(document)
    if folder is not None:
        check_spared([folder / name for name in files], inputs)
    if options.format in (None, "table"):
        _print(document, show_all=options.all)
    else:
        answer_document(_text(document, options.format))
    if folder is not None:
        say(f"wrote {len(write_all(folder, files))} files into {folder}")


def emit_figure(path: Path, figure: Figure) -> None:
    """Write a figure and say where."""
    from modelcompare.report.writers.files import write_figure

    say(f"wrote {write_figure(path, figure)}")


class CannotWriteError(OSError):
    """What keeps an answer from where it should go, whatever the reason."""


def append(path: str, text: str) -> None:
    """Add a part of the answer to a file that others write to as well."""
    try:
        with open(path, "a", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise CannotWriteError(error.errno, error.strerror, path) from error


def _console() -> Console:
    """Make a console for stdout: as wide as the terminal, 80 columns for a pipe."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=False)
    console.width = min(console.width, _WIDEST_SCREEN) if sys.stdout.isatty() else 80
    return console
