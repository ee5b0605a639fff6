"""Options of calibration, which all commands that read predictions have."""

from modelcompare.cli.steps import Step
from modelcompare.options import Option

STEPS = (
    Step(
        (
            Option(
                name="calibrate", panel="Input", advanced=True, metavar="METHOD",
                help="Calibrate probabilities: temperature, vector, beta or isotonic.",
            ),
            Option(
                name="calibrate_on", panel="Input", advanced=True, metavar="FILE",
                help="Other samples on which --calibrate is fitted; else in 5 folds of the same.",
            ),
        ),
        "run:calibrate",
        __package__,
        of_each=True,
    ),
)  # fmt: skip
