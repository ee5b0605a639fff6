"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="charts",
    package=__package__,
    figures="of_comparison:FIGURES",
    replicates="raincloud:REPLICATES",
    choices={"figure": ("raincloud", "heatmap", "classes", "confusion")},
)
