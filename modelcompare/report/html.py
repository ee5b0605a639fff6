"""Results as HTML: one page that needs no other file and no network, or a part of a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

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
        title=result.headline or tables[0].title,
        findings=result.findings(),
        figures=[_inline_svg(figure) for figure in result.figures().values()],
        tables=Markup("\n".join(part for table in tables for part in _section(table))),
        method=result.method_note(),
        signature=result.signature,
    )


def fragment(result: Result) -> str:
    """Render the findings and the first rows of each table, without a page around them."""
    parts = [f"<p><b>{escape(result.headline)}</b></p>"] if result.headline else []
    parts += _list(result.findings())
    for table in result.tables().values():
        shown = table.shortened()
        parts.append(f"<p><b>{escape(table.title)}</b>{_subtitle(table)}</p>")
        parts.append(_table(shown))
        hidden = len(table.frame) - len(shown.frame)
        parts += [f"<p>and {hidden:,} more rows</p>"] if hidden else []
        parts += [f"<p>{escape(note)}</p>" for note in table.notes]
    return "\n".join([*parts, f"<p><code>{escape(result.signature)}</code></p>"])


def check_html() -> None:
    """Refuse early where jinja2 is not installed."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        raise ImportError(
            'HTML pages need jinja2, which is not installed: pip install "modelcompare[html]"'
        ) from error


def _section(table: Table) -> Iterator[str]:
    """Yield a table under its heading; particulars can be folded away."""
    notes = [f"<p>{escape(note)}</p>" for note in table.notes]
    body = "\n".join([_table(table), *notes])
    if not table.detail:
        yield f"<h2>{escape(table.title)}{_subtitle(table)}</h2>\n{body}"
        return
    is_open = " open" if len(table.frame) <= _MOST_OPEN else ""
    summary = f"<summary>{escape(table.title)}{_subtitle(table)}</summary>"
    yield f"<details{is_open}>\n{summary}\n{body}\n</details>"


def _subtitle(table: Table) -> str:
    return f" <small>({escape(table.subtitle)})</small>" if table.subtitle else ""


def _list(sentences: Sequence[str]) -> list[str]:
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return [f"<ul>{items}</ul>"] if items else []


def _table(table: Table) -> str:
    classes = [' class="number"' if column.kind in RIGHT else "" for column in table.columns]
    lines = [_row("th", table.header, classes), *(_row("td", row, classes) for row in table.rows)]
    head, body = lines[0], "\n".join(lines[1:])
    return (
        f'<div class="scroll"><table>\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>\n'
        "</table></div>"
    )


def _row(tag: str, cells: Sequence[str], classes: Sequence[str]) -> str:
    written = (
        f"<{tag}{kind}>{escape(cell)}</{tag}>" for cell, kind in zip(cells, classes, strict=True)
    )
    return f"<tr>{''.join(written)}</tr>"


def _inline_svg(figure: Figure) -> Any:
    """Draw a figure as markup that a page holds in itself."""
    from markupsafe import Markup

    document = figure_bytes(figure, "svg").decode()
    return Markup(document[document.index("<svg") :])
