"""The option of times, which all commands that read predictions have."""

from modelcompare.cli.steps import Step
from modelcompare.options import Option

STEPS = (
    Step(
        (
            Option(
                name="time", panel="Input", advanced=True,
                help="Column of times: consecutive samples are similar, and resampled in blocks.",
            ),
        ),
        "run:in_blocks",
        __package__,
        of_each=True,
        columns=("time",),
    ),
)  # fmt: skip
