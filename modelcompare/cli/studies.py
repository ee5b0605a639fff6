"""Commands of the studies: all are one, but for the study."""

from __future__ import annotations

from typing import Any

import modelcompare as mc
from modelcompare.cli.output import Output
from modelcompare.cli.reading import Reading


def study(
    reading: Reading, output: Output, *, study: str, by_blocks: bool = False, **options: Any
) -> None:
    """Make a study of the library by its name."""
    parted = options.get("stratify") or options.get("n_subsamples", 1) > 1
    if {*options.get("ratios", ())} == {1.0} and parted:
        raise ValueError("--stratify and --subsamples are for parts of the set; --ratio 1 is all.")
    output.check()
    predictions = reading.read(by_blocks=by_blocks)
    output.emit(getattr(mc, study)(predictions, **options), inputs=reading.files)
