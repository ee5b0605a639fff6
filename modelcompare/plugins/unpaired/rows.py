"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="unpaired",
    package=__package__,
    public={"inference.unpaired_test": "unpaired:unpaired_test"},
)
