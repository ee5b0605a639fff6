"""Where answers go: stdout or a file, in the form asked for."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from modelcompare.cli.options import OutputOptions, StudyOutputOptions
from modelcompare.words import Format

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Console

    from modelcompare.report.result import Result

_FORMAT_OF_SUFFIX: dict[str, Format] = {
    ".csv": "csv", ".htm": "html", ".html": "html", ".json": "json", ".md": "markdown",
    ".tex": "latex", ".txt": "table",
}  # fmt: skip
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


def emit(result: Result, options: OutputOptions) -> None:
    """Print a result in the form asked for, or write it to the file asked for."""
    form = chosen_format(options)
    if options.output is not None:
        from modelcompare.report.files import write_text

        say(f"wrote {write_text(options.output, _text(result, form, show_all=options.all))}")
    elif form == "table":
        _print(result, show_all=options.all)
    else:
        typer.echo(_text(result, form), nl=False)


def _text(result: Result, form: Format, *, show_all: bool = False) -> str:
    """Write a result in one of the forms."""
    if form == "table":
        from modelcompare.report.screen import screen_text

        return screen_text(result, show_all=show_all)
    if form == "html":
        from modelcompare.report.html import page

        return page(result)
    text: str = getattr(result, f"to_{form}")()
    return text


def _print(result: Result, *, show_all: bool) -> None:
    """Lay a result out for the console."""
    from modelcompare.report.screen import screen

    console = terminal()
    ascii_only = not console.encoding.lower().startswith("utf")
    console.print(screen(result, width=console.width, show_all=show_all, ascii_only=ascii_only))


def check_folder(options: StudyOutputOptions) -> None:
    """Refuse a folder that cannot be, and missing extras, before the work starts."""
    if options.output is None:
        return
    from modelcompare.report.style import check_matplotlib

    check_matplotlib()
    if options.output.exists() and not options.output.is_dir():
        raise ValueError(f"{options.output} is a file; name a folder.")


def emit_study(result: Result, options: StudyOutputOptions) -> None:
    """Print the short tables of a study, and write everything into the folder asked for."""
    if options.format in (None, "table"):
        _print(result, show_all=options.all)
    else:
        typer.echo(_text(result, options.format), nl=False)
    if options.output is not None:
        from modelcompare.report.files import save

        say(f"wrote {len(save(result, options.output))} files into {options.output}")


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
