"""Results in a notebook: findings, and the first rows of each table with interval bars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from modelcompare.escape import html
from modelcompare.plugins.page.bars import Bars, bars_of, key_of
from modelcompare.report.document import Document
from modelcompare.report.fields import RIGHT
from modelcompare.report.numbers import more
from modelcompare.report.tables import MAX_SENTENCES, Table, without_shared_notes

# Text and background keep the notebook's colours, so that dark ones stay dark.
_STYLE = """<style scoped>
.modelcompare .scroll {overflow-x: auto}
.modelcompare .scroll table {border-collapse: collapse; font-variant-numeric: tabular-nums}
.modelcompare .scroll .text {text-align: left; white-space: nowrap}
.modelcompare .scroll .number {text-align: right; white-space: nowrap}
.modelcompare .scroll :is(th, td) {padding: 0.2em 0.7em}
.modelcompare .scroll .bar {min-width: 11em}
.modelcompare .bar > svg {display: inline-block; height: 1.2em; min-width: 2em; overflow: visible; \
stroke: #767676; width: 100%}
.modelcompare span.bar {display: inline-block; width: 2em}
.modelcompare .bar > .same {stroke: #0072b2}
.modelcompare .bar > .differs {stroke: #d55e00}
.modelcompare .bar line {stroke-width: 2.5}
.modelcompare .bar .zero {stroke: #767676; stroke-width: 1}
.modelcompare .bar svg svg {fill: #767676; overflow: visible; stroke: none}
.modelcompare .bar .same svg {fill: #0072b2}
.modelcompare .bar .differs svg {fill: #d55e00}
</style>"""


def fragment(tables: Iterable[Table], signature: str, document: Document | None = None) -> str:
    """Render the first rows of each table below a document's findings, without a page around."""
    parts = [] if document is None else [*_findings(document)]
    parts += [*_shown(tables), f"<p><code>{html(signature)}</code></p>"]
    return "\n".join(['<div class="modelcompare">', _STYLE, *parts, "</div>"])


def _findings(document: Document) -> Iterator[str]:
    """Yield the headline and the first findings."""
    shown = document.top_sentences(MAX_SENTENCES)
    left_out = more(sentence=len(document.findings) - len(shown))
    if document.headline:
        yield f"<p><b>{html(document.headline)}</b></p>"
    if shown:
        yield f"<ul>{''.join(f'<li>{html(sentence)}</li>' for sentence in shown)}</ul>"
    if left_out:
        yield f"<p>and {left_out}</p>"


def _shown(tables: Iterable[Table]) -> Iterator[str]:
    """Yield the first rows of each table."""
    named: set[tuple[str, str]] = set()
    own, shared = without_shared_notes(tables)
    for table in own:
        shown = table.shortened()
        bars = bars_of(shown)
        hidden = more(**table.hidden(shown))
        remark = f" <small>({html(table.subtitle)})</small>" if table.subtitle else ""
        yield f"<p><b>{html(table.title)}</b>{remark}</p>"
        if bars and shown.tested and shown.tested not in named:
            named.add(shown.tested)
            yield _key(shown.tested)
        yield _table(shown, bars)
        yield from [f"<p>and {hidden}</p>"] if hidden else []
        yield from (f"<p>{html(note)}</p>" for note in shown.notes)
    yield from (f"<p>{html(note)}</p>" for note in shared)


def _key(tested: tuple[str, str]) -> str:
    """Explain the colours of bars."""
    texts = (f'<span class="bar">{mark}</span> {html(text)}' for mark, text in key_of(tested))
    return f"<p>{'; '.join(texts)}</p>"


def _table(table: Table, bars: Bars | None) -> str:
    head = _row("th", table, table.header, (bars.after, "") if bars else None)
    marks = bars.marks if bars else [""] * len(table.frame)
    rows = "\n".join(
        _row("td", table, row, (bars.after, mark) if bars else None)
        for row, mark in zip(table.rows, marks, strict=True)
    )
    return (
        f'<div class="scroll"><table>\n<thead>{head}</thead>\n<tbody>\n{rows}\n</tbody>\n'
        "</table></div>"
    )


def _row(tag: str, table: Table, cells: Sequence[str], bar: tuple[int, str] | None = None) -> str:
    """Write a row, with the markup of a bar after so many cells."""
    kinds = ["number" if column.kind in RIGHT else "text" for column in table.columns]
    written = [
        f'<{tag} class="{kind}">{html(cell)}</{tag}>'
        for kind, cell in zip(kinds, cells, strict=True)
    ]
    if bar:
        written.insert(bar[0], f'<{tag} class="bar">{bar[1]}</{tag}>')
    return f"<tr>{''.join(written)}</tr>"


NOTEBOOKS = (fragment,)
