"""``modelcompare sets``: compare the same models on several test sets."""

from __future__ import annotations

from typing import Annotated

from modelcompare.cli.options import (
    OutputOptions,
    ReadingOptions,
    ResamplingOptions,
    Texts,
    measured,
    statistics,
)
from modelcompare.cli.output import check_outputs, emit
from modelcompare.cli.slices import METRICS
from modelcompare.words import Correction, listed


def sets(
    reading: ReadingOptions,
    *,
    metric: Annotated[Texts, measured(METRICS)] = None,
    correction: Annotated[
        Correction, statistics("NAME", f"Adjustment for many pairs: {listed(Correction)}.")
    ] = "holm",
    confidence_level: Annotated[float, statistics("FRACTION", "Of every interval.")] = 0.95,
    resampling: ResamplingOptions,
    output: OutputOptions,
) -> None:
    """Compare models on several test sets: files that hold all models, folders, or long tables."""
    check_outputs(output, inputs=reading.files)
    options = resampling.options()
    test_sets = reading.read_sets()
    from modelcompare.comparison.sets import compare_sets

    result = compare_sets(
        test_sets, metric, correction=correction, confidence_level=confidence_level, **options
    )
    emit(result, output)
