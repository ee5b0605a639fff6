"""``modelcompare demo``: the first thing to try."""

from __future__ import annotations

from pathlib import Path

from modelcompare.cli.options import OutputOptions, ResamplingOptions
from modelcompare.cli.output import check_outputs, emit, emit_figure
from modelcompare.cli.streams import say

_EXAMPLE = "snli"
_FIGURE = Path("demo", "snli_forest.png")


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
