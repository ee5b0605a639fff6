"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="detection",
    package=__package__,
    public={"io.from_coco": "coco:from_coco"},
    readers="coco:READERS",
    kinds="kinds:KINDS",
    metrics="metrics:METRICS",
    documents={
        "sources": (
            "COCO's annotations and results of boxes | `compare boxes.json boxes_large.json "
            "boxes_small.json -m map`: [how](detection.md)",
        ),
        "pages": (
            "[Detections](docs/detection.md): mean average precision by COCO's rule, images as "
            "units",
        ),
    },
)
