"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="page",
    package=__package__,
    commands="commands:COMMANDS",
    notebooks="notebook:NOTEBOOKS",
    writers={"html": "page:writer"},
    suffixes={".htm": "html", ".html": "html"},
)
