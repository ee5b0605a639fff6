"""Disagreements of two models of a command, and of the best two on a page."""

from __future__ import annotations

from collections.abc import Iterator

from modelcompare.cli.ask import two_models
from modelcompare.cli.output import Output
from modelcompare.cli.reading import Reading
from modelcompare.cli.streams import say
from modelcompare.comparison.result import Comparison
from modelcompare.data.predictions import Predictions
from modelcompare.engine.partition import partition_of
from modelcompare.plugins.agreement.disagreements import Disagreements, disagreements


def ask(reading: Reading, output: Output) -> None:
    """List the samples on which two models disagree."""
    output.check(reading.files)
    predictions = reading.read()
    output.emit(disagreements(predictions, *two_models(predictions.models)))


def of_best_two(predictions: Predictions, result: Comparison) -> Iterator[Disagreements]:
    """Yield the disagreements of the best two models, if they gave the same type of output."""
    first = result.scores[result.scores["metric"] == result.evidence.metrics[0]]
    best = list(dict.fromkeys(first.sort_values("rank", kind="stable")["model"]))[:2]
    kinds = predictions.access.kinds
    if not len({kinds[model] for model in best}) == 1 < len(best):
        return
    if (partition := partition_of(predictions[best])) is not None:
        say(
            f"modelcompare: {' and '.join(best)} have several {partition.called}s, none of which "
            "belongs to one of the other; the page leaves their disagreements out."
        )
    else:
        yield disagreements(predictions, *best)


PAGES = (of_best_two,)
