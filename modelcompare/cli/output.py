"""Where answers go: stdout or a file, in the form asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from modelcompare.cli.options import OutputOptions, StudyOutputOptions
from modelcompare.words import Format

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Console, RenderableType

    from modelcompare.report.study_contents import TextTable

_FORMAT_OF_SUFFIX: dict[str, Format] = {
    ".csv": "csv",
    ".htm": "html",
    ".html": "html",
    ".json": "json",
    ".md": "markdown",
    ".tex": "latex",
    ".txt": "table",
}
_WIDEST_SCREEN = 110


def chosen_format(options: OutputOptions) -> Format:
    """Take the form that was asked for, or that the name of the file implies."""
    if options.format is not None:
        return options.format
    if options.output is None:
        return "table"
    return _FORMAT_OF_SUFFIX.get(options.output.suffix.lower(), "table")


def check_outputs(options: OutputOptions, plot: Path | None = None) -> None:
    """Refuse paths that cannot be written, and missing extras, before the work starts."""
    from modelcompare.report.files import check_writable, figure_format
    from modelcompare.report.html import check_html
    from modelcompare.report.style import check_matplotlib

    if options.output is not None:
        check_writable(options.output)
    if plot is not None:
        figure_format(check_writable(plot))
        check_matplotlib()
    if chosen_format(options) == "html":
        check_html()


def emit(
    options: OutputOptions,
    screen: Callable[[Console], RenderableType],
    texts: Mapping[str, Callable[[], str]],
) -> None:
    """Print the answer, or write it to the file asked for.

    Parameters
    ----------
    options : OutputOptions
        Form and place.
    screen : callable
        Lays the answer out for a console, for the form ``table``.
    texts : mapping of str to callable
        Writes the answer in one of the other forms.
    """
    form = chosen_format(options)
    if options.output is not None:
        from modelcompare.report.files import write_text

        text = _plain(screen) if form == "table" else texts[form]()
        say(f"wrote {write_text(options.output, text)}")
    elif form == "table":
        console = terminal()
        console.print(screen(console))
    else:
        typer.echo(texts[form](), nl=False)


def check_folder(options: StudyOutputOptions) -> None:
    """Refuse a folder that cannot be, and missing extras, before the work starts."""
    if options.output is None:
        return
    from modelcompare.report.style import check_matplotlib

    check_matplotlib()
    if options.output.exists() and not options.output.is_dir():
        raise ValueError(f"{options.output} is a file; name a folder.")


def emit_study(
    options: StudyOutputOptions,
    tables: Sequence[TextTable],
    signature: str,
    write: Callable[[Path], Sequence[Path]],
) -> None:
    """Print the short tables of a study, and write everything into the folder asked for."""
    from modelcompare.report.study_contents import tables_latex, tables_markdown, tables_screen

    if options.format == "markdown":
        typer.echo(tables_markdown(tables, signature), nl=False)
    elif options.format == "latex":
        typer.echo(tables_latex(tables, signature), nl=False)
    else:
        console = terminal()
        console.print(tables_screen(tables, signature, width=console.width, show_all=options.all))
    if options.output is not None:
        written = write(options.output)
        say(f"wrote {len(written)} files into {options.output}")


def emit_figure(path: Path, figure: Figure) -> None:
    """Write a figure and say where."""
    from modelcompare.report.files import write_figure

    say(f"wrote {write_figure(path, figure)}")


def say(message: str) -> None:
    """Write a message to stderr, where it does not mix with the answer."""
    typer.echo(message, err=True)


def terminal() -> Console:
    """Make a console for stdout: as wide as the terminal, 80 columns for a pipe."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=False)
    console.width = min(console.width, _WIDEST_SCREEN) if sys.stdout.isatty() else 80
    return console


def _plain(screen: Callable[[Console], RenderableType]) -> str:
    """Lay the answer out as text of 80 columns."""
    from io import StringIO

    from rich.console import Console

    page = StringIO()
    console = Console(file=page, width=80, color_system=None, highlight=False)
    console.print(screen(console))
    return "".join(f"{line.rstrip()}\n" for line in page.getvalue().splitlines())
