"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="survival",
    package=__package__,
    tables="columns:TABLES",
    kinds="kinds:KINDS",
    metrics="metrics:METRICS",
    choices={"kind": ("risks",)},
    terms={"c_index": "concordance index, harrell c"},
    documents={
        "sources": (
            "times until an event, some censored | columns `time`, `event` and a risk of each "
            "model, or `cnn:12` for the probability to survive time 12: [how](survival.md)",
        ),
        "pages": (
            "[Times until an event](docs/survival.md): c-indices and the Brier score with censored "
            "samples",
        ),
    },
)
