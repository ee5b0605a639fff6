"""``modelcompare groups --gaps``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from modelcompare.arguments import LEVELS, one_level
from modelcompare.cli.output import Output
from modelcompare.cli.reading import Reading
from modelcompare.plugins.gaps.gaps import gaps

# Options of `groups` that are for gaps too.
_OPTIONS = {"margin", "min_size", "n_resamples", "rng", "zero_division"}


def measure(
    reading: Reading, output: Output, *, metrics: Sequence[str] = (), **options: Any
) -> None:
    """Measure gaps between subgroups; fail if they are not within a margin."""
    output.check(reading.files)
    if len(reading.slices or ()) != 1 or len(metrics) > 1:
        raise ValueError("--gaps are of one metric (-m NAME) in the subgroups of one --by COLUMN.")
    levels = one_level({name: options[name] for name in LEVELS if name in options})
    used = {name: options[name] for name in _OPTIONS & options.keys()}
    used |= {"alpha": levels["alpha"]} if levels else {}
    found = gaps(reading.read(sliced=True), *metrics, by=reading.slices[0], **used)
    output.emit(found, inputs=reading.files)
    if "margin" in used and not found.passed:
        raise click.exceptions.Exit(1)


def refuse_margin(**_: Any) -> None:
    """Refuse a margin without gaps."""
    raise ValueError("--margin is for --gaps; to decide on several test sets use gate.")
