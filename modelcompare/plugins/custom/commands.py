"""The option of compare that names metrics in files."""

from modelcompare.cli.commands import Addition
from modelcompare.cli.options import Texts, statistics

ADDITIONS = (
    Addition("compare", (
        statistics(
            name="metric_from", type=Texts, metavar="FILE.py:NAME",
            help="A custom metric (repeatable): a function metric(y_true, y_output), or a "
            "modelcompare Metric, in a Python file, which is run; or FILE.csv:NAME, costs of "
            "true (rows) by predicted classes.",
            advanced=True,
        ),
    )),
)  # fmt: skip
