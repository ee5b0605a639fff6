"""``modelcompare report``: a page to show, or the card of one model."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from modelcompare.cli.output import check_paths, document_of
from modelcompare.cli.reading import Reading
from modelcompare.cli.streams import say, typed
from modelcompare.comparison.compare import compare
from modelcompare.comparison.compare_groups import MIN_SIZE, compare_groups
from modelcompare.comparison.result import Comparison
from modelcompare.data.predictions import Predictions
from modelcompare.data.sizes import n_seen
from modelcompare.diagnostics.disagreements import disagreements
from modelcompare.diagnostics.reliability import reliability
from modelcompare.engine.runs import without_common_rows
from modelcompare.report.result import Result
from modelcompare.report.writers.files import write_text
from modelcompare.report.writers.page import check_html, page
from modelcompare.studies.card import model_card
from modelcompare.words import CardFormat

_PAGE = ("", ".html", ".htm")
_CARD: dict[str, CardFormat] = {
    "": "markdown", ".md": "markdown", ".markdown": "markdown", ".txt": "text", ".json": "json",
}  # fmt: skip


def report(
    reading: Reading, *, metrics: Sequence[str] | None = None, card: str | None = None,
    output: Path | None = None, **options: Any,
) -> None:  # fmt: skip
    """Write a self-contained HTML page of a comparison, or the card of one model."""
    path = output or Path("report.html" if card is None else _file_of_card(card))
    _check_suffix(path, _PAGE if card is None else _CARD)
    check_paths([path], reading.files)
    if card is None:
        check_html()
    options["progress"] = True
    preds = reading.read(sliced=True)
    if card is not None:
        form = _CARD[path.suffix.lower()]
        write_text(path, model_card(preds, card, metrics, form=form, **options))
    else:
        result = compare(preds, metrics, **options)
        more = [found.document() for found in _more(preds, result, {**options, "metrics": metrics})]
        write_text(path, page(document_of(result), more, command=typed()))
    say(f"wrote {path}")


def _more(preds: Predictions, result: Comparison, options: Mapping[str, Any]) -> Iterator[Result]:
    """Yield further results: subgroups, calibration, disagreements of the best two models."""
    if preds.unit == "buckets":
        return
    if preds.slices is not None:
        largest = max(preds.slices[name].value_counts().max() for name in preds.slices)
        if largest * n_seen(preds) // len(preds) >= MIN_SIZE:
            yield compare_groups(preds, **{**options, "progress": False})
        else:
            say(f"modelcompare: no subgroup has {MIN_SIZE} samples; the page leaves them out.")
    kinds = preds.kinds
    if sure := [model for model, kind in kinds.items() if kind == "probabilities"]:
        yield reliability(preds[sure])
    first = result.scores[result.scores["metric"] == result.evidence.metrics[0]]
    best = list(dict.fromkeys(first.sort_values("rank", kind="stable")["model"]))[:2]
    if len({kinds[model] for model in best}) == 1 < len(best):
        if without_common_rows(preds[best]):
            say(
                f"modelcompare: {' and '.join(best)} have separate runs, without common rows; the "
                "page leaves their disagreements out."
            )
        else:
            yield disagreements(preds, *best)


def _file_of_card(model: str) -> str:
    """Return the name of a file in this folder for a model."""
    if not re.fullmatch(r"[\w+=,@ ()-][\w.+=,@ ()-]*", model):
        raise ValueError(f"{model!r} cannot be a file name; give the card's path with -o.")
    return f"{model}.md"


def _check_suffix(path: Path, known: Collection[str]) -> None:
    if path.suffix.lower() not in known:
        *names, last = filter(None, known)
        raise ValueError(
            f"{path}: {', '.join(names)} or {last} is written here; choose such a name."
        )
