"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="answers",
    package=__package__,
    metrics="metrics:METRICS",
    terms={"pass_at_{}": "pass@{}", "pass_hat_{}": "pass^{}"},
)
