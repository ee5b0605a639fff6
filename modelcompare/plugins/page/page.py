"""Results as one HTML file that sorts, filters and folds, without any network request."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any

from modelcompare.escape import markup, visible
from modelcompare.plugins.page.inline_svg import caption_of, inline
from modelcompare.plugins.page.page_tables import page_tables, pairs_fit
from modelcompare.report.document import Document
from modelcompare.report.figures.types import Figure
from modelcompare.words import optional

# Sentences that are not folded.
_OPEN_SENTENCES = 3


def writer() -> Callable[..., str]:
    """Return the function that writes a document, and refuse where jinja2 is not installed."""
    check_html()
    return page


def page(document: Document, more: Sequence[Document] = ()) -> str:
    """Render a document, and `more` documents below it, as one page.

    The page ends with the code that reproduces the result, or the command.
    """
    check_html()
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__), autoescape=True,
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, finalize=_text,
    )  # fmt: skip
    style, script = (_template(f"page.{kind}") for kind in ("css", "js"))
    main, *others = (_section(each, place) for place, each in enumerate([document, *more]))
    tables = [table for group in main["groups"] for table in group["tables"]]
    top = document.top_sentences(_OPEN_SENTENCES)
    return environment.get_template("page.html.j2").render(
        document=document, sections=[main, *others],
        title=document.heading or document.headline or next(iter(document.tables.values())).title,
        about=document.headline if document.heading else "",
        style=Markup(style), script=Markup(script),
        policy=f"script-src '{_digest(script)}'; style-src '{_digest(style)}'",
        verdict=top, below=[each for each in document.sentences if each not in top],
        metrics=[group["metric"] for group in main["groups"] if group["metric"]],
        classes=list(dict.fromkeys(name for table in tables for name in table["shown"].classes)),
        has_pairs=any(table["pairs"] for table in tables),
        made="command" if document.command else "code",
        recipe=Markup("\n").join(map(_text, (document.command or document.reproduce).split("\n"))),
    )  # fmt: skip


def _text(value: Any) -> Any:
    """Escape a text that is no markup."""
    from markupsafe import Markup, escape

    return Markup(markup(escape(visible(value)))) if type(value) is str else value


def check_html() -> None:
    """Refuse early where jinja2 is not installed."""
    optional("jinja2", "HTML pages need jinja2, which is not installed", "html")


def _template(name: str) -> str:
    folder = resources.files(__package__)
    return folder.joinpath("templates", name).read_text("utf-8")


def _digest(text: str) -> str:
    """Return the hash by which a security policy names a text."""
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _section(document: Document, place: int) -> dict[str, Any]:
    """Group the tables of a document by metric, with the figures that have their names."""
    key, tables = f"part{place - 1}" if place else "main", document.tables
    # Only the first result offers all pairs as baselines.
    every = document.all_tables if not place and pairs_fit(tables.values()) else {}
    shown = page_tables(tables, every, key)
    # An interval is drawn once: as a bar in its row, or else in the figure of the table.
    barred = {name for name, table in shown.items() if table["bars"] and table["legend"]}
    figures = {name: draw for name, draw in document.figures.items() if name not in barred}
    drawings = _drawings(figures, key)
    groups: list[dict[str, Any]] = []
    for metric in dict.fromkeys(table.metric for table in tables.values()):
        names = [name for name, table in tables.items() if table.metric == metric]
        of_metric = [
            shown[n] | {"figure": None if shown[n]["shown"].on_request else drawings.pop(n, None)}
            for n in names
        ]
        found = [drawings.pop(name) for name in names if name in drawings]
        legend: list[tuple[str, str]] = next(
            (table["legend"] for table in of_metric if table["legend"]), []
        )
        groups.append({"metric": metric, "tables": of_metric, "figures": found, "legend": legend})
    if drawings:
        rest = list(drawings.values())
        groups.append({"metric": "", "tables": [], "figures": rest, "legend": []})
    return {"key": key, "document": document, "groups": groups}


def _drawings(figures: Mapping[str, Callable[[], Figure]], key: str) -> dict[str, dict[str, Any]]:
    """Draw figures as markup with their captions, by name."""
    from markupsafe import Markup

    drawn = {name: draw() for name, draw in figures.items()}
    return {
        name: {"markup": Markup(inline(figure, f"{key}-{place}")), "caption": caption_of(figure)}
        for place, (name, figure) in enumerate(drawn.items())
    }
