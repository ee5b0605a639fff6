"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(name="runs", package=__package__, designs="design:DESIGNS")
