"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="battles",
    package=__package__,
    public={"from_battles": "reader:from_battles"},
    readers="reader:READERS",
    refusals="columns:REFUSALS",
    scores="reader:SCORES",
)
