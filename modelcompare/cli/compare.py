"""``modelcompare compare``, ``demo`` and ``disagreements``: the models of one test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from modelcompare.cli.options import (
    OutputOptions,
    ReadingOptions,
    ResamplingOptions,
    Text,
    Texts,
    measured,
    statistics,
    written,
)
from modelcompare.cli.output import check_outputs, chosen_format, emit, emit_figure
from modelcompare.cli.streams import say
from modelcompare.words import Correction, Family, IntervalMethod, PairsTest, Tokenizer, listed

if TYPE_CHECKING:
    from modelcompare.data.test_set import TestSet
    from modelcompare.metrics.registry import MetricLike

# What the demo compares and draws.
_EXAMPLE = "snli"
_FIGURE = Path("demo", "snli_forest.png")


def compare(
    reading: ReadingOptions,
    *,
    metric: Annotated[
        Texts,
        measured(
            "What to measure (repeatable), e.g. accuracy, f1 (per class), f1_macro, cf1, mcc. "
            "By default accuracy, f1_macro and cf1_macro, or the mean of scores."
        ),
    ] = None,
    metric_from: Annotated[
        Texts,
        statistics(
            "FILE.py:NAME",
            "A metric of your own (repeatable): a function of the truth and the output, or a "
            "modelcompare Metric, in a Python file, which is run.",
        ),
    ] = None,
    tokenize: Annotated[
        Tokenizer | None,
        statistics("NAME", f"sacrebleu's tokenizer for bleu: {listed(Tokenizer)}."),
    ] = None,
    method: Annotated[
        IntervalMethod, statistics("NAME", f"Kind of interval: {listed(IntervalMethod)}.")
    ] = "auto",
    test: Annotated[
        PairsTest, statistics("NAME", f"Paired test of the differences: {listed(PairsTest)}.")
    ] = "studentized-permutation",
    correction: Annotated[
        Correction, statistics("NAME", f"Adjustment for many pairs: {listed(Correction)}.")
    ] = "holm",
    family: Annotated[
        Family,
        statistics("NAME", "Corrected together: all pairs of a metric, or of all metrics."),
    ] = "metric",
    baseline: Annotated[
        Text, statistics("MODEL", "Look at the differences from this model only.")
    ] = None,
    confidence_level: Annotated[float, statistics("FRACTION", "Of every interval.")] = 0.95,
    alpha: Annotated[
        float, statistics("FRACTION", "A difference counts where its adjusted p-value is below.")
    ] = 0.05,
    resampling: ResamplingOptions,
    output: OutputOptions,
    plot: Annotated[
        Path | None, written("PATH", "Write a forest plot too: .png, .pdf or .svg.", "--plot")
    ] = None,
) -> None:
    """Compare models on one test set: scores, intervals, differences of all pairs."""
    check_outputs(output, plot, inputs=[*reading.files, *_files_of(metric_from)])
    options = resampling.options()
    if reading.slice and (chosen_format(output) != "table" or output.output is not None):
        raise ValueError(
            "--slice shows more tables on the screen; for a file or another form run modelcompare "
            "slices."
        )
    named = metric or []
    if tokenize is not None:
        named = _tokenized(named, tokenize)
    from modelcompare.metrics.base import BaseMetric
    from modelcompare.metrics.from_file import load_metric

    own = [load_metric(place) for place in metric_from or []]
    functions = any(not isinstance(each, BaseMetric) for each in own)

    def metrics_on(predictions: TestSet) -> list[MetricLike] | None:
        return [*named, *_directed(own, predictions, reading.lower_is_better)] or None

    options |= {
        "confidence_level": confidence_level, "method": method, "test": test,
        "correction": correction, "alpha": alpha,
    }  # fmt: skip
    if reading.missing == "bounds":
        _check_bounds({"--baseline": baseline, "--plot": plot, "--slice": reading.slice})
        emit(
            reading.compare_bounds(metrics_on, functions=functions, family=family, **options),
            output,
        )
        return
    predictions = reading.read(sliced=True, by_blocks=True, functions=functions)
    metrics = metrics_on(predictions)
    if baseline is not None and len(predictions.models) == 1:
        raise ValueError("--baseline needs a second model to compare with; there is 1 model.")
    from modelcompare.comparison.compare import compare as compare_models
    from modelcompare.comparison.slices import compare_slices

    options["baseline"] = baseline
    result = compare_models(predictions, metrics, family=family, **options, progress=True)
    subgroups = compare_slices(predictions, metrics, **options) if reading.slice else None
    emit(result, output)
    if subgroups is not None:
        emit(subgroups, output)
    if plot is not None:
        emit_figure(plot, result.plot())


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


def demo(resampling: ResamplingOptions, output: OutputOptions) -> None:
    """Compare the models of the example that ships, and draw a forest plot into demo/."""
    check_outputs(output)
    from modelcompare.comparison.compare import compare
    from modelcompare.examples import load_example

    result = compare(load_example(_EXAMPLE), **resampling.options(), progress=True)
    emit(result, output)
    try:
        figure = result.plot()
    except ImportError as error:
        say(f"no figure: {error}")
        return
    _FIGURE.parent.mkdir(exist_ok=True)
    emit_figure(_FIGURE, figure)


def _directed(
    own: Sequence[MetricLike], predictions: TestSet, lower_is_better: bool | None
) -> list[MetricLike]:
    """Turn functions into metrics with the direction that was told, or that of their names."""
    from modelcompare.directions import sentence
    from modelcompare.metrics.base import BaseMetric
    from modelcompare.sources.evaluation import resolve

    found: list[MetricLike] = []
    for each in own:
        (metric,) = resolve([each], predictions)
        if lower_is_better is not None and not isinstance(each, BaseMetric):
            metric = replace(metric, greater_is_better=not lower_is_better, direction_from="told")
        way = sentence(metric.greater_is_better, metric.direction_from)
        say(f"modelcompare: {metric.name}: {way}")
        found.append(metric)
    return found


def _tokenized(metrics: Sequence[str], tokenize: str) -> list[str]:
    """Names of metrics, those of BLEU with the tokenizer as part of them."""
    if "bleu" not in metrics:
        raise ValueError("--tokenize is for --metric bleu; name it, or leave --tokenize out.")
    return [f"{name}_{tokenize}" if name == "bleu" else name for name in metrics]


def _check_bounds(given: Mapping[str, object]) -> None:
    """Refuse what bounds have no answer for."""
    for option, value in given.items():
        if value:
            raise ValueError(f"{option} and --missing bounds exclude each other; leave one out.")


def _files_of(metrics: list[str] | None) -> list[Path]:
    """The files of FILE.py:NAME."""
    return [Path(each.rpartition(":")[0]) for each in metrics or []]
