"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="selfcheck",
    package=__package__,
    public={"diagnostics.selfcheck": "selfcheck:selfcheck"},
)
