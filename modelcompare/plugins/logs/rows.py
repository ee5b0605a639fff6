"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="logs",
    package=__package__,
    named="mlflow_runs:NAMED",
    readers="rankings:READERS",
    formats="formats:FORMATS",
    unread="unread:UNREAD",
)
