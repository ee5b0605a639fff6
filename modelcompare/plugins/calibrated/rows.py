"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="calibrated",
    package=__package__,
    public={"calibrated": "fit:calibrated"},
    designs="design:DESIGNS",
    steps="commands:STEPS",
)
