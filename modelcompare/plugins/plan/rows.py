"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="plan",
    package=__package__,
    public={"plan": "question:plan"},
    options={"plan": "run:of_gate"},
    additions="commands:ADDITIONS",
)
