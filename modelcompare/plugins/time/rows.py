"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="time",
    package=__package__,
    public={
        "inference.diebold_mariano": "forecasts:diebold_mariano",
        "io.in_time_blocks": "blocks:in_time_blocks",
    },
    steps="commands:STEPS",
)
