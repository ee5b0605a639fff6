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
    tests="replicate_t:ROWS",
)
