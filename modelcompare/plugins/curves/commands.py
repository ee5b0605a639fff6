"""Options of thresholds, which all commands that read predictions have."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from modelcompare.cli.steps import Step
from modelcompare.options import Option


def _thresholds(texts: list[str]) -> dict[str, float]:
    """Read thresholds by label; "" is that of all others."""
    found: dict[str, float] = {}
    for text in texts:
        label, _, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            raise ValueError(
                f"--threshold must be NUMBER or LABEL=NUMBER, as in cat=0.3; got {text!r}."
            ) from None
        if label in found:
            raise ValueError(f"--threshold has two numbers for {label or 'all labels'}; give one.")
        found[label] = value
    return found


_input = partial(Option, panel="Input", advanced=True)
STEPS = (
    Step(
        (
            _input(
                name="threshold", type=list[str] | None, metavar="[LABEL=]NUMBER",
                parse=_thresholds,
                help="Lowest score that is a yes (repeatable): for all labels of a sample, or for "
                "one.",
            ),
            _input(
                name="threshold_from", flags="--threshold-from", type=Path | None, metavar="FILE",
                help="Validation data on which the threshold of each model, and label, is chosen.",
            ),
            _input(
                name="threshold_for", flags="--threshold-for", default="f1", metavar="METRIC",
                help="Metric that the threshold is best for, also as in --metric-from.",
            ),
        ),
        "run:decided",
        __package__,
    ),
)  # fmt: skip
