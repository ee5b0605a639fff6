"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="survival",
    package=__package__,
    tables="columns:TABLES",
    kinds="kinds:KINDS",
    metrics="metrics:METRICS",
    choices={"kind": ("risks",)},
    terms={"c_index": "concordance index, harrell c"},
)
