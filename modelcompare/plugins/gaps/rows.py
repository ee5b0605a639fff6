"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="gaps",
    package=__package__,
    public={"diagnostics.Gaps": "gaps:Gaps", "diagnostics.gaps": "gaps:gaps"},
    additions="commands:ADDITIONS",
)
