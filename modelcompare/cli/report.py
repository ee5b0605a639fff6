"""``modelcompare report``: a page to show, or the card of one model."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Annotated

from modelcompare.cli.options import (
    ReadingOptions,
    ResamplingOptions,
    Text,
    Texts,
    measured,
    option,
)
from modelcompare.cli.output import check_paths
from modelcompare.cli.streams import say
from modelcompare.words import CardFormat

_PAGE = ("", ".html", ".htm")
_CARD: dict[str, CardFormat] = {
    "": "markdown", ".md": "markdown", ".markdown": "markdown", ".txt": "text", ".json": "json",
}  # fmt: skip


def report(
    reading: ReadingOptions,
    *,
    metric: Annotated[Texts, measured("What to measure (repeatable).", panel=None)] = None,
    card: Annotated[
        Text, option("MODEL", "Write the model card of this model instead of a page.")
    ] = None,
    output: Annotated[
        Path | None,
        option("PATH", "Where to; report.html or MODEL.md by default.", "--output", "-o"),
    ] = None,
    resampling: ResamplingOptions,
) -> None:
    """Write a self-contained HTML page of a comparison, or the card of one model.

    A card is what its name says: .md with the metadata that the Hugging Face Hub reads, .txt
    without them, .json the metadata alone.
    """
    from modelcompare.report.files import write_text
    from modelcompare.report.html import check_html
    from modelcompare.studies.card import model_card

    path = output or Path("report.html" if card is None else _file_of_card(card))
    _check_suffix(path, _PAGE if card is None else _CARD)
    check_paths([path], reading.files)
    if card is None:
        check_html()
    options = {**resampling.options(), "progress": True}
    preds = reading.read(sliced=card is not None)
    if card is not None:
        form = _CARD[path.suffix.lower()]
        write_text(path, model_card(preds, card, metric, form=form, **options))
    else:
        from modelcompare.comparison.compare import compare

        compare(preds, metric, **options).to_html(path)
    say(f"wrote {path}")


def _file_of_card(model: str) -> str:
    """A file in this folder, whatever the model is called."""
    if not re.fullmatch(r"[\w+=,@ ()-][\w.+=,@ ()-]*", model):
        raise ValueError(f"{model!r} makes no name of a file; say with -o where the card goes.")
    return f"{model}.md"


def _check_suffix(path: Path, known: Collection[str]) -> None:
    if path.suffix.lower() not in known:
        *names, last = filter(None, known)
        raise ValueError(
            f"{path}: {', '.join(names)} or {last} is written here; choose such a name."
        )
