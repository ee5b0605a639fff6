"""``modelcompare disagreements``: the samples on which two models part."""

from __future__ import annotations

from modelcompare.cli.options import OutputOptions, ReadingOptions
from modelcompare.cli.output import check_outputs, emit


def disagreements(reading: ReadingOptions, *, output: OutputOptions) -> None:
    """List the samples on which two models part, those furthest apart first, and who is right."""
    check_outputs(output, inputs=reading.files)
    predictions = reading.read()
    if len(predictions.models) != 2:
        raise ValueError(
            f"there are {len(predictions.models)} models; name two with --model A --model B."
        )
    from modelcompare.comparison.disagreements import disagreements as parted

    emit(parted(predictions, *predictions.models), output)
