"""What the plugin adds: places, which are imported when they are used."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="example", package=__package__, formats="quiz:FORMATS", metrics="near_miss:METRICS",
    designs="two_stage:DESIGNS",
)  # fmt: skip
