"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="paper",
    package=__package__,
    public={
        "inference.variance_tests": "variance_tests:variance_tests",
        "io.quantize": "quantize:quantize",
        "studies": "studies",
    },
    commands="commands:COMMANDS",
    additions="commands:ADDITIONS",
    documents={
        "pages": (
            "[Variance of metrics](docs/variance.md): the studies of Yacouby and Axman (2020)",
            "[Tables of agreement](docs/agreement.md): do two metrics prefer the same models?",
            "[From the paper, from the course](docs/from_the_paper.md): their terms, and what "
            "answers them here",
        ),
    },
)
