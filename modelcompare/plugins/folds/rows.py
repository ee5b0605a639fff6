"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="folds",
    package=__package__,
    public={"crossval": "crossval"},
    additions="commands:ADDITIONS",
    score_tables="run:SCORE_TABLES",
)
