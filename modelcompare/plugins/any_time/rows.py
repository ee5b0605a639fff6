"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="any_time",
    package=__package__,
    options={"method='any-time'": "gain:GainAtAnyTime"},
)
