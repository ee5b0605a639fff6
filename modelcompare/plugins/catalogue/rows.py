"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(name="catalogue", package=__package__, commands="commands:COMMANDS")
