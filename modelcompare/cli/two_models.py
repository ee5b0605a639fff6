"""Commands that look at two models: ``disagreements``, and questions, which are all one.

What they need of other rooms is loaded once there are predictions to look at.
"""

from __future__ import annotations

from typing import Any

import modelcompare as mc
from modelcompare.cli.output import Output
from modelcompare.cli.reading import Reading
from modelcompare.data.test_set import TestSet


def disagreements(reading: Reading, output: Output) -> None:
    """List the samples on which two models disagree."""
    output.check(reading.files)
    predictions = reading.read()
    from modelcompare.comparison.disagreements import disagreements as found_disagreements

    output.emit(found_disagreements(predictions, *_models(predictions)))


def question(
    reading: Reading, output: Output, *, question: str, metric: str | None = None,
    label: str | None = None, **options: Any,
) -> None:  # fmt: skip
    """Ask a question of the library, by its name, about one value of two models."""
    output.check(reading.files)
    predictions = reading.read()
    from modelcompare.metrics.registry import default_metric

    result = getattr(mc, question)(
        predictions, *_models(predictions), metric or default_metric(predictions),
        label=predictions.class_named(label), **options,
    )  # fmt: skip
    output.emit(result, inputs=reading.files)


def _models(predictions: TestSet) -> tuple[str, str]:
    """The models, of which there must be two."""
    models = predictions.models
    if len(models) != 2:
        raise ValueError(f"there are {len(models)} models; name two with --model A --model B.")
    return models[0], models[1]
