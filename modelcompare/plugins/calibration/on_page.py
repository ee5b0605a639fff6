"""The calibration of a page's models."""

from __future__ import annotations

from collections.abc import Iterator

from modelcompare.comparison.result import Comparison
from modelcompare.data.predictions import Predictions
from modelcompare.plugins.calibration.reliability import Reliability, reliability


def of_probabilities(predictions: Predictions, _: Comparison) -> Iterator[Reliability]:
    """Yield the reliability of the models that gave probabilities."""
    kinds = predictions.access.kinds
    if sure := [model for model, kind in kinds.items() if kind.distribution]:
        yield reliability(predictions[sure])


PAGES = (of_probabilities,)
