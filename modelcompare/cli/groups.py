"""``modelcompare slices`` and ``sets``: compare models in subgroups, and on several test sets."""

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
from modelcompare.words import Correction, listed

METRICS = "What to measure (repeatable); by default as in compare."


def slices(
    reading: ReadingOptions,
    *,
    metric: Annotated[Texts, measured(METRICS)] = None,
    min_size: Annotated[
        int, statistics("N", "Leave smaller subgroups out, and say which.", min=1)
    ] = 30,
    correction: Annotated[
        Correction,
        statistics("NAME", f"Adjustment for all subgroups and pairs: {listed(Correction)}."),
    ] = "holm",
    confidence_level: Annotated[float, statistics("FRACTION", "Of every interval.")] = 0.95,
    resampling: ResamplingOptions,
    output: OutputOptions,
) -> None:
    """Compare models in every subgroup that the columns named by --slice make, the worst first."""
    check_outputs(output, inputs=reading.files)
    options = resampling.options()
    predictions = reading.read(sliced=True)
    if predictions.slices is None:
        raise ValueError("no column makes subgroups; name at least one with --slice COLUMN.")
    from modelcompare.comparison.slices import compare_slices

    result = compare_slices(
        predictions, metric, min_size=min_size, correction=correction,
        confidence_level=confidence_level, **options,
    )  # fmt: skip
    emit(result, output)


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
