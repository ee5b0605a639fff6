"""Commands that ask one function of the library: about predictions, two models, or a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import modelcompare as mc
from modelcompare.cli.output import Output
from modelcompare.cli.reading import Reading
from modelcompare.data.test_set import TestSet
from modelcompare.readers.opening import read_table


def of_predictions(
    reading: Reading, output: Output, *, function: str, sliced: bool = False,
    by_blocks: bool = False, **options: Any,
) -> None:  # fmt: skip
    """Ask about all models."""
    parted = options.get("stratify") or options.get("n_subsamples", 1) > 1
    if {*options.get("ratios", ())} == {1.0} and parted:
        raise ValueError("--stratify and --subsamples are for parts of the set; --ratio 1 is all.")
    output.check(reading.files)
    predictions = reading.read(sliced=sliced, by_blocks=by_blocks)
    if sliced and predictions.slices is None:
        raise ValueError("no column makes subgroups; name at least one with --slice COLUMN.")
    output.emit(getattr(mc, function)(predictions, **options), inputs=reading.files)


def of_sets(reading: Reading, output: Output, *, function: str, **options: Any) -> None:
    """Ask about several test sets."""
    output.check(reading.files)
    output.emit(getattr(mc, function)(reading.read_sets(), **options))


def of_two_models(
    reading: Reading, output: Output, *, function: str, metric: str | None = None,
    label: str | None = None, **options: Any,
) -> None:  # fmt: skip
    """Ask about one value of two models."""
    output.check(reading.files)
    predictions = reading.read()
    # Loaded once there are predictions to look at.
    from modelcompare.metrics.registry import default_metric

    result = getattr(mc, function)(
        predictions, *_two(predictions), metric or default_metric(predictions),
        label=predictions.class_named(label), **options,
    )  # fmt: skip
    output.emit(result, inputs=reading.files)


def disagreements(reading: Reading, output: Output) -> None:
    """List the samples on which two models disagree."""
    output.check(reading.files)
    predictions = reading.read()
    from modelcompare.diagnostics.disagreements import disagreements as found_disagreements

    output.emit(found_disagreements(predictions, *_two(predictions)))


def of_table(table: Path, output: Output, *, function: str, **options: Any) -> None:
    """Ask about a table of scores, as papers print them."""
    output.check([table])
    output.emit(getattr(mc, function)(read_table(table).frame, **options))


def _two(predictions: TestSet) -> tuple[str, str]:
    """The models, of which there must be two."""
    models = predictions.models
    if len(models) != 2:
        raise ValueError(f"there are {len(models)} models; name two with --model A --model B.")
    return models[0], models[1]
