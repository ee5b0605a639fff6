"""The command of two models' disagreements."""

from modelcompare.cli.commands import Command
from modelcompare.cli.options import OUTPUT, WHOLE

COMMANDS = (
    Command(
        "disagreements",
        "run:ask",
        (WHOLE, OUTPUT),
        "List the samples on which two models disagree.\n\nThe largest disagreement is first.",
        ("predictions.npz --model cnn --model lstm --all",),
        package=__package__,
    ),
)
