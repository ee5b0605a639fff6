"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="logs",
    package=__package__,
    readers="rankings:READERS",
    formats="formats:FORMATS",
    unread="unread:UNREAD",
)
