"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="soft_auc",
    package=__package__,
    metrics="metrics:METRICS",
    terms={
        "probabilistic_auc": "auc of probabilities, mauc, probabilistic area under the curve",
        "scored_auc": "sauc, scored area under the curve",
        "soft_auc": "sigmoid auc, soft area under the curve",
    },
)
