"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="workflows",
    package=__package__,
    options={"format='github'": "run:annotate", "format='pr-comment'": "run:comment"},
    additions="commands:ADDITIONS",
)
