"""Options of commands that show their plan."""

from modelcompare.cli.commands import Addition
from modelcompare.cli.options import flag

_PLAN = flag(
    name="plan", panel="Statistics", advanced=True,
    help="Show intervals, tests, expected time and memory, and compute nothing.",
)  # fmt: skip
ADDITIONS = (
    *(Addition(command, (_PLAN,)) for command in ("compare", "groups", "sample-size")),
    Addition("gate", (
        flag(name="plan", help="Show the design and the intervals, and decide nothing."),
    )),
)  # fmt: skip
