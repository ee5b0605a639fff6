"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(name="annotators", package=__package__, options={"annotators": "people"})
