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
    documents={
        "sources": (
            'more rows than memory holds | `mc.io.scan_predictions("s3://bucket/*.parquet")`, '
            "`--read scan`; large Parquet files [by itself](#larger-than-memory)",
            "days, shards, a warehouse | `mc.io.sketch`, `sketch`: [sums that add "
            "up](large.md#sketches), in SQL too",
        ),
        "pages": (
            "[Large test sets](docs/large.md): scans, sketches, databases, clusters of machines",
        ),
    },
)
