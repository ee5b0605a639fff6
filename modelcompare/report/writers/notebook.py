"""Results as a part of a notebook: what was found, and the first rows of each table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from modelcompare.report.document import Document
from modelcompare.report.escape import html
from modelcompare.report.fields import RIGHT
from modelcompare.report.numbers import more
from modelcompare.report.tables import MAX_SENTENCES, Table

# Colours are the notebook's own, so that a dark one stays dark. Wide tables scroll in their place.
_STYLE = """<style scoped>
.modelcompare .scroll {overflow-x: auto}
.modelcompare .scroll table {border-collapse: collapse; font-variant-numeric: tabular-nums}
.modelcompare .scroll .text {text-align: left; white-space: nowrap}
.modelcompare .scroll .number {text-align: right; white-space: nowrap}
</style>"""


def fragment(document: Document) -> str:
    """Render the findings and the first rows of each table, without a page around them."""
    shown = document.top_sentences(MAX_SENTENCES)
    said = "".join(f"<li>{html(sentence)}</li>" for sentence in shown)
    left_out = more(sentence=len(document.findings) - len(shown))
    parts = [f"<p><b>{html(document.headline)}</b></p>"] if document.headline else []
    parts += [f"<ul>{said}</ul>"] if said else []
    parts += [f"<p>and {left_out}</p>"] if left_out else []
    return framed([*parts, *tables_shown(document.tables.values())], document.signature)


def framed(parts: Iterable[str], signature: str) -> str:
    """Put parts into one element of a notebook, above their signature."""
    signed = f"<p><code>{html(signature)}</code></p>"
    return "\n".join(['<div class="modelcompare">', _STYLE, *parts, signed, "</div>"])


def tables_shown(tables: Iterable[Table]) -> Iterator[str]:
    """Yield each table as far as a screen has room for it."""
    for table in tables:
        shown = table.shortened()
        hidden = table.hidden(shown)
        remark = f" <small>({html(table.subtitle)})</small>" if table.subtitle else ""
        yield f"<p><b>{html(table.title)}</b>{remark}</p>"
        yield _table(shown)
        yield from [f"<p>and {hidden}</p>"] if hidden else []
        yield from (f"<p>{html(note)}</p>" for note in shown.notes)


def _table(table: Table) -> str:
    head = _row("th", table, table.header)
    rows = "\n".join(_row("td", table, row) for row in table.rows)
    return (
        f'<div class="scroll"><table>\n<thead>{head}</thead>\n<tbody>\n{rows}\n</tbody>\n'
        "</table></div>"
    )


def _row(tag: str, table: Table, cells: Sequence[str]) -> str:
    kinds = ["number" if column.kind in RIGHT else "text" for column in table.columns]
    written = (
        f'<{tag} class="{kind}">{html(cell)}</{tag}>'
        for kind, cell in zip(kinds, cells, strict=True)
    )
    return f"<tr>{''.join(written)}</tr>"
