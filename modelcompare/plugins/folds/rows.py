"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="folds",
    package=__package__,
    public={"crossval": "crossval"},
    additions="commands:ADDITIONS",
    roles="columns:ROLES",
    checks="columns:CHECKS",
    score_tables="run:SCORE_TABLES",
)
