"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(name="classical", package=__package__, tests="pair_tests:ROWS")
