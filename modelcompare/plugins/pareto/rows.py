"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="pareto",
    package=__package__,
    options={"pareto": "front:pareto"},
    figures="front:FIGURES",
    choices={"figure": ("pareto",)},
)
