"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="likelihoods",
    package=__package__,
    metrics="metrics:METRICS",
    intervals="intervals:INTERVALS",
    terms={
        "lr_negative": "negative likelihood ratio",
        "lr_positive": "positive likelihood ratio, likelihood ratio, lr+",
    },
)
