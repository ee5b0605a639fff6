"""Functions of the commands: a study, and the card of one model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from modelcompare.cli.ask import of_predictions
from modelcompare.cli.output import Output, check_paths, check_suffix
from modelcompare.cli.reading import Reading
from modelcompare.cli.streams import say
from modelcompare.plugins.paper import studies
from modelcompare.plugins.paper.words import CardFormat
from modelcompare.report.writers.files import write_text

_CARD: dict[str, CardFormat] = {
    "": "markdown", ".md": "markdown", ".markdown": "markdown", ".txt": "text", ".json": "json",
}  # fmt: skip


def study(reading: Reading, output: Output, *, function: str, **options: Any) -> None:
    """Run a study of all models."""
    down_sampled = options.get("stratify") or options.get("n_subsamples", 1) > 1
    if {*options.get("ratios", ())} == {1.0} and down_sampled:
        raise ValueError(
            "--stratify and --subsamples are for subsets of the samples; --ratio 1 is all."
        )
    of_predictions(reading, output, function=f"studies.{function}", **options)


def card(
    reading: Reading, *, card: str, metrics: Sequence[str] | None = None,
    output: Path | None = None, **options: Any,
) -> None:  # fmt: skip
    """Write the card of one model."""
    path = output or Path(_file_of(card))
    check_suffix(path, _CARD)
    check_paths([path], reading.files)
    preds = reading.read(sliced=True)
    form = _CARD[path.suffix.lower()]
    write_text(path, studies.model_card(preds, card, metrics, form=form, **options))
    say(f"wrote {path}")


def _file_of(model: str) -> str:
    """Return the name of a file in this folder for a model."""
    if not re.fullmatch(r"[\w+=,@ ()-][\w.+=,@ ()-]*", model):
        raise ValueError(f"{model!r} cannot be a file name; give the card's path with -o.")
    return f"{model}.md"
