"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="latex",
    package=__package__,
    writers={"latex": "tables:writer"},
    suffixes={".tex": "latex"},
)
