"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="detection",
    package=__package__,
    public={"io.from_coco": "coco:from_coco"},
    readers="coco:READERS",
    kinds="kinds:KINDS",
    metrics="metrics:METRICS",
)
