"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="class_report",
    package=__package__,
    public={
        "diagnostics.ClassReport": "report:ClassReport",
        "diagnostics.classification_report": "report:classification_report",
        "diagnostics.class_tables": "tables:class_tables",
    },
    additions="commands:ADDITIONS",
)
