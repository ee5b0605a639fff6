"""Results as a part of a notebook, in HTML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from modelcompare.report import escape
from modelcompare.report.numbers import more
from modelcompare.report.tables import MAX_SENTENCES, RIGHT, Table

if TYPE_CHECKING:
    from modelcompare.report.result import Result


def fragment(result: Result) -> str:
    """Render the findings and the first rows of each table, without a page around them."""
    parts = [f"<p><b>{escape.html(result.headline)}</b></p>"] if result.headline else []
    shown_findings = result.foremost_findings(MAX_SENTENCES)
    findings = "".join(f"<li>{escape.html(sentence)}</li>" for sentence in shown_findings)
    parts += [f"<ul>{findings}</ul>"] if findings else []
    left_out = more(sentence=len(result.findings()) - len(shown_findings))
    parts += [f"<p>and {left_out}</p>"] if left_out else []
    for table in result.tables().values():
        shown = table.shortened()
        hidden = table.hidden(shown)
        parts += [f"<p>{_title(table, '<b>{}</b>')}</p>", _table(shown)]
        parts += [f"<p>and {hidden}</p>"] if hidden else []
        parts += _notes(shown)
    return "\n".join([*parts, f"<p><code>{escape.html(result.signature)}</code></p>"])


def check_html() -> None:
    """Refuse early where jinja2 is not installed."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        raise ImportError(
            'HTML pages need jinja2, which is not installed: pip install "modelcompare[html]"'
        ) from error


def _title(table: Table, mark: str = "{}") -> str:
    subtitle = f" <small>({escape.html(table.subtitle)})</small>" if table.subtitle else ""
    return mark.format(escape.html(table.title)) + subtitle


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
