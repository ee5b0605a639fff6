"""Results as HTML: one page that needs no other file and no network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from modelcompare.report import escape
from modelcompare.report.files import figure_bytes
from modelcompare.report.tables import RIGHT, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from modelcompare.report.result import Result

_MOST_OPEN = 30


def page(result: Result) -> str:
    """Render a result as one page: findings, figures, tables, method and signature."""
    check_html()
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("modelcompare.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
    )
    tables = list(result.tables().values())
    return environment.get_template("result.html.j2").render(
        title=escape.visible(result.headline or tables[0].title),
        findings=list(map(escape.visible, result.findings())),
        figures=[_inline_svg(figure) for figure in result.figures().values()],
        tables=Markup("\n".join(map(_section, tables))),
        method=escape.visible(result.method_note()),
        signature=escape.visible(result.signature),
    )


def check_html() -> None:
    """Refuse early where jinja2 is not installed."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        raise ImportError(
            'HTML pages need jinja2, which is not installed: pip install "modelcompare[html]"'
        ) from error


def _section(table: Table) -> str:
    """Write a table under its heading; particulars can be folded away."""
    title, body = _title(table), "\n".join([_table(table), *_notes(table)])
    if not table.detail:
        return f"<h2>{title}</h2>\n{body}"
    is_open = " open" if len(table.frame) <= _MOST_OPEN else ""
    return f"<details{is_open}>\n<summary>{title}</summary>\n{body}\n</details>"


def _title(table: Table) -> str:
    subtitle = f" <small>({escape.html(table.subtitle)})</small>" if table.subtitle else ""
    return escape.html(table.title) + subtitle


def _notes(table: Table) -> list[str]:
    return [f"<p>{escape.html(note)}</p>" for note in table.notes]


def _table(table: Table) -> str:
    head = _row("th", table, table.header)
    rows = "\n".join(_row("td", table, row) for row in table.rows)
    return (
        f'<div class="scroll"><table>\n<thead>{head}</thead>\n<tbody>\n{rows}\n</tbody>\n'
        "</table></div>"
    )


def _row(tag: str, table: Table, cells: Sequence[str]) -> str:
    written = []
    for column, cell in zip(table.columns, cells, strict=True):
        kind = ' class="number"' if column.kind in RIGHT else ""
        written.append(f"<{tag}{kind}>{escape.html(cell)}</{tag}>")
    return f"<tr>{''.join(written)}</tr>"


def _inline_svg(figure: Figure) -> Any:
    """Draw a figure as markup that a page holds in itself."""
    from markupsafe import Markup

    document = figure_bytes(figure, "svg").decode()
    return Markup(document[document.index("<svg") :])
