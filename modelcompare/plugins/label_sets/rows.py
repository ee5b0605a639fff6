"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="label_sets",
    package=__package__,
    public={"io.from_item_counts": "item_counts:from_item_counts"},
    readers="item_counts:READERS",
    whole="item_counts:WHOLE",
    tables="columns:TABLES",
    kinds="kinds:KINDS",
    metrics="metrics:METRICS",
    choices={"kind": ("label_sets",)},
    terms={
        "hamming_loss": "hamming distance",
        "lrap": "label ranking average precision",
        "subset_accuracy": "exact match ratio",
    },
)
