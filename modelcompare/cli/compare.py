"""``modelcompare compare`` and ``demo``: the models of one test set, and of its subgroups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import modelcompare as mc
from modelcompare.cli.output import Output, emit_figure
from modelcompare.cli.reading import Reading
from modelcompare.cli.streams import say
from modelcompare.comparison.groups import document_below
from modelcompare.data.test_set import TestSet
from modelcompare.directions import sentence
from modelcompare.metrics.base import BaseMetric
from modelcompare.metrics.registry import MetricLike, resolve_metrics
from modelcompare.plugs import attribute, behind

# The example of the demo, whose data are the paper's, with its metric; and the figure.
_EXAMPLE, _METRICS = "snli", ("accuracy", "f1_macro", "cf1_macro")
_FIGURE = Path("demo", "snli_forest.png")


def compare(
    reading: Reading, output: Output, *, metrics: Sequence[str] = (),
    metric_from: Sequence[str] = (), baseline: str | None = None, plan: bool = False,
    **options: Any,
) -> None:  # fmt: skip
    """Compare models on one test set, and in its subgroups if it has some."""
    output.check([*reading.files, *(Path(each.rpartition(":")[0]) for each in metric_from)])
    if reading.slices and (output.form != "table" or output.output is not None):
        raise ValueError(
            "--slice shows more tables on the screen; for a file or another form run modelcompare "
            "groups --by."
        )
    own: list[MetricLike] = [behind("metric_from")(place) for place in metric_from]
    functions = any(not isinstance(each, BaseMetric) for each in own)

    def metrics_on(predictions: TestSet) -> list[MetricLike] | None:
        return [*metrics, *_directed(own, predictions, reading.greater_is_better)] or None

    if reading.missing == "bounds":
        _check_bounds({"--baseline": baseline, "--plot": output.plot, "--slice": reading.slices})
        worst = reading.read_worst(functions=functions)
        output.emit(mc.compare(worst, metrics_on(worst), **options, missing="bounds"))
        return
    predictions = reading.read(sliced=True, by_blocks=True, functions=functions)
    asked = metrics_on(predictions)
    if baseline is not None and len(predictions.models) == 1:
        raise ValueError("--baseline needs a second model to compare with; there is 1 model.")
    options["baseline"] = baseline
    if plan:
        output.emit(attribute(mc.__name__, "plan")(predictions, asked, **options))
        return
    result = mc.compare(predictions, asked, **options)
    if reading.slices:
        options.pop("family", None)
        groups = mc.compare_groups(predictions, asked, **options)
        output.emit(result, document_below(result, groups))
        return
    output.emit(result)


def demo(output: Output, **options: Any) -> None:
    """Compare the models of the example that ships."""
    output.check()
    result = mc.compare(mc.load_example(_EXAMPLE), _METRICS, **options)
    output.emit(result)
    try:
        figure = result.plot()
    except ImportError as error:
        say(f"no figure: {error}")
        return
    _FIGURE.parent.mkdir(exist_ok=True)
    emit_figure(_FIGURE, figure)


def _directed(
    own: Sequence[MetricLike], predictions: TestSet, given: bool | None
) -> list[MetricLike]:
    """Turn functions into metrics with the given direction, or that of their names."""
    found: list[MetricLike] = []
    for each in own:
        (metric,) = resolve_metrics([each], predictions)
        if given is not None and not isinstance(each, BaseMetric):
            metric = replace(metric, greater_is_better=given, direction_from="declared")
        way = sentence(metric.greater_is_better, metric.direction_from)
        say(f"modelcompare: {metric.name}: {way}")
        found.append(metric)
    return found


def _check_bounds(given: Mapping[str, object]) -> None:
    """Refuse options that bounds do not support."""
    for option, value in given.items():
        if value:
            raise ValueError(f"{option} and --missing bounds exclude each other; leave one out.")
