"""A comparison as one HTML page that needs no other file and no network."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelcompare.report.comparison_contents import headline, metric_blocks
from modelcompare.report.files import figure_bytes, write_text
from modelcompare.report.forest import plot_comparison
from modelcompare.report.tables import (
    NUMBER_COLUMNS,
    difference_table,
    method_note,
    score_table,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from modelcompare.comparison.result import Comparison


def comparison_html(result: Comparison, path: str | os.PathLike[str]) -> Path:
    """Write a comparison as one page: verdict, figure, tables, method and signature.

    Parameters
    ----------
    result : Comparison
        What ``compare`` returned.
    path : path-like
        Where to; an existing file is replaced.

    Returns
    -------
    Path
        The path.

    Raises
    ------
    ImportError
        If jinja2 or matplotlib is not installed.
    ValueError
        If the folder does not exist.
    """
    return write_text(path, comparison_page(result))


def comparison_page(result: Comparison) -> str:
    """Render the page as text."""
    metrics = [
        {
            "name": blocks[0].metric,
            "direction": blocks[0].direction,
            "scores": _table(*score_table(result, blocks)),
            "differences": _table(*difference_table(result, blocks)),
        }
        for blocks in metric_blocks(result).values()
    ]
    return render_page(
        "comparison.html.j2",
        title=headline(result),
        verdict=result.verdict().splitlines(),
        figure=inline_svg(plot_comparison(result)),
        metrics=metrics,
        method=method_note(result),
        signature=result.signature,
    )


def render_page(template: str, **context: object) -> str:
    """Fill a template of this package; texts are escaped.

    Parameters
    ----------
    template : str
        File name in the folder ``templates``.
    **context
        What the template shows; ``title`` and ``signature`` belong to every page.

    Returns
    -------
    str
        The page.

    Raises
    ------
    ImportError
        If jinja2 is not installed.
    """
    check_html()
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("modelcompare.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(**context)


def check_html() -> None:
    """Refuse early where jinja2 is not installed."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        raise ImportError(
            'HTML pages need jinja2, which is not installed: pip install "modelcompare[html]"'
        ) from error


def inline_svg(figure: Figure) -> Any:
    """Draw a figure as markup that a page holds in itself."""
    from markupsafe import Markup

    document = figure_bytes(figure, "svg").decode()
    return Markup(document[document.index("<svg") :])


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Mapping[str, object]:
    """Arrange a table for the template."""
    return {"header": header, "rows": rows, "numbers": NUMBER_COLUMNS}
