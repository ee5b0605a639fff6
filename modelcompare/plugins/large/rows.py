"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="large",
    package=__package__,
    public={
        "io.ScannedPredictions": "scanned:ScannedPredictions",
        "io.scan_predictions": "scanned:scan_predictions",
        "io.read_sketch": "sketch_files:read_sketch",
        "io.Sketch": "sketches:Sketch",
        "io.sketch": "summing:sketch",
    },
    commands="commands:COMMANDS",
    refusals="about:REFUSALS",
    sources="reading:SOURCES",
)
